"""Standard output is what genstamp itself prints, a document for a program perhaps, not what an author's threads do."""

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from genstamp.errors import GenstampError

_this_thread = threading.local()


@contextmanager
def printing() -> Iterator[None]:
    """What this thread prints meanwhile is genstamp's own, though it is not the main thread."""
    _this_thread.prints = True
    try:
        yield
    finally:
        _this_thread.prints = False


class UnwrittenError(GenstampError):
    """Standard output takes no more, so a verdict may be lost. Its text says why."""

    def __init__(self, problem: OSError) -> None:
        super().__init__(f"standard output: {problem.strerror or problem}")


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # Whoever reads it has seen enough.
        raise
    except OSError as problem:
        raise UnwrittenError(problem) from None


class OwnOutput:
    """A stream that the main thread writes to, and those in `printing`; what others write is on standard error.

    Args:
        stream: that of which all the rest is.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text where this thread's texts go; UnwrittenError, if the disk is full, say."""
        with _written():
            return self._of_this_thread().write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, likewise."""
        with _written():
            self._of_this_thread().writelines(lines)

    def flush(self) -> None:
        """Pass on what was written; UnwrittenError likewise."""
        with _written():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _of_this_thread(self) -> TextIO:
        is_main = threading.current_thread() is threading.main_thread()
        return self._stream if is_main or getattr(_this_thread, "prints", False) else sys.stderr
