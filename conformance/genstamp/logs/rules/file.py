"""What observed events say about a file.

Leaves out its blocks (see `block.py`) and who holds it (see `lease.py`): a file has no registers.

Sections A, E, F and G are those of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.shape import Effect, Rule, RuleBook, Way, states

_EVENTS = (
    "create",
    "create_overwrite",
    "append",
    "truncate",
    "truncate_at_block_boundary",
    "add_block",
    "abandon_block",
    "update_pipeline",
    "fsync",
    "reassign_lease",
    "commit_block_synchronization_without_close",
    "close",
    "delete",
)

_OPEN = states("under_construction")
_CLOSED = states("closed")
_NOT_THERE = states("absent", "deleted")
_UNCHANGED = (Way(),)
_STAYS_OPEN = (Way((), (), _OPEN),)


def _plain(event: str, source: str) -> Rule:
    """An event that is what the lifecycle calls it."""
    return Rule(event, (Way((event,)),), source)


_WRITING = (
    Rule(
        "create",
        (Way((), (), _OPEN),),
        "F.1  FSNamesystem#recoverLeaseInternal",
        refused="AlreadyBeingCreatedException",
    ),
    Rule(
        "create", (Way((), (), _OPEN),), "F.1  FSNamesystem#recoverLeaseInternal", refused="RecoveryInProgressException"
    ),
    # E.1 step 4: the soft limit had passed and nothing was to be recovered, so the call closed the file and refused
    # all the same.
    Rule(
        "create",
        (Way((), (), _CLOSED), Way(("close",))),
        "E.1, F.1 row 5  FSNamesystem#startFileInt",
        refused="FileAlreadyExistsException",
    ),
    _plain("create", "E.1  FSDirWriteFileOp#startFile"),
    _plain("append", "E.2  FSDirAppendOp#prepareFileForAppend"),
    Rule("truncate", (Way(("truncate_at_block_boundary",)),), "E.4  FSDirTruncateOp#truncate", when={"closed": "true"}),
    Rule(
        "truncate",
        (Way(("truncate_at_block_boundary",)), Way((), (), _CLOSED)),
        "E.4  FSDirTruncateOp#truncate, also to the length that the file has",
        when={"answer": "true"},
    ),
    Rule(
        "create",
        (Way(("delete",)), Way((), (), _NOT_THERE)),
        "E.1, A20  FSDirWriteFileOp#startFile, of the file that is overwritten",
        role="replaced",
    ),
    Rule("get_additional_datanode", _STAYS_OPEN, "E.11  FSNamesystem#getAdditionalDatanode"),
    # What the client tells of close(), after the NameNode has.
    Rule("close", _UNCHANGED, "C.7  DFSOutputStream#close", when={"client": "*"}),
    _plain("truncate", "E.4, A.6  FSDirTruncateOp#prepareFileForTruncate"),
    Rule("add_block", (Way((), (), _NOT_THERE),), "E.0  FSNamesystem#checkLease", refused="FileNotFoundException"),
    _plain("add_block", "E.5  FSNamesystem#getAdditionalBlock"),
    _plain("abandon_block", "E.8  FSDirWriteFileOp#abandonBlock"),
    _plain("update_pipeline", "E.7  FSNamesystem#updatePipeline"),
    Rule(
        "update_blocks",
        (Way(("update_pipeline",)), Way(("commit_block_synchronization_without_close",))),
        "I.5  FSEditLogLoader#updateBlocks",
    ),
    _plain("fsync", "E.10  FSNamesystem#fsync"),
    Rule("check_file_progress", _STAYS_OPEN, "E.9, E.5  FSNamesystem#checkFileProgress"),
    # HDFS-3031: a second complete of the same last block answers true.
    Rule(
        "complete",
        (Way(("close",)), Way((), (), _CLOSED)),
        "E.9  FSDirWriteFileOp#completeFileInternal",
        when={"closed": "true"},
    ),
    Rule("complete", _STAYS_OPEN, "E.9  FSDirWriteFileOp#completeFileInternal"),
    _plain("close", "A.5  FSNamesystem#finalizeINodeFileUnderConstruction"),
)

_RECOVERY = (
    Rule(
        "recover_lease", (Way((), (), _NOT_THERE),), "E.12  FSNamesystem#recoverLease", refused="FileNotFoundException"
    ),
    Rule(
        "recover_lease",
        (Way((), (), _CLOSED), Way(("close",)), Way(("reassign_lease", "close"))),
        "E.12, F.3  FSNamesystem#recoverLease",
        when={"closed": "true"},
    ),
    Rule(
        "recover_lease",
        (*_STAYS_OPEN, Way(("reassign_lease",))),
        "E.12, F.4  FSNamesystem#recoverLease",
        when={"closed": "false"},
    ),
    *(
        Rule("release_expired_lease", ways, "D.3, F.3  LeaseManager#checkLeases", when={"closed": closed})
        for closed, ways in {
            "true": (Way(("close",)), Way(("reassign_lease", "close"))),
            "false": (*_STAYS_OPEN, Way(("reassign_lease",))),
        }.items()
    ),
    # A line that comes before the outcome; that the call closed the file, another line tells.
    Rule("recover_lease", (*_STAYS_OPEN, Way(("reassign_lease",))), "E.12  FSNamesystem#recoverLeaseInternal"),
    Rule("release_expired_lease", (*_STAYS_OPEN, Way(("reassign_lease",))), "D.3  LeaseManager#checkLeases"),
    Rule("start_recovery", (*_STAYS_OPEN, Way(("reassign_lease",))), "F.4  FSNamesystem#internalReleaseLease"),
    _plain("reassign_lease", "F.4  FSNamesystem#reassignLease"),
    Rule(
        "commit_block_synchronization",
        (Way(("close",)),),
        "G.6  FSNamesystem#commitBlockSynchronization",
        when={"closed": "true", "logged": "successful"},
    ),
    Rule(
        "commit_block_synchronization",
        (Way(("close",)), Way((), (), _CLOSED)),
        "G.6, G.6 row 6  FSNamesystem#commitBlockSynchronization",
        when={"closed": "true"},
    ),
    Rule(
        "commit_block_synchronization",
        (Way(("commit_block_synchronization_without_close",)), Way((), (), _CLOSED)),
        "G.6  FSNamesystem#commitBlockSynchronization",
    ),
)

_TREE = (
    *(
        Rule(event, _UNCHANGED, "E.14: nothing was there, or it could not be", when={"answer": "false"})
        for event in ("delete", "rename")
    ),
    _plain("delete", "E.14  FSDirDeleteOp#delete"),
    *(Rule(event, (Way((), (), _OPEN | _CLOSED),), "E.14  FSDirRenameOp#renameTo") for event in ("rename", "rename2")),
    Rule("concat", (Way((), (), _CLOSED),), "E.14  FSDirConcatOp#concat"),
)

_STORED = (
    *(
        Rule(
            "stored_in_image",
            (Way((), (), state), Way(born, before=states("absent"))),
            "A.7  FSImageFormatPBINode: where what is known of the file begins",
            when={"file_state": name, "history": "begins"},
        )
        for name, state, born in (("under construction", _OPEN, ("create",)), ("closed", _CLOSED, ("create", "close")))
    ),
    *(
        Rule("stored_in_image", (Way((), (), state),), "A.7  FSImageFormatPBINode", when={"file_state": name})
        for name, state in (("under construction", _OPEN), ("closed", _CLOSED))
    ),
    Rule("missing_from_image", (Way((), (), _NOT_THERE),), "A.7  FSImageFormatPBINode"),
)

_ASIDE = (
    "hflush",
    "hsync",
    "internal_release_lease",
    "rename_called",
    "get_file_info",
    "get_listing",
    "get_block_locations",
    "get_content_summary",
    "is_file_closed",
    "mkdirs",
    "set_replication",
    "set_permission",
    "set_owner",
    "set_times",
    "retry_cache_answers",
)
"""Calls that read, or change what no lifecycle has; what a client was promised; an answer that is given once more."""

FILE = RuleBook(
    "file",
    {event: Effect() for event in _EVENTS},
    (
        *_WRITING,
        *_RECOVERY,
        *_TREE,
        *_STORED,
        *(Rule(event, _UNCHANGED, "no step of a file", refused=refused) for event in _ASIDE for refused in (None, "*")),
        *(
            Rule(event, _UNCHANGED, "E.0: after a refusal nothing has changed", refused="*")
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
                "rename",
                "rename2",
                "concat",
                "delete",
                "get_additional_datanode",
                "release_expired_lease",
            )
        ),
    ),
)
