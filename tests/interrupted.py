"""Processes that tests interrupt.

Tests may themselves be started where interrupts are ignored, as by `nohup` or in the background of a script. A process
takes that over from its parent, so one that is to be interrupted gets the default back.
"""

import signal
import subprocess
from collections.abc import Sequence
from types import TracebackType
from typing import Any


def interruptible(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """Start a process that takes interrupts; its streams are text. A test that fails leaves no process behind."""
    return _Ended(command, text=True, preexec_fn=_take_interrupts, **options)


class _Ended(subprocess.Popen[str]):
    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        # Otherwise it would be waited for, without end where it hangs.
        if error is not None:
            self.kill()
        super().__exit__(kind, error, at)


def _take_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
