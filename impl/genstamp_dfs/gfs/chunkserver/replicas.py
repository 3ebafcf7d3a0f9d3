"""All replicas of a chunkserver, by handle, and what of their changes is on the disk.

A replica is a file of bytes in `chunks`, named by its handle in hexadecimal digits, and its log. One without a log was
never whole, or is half deleted: it goes when the chunkserver starts. Where somebody has put a link in the place of a
file there is no replica: it is left alone, and the others are served.

Not here: what is done with them.
"""

from collections.abc import Iterator
from typing import Final

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError
from genstamp_dfs.gfs.chunkserver.chunk_file import ChunkFile, log_of
from genstamp_dfs.gfs.errors import ChunkNotFound, CorruptReplica, StaleVersion
from genstamp_dfs.gfs.protocol import ReplicaReport
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.disk import Disk
from genstamp_dfs.world.runtime import Condition
from genstamp_dfs.world.volume import Volume

DIRECTORY: Final = "chunks"
COPY_SUFFIX: Final = ".copy"
"""Of the name of a file of bytes that is no replica yet, as it comes from elsewhere."""

_DIGITS: Final = 16


class Replica:
    """A replica, with who waits for its changes to be on the disk.

    Attributes:
        file: its bytes.
        is_corrupt: it is not read any more, and the master is told.
        touched_us: when it was last changed or read, by the clock of this life.
        is_deleted: it is no replica any more.
    """

    def __init__(self, handle: int, file: ChunkFile, now_us: int) -> None:
        self.handle = handle
        self.file = file
        self.is_corrupt = False
        self.touched_us = now_us
        self.is_deleted = False
        self._synced = 0
        self._syncing: Condition | None = None

    async def on_disk(self, runtime: Runtime, disk: Volume) -> None:
        """Wait until all changes up to now are on the disk; several who wait share one sync.

        Raises:
            StaleVersion: the replica has been deleted meanwhile, as garbage.
            DiskError: the disk failed, now or earlier.
        """
        wanted = self.file.changes
        while self._synced < wanted:
            if self._syncing is not None:
                await self._syncing.wait()
                continue
            self._syncing = runtime.condition()
            try:
                await self._sync(runtime, disk)
            finally:
                woken, self._syncing = self._syncing, None
                woken.notify_all()

    async def _sync(self, runtime: Runtime, disk: Volume) -> None:
        covered = self.file.changes
        if self.file.is_inherited:
            self.file.compact()
        else:
            await disk.sync_ahead(runtime, self.file.log_path)
        if self.is_deleted:
            raise StaleVersion(f"the replica of chunk {self.handle} was deleted before its changes were on the disk")
        disk.sync(self.file.log_path)
        self._synced = max(self._synced, covered)


class Replicas:
    """All replicas.

    Args:
        runtime: the world.
        disk: where they are.
        chunk_bytes: the size of a chunk.
    """

    def __init__(self, runtime: Runtime, disk: Disk, chunk_bytes: int) -> None:
        self._runtime = runtime
        self._disk = disk
        self._chunk_bytes = chunk_bytes
        self._replicas: dict[int, Replica] = {}

    def __iter__(self) -> Iterator[Replica]:
        return iter(list(self._replicas.values()))

    def __len__(self) -> int:
        return len(self._replicas)

    def load(self) -> None:
        """Find all that is on the disk; what was never whole is removed."""
        self._disk.make_directory(DIRECTORY)
        names = self._disk.names(DIRECTORY)
        for name in names:
            path = f"{DIRECTORY}/{name}"
            handle = _handle(name)
            if handle is None or log_of(name) not in names:
                if not _is_log_of_one(name, names):
                    self._remove(path)
                continue
            replica = Replica(handle, ChunkFile(self._disk, path, self._chunk_bytes), self._runtime.now_us())
            try:
                replica.file.load()
            except CorruptReplica:
                replica.is_corrupt = True
            except (DiskFailedError, DiskFullError):
                raise
            except DiskError:
                continue
            self._replicas[handle] = replica

    def _remove(self, path: str) -> None:
        """Remove a file; what is none stays."""
        try:
            self._disk.remove(path)
        except DiskFailedError:
            raise
        except DiskError:
            return

    def find(self, handle: int) -> Replica | None:
        """The replica of a chunk, if there is one, corrupt or not."""
        return self._replicas.get(handle)

    def get(self, handle: int) -> Replica:
        """The replica of a chunk.

        Raises:
            ChunkNotFound: there is none.
            CorruptReplica: it is known not to match its checksums.
        """
        replica = self._replicas.get(handle)
        if replica is None:
            raise ChunkNotFound(f"{self._runtime.node} has no replica of chunk {handle}")
        if replica.is_corrupt:
            raise CorruptReplica(f"the replica of chunk {handle} at {self._runtime.node} is corrupt")
        return replica

    def get_of(self, handle: int, version: int) -> Replica:
        """The replica of a chunk, of exactly this version.

        Raises:
            ChunkNotFound, CorruptReplica: as `get`.
            StaleVersion: it has another.
        """
        replica = self.get(handle)
        if replica.file.version != version:
            found = replica.file.version
            raise StaleVersion(f"{self._runtime.node} has chunk {handle} in version {found}, not {version}")
        return replica

    def new_file(self, handle: int) -> ChunkFile:
        """The file of a replica that is going to be made; it counts when `add` is called."""
        return ChunkFile(self._disk, path_of(handle), self._chunk_bytes)

    def new_copy(self, handle: int) -> ChunkFile:
        """A file that is going to take the place of a replica, or of none, when `put_in_place` is called.

        It has a name of its own until then; what a crash leaves of it goes when the chunkserver starts.
        """
        return ChunkFile(self._disk, path_of(handle) + COPY_SUFFIX, self._chunk_bytes)

    def put_in_place(self, handle: int, copy: ChunkFile, version: int) -> None:
        """A whole copy is the replica of a chunk from now on, on the disk when this returns.

        Raises:
            DiskFullError: there is no room to say so; there is no replica of the chunk then.
        """
        if handle in self._replicas:
            self.delete(handle)
        copy.move(path_of(handle))
        copy.finish(version)
        self.add(handle, copy)

    def add(self, handle: int, file: ChunkFile) -> Replica:
        """There is a new replica, or it takes the place of one."""
        replica = self._replicas[handle] = Replica(handle, file, self._runtime.now_us())
        return replica

    def delete(self, handle: int) -> None:
        """Delete a replica; its log goes first, so that what is left by a crash is none."""
        self._replicas.pop(handle).is_deleted = True
        path = path_of(handle)
        self._remove(log_of(path))
        self._disk.sync_directory(DIRECTORY)
        self._remove(path)

    def report(self, replica: Replica) -> ReplicaReport:
        """What the master is told of a replica."""
        return ReplicaReport(replica.handle, replica.file.version, replica.file.num_bytes)

    @property
    def used_bytes(self) -> int:
        """How many bytes all replicas have."""
        return sum(replica.file.num_bytes for replica in self._replicas.values())


def path_of(handle: int) -> str:
    """The file of bytes of a chunk.

    >>> path_of(255)
    'chunks/00000000000000ff'
    """
    return f"{DIRECTORY}/{handle:0{_DIGITS}x}"


def _handle(name: str) -> int | None:
    """The handle of a file of bytes; None for any other file."""
    if len(name) != _DIGITS or any(digit not in "0123456789abcdef" for digit in name):
        return None
    return int(name, 16)


def _is_log_of_one(name: str, names: list[str]) -> bool:
    """Whether the file is the log of a file of bytes that is there."""
    return name.endswith(".log") and name.removesuffix(".log") in names
