"""Maps the events of chunkservers to steps of gfs.chunk_lease on their chunk.

Not here: events of the master (`chunk_of_master`), and those of no chunk (`chunk_lease`).
"""

from collections.abc import Mapping
from typing import Final

from genstamp.events import Event
from genstamp.lockstep.gfs import chunk_words as words
from genstamp.lockstep.gfs.chunk import Chunk, Judge, Known, is_named_by, now_us, step, version_of
from genstamp.lockstep.projection import Entity, LeftOut, Perhaps, Projected


def _create_replica(known: Known, event: Event, chunk: Chunk) -> Projected:
    if event.node in chunk.held:
        return LeftOut(words.AGAIN)
    if chunk.chosen > 1:
        return chunk.end(words.LATE_COPY)
    is_first = not chunk.held
    chunk.held[event.node] = 1
    if is_first:
        chunk.choose(version_of(event))
        chunk.recorded(version_of(event))
        unanswered = Perhaps("lose_contact", {"chunkserver": event.node})
        return Entity(chunk.key, (step("create_chunk", event.node), unanswered))
    return Entity(chunk.key, (step("add_replica", event.node),))


def _clone_replica(known: Known, event: Event, chunk: Chunk) -> Projected:
    if event.node in chunk.held:
        return chunk.end(words.REPLACED)
    if event.node not in chunk.copying:
        return chunk.end(words.LATE_COPY)
    chunk.copying.remove(event.node)
    chunk.held[event.node] = chunk.number_of(version_of(event))
    return Entity(chunk.key, (step("add_replica", event.node),))


def _record_version(known: Known, event: Event, chunk: Chunk) -> Projected:
    if not chunk.waits_for(event.node, version_of(event)):
        return chunk.end(words.LATE_OFFER)
    known.primary_counts(chunk, event.node, now_us(event))
    number = chunk.held[event.node] = chunk.recorded(version_of(event))
    return Entity(chunk.key, (step("record_version", event.node, version=number),))


def _confirm_version(known: Known, event: Event, chunk: Chunk) -> Projected:
    """An earlier life may have recorded it, and died before it said so."""
    if not chunk.waits_for(event.node, version_of(event)):
        return LeftOut(words.AGAIN)
    arguments = {"chunkserver": event.node}
    chunk.recorded(version_of(event))
    heard, unheard = Perhaps("record_version", arguments), Perhaps("record_version_unanswered", arguments)
    return Entity(chunk.key, (heard, unheard))


def _learn_lease(known: Known, event: Event, chunk: Chunk) -> Projected:
    grant = (event.node, version_of(event))
    if grant in chunk.learned:
        return LeftOut(words.AGAIN)
    chunk.learned.add(grant)
    return Entity(chunk.key, (*chunk.time_at(event.node, now_us(event)), step("learn_lease", event.node)))


def _learn_extension(known: Known, event: Event, chunk: Chunk) -> Projected:
    known.primary_counts(chunk, event.node, int(event.arguments["counted_us"]))
    return LeftOut(words.SAID)


def _hear_revocation(known: Known, event: Event, chunk: Chunk) -> Projected:
    if chunk.revoked != version_of(event):
        return LeftOut(words.LATE_REVOCATION)
    return Entity(chunk.key, (step("give_up_lease", event.node),))


def _answer(known: Known, event: Event, chunk: Chunk) -> Projected:
    return Entity(chunk.key, (*chunk.time_at(event.node, now_us(event)), step("write", event.node)))


def _delete_replica(known: Known, event: Event, chunk: Chunk) -> Projected:
    gone = step("delete_replica" if event.node in chunk.stale else "discard_replica", event.node)
    chunk.stale.discard(event.node)
    chunk.held.pop(event.node, None)
    return Entity(chunk.key, (gone,))


OF_CHUNKSERVERS: Final[Mapping[str, Judge]] = {
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
    "find_corrupt": is_named_by("hear_corrupt"),
}
