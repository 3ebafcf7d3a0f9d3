"""hdfs.reports_progress: that reports, delivered in the end, complete a block; the writers of hdfs.reports alone.

Nothing stops or fails here but nodes of the pipeline, for a fault that is cut off by a limit leaves progress unjudged.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.hdfs.systems.reports import REPORTS_AND_WRITERS
from genstamp_spec.lifecycles.block import BlockLifecycle


class ReportsProgress(BlockMap):
    """What comes of it that reports are sent and arrive."""

    def has_good_replicas(s, file: File) -> Bool:
        """Replicas enough are FINALIZED, with the stamp and length of the block."""
        good = count(Datanode, lambda d: s.matches(s.replica[d][file], s.block_stamp[file], s.block_bytes[file]))
        return good >= s.minimal()

    @leads_to(fair=("send_incremental_report", "block_receiving", "block_received", "block_deleted", "block_report"))
    def committed_blocks_become_complete(s, file: File) -> tuple[Bool, Bool]:
        """L5: a COMMITTED block with live replicas enough that match becomes COMPLETE, if reports go out and arrive."""
        committed = s.block[file].at(BlockLifecycle.committed)
        return committed & s.has_good_replicas(file), s.block[file].at(BlockLifecycle.complete)

    @witness
    def nothing_is_known_yet(s, file: File) -> Bool:
        """A7: the client has committed, and no report has come."""
        return s.block[file].at(BlockLifecycle.committed) & s.stored[file].is_empty()


REPORTS_PROGRESS = System(
    "hdfs.reports_progress",
    parts=[*REPORTS_AND_WRITERS, ReportsProgress],
    doc="That reports complete a committed block, if they go out and arrive.",
    rows="""
        *: Client=1 File=1 Datanode=2 Minimal=1 Wanted=2 stamps=0 bytes=0 pipeline_updates=0 appends=0 deletions=0
            copies=0 crashes=0 decommissions=0 losses=0 namenode_restarts=0 recoveries=0
        one_is_enough: stamps=2 bytes=1 pipeline_updates=1; a node of the pipeline is left behind
        two_are_needed: Minimal=2 stamps=2 appends=1; minimal replication of 2, and an append
        too_many: Wanted=1 stamps=3 pipeline_updates=1 appends=1 deletions=1;
            a replica too many, an append, and a file that is deleted
        copies: stamps=3 pipeline_updates=1 appends=1 copies=1; a copy, and an append
        alone: Datanode=1 stamps=2 bytes=1 appends=1; one datanode
    """,
    omits=(
        "faults, recoveries, decommissioning, and what else is in hdfs.reports beside its writers",
        "progress of copies: how many there are is a limit",
    ),
)
