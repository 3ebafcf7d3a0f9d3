"""Reports that are delivered in the end complete a block: the writers of hdfs.reports alone.

Nothing stops or fails here but nodes of the pipeline, for a fault that is cut off by a limit leaves progress unjudged.
Progress of copies is not judged: how many there are is a limit.
"""

import pytest

from genstamp_model.explore import Verdict
from genstamp_model.language import Bool, System, count, leads_to, witness
from genstamp_model.liveness import judge
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.hdfs.systems.reports import REPORTS_AND_WRITERS
from genstamp_spec.lifecycles.block import BlockLifecycle


class ReportsProgress(BlockMap):
    """What comes of it that reports are sent and arrive."""

    def is_owed(s, file: File) -> Bool:
        """The block is COMMITTED, and replicas enough are FINALIZED, with its stamp and length."""
        good = count(Datanode, lambda d: s.matches(s.replica[d][file], s.block_stamp[file], s.block_bytes[file]))
        return s.block[file].at(BlockLifecycle.committed) & (good >= s.minimal())

    @leads_to(fair=("send_incremental_report", "block_receiving", "block_received", "block_deleted", "block_report"))
    def committed_blocks_become_complete(s, file: File) -> tuple[Bool, Bool]:
        """L5: a COMMITTED block with live replicas enough that match becomes COMPLETE, if reports go out and arrive."""
        return s.is_owed(file), s.block[file].at(BlockLifecycle.complete)

    @witness
    def nothing_is_known_yet(s, file: File) -> Bool:
        """A7: the client has committed, and no report has come."""
        return s.block[file].at(BlockLifecycle.committed) & s.stored[file].is_empty()


class NothingIsSent(ReportsProgress):
    """What waits to be reported may wait for ever."""

    @leads_to(fair=("block_receiving", "block_received", "block_deleted", "block_report"))
    def committed_blocks_become_complete(s, file: File) -> tuple[Bool, Bool]:
        """Nobody has to send anything."""
        return s.is_owed(file), s.block[file].at(BlockLifecycle.complete)


ROWS = """
    *: Client=1 File=1 Datanode=2 Minimal=1 Wanted=2 stamps=0 bytes=0 pipeline_updates=0 appends=0 deletions=0
        copies=0 crashes=0 decommissions=0 losses=0 namenode_restarts=0 recoveries=0
    one_is_enough: stamps=2 bytes=1 pipeline_updates=1; a node of the pipeline is left behind
    two_are_needed: Minimal=2 stamps=2 appends=1; minimal replication of 2, and an append
    too_many: Wanted=1 stamps=3 pipeline_updates=1 appends=1 deletions=1;
        a replica too many, an append, and a file that is deleted
    copies: stamps=3 pipeline_updates=1 appends=1 copies=1; a copy, and an append
    alone: Datanode=1 stamps=2 bytes=1 appends=1; one datanode
"""
PROGRESS = System("progress", parts=[*REPORTS_AND_WRITERS, ReportsProgress], rows=ROWS)
SILENT = System("silent", parts=[*REPORTS_AND_WRITERS, NothingIsSent], rows=ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("configuration", [one.name for one in PROGRESS.configurations])
def test_reports_complete_a_committed_block(configuration: str) -> None:
    [judged] = judge(PROGRESS.instance(configuration))
    assert judged.verdict is Verdict.HOLDS, judged.reason


@pytest.mark.slow
def test_a_block_stays_committed_where_nobody_has_to_report() -> None:
    [judged] = judge(SILENT.instance("one_is_enough"))
    assert judged.verdict is Verdict.VIOLATED
