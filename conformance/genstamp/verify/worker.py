"""A process that forks one for each job, and how all that a job has started is ended.

Not here: what the process does (`job`).
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Final

from genstamp.verify.job import Order

_GRACE_S: Final = 10.0
_LOOK_S: Final = 0.05


class Worker:
    """Does one job at a time; as a context, it ends with it.

    Args:
        directory: that its process begins in.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """End the process that forks the jobs; the next job has a new one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
        self._process, self._read = None, b""

    def begin(self, order: Order) -> int:
        """Begin a job; gives the number of its process, which leads a session of its own."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "genstamp.verify.job"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                cwd=self._directory,
                # The keyboard's interrupts are for this process alone.
                start_new_session=True,
            )
        assert self._process.stdin is not None
        self._process.stdin.write(order.encode() + b"\n")
        leader = self._number(None)
        assert leader is not None, "the process that forks the jobs has ended"
        return leader

    def exit_code(self, seconds: float = _GRACE_S) -> int | None:
        """The exit code of the job's process, negative for a signal; None if it goes on for longer than this."""
        return self._number(seconds)

    def _number(self, seconds: float | None) -> int | None:
        """The next number that the process prints; None if none comes in time, or it has ended."""
        assert self._process is not None
        assert self._process.stdout is not None
        file = self._process.stdout.fileno()
        while b"\n" not in self._read:
            is_there, _, _ = select.select([file], [], [], seconds)
            part = os.read(file, 100) if is_there else b""
            if not part:
                return None
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        return int(line)


def end_session(leader: int) -> None:
    """End all processes of a session; does nothing where all have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGTERM)
        until = time.monotonic() + _GRACE_S
        while time.monotonic() < until:
            os.killpg(leader, 0)
            time.sleep(_LOOK_S)
        os.killpg(leader, signal.SIGKILL)
