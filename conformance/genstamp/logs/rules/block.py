"""Rules for a block at the NameNode: how it is added, written to, removed and restored.

Its completion, its recovery and its state on disk have modules of their own (`block_*.py`). The rules assume the
default, 0, of `dfs.namenode.file.close.num-committed-allowed`: a closed file has no COMMITTED block. Not here: which
replicas the block has.

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from genstamp.logs.rules.block_checks import (
    AS_GIVEN,
    COMPLETE,
    GIVEN_OUT,
    ID_ABOVE_FORMER,
    ID_ABOVE_STAMP,
    LENGTH,
    LENGTH_NOT_LOWER,
    RECOVERY_ID,
    STAMP,
    STAMP_IS_NEW,
    STAMP_IS_STORED,
)
from genstamp.logs.rules.block_completion import COMPLETION
from genstamp.logs.rules.block_on_disk import ON_DISK
from genstamp.logs.rules.block_recovery import RECOVERY
from genstamp.logs.rules.shape import OR_REFUSED, UNCHANGED, Effect, Move, Rule, RuleBook, Way, each, lost, states
from genstamp.logs.rules.soft_limit import OF_BLOCKS
from genstamp.logs.rules.unplaced import BALANCES, REPLICA_ORDERS, UNPLACED_RULES

_ANYTHING = Effect(Move.ANY, Move.ANY, Move.ANY)

# A recovery keeps the block's stamp only for the copy that a truncate makes; its length is known from the start.
_RECOVERED = Effect(stamp=Move.HIGHER, length=Move.ANY, or_else=Effect())

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
    "commit_block_synchronization": _RECOVERED,
    "commit_block_synchronization_too_few_replicas": _RECOVERED,
    "commit_block_synchronization_without_close": _RECOVERED,
    "commit_block_synchronization_delete": _ANYTHING,
    # A removed block keeps its stamp and length, because its replicas are still compared with them.
    "abandon_block": Effect(),
    "drop_empty_block": Effect(),
    "remove": Effect(),
    # A.7: every change of a stamp is on disk, but the length there may be older. The recovery id is lost; since no id
    # is granted twice (H), the next one is higher anyway.
    "restart_last_of_open_file": Effect(length=Move.ANY),
    "restart_any_other": Effect(length=Move.ANY),
}

_WRITING = (
    Rule(
        "add_block",
        (Way(("add_block",)), Way((), (STAMP_IS_STORED,), states("under_construction", "under_recovery"))),
        "A1, E.5  FSDirWriteFileOp#analyzeFileState: a retried call returns the same block, even during its recovery",
        when={"call": "*"},
        sets={**AS_GIVEN, RECOVERY_ID: "0"},
    ),
    Rule(
        "add_block",
        (Way(("add_block",)),),
        "A1  FSNamesystem#getAdditionalBlock; A.1: no recovery yet",
        sets={**AS_GIVEN, RECOVERY_ID: "0"},
    ),
    Rule(
        "copy_on_truncate",
        (Way(("copy_on_truncate",)),),
        "A4  FSDirTruncateOp#prepareFileForTruncate",
        sets={**AS_GIVEN, RECOVERY_ID: "generation_stamp"},
    ),
    Rule(
        "update_pipeline",
        (Way(("update_pipeline",), (STAMP_IS_NEW, LENGTH_NOT_LOWER)),),
        "A5, E.7  FSNamesystem#updatePipeline",
        sets=AS_GIVEN,
    ),
    # OP_UPDATE_BLOCKS with a new stamp is written for both.
    Rule(
        "update_blocks",
        (
            Way(("update_pipeline",), (STAMP_IS_NEW, LENGTH_NOT_LOWER)),
            Way(("commit_block_synchronization_without_close",), (STAMP_IS_NEW,)),
        ),
        "I.5  FSEditLogLoader#updateBlocks",
        sets=AS_GIVEN,
    ),
    Rule("fsync", (Way(("fsync",), (STAMP_IS_STORED,)),), "A6  FSNamesystem#fsync", sets={LENGTH: "num_bytes"}),
    Rule(
        "abandon_block",
        (Way(("abandon_block",)), *UNCHANGED),
        "A15, C.5  DataStreamer#nextBlockOutputStream: logged before the call, whose outcome is not logged",
        when={"outcome": "unknown"},
    ),
    Rule("abandon_block", (Way(("abandon_block",)),), "A15  FSDirWriteFileOp#abandonBlock"),
    Rule(
        "append",
        (Way(("append",), (STAMP_IS_STORED,)), Way((), (STAMP_IS_STORED,), COMPLETE)),
        "A2, A.4  BlockManager#convertLastBlockToUnderConstruction; a full block stays COMPLETE",
    ),
    Rule(
        "truncate",
        (Way(("truncate",), (ID_ABOVE_FORMER, ID_ABOVE_STAMP)),),
        "A3, A.6  FSDirTruncateOp#prepareFileForTruncate",
        when={"recovery_id": "*"},
        sets={RECOVERY_ID: "recovery_id"},
    ),
    Rule(
        "truncate",
        (Way(("truncate",)), Way((), (), states("under_recovery"))),
        "A3, E.4  FSDirTruncateOp#truncate: a retry while the file is being cut to that length also answers false",
        when={"answer": "false"},
        loosens=frozenset({RECOVERY_ID}),
    ),
    Rule(
        "truncate",
        (Way(("truncate",)),),
        "A3, A.6  FSDirTruncateOp#prepareFileForTruncate",
        sets={RECOVERY_ID: ""},
    ),
)

# The new datanodes are looked up, which may throw, after the block has its new stamp and length. No edit is written.
_UPDATE_THROWS = each(
    "update_pipeline",
    (*UNCHANGED, Way(("update_pipeline",), (STAMP_IS_NEW, LENGTH_NOT_LOWER))),
    "A5, E.7  FSNamesystem#updatePipelineInternal, DatanodeManager#getDatanodeStorageInfos",
    ("UnregisteredNodeException", "HadoopIllegalArgumentException"),
    loosens=frozenset({STAMP, LENGTH}),
)

_WRITTEN = (
    # A client writes only to blocks that the NameNode has given it.
    Rule("write_block", (Way((), (), GIVEN_OUT),), "E.5, C.1  DataXceiver#writeBlock"),
)

_COPIES = (
    # The line is written after the lock is released, and shows the stamp that the block has then. Up to 2.7 it also
    # shows the state, unless that is COMPLETE.
    *(
        Rule("ask_to_replicate", (), "S24  BlockManager#scheduleReconstruction, HDFS-4022", when={"block_state": state})
        for state in ("UNDER_CONSTRUCTION", "UNDER_RECOVERY")
    ),
    Rule(
        "ask_to_replicate",
        (Way((), (STAMP_IS_STORED,), states("committed", "complete")),),
        "S24, A.4.5  BlockManager#scheduleReconstruction, HDFS-4022: a block that is being written is not copied",
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
        "A18, A.7  FSImageFormatPBINode.Loader#loadINodeFile: the last block of an open file",
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
    *each(
        f"create hflush last_packet abandon_recovery pipeline_recovery {REPLICA_ORDERS} block_receiving block_deleted",
        UNCHANGED,
        "no step of the block at the NameNode",
    ),
    *each(
        "set_up_create receive_ack start_streaming end_block update_block_for_pipeline report_back"
        " init_replica_recovery_failed update_replica_failed retry_cache_answers",
        UNCHANGED,
        "a step of the client's pipeline, or a refused call",
        OR_REFUSED,
    ),
    *each(
        "update_pipeline commit_block_synchronization",
        UNCHANGED,
        "E.0: after a refusal nothing has changed",
        ("*",),
    ),
)

BLOCK = RuleBook(
    "block",
    _EFFECTS,
    (
        lost("A.7, I.5  FSEditLogLoader#loadEditRecords"),
        *OF_BLOCKS,
        *_WRITING,
        *_UPDATE_THROWS,
        *COMPLETION,
        *RECOVERY,
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
