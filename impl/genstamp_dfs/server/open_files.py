"""Files that are kept open between the calls of a disk, as a replica gets a packet after the other.

A file is looked at by its name before it is used again, so one that somebody has replaced or removed is noticed.

Not here: which paths are allowed; whoever opens a file has checked its path.
"""

import os
from collections import OrderedDict
from typing import Final

MAX_OPEN: Final = 128
"""Descriptors that are kept; a file that was not used for the longest time is closed for another one."""


class OpenFiles:
    """Descriptors by name and mode."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str, int], tuple[int, tuple[int, int]]] = OrderedDict()

    def find(self, at: str, mode: int) -> int | None:
        """The descriptor of the file that has this name now; None if it is not open.

        Args:
            at: its path.
            mode: `os.O_RDONLY` or `os.O_WRONLY`.
        """
        found = self._open.get((at, mode))
        if found is None:
            return None
        descriptor, identity = found
        try:
            is_same = _identity(os.lstat(at)) == identity
        except OSError:
            is_same = False
        if not is_same:
            self.forget(at)
            return None
        self._open.move_to_end((at, mode))
        return descriptor

    def open(self, at: str, mode: int) -> int:
        """Open a file, which is no symbolic link, and keep it.

        Raises:
            OSError: it cannot be opened.
        """
        descriptor = os.open(at, mode | os.O_NOFOLLOW | os.O_CLOEXEC)
        self._open[at, mode] = descriptor, _identity(os.fstat(descriptor))
        if len(self._open) > MAX_OPEN:
            _, (oldest, _) = self._open.popitem(last=False)
            os.close(oldest)
        return descriptor

    def forget(self, at: str) -> None:
        """Close a file, or all below a directory: its name changes, or its place is to be free."""
        below = f"{at}/"
        for key in [key for key in self._open if key[0] == at or key[0].startswith(below)]:
            os.close(self._open.pop(key)[0])


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
