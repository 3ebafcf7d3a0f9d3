"""Rules for the lease of one holder.

Roles: "" is the client that acts; "holder" the holder of the file; "holder_of_no_other" a holder that had only this
file when its recovery began; "new_holder" the client that gets the file.

Not here: which files the lease covers. After an event that closes one file the lease may be released or kept.

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.shape import UNCHANGED, Effect, Rule, RuleBook, Way, each, lost, states
from genstamp.logs.rules.soft_limit import FILE_LEAVES, HAS_LEASE, OF_LEASES

_EVENTS = (
    "grant renew soft_limit_passes hard_limit_passes start_recovery take_over recovery_ends reassign release restart"
)

_CALLS = (
    "create append truncate add_block complete recover_lease fsync update_pipeline commit_block_synchronization"
    " abandon_block renew_lease release_expired_lease"
)

_PAST_HARD = states("past_hard_limit")
_IN_HAND = (Way((), (), HAS_LEASE),)
_FILE_IS_TAKEN = (*FILE_LEAVES, Way(("reassign",)))

_HOLDER = (
    Rule("truncate", UNCHANGED, "E.4  FSDirTruncateOp#truncate: nothing is recovered", when={"answer": "true"}),
    Rule("truncate", (Way(("grant",)),), "D.2  LeaseManager#addLease", when={"recovery_id": "*"}),
    Rule("truncate", (Way(("grant",)), *UNCHANGED), "E.4, D.2  FSDirTruncateOp#truncate", when={"answer": "false"}),
    *each("create append truncate", (Way(("grant",)),), "D.2  LeaseManager#addLease"),
    Rule("fsync", UNCHANGED, "E.10  FSNamesystem#fsync: logged before its checks", when={"outcome": "unknown"}),
    # S17: every file under construction belongs to a lease.
    *each(
        "add_block fsync update_pipeline update_blocks abandon_block check_file_progress",
        _IN_HAND,
        "D.1, S17  FSNamesystem#checkLease",
    ),
    # HDFS-3031: a retried complete also answers true, when the lease may already be released.
    Rule("complete", (*FILE_LEAVES, *UNCHANGED), "A.5, D.2  LeaseManager#removeLease", when={"closed": "true"}),
    Rule("complete", _IN_HAND, "E.9  FSNamesystem#checkLease"),
    Rule("renew_lease", (Way(("renew",)),), "D.5  LeaseManager#renewLease"),
    Rule("soft_limit_passes", (Way(("soft_limit_passes",)),), "D.1  LeaseManager.Lease#expiredSoftLimit"),
    Rule(
        "hard_limit_passes",
        (Way(("hard_limit_passes",)), Way(("soft_limit_passes", "hard_limit_passes")), Way((), (), _PAST_HARD)),
        "D.1, D.3  LeaseManager#checkLeases",
    ),
    Rule("client_crash", UNCHANGED, "the NameNode does not notice"),
    Rule("namenode_restart", (Way(("restart",)), *UNCHANGED), "A.7  LeaseManager#renewAllLeases"),
)

_FILE_HOLDER = (
    Rule("create", FILE_LEAVES, "F.1  FSNamesystem#recoverLeaseInternal", role="holder", refused="*"),
    Rule(
        "recover_lease",
        (*_FILE_IS_TAKEN, *UNCHANGED),
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
    Rule("close", FILE_LEAVES, "A.5, D.2  LeaseManager#removeLease", role="holder"),
    Rule(
        "commit_block_synchronization",
        (*FILE_LEAVES, *UNCHANGED),
        "G.6, A.5  LeaseManager#removeLease",
        role="holder",
        when={"closed": "true"},
    ),
    Rule("commit_block_synchronization", UNCHANGED, "G.6", role="holder"),
    *each(
        "commit_block_synchronization close",
        (Way(("release",)), Way((), (), states("released"))),
        "D.2, F.4  LeaseManager#removeLease, #reassignLease: a lease without files is removed",
        role="holder_of_no_other",
    ),
    Rule("delete", FILE_LEAVES, "E.14  LeaseManager#removeLease", role="holder"),
    # A.7: leases are rebuilt from the holders in the inodes.
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
    *each(
        "recover_lease release_expired_lease",
        UNCHANGED,
        "F.3: closed at once, not taken over",
        role="new_holder",
        when={"closed": "true"},
    ),
    Rule(
        "recover_lease",
        (Way(("take_over",)),),
        "F.2, F.4  FSNamesystem#reassignLease, also where an attempt is younger than 90 s",
        role="new_holder",
    ),
    Rule("release_expired_lease", (Way(("take_over",)),), "D.4, F.4  LeaseManager#checkLeases", role="new_holder"),
)

LEASE = RuleBook(
    "lease",
    dict.fromkeys(_EVENTS.split(), Effect()),
    (
        lost("A.7, D.1  FSEditLogLoader#loadEditRecords, LeaseManager#addLease"),
        *OF_LEASES,
        *_HOLDER,
        *_FILE_HOLDER,
        *_NEW_HOLDER,
        *(
            Rule(event, UNCHANGED, "E.0: after a refusal nothing has changed", refused="*", role=role)
            for event in _CALLS.split()
            for role in ("", "holder", "new_holder")
        ),
    ),
)
