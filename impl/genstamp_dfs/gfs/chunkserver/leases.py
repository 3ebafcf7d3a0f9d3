"""The leases that a chunkserver believes in (section 3.1).

A lease counts from when this life of the chunkserver recorded the version under which it is granted, or from when it
sent the heartbeat by which it is extended: never later than the master counts it. It is believed in while the
chunkserver's own clock says so. A lease of which the master wants the end comes to it also if its grant is still under
way: nothing is granted under that version any more.

A replica takes part in mutations only under a version that this life has recorded. What an earlier life did under it is
forgotten, and a mutation that comes late could undo a newer one.

Not here: what is done under a lease (`primary`).
"""

from dataclasses import dataclass

from genstamp_dfs.gfs.errors import NotPrimary, StaleVersion
from genstamp_dfs.gfs.runtime import Runtime


@dataclass(slots=True)
class Lease:
    """A lease, or what may become one.

    Attributes:
        version: under which it is granted.
        counted_us: from when it counts, by the clock of this life.
        secondaries: who has the other replicas; None before it is granted.
        is_used: somebody mutates the chunk.
    """

    version: int
    counted_us: int
    secondaries: tuple[str, ...] | None = None
    is_used: bool = False


class Leases:
    """All of them, by handle.

    Args:
        runtime: the world.
        lease_us: how long one lasts, in microseconds.
    """

    def __init__(self, runtime: Runtime, lease_us: int) -> None:
        self._runtime = runtime
        self._lease_us = lease_us
        self._leases: dict[int, Lease] = {}
        self._recorded: dict[int, int] = {}

    def count(self, handle: int, version: int) -> None:
        """A version was recorded: a lease may be granted under it, and one of an older version is over."""
        self._leases[handle] = Lease(version, self._runtime.now_us())
        self._recorded[handle] = version

    def takes_part(self, handle: int, version: int) -> bool:
        """Whether this life recorded the version last: else nobody here knows what was done under it."""
        return self._recorded.get(handle) == version

    def grant(self, handle: int, version: int, secondaries: tuple[str, ...]) -> None:
        """Believe in a lease.

        Raises:
            StaleVersion: this life has not recorded the version, or another one since, or it is revoked, or over.
        """
        lease = self._leases.get(handle)
        if lease is None or lease.version != version or not self.is_on(lease):
            raise StaleVersion(f"{self._runtime.node} does not wait for a lease of version {version} of chunk {handle}")
        if lease.secondaries is None:
            lease.secondaries = secondaries

    def end(self, handle: int, version: int) -> None:
        """Believe in no lease up to this version, also if its grant is under way."""
        lease = self._leases.get(handle)
        if lease is not None and lease.version <= version:
            del self._leases[handle]

    def end_all(self) -> None:
        """Believe in nothing."""
        self._leases.clear()

    def held(self, handle: int, version: int) -> Lease:
        """The lease that is believed in.

        Raises:
            NotPrimary: there is none of this version.
        """
        lease = self._leases.get(handle)
        if lease is None or lease.version != version or lease.secondaries is None or not self.is_on(lease):
            raise NotPrimary(f"{self._runtime.node} is not the primary of chunk {handle} under version {version}")
        return lease

    def is_held(self, handle: int) -> bool:
        """Whether a lease of the chunk is believed in, under whatever version."""
        lease = self._leases.get(handle)
        return lease is not None and lease.secondaries is not None and self.is_on(lease)

    def believed(self) -> list[int]:
        """The chunks of which a lease is believed in."""
        return [handle for handle in self._leases if self.is_held(handle)]

    def wanted(self) -> tuple[tuple[int, int], ...]:
        """(handle, version) of the leases that are to go on: those of whose chunks there were mutations."""
        found = []
        for handle, lease in self._leases.items():
            if lease.is_used and lease.secondaries is not None and self.is_on(lease):
                found.append((handle, lease.version))
                lease.is_used = False
        return tuple(found)

    def still_wanted(self, leases: tuple[tuple[int, int], ...]) -> None:
        """The master may not have heard that these are to go on: the next heartbeat says it again."""
        for handle, version in leases:
            lease = self._leases.get(handle)
            if lease is not None and lease.version == version:
                lease.is_used = True

    def extend(self, handle: int, version: int, counted_us: int) -> bool:
        """The master lets a lease go on, counted from when it was asked; gives whether it does."""
        lease = self._leases.get(handle)
        # One that ended meanwhile does not come back.
        if lease is None or lease.version != version or not self.is_on(lease):
            return False
        lease.counted_us = max(lease.counted_us, counted_us)
        return True

    def is_on(self, lease: Lease) -> bool:
        """Whether the lease's time has not passed."""
        return self._runtime.now_us() < lease.counted_us + self._lease_us
