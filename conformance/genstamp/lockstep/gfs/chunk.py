"""One chunk of a run, as far as its projection on gfs.chunk_lease has to know it.

Leaves out what the steps are (`chunk_lease`).
"""

from dataclasses import dataclass, field
from typing import Final

from genstamp.lockstep.projection import Happened, Step


@dataclass
class Clock:
    """What a node's clock has counted of a lease: ticks of the model, each at its own time.

    Attributes:
        since_us: from when, by the clock of the node.
        at_us: after how many microseconds each tick is.
        ticks: how many were put in.
        is_waiting: the lease was extended, and the primary has not heard of it.
    """

    since_us: int
    at_us: tuple[int, ...]
    ticks: int = 0
    is_waiting: bool = False

    def passes(self, now_us: int) -> int:
        """How many ticks there are more by now."""
        if self.is_waiting:
            return 0
        due = sum(now_us - self.since_us >= at_us for at_us in self.at_us)
        more = max(0, due - self.ticks)
        self.ticks += more
        return more


@dataclass
class Chunk:
    """A chunk.

    Attributes:
        handle: of the chunk.
        key: under which it is judged; a handle may be given again if the master lost it before anybody was told.
        records: of the log, as many as have to survive for what was told of the chunk so far.
        chosen: the model's number of the version that was chosen last.
        numbers: version -> the model's number of it.
        told: who is offered a version and was not left out.
        held: who has a replica -> the number of its version.
        copying: who may be getting one.
        stale: whose replica the master found to be stale.
        lease: the master's clock of the lease, while one may be held.
        granted: the version of the lease that the master granted last.
        revoked: the version of the lease that the master wants to end.
        is_older: a former master may have granted a lease of it.
        counts: chunkserver -> its clock of a lease.
        learned: (chunkserver, version) of the grants that have arrived.
        is_over: nothing more of it is judged.
    """

    handle: str
    key: str
    records: int
    chosen: int = 0
    numbers: dict[int, int] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    held: dict[str, int] = field(default_factory=dict)
    copying: set[str] = field(default_factory=set)
    stale: set[str] = field(default_factory=set)
    lease: Clock | None = None
    granted: int | None = None
    revoked: int | None = None
    is_older: bool = False
    counts: dict[str, Clock] = field(default_factory=dict)
    learned: set[tuple[str, int]] = field(default_factory=set)
    is_over: bool = False

    def choose(self, version: int | None = None) -> int:
        """The model chooses one more version; gives its number."""
        self.chosen += 1
        if version is not None:
            self.numbers[version] = self.chosen
        return self.chosen

    def waits_for(self, chunkserver: str, version: int) -> bool:
        """Whether the master waits for a chunkserver to record a version."""
        return chunkserver in self.told and self.numbers.get(version) == self.chosen

    def lease_ended(self) -> None:
        """Nobody holds the lease any more, for the master."""
        self.lease = None
        self.revoked = None

    def time_at_master(self, now_us: int) -> list[Step]:
        """What the master's clock has counted by now."""
        ticks = 0 if self.lease is None else self.lease.passes(now_us)
        return [Happened(_MASTER_TICK, {})] * ticks

    def former_lease_over(self, now_us: int) -> list[Step]:
        """A lease of which this master does not know is over, if its time has passed."""
        if not self.is_older:
            return []
        return [*self.time_at_master(now_us), Happened("expire_lease", {})]

    def time_at(self, chunkserver: str, now_us: int) -> list[Step]:
        """What a chunkserver's clock has counted by now."""
        clock = self.counts.get(chunkserver)
        ticks = 0 if clock is None else clock.passes(now_us)
        return [Happened(_TICK, {"chunkserver": chunkserver})] * ticks


_MASTER_TICK: Final = "master_clock_ticks"
_TICK: Final = "chunkserver_clock_ticks"
