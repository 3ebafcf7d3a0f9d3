"""The life of blocks at the namenode: allocation, reports, commit, completion, start of a recovery.

Leaves out: replication and its queues, postponed messages, forced completion on replay of edits, and the limit on
the age of a storage's content before a corrupt replica is deleted.

Source: BM/BlockManager, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.namenode.blocks import BlockIdManager, BlockInfo, PendingRecoveryBlocks
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeManager
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import (
    MINIMAL_REPLICATION,
    Block,
    BlockUCState,
    RecoveringBlock,
    ReplicaState,
    ReportedReplica,
)


@dataclass
class BlockManager:
    """All blocks of the namespace."""

    datanode_manager: DatanodeManager
    pending_recovery_blocks: PendingRecoveryBlocks
    block_ids: BlockIdManager = field(default_factory=BlockIdManager)
    blocks: dict[int, BlockInfo] = field(default_factory=dict)

    def get_stored_block(self, block_id: int) -> BlockInfo | None:
        """The block with this id, if there is one."""
        return self.blocks.get(block_id)

    def add_block(self, inode: INodeFile, locations: tuple[str, ...]) -> BlockInfo:
        """Append a new block with a new id and stamp to the file; it is UNDER_CONSTRUCTION and has no bytes."""
        block = BlockInfo(
            block_id=self.block_ids.next_block_id(),
            generation_stamp=self.block_ids.next_generation_stamp(),
            file_id=inode.file_id,
            replicas=[],
        )
        block.set_expected_locations(locations)
        self.blocks[block.block_id] = block
        inode.blocks.append(block)
        return block

    def remove_block(self, inode: INodeFile, block: BlockInfo) -> None:
        """Drop the block from its file and from the map; its replicas become invalid."""
        inode.blocks.remove(block)
        del self.blocks[block.block_id]

    def has_min_storage(self, block: BlockInfo) -> bool:
        """Whether the block has the minimal number of live replicas."""
        return len(block.stored) >= MINIMAL_REPLICATION

    def remove_blocks_associated_to(self, datanode: str) -> None:
        """A datanode is gone: none of its replicas counts any longer. Expected locations stay."""
        for block in self.blocks.values():
            block.stored.pop(datanode, None)

    # -- commit and complete ------------------------------------------------------------------------------------

    def commit_or_complete_last_block(self, inode: INodeFile, commit_block: Block | None) -> bool:
        """Take length and stamp from the client, and complete the block if enough replicas are known.

        Args:
            inode: the file.
            commit_block: the last block as the client wrote it; None if it wrote none.

        Returns:
            Whether this call committed the block.

        Raises:
            HdfsIOException: the block is under recovery (HDFS-10240), or id or stamp differ (HDFS-9289).

        Source: BlockManager#commitOrCompleteLastBlock, Hadoop 3.4.1.
        """
        block = inode.last_block()
        if commit_block is None or block is None or block.is_complete:
            return False
        self.check_not_under_recovery(block)
        committed = self.commit_block(block, commit_block)
        if self.has_min_storage(block):
            self.complete_block(block)
        elif self.pending_recovery_blocks.is_under_recovery(block.block_id):
            # The recovery has just fixed the content; missing copies are replication's business (HDFS-12886).
            self.complete_block(block, force=True)
        return committed

    def check_not_under_recovery(self, block: BlockInfo) -> None:
        """Refuse a block whose recovery is running: its length is no longer the client's to say (HDFS-10240)."""
        if block.state is BlockUCState.UNDER_RECOVERY:
            raise HdfsIOException(
                f"committing blk_{block.block_id}_{block.generation_stamp} whereas it is under recovery "
                f"{block.block_recovery_id}"
            )

    def commit_block(self, block: BlockInfo, commit_block: Block) -> bool:
        """UNDER_CONSTRUCTION -> COMMITTED with the given length; says whether the state changed.

        Source: BlockManager#commitBlock, Hadoop 3.4.1.
        """
        if block.state is BlockUCState.COMMITTED:
            return False
        assert block.num_bytes <= commit_block.num_bytes, (
            f"commit block length {commit_block.num_bytes} is below the stored length {block.num_bytes}"
        )
        if block.generation_stamp != commit_block.generation_stamp:
            raise HdfsIOException(
                f"commit block with mismatching stamp: blk_{block.block_id} has {block.generation_stamp}, "
                f"client submits {commit_block.generation_stamp}"
            )
        if block.block_id != commit_block.block_id:
            raise HdfsIOException(f"commit block blk_{commit_block.block_id}, the last block is blk_{block.block_id}")
        block.state = BlockUCState.COMMITTED
        block.num_bytes = commit_block.num_bytes
        block.stored = {dn: stamp for dn, stamp in block.stored.items() if stamp == block.generation_stamp}
        return True

    def complete_block(self, block: BlockInfo, *, force: bool = False) -> None:
        """COMMITTED -> COMPLETE. The recovery's memory goes with the under-construction feature.

        Raises:
            HdfsIOException: too few replicas and not forced; never committed.

        Source: BlockManager#completeBlock, Hadoop 3.4.1.
        """
        if block.is_complete:
            return
        if not force and not self.has_min_storage(block):
            raise HdfsIOException(
                f"cannot complete blk_{block.block_id}: it does not satisfy minimal replication requirement"
            )
        if block.state is not BlockUCState.COMMITTED:
            raise HdfsIOException(f"cannot complete blk_{block.block_id}: it has not been COMMITTED by the client")
        block.state = BlockUCState.COMPLETE
        block.replicas = []
        block.block_recovery_id = 0
        block.primary = None

    # -- reports ------------------------------------------------------------------------------------------------

    def add_stored_block(self, block: BlockInfo, reported: ReportedReplica, datanode: str) -> None:
        """Count a FINALIZED replica, unless it is corrupt; a COMMITTED block with enough of them is COMPLETE.

        An UNDER_CONSTRUCTION block never completes by reports, however many there are (HDFS-800).

        Source: BlockManager#processReportedBlock, #addStoredBlock, Hadoop 3.4.1.
        """
        if self.check_replica_corrupt(reported, block):
            block.stored.pop(datanode, None)
            return
        block.stored[datanode] = reported.generation_stamp
        if block.state is BlockUCState.COMMITTED and self.has_min_storage(block):
            self.complete_block(block)

    def check_replica_corrupt(self, reported: ReportedReplica, block: BlockInfo) -> bool:
        """Whether a reported replica disagrees with its block.

        A higher stamp on a block that is not committed is no disagreement: a recovery is about to commit it.

        Source: BlockManager#checkReplicaCorrupt, Hadoop 3.4.1.
        """
        same_stamp = reported.generation_stamp == block.generation_stamp
        older_stamp = reported.generation_stamp < block.generation_stamp
        match reported.state:
            case ReplicaState.FINALIZED:
                match block.state:
                    case BlockUCState.COMPLETE | BlockUCState.COMMITTED:
                        return not same_stamp or reported.num_bytes != block.num_bytes
                    case BlockUCState.UNDER_CONSTRUCTION:
                        return older_stamp
                    case BlockUCState.UNDER_RECOVERY:
                        return False
            case ReplicaState.RBW:
                return not same_stamp if block.is_complete else older_stamp
            case ReplicaState.RWR:
                return True if block.is_complete else older_stamp
            case ReplicaState.RUR | ReplicaState.TEMPORARY:
                return True

    def is_to_be_invalidated(self, reported: ReportedReplica) -> bool:
        """Whether the answer to this report is an order to delete the replica.

        A replica of an unknown block goes; a stale one only while a good one is alive, so that the last replica with
        data is never lost on behalf of its stamp.

        Source: BlockManager#processReportedBlock, #markBlockAsCorrupt, Hadoop 3.4.1.
        """
        block = self.get_stored_block(reported.block_id)
        if block is None:
            return True
        corrupted_during_write = reported.generation_stamp < block.generation_stamp
        return corrupted_during_write and self.check_replica_corrupt(reported, block) and self.has_min_storage(block)

    # -- recovery -----------------------------------------------------------------------------------------------

    def add_block_recovery_attempt(self, block: BlockInfo, now_us: int) -> bool:
        """Whether a recovery may start now: no attempt is younger than the gate (HDFS-11576)."""
        return self.pending_recovery_blocks.add(block.block_id, now_us)

    def initialize_block_recovery(self, block: BlockInfo) -> int:
        """Start a recovery under a new stamp and queue it at the chosen primary; gives the recovery id."""
        recovery_id = self.block_ids.next_generation_stamp()
        primary = block.initialize_block_recovery(recovery_id, self.datanode_manager.last_heartbeats())
        if primary is not None:
            self.datanode_manager.datanodes[primary].add_block_to_be_recovered(block.block_id)
        return recovery_id

    def get_block_recovery_command(self, block_id: int) -> RecoveringBlock | None:
        """The command for a queued block, with the recovery id that is current now; None if it is COMPLETE or gone.

        All expected locations are named, as Hadoop does when no more than one is fresh: staleness is left out.

        Source: DatanodeManager#getBlockRecoveryCommand (HDFS-13758), Hadoop 3.4.1.
        """
        block = self.get_stored_block(block_id)
        if block is None or block.is_complete:
            return None
        return RecoveringBlock(block.as_block(), block.expected_locations(), block.block_recovery_id)
