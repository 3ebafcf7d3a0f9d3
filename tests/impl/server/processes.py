"""A cluster of real processes, as the command line starts it, and clients of it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from genstamp.cli.verbs import app

LIMIT_S = 120.0

QUICK = ["heartbeat_interval_ms=200", "minimal_block_size=0", "retry_interval_ms=100"]
"""Settings with which a test has to wait for little."""


def until(condition: Callable[[], Any]) -> Any:
    """Wait for something that comes by itself, and give it."""
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{condition.__name__} did not come in {LIMIT_S} s")


class Processes:
    """A cluster of HDFS that was started by the command line, and clients of it.

    Attributes:
        verb, first, others, quick: what another file system calls it, with the settings of a quick test.
    """

    verb = "dfs"
    first = "namenode"
    others = "datanodes"
    quick = QUICK

    def __init__(self, directory: Path, settings: list[str] | None = None, datanodes: int = 3) -> None:
        self.directory = directory
        self.datanodes = datanodes
        self.settings = self.quick if settings is None else settings
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> dict[str, Any]:
        options = [f"--set={setting}" for setting in self.settings]
        options.append(f"--{self.others}={self.datanodes}")
        self.process = self.command("up", str(self.directory), *options, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        ready: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.environment[f"GENSTAMP_{self.first.upper()}"] = f"127.0.0.1:{ready[self.first]['port']}"
        return ready

    def book(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.directory / "cluster.json").read_text())
        return found

    def command(self, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "genstamp", self.verb, *arguments]
        return subprocess.Popen(command, env=self.environment, text=True, **options)

    def ask(self, *arguments: str) -> Result:
        """A command that works with files, in this process: one of its own takes most of its time to start."""
        return CliRunner().invoke(app, [self.verb, *arguments], env=self.environment, catch_exceptions=False)

    def run(self, *arguments: str) -> str:
        """The same where it succeeds; what it prints."""
        done = self.ask(*arguments)
        assert done.exit_code == 0, (arguments, done.exit_code, done.stderr)
        return done.stdout

    def kill(self, name: str) -> None:
        """kill -9 of a node; returns when it was started again and has told so."""
        before = self.book()[name]["pid"]
        os.kill(before, signal.SIGKILL)

        def is_back() -> bool:
            return self.book()[name]["pid"] not in (before, None)

        until(is_back)

    def stop(self) -> int:
        assert self.process is not None
        self.process.terminate()
        code = self.process.wait(LIMIT_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def feed(process: "subprocess.Popen[str]", data: bytes) -> None:
    """Write to a process what is no text."""
    assert process.stdin is not None
    view = memoryview(data)
    while view:
        view = view[os.write(process.stdin.fileno(), view) :]


def are_gone(pids: list[int]) -> bool:
    """Whether none of these processes runs any more; one that nobody has waited for does not."""
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            continue
        if state != "Z":
            return False
    return True


def pids_of(book: dict[str, Any]) -> list[int]:
    return [entry["pid"] for entry in book.values() if isinstance(entry, dict)]
