"""How the events of a run of GFS are read as steps of gfs.chunk_lease: one chunk by itself, by its handle.

What master and chunkservers do is taken in the order in which it happened. Calls and their answers are one step of the
model: a version is recorded where a chunkserver has recorded it, whether the master hears of that or not; a lease is
given up where its primary hears of the revocation. Time passes by the clock of each node: half a lease and a whole one
are ticks of a primary, and for the master there is one more, when it takes the lease for over.

Versions are counted as the model counts them, since one that was chosen is lost if the master dies before it told
anybody. A write is an answer of success: all replicas of the lease have done the mutation.

Leaves out: what `chunk_words` names. A copy or a version that a chunkserver records when the master has given it up
ends what is judged of a chunk, as the model takes each exchange as one step.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.gfs import chunk_words as words
from genstamp.lockstep.gfs.answered import Answered, answered
from genstamp.lockstep.gfs.chunk import Chunk, Clock
from genstamp.lockstep.projection import Entity, Happened, LeftOut, Perhaps, Projected, Step

MASTER: Final = "master"

_Judge = Callable[["ChunkLeaseProjection", Event, Chunk], Projected]


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
        self._primary_us = (lease_us // 2, lease_us)
        self._master_us = (lease_us // 2, lease_us, master_waits_us)
        self._chunks: dict[str, Chunk] = {}
        self._named: dict[str, int] = {}
        self._answered = Answered()
        self._place = 0

    def project(self, events: Sequence[Event]) -> Iterator[tuple[Event, list[Projected]]]:
        """Each event of a run, with what it is to the system."""
        self._answered = answered(events)
        for self._place, event in enumerate(events):
            yield event, list(self._projected(event))

    # -- which chunk ------------------------------------------------------------------------------------------------

    def _projected(self, event: Event) -> Iterator[Projected]:
        if event.event in words.DROPPED:
            yield LeftOut(words.DROPPED[event.event])
        elif event.event == "find_lease" and event.refused_with is None:
            yield self._judged(_find_lease, event, event.observed["handle"])
        elif event.kind in words.DROPPED_KINDS:
            yield LeftOut(words.DROPPED_KINDS[event.kind])
        elif event.refused_with is not None and event.event != "find_corrupt":
            yield LeftOut(words.REFUSED)
        elif event.kind == "node":
            yield from self._of_node(event)
        elif event.event in ("create_chunk", "copy_chunk"):
            yield self._named_chunk(event)
        else:
            judge = (_OF_MASTER if event.node == MASTER else _OF_CHUNKSERVERS).get(event.event)
            assert judge is not None, f"no word is said about the event '{event.event}' of {event.node}"
            yield self._judged(judge, event, event.entity)

    def _judged(self, judge: _Judge, event: Event, handle: str) -> Projected:
        chunk = self._chunks.get(handle)
        if chunk is None or chunk.is_over:
            return LeftOut(words.NO_CHUNK)
        return judge(self, event, chunk)

    def _named_chunk(self, event: Event) -> LeftOut:
        times = self._named[event.entity] = self._named.get(event.entity, 0) + 1
        key = event.entity if times == 1 else f"{event.entity}, named again"
        self._chunks[event.entity] = Chunk(event.entity, key, int(event.arguments["records"]))
        return LeftOut(words.CREATED)

    def end(self, chunk: Chunk, reason: str) -> LeftOut:
        """Nothing more of a chunk is judged."""
        chunk.is_over = True
        return LeftOut(reason, chunk.key, is_end=reason == words.UNLISTED)

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
            return self.end(chunk, words.UNDONE)
        chunk.lease_ended()
        chunk.lease = Clock(_now_us(event), self._master_us)
        chunk.is_older = True
        chunk.told.clear()
        chunk.copying.clear()
        return Entity(chunk.key, (_step("restart_master"),))

    def _chunkserver_starts(self, event: Event, chunk: Chunk) -> Projected:
        chunk.counts.pop(event.node, None)
        down = Happened("crash", {"chunkserver": event.node})
        return Entity(chunk.key, (down, Happened("restart_chunkserver", {"chunkserver": event.node})))

    def _contact_lost(self, event: Event, chunk: Chunk) -> Projected:
        assert event.event in ("lose_chunkserver", "hear_registration"), f"no word is said about '{event.event}'"
        return Entity(chunk.key, (Happened("lose_contact", {"chunkserver": event.entity}),))

    # -- clocks -----------------------------------------------------------------------------------------------------

    def master_counts(self, event: Event, chunk: Chunk) -> None:
        """The master counts a lease from now on."""
        chunk.lease = Clock(_now_us(event), self._master_us)

    def primary_counts(self, chunk: Chunk, chunkserver: str, since_us: int) -> None:
        """A chunkserver counts a lease, or what may become one, from this time of its clock."""
        chunk.counts[chunkserver] = Clock(since_us, self._primary_us)

    @property
    def primary(self) -> str | None:
        """Who becomes the primary under the version that this event logs."""
        return self._answered.primaries.get(self._place)

    @property
    def is_of_a_logged_version(self) -> bool:
        """Whether the lease that this event grants was judged where its version was logged."""
        return self._place in self._answered.grants

    @property
    def is_heard(self) -> bool:
        """Whether the primary hears of the extension that this event is."""
        return self._place in self._answered.heard


def _now_us(event: Event) -> int:
    assert event.time_us is not None, "events of a simulated run have times"
    return event.time_us


def _version(event: Event) -> int:
    assert event.generation_stamp is not None, "events of chunks have versions"
    return event.generation_stamp


def _step(name: str, chunkserver: str | None = None, **shown: int) -> Event:
    """A step of the model as an event."""
    return Event(
        source="genstamp-dfs",
        node="model",
        node_sequence=0,
        kind="block",
        namespace="",
        entity="chunk",
        event=name,
        arguments={} if chunkserver is None else {"chunkserver": chunkserver},
        observed={name: str(value) for name, value in shown.items()},
    )


# -- what the master does --------------------------------------------------------------------------------------------


def _place_chunk(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    made = _names(event, "chunkservers")
    steps: list[Step] = [Happened("report_current", {"chunkserver": name}) for name in made]
    steps += [Happened("lose_contact", {"chunkserver": name}) for name in sorted(chunk.held.keys() - set(made))]
    return Entity(chunk.key, tuple(steps))


def _names(event: Event, argument: str) -> list[str]:
    return [name for name in event.arguments[argument].split(",") if name]


def _begin_grant(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    told = set(_names(event, "chunkservers"))
    if chunk.told:
        assert told == chunk.told, "a version is offered anew to those that have answered"
        chunk.numbers[_version(event)] = chunk.chosen
        return LeftOut(words.SAID)
    chunk.told = told
    chunk.copying.clear()
    over = chunk.former_lease_over(_now_us(event))
    step = _step("begin_grant", version=chunk.choose(_version(event)), replicas=len(told))
    return Entity(chunk.key, (*over, step))


def _leave_out(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    name = event.arguments["chunkserver"]
    is_last = chunk.told == {name}
    chunk.told.discard(name)
    if is_last:
        return Entity(chunk.key, (Happened("drop_grant", {}),))
    chunk.choose()
    return Entity(chunk.key, (_step("leave_out", name),))


def _log_version(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    chunk.told.clear()
    chunk.is_older = False
    chunk.lease_ended()
    chunk.records = int(event.arguments["records"])
    version = chunk.numbers[_version(event)]
    if one.primary is None:
        return Entity(chunk.key, (_step("raise_version", version=version),))
    return Entity(chunk.key, (_step("grant_lease", one.primary, version=version),))


def _grant_lease(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    chunk.granted = _version(event)
    one.master_counts(event, chunk)
    if one.is_of_a_logged_version:
        return LeftOut(words.SAID)
    version = chunk.numbers.get(_version(event), 0)
    return Entity(chunk.key, (_step("grant_lease", event.arguments["chunkserver"], version=version),))


def _extend_lease(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    primary = event.arguments["chunkserver"]
    time = chunk.time_at_master(_now_us(event))
    one.master_counts(event, chunk)
    if one.is_heard and primary in chunk.counts:
        chunk.counts[primary].is_waiting = True
    return Entity(chunk.key, (*time, _step("extend_lease" if one.is_heard else words.UNANSWERED, primary)))


def _revoke_lease(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    if chunk.revoked == _version(event):
        return LeftOut(words.AGAIN)
    chunk.revoked = _version(event)
    return Entity(chunk.key, (*chunk.time_at_master(_now_us(event)), _step("revoke_lease")))


def _give_up_lease(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    chunk.lease_ended()
    return LeftOut(words.SAID)


def _expire_lease(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    time = chunk.time_at_master(_now_us(event))
    chunk.lease_ended()
    return Entity(chunk.key, (*time, _step("expire_lease")))


def _find_lease(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    if chunk.lease is None or chunk.revoked == _version(event) or chunk.granted != _version(event):
        return LeftOut(words.LATE_ANSWER)
    return Entity(chunk.key, (_step("find_lease_holder", version=chunk.numbers[_version(event)]),))


def _detect_stale(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    name = event.arguments["chunkserver"]
    if name not in chunk.held:
        return one.end(chunk, words.UNTOLD)
    if name in chunk.stale:
        return LeftOut(words.AGAIN)
    if chunk.numbers[_version(event)] < chunk.held[name]:
        return LeftOut(words.LATE_REPORT)
    chunk.stale.add(name)
    return Entity(chunk.key, (_step("report_stale", name),))


def _find_replica(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    name = event.arguments["chunkserver"]
    if name not in chunk.held:
        return one.end(chunk, words.UNTOLD)
    return Entity(chunk.key, (_step("report_current", name),))


def _adopt_version(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    return Entity(chunk.key, (_step("report_higher", event.arguments["chunkserver"]),))


def _begin_clone(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    chunk.copying.add(event.arguments["chunkserver"])
    over = chunk.former_lease_over(_now_us(event))
    return Entity(chunk.key, tuple(over)) if over else LeftOut(words.COPIES)


def _clone(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    # A target that is taken for dead by now is not named.
    return Entity(chunk.key, (Perhaps("report_current", {"chunkserver": event.arguments["chunkserver"]}),))


def _count_no_more(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    """The master counts on a copy in place of this one, or hears that it is corrupt: it is as good as lost."""
    return Entity(chunk.key, (Happened("lose_contact", {"chunkserver": event.arguments["chunkserver"]}),))


def _is_named_by(event: str) -> _Judge:
    reason = f"what follows is an event of its own: {event}"

    def judge(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
        return LeftOut(reason)

    return judge


def _ends(reason: str) -> _Judge:
    def judge(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
        return one.end(chunk, reason)

    return judge


_OF_MASTER: Final[Mapping[str, _Judge]] = {
    "place_chunk": _place_chunk,
    "begin_grant": _begin_grant,
    "leave_out": _leave_out,
    "log_version": _log_version,
    "grant_lease": _grant_lease,
    "extend_lease": _extend_lease,
    "revoke_lease": _revoke_lease,
    "give_up_lease": _give_up_lease,
    "expire_lease": _expire_lease,
    "detect_stale": _detect_stale,
    "find_replica": _find_replica,
    "adopt_version": _adopt_version,
    "begin_clone": _begin_clone,
    "clone": _clone,
    "move_replica": _count_no_more,
    "find_surplus": _is_named_by("delete_replica"),
    "hear_corrupt": _count_no_more,
    "orphan": _ends(words.UNLISTED),
}


# -- what chunkservers do --------------------------------------------------------------------------------------------


def _create_replica(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    if event.node in chunk.held:
        return LeftOut(words.AGAIN)
    if chunk.chosen > 1:
        return one.end(chunk, words.LATE_COPY)
    is_first = not chunk.held
    chunk.held[event.node] = 1
    if is_first:
        chunk.choose(_version(event))
        unanswered = Perhaps("lose_contact", {"chunkserver": event.node})
        return Entity(chunk.key, (_step("create_chunk", event.node), unanswered))
    return Entity(chunk.key, (_step("add_replica", event.node),))


def _clone_replica(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    if event.node in chunk.held:
        return one.end(chunk, words.REPLACED)
    if event.node not in chunk.copying:
        return one.end(chunk, words.LATE_COPY)
    chunk.copying.remove(event.node)
    chunk.held[event.node] = chunk.numbers[_version(event)]
    return Entity(chunk.key, (_step("add_replica", event.node),))


def _record_version(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    if not chunk.waits_for(event.node, _version(event)):
        return one.end(chunk, words.LATE_OFFER)
    one.primary_counts(chunk, event.node, _now_us(event))
    number = chunk.held[event.node] = chunk.numbers[_version(event)]
    return Entity(chunk.key, (_step("record_version", event.node, version=number),))


def _confirm_version(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    """An earlier life may have recorded it, and died before it said so."""
    if not chunk.waits_for(event.node, _version(event)):
        return LeftOut(words.AGAIN)
    arguments = {"chunkserver": event.node}
    heard, unheard = Perhaps("record_version", arguments), Perhaps("record_version_unanswered", arguments)
    return Entity(chunk.key, (heard, unheard))


def _learn_lease(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    grant = (event.node, _version(event))
    if grant in chunk.learned:
        return LeftOut(words.AGAIN)
    chunk.learned.add(grant)
    return Entity(chunk.key, (*chunk.time_at(event.node, _now_us(event)), _step("learn_lease", event.node)))


def _learn_extension(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    one.primary_counts(chunk, event.node, int(event.arguments["counted_us"]))
    return LeftOut(words.SAID)


def _hear_revocation(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    if chunk.revoked != _version(event):
        return LeftOut(words.LATE_REVOCATION)
    return Entity(chunk.key, (_step("give_up_lease", event.node),))


def _answer(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    return Entity(chunk.key, (*chunk.time_at(event.node, _now_us(event)), _step("write", event.node)))


def _delete_replica(one: ChunkLeaseProjection, event: Event, chunk: Chunk) -> Projected:
    step = _step("delete_replica" if event.node in chunk.stale else "discard_replica", event.node)
    chunk.stale.discard(event.node)
    chunk.held.pop(event.node, None)
    return Entity(chunk.key, (step,))


_OF_CHUNKSERVERS: Final[Mapping[str, _Judge]] = {
    "create_replica": _create_replica,
    "copy_replica": _create_replica,
    "clone_replica": _clone_replica,
    "record_version": _record_version,
    "confirm_version": _confirm_version,
    "learn_lease": _learn_lease,
    "learn_extension": _learn_extension,
    "hear_revocation": _hear_revocation,
    "answer": _answer,
    "delete_replica": _delete_replica,
    "find_corrupt": _is_named_by("hear_corrupt"),
}
