"""One chunk of a run, as far as its projection on gfs.chunk_lease has to know it, and what judges of its events share.

Not here: what the steps are (`chunk_of_master`, `chunk_of_chunkservers`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from genstamp.events import Event
from genstamp.lockstep.gfs import chunk_words as words
from genstamp.lockstep.gfs.answered import Answered
from genstamp.lockstep.projection import Happened, LeftOut, Projected, Step, model_step

NO_VERSION: Final = 0
"""The model's number of a version that was never chosen."""


@dataclass
class Clock:
    """The ticks of a lease that a node's clock has counted: ticks of the model, each at its own time.

    Attributes:
        since_us: from when, by the clock of the node.
        at_us: after how many microseconds each tick is.
        ticks: how many were inserted.
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
        key: under which it is checked; a handle may be given again if the master lost it before anybody was told.
        records: the number of log records that must survive for the chunk's reported state.
        chosen: the model's number of the version that was chosen last.
        numbers: version -> the model's number of it.
        highest: the highest version that was recorded or logged.
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
        is_over: it is not checked any further.
    """

    handle: str
    key: str
    records: int
    chosen: int = 0
    numbers: dict[int, int] = field(default_factory=dict)
    highest: int = 0
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
        """The model chooses one more version; gives its number, and that of no version for one that is not higher.

        A version that no node has recorded may be chosen again: the master that chose it died before it was on the
        disk.
        """
        self.chosen += 1
        if version is None:
            return self.chosen
        self.numbers[version] = self.chosen if self.is_new(version) else NO_VERSION
        return self.numbers[version]

    def is_new(self, version: int) -> bool:
        """Whether a version is higher than all that were recorded or logged."""
        return version > self.highest

    def number_of(self, version: int) -> int:
        """The model's number of a version."""
        return self.numbers.get(version, NO_VERSION)

    def recorded(self, version: int) -> int:
        """A version was recorded or logged; gives its number."""
        self.highest = max(self.highest, version)
        return self.number_of(version)

    def end(self, reason: str) -> LeftOut:
        """It is not checked any further."""
        self.is_over = True
        return LeftOut(reason, self.key, is_end=reason == words.UNLISTED)

    def waits_for(self, chunkserver: str, version: int) -> bool:
        """Whether the master waits for a chunkserver to record a version."""
        return chunkserver in self.told and self.number_of(version) == self.chosen

    def lease_ended(self) -> None:
        """For the master the lease has no holder any more."""
        self.lease = None
        self.revoked = None

    def time_at_master(self, now_us: int) -> list[Step]:
        """The present count of the master's clock."""
        ticks = 0 if self.lease is None else self.lease.passes(now_us)
        return [Happened(_MASTER_TICK, {})] * ticks

    def former_lease_over(self, now_us: int) -> list[Step]:
        """A lease of which this master does not know is over, if its time has passed."""
        if not self.is_older:
            return []
        return [*self.time_at_master(now_us), Happened("expire_lease", {})]

    def time_at(self, chunkserver: str, now_us: int) -> list[Step]:
        """The present count of a chunkserver's clock."""
        clock = self.counts.get(chunkserver)
        ticks = 0 if clock is None else clock.passes(now_us)
        return [Happened(_TICK, {"chunkserver": chunkserver})] * ticks


_MASTER_TICK: Final = "master_clock_ticks"
_TICK: Final = "chunkserver_clock_ticks"


@dataclass
class Known:
    """The context in which an event of a chunk is checked.

    Attributes:
        lease_us: how long a primary believes in its lease, in microseconds of its clock.
        master_waits_us: when the master takes a lease for over, in microseconds of its clock.
        answered: what the rest of the run says.
        place: of the event in the run.
    """

    lease_us: int
    master_waits_us: int
    answered: Answered = field(default_factory=Answered)
    place: int = 0

    def master_counts(self, chunk: Chunk, event: Event) -> None:
        """The master counts a lease from now on."""
        chunk.lease = Clock(now_us(event), (self.lease_us // 2, self.lease_us, self.master_waits_us))

    def primary_counts(self, chunk: Chunk, chunkserver: str, since_us: int) -> None:
        """A chunkserver counts a lease, or what may become one, from this time of its clock."""
        chunk.counts[chunkserver] = Clock(since_us, (self.lease_us // 2, self.lease_us))

    @property
    def primary(self) -> str | None:
        """The chunkserver that becomes the primary under the version that this event logs."""
        return self.answered.primaries.get(self.place)

    @property
    def is_of_a_logged_version(self) -> bool:
        """Whether the lease that this event grants was checked where its version was logged."""
        return self.place in self.answered.grants

    @property
    def is_heard(self) -> bool:
        """Whether the primary hears of the extension that this event is."""
        return self.place in self.answered.heard


Judge: TypeAlias = Callable[[Known, Event, Chunk], Projected]
"""Says what an event is to its chunk."""


def is_named_by(event: str) -> Judge:
    """A judge of events from which another one follows."""
    reason = f"what follows is an event of its own: {event}"

    def judge(known: Known, event: Event, chunk: Chunk) -> Projected:
        return LeftOut(reason)

    return judge


def now_us(event: Event) -> int:
    """The time of an event, by the clock of its node."""
    assert event.time_us is not None, "events of a simulated run have times"
    return event.time_us


def version_of(event: Event) -> int:
    """The version in an event."""
    assert event.generation_stamp is not None, "events of chunks have versions"
    return event.generation_stamp


def step(name: str, chunkserver: str | None = None, **shown: int) -> Event:
    """A step of the model as an event."""
    return model_step(name, None if chunkserver is None else {"chunkserver": chunkserver}, observed=shown)
