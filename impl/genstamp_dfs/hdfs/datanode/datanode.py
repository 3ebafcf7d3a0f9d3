"""A datanode process: its replicas, the reports it owes the namenode, and the recoveries it leads.

The process may be down: then its replicas lie on disk and everything else is gone.

Leaves out: a report that is overtaken. Hadoop sends an incremental report as it was queued; here it tells the replica
as it is when the report is delivered, and a replica that a recovery has taken meanwhile has none to deliver.

Source: DN/DataNode, DN/IncrementalBlockReportManager, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field

from genstamp_dfs.hdfs.datanode.block_recovery_worker import RecoveryTask
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, ReplicaState, ReportedReplica, Semantics


@dataclass
class DataNode:
    """A datanode.

    Attributes:
        pending_reports: blocks whose RECEIVED report is still to be delivered.
        tasks: block id -> the recovery attempt led here, the youngest if there were several.
    """

    name: str
    semantics: Semantics
    dataset: FsDataset = field(default_factory=FsDataset)
    is_up: bool = True
    pending_reports: set[int] = field(default_factory=set)
    tasks: dict[int, RecoveryTask] = field(default_factory=dict)

    def finalize_block(self, block: Block) -> None:
        """Finalize the replica, and owe the namenode a report."""
        self.dataset.finalize_block(block)
        self.pending_reports.add(block.block_id)

    def update_replica_under_recovery(self, old_block: Block, recovery_id: int, new_length: int) -> None:
        """As `FsDataset.update_replica_under_recovery`, and owe the namenode a report."""
        self.dataset.update_replica_under_recovery(old_block, recovery_id, new_length)
        self.pending_reports.add(old_block.block_id)

    def report_to_deliver(self, block_id: int) -> ReportedReplica | None:
        """The RECEIVED report owed for the block, if its replica is FINALIZED still."""
        replica = self.dataset.get_replica(block_id)
        if block_id not in self.pending_reports or replica is None or replica.state is not ReplicaState.FINALIZED:
            return None
        return replica.report()

    def invalidate(self, block_id: int, generation_stamp: int) -> None:
        """Delete the replica if its stamp is the given one; no report of it is owed any longer."""
        if self.dataset.invalidate(block_id, generation_stamp) is not None:
            self.pending_reports.discard(block_id)

    def start_recovery(self, command: RecoveringBlock) -> RecoveryTask:
        """Begin an attempt as primary, in place of an older one for the block that was led here.

        Hadoop runs each command in a thread of its own (BlockRecoveryWorker#recoverBlocks, 3.4.1), and the older one
        goes on. Here it stops where it is: a thread may be as slow as that, and its commit could only be refused.
        """
        task = self.tasks[command.block.block_id] = RecoveryTask(command, self.semantics)
        return task

    def end_recovery(self, block_id: int) -> None:
        """The attempt is over, whatever its end."""
        del self.tasks[block_id]

    def crash(self) -> None:
        """The process dies; the disk stays as it is."""
        self.is_up = False
        self.pending_reports.clear()
        self.tasks.clear()

    def restart(self, *, losing_bytes: bool) -> None:
        """The process starts again over its disk and owes a report of each FINALIZED replica (its full report)."""
        self.dataset.restart(losing_bytes=losing_bytes)
        self.is_up = True
        self.pending_reports = {
            replica.block_id for replica in self.dataset.block_report() if replica.state is ReplicaState.FINALIZED
        }
