"""gfs.progress: a write ends in success or a failure that is reported, and succeeds eventually where it is retried."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.gfs.bugs.progress import PROGRESS_BUGS
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.progress_steps import WrittenReplicas

CLOCKS = ("time_passes", "lease_runs_out", "expire_lease")
ANSWERS = ("order_write", "apply_write", "miss_write", "answer", "answer_failure", "hear_failure")
ASKING = ("grant_lease", "revoke_for_dead_replica", "find_lease_holder", "forget_primary", "push_data", "retry")


class ProgressProperties(WrittenReplicas):
    """What has to happen, and that it happens rightly."""

    @transition(inductive=True)
    def success_means_everywhere(s, t: Self) -> Bool:
        """A write is answered with success only when every replica of the lease has applied it."""
        acknowledged = MutationLifecycle.acknowledged
        return (~s.write.at(acknowledged) & t.write.at(acknowledged)).implies(t.current <= t.applied)

    @invariant(inductive=True)
    def master_knows_the_primary(s) -> Bool:
        """OnePrimary: who believes in a lease is whom the master takes for the primary, and is up."""
        return s.primary.is_none() | ((s.primary == s.holder) & s.up.has(s.primary))

    @transition(inductive=True)
    def extended_leases_last(s, t: Self) -> Bool:
        """A primary believes in a lease that was extended of late until it gives the lease up, or stops."""
        ends = s.fresh & ~s.primary.is_none() & t.primary.is_none()
        return ends.implies(t.holder.is_none() | ~t.up.has(s.primary))

    @leads_to(fair=ANSWERS)
    def write_ends(s) -> tuple[Bool, Bool]:
        """A write whose data is pushed succeeds, or its client is told that it failed."""
        waits = s.write.at(MutationLifecycle.data_pushed, MutationLifecycle.ordered)
        return waits, ~waits

    @leads_to(fair=(*CLOCKS, *ANSWERS, *ASKING))
    def retried_write_succeeds(s, chunkserver: Chunkserver) -> tuple[Bool, Bool]:
        """A client that retries succeeds, once crashes and snapshots cease, if one current replica is left.

        Not before: a chunkserver that dies at the worst moment, each time, or a lease that is over before each write is
        done, keeps every write from success.
        """
        left = s.up.has(chunkserver) & s.current.has(chunkserver)
        return s.calm & left, s.write.at(MutationLifecycle.acknowledged)

    @leads_to(fair=CLOCKS)
    def revocation_ends(s) -> tuple[Bool, Bool]:
        """A lease that is revoked is over eventually, also if the primary is not reached."""
        revoking = s.lease.at(ChunkLeaseLifecycle.revoking)
        return revoking, ~revoking

    @witness
    def succeeds_after_a_crash(s) -> Bool:
        """A write succeeds on the replica that is left."""
        return s.write.at(MutationLifecycle.acknowledged) & (s.current.size() == 1)

    @witness
    def waits_for_a_dead_secondary(s, chunkserver: Chunkserver) -> Bool:
        """A primary waits for the answer of a chunkserver that is down."""
        unanswered = ~(s.applied | s.missed).has(chunkserver)
        return s.serving & s.current.has(chunkserver) & ~s.up.has(chunkserver) & unanswered

    @witness
    def applied_and_failed(s) -> Bool:
        """A write has failed that every replica has applied, as its answer was lost with the primary."""
        return s.write.at(MutationLifecycle.failed) & (s.current <= s.applied) & (s.current.size() > 1)

    @witness
    def outdated_primary(s) -> Bool:
        """A client's data is pushed to a primary whose lease was granted anew meanwhile."""
        return s.write.at(MutationLifecycle.data_pushed) & s.outdated & (s.known == s.primary)


PROGRESS = System(
    "gfs.progress",
    parts=[ProgressProperties],
    doc="A write ends in success or a reported failure, and a retried one succeeds while a current replica is reached.",
    rows="""
        one_chunkserver: Chunkserver=1; a single replica
        two_chunkservers: Chunkserver=2; two replicas
        three_chunkservers: Chunkserver=3; three replicas
    """,
    bugs=PROGRESS_BUGS,
    omits=(
        "clocks, lost answers, versions as numbers and restarts of the master: in gfs.chunk_lease",
        "the order of several writes, and what stands in a region after a failure: in gfs.mutation_order",
        "how a replica that was left out is cloned: in gfs.replicas",
        "a client that gives up, or dies",
        "which snapshot wants a lease revoked: in gfs.snapshot",
    ),
)
