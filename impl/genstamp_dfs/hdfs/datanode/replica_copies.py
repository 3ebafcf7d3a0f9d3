"""Copies of a replica that come from another datanode, to join a pipeline or to be one more replica.

Source: FD/FsDatasetImpl, DN/DataNode#transferReplicaForPipelineRecovery, Hadoop 3.4.1; facts B6, B7, B16, B18, B.5.
"""

from genstamp_dfs.errors import HdfsIOException, ReplicaAlreadyExistsException, ReplicaNotFoundException
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.datanode.replica_map import ReplicaMap
from genstamp_dfs.hdfs.datanode.replicas import Replica, Writer
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState


class ReplicaCopies(ReplicaMap):
    """createTemporary, convertTemporaryToRbw, unfinalizeBlock, and the source of a transfer."""

    def create_temporary(self, block: Block, writer: Writer, *, is_transfer: bool) -> Replica:
        """A new empty TEMPORARY replica; it may replace an older generation.

        Args:
            block: with the stamp of the copy.
            writer: who receives it.
            is_transfer: whether the copy is to join a pipeline: then it replaces an older replica of any state.

        Raises:
            ReplicaAlreadyExistsException: there is a replica that is not older, or not one that is still written; or,
                repaired, one that is under a recovery younger than the copy.
            MustStopExistingWriter: its writer needs time to end.

        Source: FsDatasetImpl#createTemporary, Hadoop 3.4.1 (HDFS-6948); facts B6, B.5.
        """
        existing = self.replicas.get(block.block_id)
        spares = self.configuration.closes(Repair.TRANSFER_SPARES_A_YOUNGER_RECOVERY)
        if existing is not None:
            if existing.generation_stamp >= block.generation_stamp:
                raise self._exists(existing, "it is not older than the copy")
            if not is_transfer and existing.state not in (ReplicaState.TEMPORARY, ReplicaState.RBW):
                raise self._exists(existing, "it is not being written")
            if spares and (existing.recovery_id or 0) > block.generation_stamp:
                raise self._exists(existing, f"recovery {existing.recovery_id} has it, which is younger than the copy")
            self.stop_writer(existing)
            self.delete(existing)
        return self.add(block, ReplicaState.TEMPORARY, self.files.temporary, writer)

    def _exists(self, existing: Replica, why: str) -> ReplicaAlreadyExistsException:
        return ReplicaAlreadyExistsException(
            f"block {existing.name} already exists in state {existing.state.name} and thus cannot be created: {why}"
        )

    def convert_temporary_to_rbw(self, block: Block) -> Replica:
        """TEMPORARY -> RBW, when the copy for a pipeline is complete; all of the block counts as acknowledged.

        Repaired, the copy is forced to the disk first. It stands in for replicas of which hsync has promised that they
        are on theirs; without that, a power loss leaves it the shortest, and a recovery of waiting replicas follows it.

        Raises:
            ReplicaNotFoundException: there is no replica.
            ReplicaAlreadyExistsException: it is not TEMPORARY, or of another generation.
            HdfsIOException: it has fewer bytes than readers may see of the source.

        Source: FsDatasetImpl#convertTemporaryToRbw, Hadoop 3.4.1; facts B7.
        """
        replica = self.existing(block.block_id)
        if replica.state is not ReplicaState.TEMPORARY:
            raise ReplicaAlreadyExistsException(f"replica {replica.name} is {replica.state.name}, accepted: TEMPORARY")
        if replica.generation_stamp != block.generation_stamp:
            raise ReplicaAlreadyExistsException(
                f"replica {replica.name} is of another generation, accepted: {block.generation_stamp}"
            )
        if replica.num_bytes < block.num_bytes:
            raise HdfsIOException(
                f"replica {replica.name} has {replica.num_bytes} bytes, accepted: {block.num_bytes} or more"
            )
        if self.files.spares_synced_bytes:
            self.files.sync(replica)
        self.files.move(replica, self.files.rbw, replica.generation_stamp)
        if self.files.spares_synced_bytes:
            self.files.sync_names(replica, self.files.temporary)
        replica.state = ReplicaState.RBW
        replica.bytes_acked = block.num_bytes
        replica.writer = None
        self.report(replica.block(), ReceivedStatus.RECEIVING)
        return replica

    def unfinalize_block(self, block: Block) -> bool:
        """Delete a TEMPORARY replica whose copy has failed; one in another state stays (facts B16). Whether it went.

        Source: FsDatasetImpl#unfinalizeBlock, Hadoop 3.4.1.
        """
        replica = self.replicas.get(block.block_id)
        if (
            replica is not None
            and replica.state is ReplicaState.TEMPORARY
            and replica.generation_stamp == block.generation_stamp
        ):
            replica.writer = None
            self.delete(replica)
            return True
        return False

    def transfer_source(self, block: Block) -> tuple[Block, BlockConstructionStage]:
        """What to send of a replica for a pipeline: its own stamp, what readers may see of it, and the stage.

        Raises:
            HdfsIOException: there is no replica, it is older than the block, or neither RBW nor FINALIZED.

        Source: DataNode#transferReplicaForPipelineRecovery, Hadoop 3.4.1; facts B18, B.5.
        """
        replica = self.replicas.get(block.block_id)
        if replica is None:
            raise ReplicaNotFoundException(f"no replica of blk_{block.block_id}")
        if replica.generation_stamp < block.generation_stamp:
            raise HdfsIOException(f"replica {replica.name} is older than the block's stamp {block.generation_stamp}")
        stages = {
            ReplicaState.RBW: BlockConstructionStage.TRANSFER_RBW,
            ReplicaState.FINALIZED: BlockConstructionStage.TRANSFER_FINALIZED,
        }
        stage = stages.get(replica.state)
        if stage is None:
            raise HdfsIOException(f"replica {replica.name} is {replica.state.name}, accepted: RBW, FINALIZED")
        return Block(replica.block_id, replica.generation_stamp, replica.visible_length()), stage
