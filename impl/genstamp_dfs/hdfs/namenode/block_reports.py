"""What datanodes report of their replicas, and what the namenode makes of it.

Not here: the queues of a standby, leases for full reports, and reports of one storage among several.

Source: BM/BlockManager#processReport, #processIncrementalBlockReport, #processReportedBlock, #addStoredBlock,
    Hadoop 3.4.1; facts I.1.
"""

from collections.abc import Iterable

from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedDeletedBlock, ReceivedStatus
from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import complete_block
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.corruption import (
    invalidate_corrupt_replicas,
    mark_block_as_corrupt,
    takes_mark_away,
    why_corrupt,
)
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeDescriptor
from genstamp_dfs.hdfs.namenode.redundancy import (
    add_to_invalidates,
    end_pending_copy,
    process_extra_redundancy,
    remove_stored_block,
    rescan_postponed,
    update_needed,
)
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, ReportedReplica


def process_report(bm: BlockManager, datanode: DatanodeDescriptor, replicas: Iterable[ReportedReplica]) -> None:
    """A full report: each replica is looked at, and what was known and is not reported is gone.

    Source: BlockManager#processReport, Hadoop 3.4.1.
    """
    gone = set(datanode.blocks)
    for reported in replicas:
        gone.discard(reported.block_id)
        process_reported_block(bm, datanode, reported)
    for block_id in sorted(gone):
        block = bm.blocks.get(block_id)
        if block is not None:
            remove_stored_block(bm, block, datanode.name)
    datanode.is_content_stale = False
    datanode.last_block_report_ms = bm.clock.time_ms()
    rescan_postponed(bm)


def process_incremental_block_report(
    bm: BlockManager, datanode: DatanodeDescriptor, line: ReceivedDeletedBlock
) -> None:
    """One line of an incremental report (BlockManager#processIncrementalBlockReport)."""
    reported, block = line.block, bm.blocks.get(line.block.block_id)
    match line.status:
        case ReceivedStatus.DELETED:
            if block is not None:
                remove_stored_block(bm, block, datanode.name)
        case ReceivedStatus.RECEIVED:
            _receive(bm, datanode, reported, block)
        case ReceivedStatus.RECEIVING:
            process_reported_block(bm, datanode, _as_replica(reported, ReplicaState.RBW))


def _receive(bm: BlockManager, datanode: DatanodeDescriptor, reported: Block, block: BlockInfo | None) -> None:
    """A replica was finalized; if a copy was waited for there, this is it (BlockManager#addBlock).

    A copy of another generation does not end the wait (HDFS-11960).
    """
    was_known = block is not None and datanode.name in block.stored
    was_awaited = (
        block is not None
        and reported.generation_stamp == block.generation_stamp
        and end_pending_copy(bm, block, datanode.name)
    )
    process_reported_block(bm, datanode, _as_replica(reported, ReplicaState.FINALIZED))
    if block is not None and was_awaited and was_known and bm.repairs(Repair.PENDING_COPY_ENDS_UNSEEN):
        update_needed(bm, block)


def process_reported_block(bm: BlockManager, datanode: DatanodeDescriptor, reported: ReportedReplica) -> None:
    """One replica of a report.

    Source: BlockManager#processReportedBlock, Hadoop 3.4.1; facts I.1.
    """
    block = bm.blocks.get(reported.block_id)
    replica = Block(reported.block_id, reported.generation_stamp, reported.num_bytes)
    if block is None:
        add_to_invalidates(bm, replica, datanode.name)
        return
    scheduled = datanode.invalidate_blocks.get(reported.block_id)
    is_scheduled = scheduled is not None and scheduled.generation_stamp == reported.generation_stamp
    if is_scheduled or block.is_deleted:
        return
    reason = why_corrupt(bm, reported, block)
    if reason is not None:
        mark_block_as_corrupt(bm, block, datanode.name, replica, reason)
    elif _is_under_construction(block, reported):
        _add_stored_block_under_construction(bm, block, datanode, reported)
    elif reported.state is ReplicaState.FINALIZED:
        add_stored_block(bm, block, datanode, reported.generation_stamp)


def _is_under_construction(block: BlockInfo, reported: ReportedReplica) -> bool:
    """Whether the report is one of a replica that is being written or recovered (#isBlockUnderConstruction)."""
    if reported.state is ReplicaState.FINALIZED:
        return block.state in (BlockUCState.UNDER_CONSTRUCTION, BlockUCState.UNDER_RECOVERY)
    return not block.is_complete


def _add_stored_block_under_construction(
    bm: BlockManager, block: BlockInfo, datanode: DatanodeDescriptor, reported: ReportedReplica
) -> None:
    """The location is expected from now on, and a FINALIZED replica is known."""
    block.add_replica_if_not_present(datanode.name, reported.generation_stamp, reported.state)
    if reported.state is ReplicaState.FINALIZED:
        add_stored_block(bm, block, datanode, reported.generation_stamp)


def add_stored_block(bm: BlockManager, block: BlockInfo, datanode: DatanodeDescriptor, generation_stamp: int) -> None:
    """A FINALIZED replica that fits is known; a COMMITTED block with enough of them is COMPLETE.

    An UNDER_CONSTRUCTION block never completes by reports, however many there are (HDFS-800).

    Source: BlockManager#addStoredBlock, Hadoop 3.4.1.
    """
    mark = block.corrupt.get(datanode.name)
    if mark is not None and not takes_mark_away(bm, mark):
        return
    block.corrupt.pop(datanode.name, None)
    is_new = datanode.name not in block.stored
    bm.store(block, datanode, generation_stamp)
    if block.state is BlockUCState.COMMITTED and bm.has_min_storage(block):
        complete_block(bm, block)
    if not is_new or not block.is_complete:
        return
    update_needed(bm, block)
    if bm.live_replicas(block) > block.replication:
        process_extra_redundancy(bm, block)
    if block.corrupt and bm.live_replicas(block) >= block.replication:
        invalidate_corrupt_replicas(bm, block)


def _as_replica(block: Block, state: ReplicaState) -> ReportedReplica:
    """A line of an incremental report in the form of a full one."""
    return ReportedReplica(block.block_id, block.generation_stamp, block.num_bytes, state)
