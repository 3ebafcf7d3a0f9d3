"""Rows of words that are only appended: in memory up to a size, and in a file after that.

The levels of a fingerprint search wait in spools, and its traces are in them. A spool's file has no name in any
directory, so that it is gone when the process is, however it ends. Not here: rows that change, and other processes.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from genstamp_model.errors import ConfigurationError, ModelError

# Of the free disk, this share is left to others.
_LEFT_TO_OTHERS = 16

# Most that is read from a file at once.
_READ_BYTES = 1 << 22


class DiskError(ModelError):
    """The disk took no more; the message says where and why."""


class Disk:
    """The total size that some files may take in one directory.

    Attributes:
        used: bytes in the files now; `most_used`, at most so far.
    """

    def __init__(self, directory: Path | None = None, most_bytes: int | None = None) -> None:
        """A budget.

        Args:
            directory: where the files are made; by default where temporary files are.
            most_bytes: how much they may take; by default almost all that is free.

        Raises:
            ConfigurationError: there is no such directory.
        """
        self.directory = Path(tempfile.gettempdir()) if directory is None else directory
        if not self.directory.is_dir():
            raise ConfigurationError(f"'{self.directory}' is not a directory in which files can be created")
        self._most = most_bytes
        self.used = self.most_used = 0

    def file(self) -> IO[bytes]:
        """A new file without a name."""
        try:
            return tempfile.TemporaryFile(dir=self.directory, buffering=0)
        except OSError as error:
            raise self._refused(error) from error

    def take(self, size: int) -> None:
        """Note that files are about to grow by this many bytes (or shrink, below 0).

        Raises:
            DiskError: they may not.
        """
        if self._most is None:
            self._most = _free_bytes(self.directory) * (_LEFT_TO_OTHERS - 1) // _LEFT_TO_OTHERS
        if self.used + size > self._most:
            raise DiskError(f"the {self._most:,} bytes that files in {self.directory} may take are used up")
        self.used += size
        self.most_used = max(self.most_used, self.used)

    def write(self, file: IO[bytes], content: NDArray[np.uint8], place: int) -> None:
        """Write all of some bytes at a place of a file.

        Raises:
            DiskError: the system refuses.
        """
        left = content.data
        while left:
            try:
                written = os.pwrite(file.fileno(), left, place)
            except OSError as error:
                raise self._refused(error) from error
            left, place = left[written:], place + written

    def read(self, file: IO[bytes], content: NDArray[np.uint8], place: int) -> None:
        """Read bytes from a place of a file, as many as there is room for.

        Raises:
            DiskError: the system refuses.
        """
        left = content.data
        while left:
            try:
                got = os.preadv(file.fileno(), [left], place)
            except OSError as error:
                raise self._refused(error, "read") from error
            assert got, "a file without a name has become shorter"
            left, place = left[got:], place + got

    def _refused(self, error: OSError, what: str = "written") -> DiskError:
        return DiskError(f"a file in {self.directory} could not be {what}: {(error.strerror or str(error)).lower()}")


def _free_bytes(directory: Path) -> int:
    found = os.statvfs(directory)
    return found.f_bavail * found.f_frsize


class Spool:
    """Rows of words, appended in order and read back by position."""

    def __init__(self, words: int, memory_rows: int, disk: Disk) -> None:
        """An empty spool.

        Args:
            words: of a row.
            memory_rows: how many rows are kept in memory; it is taken only as they come.
            disk: for the rows after those.
        """
        self._memory = np.empty((memory_rows, words), np.int64)
        self._disk = disk
        self._file: IO[bytes] | None = None
        self._row_bytes = 8 * words
        self._rows = 0
        self._touched = 0

    def __len__(self) -> int:
        return self._rows

    @property
    def memory_bytes(self) -> int:
        """Memory that it has taken."""
        return self._touched * self._row_bytes

    def append(self, rows: NDArray[np.int64]) -> None:
        """Add rows.

        Raises:
            DiskError: there is no room for them; then there are as many as before.
        """
        kept = min(len(rows), max(0, len(self._memory) - self._rows))
        if kept < len(rows):
            self._write(rows[kept:], max(0, self._rows - len(self._memory)))
        self._memory[self._rows : self._rows + kept] = rows[:kept]
        self._rows += len(rows)
        self._touched = max(self._touched, min(self._rows, len(self._memory)))

    def _write(self, rows: NDArray[np.int64], place: int) -> None:
        if self._file is None:
            self._file = self._disk.file()
        self._disk.take(rows.nbytes)
        content = np.ascontiguousarray(rows).reshape(-1).view(np.uint8)
        self._disk.write(self._file, content, place * self._row_bytes)

    def read(self, first: int, most: int) -> NDArray[np.int64]:
        """Rows from a position on: at least one, as many as there are at once, at most this many.

        Raises:
            DiskError: the system does not give them back.
        """
        assert 0 <= first < self._rows, f"there is no row {first} of {self._rows}"
        if first < len(self._memory):
            return self._memory[first : min(first + most, self._rows)]
        assert self._file is not None
        count = min(most, self._rows - first, max(1, _READ_BYTES // self._row_bytes))
        rows = np.empty((count, self._memory.shape[1]), np.int64)
        self._disk.read(self._file, rows.reshape(-1).view(np.uint8), (first - len(self._memory)) * self._row_bytes)
        return rows

    def clear(self) -> None:
        """Forget all rows; the file gives its room back, the memory stays for rows to come."""
        if self._file is not None:
            self._disk.take(-max(0, self._rows - len(self._memory)) * self._row_bytes)
            os.ftruncate(self._file.fileno(), 0)
        self._rows = 0
