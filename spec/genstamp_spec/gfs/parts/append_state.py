"""What clients, the primary and the secondaries know of record appends to the last chunk of a file: the variables.

Each record is as long as the distance of two offsets, and one that does not fit into the rest has the chunk padded.
Earlier chunks are not looked at.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client


class Offset(Index):
    """An offset in the last chunk, with room for a record up to the next one."""


class Bytes(enum.Enum):
    """What stands at an offset: nothing that anybody wrote, a record, or a part of one."""

    NOTHING = enum.auto()
    WHOLE = enum.auto()
    PART = enum.auto()


class Slot(Record):
    """The bytes at one offset of one replica."""

    bytes = enumeration(Bytes)
    client = optional(Client)  # whose record it is, or a part of it


def nothing() -> Slot:
    """Nobody has written there."""
    return Slot(bytes=Bytes.NOTHING, client=none)


def no_offset() -> Members[Offset]:
    """The empty set."""
    return those(Offset, lambda offset: False)


class Replica(Record):
    """How long a replica of the last chunk is."""

    taken = members(Offset)  # the offsets before its end
    padded = flag()


class Forward(Record):
    """What the primary forwards: a record and its offset, or padding."""

    client = optional(Client)
    offset = optional(Offset)  # none: padding


class Append(Record):
    """The append of one record by one client: what the client knows, and what the primary knows for it."""

    state = lifecycle(MutationLifecycle)
    serial = number(limit="mutations")  # its place in the queue, while it is ordered
    failed_somewhere = flag()  # a replica has answered with an error


class AppendState(Part):
    """Appends under one lease at a time: in gfs.chunk_lease stands why there are not two primaries."""

    append = per(Client, record(Append))
    current = members(Chunkserver, initially_all=True)  # replicas of the lease
    primary = optional(Chunkserver)
    queue = sequence(record(Forward), limit="mutations")  # what the primary has ordered under this lease
    processed = per(Chunkserver, number(limit="mutations"))  # so many of them a replica has applied, or failed to
    replica = per(Chunkserver, record(Replica))
    content = per(Chunkserver, per(Offset, record(Slot)))
    leases = number(limit="leases")  # history
    chunks = number(limit="chunks")  # history: chunks before this one

    told = per(Client, optional(Offset))  # history: the last offset that the primary answered, in this chunk

    def up_to(s, offset: Offset) -> Members[Offset]:
        """An offset and all before it."""
        return those(Offset, lambda other: choose(Offset, lambda one: (one == offset) | (one == other)) == other)

    def is_before(s, one: Offset, other: Offset) -> Bool:
        """One offset stands before another."""
        return (one != other) & s.up_to(other).has(one)
