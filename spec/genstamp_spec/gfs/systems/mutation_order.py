"""gfs.mutation_order: all replicas apply one order, and what comes of concurrent and of failed writes (table 1)."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.gfs.bugs.mutation_order import MUTATION_ORDER_BUGS
from genstamp_spec.gfs.lifecycles.mutation import MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.mutation_state import Client, Piece
from genstamp_spec.gfs.parts.mutation_steps import UNDER_WAY, NewLease


class MutationOrderProperties(NewLease):
    """What the order promises, and the row of writes of table 1."""

    @transition(inductive=True, given=("applied_was_ordered",))
    def replicas_apply_in_one_order(s, t: Self, chunkserver: Chunkserver) -> Bool:
        """SerialOrder: under one lease a replica applies a mutation only after all that it applies before it."""
        applied = s.newest[chunkserver] != t.newest[chunkserver]
        return (s.leases != t.leases) | ~applied | (s.newest[chunkserver] < t.newest[chunkserver])

    @invariant(inductive=True)
    def applied_was_ordered(s, chunkserver: Chunkserver) -> Bool:
        """A replica has applied nothing that the primary did not order."""
        newest, processed = s.newest[chunkserver], s.processed[chunkserver]
        return (newest <= processed) & (processed <= s.queue.size())

    @invariant(inductive=True)
    def replicas_that_fail_nothing_skip_nothing(s, chunkserver: Chunkserver) -> Bool:
        """SerialOrder: what a replica applied under a lease is a beginning of the order, unless it failed something."""
        return s.skipped.has(chunkserver) | (s.newest[chunkserver] == s.processed[chunkserver])

    @invariant
    def write_that_succeeded_stands(s, chunkserver: Chunkserver, piece: Piece) -> Bool:
        """A piece whose last mutation succeeded is the same on every replica that is not stale."""
        expected = s.stands[piece]
        return expected.is_none() | ~s.current.has(chunkserver) | (s.content[chunkserver][piece] == expected)

    # Table 1, for writes; of stale replicas nothing is said.

    def is_consistent(s) -> Bool:
        """All replicas of the lease have the same bytes in each piece."""
        return forall(
            Chunkserver,
            lambda one: forall(Chunkserver, lambda other: s.agree(one, other) | ~s.both_current(one, other)),
        )

    def both_current(s, one: Chunkserver, other: Chunkserver) -> Bool:
        """Neither is stale."""
        return s.current.has(one) & s.current.has(other)

    def agree(s, one: Chunkserver, other: Chunkserver) -> Bool:
        """Two replicas have the same bytes."""
        return forall(Piece, lambda piece: s.content[one][piece] == s.content[other][piece])

    def is_of_one(s) -> Bool:
        """What one write has written stands there in its entirety."""
        return forall(
            Chunkserver,
            lambda one: (
                ~s.current.has(one)
                | exists(Client, lambda client: forall(Piece, lambda piece: s.content[one][piece] == client))
            ),
        )

    def all_succeeded(s) -> Bool:
        """Somebody wrote, nothing failed, and nobody is writing any more."""
        wrote = exists(Client, lambda client: s.has_written(client))
        return wrote & ~s.failed & ~exists(Client, lambda client: s.is_writing(client))

    def is_quiet(s) -> Bool:
        """No mutation is under way, as far as its client knows."""
        return ~exists(Client, lambda client: exists(Piece, lambda piece: s.write[client][piece].state.at(*UNDER_WAY)))

    @invariant
    def serial_success_is_defined(s) -> Bool:
        """RegionTable: after successful writes, one after the other, the region is consistent, and of one of them."""
        return (s.all_succeeded() & ~s.overlapped).implies(s.is_consistent() & s.is_of_one())

    @invariant
    def concurrent_successes_are_consistent(s) -> Bool:
        """RegionTable: after successful writes, concurrent or not, the region is consistent."""
        return s.all_succeeded().implies(s.is_consistent())

    @witness
    def concurrent_successes_are_undefined(s) -> Bool:
        """RegionTable: concurrent writes that succeed may mingle."""
        return s.all_succeeded() & s.overlapped & ~s.is_of_one()

    @witness
    def failure_is_inconsistent(s) -> Bool:
        """RegionTable: after a failure the replicas may differ."""
        return s.is_quiet() & s.failed & ~s.is_consistent()

    @witness
    def retry_repairs(s, client: Client) -> Bool:
        """A write that failed and was retried stands everywhere."""
        return s.is_quiet() & s.failed & s.has_written(client) & s.is_consistent() & s.is_of_one()

    @witness
    def primary_is_ahead(s, chunkserver: Chunkserver, piece: Piece) -> Bool:
        """Two mutations of one piece are ordered, and a secondary has applied neither."""
        both = forall(Client, lambda client: s.write[client][piece].state.at(MutationLifecycle.ordered))
        return both & (s.processed[chunkserver] == 0) & s.current.has(chunkserver)


MUTATION_ORDER = System(
    "gfs.mutation_order",
    parts=[MutationOrderProperties],
    doc="Writes of several clients to one region: one order at all replicas, and what table 1 says of writes.",
    rows="""
        *: Client=2 Piece=1 Chunkserver=2 mutations=4 leases=2
        two_replicas: Piece=2 leases=1; two clients write two pieces
        retries: ; one piece, with retries and a second lease
        three_replicas: Chunkserver=3 mutations=3; three replicas, of which one may be left out
    """,
    bugs=MUTATION_ORDER_BUGS,
    omits=(
        "which bytes are written, and pieces that overlap in part: a piece is written whole",
        "how data is pushed, and buffers that age out: a push reaches all replicas",
        "record append",
        "two primaries at a time: in gfs.chunk_lease",
        "stale replicas that a client with an old cache reads",
        "clients of mutations that hang when a lease ends: they have given up before",
    ),
)
