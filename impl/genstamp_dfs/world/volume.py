"""A disk that goes out of service at its first failure, and stays there.

Every later use of the disk raises the same failure, so that no part of a node goes on with a disk that is known to have
lost something. A full disk does not fail.

Not here: what a node does when its disk is out of service.

Source: FD/FsVolumeImpl, DN/DataNode#handleVolumeFailures, Hadoop 3.4.1.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

from genstamp_dfs.errors import DiskFailedError
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.runtime import Runtime

Result = TypeVar("Result")


class Volume:
    """A disk in service, until it fails (`genstamp_dfs.world.disk.Disk`).

    Args:
        disk: the disk.
        on_failure: called once, in the thread of the node, when it fails.

    Attributes:
        failure: why it is out of service; None while it is not.
    """

    def __init__(self, disk: Disk, on_failure: Callable[[DiskFailedError], None]) -> None:
        self.failure: DiskFailedError | None = None
        self._disk = disk
        self._on_failure = on_failure

    async def sync_ahead(self, runtime: "Runtime[Any, Any]", *paths: str, directories: Iterable[str] = ()) -> None:
        """Force files, and names in directories, to the disk before a step asks for it (`Runtime.ahead`).

        Raises:
            DiskError: that failed, now or earlier.
        """
        files = (partial(self._disk.sync, path) for path in paths)
        await self._elsewhere(runtime.ahead, *files, *self._names(directories))

    async def sync_directories(self, runtime: "Runtime[Any, Any]", directories: Iterable[str]) -> None:
        """Force names in directories to the disk while other processes run (`Runtime.force`).

        Raises:
            DiskError: that failed, now or earlier.
        """
        await self._elsewhere(runtime.force, *self._names(directories))

    def _names(self, directories: Iterable[str]) -> Iterator[Callable[[], None]]:
        return (partial(self._disk.sync_directory, directory) for directory in directories)

    async def _elsewhere(self, force: Callable[..., Awaitable[None]], *syncs: Callable[[], None]) -> None:
        if self.failure is not None:
            raise self.failure
        try:
            # Not through `_do`: the other thread must not call `on_failure`.
            await force(*syncs)
        except DiskFailedError as failure:
            self._fail(failure)
            raise

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""
        return self._do(self._disk.exists, path)

    def names(self, directory: str) -> list[str]:
        """Names in a directory, sorted; empty if there is none."""
        return self._do(self._disk.names, directory)

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory."""
        return self._do(self._disk.is_directory, path)

    def size(self, path: str) -> int:
        """Length of a file in bytes."""
        return self._do(self._disk.size, path)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """Bytes of a file."""
        return self._do(self._disk.read, path, offset, length)

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it."""
        self._do(self._disk.make_directory, path)

    def create(self, path: str) -> None:
        """Make an empty file."""
        self._do(self._disk.create, path)

    def write(self, path: str, offset: int, data: bytes) -> None:
        """Put bytes into a file."""
        self._do(self._disk.write, path, offset, data)

    def truncate(self, path: str, length: int) -> None:
        """Cut a file."""
        self._do(self._disk.truncate, path, length)

    def rename(self, source: str, destination: str) -> None:
        """Give a file or directory another name."""
        self._do(self._disk.rename, source, destination)

    def remove(self, path: str) -> None:
        """Remove a file, or a directory with all that is in it."""
        self._do(self._disk.remove, path)

    def sync(self, path: str) -> None:
        """Force the bytes of a file to the disk."""
        self._do(self._disk.sync, path)

    def sync_directory(self, path: str) -> None:
        """Force the names in a directory to the disk."""
        self._do(self._disk.sync_directory, path)

    def _do(self, work: Callable[..., Result], *arguments: object) -> Result:
        if self.failure is not None:
            raise self.failure
        try:
            return work(*arguments)
        except DiskFailedError as failure:
            self._fail(failure)
            raise

    def _fail(self, failure: DiskFailedError) -> None:
        if self.failure is None:
            self.failure = failure
            self._on_failure(failure)
