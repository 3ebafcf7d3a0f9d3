"""The parts of a run that hdfs.block_recovery does not cover, and the reasons: tables of `block`."""

from collections.abc import Mapping
from typing import Final

from genstamp.lockstep.hdfs import unheard

FILE: Final = "file"
WRITER: Final = "writer"

CLOSED_AT_ONCE: Final = "release that closes"
LATE: Final = "{}_late"

TOLD_APART: Final[Mapping[str, str]] = {
    "release_closes": CLOSED_AT_ONCE,
    "init_replica_recovery_late": LATE.format("init_replica_recovery"),
    "update_replica_late": LATE.format("update_replica"),
    "report_back": "report_back",
}
"""Steps that the projection distinguishes: what others of their event do not say, or nobody but it can place."""

IMPOSSIBLE: Final = frozenset({"hflush", "client_crash", "init_replica_recovery_failed", "update_replica_failed"})
"""Acknowledgements are not read here; a client that has crashed is silent; calls without an answer time out."""

FORGOTTEN: Final = ("crashes", "deletions", "given_up", "hflushed", "holding", "lost_commands", "silences", "steady")
"""Variables that only limits and properties read, or `hflush`, which is impossible here."""

READS: Final = "asks and changes nothing"
NODES: Final = "heartbeats and registrations: what datanodes are to the NameNode is unseen here"
TREE: Final = "names, directories and attributes"
LEASES: Final = "leases, and calls that are refused because of them: hdfs.lease has them"
ACKS: Final = "acknowledgements and what clients make of them: hdfs.pipeline has them"
COPIES: Final = "copies of complete blocks: hdfs.reports has them"
REPORTS: Final = "reports that count nothing: of replicas that are written or gone, or of changed ones"
NO_BLOCK: Final = "a call about no block that is judged"
OLDER: Final = "of a generation, or at a datanode, that the block no longer has"
WAITS: Final = "complete() waits for the block before, and commits nothing: hdfs.lease has it"
SAME: Final = "a packet without new bytes, or a call that was carried out already"
SET_UP: Final = "setting up a pipeline for a new generation: its replicas are taken over when the NameNode has it"
PIPELINE: Final = "the block gets a new pipeline: hdfs.pipeline has how"
APPENDED: Final = "an append opens the block again: hdfs.pipeline has how"
TRUNCATED: Final = "truncate: hdfs.truncate has it"
ABANDONED: Final = "abandonBlock: hdfs.lease has it"
REMOVED: Final = "the file is removed or overwritten"
RESTARTED: Final = "the NameNode restarts while the block is open: hdfs.journal has it"
LOST_MORE: Final = "a restart loses more than the last packet of a replica, or a finalized one"
LOST_WHOLE: Final = "a datanode comes back without a replica that it had"
HALFWAY: Final = "a datanode dies in the middle of a step, and has done some of it"
UNDONE: Final = "the NameNode died before the edits of its last calls were on disk"
LOST_CALL: Final = "a call or a report between nodes is late or lost: hdfs.block_recovery has such"
SOFTLY: Final = "a file is taken from its holder past the soft limit: hdfs.lease has it"
CAREFUL: Final = "RWR replicas alone were found, and a location is silent: hdfs.block_recovery has who gives up then"
STARTS: Final = "the NameNode has just started, and takes no such call"
REGISTERS: Final = "a primary ends what it leads when it registers anew: hdfs.write_path_restarts has it"
OUTSIDE: Final = "a datanode takes part in a recovery that the pipeline did not have"
TWICE: Final = "a call is carried out twice, and its caller hears of the second time only"
SILENT: Final = "the NameNode takes a datanode for dead that runs"
UNEQUAL: Final = "a pipeline whose replicas are not as they were set up"
ITSELF: Final = "a primary gets no answer from itself"
KEPT: Final = "an order to delete what is not there, or not of that generation"
COMES_BACK: Final = "a restart brings a deleted replica back"
FORGOTTEN_NODE: Final = "the NameNode has not heard of any datanode that it knew to have the block, and counts none"
EXCESS: Final = "a replica in excess is deleted: hdfs.reports has it"
DYING: Final = "a datanode of the pipeline restarts while the last packet is on its way"

ENDS: Final = frozenset({PIPELINE, APPENDED, ABANDONED, REMOVED, EXCESS})
"""Reasons for which a generation ends by itself, so that nothing of it is left to check."""

DROPPED: Final[Mapping[str, str]] = {
    **dict.fromkeys((*unheard.ASKING, "get_additional_datanode"), READS),
    **dict.fromkeys(unheard.OF_DATANODES, NODES),
    **dict.fromkeys((*unheard.OF_ATTRIBUTES, "rename", "set_safe_mode"), TREE),
    **dict.fromkeys(("renew_lease", "retry_cache_answers"), LEASES),
    **dict.fromkeys(unheard.REPORTING_NOTHING_FINAL, REPORTS),
    **dict.fromkeys(
        ("set_up_create", "receive_ack", "end_block", "start_streaming", "close", "hflush", "hsync", "fsync"), ACKS
    ),
    "update_block_for_pipeline": SET_UP,
    **dict.fromkeys(("create_temporary", "unfinalize_block"), COPIES),
    **dict.fromkeys(("transfer_replica", "convert_temporary_to_rbw"), SET_UP),
}
"""Events that the system has no word for, each with the reason."""
