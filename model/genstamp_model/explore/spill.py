"""States of an exact search that are brought from memory to files, and stay at their addresses.

The states of a search are only appended to, and never written again. So those that stand can be written to a file that
is then mapped where they stood: the driver sees no difference, and the system keeps in memory what is used, as far as
there is room. The hash table stays in memory; how large it may grow ends the search. Not here: systems whose C library
has no `mmap`, where a search ends when its memory does.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from genstamp_model.explore.memory import Memory, bytes_at_most
from genstamp_model.explore.spool import Disk, DiskError

# In C: the mapping is at this address, and replaces what was there. Linux and macOS agree.
_FIXED: Final = 0x10
_FAILED: Final = ctypes.c_void_p(-1).value


def _system_mmap() -> Any:
    """The system's own function; nothing where there is none. Python's does not take an address."""
    try:
        function = ctypes.CDLL(None, use_errno=True).mmap
    except (AttributeError, OSError, TypeError):
        return None
    integer, address = ctypes.c_int, ctypes.c_void_p
    function.argtypes = [address, ctypes.c_size_t, integer, integer, integer, ctypes.c_ssize_t]
    function.restype = address
    return function


class Column:
    """An array that is only appended to; from its beginning on it can be brought to a file.

    Attributes:
        outside: bytes that are in the file.
    """

    def __init__(self, array: NDArray[Any], disk: Disk) -> None:
        self._bytes = array.reshape(-1).view(np.uint8)
        self._disk = disk
        self._file: IO[bytes] | None = None
        self.outside = 0

    def bring_out(self, size: int, system_mmap: Any) -> None:
        """Bring the first this many bytes to the file, less what is not a whole page.

        Raises:
            DiskError: there is no room; what stood in memory still does.
        """
        size -= size % mmap.ALLOCATIONGRANULARITY
        if size <= self.outside:
            return
        if self._file is None:
            self._file = self._disk.file()
        self._disk.take(size - self.outside)
        self._disk.write(self._file, self._bytes[self.outside : size], self.outside)
        start, length = self._bytes.ctypes.data + self.outside, size - self.outside
        kind = mmap.MAP_SHARED | _FIXED
        file = self._file.fileno()
        if system_mmap(start, length, mmap.PROT_READ, kind, file, self.outside) in (None, _FAILED):
            raise DiskError(f"a file could not be mapped: {os.strerror(ctypes.get_errno()).lower()}")
        self.outside = size


class Spill:
    """How many states there may be while they take no more than some memory, and what is done when there are as many.

    Attributes:
        disk: where the files are.
    """

    def __init__(self, parts: list[Memory], words: int, memory_bytes: int, disk: Disk) -> None:
        self.disk = disk
        self._columns = [(Column(part.store, disk), Column(part.parents, disk)) for part in parts]
        self._state_bytes = 8 * words + 4
        self._most_bytes = bytes_at_most(words)
        self._memory_bytes = memory_bytes
        self._mmap = _system_mmap()

    @property
    def outside(self) -> int:
        """Bytes of states that are in files."""
        return sum(column.outside for columns in self._columns for column in columns)

    @property
    def allowed(self) -> int:
        """States that may be found before more are brought out."""
        return (self._memory_bytes + self.outside) // self._most_bytes

    def bring_out(self, states: list[int]) -> None:
        """Bring the states of each partition to files, as they are so many.

        Raises:
            DiskError: the disk has no room.
        """
        if self._mmap is None:
            return
        for count, (store, parents) in zip(states, self._columns, strict=True):
            parent_bytes = 4 * count
            store.bring_out(self._state_bytes * count - parent_bytes, self._mmap)
            parents.bring_out(parent_bytes, self._mmap)
