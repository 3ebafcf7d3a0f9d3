"""A text file that grows: its whole lines, each once, also when it is renamed, emptied or replaced.

Leaves out what lines mean. A file that was opened is read to its end whatever its name has become.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from genstamp.logs.streams import LINE_LENGTH_MAX

_CHUNK = 1 << 18


class FileId(NamedTuple):
    """What stays the same when a file is renamed: its device, and its number there."""

    device: int
    inode: int


def file_id(path: Path) -> FileId:
    """The identity of the file that has a name now.

    Raises:
        OSError: there is none.
    """
    status = path.stat()
    return FileId(status.st_dev, status.st_ino)


class Tail:
    """Reads a file as it grows.

    Args:
        path: name that it has now.

    Attributes:
        id: of the file that is read.
        number: lines given so far.

    Raises:
        OSError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        status = os.fstat(self._file.fileno())
        self.id = FileId(status.st_dev, status.st_ino)
        self.number = 0
        self._taken = 0
        self._rest = b""
        self._is_overlong = False

    def close(self) -> None:
        """Lets the file go."""
        self._file.close()

    def is_emptied(self) -> bool:
        """Whether the file was emptied where it stands, as `copytruncate` of logrotate does."""
        return os.fstat(self._file.fileno()).st_size < self._taken

    def going_on_in(self, copy: Path) -> "Tail":
        """A tail that goes on where this one is, in a copy that was made of the file.

        Raises:
            OSError: it cannot be opened.
        """
        other = Tail(copy)
        other._file.seek(self._taken)
        other.number, other._taken, other._rest = self.number, self._taken, self._rest
        other._is_overlong = self._is_overlong
        return other

    def lines(self, most_bytes: int, *, is_over: bool = False) -> Iterator[bytes | None]:
        """The lines that have come since, without their ends; None for one longer than `LINE_LENGTH_MAX`.

        Args:
            most_bytes: about how much to read now; the rest is for the next time.
            is_over: nothing more is appended, so that what has no line end is a line too.
        """
        if self.is_emptied():
            self._file.seek(0)
            self.number, self._taken, self._rest, self._is_overlong = 0, 0, b"", False
        left = most_bytes
        while left > 0 and (chunk := self._file.read(min(_CHUNK, left))):
            left -= len(chunk)
            self._taken += len(chunk)
            yield from self._split(chunk)
        if is_over and left > 0 and (self._rest or self._is_overlong):
            self.number += 1
            yield self._line(self._rest)
            self._rest, self._is_overlong = b"", False

    def _split(self, chunk: bytes) -> Iterator[bytes | None]:
        first, *others = chunk.split(b"\n")
        self._rest = b"" if self._is_overlong else self._rest + first
        for beginning in others:
            self.number += 1
            yield self._line(self._rest)
            self._rest, self._is_overlong = beginning, False
        if len(self._rest) > LINE_LENGTH_MAX:
            self._rest, self._is_overlong = b"", True

    def _line(self, line: bytes) -> bytes | None:
        return None if self._is_overlong or len(line) > LINE_LENGTH_MAX else line.removesuffix(b"\r")
