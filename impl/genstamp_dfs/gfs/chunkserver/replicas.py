"""The replicas of a chunkserver, by handle.

One that is being copied has version 0 until it is whole: nobody is told of it, and after a crash it is removed.

Leaves out: what clients and the master ask of them.
"""

from collections.abc import Iterator

from genstamp_dfs.errors import StorageError
from genstamp_dfs.gfs.chunkserver.replica_file import DIRECTORY, META, ReplicaFile
from genstamp_dfs.gfs.errors import ChunkNotFound, CorruptReplica, StaleVersion
from genstamp_dfs.gfs.protocol import ReplicaReport
from genstamp_dfs.world.disk import Disk

UNFINISHED = 0
"""Version of a replica that is being made."""


class Replicas:
    """All replicas on a disk."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._replicas: dict[int, ReplicaFile] = {}

    def load(self) -> None:
        """Open all that is on the disk; bytes of which nothing is known are removed."""
        self._disk.make_directory(DIRECTORY)
        self._disk.sync_directory("")
        names = set(self._disk.names(DIRECTORY))
        for name in sorted(names):
            path = f"{DIRECTORY}/{name}"
            handle = _handle_of(name.removesuffix(META))
            if handle is None or (not name.endswith(META) and name + META not in names):
                self._disk.remove(path)
            elif name.endswith(META):
                try:
                    self._replicas[handle] = ReplicaFile.open(self._disk, handle)
                except StorageError:
                    # A crash of the machine while the replica was made.
                    self._disk.remove(path)
        for replica in [replica for replica in self if replica.version == UNFINISHED]:
            self.delete(replica.handle)

    def __iter__(self) -> Iterator[ReplicaFile]:
        return iter(self._replicas.values())

    def find(self, handle: int) -> ReplicaFile | None:
        """The replica of a chunk."""
        return self._replicas.get(handle)

    def whole(self, handle: int) -> ReplicaFile:
        """The replica of a chunk.

        Raises:
            ChunkNotFound: there is none.
            CorruptReplica: it does not match its checksums.
        """
        found = self._replicas.get(handle)
        if found is None:
            raise ChunkNotFound(f"there is no replica of chunk {handle}")
        if found.is_corrupt:
            raise CorruptReplica(f"the replica of chunk {handle} does not match its checksums")
        return found

    def at_version(self, handle: int, version: int) -> ReplicaFile:
        """The replica of a chunk, which has this version.

        Raises:
            ChunkNotFound, CorruptReplica: as `whole`.
            StaleVersion: it has another one.
        """
        found = self.whole(handle)
        if found.version != version:
            raise StaleVersion(f"the replica of chunk {handle} has version {found.version}, not {version}")
        return found

    def create(self, handle: int, version: int) -> ReplicaFile:
        """An empty replica in the place of one that there may be."""
        self.delete(handle)
        self._replicas[handle] = replica = ReplicaFile.create(self._disk, handle, version)
        return replica

    def delete(self, handle: int) -> None:
        """Remove a replica if there is one."""
        replica = self._replicas.pop(handle, None)
        if replica is not None:
            replica.delete()

    def reports(self) -> list[ReplicaReport]:
        """What is said of those that are whole, by handle."""
        whole = (self._replicas[handle] for handle in sorted(self._replicas))
        return [
            ReplicaReport(one.handle, one.version, one.length)
            for one in whole
            if not one.is_corrupt and one.version != UNFINISHED
        ]

    def corrupt(self) -> tuple[tuple[int, int], ...]:
        """Handle and version of those that are not."""
        return tuple((one.handle, one.version) for one in self if one.is_corrupt)

    def num_bytes(self) -> int:
        """Bytes of all replicas."""
        return sum(one.length for one in self)


def _handle_of(name: str) -> int | None:
    """The handle that a file is named after."""
    try:
        handle = int(name, 16)
    except ValueError:
        return None
    return handle if f"{handle:016x}" == name else None
