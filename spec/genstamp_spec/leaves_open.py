"""What the systems leave open about the outcome of a call.

Everywhere else a call has one outcome: no two actions of its event are possible, none is possible where another one
refuses, and where a caller may call, one is possible or refuses. `genstamp mutate` relies on it, and
tests/spec/test_answers.py compares it with the reachable states.
"""

from collections.abc import Mapping
from typing import Final

_LOST: Final = "the answer may be lost, or the call may fail"
_ONCE: Final = "the caller does not call where this would be: it waits for something first, or has nothing to call for"
_LATE: Final = "one of the two was sent earlier"
_NOT_ONE: Final = "two calls of one event: with another flag, for another block or replica, or of another thread"

LEAVES_OPEN: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "hdfs.lease": {
        _NOT_ONE: (
            "create_closes_other refuses what create_over answers",
            "create_starts_recovery and create_over answer one call",
            "create_waits and create_over answer one call",
            "create_closes_other and create_over answer one call",
            "block_received and block_received_earlier answer one call",
        ),
        _LOST: (
            "add_block and add_block_unanswered answer one call",
            "complete_closes and complete_unanswered answer one call",
        ),
        _ONCE: (
            "add_block has no outcome",
            "complete has no outcome",
            "block_received has no outcome",
            "fsync has no outcome",
        ),
        _LATE: (
            "add_block and add_block_goes_on answer one call",
            "add_block and add_block_was_repeated answer one call",
            "add_block_unanswered and add_block_goes_on answer one call",
            "add_block_unanswered and add_block_was_repeated answer one call",
            "add_block_again and add_block_goes_on answer one call",
            "add_block_again and add_block_was_repeated answer one call",
            "add_block_goes_on refuses what add_block answers",
            "add_block_goes_on refuses what add_block_again answers",
            "add_block_goes_on refuses what add_block_unanswered answers",
            "add_block refuses what add_block_was_repeated answers",
            "add_block_unanswered refuses what add_block_was_repeated answers",
            "fsync and fsync_arrives_late answer one call",
            "fsync_arrives_late refuses what fsync answers",
        ),
    },
    "hdfs.expiry": {
        _NOT_ONE: ("block_received and block_received_earlier answer one call",),
        _ONCE: ("add_block has no outcome", "complete has no outcome", "block_received has no outcome"),
    },
    "hdfs.recovery": {_ONCE: ("complete has no outcome",)},
    "hdfs.block_recovery": {
        _ONCE: ("complete has no outcome", "sync_block has no outcome", "release has no outcome"),
    },
    "hdfs.block_recovery_ends": {_ONCE: ("complete has no outcome", "release has no outcome")},
    "hdfs.pipeline": {
        _ONCE: ("complete has no outcome", "update_pipeline has no outcome"),
        _LATE: ("update_pipeline and update_pipeline_comes_late answer one call",),
    },
    "hdfs.pipeline_progress": {_ONCE: ("set_up_create has no outcome", "complete has no outcome")},
    "hdfs.replica": {
        _NOT_ONE: (
            "serve_create_rbw refuses what serve_create_rbw_again answers",
            "serve_update and serve_update_by_copy answer one call",
            "writer_finalizes and lingering_responder_finalizes answer one call",
            "writer_finalizes refuses what lingering_responder_finalizes answers",
            "serve_create_temporary refuses what serve_create_temporary_over_existing answers",
            "serve_create_temporary refuses what serve_transfer answers",
            "serve_create_temporary_over_existing and serve_transfer answer one call",
            "serve_create_temporary_over_existing refuses what serve_transfer answers",
        ),
        _ONCE: ("finalize_block has no outcome", "init_replica_recovery has no outcome"),
        "what a disk has lost while its datanode was down is left open": (
            "datanode_restarts and datanode_restarts_losing_a_chunk answer one call",
            "datanode_restarts and datanode_restarts_with_unreadable_replica answer one call",
            "datanode_restarts_losing_a_chunk and datanode_restarts_with_unreadable_replica answer one call",
        ),
    },
    "hdfs.replica_threads": {
        _NOT_ONE: ("copy_begins refuses what copy_replaces_older answers",),
        _ONCE: ("create_temporary has no outcome",),
    },
    "hdfs.reports": {_ONCE: ("complete has no outcome",)},
    "hdfs.journal": {
        _ONCE: (
            "create has no outcome",
            "append has no outcome",
            "release_expired_lease has no outcome",
            "complete has no outcome",
            "block_received has no outcome",
        ),
        _NOT_ONE: ("delete and delete_under_snapshot answer one call",),
        "a recovery may leave the file open (closeFile false)": (
            "commit_block_synchronization and commit_block_synchronization_leaves_open answer one call",
        ),
    },
    "hdfs.truncate": {
        _ONCE: (
            "create has no outcome",
            "complete has no outcome",
            "append has no outcome",
            "invalidate_replica has no outcome",
            "append_replica has no outcome",
            "delete has no outcome",
        ),
    },
    "hdfs.truncate_ends": {
        _ONCE: (
            "create has no outcome",
            "complete has no outcome",
            "invalidate_replica has no outcome",
            "delete has no outcome",
        ),
        _NOT_ONE: ("invalidate_replica and invalidate_other_replica answer one call",),
    },
    "hdfs.write_path": {
        _NOT_ONE: ("block_received and block_received_earlier answer one call",),
        _ONCE: ("complete has no outcome", "block_received has no outcome", "append has no outcome"),
    },
    "hdfs.write_path_restarts": {
        _ONCE: ("complete has no outcome", "block_received has no outcome", "append has no outcome"),
        _NOT_ONE: ("block_received and block_received_earlier answer one call",),
    },
    "hdfs.write_path_truncate": {
        _ONCE: (
            "create has no outcome",
            "complete has no outcome",
            "block_received has no outcome",
            "append has no outcome",
            "invalidate_replica has no outcome",
            "delete has no outcome",
        ),
        _NOT_ONE: (
            "invalidate_replica and invalidate_other_replica answer one call",
            "block_received and block_received_earlier answer one call",
        ),
    },
    "gfs.chunk_lease": {
        _ONCE: ("report_current has no outcome",),
    },
    "gfs.progress": {
        _NOT_ONE: ("revoke_lease and revoke_for_dead_replica answer one call",),
        _ONCE: ("revoke_lease has no outcome", "answer has no outcome"),
    },
}
"""By system and reason: the claims about calls that it does not make, by name (`genstamp_model.mutate.answers`)."""
