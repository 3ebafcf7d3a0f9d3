"""Leases of chunks: at most one chunkserver at a time believes in an unexpired one (section 3.1).

A grant, with the chunk's lock held:

1. A version is chosen that was never chosen before, and logged.
2. It is offered to all current replicas (RecordVersion). Whoever does not answer, or loses its replica before all have
   answered, may have recorded it: so a yet higher one is chosen for the others, until all answer.
3. The version is logged as the chunk's: replicas with a lower one are stale from now on.
4. One replica is made the primary (GrantLease), and the client is told.

The primary counts its lease from when it recorded the version, which was before GrantLease was sent; the master from
when it sent it, and adds a margin for clocks that run apart. A lease that was granted, or may have been, ends by that
time or by an answer to RevokeLease; from the moment at which it is to be revoked no heartbeat extends it. A chunkserver
that registers again has lost its leases, but that registration may be an old one, so the master asks.

A master that starts knows no leases. It grants none on a chunk that is older than itself for as long as one of the
former master's may last.

When a lease is over, a mutation that its primary has given up may still be on its way to a secondary. Before a chunk is
copied, or shared by a snapshot, its version is raised once more if it had a lease of late: no replica does it then.

A failed grant may leave replicas with a version that was chosen and did not become the chunk's. Nobody was made primary
under it, so all of them have what those with the chunk's version have: they are current too.

Not here: why a lease is wanted (`chunk_calls`) or not wanted (`snapshot`, `replication`).

Source: sections 3.1 and 4.5.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from genstamp_dfs.errors import Refusal
from genstamp_dfs.gfs.errors import LeaseUnavailable, NoReplica
from genstamp_dfs.gfs.master.base import Base
from genstamp_dfs.gfs.master.operations import ChooseVersion, SetVersion
from genstamp_dfs.gfs.messages.chunkserver_protocol import GrantLease, RecordVersion, RevokeLease
from genstamp_dfs.gfs.protocol import ChunkLease
from genstamp_dfs.world.times import SECOND_US

ASKED_AGAIN_US = SECOND_US
"""How long to wait before a primary that does not answer is asked again to give up its lease."""


@dataclass(slots=True)
class Lease:
    """A lease that may be held.

    Attributes:
        shown: what clients are told of it.
        counted_us: from when the master counts it, in microseconds of its clock.
        is_ending: it is not told to anybody and not extended any more.
    """

    shown: ChunkLease
    counted_us: int
    is_ending: bool = False


class Leases:
    """All leases that may be held, and how they come and go."""

    def __init__(self, base: Base) -> None:
        self._base = base
        self._limits = base.configuration.limits
        self._leases: dict[int, Lease] = {}
        self._ended_us: dict[int, int] = {}

    # -- what others ask for ------------------------------------------------------------------------------------------

    async def find(self, handle: int, unreachable: Collection[str]) -> ChunkLease:
        """The lease of a chunk to which one file refers; it is granted if nobody holds one.

        Raises:
            NoReplica: no current replica answers.
            LeaseUnavailable: an older lease may not be over, or the new primary does not answer.
        """
        async with self._base.chunk_locks.only(handle):
            lease = self._held(handle)
            if lease is not None and self._is_usable(lease, unreachable):
                return lease.shown
            await self._end_now(handle)
            return await self._grant(handle, unreachable)

    async def end(self, handle: int) -> None:
        """See to it that nobody holds a lease of a chunk; takes as long as one lasts if its primary does not answer.

        Whoever asks sees to it that none is granted afterwards, by a lock or by a reference to the chunk.
        """
        while True:
            async with self._base.chunk_locks.only(handle):
                try:
                    await self.freeze(handle)
                except LeaseUnavailable:
                    wait_us = self._left_us(handle)
                except NoReplica:
                    return  # nobody holds a lease, and nobody can be told so
                else:
                    return
            await self._base.runtime.sleep_us(min(wait_us, ASKED_AGAIN_US))

    async def freeze(self, handle: int) -> tuple[int, list[str]]:
        """See to it that no replica of a chunk changes while its lock is held; gives version and current replicas.

        There is no lease then, and all have one version, under which no mutation can come late.

        Raises:
            LeaseUnavailable: a lease may not be over, and its primary does not answer.
            NoReplica: no current replica answers.
        """
        await self._end_now(handle)
        if not self.is_at_rest(handle):
            version, replicas = await self._raise_version(handle)
            self._ended_us.pop(handle, None)
            return version, replicas
        return self._base.state.chunks.version(handle), self._current(handle)

    def extend(self, chunkserver: str, wanted: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """Let leases go on of whose chunks there are mutations; gives the handles of those that do."""
        extended = []
        for handle, version in wanted:
            lease = self._held(handle)
            if lease is None or lease.is_ending or (lease.shown.primary, lease.shown.version) != (chunkserver, version):
                continue
            lease.counted_us = self._base.runtime.now_us()
            self._base.tell_of_chunk("extend_lease", handle, version, chunkserver=chunkserver)
            extended.append(handle)
        return tuple(extended)

    def doubt(self, chunkserver: str) -> None:
        """A chunkserver says that it holds no lease: before it is believed, it is asked by RevokeLease."""
        for lease in self._leases.values():
            if lease.shown.primary == chunkserver:
                lease.is_ending = True

    def expire(self) -> None:
        """Forget the leases that are over."""
        for handle in list(self._leases):
            self._held(handle)
        for handle in [handle for handle in self._ended_us if not self._was_held_of_late(handle)]:
            del self._ended_us[handle]

    def may_be_held(self, handle: int) -> bool:
        """Whether somebody may hold a lease of the chunk."""
        return self._left_us(handle) > 0

    def is_at_rest(self, handle: int) -> bool:
        """Whether all replicas stay as they are while the chunk's lock is held, with no need of a new version."""
        is_chosen = handle in self._base.state.chosen
        return not (is_chosen or self.may_be_held(handle) or self._was_held_of_late(handle))

    @property
    def held(self) -> tuple[ChunkLease, ...]:
        """The leases that the master has granted and that may not be over."""
        return tuple(lease.shown for lease in self._leases.values())

    # -- how leases end -----------------------------------------------------------------------------------------------

    def _held(self, handle: int) -> Lease | None:
        """The lease that may be held; forgets it if its time has passed."""
        lease = self._leases.get(handle)
        if lease is not None and self._base.runtime.now_us() >= lease.counted_us + self._limits.master_waits_us:
            self._forget(handle, "expire_lease")
            return None
        return lease

    def _is_usable(self, lease: Lease, unreachable: Collection[str]) -> bool:
        """Whether clients are to be told of the lease, rather than that another is granted."""
        if lease.is_ending or self._base.runtime.now_us() >= lease.counted_us + self._limits.lease_us:
            return False
        there = (self._base.chunkservers.find(name) is not None for name in lease.shown.chunkservers)
        return all(there) and not any(name in unreachable for name in lease.shown.chunkservers)

    def _left_us(self, handle: int) -> int:
        """For how long a lease may still be held, in microseconds."""
        now_us = self._base.runtime.now_us()
        lease = self._leases.get(handle)
        since_us = lease.counted_us if lease is not None else self._base.started_us
        if lease is None and handle >= self._base.first_handle:
            return 0
        return max(0, since_us + self._limits.master_waits_us - now_us)

    def _was_held_of_late(self, handle: int) -> bool:
        """Whether mutations of a lease that is over may still be under way to secondaries."""
        now_us = self._base.runtime.now_us()
        if handle in self._ended_us:
            return now_us < self._ended_us[handle] + self._limits.master_waits_us
        is_older = handle < self._base.first_handle
        return is_older and now_us < self._base.started_us + 2 * self._limits.master_waits_us

    async def _end_now(self, handle: int) -> None:
        lease = self._held(handle)
        if lease is not None:
            await self._revoke(handle, lease)
        elif (left_us := self._left_us(handle)) > 0:
            raise LeaseUnavailable(f"chunk {handle} may have a lease of the former master for {left_us} us more")

    async def _revoke(self, handle: int, lease: Lease) -> None:
        lease.is_ending = True
        shown = lease.shown
        self._base.tell_of_chunk("revoke_lease", handle, shown.version, chunkserver=shown.primary)
        try:
            await self._base.ask(shown.primary, RevokeLease(handle, shown.version))
        except Refusal as refusal:
            if self._held(handle) is not None:
                raise LeaseUnavailable(f"{shown.primary} may hold the lease of chunk {handle} ({refusal})") from refusal
        else:
            self._forget(handle, "give_up_lease")

    def _forget(self, handle: int, event: str) -> None:
        lease = self._leases.pop(handle, None)
        if lease is not None:
            self._ended_us[handle] = self._base.runtime.now_us()
            self._base.tell_of_chunk(event, handle, lease.shown.version, chunkserver=lease.shown.primary)

    # -- how leases are granted ---------------------------------------------------------------------------------------

    def _current(self, handle: int) -> list[str]:
        """Live chunkservers with a current replica."""
        return self._base.chunkservers.names(self._base.state.chunks.locations(handle))

    async def _grant(self, handle: int, unreachable: Collection[str]) -> ChunkLease:
        version, replicas = await self._raise_version(handle)
        wanted = [name for name in replicas if name not in unreachable] or replicas
        primary = self._base.runtime.random.choice(wanted)
        secondaries = tuple(name for name in replicas if name != primary)
        lease = Lease(ChunkLease(handle, version, primary, secondaries), self._base.runtime.now_us())
        self._leases[handle] = lease
        self._base.tell_of_chunk("grant_lease", handle, version, chunkserver=primary, secondaries=",".join(secondaries))
        try:
            await self._base.ask(primary, GrantLease(handle, version, secondaries))
        except Refusal as refusal:
            # It may have been granted all the same: the next who asks for a lease has it revoked.
            lease.is_ending = True
            raise LeaseUnavailable(f"{primary} did not take the lease of chunk {handle} ({refusal})") from refusal
        if lease.is_ending:
            raise LeaseUnavailable(f"{primary} has started again over the lease of chunk {handle}")
        return lease.shown

    async def _raise_version(self, handle: int) -> tuple[int, list[str]]:
        """Give the current replicas a version that no other has; gives it, and who has recorded it.

        Raises:
            NoReplica: no current replica answers.
        """
        base = self._base
        replicas = self._current(handle)
        while replicas:
            version = base.state.highest_version(handle) + 1
            base.commit(ChooseVersion(handle, version))
            base.tell_of_chunk("begin_grant", handle, version, chunkservers=",".join(replicas))
            await base.flushed()
            with base.watched(handle) as lost:
                answered = await base.ask_all(replicas, RecordVersion(handle, version))
            answered = [name for name in answered if name not in lost]
            if answered == replicas:
                self._set_version(handle, version, replicas)
                await base.flushed()
                return version, replicas
            for name in replicas:
                if name not in answered:
                    base.tell_of_chunk("leave_out", handle, version, chunkserver=name)
            replicas = answered
        raise NoReplica(f"no chunkserver with a current replica of chunk {handle} answers")

    def _set_version(self, handle: int, version: int, replicas: list[str]) -> None:
        """The version is the chunk's: these have it, and all others are stale."""
        base = self._base
        base.commit(SetVersion(handle, version))
        live = (base.chunkservers.find(name) for name in replicas)
        base.state.chunks.set_locations(handle, [found.number for found in live if found is not None])
        base.tell_of_chunk("log_version", handle, version, chunkservers=",".join(replicas), records=base.records)
