"""The steps in the text logs of NameNodes, datanodes and clients, at the levels of Hadoop's own log4j.properties: INFO
for the NameNode and its state changes.
"""

from collections.abc import Mapping
from typing import Final

from genstamp.events import Kind
from genstamp.logs.sources import (
    AUDIT_LOG,
    CLIENT_LOG,
    DATANODE_LOG,
    DATANODE_LOGS,
    NAMENODE_LOG,
    NAMENODE_LOGS,
    Declared,
    Logged,
    Steps,
    declared,
)
from genstamp.logs.unseen import all_steps

ALWAYS, MAYBE, UNSEEN, _ = Logged

_AUDITED = "the audit log has it, which many clusters write into a file of its own"
_DEBUG = "logged at DEBUG"
_STARTS = "a NameNode that starts logs STARTUP_MSG, one that becomes active that it starts services"
_REPLAYS = "replay does this, when a NameNode starts or becomes active, which it logs"
_OTHERS_START = "the start of another NameNode, whose log has no line of the block, concerns it too"
_OF_SEVERAL = "where several datanodes write one log, nothing says which of them starts"
_NAMELESS = "a line of another call may be the only one that names the datanode, where several write one log"

_NAMENODE_FILE: Steps = declared(
    (ALWAYS, "add_block", "BLOCK* allocate"),
    (ALWAYS, "update_pipeline", "updatePipeline(... => ...)"),
    (ALWAYS, "close", "DIR* completeFile, or what closed it instead of its writer"),
    (ALWAYS, "commit_block_synchronization_without_close", "commitBlockSynchronization(...) successful"),
    (ALWAYS, "start_recovery", "DIR* NameSystem.internalReleaseLease, with the recovery id"),
    (MAYBE, "create create_overwrite append truncate truncate_at_block_boundary delete", _AUDITED),
    (MAYBE, "abandon_block", _DEBUG),
    (MAYBE, "reassign_lease", "no line of its own: recoveries show it"),
    (MAYBE, "fsync", "BLOCK* fsync, of calls that hsync makes; hflush makes none"),
)

_NAMENODE_BLOCK: Steps = declared(
    (ALWAYS, "add_block", "BLOCK* allocate"),
    (ALWAYS, "update_pipeline", "updatePipeline(... => ...)"),
    (ALWAYS, "start_recovery", "DIR* NameSystem.internalReleaseLease, with the recovery id"),
    (ALWAYS, "drop_empty_block", "BLOCK* internalReleaseLease: Removed empty last block"),
    (
        ALWAYS,
        "commit_block_synchronization commit_block_synchronization_without_close commit_block_synchronization_delete",
        "commitBlockSynchronization(...) successful",
    ),
    (
        ALWAYS,
        "commit_block_synchronization_too_few_replicas",
        "commitBlockSynchronization(...) successful, or the IllegalStateException that closing the file throws",
    ),
    (ALWAYS, "restart_last_of_open_file restart_any_other", _STARTS),
    (ALWAYS, "force_complete", _REPLAYS),
    (MAYBE, "complete_block complete_after_recovery", "since Hadoop 3 a replica that is stored is logged at DEBUG"),
    (MAYBE, "fsync", "BLOCK* fsync names the file only"),
    (MAYBE, "abandon_block", _DEBUG),
    (MAYBE, "append truncate copy_on_truncate remove", _AUDITED),
    (UNSEEN, "commit", "no line of its own: the allocation or completion that it is a part of follows"),
)

_NAMENODE_LEASE: Steps = declared(
    (ALWAYS, "hard_limit_passes", "Lease ... has expired hard limit"),
    (ALWAYS, "restart", _STARTS),
    (MAYBE, "grant release", _AUDITED),
    (MAYBE, "take_over reassign recovery_ends start_recovery", "no line of its own: recoveries show it"),
    (UNSEEN, "renew soft_limit_passes", "no line tells of a renewal, and none of the soft limit"),
)

_DATANODE_REPLICA: Steps = declared(
    (
        ALWAYS,
        "create_rbw create_rbw_over_existing append recover_append recover_rbw recover_close create_temporary"
        " create_temporary_over_existing",
        "Receiving ..., which comes with every stage of a pipeline, before the checks",
    ),
    (ALWAYS, "finalize", "src: ... op: HDFS_WRITE, or Received ... for a copy"),
    (ALWAYS, "init_recovery", "initReplicaRecovery: changing replica state"),
    (ALWAYS, "update_under_recovery", "updateReplica: ..., before the checks"),
    (
        ALWAYS,
        "restart_as_rwr restart_as_rbw restart_over_finalized restart_over_unfinalized restart_temporary",
        "a datanode that starts logs STARTUP_MSG, and its replicas so far are known",
    ),
    (MAYBE, "invalidate", "the line of a deletion may name no datanode"),
    (UNSEEN, "convert_temporary_to_rbw unfinalize transfer_for_pipeline_recovery", "no line that is read tells of it"),
    (UNSEEN, "copy_on_truncate", "the line of the update names the old block only"),
    (UNSEEN, "receive_packet", "packets are logged at TRACE, if at all"),
)

_NOT_ASKED = "no command of a client, so no line: what followed from commands is not told"


def _all_of(kind: Kind, why: str, *others: tuple[Logged, str, str]) -> Steps:
    """Every step happens unseen for a reason, except some with declarations of their own."""
    return {**dict.fromkeys(all_steps(kind), Declared(UNSEEN, why)), **declared(*others)}


DECLARED: Final[Mapping[str, Mapping[Kind, Steps]]] = {
    NAMENODE_LOG: {"file": _NAMENODE_FILE, "block": _NAMENODE_BLOCK, "lease": _NAMENODE_LEASE},
    NAMENODE_LOGS: {
        "file": _NAMENODE_FILE,
        "block": {
            **_NAMENODE_BLOCK,
            **declared((UNSEEN, "restart_last_of_open_file restart_any_other force_complete", _OTHERS_START)),
        },
        "lease": {**_NAMENODE_LEASE, **declared((UNSEEN, "restart", _OTHERS_START))},
    },
    # Calls of clients that were granted, without what followed and without holders.
    AUDIT_LOG: {
        "file": declared(
            (ALWAYS, "create append truncate truncate_at_block_boundary delete", "cmd=..., when it has succeeded"),
            (MAYBE, "create_overwrite", "cmd=create, which does not say whether a file was there"),
            (
                UNSEEN,
                "add_block abandon_block update_pipeline fsync reassign_lease close"
                " commit_block_synchronization_without_close",
                "not audited",
            ),
        ),
        "block": _all_of("block", _NOT_ASKED, (MAYBE, "remove", "cmd=delete of a file whose blocks are known")),
        "lease": _all_of("lease", _NOT_ASKED, (MAYBE, "release", "cmd=delete of a file whose holder is known")),
    },
    DATANODE_LOG: {"replica": _DATANODE_REPLICA},
    DATANODE_LOGS: {
        "replica": {
            **_DATANODE_REPLICA,
            **declared(
                (
                    MAYBE,
                    "restart_as_rwr restart_as_rbw restart_over_finalized restart_over_unfinalized restart_temporary",
                    _OF_SEVERAL,
                ),
                (MAYBE, "init_recovery", _NAMELESS),
            ),
        }
    },
    # What a client does to its pipelines, without how the NameNode answered.
    CLIENT_LOG: {
        "block": _all_of(
            "block",
            "a client logs what it asks for, and not what the NameNode made of it",
            (MAYBE, "abandon_block", "Abandoning ..., which the NameNode may never hear of"),
        ),
    },
}
