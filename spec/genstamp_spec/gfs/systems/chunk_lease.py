"""gfs.chunk_lease: at most one primary for a chunk, and no replica is named that misses what clients were told."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.gfs.bugs.chunk_lease import CHUNK_LEASE_BUGS
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_master import LIVE, LeaseMaster
from genstamp_spec.gfs.parts.lease_state import Chunkserver


class ChunkLeaseProperties(LeaseMaster):
    """What leases and versions promise."""

    @invariant
    def one_primary(s, first: Chunkserver, second: Chunkserver) -> Bool:
        """OnePrimary: no two chunkservers believe that they hold an unexpired lease, under whatever version."""
        return (first == second) | ~(s.leased.has(first) & s.leased.has(second))

    @transition
    def no_lease_while_one_may_be_left(s, t: Self, chunkserver: Chunkserver) -> Bool:
        """NoLeaseAfterCrash: when the master grants a lease, nobody believes in one, or may yet learn of one."""
        grants = ~s.lease.at(ChunkLeaseLifecycle.granted) & t.lease.at(ChunkLeaseLifecycle.granted)
        may_learn = s.sent.has(chunkserver) & s.counting.has(chunkserver)
        return grants.implies(~s.leased.has(chunkserver) & ~may_learn)

    @invariant(inductive=True, given=("versions_were_chosen", "offered_version_is_new", "who_believes_has_a_replica"))
    def one_primary_of_a_version(s, first: Chunkserver, second: Chunkserver) -> Bool:
        """OnePrimary: however far clocks run apart, no two believe in a lease of one version, or may learn of one."""
        both = s.may_believe(first) & s.may_believe(second)
        return (first == second) | ~both | (s.held[first] != s.held[second])

    def may_believe(s, chunkserver: Chunkserver) -> Bool:
        """It believes that it holds a lease, or will as soon as it hears of it."""
        return s.leased.has(chunkserver) | s.sent.has(chunkserver)

    @transition(inductive=True, given=("offered_version_is_new",))
    def version_never_decreases(s, t: Self) -> Bool:
        """VersionMonotonic: the master's version of the chunk never decreases, and neither does what it chose."""
        return (s.version <= t.version) & (s.chosen <= t.chosen)

    @invariant(inductive=True, given=("offered_version_is_new",))
    def who_believes_has_a_replica(s, chunkserver: Chunkserver) -> Bool:
        """Nobody believes in a lease, or may learn of one, without a replica."""
        return s.may_believe(chunkserver).implies(s.held[chunkserver] > 0)

    @invariant(inductive=True)
    def versions_were_chosen(s, chunkserver: Chunkserver) -> Bool:
        """VersionMonotonic: no version exceeds one that the master once chose."""
        return (s.held[chunkserver] <= s.chosen) & (s.version <= s.chosen) & (s.offered <= s.chosen)

    @invariant(inductive=True, given=("versions_were_chosen", "outdated_replicas_have_lower_versions"))
    def offered_version_is_new(s, chunkserver: Chunkserver) -> Bool:
        """What is offered is higher than the chunk's version, and who records it believes in no lease."""
        recorded = s.held[chunkserver] == s.offered
        answered = s.recorded.has(chunkserver).implies(recorded & s.told.has(chunkserver))
        offered = (s.offered > s.version) & recorded.implies(~s.may_believe(chunkserver)) & answered
        return when(s.offered == 0, ~s.told.has(chunkserver) & ~s.recorded.has(chunkserver), offered)

    @invariant(inductive=True, given=("versions_were_chosen", "offered_version_is_new"))
    def outdated_replicas_have_lower_versions(s, chunkserver: Chunkserver) -> Bool:
        """A replica is stale or garbage only where its version is lower than the chunk's; what is gone has none."""
        replica, held = s.replica[chunkserver], s.held[chunkserver]
        outdated = replica.at(ChunkReplicaLifecycle.stale, ChunkReplicaLifecycle.garbage)
        gone = replica.at(ChunkReplicaLifecycle.absent)
        return outdated.implies(held < s.version) & gone.implies(held == 0) & ~replica.at(ChunkReplicaLifecycle.corrupt)

    @invariant(inductive=True, given=("offered_version_is_new", "outdated_replicas_have_lower_versions"))
    def named_replicas_are_current(s, chunkserver: Chunkserver) -> Bool:
        """StaleNeverServed: the master names no replica whose version is below the chunk's."""
        return (~s.locations.has(chunkserver)) | (s.held[chunkserver] >= s.version)

    @invariant
    def named_replicas_are_complete(s, chunkserver: Chunkserver) -> Bool:
        """StaleNeverServed: a replica that the master names has every mutation that a client was told of."""
        return (~s.locations.has(chunkserver)) | s.complete.has(chunkserver)

    @invariant
    def acknowledged_mutations_survive(s) -> Bool:
        """Some replica that is not stale has every mutation that a client was told of."""
        current = exists(
            Chunkserver,
            lambda each: (
                s.complete.has(each) & s.replica[each].at(ChunkReplicaLifecycle.current) & (s.held[each] >= s.version)
            ),
        )
        return (s.version == 0) | current

    @invariant(inductive=True)
    def master_waits_no_longer(s) -> Bool:
        """The master does not count on when a lease must be over."""
        return s.lease_age <= s.master_waits()

    @transition(inductive=True, given=("master_waits_no_longer",))
    def revoked_lease_is_not_extended(s, t: Self) -> Bool:
        """A lease that is revoked comes to its end, and no heartbeat puts it off."""
        revoking = s.lease.at(ChunkLeaseLifecycle.revoking)
        waits_on = t.lease.at(ChunkLeaseLifecycle.revoking) & (t.lease_age >= s.lease_age)
        return revoking.implies(waits_on | ~t.lease.at(*LIVE, ChunkLeaseLifecycle.revoking))

    @transition(inductive=True)
    def memory_is_lost(s, t: Self) -> Bool:
        """A master that starts again has nothing but its log: it counts from then, and knows of no replica."""
        knows_nothing = (t.lease_age == 0) & t.locations.is_empty() & (t.offered == 0) & t.told.is_empty()
        return (s.master_restarts < t.master_restarts).implies(knows_nothing)

    @transition(inductive=True)
    def revocation_counts_on(s, t: Self) -> Bool:
        """A lease that begins to be revoked counts on from where it was."""
        begins = s.lease.at(*LIVE) & t.lease.at(ChunkLeaseLifecycle.revoking)
        return begins.implies(t.lease_age == s.lease_age)

    @witness
    def stale_replica_beside_a_primary(s, primary: Chunkserver, other: Chunkserver) -> Bool:
        """Somebody writes while another replica is stale."""
        return s.leased.has(primary) & s.replica[other].at(ChunkReplicaLifecycle.stale)

    @witness
    def primary_that_the_master_has_forgotten(s, chunkserver: Chunkserver) -> Bool:
        """A primary believes in its lease, rightly, and the master does not know of it."""
        return s.leased.has(chunkserver) & s.lease.at(ChunkLeaseLifecycle.unknown)

    @witness
    def master_believes_longer(s) -> Bool:
        """The primary's lease is over, and the master still waits."""
        return s.lease.at(*LIVE) & s.leased.is_empty() & s.sent.is_empty()

    @witness
    def grace_is_needed(s, chunkserver: Chunkserver) -> Bool:
        """A primary believes in its lease, rightly, when by the master's clock it would be over: clocks run apart."""
        return s.leased.has(chunkserver) & (s.primary == chunkserver) & (s.lease_age >= s.lease_ticks())

    @witness
    def revoked_lease_is_believed(s, chunkserver: Chunkserver) -> Bool:
        """A lease is revoked, and its primary has not heard of it."""
        return s.lease.at(ChunkLeaseLifecycle.revoking) & s.leased.has(chunkserver)

    @witness
    def primary_out_of_contact(s, primary: Chunkserver, other: Chunkserver) -> Bool:
        """The master has lost contact with a primary, and waits, though another replica is known."""
        lost = (s.primary == primary) & s.leased.has(primary) & ~s.locations.has(primary)
        return lost & s.locations.has(other) & (s.losses > 0)

    @witness
    def restarted_chunkserver_is_stale(s, chunkserver: Chunkserver, primary: Chunkserver) -> Bool:
        """A chunkserver has started again, with a replica that missed a version meanwhile."""
        again = (s.crashes > 0) & s.up.has(chunkserver) & s.replica[chunkserver].at(ChunkReplicaLifecycle.stale)
        return again & s.leased.has(primary)

    @witness
    def three_versions(s, oldest: Chunkserver, older: Chunkserver, newest: Chunkserver) -> Bool:
        """Replicas have three versions, of which only the newest is the chunk's."""
        rising = (s.held[oldest] < s.held[older]) & (s.held[older] < s.held[newest])
        return rising & (s.held[oldest] > 0) & (s.held[newest] == s.version)


CHUNK_LEASE = System(
    "gfs.chunk_lease",
    parts=[ChunkLeaseProperties],
    doc="The lease of one chunk: one primary at a time, under a version that exposes replicas which missed mutations.",
    rows="""
        *: Chunkserver=2 versions=4 skew=1 crashes=1 losses=0 copies=2
        two_chunkservers: master_restarts=0 crashes=0 copies=1;
            two replicas, whose clocks run apart by a tick at most during a lease
        crashes: master_restarts=2 copies=1; a chunkserver starts again, and the master twice
        three_chunkservers: Chunkserver=3 master_restarts=0 crashes=0; three replicas, of which some are not reached
        three_crashes: Chunkserver=3 master_restarts=1; three replicas; a chunkserver and the master start again
        lost_contact: master_restarts=1 losses=2;
            the master loses contact with a replica twice, and has the chunk copied anew
    """,
    bugs=CHUNK_LEASE_BUGS,
    omits=(
        "what a mutation writes, and one that some replica misses: in gfs.mutation_order",
        "record append, padding and the end of a chunk: in gfs.record_append",
        "copy-on-write, reference counts: in gfs.snapshot; here a lease is revoked, and why is not said",
        "when a chunk is copied, and why; checksums, and replicas that are corrupt: in gfs.replicas",
        "an offer, or a copy, that arrives when the master waits for it no longer",
        "the rest of the master's log, its remote replicas and checkpoints, and shadow masters: in gfs.master_log",
        "that a write comes to an end: in gfs.progress",
        "clients and their caches: what the master answers is all that is told",
        "pauses of a chunkserver, in which its clock stands still: a skew without bound",
        "the lease's length in relation to the margin: here two ticks to one",
    ),
)
