"""The parts of a run that hdfs.pipeline does not cover, and the reasons: tables of `pipeline`."""

from collections.abc import Mapping
from typing import Final

from genstamp.lockstep.hdfs import unheard
from genstamp.lockstep.hdfs.generation import LOCATIONS

DATANODES: Final = LOCATIONS
READER: Final = "reader"

FORGOTTEN: Final = (
    "crashes",
    "faults",
    "hangs",
    "restarts",
    "client_crashes",
    "takeovers",
    "registrations",
    "late_calls",
    "reused_stamps",
    "steady",
    "failed",
    "shown",
)
"""Variables that only limits and properties read, or `read`, and that no node reports."""

IMPOSSIBLE: Final = frozenset({"read", "no_datanode_to_add"})

READS: Final = "asks and changes nothing"
NODES: Final = "heartbeats, registrations and the namespace: not of a pipeline"
LEASES: Final = "leases, and calls that are refused because of them: hdfs.lease has them"
REPORTS: Final = "reports that count nothing: of replicas that are written or gone, or of other generations"
EARLY: Final = "a report of a replica whose block or generation the NameNode hears of later, and judged then"
NO_BLOCK: Final = "of no block that is judged"
WAITS: Final = "complete() waits for the block before, and commits nothing: hdfs.lease has it"
SAME: Final = "a packet without new bytes, or a call that was carried out already"
AGAIN: Final = "the set-up of a pipeline, judged with its first step at a datanode, or at its end"
LATE: Final = "what a connection still does after its pipeline has failed"
COPIES: Final = "copies of blocks: hdfs.reports has them"
GIVEN_UP: Final = "of a datanode that the pipeline no longer has"
COMES_BACK: Final = "a datanode comes back whose pipeline goes on without it, which is judged when it does"
FILE: Final = "what the file's user is told, where no packet of the block is new"

NEVER: Final = "the first pipeline is not set up"
FEW: Final = "fewer datanodes than the file is to have"
SET_UP_FAILS: Final = "a pipeline that is not set up again at the first attempt"
SEVERAL: Final = "more than one datanode is left out at once, or none"
OVERTAKEN: Final = "acknowledgements are lost between datanodes that go on"
UNKNOWN_FLUSH: Final = "a flush in a block without a packet, which counts for whom the policy replaces"
PLANNED: Final = "a datanode says that it restarts"
HALFWAY: Final = "a datanode dies in the middle of a step, and has done some of it"
MORE_NODES: Final = "more datanodes join than the model has"
DELETED: Final = "a replica is deleted"
RESTARTED: Final = "the NameNode restarts while the block is open: hdfs.journal has it"
APPENDED: Final = "an append opens the block again"
ABANDONED: Final = "abandonBlock: hdfs.lease has it"
REMOVED: Final = "the file is removed or overwritten"
RECOVERED: Final = "somebody has the block recovered: hdfs.recovery has how"
TRUNCATED: Final = "truncate: hdfs.truncate has it"

ENDS: Final = frozenset({APPENDED, ABANDONED, REMOVED, RECOVERED, TRUNCATED})
"""Reasons for which the life of a pipeline ends by itself, so that nothing of it is left to check."""

DROPPED: Final[Mapping[str, str]] = {
    **dict.fromkeys(unheard.ASKING, READS),
    **dict.fromkeys((*unheard.OF_DATANODES, *unheard.OF_ATTRIBUTES, "set_safe_mode", "rename"), NODES),
    **dict.fromkeys(("renew_lease", "retry_cache_answers"), LEASES),
    **dict.fromkeys(unheard.REPORTING_NOTHING_FINAL, REPORTS),
    **dict.fromkeys(("create_temporary", "unfinalize_block"), COPIES),
    **dict.fromkeys(("get_additional_datanode", "start_streaming"), AGAIN),
    **dict.fromkeys(("fsync", "close"), FILE),
    **dict.fromkeys(
        (
            "receive_recovery_command",
            "report_back",
            "sync_block",
            "abandon_recovery",
            "init_replica_recovery",
            "init_replica_recovery_failed",
            "update_replica_under_recovery",
            "update_replica_failed",
            "commit_block_synchronization",
        ),
        RECOVERED,
    ),
}
"""Events that the system has no word for, each with the reason."""
