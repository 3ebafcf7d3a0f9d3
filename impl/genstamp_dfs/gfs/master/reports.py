"""What chunkservers tell of themselves, and what they are told: which leases go on, and which replicas are garbage.

A report may be old, as a message may be late. What comes after a later call of the same life of a chunkserver tells
nothing: else a replica that was found corrupt, and deleted, would be counted on again. A heartbeat of another life than
registered last is answered with ChunkserverUnknown, whichever of the two is older: who lives registers again. The
answer may be late too, so garbage is named with its version, and a replica that is known to be current does not become
stale by a heartbeat; only a registration, which tells of all replicas, takes that back.

A replica is current if its version is not below the chunk's. Higher ones were chosen for a grant that did not end, and
those replicas are current too (`leases`). A version that this master never chose was chosen by one whose log has not
come down to it; it is taken for the chunk's (section 4.5).

Stale and corrupt replicas are garbage once a current one is known elsewhere; until then they are the last there is.
A handle that this master never chose is not garbage either: the chunkserver is somebody else's.

Source: sections 2.6.2, 4.4 and 4.5.
"""

from collections.abc import Iterable
from typing import Final

from genstamp_dfs.gfs.errors import ChunkserverUnknown
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.chunkservers import Chunkserver
from genstamp_dfs.gfs.master.leases import Leases
from genstamp_dfs.gfs.master.operations import SetVersion
from genstamp_dfs.gfs.messages.master_protocol import Heartbeat, HeartbeatReply, Register, Registered
from genstamp_dfs.gfs.protocol import ReplicaReport
from genstamp_dfs.world.request import Caller

HIGHEST_VERSION: Final = 2**62
"""Whoever reports a higher one is out of his mind."""


class Reports:
    """Registrations and heartbeats."""

    def __init__(self, base: Base, leases: Leases) -> None:
        self._base = base
        self._leases = leases
        self._chunks = base.state.chunks

    async def register(self, request: Register, caller: Caller) -> Registered:
        """A chunkserver is there, with these replicas and without a lease."""
        chunkserver = self._base.chunkservers.meet(request.chunkserver)
        if _is_old(chunkserver, caller):
            return Registered(())
        chunkserver.life, chunkserver.last_call = caller.client_id, caller.call_id
        self._base.tell("hear_registration", "node", chunkserver.name, {"chunkserver": chunkserver.name})
        self._chunks.drop_chunkserver(chunkserver.number)
        self._leases.doubt(chunkserver.name)
        chunkserver.is_live = True
        chunkserver.rack = request.rack
        chunkserver.corrupt.clear()
        chunkserver.leaving.clear()
        self._base.keep_only({replica.handle for replica in request.replicas}, chunkserver.name)
        self._hear(chunkserver, request.free_bytes)
        garbage = self._take(chunkserver, request.replicas)
        chunkserver.told_garbage = self._current(garbage)
        return Registered(garbage)

    async def heartbeat(self, request: Heartbeat, caller: Caller) -> HeartbeatReply:
        """A chunkserver lives; it tells of some of its replicas."""
        chunkserver = self._base.chunkservers.find(request.chunkserver)
        if chunkserver is None:
            raise ChunkserverUnknown(f"{request.chunkserver} has not registered, or was silent for too long")
        if chunkserver.life != caller.client_id:
            raise ChunkserverUnknown(f"another life of {request.chunkserver} has registered")
        if _is_old(chunkserver, caller):
            return HeartbeatReply((), ())
        chunkserver.last_call = caller.call_id
        self._hear(chunkserver, request.free_bytes)
        extended = self._leases.extend(chunkserver.name, request.extend)
        chunkserver.corrupt = {handle: version for handle, version in request.corrupt if handle in self._chunks}
        for handle, version in chunkserver.corrupt.items():
            if chunkserver.number in self._chunks.locations(handle):
                self._base.tell_of_chunk("hear_corrupt", handle, version, chunkserver=chunkserver.name)
            self._chunks.drop_location(handle, chunkserver.number)
            self._base.lose(handle, chunkserver.name)
        garbage = self._take(chunkserver, request.replicas) + self._corrupt_garbage(chunkserver, request.corrupt)
        chunkserver.told_garbage = self._current(garbage)
        return HeartbeatReply(extended, garbage)

    def expire(self) -> list[Chunkserver]:
        """Count no more on chunkservers that were silent for too long; gives them."""
        oldest_us = self._base.runtime.now_us() - self._base.configuration.dead_after_us
        silent = [server for server in self._base.chunkservers.live() if server.heard_us < oldest_us]
        for chunkserver in silent:
            chunkserver.is_live = False
            self._chunks.drop_chunkserver(chunkserver.number)
            self._base.tell("lose_chunkserver", "node", chunkserver.name, {"chunkserver": chunkserver.name})
        return silent

    # -- below ------------------------------------------------------------------------------------------------------

    def _hear(self, chunkserver: Chunkserver, free_bytes: int) -> None:
        now_us = self._base.runtime.now_us()
        chunkserver.free_bytes = free_bytes
        chunkserver.heard_us = now_us
        while chunkserver.creations_us and chunkserver.creations_us[0] < now_us - self._base.configuration.recent_us:
            chunkserver.creations_us.popleft()

    def _take(self, chunkserver: Chunkserver, replicas: Iterable[ReplicaReport]) -> tuple[tuple[int, int], ...]:
        """Note where current replicas are; gives those that are garbage."""
        return tuple(
            (replica.handle, replica.version) for replica in replicas if self._is_garbage(chunkserver, replica)
        )

    def _is_garbage(self, chunkserver: Chunkserver, replica: ReplicaReport) -> bool:
        handle, version = replica.handle, replica.version
        if handle not in self._chunks:
            return handle < self._base.state.next_handle
        if handle in chunkserver.corrupt:
            return False
        if version > HIGHEST_VERSION:
            return False
        if version < self._chunks.version(handle):
            is_stale = chunkserver.number not in self._chunks.locations(handle)
            if is_stale:
                self._base.tell_of_chunk("detect_stale", handle, version, chunkserver=chunkserver.name)
            return is_stale and self._is_elsewhere(handle, chunkserver)
        if version > self._base.state.highest_version(handle):
            self._base.commit(SetVersion(handle, version))
            self._chunks.set_locations(handle, [])
            self._base.tell_of_chunk("adopt_version", handle, version, chunkserver=chunkserver.name)
        return not self._is_taken(chunkserver, handle, version)

    def _is_taken(self, chunkserver: Chunkserver, handle: int, version: int) -> bool:
        """Whether a current replica is wanted: others are too few, or it may be a copy that is not told of yet."""
        if chunkserver.number in self._chunks.locations(handle):
            return True
        is_leaving = chunkserver.leaving.get(handle) == version
        is_enough = len(self._chunks.locations(handle)) >= self._base.configuration.limits.replicas
        is_taken = not (is_leaving and is_enough) and self._chunks.add_location(handle, chunkserver.number)
        if not is_taken and self._base.is_watched(handle):
            return True
        self._base.tell_of_chunk(
            "find_replica" if is_taken else "find_surplus", handle, version, chunkserver=chunkserver.name
        )
        return is_taken

    def _corrupt_garbage(
        self, chunkserver: Chunkserver, corrupt: Iterable[tuple[int, int]]
    ) -> tuple[tuple[int, int], ...]:
        """Which of a chunkserver's corrupt replicas are garbage."""
        return tuple(
            (handle, version)
            for handle, version in corrupt
            if (
                self._is_elsewhere(handle, chunkserver)
                if handle in self._chunks
                else handle < self._base.state.next_handle
            )
        )

    def _current(self, garbage: Iterable[tuple[int, int]]) -> frozenset[int]:
        """Of which chunks the garbage has a current replica."""
        known = ((handle, version) for handle, version in garbage if handle in self._chunks)
        return frozenset(handle for handle, version in known if version >= self._chunks.version(handle))

    def _is_elsewhere(self, handle: int, chunkserver: Chunkserver) -> bool:
        """Whether another live chunkserver has a current replica."""
        names = self._base.chunkservers.names(self._chunks.locations(handle))
        return any(name != chunkserver.name for name in names)


def _is_old(chunkserver: Chunkserver, caller: Caller) -> bool:
    """Whether a later call of the same life of a chunkserver was heard before."""
    return bool(caller.client_id) and chunkserver.life == caller.client_id and caller.call_id < chunkserver.last_call
