"""gfs.record_append: a record whose append was answered stands whole at its offset on every replica, at least once."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.gfs.bugs.record_append import RECORD_APPEND_BUGS
from genstamp_spec.gfs.parts.append_state import Bytes, Offset
from genstamp_spec.gfs.parts.append_steps import NextChunk
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client


class RecordAppendProperties(NextChunk):
    """What an append promises, and the column of appends of table 1."""

    @invariant
    def answered_record_stands_everywhere(s, client: Client, chunkserver: Chunkserver) -> Bool:
        """AppendAtLeastOnce: it stands whole, at the offset that was answered, on each replica that is not stale."""
        counts = ~s.told[client].is_none() & s.current.has(chunkserver)
        return counts.implies(s.has_record(chunkserver, s.told[client], client))

    def has_record(s, chunkserver: Chunkserver, offset: Offset, client: Client) -> Bool:
        """The client's record stands whole at the offset, and not behind the end."""
        slot = s.content[chunkserver][offset]
        return slot.bytes.at(Bytes.WHOLE) & (slot.client == client) & s.replica[chunkserver].taken.has(offset)

    @invariant
    def offsets_are_answered_once(s, first: Client, second: Client) -> Bool:
        """No two records are at one offset."""
        return (first == second) | s.told[first].is_none() | (s.told[first] != s.told[second])

    @invariant(inductive=True)
    def applied_was_ordered(s, chunkserver: Chunkserver) -> Bool:
        """A replica has done nothing that the primary did not order."""
        return s.processed[chunkserver] <= s.queue.size()

    @transition
    def answered_record_is_not_touched(s, t: Self, client: Client, chunkserver: Chunkserver) -> Bool:
        """RegionTable: the region of an append that was answered is defined, and stays so."""
        counts = ~s.told[client].is_none() & t.current.has(chunkserver) & (s.chunks == t.chunks)
        return counts.implies(t.has_record(chunkserver, s.told[client], client))

    @invariant
    def replicas_are_as_long_as_what_was_answered(s, client: Client, chunkserver: Chunkserver) -> Bool:
        """Each replica that may become primary ends behind what was answered: the next record comes after it."""
        counts = ~s.told[client].is_none() & s.current.has(chunkserver)
        return counts.implies(s.up_to(s.told[client]) <= s.replica[chunkserver].taken)

    @witness
    def record_stands_twice(s, chunkserver: Chunkserver, client: Client) -> Bool:
        """A record that was retried stands twice."""
        before = exists(Offset, lambda p: s.is_before(p, s.told[client]) & s.has_record(chunkserver, p, client))
        return ~s.told[client].is_none() & before

    @witness
    def defined_beside_inconsistent(s, client: Client, one: Chunkserver, other: Chunkserver) -> Bool:
        """RegionTable: an answered record stands behind bytes that differ between replicas."""
        differ = exists(Offset, lambda p: s.is_before(p, s.told[client]) & (s.content[one][p] != s.content[other][p]))
        return ~s.told[client].is_none() & differ & s.current.has(one) & s.current.has(other)

    @witness
    def shorter_primary(s, chunkserver: Chunkserver) -> Bool:
        """A new primary ends before a secondary does, where a record was not answered."""
        behind = ~(s.replica[chunkserver].taken <= s.replica[s.primary].taken)
        return s.current.has(chunkserver) & ~s.primary.is_none() & behind

    @witness
    def padding_fails(s, one: Chunkserver, other: Chunkserver) -> Bool:
        """A chunk is padded on one replica and not on another, which will not hear of it any more."""
        padded = s.replica[one].padded & ~s.replica[other].padded
        return padded & s.current.has(one) & s.current.has(other) & (s.processed[other] == s.queue.size())

    @witness
    def succeeds_in_the_next_chunk(s, client: Client) -> Bool:
        """A record that did not fit stands in the chunk after."""
        return (s.chunks > 0) & ~s.told[client].is_none()


RECORD_APPEND = System(
    "gfs.record_append",
    parts=[RecordAppendProperties],
    doc="Record append to the last chunk of a file: at least once, at one offset, with padding and duplicates.",
    rows="""
        *: Client=2 Offset=2 Chunkserver=2 mutations=3 leases=2 chunks=0
        two_replicas: ; two clients and two leases
        next_chunk: mutations=4 leases=1 chunks=1; the chunk is padded, and the next one is begun
        three_replicas: Chunkserver=3; three replicas, of which one may be left out
    """,
    bugs=RECORD_APPEND_BUGS,
    omits=(
        "the bytes of a record: it is whole, or a part of it stands there",
        "how long records are: each has one offset, and any may be too long for the rest of the chunk",
        "the chunks before the last one, to which nobody appends",
        "how data is pushed, and buffers that age out",
        "two primaries at a time: in gfs.chunk_lease",
        "readers, which know padding and fragments by checksums, and duplicates by ids",
        "clients that hang when a lease or a chunk ends: they have given up before",
    ),
)
