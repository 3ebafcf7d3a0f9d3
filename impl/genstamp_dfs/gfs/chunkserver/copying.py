"""New replicas: empty ones, copies on the same disk, and copies of other chunkservers' replicas.

A copy is no replica before it is whole and on the disk.

Leaves out: when copies are wanted, which is the master's business.

Source: sections 3.4, 4.3 and 4.5.
"""

from genstamp_dfs.errors import DiskFullError, Refusal
from genstamp_dfs.gfs.chunkserver.chunk_file import ChunkFile
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.replicas import Replica, Replicas
from genstamp_dfs.gfs.chunkserver.telling import Telling
from genstamp_dfs.gfs.errors import CorruptReplica, NoReplica
from genstamp_dfs.gfs.messages.chunkserver_protocol import (
    CloneChunk,
    CopyChunk,
    CreateChunk,
    GetReplicaLength,
    Read,
)
from genstamp_dfs.gfs.protocol import PIECE_BYTES
from genstamp_dfs.gfs.runtime import Runtime


class Copying:
    """Makes replicas."""

    def __init__(
        self, configuration: ChunkserverConfiguration, runtime: Runtime, replicas: Replicas, telling: Telling
    ) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._replicas = replicas
        self._telling = telling
        self._being_made: set[int] = set()

    async def create(self, request: CreateChunk) -> None:
        """Make an empty replica; one that exists stays as it is, but for its version while it is empty."""
        replica = self._replicas.find(request.handle)
        if replica is None:
            file = self._replicas.new_file(request.handle)
            file.begin()
            try:
                file.finish(request.version)
            except DiskFullError:
                file.abandon()
                raise
            self._replicas.add(request.handle, file)
        elif not replica.file.num_bytes and 0 < replica.file.version < request.version:
            replica.file.record_version(request.version)
            replica.file.compact()
        self._telling.tell("create_replica", request.handle, request.version)

    async def copy(self, request: CopyChunk) -> None:
        """Copy a replica under a new handle.

        Raises:
            ChunkNotFound, CorruptReplica, StaleVersion: as `Replicas.get_of`.
            DiskFullError: there is no room for it.
            NoReplica: the copy is being made already, or its source changes.
        """
        source = self._replicas.get_of(request.source, request.source_version)
        if self._has(request.handle, request.version):
            return
        self._begin(request.handle)
        try:
            await self._copy_bytes(source, request)
        finally:
            self._being_made.discard(request.handle)
        self._telling.tell("copy_replica", request.handle, request.version, source=str(request.source))

    async def _copy_bytes(self, source: Replica, request: CopyChunk) -> None:
        file = self._replicas.new_file(request.handle)
        file.begin()
        try:
            await self._fill_from(source, file)
            file.finish(request.version)
        except (Refusal, DiskFullError):
            file.abandon()
            raise
        self._replicas.add(request.handle, file)

    async def _fill_from(self, source: Replica, file: ChunkFile) -> None:
        """Give a new file the bytes of a replica, which may not change meanwhile."""
        before, position = source.file.changes, 0
        while position < source.file.num_bytes:
            try:
                data = source.file.read(position, min(PIECE_BYTES, source.file.num_bytes - position))
            except CorruptReplica:
                source.is_corrupt = True
                raise
            file.fill(data)
            position += len(data)
            await self._runtime.sleep_us(0)
            if source.file.changes != before:
                raise NoReplica(f"the replica of chunk {source.handle} changes while it is copied")

    async def clone(self, request: CloneChunk) -> None:
        """Copy a replica from another chunkserver.

        Raises:
            NoReplica: none of the sources could give it, or it is being copied already.
        """
        if self._has(request.handle, request.version):
            return
        self._begin(request.handle)
        try:
            for source in request.sources:
                if await self._clone_from(source, request):
                    self._telling.tell("clone_replica", request.handle, request.version, source=source)
                    return
        finally:
            self._being_made.discard(request.handle)
        raise NoReplica(f"{', '.join(request.sources) or 'nobody'} could not give version {request.version}")

    async def _clone_from(self, source: str, request: CloneChunk) -> bool:
        """Whether one source gave the whole replica, in this version."""
        timeout_us = self._configuration.master_timeout_us
        handle, version = request.handle, request.version
        data = bytearray()
        try:
            num_bytes = await self._runtime.call(source, GetReplicaLength(handle, version), timeout_us=timeout_us)
            while len(data) < num_bytes:
                wanted = Read(handle, version, len(data), min(PIECE_BYTES, num_bytes - len(data)))
                piece = await self._runtime.call(source, wanted, timeout_us=timeout_us)
                if not piece:
                    return False
                data += piece
        except Refusal:
            return False
        if self._has(handle, version):
            # What was stale has got a version while its bytes were on their way.
            return True
        if self._replicas.find(handle) is not None:
            self._replicas.delete(handle)
        file = self._replicas.new_file(handle)
        file.begin()
        try:
            file.fill(bytes(data))
            file.finish(version)
        except DiskFullError:
            file.abandon()
            raise
        self._replicas.add(handle, file)
        return True

    def _has(self, handle: int, version: int) -> bool:
        """Whether there is such a replica already, or a newer one."""
        replica = self._replicas.find(handle)
        return replica is not None and not replica.is_corrupt and replica.file.version >= version

    def _begin(self, handle: int) -> None:
        if handle in self._being_made:
            raise NoReplica(f"a replica of chunk {handle} is being made")
        self._being_made.add(handle)
