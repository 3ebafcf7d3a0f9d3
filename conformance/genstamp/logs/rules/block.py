"""What observed events say about a block at the NameNode.

Leaves out which replicas there are, and that a block of a closed file may be COMMITTED where
`dfs.namenode.file.close.num-committed-allowed` is raised above its default of 0.

Sections A, F, G and I are those of the facts file `hdfs-protocol.md`.
"""

from collections.abc import Mapping

from genstamp.logs.rules.block_on_disk import ON_DISK
from genstamp.logs.rules.shape import Check, Effect, Move, Register, Rule, RuleBook, Sets, Way, states
from genstamp.logs.rules.unplaced import BALANCES, REPLICA_ORDERS, UNPLACED_RULES

STAMP, RECOVERY_ID, LENGTH = Register
_ANYTHING = Effect(Move.ANY, Move.ANY, Move.ANY)

_EFFECTS = {
    "add_block": _ANYTHING,
    "copy_on_truncate": _ANYTHING,
    "update_pipeline": Effect(stamp=Move.HIGHER, length=Move.NOT_LOWER),
    "fsync": Effect(length=Move.ANY),  # A6: no check that it grows
    "commit": Effect(length=Move.NOT_LOWER),
    "complete_block": Effect(),
    "complete_after_recovery": Effect(),
    "force_complete": Effect(stamp=Move.NOT_LOWER, length=Move.ANY),  # I.5: replay takes both from the edit
    "append": Effect(),
    "truncate": Effect(recovery_id=Move.HIGHER),
    # F.4: the last block of a copy on truncate takes each new recovery id as its stamp.
    "start_recovery": Effect(stamp=Move.NOT_LOWER, recovery_id=Move.HIGHER),
    "commit_block_synchronization": Effect(stamp=Move.NOT_LOWER, length=Move.ANY),
    "commit_block_synchronization_too_few_replicas": Effect(stamp=Move.NOT_LOWER, length=Move.ANY),
    "commit_block_synchronization_without_close": Effect(stamp=Move.NOT_LOWER, length=Move.ANY),
    "commit_block_synchronization_delete": _ANYTHING,
    # What is gone keeps the stamp and the length that it had: replicas are held against them.
    "abandon_block": Effect(),
    "drop_empty_block": Effect(),
    "remove": Effect(),
    # A.7: stamps are on disk with every change, a length may be older. The recovery id is lost, but none that was
    # given out is given out again (H), so what comes after is higher all the same.
    "restart_last_of_open_file": Effect(length=Move.ANY),
    "restart_any_other": Effect(length=Move.ANY),
}

_STAMP_IS_STORED = Check("generation_stamp", "is", STAMP)
_STAMP_IS_NEW = Check("generation_stamp", "above", STAMP)
_LENGTH_IS_STORED = Check("num_bytes", "is", LENGTH)
_LENGTH_NOT_LOWER = Check("num_bytes", "at_least", LENGTH)
_ID_ABOVE_FORMER = Check("recovery_id", "above", RECOVERY_ID)
_ID_ABOVE_STAMP = Check("recovery_id", "above", STAMP)
_ID_IS_CURRENT = Check("recovery_id", "is", RECOVERY_ID)
_ID_NOT_BELOW_STAMP = Check("recovery_id", "at_least", STAMP)
_ID_WAS_GIVEN_OUT = Check("recovery_id", "at_most", RECOVERY_ID)

_AS_GIVEN: Sets = {STAMP: "generation_stamp", LENGTH: "num_bytes"}
_COMPLETE = states("complete")
_NOT_THERE = states("absent", "removed")
_GIVEN_OUT = states("under_construction", "under_recovery", "committed", "complete", "removed")
_UNCHANGED = (Way(),)

_STARTS = Way(("start_recovery",), (_ID_ABOVE_FORMER, _ID_ABOVE_STAMP))

# From any state of an open file's last block to COMPLETE, as one call may take it there.
_COMMITTING = (("commit", "complete_block"), ("commit", "complete_after_recovery"))
_COMPLETING = (("complete_block",), ("complete_after_recovery",))

_AS_IT_WAS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "UNDER_CONSTRUCTION": ((),),
    "UNDER_RECOVERY": ((),),
    "COMMITTED": ((),),
}


def _shown(state: str) -> str:
    """Id of the state that HDFS prints under this name."""
    return state.lower()


def _starts_recovery(event: str, source: str, refused: str | None = None) -> Rule:
    return Rule(
        event, (_STARTS,), source, refused=refused, when={"recovery_id": "*"}, sets={RECOVERY_ID: "recovery_id"}
    )


_WRITING = (
    Rule(
        "add_block",
        (Way(("add_block",)), Way((), (_STAMP_IS_STORED,), states("under_construction", "under_recovery"))),
        "A1, E.5  FSDirWriteFileOp#analyzeFileState, of one call among several: a repeated one gives the same block,"
        " also while it is recovered",
        when={"call": "*"},
        sets={**_AS_GIVEN, RECOVERY_ID: "0"},
    ),
    Rule(
        "add_block",
        (Way(("add_block",)),),
        "A1  FSNamesystem#getAdditionalBlock; A.1: no recovery yet",
        sets={**_AS_GIVEN, RECOVERY_ID: "0"},
    ),
    Rule(
        "copy_on_truncate",
        (Way(("copy_on_truncate",)),),
        "A4  FSDirTruncateOp#prepareFileForTruncate",
        sets={**_AS_GIVEN, RECOVERY_ID: "generation_stamp"},
    ),
    Rule(
        "update_pipeline",
        (Way(("update_pipeline",), (_STAMP_IS_NEW, _LENGTH_NOT_LOWER)),),
        "A5, E.7  FSNamesystem#updatePipeline",
        sets=_AS_GIVEN,
    ),
    # OP_UPDATE_BLOCKS with a new stamp does not say which of the two it was.
    Rule(
        "update_blocks",
        (
            Way(("update_pipeline",), (_STAMP_IS_NEW, _LENGTH_NOT_LOWER)),
            Way(("commit_block_synchronization_without_close",), (_STAMP_IS_NEW,)),
        ),
        "I.5  FSEditLogLoader#updateBlocks",
        sets=_AS_GIVEN,
    ),
    Rule("fsync", (Way(("fsync",), (_STAMP_IS_STORED,)),), "A6  FSNamesystem#fsync", sets={LENGTH: "num_bytes"}),
    Rule(
        "abandon_block",
        (Way(("abandon_block",)), *_UNCHANGED),
        "A15, C.5  DataStreamer#nextBlockOutputStream, before it asks; and nobody tells what came of it",
        when={"outcome": "unknown"},
    ),
    Rule("abandon_block", (Way(("abandon_block",)),), "A15  FSDirWriteFileOp#abandonBlock"),
    Rule(
        "append",
        (Way(("append",), (_STAMP_IS_STORED,)), Way((), (_STAMP_IS_STORED,), _COMPLETE)),
        "A2, A.4  BlockManager#convertLastBlockToUnderConstruction, which leaves a full block alone",
    ),
    Rule(
        "truncate",
        (Way(("truncate",), (_ID_ABOVE_FORMER, _ID_ABOVE_STAMP)),),
        "A3, A.6  FSDirTruncateOp#prepareFileForTruncate",
        sets={RECOVERY_ID: "recovery_id"},
    ),
)

# The block has its new stamp and length before the new nodes are looked up, which may throw; no edit tells of it.
_UPDATE_THROWS = tuple(
    Rule(
        "update_pipeline",
        (*_UNCHANGED, Way(("update_pipeline",), (_STAMP_IS_NEW, _LENGTH_NOT_LOWER))),
        "A5, E.7  FSNamesystem#updatePipelineInternal, DatanodeManager#getDatanodeStorageInfos",
        refused=refused,
        loosens=frozenset({STAMP, LENGTH}),
    )
    for refused in ("UnregisteredNodeException", "HadoopIllegalArgumentException")
)

_PREVIOUS = (
    # addBlock(previous) commits the block before the new one, unless that was abandoned, which no line of INFO tells.
    Rule(
        "add_block",
        (
            Way(before=states("committed", "complete", "removed")),
            *(Way(fires) for fires in (("commit",), *_COMMITTING, *_COMPLETING, ("abandon_block",))),
        ),
        "E.5, A.3  FSNamesystem#getAdditionalBlock",
        role="previous",
    ),
)

_COMPLETION = (
    # What the NameNode prints of the stored block when a replica is reported, before it completes the block.
    *(
        Rule(
            "add_stored_block",
            tuple(Way(fires, (_STAMP_IS_STORED,), states(_shown(state))) for fires in ways),
            "I.1  BlockManager#addStoredBlock",
            when={"block_state_before": state},
            sets={STAMP: "generation_stamp"},
        )
        for state, ways in {**_AS_IT_WAS, "COMMITTED": ((), ("complete_block",))}.items()
    ),
    Rule(
        "add_stored_block",
        (Way((), (_STAMP_IS_STORED, _LENGTH_IS_STORED), _COMPLETE),),
        "I.1  BlockManager#addStoredBlock",
        when={"block_state_before": "COMPLETE"},
        sets=_AS_GIVEN,
    ),
    Rule(
        "add_stored_block",
        (
            Way(("complete_block",), (_STAMP_IS_STORED,)),
            Way((), (), states("under_construction", "under_recovery")),
            Way((), (_STAMP_IS_STORED,), _COMPLETE),
        ),
        "A8, I.1  BlockManager#addStoredBlock, of the last replica that a committed block waits for",
        when={"replicas": "enough"},
    ),
    # The block is in the map of blocks: a report of one that is gone has no such line.
    Rule(
        "add_stored_block",
        # Since 3.0 the stamp shown is the replica's, which is held against the block's where that is written no more.
        (
            Way((), (), states("under_construction", "under_recovery")),
            Way((), (_STAMP_IS_STORED,), states("committed", "complete")),
            Way(("complete_block",), (_STAMP_IS_STORED,)),
        ),
        "I.1  BlockManager#addStoredBlock, #checkReplicaCorrupt",
    ),
    Rule(
        "block_received",
        (Way((), (), _NOT_THERE),),
        "I.1  BlockManager#processReportedBlock, row 2",
        when={"block_state": "none"},
    ),
    *(
        Rule(
            "block_received",
            tuple(Way(fires, after=states(_shown(state))) for fires in ways),
            "A8, I.1  BlockManager#processReportedBlock",
            when={"block_state": state},
        )
        for state, ways in {**_AS_IT_WAS, "COMPLETE": ((), ("complete_block",))}.items()
    ),
    Rule("block_received", (Way(), Way(("complete_block",))), "A8, I.1  BlockManager#processReportedBlock"),
    *(
        Rule(
            "check_file_progress",
            tuple(Way(fires, (_STAMP_IS_STORED,), after=states(_shown(state))) for fires in ways),
            "E.9  FSNamesystem#checkFileProgress, after the commit that complete or addBlock begins with",
            when={"block_state": state},
            sets={STAMP: "generation_stamp"},
        )
        for state, ways in {**_AS_IT_WAS, "COMMITTED": ((), ("commit",))}.items()
    ),
    Rule(
        "complete",
        (
            Way((), (_STAMP_IS_STORED, _LENGTH_IS_STORED), _COMPLETE),
            *(Way(fires, (_STAMP_IS_STORED, _LENGTH_NOT_LOWER)) for fires in (*_COMMITTING, *_COMPLETING)),
        ),
        "E.9, A.3  FSDirWriteFileOp#completeFileInternal",
        when={"closed": "true"},
        sets=_AS_GIVEN,
    ),
    *(
        Rule(
            "complete",
            tuple(Way(fires, (_STAMP_IS_STORED, _LENGTH_NOT_LOWER), after=states(_shown(state))) for fires in ways),
            "E.9, A.3  FSDirWriteFileOp#completeFileInternal",
            when={"closed": "false", "block_state": state},
            sets=_AS_GIVEN,
        )
        for state, ways in {
            **_AS_IT_WAS,
            "COMMITTED": ((), ("commit",)),
            "COMPLETE": ((), *_COMMITTING, *_COMPLETING),
        }.items()
    ),
    Rule(
        "complete",
        tuple(Way(fires, (_STAMP_IS_STORED, _LENGTH_NOT_LOWER)) for fires in ((), ("commit",))),
        "E.9, A.3  FSDirWriteFileOp#completeFileInternal",
        sets=_AS_GIVEN,
    ),
    # addBlock(previous): the edit shows the block before the new one, committed if it was not complete already.
    Rule(
        "commit",
        (
            Way((), (_STAMP_IS_STORED,), states("committed", "complete")),
            *(Way(fires, (_STAMP_IS_STORED, _LENGTH_NOT_LOWER)) for fires in (("commit",), *_COMMITTING, *_COMPLETING)),
        ),
        "A7  BlockManager#commitOrCompleteLastBlock",
        sets=_AS_GIVEN,
    ),
    # OP_CLOSE names no reason: the writer completed the file, or a recovery ended.
    Rule(
        "close",
        (
            Way((), (_STAMP_IS_STORED, _LENGTH_IS_STORED), _COMPLETE),
            *(Way(fires, (_STAMP_IS_STORED, _LENGTH_NOT_LOWER)) for fires in (*_COMMITTING, *_COMPLETING)),
            Way(("commit_block_synchronization",), (Check("generation_stamp", "at_least", STAMP),)),
        ),
        "A.5, G.6  FSNamesystem#finalizeINodeFileUnderConstruction",
        sets=_AS_GIVEN,
    ),
)

_RECOVERY = (
    _starts_recovery("start_recovery", "A11, A12, F.4  FSNamesystem#internalReleaseLease"),
    _starts_recovery("recover_lease", "E.12, F.4  FSNamesystem#recoverLease"),
    _starts_recovery("release_expired_lease", "D.3, F.4  LeaseManager#checkLeases"),
    # A refusal with a side effect: the soft limit had passed and the very call that failed started the recovery.
    _starts_recovery("create", "F.1 row 5  FSNamesystem#recoverLeaseInternal", refused="RecoveryInProgressException"),
    # The same where the event does not say which of the two it was, and under which id.
    Rule(
        "create",
        (Way(("start_recovery",)), Way()),
        "F.1 rows 5, 6  FSNamesystem#recoverLeaseInternal",
        refused="RecoveryInProgressException",
        loosens=frozenset({RECOVERY_ID}),
    ),
    # The soft limit had passed, nothing was to be recovered, and the call closed the file before it failed.
    Rule(
        "create",
        (Way(), *(Way(fires) for fires in (*_COMPLETING, ("drop_empty_block",)))),
        "E.1, F.3 rows 1, 4, 8  FSNamesystem#internalReleaseLease",
        refused="FileAlreadyExistsException",
    ),
    *(
        Rule(
            event,
            (Way(), *(Way(fires) for fires in (*_COMPLETING, ("drop_empty_block",)))),
            "F.3 rows 1, 4, 8  FSNamesystem#internalReleaseLease",
            when={"closed": "true"},
        )
        for event in ("recover_lease", "release_expired_lease")
    ),
    Rule("recover_lease", _UNCHANGED, "E.12: an attempt is younger than 90 s"),
    Rule("release_expired_lease", _UNCHANGED, "D.3: an attempt is younger than 90 s"),
    Rule(
        "commit_block_synchronization",
        (Way(("commit_block_synchronization_delete",), (_ID_IS_CURRENT, _ID_NOT_BELOW_STAMP)), Way((), (), _NOT_THERE)),
        "A17, G.6  FSNamesystem#commitBlockSynchronization",
        when={"deleted": "true"},
    ),
    Rule(
        "commit_block_synchronization",
        (Way(("commit_block_synchronization",), (_ID_IS_CURRENT, _ID_NOT_BELOW_STAMP)),),
        "A13, G.6  FSNamesystem#commitBlockSynchronization, which prints `successful` only where it did something",
        when={"closed": "true", "logged": "successful"},
        sets={STAMP: "recovery_id", LENGTH: "num_bytes"},
    ),
    # G.6 row 6: one that comes again, or late, for a closed file is accepted in silence and changes nothing.
    Rule(
        "commit_block_synchronization",
        (
            Way(("commit_block_synchronization",), (_ID_IS_CURRENT, _ID_NOT_BELOW_STAMP)),
            Way((), (Check("recovery_id", "at_most", STAMP),), _COMPLETE),
        ),
        "A13, G.6  FSNamesystem#commitBlockSynchronization",
        when={"closed": "true"},
        sets={STAMP: "recovery_id", LENGTH: "num_bytes"},
        late_sets_nothing=True,
    ),
    Rule(
        "commit_block_synchronization",
        (
            Way(("commit_block_synchronization_without_close",), (_ID_IS_CURRENT, _ID_NOT_BELOW_STAMP)),
            Way(("commit_block_synchronization_too_few_replicas",), (_ID_IS_CURRENT, _ID_NOT_BELOW_STAMP)),
        ),
        "A13, A14, G.6  FSNamesystem#commitBlockSynchronization",
        sets={STAMP: "recovery_id", LENGTH: "num_bytes"},
    ),
    # A.5: what the call had changed in memory stays when closing the file throws.
    Rule(
        "commit_block_synchronization",
        (
            *_UNCHANGED,
            Way(("commit_block_synchronization_delete",), (_ID_IS_CURRENT, _ID_NOT_BELOW_STAMP)),
            Way(("commit_block_synchronization_too_few_replicas",), (_ID_IS_CURRENT, _ID_NOT_BELOW_STAMP)),
        ),
        "A.5, A13  INodeFile#assertAllBlocksComplete, HDFS-17861",
        refused="IllegalStateException",
    ),
    Rule(
        "recovery_attempt_rejected",
        (Way((), (), states("under_recovery")),),
        "A11, G.1  PendingRecoveryBlocks#add: an attempt is younger than 90 s",
    ),
    # What datanodes do under a recovery id: the NameNode has given it out before.
    *(
        Rule(
            event,
            (Way((), (_ID_WAS_GIVEN_OUT,), _GIVEN_OUT),),
            "F.4, G.2  BlockUnderConstructionFeature#initializeBlockRecovery",
            refused=refused,
            shows_id=True,
        )
        for event in (
            "receive_recovery_command",
            "init_replica_recovery_called",
            "init_replica_recovery",
            "sync_block",
            "update_replica_under_recovery",
        )
        for refused in (None, "*")
    ),
)

_WRITTEN = (
    # What a client sends to datanodes it has got from the NameNode before.
    Rule("write_block", (Way((), (), _GIVEN_OUT),), "E.5, C.1  DataXceiver#writeBlock"),
)

_COPIES = (
    # The line is written after the lock was released, and shows the stamp that the block has then; up to 2.7 its state
    # as well, unless it is COMPLETE.
    *(
        Rule("ask_to_replicate", (), "S24  BlockManager#scheduleReconstruction, HDFS-4022", when={"block_state": state})
        for state in ("UNDER_CONSTRUCTION", "UNDER_RECOVERY")
    ),
    Rule(
        "ask_to_replicate",
        (Way((), (_STAMP_IS_STORED,), states("committed", "complete")),),
        "S24, A.4.5  BlockManager#scheduleReconstruction, HDFS-4022: what is written is not copied",
        sets={STAMP: "generation_stamp"},
    ),
)

_END = (
    # A20. With a snapshot the block outlives the file.
    Rule("delete", (Way(("remove",)), Way()), "A20, E.14  BlockManager#removeBlock"),
    Rule(
        "remove_last_block",
        (Way(("drop_empty_block",)), Way(("commit_block_synchronization_delete",))),
        "A16, A17  FSNamesystem#internalReleaseLease, #commitBlockSynchronization",
    ),
)

_RESTART = (
    Rule(
        "namenode_restart",
        (Way(), Way(("restart_last_of_open_file",))),
        "A18, A.7  FSImageFormatPBINode.Loader#loadINodeFile, of the last block of a file that is open",
        role="last",
        sets={RECOVERY_ID: "", LENGTH: ""},
    ),
    Rule(
        "namenode_restart",
        (Way(), Way(("restart_last_of_open_file",)), Way(("restart_any_other",))),
        "A18, A19, A.7  FSImageFormatPBINode.Loader#loadINodeFile",
        sets={RECOVERY_ID: "", LENGTH: ""},
    ),
)

_ASIDE = (
    *(
        Rule(event, _UNCHANGED, "no step of the block at the NameNode")
        for event in (
            "create",
            "hflush",
            "last_packet",
            "abandon_recovery",
            "pipeline_recovery",
            *REPLICA_ORDERS,
            "block_receiving",
            "block_deleted",
        )
    ),
    *(
        Rule(event, _UNCHANGED, "of the client's pipeline, or refused", refused=refused)
        for event in (
            "set_up_create",
            "receive_ack",
            "start_streaming",
            "end_block",
            "update_block_for_pipeline",
            "report_back",
            "init_replica_recovery_failed",
            "update_replica_failed",
            "retry_cache_answers",
        )
        for refused in (None, "*")
    ),
    *(
        Rule(event, _UNCHANGED, "E.0: after a refusal nothing has changed", refused="*")
        for event in ("update_pipeline", "commit_block_synchronization")
    ),
)

BLOCK = RuleBook(
    "block",
    _EFFECTS,
    (
        *_WRITING,
        *_UPDATE_THROWS,
        *_PREVIOUS,
        *_COMPLETION,
        *_RECOVERY,
        *_WRITTEN,
        *_COPIES,
        *_END,
        *_RESTART,
        *ON_DISK,
        *_ASIDE,
        *UNPLACED_RULES,
    ),
    balances=BALANCES,
)
