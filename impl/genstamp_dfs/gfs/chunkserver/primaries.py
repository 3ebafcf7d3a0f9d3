"""The leases that a chunkserver believes in, and under which versions it takes part (section 3.1).

It counts a lease from when it recorded the version, or from when it sent the heartbeat that extended it: that was
before the master began to count. A lease ends by its time, by a higher version, by RevokeLease, when the master does
not know the chunkserver any more, and with the process. A replica takes part in mutations only under a version that was
recorded in this life: what it was told before is forgotten, and a late mutation could come out of order.

Leaves out: mutations.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from genstamp_dfs.gfs.errors import NotPrimary, StaleVersion
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.runtime import Condition


@dataclass(slots=True)
class Primary:
    """A lease that is believed in.

    Attributes:
        handle, version: of which chunk, under which version.
        secondaries: who follows.
        until_us: when it ends.
        serial: of the last mutation that was ordered.
        is_mutated: whether there were mutations since it was last extended.
        turns: the last mutation that each secondary was told of, for which the next one waits.
    """

    handle: int
    version: int
    secondaries: tuple[str, ...]
    until_us: int
    serial: int = 0
    is_mutated: bool = False
    turns: dict[str, int] = field(default_factory=dict)


class Primaries:
    """What the chunkserver believes of leases."""

    def __init__(self, runtime: Runtime, lease_us: int) -> None:
        self._runtime = runtime
        self._lease_us = lease_us
        self._held: dict[int, Primary] = {}
        self._recorded: dict[int, tuple[int, int]] = {}
        self._revoked: dict[int, int] = {}
        self._under_way: dict[int, int] = {}
        self._settled: Condition = runtime.condition()

    def __iter__(self) -> Iterator[Primary]:
        now_us = self._runtime.now_us()
        return iter([lease for lease in self._held.values() if lease.until_us > now_us])

    def recorded(self, handle: int, version: int) -> None:
        """A version was recorded just now; no lease under a lower one is believed in any more."""
        self._held.pop(handle, None)
        self._recorded[handle] = (version, self._runtime.now_us())

    def takes_part(self, handle: int, version: int) -> bool:
        """Whether the version was recorded in this life."""
        return self._recorded.get(handle, (0, 0))[0] == version

    def grant(self, handle: int, version: int, secondaries: tuple[str, ...]) -> None:
        """Believe in a lease.

        Raises:
            StaleVersion: the version was not recorded in this life, or its lease has been revoked.
        """
        if not self.takes_part(handle, version) or self._revoked.get(handle, 0) >= version:
            raise StaleVersion(f"version {version} of chunk {handle} is not to be the primary's")
        if handle in self._held:
            # The message has come twice.
            return
        since_us = self._recorded[handle][1]
        self._held[handle] = Primary(handle, version, secondaries, since_us + self._lease_us)

    async def revoke(self, handle: int, version: int) -> None:
        """Believe in no lease up to a version; returns when no mutation is half done any more."""
        self._revoked[handle] = max(version, self._revoked.get(handle, 0))
        lease = self._held.get(handle)
        if lease is not None and lease.version <= version:
            del self._held[handle]
        while self._under_way.get(handle):
            await self._settled.wait()

    def of(self, handle: int, version: int) -> Primary:
        """The lease of a chunk.

        Raises:
            NotPrimary: there is none under this version.
        """
        lease = self._held.get(handle)
        if lease is None or lease.version != version or lease.until_us <= self._runtime.now_us():
            raise NotPrimary(f"{self._runtime.node} has no lease of chunk {handle} under version {version}")
        return lease

    def begins(self, handle: int) -> None:
        """A mutation is half done from now on."""
        self._under_way[handle] = self._under_way.get(handle, 0) + 1

    def ends(self, handle: int) -> None:
        """It is not any more."""
        self._under_way[handle] -= 1
        if not self._under_way[handle]:
            del self._under_way[handle]
        self._settled.notify_all()

    def extend(self, handle: int, version: int, sent_us: int) -> None:
        """The master lets a lease go on, counted from when it was asked; one that is over by now stays so."""
        lease = self._held.get(handle)
        if lease is not None and lease.version == version and lease.until_us > self._runtime.now_us():
            lease.until_us = max(lease.until_us, sent_us + self._lease_us)

    def forget(self, handle: int) -> None:
        """The replica is deleted, or made anew."""
        self._held.pop(handle, None)
        self._recorded.pop(handle, None)

    def forget_leases(self) -> None:
        """The master does not know the chunkserver."""
        self._held.clear()
