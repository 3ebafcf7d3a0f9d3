"""Maps the events of a master to steps of gfs.chunk_lease on their chunk.

Not here: events of chunkservers (`chunk_of_chunkservers`), and those of no chunk (`chunk_lease`).
"""

from collections.abc import Mapping
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.gfs import chunk_words as words
from genstamp.lockstep.gfs.chunk import Chunk, Judge, Known, is_named_by, now_us, step, version_of
from genstamp.lockstep.projection import Entity, Happened, LeftOut, Perhaps, Projected, Step


def _place_chunk(known: Known, event: Event, chunk: Chunk) -> Projected:
    made = _names(event, "chunkservers")
    steps: list[Step] = [Happened("report_current", {"chunkserver": name}) for name in made]
    steps += [Happened("lose_contact", {"chunkserver": name}) for name in sorted(chunk.held.keys() - set(made))]
    return Entity(chunk.key, tuple(steps))


def _names(event: Event, argument: str) -> list[str]:
    return [name for name in event.arguments[argument].split(",") if name]


def _begin_grant(known: Known, event: Event, chunk: Chunk) -> Projected:
    told = set(_names(event, "chunkservers"))
    if told == chunk.told and chunk.is_new(version_of(event)):
        # A version is offered anew to those that have answered: it was chosen where the others were left out.
        chunk.numbers[version_of(event)] = chunk.chosen
        return LeftOut(words.SAID)
    chunk.told = told
    chunk.copying.clear()
    over = chunk.former_lease_over(now_us(event))
    begun = step("begin_grant", version=chunk.choose(version_of(event)), replicas=len(told))
    return Entity(chunk.key, (*over, begun))


def _leave_out(known: Known, event: Event, chunk: Chunk) -> Projected:
    name = event.arguments["chunkserver"]
    is_last = chunk.told == {name}
    chunk.told.discard(name)
    if is_last:
        return Entity(chunk.key, (Happened("drop_grant", {}),))
    chunk.choose()
    return Entity(chunk.key, (step("leave_out", name),))


def _log_version(known: Known, event: Event, chunk: Chunk) -> Projected:
    chunk.told.clear()
    chunk.is_older = False
    chunk.lease_ended()
    chunk.records = int(event.arguments["records"])
    version = chunk.recorded(version_of(event))
    if known.primary is None:
        return Entity(chunk.key, (step("raise_version", version=version),))
    return Entity(chunk.key, (step("grant_lease", known.primary, version=version),))


def _grant_lease(known: Known, event: Event, chunk: Chunk) -> Projected:
    chunk.granted = version_of(event)
    known.master_counts(chunk, event)
    if known.is_of_a_logged_version:
        return LeftOut(words.SAID)
    version = chunk.number_of(version_of(event))
    return Entity(chunk.key, (step("grant_lease", event.arguments["chunkserver"], version=version),))


def _extend_lease(known: Known, event: Event, chunk: Chunk) -> Projected:
    primary = event.arguments["chunkserver"]
    time = chunk.time_at_master(now_us(event))
    known.master_counts(chunk, event)
    if known.is_heard and primary in chunk.counts:
        chunk.counts[primary].is_waiting = True
    return Entity(chunk.key, (*time, step("extend_lease" if known.is_heard else words.UNANSWERED, primary)))


def _revoke_lease(known: Known, event: Event, chunk: Chunk) -> Projected:
    if chunk.revoked == version_of(event):
        return LeftOut(words.AGAIN)
    chunk.revoked = version_of(event)
    return Entity(chunk.key, (*chunk.time_at_master(now_us(event)), step("revoke_lease")))


def _give_up_lease(known: Known, event: Event, chunk: Chunk) -> Projected:
    chunk.lease_ended()
    return LeftOut(words.SAID)


def _expire_lease(known: Known, event: Event, chunk: Chunk) -> Projected:
    time = chunk.time_at_master(now_us(event))
    chunk.lease_ended()
    return Entity(chunk.key, (*time, step("expire_lease")))


def find_lease(known: Known, event: Event, chunk: Chunk) -> Projected:
    if chunk.lease is None or chunk.revoked == version_of(event) or chunk.granted != version_of(event):
        return LeftOut(words.LATE_ANSWER)
    return Entity(chunk.key, (step("find_lease_holder", version=chunk.number_of(version_of(event))),))


def _detect_stale(known: Known, event: Event, chunk: Chunk) -> Projected:
    name = event.arguments["chunkserver"]
    if name not in chunk.held:
        return chunk.end(words.UNTOLD)
    if name in chunk.stale:
        return LeftOut(words.AGAIN)
    if chunk.number_of(version_of(event)) < chunk.held[name]:
        return LeftOut(words.LATE_REPORT)
    chunk.stale.add(name)
    return Entity(chunk.key, (step("report_stale", name),))


def _find_replica(known: Known, event: Event, chunk: Chunk) -> Projected:
    name = event.arguments["chunkserver"]
    if name not in chunk.held:
        return chunk.end(words.UNTOLD)
    return Entity(chunk.key, (step("report_current", name),))


def _adopt_version(known: Known, event: Event, chunk: Chunk) -> Projected:
    return Entity(chunk.key, (step("report_higher", event.arguments["chunkserver"]),))


def _begin_clone(known: Known, event: Event, chunk: Chunk) -> Projected:
    chunk.copying.add(event.arguments["chunkserver"])
    over = chunk.former_lease_over(now_us(event))
    return Entity(chunk.key, tuple(over)) if over else LeftOut(words.COPIES)


def _clone(known: Known, event: Event, chunk: Chunk) -> Projected:
    # A target that is taken for dead by now is not named.
    return Entity(chunk.key, (Perhaps("report_current", {"chunkserver": event.arguments["chunkserver"]}),))


def _count_no_more(known: Known, event: Event, chunk: Chunk) -> Projected:
    """The master counts on a copy in place of this one, or hears that it is corrupt: it is as good as lost."""
    return Entity(chunk.key, (Happened("lose_contact", {"chunkserver": event.arguments["chunkserver"]}),))


def _ends(reason: str) -> Judge:
    def judge(known: Known, event: Event, chunk: Chunk) -> Projected:
        return chunk.end(reason)

    return judge


OF_MASTER: Final[Mapping[str, Judge]] = {
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
    "find_surplus": is_named_by("delete_replica"),
    "hear_corrupt": _count_no_more,
    "orphan": _ends(words.UNLISTED),
}
