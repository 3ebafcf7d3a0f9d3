"""Rebalancing: a replica is moved from the chunkserver with the least room to one with more, a few at a time.

Nothing is moved while a chunk has fewer replicas than wanted. A chunk is moved that nobody has written to of late, with
its lock held: so it does not change, and no version is raised, which could leave another replica out. The copy is made
first. When it is on its chunkserver's disk it takes the place of the old replica in the table of chunks, if all others
are there still; else it stands in for the one that is not. The old replica is one too many from then on, and becomes
garbage when its chunkserver tells of it (`reports`).

Not here: load other than room on disks.

Source: sections 4.3 and 4.4.
"""

from collections.abc import Iterator

from genstamp_dfs.errors import Refusal
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.chunkservers import Chunkserver
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.replication import Replication
from genstamp_dfs.gfs.messages.chunkserver_protocol import CloneChunk


class Rebalancing:
    """Moves replicas, one after the other.

    Attributes:
        running: the handle of the chunk of which one is being moved.
    """

    def __init__(self, base: Base, leases: Leases, replication: Replication) -> None:
        self._base = base
        self._leases = leases
        self._replication = replication
        self._not_before_us = 0
        self.running: int | None = None

    def go_on(self) -> None:
        """Begin to move a replica, if it is time, and one is worth moving."""
        now_us = self._base.runtime.now_us()
        is_busy = self.running is not None or self._replication.running or self._replication.candidates()
        if is_busy or now_us < self._not_before_us:
            return
        move = next(self._moves(), None)
        if move is not None:
            handle, source, target = move
            self.running = handle
            self._not_before_us = now_us + self._base.configuration.rebalance_period_us
            self._base.runtime.spawn(self._move(handle, source, target), f"rebalancing of {handle}")

    def _moves(self) -> Iterator[tuple[int, Chunkserver, Chunkserver]]:
        """Chunks with who gives a replica of it away, and who gets one: from the fullest, to the emptiest first."""
        base = self._base
        servers = sorted(base.chunkservers.live(), key=lambda server: (server.free_bytes, server.name))
        if not servers:
            return
        source = servers[0]
        least = base.configuration.rebalance_chunks * base.configuration.limits.chunk_bytes
        targets = [server for server in reversed(servers) if server.free_bytes - source.free_bytes > least]
        if not targets:
            return
        handles = base.state.chunks.at(source.number)
        base.runtime.random.shuffle(handles)
        for handle in handles:
            for target in targets:
                if self._may_move(handle, source, target):
                    yield handle, source, target

    def _may_move(self, handle: int, source: Chunkserver, target: Chunkserver) -> bool:
        """Whether the chunk has all its replicas and rests, and would not be on fewer racks."""
        base = self._base
        if handle not in base.state.chunks:
            return False
        locations = base.state.chunks.locations(handle)
        if len(locations) < base.configuration.limits.replicas or source.number not in locations:
            return False
        if target.number in locations or not target.may_get(handle) or not self._leases.is_at_rest(handle):
            return False
        others = {base.chunkservers.of_number(number).rack for number in locations if number != source.number}
        return target.rack not in others or source.rack in others

    async def _move(self, handle: int, source: Chunkserver, target: Chunkserver) -> None:
        try:
            async with self._base.chunk_locks.only(handle):
                if target.is_live and self._may_move(handle, source, target):
                    await self._move_locked(handle, source, target)
        finally:
            self.running = None

    async def _move_locked(self, handle: int, source: Chunkserver, target: Chunkserver) -> None:
        """Copy a chunk that does not change, and then have the copy count in place of the old replica."""
        base = self._base
        version = base.state.chunks.version(handle)
        sources = base.chunkservers.names(base.state.chunks.locations(handle))
        base.runtime.random.shuffle(sources)
        base.tell_of_chunk("begin_clone", handle, version, chunkserver=target.name, sources=",".join(sources))
        target.clones += 1
        try:
            with base.watched(handle) as lost:
                request = CloneChunk(handle, version, tuple(sources))
                await base.ask(target.name, request, base.configuration.clone_timeout_us)
        except Refusal:
            return
        finally:
            target.clones -= 1
        if target.is_live and target.name not in lost:
            self._count(handle, version, source, target)

    def _count(self, handle: int, version: int, source: Chunkserver, target: Chunkserver) -> None:
        """Count on the copy, and on the old replica no more unless it is needed."""
        base = self._base
        chunks = base.state.chunks
        others = [number for number in chunks.locations(handle) if number not in (source.number, target.number)]
        is_moved = len(others) + 1 >= base.configuration.limits.replicas
        if is_moved:
            self._give_up(handle, version, source)
        chunks.add_location(handle, target.number)
        target.leaving.pop(handle, None)
        base.tell_of_chunk("clone", handle, version, chunkserver=target.name)
        if is_moved:
            base.tell_of_chunk("move_replica", handle, version, chunkserver=source.name, target=target.name)

    def _give_up(self, handle: int, version: int, source: Chunkserver) -> None:
        """Have a replica become garbage when its chunkserver tells of it, if the others are there still."""
        chunks = self._base.state.chunks
        chunks.drop_location(handle, source.number)
        source.leaving = {
            one: old for one, old in source.leaving.items() if one in chunks and old == chunks.version(one)
        }
        source.leaving[handle] = version
