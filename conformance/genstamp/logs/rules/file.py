"""Rules for a file: one lease covers an open file, only its holder writes it, and each recovery that ends was started.

A file uses the registers for two other numbers: STAMP holds the number of its holder's name, LENGTH the id of its last
recovery.

Not here: its blocks (`block.py`) and the lease of the holder (`lease.py`).

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.shape import (
    OR_REFUSED,
    UNCHANGED,
    Check,
    Drift,
    Effect,
    Move,
    Register,
    Rule,
    RuleBook,
    Sets,
    Way,
    each,
    lost,
    states,
)
from genstamp.logs.rules.soft_limit import OF_FILES

LATE = "audited_late"
"""The event of a file of which the order of steps is not known (`genstamp.logs.readers.log_late`)."""

_EVENTS = (
    "create create_overwrite append truncate truncate_at_block_boundary add_block abandon_block update_pipeline fsync"
    " reassign_lease commit_block_synchronization_without_close close delete"
)

_OPEN = states("under_construction")
_CLOSED = states("closed")
_NOT_THERE = states("absent", "deleted")
_STAYS_OPEN = (Way((), (), _OPEN),)
_CLOSED_AT_ONCE = (Way(("close",)), Way(("reassign_lease", "close")))
_MAY_BE_REASSIGNED = (*_STAYS_OPEN, Way(("reassign_lease",)))

_HOLDER = Register.STAMP
_ID = Register.LENGTH
"""The register of the last recovery's id. RECOVERY_ID is not free: an event of a file has its new holder there."""
_ID_IS_CURRENT = Check(
    "num_bytes", "is", _ID, "no recovery of the file was started under this id", "under the id of a recovery"
)
_MAY_START: Sets = {_ID: ""}
"""A recovery may have been started; the event does not show its id."""
_BY_HOLDER = Check(
    "generation_stamp", "is", _HOLDER, "who acts is not the holder of the file's lease", "by the holder of its lease"
)
_FROM_HOLDER = Check(
    "generation_stamp", "is", _HOLDER, "the lease is not that of the file's holder", "from the holder of its lease"
)
_ACTOR_HOLDS: Sets = {_HOLDER: "generation_stamp"}
_UNKNOWN_HOLDER: Sets = {_HOLDER: ""}
_TAKEN_OVER: Sets = {**_UNKNOWN_HOLDER, **_MAY_START}

_ANOTHER_HOLDER = frozenset({"create", "create_overwrite", "append", "truncate", "reassign_lease"})


def _plain(event: str, source: str) -> Rule:
    """A rule for an event that has the same name in the lifecycle."""
    return Rule(event, (Way((event,)),), source)


def _opening(event: str, source: str, others: Sets | None = None) -> tuple[Rule, Rule]:
    """Rules for an event that gives the file to the client that acts, named or not; `others` are further registers."""
    return (
        Rule(event, (Way((event,)),), source, when={"client": "*"}, sets={**_ACTOR_HOLDS, **(others or {})}),
        Rule(event, (Way((event,)),), source, sets={**_UNKNOWN_HOLDER, **(others or {})}),
    )


def _of_holder(event: str, source: str) -> Rule:
    """A rule for an event that has the same name in the lifecycle, and that only the holder may cause."""
    return Rule(event, (Way((event,), (_BY_HOLDER,)),), source)


_WRITING = (
    Rule(
        "create",
        (Way((), (), _OPEN),),
        "F.1  FSNamesystem#recoverLeaseInternal",
        refused="AlreadyBeingCreatedException",
    ),
    # E.1 step 4: the soft limit had passed and no recovery was needed: the call closed the file and was refused.
    Rule(
        "create",
        (Way((), (), _CLOSED), Way(("close",))),
        "E.1, F.1 row 5  FSNamesystem#startFileInt",
        refused="FileAlreadyExistsException",
    ),
    *_opening("create", "E.1  FSDirWriteFileOp#startFile"),
    Rule(
        "append",
        (Way(("append",)), Way((), (), _OPEN | _CLOSED)),
        "E.2  FSDirAppendOp#prepareFileForAppend, logged after the lock is released",
        when={"outcome": "unknown"},
        sets=_UNKNOWN_HOLDER,
    ),
    *_opening("append", "E.2  FSDirAppendOp#prepareFileForAppend"),
    Rule("truncate", (Way(("truncate_at_block_boundary",)),), "E.4  FSDirTruncateOp#truncate", when={"closed": "true"}),
    Rule(
        "truncate",
        (Way(("truncate_at_block_boundary",)), Way((), (), _CLOSED)),
        "E.4  FSDirTruncateOp#truncate, or a truncate to the length that the file has",
        when={"answer": "true"},
    ),
    Rule(
        "create",
        (Way(("delete",)), Way((), (), _NOT_THERE)),
        "E.1, A20  FSDirWriteFileOp#startFile: the file that is overwritten",
        role="replaced",
    ),
    Rule("get_additional_datanode", _STAYS_OPEN, "E.13  FSNamesystem#getAdditionalDatanode"),
    # The client reports close() after the NameNode has closed the file.
    Rule("close", UNCHANGED, "C.7  DFSOutputStream#close", when={"client": "*"}),
    Rule(
        "truncate",
        (Way(("truncate",)), Way(("truncate_at_block_boundary",)), Way((), (), _OPEN | _CLOSED)),
        "E.4  FSDirTruncateOp#truncate, logged after the lock is released, without its outcome",
        when={"outcome": "unknown"},
        sets=_TAKEN_OVER,
    ),
    # A truncate that has started a recovery shows its id.
    Rule(
        "truncate",
        (Way(("truncate",)),),
        "E.4, A.6  FSDirTruncateOp#prepareFileForTruncate",
        when={"client": "*", "recovery_id": "*"},
        sets={**_ACTOR_HOLDS, **_MAY_START},
    ),
    Rule(
        "truncate",
        (Way(("truncate",)), *_STAYS_OPEN),
        "E.4, A.6  FSDirTruncateOp#truncate: a retry while the file is being cut to that length also answers false",
        when={"answer": "false"},
        sets=_TAKEN_OVER,
    ),
    *_opening("truncate", "E.4, A.6  FSDirTruncateOp#prepareFileForTruncate", _MAY_START),
    Rule("add_block", (Way((), (), _NOT_THERE),), "E.0  FSNamesystem#checkLease", refused="FileNotFoundException"),
    Rule(
        "add_block",
        (Way(("add_block",), (_BY_HOLDER,)),),
        "E.5, A.1  FSNamesystem#getAdditionalBlock: no recovery yet",
        sets={_ID: "0"},
    ),
    _of_holder("abandon_block", "E.8  FSDirWriteFileOp#abandonBlock"),
    _of_holder("update_pipeline", "E.7  FSNamesystem#updatePipeline"),
    Rule(
        "update_blocks",
        (Way(("update_pipeline",)), Way(("commit_block_synchronization_without_close",))),
        "I.5  FSEditLogLoader#updateBlocks",
    ),
    Rule(
        "fsync",
        (Way(("fsync",), (_BY_HOLDER,)), *UNCHANGED),
        "E.10  FSNamesystem#fsync, which logs the call before its checks",
        when={"outcome": "unknown"},
    ),
    _of_holder("fsync", "E.10  FSNamesystem#fsync"),
    Rule("check_file_progress", _STAYS_OPEN, "E.9, E.5  FSNamesystem#checkFileProgress"),
    Rule(
        "complete",
        (Way(("close",), (_BY_HOLDER,)), *UNCHANGED),
        "E.9  FSDirWriteFileOp#completeFileInternal, where several files have been at the path",
        when={"outcome": "unknown"},
    ),
    # HDFS-3031: a second complete of the same last block answers true.
    Rule(
        "complete",
        (Way(("close",), (_BY_HOLDER,)), Way((), (), _CLOSED)),
        "E.9  FSDirWriteFileOp#completeFileInternal",
        when={"closed": "true"},
    ),
    Rule("complete", (Way((), (_BY_HOLDER,), _OPEN),), "E.9  FSDirWriteFileOp#completeFileInternal"),
    *(
        Rule(event, (), f"E.5  FSNamesystem#getAdditionalBlock: {never}")
        for event, never in {
            "add_block_of_another_id": "a block has the id that was allocated for it",
            "add_block_under_another_stamp": "a block has the stamp that was granted for it",
            "list_block_never_added": "a block is listed after it was added",
            "list_inode_twice": "an inode is in an image once",
            "list_block_twice": "a block is in one place of its file",
            "take_block_of_another_file": "a block is of the file that it was added to",
        }.items()
    ),
    _plain("close", "A.5  FSNamesystem#finalizeINodeFileUnderConstruction"),
)

_RECOVERY = (
    Rule(
        "recover_lease", (Way((), (), _NOT_THERE),), "E.12  FSNamesystem#recoverLease", refused="FileNotFoundException"
    ),
    Rule(
        "recover_lease",
        (Way((), (), _CLOSED), *_CLOSED_AT_ONCE),
        "E.12, F.3  FSNamesystem#recoverLease",
        when={"closed": "true"},
    ),
    Rule(
        "recover_lease",
        _MAY_BE_REASSIGNED,
        "E.12, F.4  FSNamesystem#recoverLease",
        when={"closed": "false"},
        sets=_TAKEN_OVER,
    ),
    *(
        Rule(
            "release_expired_lease",
            ways,
            "D.3, F.3  LeaseManager#checkLeases",
            when={"closed": closed},
            sets=_TAKEN_OVER,
        )
        for closed, ways in (("true", _CLOSED_AT_ONCE), ("false", _MAY_BE_REASSIGNED))
    ),
    # This line is logged before the outcome is known; another one is logged if the call closes the file.
    Rule("recover_lease", _MAY_BE_REASSIGNED, "E.12  FSNamesystem#recoverLeaseInternal", sets=_TAKEN_OVER),
    Rule("release_expired_lease", _MAY_BE_REASSIGNED, "D.3  LeaseManager#checkLeases", sets=_TAKEN_OVER),
    Rule(
        "start_recovery",
        _MAY_BE_REASSIGNED,
        "F.4  FSNamesystem#internalReleaseLease",
        sets={**_UNKNOWN_HOLDER, _ID: "num_bytes"},
    ),
    Rule(
        "reassign_lease",
        (Way(("reassign_lease",), (_FROM_HOLDER,)),),
        "F.4  FSNamesystem#reassignLease",
        when={"new_holder": "*"},
        sets={_HOLDER: "recovery_id"},
    ),
    Rule("reassign_lease", (Way(("reassign_lease",)),), "F.4  FSNamesystem#reassignLease", sets=_UNKNOWN_HOLDER),
    Rule(
        "commit_block_synchronization",
        (Way(("close",), (_ID_IS_CURRENT,)),),
        "G.6  FSNamesystem#commitBlockSynchronization",
        when={"closed": "true", "logged": "successful"},
    ),
    Rule(
        "commit_block_synchronization",
        (Way(("close",), (_ID_IS_CURRENT,)), Way((), (), _CLOSED)),
        "G.6, G.6 row 6  FSNamesystem#commitBlockSynchronization",
        when={"closed": "true"},
    ),
    Rule(
        "commit_block_synchronization",
        (Way(("commit_block_synchronization_without_close",), (_ID_IS_CURRENT,)), Way((), (), _CLOSED)),
        "G.6  FSNamesystem#commitBlockSynchronization",
    ),
)

_TREE = (
    *each(
        "delete rename", UNCHANGED, "E.14: there was no such file, or it could not be changed", when={"answer": "false"}
    ),
    _plain("delete", "E.14  FSDirDeleteOp#delete"),
    *each("rename rename2", (Way((), (), _OPEN | _CLOSED),), "E.14  FSDirRenameOp#renameTo"),
    Rule("concat", (Way((), (), _CLOSED),), "E.14  FSDirConcatOp#concat"),
)

_STORED = (
    *(
        Rule(
            "stored_in_image",
            (Way((), (), state), Way(born, before=states("absent"))),
            "A.7  FSImageFormatPBINode: where the history of the file begins",
            when={"file_state": name, "history": "begins"},
            sets=_ACTOR_HOLDS,
        )
        for name, state, born in (("under construction", _OPEN, ("create",)), ("closed", _CLOSED, ("create", "close")))
    ),
    Rule(
        "stored_in_image",
        (Way((), (_FROM_HOLDER,), _OPEN),),
        "A.7  FSImageFormatPBINode",
        when={"file_state": "under construction"},
        sets=_ACTOR_HOLDS,
    ),
    Rule("stored_in_image", (Way((), (), _CLOSED),), "A.7  FSImageFormatPBINode", when={"file_state": "closed"}),
    Rule("missing_from_image", (Way((), (), _NOT_THERE),), "A.7  FSImageFormatPBINode"),
)

_ASIDE = (
    "hflush hsync internal_release_lease rename_called get_file_info get_listing get_block_locations"
    " get_content_summary is_file_closed mkdirs set_replication set_permission set_owner set_times retry_cache_answers"
)
"""Calls that only read, or change nothing that the lifecycle has; promises to clients; repeated answers."""

FILE = RuleBook(
    "file",
    {
        event: Effect(
            Move.ANY if event in _ANOTHER_HOLDER else Move.SAME,
            length=Move.HIGHER if event == "truncate" else Move.SAME,
        )
        for event in _EVENTS.split()
    },
    (
        lost("A.7, I.5  FSEditLogLoader#loadEditRecords"),
        Rule(LATE, UNCHANGED, "E.0  FSNamesystem#logAuditEvent, after the lock is released"),
        *OF_FILES,
        *_WRITING,
        *_RECOVERY,
        *_TREE,
        *_STORED,
        *each(_ASIDE, UNCHANGED, "no step of a file", OR_REFUSED),
        *each(
            "create append truncate recover_lease",
            UNCHANGED,
            "F.1 row 5: the recovery that it may have started goes on",
            ("*",),
            sets=_MAY_START,
        ),
        *each(
            "add_block complete fsync update_pipeline commit_block_synchronization abandon_block rename rename2 concat"
            " delete get_additional_datanode release_expired_lease",
            UNCHANGED,
            "E.0: after a refusal nothing has changed",
            ("*",),
        ),
    ),
    drifts=(Drift("start_recovery", _OPEN, Effect(length=Move.HIGHER)),),
)
