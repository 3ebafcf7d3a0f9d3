"""What keeps a write of GFS waiting for ever, or answers it wrongly, each as one change to gfs.progress.

None of them is known of GFS: they are what an implementer may get wrong.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.progress_steps import LIVE, WrittenReplicas


class RevokedIsExtended(WrittenReplicas, lane="master"):
    """A primary that has not heard of the revocation has its lease extended, and a snapshot waits for ever."""

    def extends(s) -> None:
        """Also while the lease is revoked."""
        require(s.up.has(s.primary), "the primary is up and believes in its lease")
        require(s.lease.at(*LIVE, ChunkLeaseLifecycle.revoking), "the lease is not over")
        s.lease.fire(ChunkLeaseLifecycle.extend, where=s.lease.at(*LIVE))
        s.fresh = True


REVOKED_IS_EXTENDED = Bug(
    "revoked-lease-is-extended",
    parts=(RevokedIsExtended,),
    source="section 3.1: extensions and revocations are both in the master's hand",
).at("two_chunkservers", "revocation_ends")


class DeadIsWaitedFor(WrittenReplicas, lane=Chunkserver):
    """A primary waits without end for the answer of a secondary that is dead."""

    @action
    def miss_write(s, chunkserver: Chunkserver) -> None:
        """One that is dead does not."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        s.misses(chunkserver)


DEAD_IS_WAITED_FOR = Bug(
    "dead-secondary-is-waited-for",
    parts=(DeadIsWaitedFor,),
    source="section 3.1: any errors at any of the replicas are reported to the client",
).at("two_chunkservers", "write_ends")


class LeaseLostInSilence(WrittenReplicas, lane="client"):
    """A primary whose lease is over does not answer requests, and its client waits for ever."""

    @action
    def hear_failure(s) -> None:
        """It is not told that the primary has no lease any more."""
        require(s.write.at(MutationLifecycle.data_pushed, MutationLifecycle.ordered), "the client waits")
        require(~s.up.has(s.known), "the primary is not reached")
        s.known = none
        s.outdated = False
        s.serving = False
        s.write.fire(MutationLifecycle.fail)


LEASE_LOST_IN_SILENCE = Bug(
    "lease-lost-in-silence",
    parts=(LeaseLostInSilence,),
    source="section 3.1: or replies that it no longer holds a lease",
).at("two_chunkservers", "write_ends", "retried_write_succeeds")


class ExpiresWhenReached(WrittenReplicas, lane="master"):
    """The master waits for a word of the primary before it takes a lease for over."""

    @action(hidden=True)
    def expire_lease(s) -> None:
        """A dead one never does."""
        require(s.up.has(s.holder), "the primary is up")
        s.expires()


EXPIRES_WHEN_REACHED = Bug(
    "lease-of-a-dead-primary-never-expires",
    parts=(ExpiresWhenReached,),
    source="section 3.1: safe to grant after the old lease expires, without the primary",
).at("two_chunkservers", "revocation_ends", "retried_write_succeeds")


class DeadReplicaStays(WrittenReplicas, lane="master"):
    """A primary goes on to extend a lease whose secondary is dead, and no write succeeds any more."""

    @action(event="revoke_lease")
    def revoke_for_dead_replica(s) -> None:
        """A dead secondary is no reason to end it."""
        require(~s.is_reached(), "a replica of the lease is not reached")
        require(~s.up.has(s.holder), "the primary is not reached")
        s.lease.fire(ChunkLeaseLifecycle.revoke)


DEAD_REPLICA_STAYS = Bug(
    "dead-secondary-keeps-its-lease", parts=(DeadReplicaStays,), source="section 3.1 does not say who ends such a lease"
).at("two_chunkservers", "retried_write_succeeds")
ANSWERED_TOO_EARLY = Bug(
    "write-answered-before-all-have-it",
    "the primary answers with success without waiting for every secondary",
    drops=(("answer", "all have applied it"),),
    source="section 3.1, step 6: the secondaries all reply to the primary",
).at("two_chunkservers", "success_means_everywhere")

PROGRESS_BUGS = (
    REVOKED_IS_EXTENDED,
    DEAD_IS_WAITED_FOR,
    LEASE_LOST_IN_SILENCE,
    EXPIRES_WHEN_REACHED,
    DEAD_REPLICA_STAYS,
    ANSWERED_TOO_EARLY,
)
"""Each breaks a promise of gfs.progress."""
