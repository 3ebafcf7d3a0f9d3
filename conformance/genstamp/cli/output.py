"""Standard output is what genstamp itself prints, a document for a program perhaps: it prints in the main thread."""

import sys
import threading
from collections.abc import Iterable
from typing import Any, TextIO


class OfMainThread:
    """A stream that only the main thread writes to; what other threads write, as an author's, is on standard error.

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
        return self._stream if threading.current_thread() is threading.main_thread() else sys.stderr
