"""What clients, the primary and the secondaries know of writes to one region: the variables, with no steps.

The region has several pieces, and each is a mutation of its own: so a client writes what is large, or crosses the end
of a chunk (section 3.1). Whose bytes stand in a piece is told, and not which.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver


class Client(Index, symmetric=True):
    """A client, which writes the whole region once, and retries what failed."""


class Piece(Index, symmetric=True):
    """A piece of the region."""


class Serial(Record):
    """A mutation with a serial number, which is its place in the queue."""

    client = reference(Client)
    piece = reference(Piece)


class Write(Record):
    """The write of one piece by one client: what the client knows, and what the primary knows for it."""

    state = lifecycle(MutationLifecycle)
    serial = number(limit="mutations")  # its place in the queue, while it is ordered
    failed_somewhere = flag()  # a replica has answered with an error


class MutationState(Part):
    """Writes under one lease at a time: in gfs.chunk_lease stands why there are not two primaries."""

    write = per(Client, per(Piece, record(Write)))
    current = members(Chunkserver, initially_all=True)  # replicas of the lease
    primary = optional(Chunkserver)
    queue = sequence(record(Serial), limit="mutations")  # what the primary has ordered under this lease
    processed = per(Chunkserver, number(limit="mutations"))  # so many of them a replica has applied, or failed to
    content = per(Chunkserver, per(Piece, optional(Client)))  # whose bytes stand there
    leases = number(limit="leases")  # history

    newest = per(Chunkserver, number(limit="mutations"))  # history: one more than the serial number last applied
    skipped = members(Chunkserver)  # history: replicas that failed to apply something under this lease
    last_of = per(Piece, number(limit="mutations"))  # history: serial number of the last mutation of the piece
    stands = per(Piece, optional(Client))  # history: whose write succeeded, with no mutation ordered after it
    overlapped = flag()  # history: two clients wrote at once
    failed = flag()  # history: a mutation failed
