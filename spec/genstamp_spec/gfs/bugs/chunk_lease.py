"""What goes wrong where one thing is left out that keeps chunk leases safe, each as one change to gfs.chunk_lease.

None of them is known of GFS, whose source nobody has published: they are what an implementer may get wrong.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.chunk_lease import ChunkLeaseLifecycle
from genstamp_spec.gfs.parts.lease_master import LeaseMaster
from genstamp_spec.gfs.parts.lease_state import Chunkserver

GRANTED_BEFORE_EXPIRY = Bug(
    "lease-granted-before-the-old-one-expired",
    "the master takes a lease for over as soon as it cannot reach the primary",
    drops=(("expire_lease", "a lease and the margin have passed"),),
    source="section 3.1: after the old lease expires",
).at("two_chunkservers", "one_primary", "no_lease_while_one_may_be_left", "named_replicas_are_complete")


class NoMargin(LeaseMaster, lane="master"):
    """The master takes a lease for over when it is over by its own clock."""

    def margin_ticks(s) -> int:
        """The master waits for a lease, and no more."""
        return 0


NO_MARGIN = Bug("no-margin-for-clocks", parts=(NoMargin,), source="section 3.1 says nothing of clocks").at(
    "two_chunkservers", "one_primary", "no_lease_while_one_may_be_left", "named_replicas_are_complete"
)


class CountsFromReceipt(LeaseMaster, lane=Chunkserver):
    """A primary counts its lease from when the grant arrives, so that a late one lasts longer than the master knows."""

    @action
    def learn_lease(s, chunkserver: Chunkserver) -> None:
        """The grant arrives, however late."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.sent.has(chunkserver), "a grant is under way to it")
        s.sent.remove(chunkserver)
        s.count_from_now(chunkserver)
        s.counting.add(chunkserver)
        s.leased.add(chunkserver)


COUNTS_FROM_RECEIPT = Bug(
    "lease-counted-from-its-receipt", parts=(CountsFromReceipt,), source="section 3.1 leaves it open"
).at("two_chunkservers", "one_primary", "no_lease_while_one_may_be_left", "named_replicas_are_complete")


class GrantsAfterRestart(LeaseMaster, lane="master"):
    """A master that starts again grants leases at once, as it knows of none."""

    @action
    def restart_master(s) -> None:
        """Leases are not in the log, and so there are none."""
        s.start_again()
        s.lease.fire(ChunkLeaseLifecycle.restart, ChunkLeaseLifecycle.expire)


GRANTS_AFTER_RESTART = Bug(
    "lease-granted-at-once-after-a-restart",
    parts=(GrantsAfterRestart,),
    source="section 2.6 does not say what becomes of leases",
).at("crashes", "one_primary", "no_lease_while_one_may_be_left", "named_replicas_are_complete")


class VersionNotRaised(LeaseMaster, lane="master"):
    """A lease is granted without a new version, and a replica that misses mutations cannot be told from the others."""

    @action
    def begin_grant(s) -> None:
        """Nothing is offered: see below."""
        require(s.version < 0, "a version is offered")

    @action
    def grant_lease(s, chunkserver: Chunkserver) -> None:
        """Replicas that are not up are left out, and nothing tells them from the others afterwards."""
        require(s.locations.has(chunkserver) & s.up.has(chunkserver), "the primary is up and known")
        s.lease.fire(ChunkLeaseLifecycle.grant)
        s.locations = s.locations & s.up
        s.forget(chunkserver)
        s.counting.add(chunkserver)
        s.send_grant(chunkserver, s.locations)


VERSION_NOT_RAISED = Bug("version-not-raised", parts=(VersionNotRaised,), source="section 4.5").at(
    "crashes", "named_replicas_are_complete"
)


class ToldBeforeLogged(LeaseMaster, lane="master"):
    """A version that was offered and never confirmed is chosen again, for other replicas."""

    def offer(s) -> None:
        """It may be one that somebody has recorded for a grant that came to nothing."""
        s.offered = s.version + 1
        s.chosen = largest(s.chosen, s.offered)


TOLD_BEFORE_LOGGED = Bug(
    "version-chosen-twice",
    parts=(ToldBeforeLogged,),
    source="section 4.5 does not say whether the master or a replica records it first",
).at("crashes", "named_replicas_are_complete")


class GoesAhead(LeaseMaster, lane="master"):
    """A grant goes ahead without a replica that has recorded the version, but whose answer was lost."""

    @action
    def grant_lease(s, chunkserver: Chunkserver) -> None:
        """Whoever has not answered is left out, under the same version."""
        require(s.offered > 0, "a grant is being prepared")
        require(s.recorded.has(chunkserver), "the primary has answered")
        s.lease.fire(ChunkLeaseLifecycle.grant)
        s.send_grant(chunkserver, s.recorded)
        s.confirm(s.recorded)


GOES_AHEAD = Bug(
    "goes-ahead-without-an-answer",
    parts=(GoesAhead,),
    source="section 4.5: a version is not advanced where a replica is unavailable; it does not say how that is known",
).at("two_chunkservers", "named_replicas_are_complete")


class RevocationForgotten(LeaseMaster, lane="master"):
    """A revocation arrives before the grant, is agreed to, and the grant is believed afterwards."""

    @action
    def give_up_lease(s, chunkserver: Chunkserver) -> None:
        """The primary gives up what it knows of; a grant that is under way still arrives."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require(s.primary == chunkserver, "the master knows it as the primary")
        s.leased.remove(chunkserver)
        s.lease.fire(ChunkLeaseLifecycle.give_up)
        s.primary = none
        s.lease_age = 0


REVOCATION_FORGOTTEN = Bug(
    "revocation-overtakes-its-grant",
    parts=(RevocationForgotten,),
    source="section 3.1: messages of the master may overtake each other",
).at("two_chunkservers", "one_primary", "no_lease_while_one_may_be_left", "named_replicas_are_complete")


class ExtendedWhileRevoking(LeaseMaster, lane="master"):
    """A primary that is not reached by the revocation has its lease extended with each heartbeat, for ever."""

    def extend(s) -> None:
        """The lease counts anew, also while it is revoked."""
        s.lease.fire(ChunkLeaseLifecycle.extend, where=~s.lease.at(ChunkLeaseLifecycle.revoking))


EXTENDED_WHILE_REVOKING = Bug(
    "extended-while-revoking",
    parts=(ExtendedWhileRevoking,),
    source="section 3.4: revoked or expired, before the snapshot goes on",
).at("two_chunkservers", "revoked_lease_is_not_extended")
LOWER_VERSION_TAKEN = Bug(
    "stale-report-taken-for-current",
    "the master names a replica that reports, whatever its version",
    drops=(("report_current", "its version is the chunk's"),),
    source="section 4.5",
).at("two_chunkservers", "named_replicas_are_current", "named_replicas_are_complete")


class LostIsCounted(LeaseMaster, lane="master"):
    """A replica is found corrupt and deleted after it has recorded a version, while the master waits for
    another one.
    """

    def takes_back(s, chunkserver: Chunkserver) -> None:
        """The replica is gone, and counts as one that has recorded the version."""


LOST_IS_COUNTED = Bug(
    "lost-replica-is-counted",
    parts=(LostIsCounted,),
    source="section 4.5 does not say until when an answer counts; our own master had it",
).at("lost_contact", "offered_version_is_new", "named_replicas_are_current")
CHUNK_LEASE_BUGS = (
    LOST_IS_COUNTED,
    GRANTED_BEFORE_EXPIRY,
    NO_MARGIN,
    COUNTS_FROM_RECEIPT,
    GRANTS_AFTER_RESTART,
    VERSION_NOT_RAISED,
    TOLD_BEFORE_LOGGED,
    GOES_AHEAD,
    REVOCATION_FORGOTTEN,
    EXTENDED_WHILE_REVOKING,
    LOWER_VERSION_TAKEN,
)
"""Each breaks a promise of gfs.chunk_lease."""
