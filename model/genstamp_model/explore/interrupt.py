"""An interrupt from the keyboard that waits until a search has come to a place where it may end."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """A list that is not empty any more once the keyboard has interrupted: a turn of several threads is not torn.

    Where somebody else has chosen what an interrupt does, or in another thread than the main one, it stays empty.
    """
    found: list[int] = []
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield found
        return
    signal.signal(signal.SIGINT, lambda number, frame: found.append(number))
    try:
        yield found
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
