"""The life of one lease: one holder at the NameNode's lease manager, as of Hadoop 3.4.1.

Leaves out: which files the lease covers and which of them are in recovery (the parts keep that relation), what the
client believes of its lease, and how long a limit is. A holder has one lease for all its files and renews them as one;
what happens to one file of several moves the lease only where it is listed here.

Events: grant, renew, soft_limit_passes, hard_limit_passes, start_recovery, take_over, recovery_ends, release, reassign,
restart.
"""

from statemachine import State, StateMachine


class LeaseLifecycle(StateMachine):
    """The lease of one holder: how old it is, and what the NameNode has begun with it.

    HDFS has no such enumeration; its lease manager keeps a time and a set of files. `held`, `past_soft_limit` and
    `past_hard_limit` are the answers of `Lease#expiredSoftLimit` and `Lease#expiredHardLimit`. `being_recovered` is a
    young lease with a file whose recovery was started under it. `released` means that the holder has no lease; holders
    begin there and come back with their last file gone, so it is a state like the others and not a pseudo-state.

    A lease that is past a limit has lost nothing yet: until the NameNode acts, its holder keeps every right.
    """

    released = State("released", initial=True)
    held = State("held")
    past_soft_limit = State("past soft limit")
    past_hard_limit = State("past hard limit")
    being_recovered = State("being recovered")

    granted = (held, past_soft_limit, past_hard_limit, being_recovered)

    # The holder opens files and is heard of.
    grant = (
        held.from_(released, held, past_soft_limit, past_hard_limit)  # D.2  LeaseManager#addLease, which also renews
        | being_recovered.to(being_recovered)  # D.2  one more file: the recovery goes on
    )
    renew = (
        held.from_(held, past_soft_limit, past_hard_limit)  # D.5  LeaseManager#renewLease
        | being_recovered.to(being_recovered)  # D.5  renewing stops no recovery
        | released.to(released)  # D.5  accepted in silence: a client does not learn here that it lost its files
    )

    # Time passes, and nothing else: somebody has to ask.
    soft_limit_passes = (
        held.to(past_soft_limit)  # D.1  LeaseManager.Lease#expiredSoftLimit
        | being_recovered.to(past_soft_limit)  # D.4  the attempt may have failed: the next one is due
    )
    hard_limit_passes = past_soft_limit.to(past_hard_limit)  # D.1  LeaseManager.Lease#expiredHardLimit

    # A recovery is started, for the same holder after the soft limit, else for a new one; the age starts anew.
    start_recovery = being_recovered.from_(past_soft_limit, past_hard_limit)  # F.1  FSNamesystem#recoverLeaseInternal
    take_over = being_recovered.from_(released, *granted)  # F.4  LeaseManager#reassignLease, the new holder's lease
    recovery_ends = being_recovered.to(held)  # D.2  LeaseManager#removeLease: that file is gone, others remain

    # The last file goes: it was closed or deleted, or it went to another holder.
    release = released.from_(*granted)  # D.2  LeaseManager#removeLease
    reassign = released.from_(*granted)  # F.4  LeaseManager#reassignLease, the old holder's lease

    # The NameNode starts again, or another one becomes active: it knows holders and files, but no age and no recovery.
    restart = held.from_(*granted)  # A.7  FSImageFormatPBINode.Loader#loadINodeFile, LeaseManager#renewAllLeases
