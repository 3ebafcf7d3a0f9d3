"""What clients, the primary and the secondaries know of record appends to the last chunk of a file: the variables.

A chunk has room for two records, and for less than one more: that rest is padded. Earlier chunks are not looked at.
"""

import enum
from typing import Final

from genstamp_model.language import (
    Part,
    Record,
    enumeration,
    flag,
    lifecycle,
    members,
    none,
    number,
    optional,
    per,
    record,
    sequence,
)
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client

ROOM: Final = 2
"""Records that a chunk has room for; their offsets are 0 and 1."""
FULL: Final = ROOM + 1
"""Length of a chunk that is padded."""


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


class Replica(Record):
    """A replica of the last chunk."""

    first = record(Slot)
    second = record(Slot)
    length = number(0, FULL)


class Forward(Record):
    """What the primary forwards: a record and its offset, or padding."""

    client = optional(Client)  # none: padding
    offset = number(0, ROOM)


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
    leases = number(limit="leases")  # history
    chunks = number(limit="chunks")  # history: chunks before this one

    # History: one more than the last offset that the primary answered, in this chunk; 0: none.
    told = per(Client, number(0, FULL))
