"""What goes wrong where one thing is left out that makes an append stand everywhere, as changes to gfs.record_append.

None of them is known of GFS: they are what an implementer may get wrong.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.parts.append_state import Bytes, Offset, Slot
from genstamp_spec.gfs.parts.append_steps import NextChunk
from genstamp_spec.gfs.parts.lease_state import Chunkserver


class OwnEnd(NextChunk, lane=Chunkserver):
    """A secondary appends at its own end, which is another one after a failure."""

    def write_next(s, chunkserver: Chunkserver, bytes_: Bytes) -> None:
        """The offset that the primary has chosen is not looked at."""
        next_ = s.queue.at(s.processed[chunkserver])
        taken = s.replica[chunkserver].taken
        end = choose(Offset, lambda offset: ~taken.has(offset))
        slot = Slot(bytes=bytes_, client=next_.client)
        pads = next_.offset.is_none() | end.is_none()
        s.content[chunkserver].update(
            lambda offset: when(~pads & (offset == end), slot, s.content[chunkserver][offset])
        )
        s.replica[chunkserver].taken = when(pads, taken, taken | s.up_to(end))
        s.replica[chunkserver].padded = s.replica[chunkserver].padded | pads
        s.processed[chunkserver] = s.processed[chunkserver] + 1


OWN_END = Bug(
    "each-replica-appends-at-its-own-end",
    parts=(OwnEnd,),
    source="section 3.3: at the exact offset where the primary has",
).at("two_replicas", "answered_record_stands_everywhere")
ANSWERED_TOO_EARLY = Bug(
    "append-answered-before-all-have-it",
    "the primary answers without waiting for every secondary",
    drops=(("answer", "every replica has answered"),),
    source="section 3.3: success is reported when all replicas have it",
).at("two_replicas", "answered_record_stands_everywhere")
PART_TAKEN_FOR_WHOLE = Bug(
    "part-of-a-record-taken-for-success",
    "the primary answers with success although a secondary has failed",
    drops=(("answer", "every replica has applied it"),),
    source="section 3.3: if it fails at any replica, the client retries",
).at("two_replicas", "answered_record_stands_everywhere")


class StaleTakesPart(NextChunk, lane="master"):
    """A replica that was left out comes back, and takes part again."""

    @action
    def take_in(s, chunkserver: Chunkserver) -> None:
        """Its version is not looked at."""
        require(~s.current.has(chunkserver), "it was left out")
        s.current.add(chunkserver)
        s.processed[chunkserver] = s.queue.size()


STALE_TAKES_PART = Bug(
    "stale-replica-takes-part-in-appends",
    "a replica that was left out takes part again, although records were appended without it",
    parts=(StaleTakesPart,),
    source="section 4.5",
).at("two_replicas", "answered_record_stands_everywhere", "answered_record_is_not_touched")

RECORD_APPEND_BUGS = (OWN_END, ANSWERED_TOO_EARLY, PART_TAKEN_FOR_WHOLE, STALE_TAKES_PART)
"""Each breaks a promise of gfs.record_append."""
