"""Processes that tests interrupt.

Tests may themselves be started where interrupts are ignored, as by `nohup` or in the background of a script. A process
takes that over from its parent, so one that is to be interrupted gets the default back.
"""

import signal
import subprocess
from collections.abc import Sequence
from typing import Any


def interruptible(command: Sequence[str], **options: Any) -> subprocess.Popen[str]:
    """Start a process that takes interrupts; its streams are text."""
    return subprocess.Popen(command, text=True, preexec_fn=_take_interrupts, **options)


def _take_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
