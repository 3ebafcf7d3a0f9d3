"""The steps in logs and traces of Hadoop 0.20: it has no truncate (HDFS-3107, 2.7), updatePipeline or COMMITTED (0.21).

They include the steps of replicas that are counted for their block (`rules.unplaced`).
"""

from collections.abc import Mapping
from typing import Final

from genstamp.events import Kind
from genstamp.logs.sources import MERGED_LOG, SEQUENCES, TRACEBENCH, Logged, Steps, declared

ALWAYS, MAYBE, UNSEEN, ABSENT = Logged

_NO_TRUNCATE = "Hadoop 0.20 has no truncate (HDFS-3107, 2.7)"
_NO_UPDATE = "Hadoop 0.20 has no updatePipeline (HDFS-265, 0.21): its pipelines recover through block recovery"
_NO_COMMITTED = "Hadoop 0.20 has no state COMMITTED that a block could wait in (HDFS-265, 0.21)"
_NOT_YET = "came with Hadoop 3.1 (HDFS-12886)"
_NO_BLOCK = "its line names no block, or is logged at DEBUG"
_RESTARTS = "no line that is read tells of a start"
_ON_ITS_OWN = "what a server does on its own was not traced"
_NOT_NAMED = "the trace does not name what the call changes"
_OF_PIPELINE = "a call of writeBlock does not say which stage of a pipeline it is"

_BLOCKS: Steps = declared(
    (
        ALWAYS,
        "add_block write_block finalize_replica invalidate_replica invalidate_absent_replica add_stored_block"
        " add_to_invalidates",
        "logged at INFO, with the block",
    ),
    (MAYBE, "complete_block", "addStoredBlock shows it, and that of a replica known before does not"),
    (MAYBE, "remove", "a block without locations goes without a line"),
    (MAYBE, "ask_to_delete", "before 0.19 the answer to a block report, which has no line, could be such an order"),
    (
        UNSEEN,
        "fsync commit append start_recovery commit_block_synchronization commit_block_synchronization_without_close"
        " commit_block_synchronization_delete abandon_block drop_empty_block",
        _NO_BLOCK,
    ),
    (UNSEEN, "force_complete restart_last_of_open_file restart_any_other", _RESTARTS),
    (ABSENT, "truncate copy_on_truncate", _NO_TRUNCATE),
    (ABSENT, "update_pipeline", _NO_UPDATE),
    (ABSENT, "commit_block_synchronization_too_few_replicas", _NO_COMMITTED),
    (ABSENT, "complete_after_recovery", _NOT_YET),
)

_TRACED: Mapping[Kind, Steps] = {
    "file": declared(
        (ALWAYS, "create add_block abandon_block", "traced calls of the NameNode"),
        (MAYBE, "close", "complete, which is traced; a recovery that closes a file is not"),
        (UNSEEN, "create_overwrite append delete", _NOT_NAMED),
        (UNSEEN, "fsync reassign_lease commit_block_synchronization_without_close", _ON_ITS_OWN),
        (ABSENT, "truncate truncate_at_block_boundary", _NO_TRUNCATE),
        (ABSENT, "update_pipeline", _NO_UPDATE),
    ),
    "block": declared(
        (ALWAYS, "add_block abandon_block", "traced calls of the NameNode"),
        (MAYBE, "commit complete_block", "addBlock and complete show it, if they are there"),
        (UNSEEN, "append remove", _NOT_NAMED),
        (
            UNSEEN,
            "fsync drop_empty_block commit_block_synchronization commit_block_synchronization_without_close"
            " force_complete start_recovery commit_block_synchronization_delete restart_last_of_open_file"
            " restart_any_other",
            _ON_ITS_OWN,
        ),
        (ABSENT, "truncate copy_on_truncate", _NO_TRUNCATE),
        (ABSENT, "update_pipeline", _NO_UPDATE),
        (ABSENT, "commit_block_synchronization_too_few_replicas", _NO_COMMITTED),
        (ABSENT, "complete_after_recovery", _NOT_YET),
    ),
    "replica": declared(
        (ALWAYS, "create_rbw finalize", "traced calls of the datanode"),
        (MAYBE, "create_rbw_over_existing append recover_append recover_rbw recover_close", _OF_PIPELINE),
        (
            UNSEEN,
            "create_temporary create_temporary_over_existing init_recovery update_under_recovery invalidate"
            " restart_as_rwr restart_as_rbw restart_over_finalized restart_over_unfinalized restart_temporary"
            " convert_temporary_to_rbw unfinalize transfer_for_pipeline_recovery receive_packet",
            _ON_ITS_OWN,
        ),
        (ABSENT, "copy_on_truncate", _NO_TRUNCATE),
    ),
    "lease": declared(
        (ALWAYS, "grant", "create"),
        (MAYBE, "release", "complete, which is traced; a recovery is not"),
        (
            UNSEEN,
            "take_over reassign recovery_ends start_recovery renew soft_limit_passes hard_limit_passes restart",
            _ON_ITS_OWN,
        ),
    ),
}

DECLARED: Final[Mapping[str, Mapping[Kind, Steps]]] = {
    # Only blocks, as no line shows the datanode of a replica.
    MERGED_LOG: {"block": _BLOCKS},
    SEQUENCES: {"block": _BLOCKS},
    # Calls of clients, and how the NameNode and datanodes handled them, without lengths and without what is deleted.
    TRACEBENCH: _TRACED,
}
