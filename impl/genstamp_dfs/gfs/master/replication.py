"""Re-replication: chunks with fewer current replicas than wanted are copied from chunkserver to chunkserver.

First come those that a client could not read, then those that have the fewest replicas, and of these such as are not
only in deleted files. Only a few are copied at a time, in all and on each chunkserver. A chunk is copied with its lock
held and without a lease, so it does not change meanwhile; and as each lease raises the version, a copy that comes too
late is known to be stale. A chunk that is being written is left alone while it has two replicas; if one is left, its
lease is revoked.

Not here: moving replicas that are well where they are (`rebalancing`).

Source: section 4.3.
"""

import numpy as np

from genstamp_dfs.errors import Refusal
from genstamp_dfs.gfs.errors import LeaseUnavailable, NoReplica
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.chunk_calls import ChunkCalls
from genstamp_dfs.gfs.master.chunkservers import Chunkserver
from genstamp_dfs.gfs.master.garbage import GarbageCollection
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.placement import choose_chunkservers
from genstamp_dfs.gfs.messages.chunkserver_protocol import CloneChunk

CONSIDERED = 1_000
"""How many chunks with few replicas are looked at in one go."""


class Replication:
    """Copies chunks that have few replicas.

    Attributes:
        running: handles of those that are being copied.
    """

    def __init__(self, base: Base, leases: Leases, chunk_calls: ChunkCalls, garbage: GarbageCollection) -> None:
        self._base = base
        self._leases = leases
        self._wanted = chunk_calls.wanted
        self._garbage = garbage
        self._not_before_us: dict[int, int] = {}
        self.running: set[int] = set()

    def go_on(self) -> None:
        """Begin as many copies as may run at a time."""
        now_us = self._base.runtime.now_us()
        self._not_before_us = {handle: due for handle, due in self._not_before_us.items() if due > now_us}
        for handle in self.candidates():
            if len(self.running) >= self._base.configuration.clones_at_once:
                return
            if handle not in self.running and handle not in self._not_before_us and self._is_ready(handle):
                self.running.add(handle)
                self._base.runtime.spawn(self._copy(handle), f"re-replication of {handle}")

    def candidates(self) -> list[int]:
        """Chunks that have some replica, but too few, the most urgent first; not all of them if there are many."""
        goal = min(self._base.configuration.limits.replicas, len(self._base.chunkservers.live()))
        chunks = self._base.state.chunks
        handles, counts = chunks.counts()
        few = (counts > 0) & (counts < goal)
        first = np.argsort(counts[few], kind="stable")[:CONSIDERED]
        chosen = zip(counts[few][first].tolist(), handles[few][first].tolist(), strict=True)
        ordered = sorted(chosen, key=lambda item: (item[0], item[1] in self._garbage.deleted, item[1]))
        self._wanted.intersection_update(
            [handle for handle in self._wanted if handle in chunks and len(chunks.locations(handle)) < goal]
        )
        urgent = sorted(handle for handle in self._wanted if chunks.locations(handle))
        return list(dict.fromkeys([*urgent, *(handle for _, handle in ordered)]))

    def _is_ready(self, handle: int) -> bool:
        """Whether nobody holds a lease, or it is worth taking it away."""
        return not self._leases.may_be_held(handle) or len(self._base.state.chunks.locations(handle)) == 1

    async def _copy(self, handle: int) -> None:
        """Copy one chunk to one more chunkserver, or try again some time later."""
        is_done = False
        try:
            async with self._base.chunk_locks.only(handle):
                if handle in self._base.state.chunks:
                    is_done = await self._copy_locked(handle)
        except (LeaseUnavailable, NoReplica):
            is_done = False
        finally:
            self.running.discard(handle)
            if not is_done:
                self._not_before_us[handle] = self._base.runtime.now_us() + self._base.configuration.dead_after_us

    async def _copy_locked(self, handle: int) -> bool:
        base = self._base
        version, sources = await self._leases.freeze(handle)
        target = self._target(handle, sources)
        if target is None:
            return False
        base.runtime.random.shuffle(sources)
        givers = [base.chunkservers.meet(name) for name in sources]
        base.tell_of_chunk("begin_clone", handle, version, chunkserver=target.name, sources=",".join(sources))
        target.clones += 1
        givers[0].clones += 1
        try:
            request = CloneChunk(handle, version, tuple(sources))
            with base.watched(handle) as lost:
                await base.ask(target.name, request, base.configuration.clone_timeout_us)
        except Refusal:
            return False
        finally:
            target.clones -= 1
            givers[0].clones -= 1
        if target.name in lost:
            return False
        if target.is_live:
            base.state.chunks.add_location(handle, target.number)
            target.leaving.pop(handle, None)
        base.tell_of_chunk("clone", handle, version, chunkserver=target.name)
        return True

    def _target(self, handle: int, sources: list[str]) -> Chunkserver | None:
        """Where a copy goes; None if there is no place, or if there are enough by now."""
        base, limits = self._base, self._base.configuration.limits
        most = base.configuration.clones_at_once_on_one
        if not 0 < len(sources) < limits.replicas or base.chunkservers.meet(sources[0]).clones >= most:
            return None
        free = [server for server in base.chunkservers.live() if server.clones < most and server.may_get(handle)]
        chosen = choose_chunkservers(
            free,
            1,
            chunk_bytes=limits.chunk_bytes,
            chance=base.runtime.random,
            beside=[base.chunkservers.meet(name) for name in sources],
        )
        return chosen[0] if chosen else None
