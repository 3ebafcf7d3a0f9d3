"""The parts of a run that hdfs.lease does not cover, and the reasons: tables of `lease`."""

from collections.abc import Mapping, Sequence
from typing import Final

from genstamp.lockstep.hdfs import unheard

FILE: Final = "file"
SOME, OTHER = "some datanode", "another datanode"

UNSEEN: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "finalize_replicas": {},
    "block_received": {"datanode": (SOME,)},
    "block_received_earlier": {"datanode": (SOME,)},
    "replica_reported": {},
    "recovery_gate_opens": {},
    "safe_mode_ends": {},
    "soft_limit_passes": {"holder": ("namenode",)},
    "hard_limit_passes": {"holder": ("namenode",)},
}
"""Actions that the NameNode's events do not show."""

IMPOSSIBLE: Final = frozenset(
    {
        "add_block_unanswered",
        "complete_unanswered",
        "add_block_goes_on",
        "add_block_was_repeated",
        "fsync_arrives_late",
    }
)
"""Actions of calls that are repeated or late: a call that is carried out again is left out."""

STARTING: Final = "{} starting a recovery"

TOLD_APART: Final[Mapping[str, str]] = {
    "create_starts_recovery": STARTING.format("create"),
    "append_starts_recovery": STARTING.format("append"),
    "recover_lease_starts": STARTING.format("recover_lease"),
    "release_expired_lease_starts": STARTING.format("release_expired_lease"),
}
"""The NameNode's event has a recovery id if the call has started a recovery, and else none."""

FORGOTTEN: Final = (
    "changed_by",
    "crashes",
    "late_calls",
    "lost",
    "promised",
    "removals",
    "renames",
    "restarts",
    "taken_by",
)

READS: Final = "asks and changes nothing"
REPORTS: Final = "what datanodes report: unseen here, hdfs.reports has it"
PIPELINE: Final = "a stamp for a new pipeline, or a pipeline that is refused: hdfs.pipeline has it"
TREE: Final = "directories and attributes"
NODES: Final = "datanodes that come and go: unseen here"

DROPPED: Final[Mapping[str, str]] = {
    **dict.fromkeys(unheard.ASKING, READS),
    **dict.fromkeys(unheard.OF_DATANODES, NODES),
    **dict.fromkeys(("block_report", "block_received_and_deleted", "block_received"), REPORTS),
    **dict.fromkeys(unheard.REPORTING_NOTHING_FINAL, REPORTS),
    "update_block_for_pipeline": PIPELINE,
    **dict.fromkeys(unheard.OF_ATTRIBUTES, TREE),
    "set_safe_mode": "safe mode by hand",
    "retry_cache_answers": "the retry cache: hdfs.journal has it",
}
"""Events of the NameNode that the system has no word for, each with the reason."""

OTHER_NODES: Final = "not at the NameNode"
NO_FILE: Final = "of a path or an inode that leads to no file"
TRUNCATED: Final = "truncate: hdfs.truncate has it"
TREE_WITH_FILES: Final = "a directory with files is deleted, renamed over or joined"
AGAIN: Final = "a call that was carried out already and comes again"
NO_TARGET: Final = "no datanode can be chosen"
LOST_BYTES: Final = "a recovery has found fewer bytes than the NameNode was told of: replicas lose none here"
REPORTS_AWAITED: Final = "an hflush that waits for datanodes to report: hdfs.write_path_restarts has it"
UNDONE: Final = "the NameNode died before the edits of its last calls were on disk"
REOPENED: Final = (
    "the NameNode restarts while a file is open whose last block is not: its image makes the block UNDER_CONSTRUCTION, "
    "as the system says, its edits leave it COMPLETE"
)
OTHER_STREAM: Final = (
    "of a stream whose file was overwritten, by a client that has another stream there: here it has one"
)
EMPTY: Final = "an empty block is recovered after a restart: that datanodes report empty replicas is not said here"
GONE: Final = "of a block of a deleted file: here it goes at once"
NOTHING_DONE: Final = "abandonBlock of a block that is not the last"
