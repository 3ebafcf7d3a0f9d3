"""What a node may ask of its disk: files in one directory, with the truth about what a crash leaves.

A write is done when the call returns, and survives a crash of the process. It survives the machine only after `sync`
of the file, and a new name, a rename or a removal only after `sync_directory` of the directory. One implementation
has real files (`genstamp_dfs.server`), the other keeps them in memory, tears writes and loses what was not synced
(`genstamp_dfs.simulation`).

Not here: more than one volume, and how much space is left for others.
"""

from collections.abc import Iterator
from typing import Final, Protocol

from genstamp_dfs.errors import DiskFullError

UNFINISHED_SUFFIX: Final = ".tmp"
"""Of the name under which a file is written before it takes another one's place."""

COPIED_AT_ONCE: Final = 1 << 20


class Disk(Protocol):
    """The files of one node. Paths are relative, with "/" between names; none leaves the directory.

    Every call may raise `DiskError`, whose message names path and reason. A change that has no room raises
    `DiskFullError`. A sync that fails raises `DiskFailedError`, as does a change that the disk itself refuses; then
    nothing may be forced to this disk again, for the next sync would succeed without the bytes that the first one lost.
    """

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; empty if there is none."""

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory."""

    def size(self, path: str) -> int:
        """Length of a file in bytes."""

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of a file from `offset`, as many as there are up to `length`."""

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it; one that exists stays as it is."""

    def create(self, path: str) -> None:
        """Make an empty file; one that exists is an error."""

    def write(self, path: str, offset: int, data: bytes) -> None:
        """Put bytes into a file that exists, from `offset`, which is at most its length."""

    def truncate(self, path: str, length: int) -> None:
        """Cut a file to so many bytes, at most its length."""

    def rename(self, source: str, destination: str) -> None:
        """Give a file or directory another name; a file of that name is replaced in one step."""

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it."""

    def sync(self, path: str) -> None:
        """Force the bytes of a file to the disk; what fails once must not be tried again."""

    def sync_directory(self, path: str) -> None:
        """Force the names in a directory to the disk; what fails once must not be tried again."""


def replace_file(disk: Disk, path: str, data: bytes) -> None:
    """Give a file in a directory these bytes in one step, on disk when this returns: all of them, or as it was.

    Raises:
        DiskError: the disk failed, or is full; then what was begun takes no room.
    """
    for _ in _writing(disk, path, iter((data,))):
        pass
    take_place(disk, path)
    disk.sync_directory(path.rpartition("/")[0])


def writing_anew(disk: Disk, path: str) -> Iterator[None]:
    """Write another file with the same bytes beside one, for `take_place`; others may run where it yields.

    For a file that an earlier process has left: if a sync of it had failed then, another one would succeed although
    bytes of it are in memory alone.

    Raises:
        DiskError: the disk failed, or is full; then what was begun takes no room.
    """
    size = disk.size(path)
    return _writing(disk, path, (disk.read(path, start, COPIED_AT_ONCE) for start in range(0, size, COPIED_AT_ONCE)))


def take_place(disk: Disk, path: str) -> None:
    """Force what was written beside a file to the disk, and put it in its place; the name is not forced."""
    disk.sync(path + UNFINISHED_SUFFIX)
    disk.rename(path + UNFINISHED_SUFFIX, path)


def _writing(disk: Disk, path: str, parts: Iterator[bytes]) -> Iterator[None]:
    unfinished = path + UNFINISHED_SUFFIX
    if disk.exists(unfinished):
        disk.remove(unfinished)
    disk.create(unfinished)
    try:
        position = 0
        for part in parts:
            if position:
                yield
            disk.write(unfinished, position, part)
            position += len(part)
    except DiskFullError:
        disk.remove(unfinished)
        raise
