"""Rules for the completion of a block: its writer commits it, and it is COMPLETE once enough replicas are reported.

Letters with numbers refer to sections of the facts file `hdfs-protocol.md`.
"""

from collections.abc import Mapping

from genstamp.logs.rules.block_checks import (
    AS_GIVEN,
    COMPLETE,
    LENGTH_IS_STORED,
    LENGTH_NOT_LOWER,
    NOT_THERE,
    STAMP,
    STAMP_IS_NEW,
    STAMP_IS_STORED,
)
from genstamp.logs.rules.shape import Rule, Way, states
from genstamp.logs.rules.soft_limit import COMPLETING

# One call may commit the last block of an open file and complete it.
_COMMITTING = (("commit", "complete_block"), ("commit", "complete_after_recovery"))

_AS_IT_WAS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "UNDER_CONSTRUCTION": ((),),
    "UNDER_RECOVERY": ((),),
    "COMMITTED": ((),),
}


def _shown(state: str) -> str:
    """The lifecycle's id of a state that HDFS prints under this name."""
    return state.lower()


COMPLETION = (
    # addBlock(previous) commits the block before the new one, unless it was abandoned, which is not logged at INFO.
    Rule(
        "add_block",
        (
            Way(before=states("committed", "complete", "removed")),
            *(Way(fires) for fires in (("commit",), *_COMMITTING, *COMPLETING, ("abandon_block",))),
        ),
        "E.5, A.3  FSNamesystem#getAdditionalBlock",
        role="previous",
    ),
    # The line shows the stored block when a replica is reported, before the block is completed.
    *(
        Rule(
            "add_stored_block",
            tuple(Way(fires, (STAMP_IS_STORED,), states(_shown(state))) for fires in ways),
            "I.1  BlockManager#addStoredBlock",
            when={"block_state_before": state},
            sets={STAMP: "generation_stamp"},
        )
        for state, ways in {**_AS_IT_WAS, "COMMITTED": ((), ("complete_block",))}.items()
    ),
    Rule(
        "add_stored_block",
        (Way((), (STAMP_IS_STORED, LENGTH_IS_STORED), COMPLETE),),
        "I.1  BlockManager#addStoredBlock",
        when={"block_state_before": "COMPLETE"},
        sets=AS_GIVEN,
    ),
    Rule(
        "add_stored_block",
        (
            Way(("complete_block",), (STAMP_IS_STORED,)),
            Way((), (), states("under_construction", "under_recovery")),
            Way((), (STAMP_IS_STORED,), COMPLETE),
        ),
        "A8, I.1  BlockManager#addStoredBlock: the last replica that a committed block waits for",
        when={"replicas": "enough"},
    ),
    # A removed block has no such line, as it is no longer in the block map.
    Rule(
        "add_stored_block",
        # Since 3.0 the line shows the replica's stamp, which must be the block's once the block is committed.
        (
            Way((), (), states("under_construction", "under_recovery")),
            Way((), (STAMP_IS_STORED,), states("committed", "complete")),
            Way(("complete_block",), (STAMP_IS_STORED,)),
        ),
        "I.1  BlockManager#addStoredBlock, #checkReplicaCorrupt",
    ),
    Rule(
        "block_received",
        (Way((), (), NOT_THERE),),
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
            tuple(Way(fires, (STAMP_IS_STORED,), after=states(_shown(state))) for fires in ways),
            "E.9  FSNamesystem#checkFileProgress, after complete or addBlock has committed the block",
            when={"block_state": state},
            sets={STAMP: "generation_stamp"},
        )
        for state, ways in {**_AS_IT_WAS, "COMMITTED": ((), ("commit",))}.items()
    ),
    Rule(
        "complete",
        (
            Way((), (STAMP_IS_STORED, LENGTH_IS_STORED), COMPLETE),
            *(Way(fires, (STAMP_IS_STORED, LENGTH_NOT_LOWER)) for fires in (*_COMMITTING, *COMPLETING)),
        ),
        "E.9, A.3  FSDirWriteFileOp#completeFileInternal",
        when={"closed": "true"},
        sets=AS_GIVEN,
    ),
    *(
        Rule(
            "complete",
            tuple(Way(fires, (STAMP_IS_STORED, LENGTH_NOT_LOWER), after=states(_shown(state))) for fires in ways),
            "E.9, A.3  FSDirWriteFileOp#completeFileInternal",
            when={"closed": "false", "block_state": state},
            sets=AS_GIVEN,
        )
        for state, ways in {
            **_AS_IT_WAS,
            "COMMITTED": ((), ("commit",)),
            "COMPLETE": ((), *_COMMITTING, *COMPLETING),
        }.items()
    ),
    Rule(
        "complete",
        tuple(Way(fires, (STAMP_IS_STORED, LENGTH_NOT_LOWER)) for fires in ((), ("commit",))),
        "E.9, A.3  FSDirWriteFileOp#completeFileInternal",
        sets=AS_GIVEN,
    ),
    # addBlock(previous): the edit shows the block before the new one, which is committed unless it was COMPLETE.
    Rule(
        "commit",
        (
            Way((), (STAMP_IS_STORED,), states("committed", "complete")),
            *(Way(fires, (STAMP_IS_STORED, LENGTH_NOT_LOWER)) for fires in (("commit",), *_COMMITTING, *COMPLETING)),
        ),
        "A7  BlockManager#commitOrCompleteLastBlock",
        sets=AS_GIVEN,
    ),
    # OP_CLOSE does not say whether the writer completed the file or a recovery ended.
    Rule(
        "close",
        (
            Way((), (STAMP_IS_STORED, LENGTH_IS_STORED), COMPLETE),
            *(Way(fires, (STAMP_IS_STORED, LENGTH_NOT_LOWER)) for fires in (*_COMMITTING, *COMPLETING)),
            Way(("commit_block_synchronization",), (STAMP_IS_NEW,)),
            Way(("commit_block_synchronization",), (STAMP_IS_STORED, LENGTH_IS_STORED)),
        ),
        "A.5, G.6  FSNamesystem#finalizeINodeFileUnderConstruction",
        sets=AS_GIVEN,
    ),
)
