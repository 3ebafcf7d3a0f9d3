"""Interrupts from the keyboard: while a search must not be cut off, and while compiled code is running."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import FrameType
from typing import Final, TypeVar

T = TypeVar("T")

_left: Final[list[Thread]] = []
_noted: Final[list[list[int]]] = []

taken: Final = threading.Event()
"""Set as soon as Python has taken an interrupt: until then the main thread is within compiled code, or waits there."""
ever_taken: Final = threading.Event()
"""Set for good with the first interrupt that was taken."""
put_off: Final = threading.Event()
"""Set by an interrupt that came where Python would have lost it: it has to be sent once more."""


def take(number: int, frame: FrameType | None) -> None:
    """Take an interrupt, as Python does by default, and say so by `taken`.

    Not while an object is finalized, where Python would lose it: see `put_off`.
    """
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            put_off.set()
            return
        frame = frame.f_back
    ever_taken.set()
    taken.set()
    raise KeyboardInterrupt


@contextmanager
def interrupts() -> Iterator[list[int]]:
    """A list that is not empty once the keyboard has interrupted; in the block an interrupt does nothing else.

    It stays empty in other threads than the main one, and where another handler of interrupts is in place. Within a
    block like this it is that one's.
    """
    found: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before not in (signal.default_int_handler, take):
        yield _noted[-1] if _noted and threading.current_thread() is threading.main_thread() else found
        return

    def note(number: int, frame: FrameType | None) -> None:
        ever_taken.set()
        taken.set()
        found.append(number)

    signal.signal(signal.SIGINT, note)
    _noted.append(found)
    try:
        yield found
    finally:
        _noted.pop()
        signal.signal(signal.SIGINT, before)


def beside(work: Callable[[], T]) -> T:
    """Do work in a thread of its own while this one waits: an interrupt ends the waiting, and the work continues."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    made: list[T] = []
    failed: list[BaseException] = []

    def do() -> None:
        try:
            made.append(work())
        except BaseException as problem:
            failed.append(problem)

    thread = Thread(target=do, name="beside", daemon=True)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        _left.append(thread)
        raise
    if failed:
        raise failed[0]
    return made[0]


def has_left_work() -> bool:
    """Whether an interrupt has left a thread at work, which a normal end of the process could crash."""
    return bool(_left)
