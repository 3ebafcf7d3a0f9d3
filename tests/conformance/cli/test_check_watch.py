"""`check FILE.py --watch`: checks again when a module changes, until Ctrl-C."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from genstamp.cli.check import watching
from genstamp.cli.verbs import app


@pytest.fixture
def ring(tmp_path: Path) -> Path:
    """A file with a module beside it."""
    (tmp_path / "words.py").touch()
    file = tmp_path / "ring.py"
    file.touch()
    return file


def touched(file: Path) -> None:
    """Let a file have been changed."""
    os.utime(file, ns=(0, file.stat().st_mtime_ns + 1))


def test_it_checks_again_after_a_change_of_the_file_or_of_a_module_beside_it(
    ring: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = ring.with_name("words.py")
    changes: Iterator[Callable[[], None]] = iter([lambda: touched(ring), lambda: touched(module), ring.unlink])
    codes = iter([0, 12, 150, 3])

    def wait(is_changed: Callable[[], bool]) -> None:
        assert not is_changed()
        change = next(changes, None)
        if change is None:
            raise KeyboardInterrupt
        change()
        assert is_changed()

    assert watching.watch(ring, lambda: next(codes), wait) == 3, "the exit code of the last check"
    words = [line.partition(";")[0] for line in capsys.readouterr().err.splitlines()]
    assert words == ["holds", "violated", "not checked", "undetermined"]


def test_a_change_while_it_checks_is_seen(ring: Path) -> None:
    def check() -> int:
        touched(ring)
        return 0

    def wait(is_changed: Callable[[], bool]) -> None:
        assert is_changed()
        raise KeyboardInterrupt

    assert watching.watch(ring, check, wait) == 0


def test_a_check_is_this_command_without_the_option(ring: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []

    def call(command: list[str]) -> int:
        called.append(command)
        return 13

    monkeypatch.setattr(subprocess, "call", call)
    monkeypatch.setattr(sys, "argv", ["genstamp", "check", "--watch", str(ring), "--strict"])
    assert watching.check() == 13
    assert called == [[sys.executable, "-P", "-m", "genstamp", "check", str(ring), "--strict"]]


def test_only_a_file_is_watched() -> None:
    result = CliRunner().invoke(app, ["check", "hdfs.recovery", "--watch"])
    assert result.exit_code == 2
    assert "it watches a file; write FILE.py or FILE.py:NAME" in " ".join(result.stderr.replace("│", " ").split())
    assert watching.watched("a/ring.py:RING:two") == Path("a/ring.py")
