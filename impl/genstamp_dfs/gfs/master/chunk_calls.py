"""What clients ask of the chunks of a file: where to read one, and who orders the mutations of one.

A chunk that follows the last one is made when its lease is asked for. One to which several files refer is copied first,
by each chunkserver that has it, and the copy takes its place in the file that is to be written (section 3.4).

Not here: how a lease is granted (`leases`).

Source: sections 2.4, 3.1, 3.4 and 4.2.
"""

from genstamp_dfs.gfs.errors import ChunkNotFound, NoReplica
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.chunkservers import Chunkserver
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.namespace import handles_of
from genstamp_dfs.gfs.master.operations import AddChunk, NewChunk, ReplaceChunk
from genstamp_dfs.gfs.master.paths import check_path
from genstamp_dfs.gfs.master.placement import choose_chunkservers
from genstamp_dfs.gfs.master.resolving import chunks_of_file
from genstamp_dfs.gfs.messages.chunkserver_protocol import CopyChunk, CreateChunk
from genstamp_dfs.gfs.messages.master_protocol import FindChunk, FindLease
from genstamp_dfs.gfs.protocol import ChunkLease, ChunkLocations, FoundChunk
from genstamp_dfs.world.request import Caller

FIRST_VERSION = 1
"""Of a chunk whose replicas are empty or copies, before its first lease."""

MOST_FOLLOWING = 1_000
"""Of so many chunks after the one that is asked for a client is told at most."""


class ChunkCalls:
    """Calls on the chunks of files.

    Attributes:
        being_made: handles of chunks that no file lists yet, but will.
        wanted: handles of chunks of which a client found no replica; they are looked after first.
    """

    def __init__(self, base: Base, leases: Leases) -> None:
        self._base = base
        self._leases = leases
        self.being_made: set[int] = set()
        self.wanted: set[int] = set()

    async def find_chunk(self, request: FindChunk, caller: Caller) -> ChunkLocations:
        """Where a chunk may be read; on no chunkserver if none with a current replica is known."""
        check_path(request.path, may_be_hidden=True)
        async with self._base.locks.locked(read=[request.path]):
            handle = self._handle(request.path, request.index)
            if handle is None:
                raise ChunkNotFound(f"{request.path} has no chunk {request.index} (yet)")
            version, names = self._where(handle)
            if not names:
                self.wanted.add(handle)
            handles = handles_of(chunks_of_file(self._base.state.namespace, request.path))
            first = request.index + 1
            next_ones = handles[first : first + min(max(0, request.following), MOST_FOLLOWING)]
            following = tuple(ChunkLocations(one, *self._where(one)) for one in next_ones)
            return FoundChunk(handle, version, names, len(handles), following)

    async def find_lease(self, request: FindLease, caller: Caller) -> ChunkLease:
        """Who is the primary of a chunk."""
        path = request.path
        check_path(path)
        async with self._base.locks.locked(read=[path]):
            handle = self._handle(path, request.index)
            if handle is not None and not self._is_shared(handle):
                return await self._leases.find(handle, request.unreachable)
        # The file's list is going to change. What was found may be so no more, as the locks were given back.
        async with self._base.locks.locked(write=[path]):
            handle = self._handle(path, request.index)
            if handle is None:
                handle = await self._make(path)
            elif self._is_shared(handle):
                handle = await self._copy(path, request.index, handle)
            return await self._leases.find(handle, request.unreachable)

    # -- below ------------------------------------------------------------------------------------------------------

    def _where(self, handle: int) -> tuple[int, tuple[str, ...]]:
        """The version of a chunk, and who has a current replica as far as is known."""
        chunks = self._base.state.chunks
        return chunks.version(handle), tuple(self._base.chunkservers.names(chunks.locations(handle)))

    def _handle(self, path: str, index: int) -> int | None:
        """The handle of a file's chunk; None for the one that would follow the last.

        Raises:
            PathNotFound, IsADirectory: the path is not that of a file.
            ChunkNotFound: the file has not so many chunks.
        """
        handles = handles_of(chunks_of_file(self._base.state.namespace, path))
        if not 0 <= index <= len(handles):
            raise ChunkNotFound(f"{path} has {len(handles)} chunks, and number {index} (from 0) is asked for")
        return handles[index] if index < len(handles) else None

    def _is_shared(self, handle: int) -> bool:
        """Whether several files list the chunk."""
        return self._base.state.chunks.references(handle) > 1

    async def _make(self, path: str) -> int:
        """Make a chunk at the end of a file, with empty replicas; gives its handle."""
        base = self._base
        chosen = self._choose([])
        if not chosen:
            live = len(base.chunkservers.live())
            raise NoReplica(f"none of {live} live chunkservers has room for a chunk")
        handle = self._new_handle()
        try:
            base.tell_of_chunk("create_chunk", handle, FIRST_VERSION, file=path, records=base.records)
            await base.flushed()
            request = CreateChunk(handle, FIRST_VERSION)
            made = await base.ask_all([server.name for server in chosen], request)
            # Others stand in for those that did not; who does not answer may not be known to be dead yet.
            others = self._choose(chosen)[: base.configuration.limits.replicas - len(made)]
            made += await base.ask_all([server.name for server in others], request)
            self._place(handle, made)
            base.commit(AddChunk(path, handle))
        finally:
            self.being_made.discard(handle)
        return handle

    async def _copy(self, path: str, index: int, source: int) -> int:
        """Copy a chunk that several files list, and have this file list the copy; gives its handle.

        Nobody has a lease of the source: it was ended when several files came to list the chunk, and none is granted
        while they do.
        """
        base = self._base
        async with base.chunk_locks.only(source):
            if not self._is_shared(source):
                return source
            version, replicas = await self._leases.freeze(source)
            if not replicas:
                self.wanted.add(source)
                raise NoReplica(f"no chunkserver with a current replica of chunk {source} is known")
            handle = self._new_handle()
            try:
                base.tell_of_chunk(
                    "copy_chunk", handle, FIRST_VERSION, file=path, source=str(source), records=base.records
                )
                await base.flushed()
                made = await base.ask_all(replicas, CopyChunk(source, version, handle, FIRST_VERSION))
                self._place(handle, made)
                base.commit(ReplaceChunk(path, index, handle))
            finally:
                self.being_made.discard(handle)
        return handle

    def _choose(self, tried: list[Chunkserver]) -> list[Chunkserver]:
        """Where replicas of a new chunk go, but to those that were tried."""
        limits = self._base.configuration.limits
        return choose_chunkservers(
            self._base.chunkservers.live(),
            limits.replicas,
            chunk_bytes=limits.chunk_bytes,
            chance=self._base.runtime.random,
            beside=tried,
        )

    def _new_handle(self) -> int:
        """Choose a handle; no file lists it yet."""
        handle = self._base.state.next_handle
        self._base.commit(NewChunk(handle, FIRST_VERSION))
        self.being_made.add(handle)
        return handle

    def _place(self, handle: int, names: list[str]) -> None:
        """Replicas of a new chunk are on these chunkservers.

        Raises:
            NoReplica: there are none.
        """
        if not names:
            raise NoReplica(f"no chunkserver has made a replica of the new chunk {handle}")
        found = [self._base.chunkservers.find(name) for name in names]
        made: list[Chunkserver] = [chunkserver for chunkserver in found if chunkserver is not None]
        self._base.state.chunks.set_locations(handle, [chunkserver.number for chunkserver in made])
        placed = ",".join(chunkserver.name for chunkserver in made)
        self._base.tell_of_chunk("place_chunk", handle, FIRST_VERSION, chunkservers=placed)
        for chunkserver in made:
            chunkserver.creations_us.append(self._base.runtime.now_us())
