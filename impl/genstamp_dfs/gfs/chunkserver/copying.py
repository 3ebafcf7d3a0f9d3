"""New replicas: empty ones, copies on the same disk, and copies of other chunkservers' replicas.

A copy is no replica before it is whole and on the disk. One of another chunkserver's replica comes in pieces, so that
none of a chunk's size is in memory; the checksums of its blocks come with it, and what they do not match is not kept.

Not here: when copies are wanted, which is the master's business.

Source: sections 3.4, 4.3 and 4.5.
"""

from genstamp_dfs.errors import DiskFullError, Refusal
from genstamp_dfs.gfs.chunkserver.chunk_file import ChunkFile, are_whole
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.replicas import Replica, Replicas
from genstamp_dfs.gfs.chunkserver.telling import Telling
from genstamp_dfs.gfs.errors import CorruptReplica, NoReplica
from genstamp_dfs.gfs.messages.chunkserver_protocol import (
    CloneChunk,
    CopyChunk,
    CreateChunk,
    ReadBlocks,
)
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES, PIECE_BYTES
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
        """Whether one source gave the whole replica, in this version, piece after piece.

        Raises:
            DiskFullError: there is no room for it.
        """
        handle, version = request.handle, request.version
        copy = self._replicas.new_copy(handle)
        copy.begin()
        try:
            is_whole = await self._fill_with_blocks(copy, source, request)
            if is_whole:
                await self._runtime.ahead(copy.sync)
            # What was stale may have got a version while the bytes were on their way.
            is_there = self._has(handle, version)
            if is_whole and not is_there:
                self._replicas.put_in_place(handle, copy, version)
                return True
        except DiskFullError:
            copy.abandon()
            raise
        copy.abandon()
        return is_there

    async def _fill_with_blocks(self, copy: ChunkFile, source: str, request: CloneChunk) -> bool:
        """Give a new file the blocks of another chunkserver's replica; says whether it has all of them, and whole."""
        blocks = self._configuration.clone_bytes // CHECKSUM_BLOCK_BYTES
        seen: tuple[int, int, int] | None = None
        while True:
            first = copy.stored // CHECKSUM_BLOCK_BYTES
            wanted = ReadBlocks(request.handle, request.version, first, blocks)
            try:
                found = await self._runtime.call(source, wanted, timeout_us=self._configuration.master_timeout_us)
            except Refusal:
                return False
            if seen not in (None, (found.num_bytes, found.stored, found.changes)):
                return False
            seen = (found.num_bytes, found.stored, found.changes)
            is_right = len(found.data) == min(blocks * CHECKSUM_BLOCK_BYTES, found.stored - copy.stored)
            if not is_right or not are_whole(found.data, found.checksums):
                return False
            copy.fill(found.data)
            if copy.stored == found.stored:
                copy.lengthen(found.num_bytes)
                return True

    def _has(self, handle: int, version: int) -> bool:
        """Whether there is such a replica already, or a newer one."""
        replica = self._replicas.find(handle)
        return replica is not None and not replica.is_corrupt and replica.file.version >= version

    def _begin(self, handle: int) -> None:
        if handle in self._being_made:
            raise NoReplica(f"a replica of chunk {handle} is being made")
        self._being_made.add(handle)
