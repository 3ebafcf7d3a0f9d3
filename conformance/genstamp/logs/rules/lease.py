"""What observed events say about the lease of one holder.

Leaves out which files the lease covers: an event that ends the work on one file may or may not have ended the lease,
so it is explained by either.

Sections D, E and F are those of the facts file `hdfs-protocol.md`. Roles: "" the holder that acts; "holder" the
holder of the file that is acted on; "holder_of_no_other" who had only that file when its recovery began; "new_holder"
who gets it.
"""

from genstamp.logs.rules.shape import Effect, Rule, RuleBook, Way, states

_EVENTS = (
    "grant",
    "renew",
    "soft_limit_passes",
    "hard_limit_passes",
    "start_recovery",
    "take_over",
    "recovery_ends",
    "reassign",
    "release",
    "restart",
)

_HAS_ONE = states("held", "past_soft_limit", "past_hard_limit", "being_recovered")
_PAST_HARD = states("past_hard_limit")
_UNCHANGED = (Way(),)
_IN_HAND = (Way((), (), _HAS_ONE),)
_FILE_LEAVES = (*_IN_HAND, Way(("release",)), Way(("recovery_ends",)))
_FILE_IS_TAKEN = (*_FILE_LEAVES, Way(("reassign",)))

_HOLDER = (
    Rule("truncate", _UNCHANGED, "E.4  FSDirTruncateOp#truncate: nothing is recovered", when={"answer": "true"}),
    *(Rule(event, (Way(("grant",)),), "D.2  LeaseManager#addLease") for event in ("create", "append", "truncate")),
    Rule("fsync", _UNCHANGED, "E.10  FSNamesystem#fsync: logged before its checks", when={"outcome": "unknown"}),
    # S17: a file under construction belongs to a lease, so who works on one has a lease.
    *(
        Rule(event, _IN_HAND, "D.1, S17  FSNamesystem#checkLease")
        for event in ("add_block", "fsync", "update_pipeline", "update_blocks", "abandon_block", "check_file_progress")
    ),
    # HDFS-3031: a second complete answers true, and the lease may be gone by then.
    Rule("complete", (*_FILE_LEAVES, *_UNCHANGED), "A.5, D.2  LeaseManager#removeLease", when={"closed": "true"}),
    Rule("complete", _IN_HAND, "E.9  FSNamesystem#checkLease"),
    Rule("renew_lease", (Way(("renew",)),), "D.5  LeaseManager#renewLease"),
    Rule("soft_limit_passes", (Way(("soft_limit_passes",)),), "D.1  LeaseManager.Lease#expiredSoftLimit"),
    Rule(
        "hard_limit_passes",
        (Way(("hard_limit_passes",)), Way(("soft_limit_passes", "hard_limit_passes")), Way((), (), _PAST_HARD)),
        "D.1, D.3  LeaseManager#checkLeases",
    ),
    Rule("client_crash", _UNCHANGED, "the NameNode does not notice"),
    Rule("namenode_restart", (Way(("restart",)), *_UNCHANGED), "A.7  LeaseManager#renewAllLeases"),
)

_FILE_HOLDER = (
    # The soft limit had passed: a recovery was started, and the holder stays.
    Rule(
        "create",
        (Way(("start_recovery",)), Way(("reassign",))),
        "F.1 row 5  FSNamesystem#recoverLeaseInternal; with soft-limit-takes-the-file repaired the file goes",
        role="holder",
        refused="RecoveryInProgressException",
        when={"recovery_id": "*"},
    ),
    Rule(
        "create",
        (*_IN_HAND, Way(("start_recovery",))),
        "F.1 rows 5, 6  FSNamesystem#recoverLeaseInternal",
        role="holder",
        refused="RecoveryInProgressException",
    ),
    Rule("create", _FILE_LEAVES, "F.1  FSNamesystem#recoverLeaseInternal", role="holder", refused="*"),
    Rule(
        "recover_lease",
        (*_FILE_IS_TAKEN, *_UNCHANGED),
        "E.12, F.2  FSNamesystem#recoverLease",
        role="holder",
        when={"closed": "true"},
    ),
    Rule("recover_lease", _FILE_IS_TAKEN, "E.12, F.2  FSNamesystem#recoverLease", role="holder"),
    Rule(
        "release_expired_lease",
        (Way((), (), _PAST_HARD), Way(("release",)), Way(("reassign",), (), _PAST_HARD)),
        "D.3, F.2  LeaseManager#checkLeases",
        role="holder",
    ),
    Rule(
        "start_recovery",
        (*_IN_HAND, Way(("start_recovery",)), Way(("take_over",)), Way(("reassign",))),
        "F.4  FSNamesystem#internalReleaseLease",
        role="holder",
    ),
    Rule("internal_release_lease", _IN_HAND, "F.3  FSNamesystem#internalReleaseLease, at its beginning", role="holder"),
    Rule("reassign_lease", (*_IN_HAND, Way(("reassign",))), "F.4  LeaseManager#reassignLease", role="holder"),
    Rule("close", _FILE_LEAVES, "A.5, D.2  LeaseManager#removeLease", role="holder"),
    Rule(
        "commit_block_synchronization",
        (*_FILE_LEAVES, *_UNCHANGED),
        "G.6, A.5  LeaseManager#removeLease",
        role="holder",
        when={"closed": "true"},
    ),
    Rule("commit_block_synchronization", _UNCHANGED, "G.6", role="holder"),
    *(
        Rule(
            event,
            (Way(("release",)), Way((), (), states("released"))),
            "D.2, F.4  LeaseManager#removeLease, #reassignLease: a lease without a file is none",
            role="holder_of_no_other",
        )
        for event in ("commit_block_synchronization", "close")
    ),
    Rule("delete", _FILE_LEAVES, "E.14  LeaseManager#removeLease", role="holder"),
    # A.7: the holder stands in the inode; leases are built from that.
    Rule(
        "stored_in_image",
        (*_IN_HAND, Way(("grant",))),
        "A.7, D.1  FSImageFormatPBINode.Loader#loadFilesUnderConstructionSection",
        role="holder",
        when={"history": "begins"},
    ),
    Rule("stored_in_image", _IN_HAND, "A.7, D.1, S17  FSImageFormatPBINode", role="holder"),
)

_NEW_HOLDER = (
    Rule("reassign_lease", (Way(("take_over",)),), "F.4  LeaseManager#reassignLease", role="new_holder"),
    *(
        Rule(event, _UNCHANGED, "F.3: closed at once, nothing to take over", role="new_holder", when={"closed": "true"})
        for event in ("recover_lease", "release_expired_lease")
    ),
    *(
        Rule(event, (Way(("take_over",)),), source, role="new_holder")
        for event, source in {
            "recover_lease": "F.2, F.4  FSNamesystem#reassignLease, also where an attempt is younger than 90 s",
            "release_expired_lease": "D.4, F.4  LeaseManager#checkLeases",
        }.items()
    ),
)

LEASE = RuleBook(
    "lease",
    {event: Effect() for event in _EVENTS},
    (
        *_HOLDER,
        *_FILE_HOLDER,
        *_NEW_HOLDER,
        *(
            Rule(event, _UNCHANGED, "E.0: after a refusal nothing has changed", refused="*", role=role)
            for event in (
                "create",
                "append",
                "truncate",
                "add_block",
                "complete",
                "recover_lease",
                "fsync",
                "update_pipeline",
                "commit_block_synchronization",
                "abandon_block",
                "renew_lease",
                "release_expired_lease",
            )
            for role in ("", "holder", "new_holder")
        ),
    ),
)
