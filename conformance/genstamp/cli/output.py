"""Keeps standard output, which a program may parse, free of text that an author's threads print."""

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from genstamp.errors import GenstampError

_this_thread = threading.local()


@contextmanager
def printing() -> Iterator[None]:
    """Within this context, text from this thread goes to standard output although it is not the main thread."""
    _this_thread.prints = True
    try:
        yield
    finally:
        _this_thread.prints = False


class UnwrittenError(GenstampError):
    """Writing to standard output failed, so a verdict may be lost. The text gives the reason."""

    def __init__(self, problem: OSError) -> None:
        super().__init__(f"standard output: {problem.strerror or problem}")


class OwnOutput:
    """A stream that the main thread writes to, and those in `printing`; what others write is on standard error.

    Where its reader has left, as `head` does, the rest is dropped, and the verdict is still the exit code; a thread in
    `printing`, which may print for ever, gets the error.

    Args:
        stream: that of which all the rest is.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text to this thread's stream; UnwrittenError if that fails, for example because the disk is full."""
        with self._written():
            self._of_this_thread().write(text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts, likewise."""
        with self._written():
            self._of_this_thread().writelines(lines)

    def flush(self) -> None:
        """Pass on what was written; UnwrittenError likewise."""
        with self._written():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            if threading.current_thread() is not threading.main_thread():
                raise
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)
        except OSError as problem:
            raise UnwrittenError(problem) from None

    def _of_this_thread(self) -> TextIO:
        is_main = threading.current_thread() is threading.main_thread()
        return self._stream if is_main or getattr(_this_thread, "prints", False) else sys.stderr
