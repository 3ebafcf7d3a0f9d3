"""Maps the events of a run of GFS to steps of gfs.chunk_lease: one chunk at a time, by its handle.

What master and chunkservers do is taken in the order in which it happened. Calls and their answers are one step of the
model: a version is recorded where a chunkserver has recorded it, whether the master hears of that or not; a lease is
given up where its primary hears of the revocation. Time passes by the clock of each node: half a lease and a whole one
are ticks of a primary, and for the master there is one more, when it takes the lease for over.

Versions are counted as the model counts them, since one that was chosen is lost if the master dies before it told
anybody. A write is an answer of success: all replicas of the lease have done the mutation.

The meanings of the events are in `chunk_of_master` and `chunk_of_chunkservers`.

Not here: what `chunk_words` names. A copy or a version that a chunkserver records when the master has given it up
ends what is judged of a chunk, as the model takes each exchange as one step.
"""

from collections.abc import Iterator, Mapping, Sequence

from genstamp.events import Event
from genstamp.lockstep.gfs import chunk_words as words
from genstamp.lockstep.gfs.answered import answered
from genstamp.lockstep.gfs.chunk import Chunk, Judge, Known, step
from genstamp.lockstep.gfs.chunk_of_chunkservers import OF_CHUNKSERVERS
from genstamp.lockstep.gfs.chunk_of_master import OF_MASTER, find_lease
from genstamp.lockstep.projection import Entity, Happened, LeftOut, Projected
from genstamp_dfs.gfs.protocol import MASTER


class ChunkLeaseProjection:
    """The projection of one run on gfs.chunk_lease.

    Args:
        chunkservers: their names.
        lease_us: how long a primary believes in its lease, in microseconds of its clock.
        master_waits_us: when the master takes a lease for over, in microseconds of its clock.
    """

    unseen: Mapping[str, Mapping[str, Sequence[str]]] = {}
    impossible = words.IMPOSSIBLE
    told_apart = words.TOLD_APART
    forgotten = words.FORGOTTEN

    def __init__(self, chunkservers: Sequence[str], lease_us: int, master_waits_us: int) -> None:
        self.members = {"Chunkserver": tuple(chunkservers)}
        self._known = Known(lease_us, master_waits_us)
        self._chunks: dict[str, Chunk] = {}
        self._named: dict[str, int] = {}

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        self._known.answered = answered(events)
        for self._known.place, event in enumerate(events):
            yield event, list(self._projected(event))

    # -- which chunk ------------------------------------------------------------------------------------------------

    def _projected(self, event: Event) -> Iterator[Projected]:
        if event.event in words.DROPPED:
            yield LeftOut(words.DROPPED[event.event])
        elif event.event == "find_lease" and event.refused_with is None:
            yield self._judged(find_lease, event, event.observed["handle"])
        elif event.kind in words.DROPPED_KINDS:
            yield LeftOut(words.DROPPED_KINDS[event.kind])
        elif event.refused_with is not None and event.event != "find_corrupt":
            yield LeftOut(words.REFUSED)
        elif event.kind == "node":
            yield from self._of_node(event)
        elif event.event in ("create_chunk", "copy_chunk"):
            yield self._named_chunk(event)
        else:
            judge = (OF_MASTER if event.node == MASTER else OF_CHUNKSERVERS).get(event.event)
            assert judge is not None, f"the projection does not handle the event '{event.event}' of {event.node}"
            yield self._judged(judge, event, event.entity)

    def _judged(self, judge: Judge, event: Event, handle: str) -> Projected:
        chunk = self._chunks.get(handle)
        if chunk is None or chunk.is_over:
            return LeftOut(words.NO_CHUNK)
        return judge(self._known, event, chunk)

    def _named_chunk(self, event: Event) -> LeftOut:
        times = self._named[event.entity] = self._named.get(event.entity, 0) + 1
        key = event.entity if times == 1 else f"{event.entity}, named again"
        self._chunks[event.entity] = Chunk(event.entity, key, int(event.arguments["records"]))
        return LeftOut(words.CREATED)

    # -- nodes ------------------------------------------------------------------------------------------------------

    def _of_node(self, event: Event) -> Iterator[Projected]:
        what = {"start_master": self._master_starts, "start_chunkserver": self._chunkserver_starts}
        judge = what.get(event.event, self._contact_lost)
        found = [judge(event, chunk) for chunk in self._chunks.values() if self._is_concerned(event, chunk)]
        yield from found or [LeftOut(words.NOBODY)]

    def _is_concerned(self, event: Event, chunk: Chunk) -> bool:
        if chunk.is_over or not chunk.held:
            return False
        return event.event == "start_master" or event.entity in chunk.held

    def _master_starts(self, event: Event, chunk: Chunk) -> Projected:
        if chunk.records > int(event.observed["records"]):
            return chunk.end(words.UNDONE)
        chunk.lease_ended()
        self._known.master_counts(chunk, event)
        chunk.is_older = True
        chunk.told.clear()
        chunk.copying.clear()
        return Entity(chunk.key, (step("restart_master"),))

    def _chunkserver_starts(self, event: Event, chunk: Chunk) -> Projected:
        chunk.counts.pop(event.node, None)
        down = Happened("crash", {"chunkserver": event.node})
        return Entity(chunk.key, (down, Happened("restart_chunkserver", {"chunkserver": event.node})))

    def _contact_lost(self, event: Event, chunk: Chunk) -> Projected:
        assert event.event in ("lose_chunkserver", "hear_registration"), (
            f"the projection does not handle '{event.event}'"
        )
        return Entity(chunk.key, (Happened("lose_contact", {"chunkserver": event.entity}),))
