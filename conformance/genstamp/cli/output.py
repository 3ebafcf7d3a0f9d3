"""Standard output is what genstamp itself prints, a document for a program perhaps, not what an author's threads do."""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

_this_thread = threading.local()


@contextmanager
def printing() -> Iterator[None]:
    """What this thread prints meanwhile is genstamp's own, though it is not the main thread."""
    _this_thread.prints = True
    try:
        yield
    finally:
        _this_thread.prints = False


class OwnOutput:
    """A stream that the main thread writes to, and those in `printing`; what others write is on standard error.

    Args:
        stream: that of which all the rest is.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text where this thread's texts go."""
        return self._of_this_thread().write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, likewise."""
        self._of_this_thread().writelines(lines)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _of_this_thread(self) -> TextIO:
        is_main = threading.current_thread() is threading.main_thread()
        return self._stream if is_main or getattr(_this_thread, "prints", False) else sys.stderr
