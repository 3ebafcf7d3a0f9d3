"""What datanodes report of their replicas, and what the namenode makes of it.

Not here: the queues of a standby, leases for full reports, and reports of one storage among several.

Source: BM/BlockManager#processReport, #processIncrementalBlockReport, #processReportedBlock, #addStoredBlock,
    Hadoop 3.4.1; facts I.1.
"""

from collections.abc import Iterable

from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedDeletedBlock, ReceivedStatus
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import Completion
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeDescriptor
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, ReportedReplica


class BlockManager(Completion):
    """All blocks of the namespace."""

    def process_report(self, datanode: DatanodeDescriptor, replicas: Iterable[ReportedReplica]) -> None:
        """A full report: each replica is looked at, and what was known and is not reported is gone.

        Source: BlockManager#processReport, Hadoop 3.4.1.
        """
        gone = set(datanode.blocks)
        for reported in replicas:
            gone.discard(reported.block_id)
            self.process_reported_block(datanode, reported)
        for block_id in sorted(gone):
            block = self.blocks.get(block_id)
            if block is not None:
                self.remove_stored_block(block, datanode.name)
        datanode.is_content_stale = False
        datanode.last_block_report_ms = self.clock.time_ms()
        self.rescan_postponed()

    def process_incremental_block_report(self, datanode: DatanodeDescriptor, line: ReceivedDeletedBlock) -> None:
        """One line of an incremental report (BlockManager#processIncrementalBlockReport)."""
        reported, block = line.block, self.blocks.get(line.block.block_id)
        match line.status:
            case ReceivedStatus.DELETED:
                if block is not None:
                    self.remove_stored_block(block, datanode.name)
            case ReceivedStatus.RECEIVED:
                self._receive(datanode, reported, block)
            case ReceivedStatus.RECEIVING:
                self.process_reported_block(datanode, _as_replica(reported, ReplicaState.RBW))

    def _receive(self, datanode: DatanodeDescriptor, reported: Block, block: BlockInfo | None) -> None:
        """A replica was finalized; if a copy was waited for there, this is it (BlockManager#addBlock).

        A copy of another generation does not end the wait (HDFS-11960).
        """
        was_known = block is not None and datanode.name in block.stored
        was_awaited = (
            block is not None
            and reported.generation_stamp == block.generation_stamp
            and self.end_pending_copy(block, datanode.name)
        )
        self.process_reported_block(datanode, _as_replica(reported, ReplicaState.FINALIZED))
        if block is not None and was_awaited and was_known and self.is_closed_hole(Repair.PENDING_COPY_ENDS_UNSEEN):
            self.update_needed(block)

    def process_reported_block(self, datanode: DatanodeDescriptor, reported: ReportedReplica) -> None:
        """One replica of a report.

        Source: BlockManager#processReportedBlock, Hadoop 3.4.1; facts I.1.
        """
        block = self.blocks.get(reported.block_id)
        replica = Block(reported.block_id, reported.generation_stamp, reported.num_bytes)
        if block is None:
            self.add_to_invalidates(replica, datanode.name)
            return
        scheduled = datanode.invalidate_blocks.get(reported.block_id)
        is_scheduled = scheduled is not None and scheduled.generation_stamp == reported.generation_stamp
        if is_scheduled or block.is_deleted:
            return
        reason = self.why_corrupt(reported, block)
        if reason is not None:
            self.mark_block_as_corrupt(block, datanode.name, replica, reason)
        elif self._is_under_construction(block, reported):
            self._add_stored_block_under_construction(block, datanode, reported)
        elif reported.state is ReplicaState.FINALIZED:
            self.add_stored_block(block, datanode, reported.generation_stamp)

    def _is_under_construction(self, block: BlockInfo, reported: ReportedReplica) -> bool:
        """Whether the report is one of a replica that is being written or recovered (#isBlockUnderConstruction)."""
        if reported.state is ReplicaState.FINALIZED:
            return block.state in (BlockUCState.UNDER_CONSTRUCTION, BlockUCState.UNDER_RECOVERY)
        return not block.is_complete

    def _add_stored_block_under_construction(
        self, block: BlockInfo, datanode: DatanodeDescriptor, reported: ReportedReplica
    ) -> None:
        """The location is expected from now on, and a FINALIZED replica is known."""
        block.add_replica_if_not_present(datanode.name, reported.generation_stamp, reported.state)
        if reported.state is ReplicaState.FINALIZED:
            self.add_stored_block(block, datanode, reported.generation_stamp)

    def add_stored_block(self, block: BlockInfo, datanode: DatanodeDescriptor, generation_stamp: int) -> None:
        """A FINALIZED replica that fits is known; a COMMITTED block with enough of them is COMPLETE.

        An UNDER_CONSTRUCTION block never completes by reports, however many there are (HDFS-800).

        Source: BlockManager#addStoredBlock, Hadoop 3.4.1.
        """
        mark = block.corrupt.get(datanode.name)
        if mark is not None and not self.takes_mark_away(mark):
            return
        block.corrupt.pop(datanode.name, None)
        is_new = datanode.name not in block.stored
        self.store(block, datanode, generation_stamp)
        if block.state is BlockUCState.COMMITTED and self.has_min_storage(block):
            self.complete_block(block)
        if not is_new or not block.is_complete:
            return
        self.update_needed(block)
        if self.live_replicas(block) > block.replication:
            self.process_extra_redundancy(block)
        if block.corrupt and self.live_replicas(block) >= block.replication:
            self.invalidate_corrupt_replicas(block)


def _as_replica(block: Block, state: ReplicaState) -> ReportedReplica:
    """A line of an incremental report in the form of a full one."""
    return ReportedReplica(block.block_id, block.generation_stamp, block.num_bytes, state)
