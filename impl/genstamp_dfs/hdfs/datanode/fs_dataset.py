"""The replicas of one datanode, and what may be done to each.

An operation gives its result or raises one of Hadoop's exceptions; after an exception nothing has changed, except
where a docstring says so.

Leaves out: volumes, disk space, append, recoverRbw and the other operations of pipeline recovery, transfers; a
TEMPORARY replica is treated as Hadoop does but no operation makes one. Stopping a writer takes no time.

Source: FD/FsDatasetImpl, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field

from genstamp_dfs.errors import (
    HdfsIOException,
    RecoveryInProgressException,
    ReplicaAlreadyExistsException,
    ReplicaNotFoundException,
)
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState, ReportedReplica


@dataclass
class FsDataset:
    """The replicas, by block id: never two of one block."""

    replicas: dict[int, Replica] = field(default_factory=dict)

    def get_replica(self, block_id: int) -> Replica | None:
        """The replica of the block, if there is one."""
        return self.replicas.get(block_id)

    # -- writing ------------------------------------------------------------------------------------------------

    def create_rbw(self, block: Block, writer: str) -> Replica:
        """A new empty RBW replica with the block's stamp.

        Raises:
            ReplicaAlreadyExistsException: there is a replica of this block, in whatever state.

        Source: FsDatasetImpl#createRbw, Hadoop 3.4.1.
        """
        existing = self.replicas.get(block.block_id)
        if existing is not None:
            raise ReplicaAlreadyExistsException(
                f"blk_{block.block_id}_{block.generation_stamp} already exists in state {existing.state.name} "
                "and thus cannot be created"
            )
        replica = Replica(block.block_id, block.generation_stamp, ReplicaState.RBW, writer=writer)
        self.replicas[block.block_id] = replica
        return replica

    def accepts_writer(self, block_id: int, writer: str) -> bool:
        """Whether the writer's thread still runs, so that packets and the last packet reach the replica."""
        replica = self.replicas.get(block_id)
        return replica is not None and replica.state is ReplicaState.RBW and replica.writer == writer

    def receive_packet(self, block_id: int, payload: bytes) -> Replica:
        """Add the packet's bytes to the RBW replica; its writer must be running.

        Source: DN/BlockReceiver#receivePacket, Hadoop 3.4.1.
        """
        replica = self.replicas[block_id]
        replica.data += payload
        return replica

    def finalize_block(self, block: Block) -> Replica:
        """RBW -> FINALIZED, when the last packet was acknowledged downstream. A FINALIZED replica stays one.

        Raises:
            ReplicaNotFoundException: there is no replica with this id and stamp.

        Source: FsDatasetImpl#finalizeBlock, Hadoop 3.4.1.
        """
        replica = self.replicas.get(block.block_id)
        if replica is None or replica.generation_stamp != block.generation_stamp:
            raise ReplicaNotFoundException(f"no replica of blk_{block.block_id}_{block.generation_stamp}")
        replica.become_finalized()
        return replica

    # -- block recovery -----------------------------------------------------------------------------------------

    def init_replica_recovery(self, block: Block, recovery_id: int) -> ReplicaRecoveryInfo | None:
        """Take the replica for a recovery: its writer is stopped, and it waits as RUR for the agreed length.

        Args:
            block: the block as the namenode named it.
            recovery_id: the stamp that the recovery will install.

        Returns:
            The replica as it was before any recovery took it; None if there is none.

        Raises:
            HdfsIOException: the replica's stamp is below the block's, or not below the recovery id. Its writer is
                stopped all the same.
            RecoveryInProgressException: a recovery with this id or a later one has taken it.

        Source: FsDatasetImpl#initReplicaRecoveryImpl, Hadoop 3.4.1.
        """
        replica = self.replicas.get(block.block_id)
        if replica is None:
            return None
        self.stop_writer(replica)
        if replica.generation_stamp < block.generation_stamp:
            raise HdfsIOException(
                f"replica of blk_{block.block_id} has stamp {replica.generation_stamp}, "
                f"below the block's {block.generation_stamp}"
            )
        if replica.generation_stamp >= recovery_id:
            raise HdfsIOException(
                f"THIS IS NOT SUPPOSED TO HAPPEN: replica of blk_{block.block_id} has stamp "
                f"{replica.generation_stamp} >= recovery id {recovery_id}"
            )
        self.check_recovery_id(replica, recovery_id)
        replica.begin_recovery(recovery_id)
        return replica.recovery_info()

    def stop_writer(self, replica: Replica) -> None:
        """End the writer's thread, so that the length stays what the recovery is told.

        Source: DN/ReplicaInPipeline#stopWriter, Hadoop 3.4.1.
        """
        replica.writer = None

    def check_recovery_id(self, replica: Replica, recovery_id: int) -> None:
        """Refuse a recovery that is not younger than the one that has the replica."""
        if replica.recovery_id is not None and replica.recovery_id >= recovery_id:
            raise RecoveryInProgressException(
                f"replica of blk_{replica.block_id} is under recovery {replica.recovery_id}, asked for {recovery_id}"
            )

    def update_replica_under_recovery(self, old_block: Block, recovery_id: int, new_length: int) -> Replica:
        """Give the replica the recovery's stamp and length, and finalize it.

        Args:
            old_block: the replica as this datanode described it to the recovery.
            recovery_id: the recovery's id.
            new_length: agreed length in bytes.

        Raises:
            ReplicaNotFoundException: there is no replica.
            HdfsIOException: it is not under recovery, has another length than it said, or is under another
                recovery; or it is too short, and then its stamp has been raised already.

        Source: FsDatasetImpl#updateReplicaUnderRecovery, Hadoop 3.4.1.
        """
        replica = self.replicas.get(old_block.block_id)
        if replica is None:
            raise ReplicaNotFoundException(f"no replica of blk_{old_block.block_id}")
        if replica.state is not ReplicaState.RUR:
            raise HdfsIOException(f"replica of blk_{old_block.block_id} is {replica.state.name}, accepted: RUR")
        if replica.num_bytes != old_block.num_bytes:
            raise HdfsIOException(
                f"THIS IS NOT SUPPOSED TO HAPPEN: replica of blk_{old_block.block_id} has {replica.num_bytes} bytes, "
                f"it said {old_block.num_bytes}"
            )
        if replica.recovery_id != recovery_id:
            raise HdfsIOException(
                f"replica of blk_{old_block.block_id} is under recovery {replica.recovery_id}, asked for {recovery_id}"
            )
        replica.generation_stamp = recovery_id
        if replica.num_bytes < new_length:
            raise HdfsIOException(
                f"replica of blk_{old_block.block_id} has {replica.num_bytes} bytes, below the agreed {new_length}"
            )
        replica.data = replica.data[:new_length]
        replica.become_finalized()
        return replica

    # -- reports, deletion, restart -----------------------------------------------------------------------------

    def block_report(self) -> list[ReportedReplica]:
        """All replicas but TEMPORARY ones, as a full block report names them."""
        return [replica.report() for replica in self.replicas.values() if replica.state is not ReplicaState.TEMPORARY]

    def invalidate(self, block_id: int, generation_stamp: int) -> Replica | None:
        """Delete the replica if its stamp is the given one; gives what was deleted.

        Source: FsDatasetImpl#invalidate, Hadoop 3.4.1.
        """
        replica = self.replicas.get(block_id)
        if replica is None or replica.generation_stamp != generation_stamp:
            return None
        return self.replicas.pop(block_id)

    def restart(self, *, losing_bytes: bool) -> None:
        """The process starts again over the same disk: writers and recoveries are forgotten.

        FINALIZED (also under recovery) -> FINALIZED; RBW and RWR (also under recovery) -> RWR; TEMPORARY is deleted.

        Args:
            losing_bytes: each RBW (also under recovery) loses its last byte, which was not synced.

        Source: FD/BlockPoolSlice#addReplicaToReplicasMap, Hadoop 3.4.1; without the file that announces a planned
            restart.
        """
        for block_id, replica in list(self.replicas.items()):
            if replica.state is ReplicaState.TEMPORARY:
                del self.replicas[block_id]
                continue
            if losing_bytes and replica.visible_state() is ReplicaState.RBW:
                replica.data = replica.data[:-1]
            finalized = replica.visible_state() is ReplicaState.FINALIZED
            replica.state = ReplicaState.FINALIZED if finalized else ReplicaState.RWR
            replica.writer = None
            replica.recovery_id = None
            replica.original_state = None
