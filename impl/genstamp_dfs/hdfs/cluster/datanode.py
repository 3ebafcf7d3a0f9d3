"""A datanode under somebody's hand: its replicas, the reports it owes the namenode, and the recoveries it leads.

The process may be down: then its replicas lie on disk and everything else is gone.

Leaves out: a report that is overtaken. Hadoop sends an incremental report as it was queued; here it tells the replica
as it is when the report is delivered, and a replica that a recovery has taken meanwhile has none to deliver. Stopping a
writer takes no time.

Source: DN/DataNode, DN/IncrementalBlockReportManager, Hadoop 3.4.1.
"""

from dataclasses import dataclass

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.cluster.memory_disk import MemoryDisk
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.recovery_task import RecoveryTask
from genstamp_dfs.hdfs.datanode.repairs import NONE_CLOSED, Repair
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, ReplicaState, ReportedReplica, Semantics

BLOCK_POOL = "BP-0"


@dataclass
class ClientWriter:
    """A client whose packets a replica takes, until it is told to end."""

    client: str
    is_alive: bool = True
    has_last_packet: bool = False

    def interrupt(self) -> None:
        """It ends at once."""
        self.is_alive = False

    async def join(self, timeout_us: int) -> bool:
        """It ends when it is told to, so there is nothing to wait for."""
        del timeout_us
        return not self.is_alive


class DataNode:
    """A datanode.

    Attributes:
        pending_reports: blocks whose RECEIVED report is still to be delivered.
        tasks: block id -> the recovery attempt led here, the youngest if there were several.
    """

    def __init__(self, name: str, semantics: Semantics) -> None:
        self.name = name
        self.is_up = True
        self.pending_reports: set[int] = set()
        self.tasks: dict[int, RecoveryTask] = {}
        self.configuration = DataNodeConfiguration(semantics=semantics)
        self.disk = MemoryDisk()
        for directory in ("current/rbw", "current/finalized", "tmp"):
            self.disk.make_directory(f"current/{BLOCK_POOL}/{directory}")
        self.dataset = self._load()

    def _load(self) -> FsDataset:
        return FsDataset(self.disk, BLOCK_POOL, self.configuration)

    # -- writing ------------------------------------------------------------------------------------------------

    def create_rbw(self, block: Block, client: str) -> Replica:
        """A new replica that takes the client's packets (FsDatasetImpl#createRbw)."""
        return self.dataset.create_rbw(block, ClientWriter(client))

    def accepts_writer(self, block_id: int, client: str) -> bool:
        """Whether the process is up, and packets and the last packet of this client reach the replica."""
        replica = self.dataset.get_replica(block_id)
        writer = replica.writer if replica is not None else None
        return (
            self.is_up
            and isinstance(writer, ClientWriter)
            and writer.client == client
            and self.dataset.is_written_by(block_id, writer)
        )

    def receive_packet(self, block_id: int, payload: bytes) -> Replica:
        """Add the packet's bytes to the replica; its writer must be running (BlockReceiver#receivePacket)."""
        replica = self.dataset.replicas[block_id]
        self.dataset.write(replica, replica.bytes_on_disk, payload, checksums_of(payload))
        return replica

    def finalize_block(self, block: Block) -> None:
        """Finalize the replica, and owe the namenode a report."""
        self.dataset.finalize_block(block)
        self.pending_reports.add(block.block_id)

    def data(self, block_id: int) -> bytes:
        """The bytes of a replica."""
        replica = self.dataset.replicas[block_id]
        return self.dataset.files.read(replica, 0, replica.bytes_on_disk)

    # -- recovery -----------------------------------------------------------------------------------------------

    def update_replica_under_recovery(self, old_block: Block, recovery_id: int, new_length: int) -> None:
        """As `FsDataset.update_replica_under_recovery`, and owe the namenode a report."""
        self.dataset.update_replica_under_recovery(old_block, recovery_id, new_length)
        self.pending_reports.add(old_block.block_id)

    def start_recovery(self, command: RecoveringBlock) -> RecoveryTask:
        """Begin an attempt as primary, in place of an older one for the block that was led here.

        Hadoop runs each command in a thread of its own (BlockRecoveryWorker#recoverBlocks, 3.4.1), and the older one
        goes on. Here it stops where it is: a thread may be as slow as that, and its commit could only be refused.
        """
        is_repaired = self.configuration.semantics is Semantics.REPAIRED
        closed = frozenset({Repair.UNREACHABLE_IS_NOT_EMPTY}) if is_repaired else NONE_CLOSED
        task = self.tasks[command.block.block_id] = RecoveryTask(command, closed)
        return task

    def end_recovery(self, block_id: int) -> None:
        """The attempt is over, whatever its end."""
        del self.tasks[block_id]

    # -- reports, deletion, faults ------------------------------------------------------------------------------

    def report_to_deliver(self, block_id: int) -> ReportedReplica | None:
        """The RECEIVED report of the block, if its replica is FINALIZED: owed, or sent again as if its answer was lost.

        Source: IncrementalBlockReportManager#sendIBRs, #putMissing, Hadoop 3.4.1.
        """
        replica = self.dataset.get_replica(block_id)
        if replica is None or replica.state is not ReplicaState.FINALIZED:
            return None
        return replica.report()

    def invalidate(self, block: Block) -> None:
        """Delete the replica; no report of it is owed any longer."""
        if self.dataset.invalidate(block) is not None:
            self.pending_reports.discard(block.block_id)

    def crash(self) -> None:
        """The process dies; the disk stays as it is."""
        self.is_up = False
        self.pending_reports.clear()
        self.tasks.clear()

    def restart(self, *, losing_bytes: bool) -> None:
        """The process starts again over its disk and owes a report of each FINALIZED replica (its full report).

        Args:
            losing_bytes: each RBW (also under recovery) loses its last byte, which was not synced.
        """
        if losing_bytes:
            for replica in self.dataset.replicas.values():
                if replica.visible_state() is ReplicaState.RBW and replica.bytes_on_disk:
                    self.dataset.files.cut(replica, replica.bytes_on_disk - 1)
        self.dataset = self._load()
        self.is_up = True
        self.pending_reports = {
            replica.block_id for replica in self.dataset.block_report() if replica.state is ReplicaState.FINALIZED
        }
