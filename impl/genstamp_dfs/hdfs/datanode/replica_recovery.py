"""What block recovery does to a replica: it is frozen, and gets the agreed stamp and length.

Source: FD/FsDatasetImpl, Hadoop 3.4.1; facts B9, B10, B.4.
"""

from collections.abc import Iterator

from genstamp_dfs.errors import HdfsIOException, RecoveryInProgressException, ReplicaNotFoundException
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.datanode.replica_map import ReplicaMap
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState


class ReplicaRecovery(ReplicaMap):
    """initReplicaRecovery, updateReplicaUnderRecovery."""

    def init_replica_recovery(self, block: Block, recovery_id: int) -> ReplicaRecoveryInfo | None:
        """Take the replica for a recovery: its writer is stopped, and it waits as RUR for the agreed length.

        Args:
            block: the block as the namenode named it.
            recovery_id: the stamp that the recovery will install.

        Returns:
            The replica as it was before any recovery took it; None if there is none.

        Raises:
            HdfsIOException: the replica's stamp is below the block's, or not below the recovery id, or its files are
                not as they should be. Its writer is stopped all the same.
            RecoveryInProgressException: a recovery with this id or a later one has taken it.
            MustStopExistingWriter: the writer needs time to end.

        Source: FsDatasetImpl#initReplicaRecoveryImpl, Hadoop 3.4.1; facts B.4.
        """
        replica = self.replicas.get(block.block_id)
        if replica is None:
            return None
        if replica.state in (ReplicaState.RBW, ReplicaState.TEMPORARY):
            self.stop_writer(replica)
            if replica.bytes_on_disk < replica.visible_length():
                raise HdfsIOException(
                    f"THIS IS NOT SUPPOSED TO HAPPEN: replica {replica.name} has {replica.bytes_on_disk} bytes on "
                    f"disk, below its visible length {replica.visible_length()}"
                )
            self._check_files(replica)
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

    def check_recovery_id(self, replica: Replica, recovery_id: int) -> None:
        """Refuse a recovery that is not younger than the one that has the replica."""
        if replica.recovery_id is not None and replica.recovery_id >= recovery_id:
            raise RecoveryInProgressException(
                f"replica of blk_{replica.block_id} is under recovery {replica.recovery_id}, asked for {recovery_id}"
            )

    def update_replica_under_recovery(
        self, old_block: Block, recovery_id: int, new_length: int, new_block_id: int | None = None
    ) -> Replica:
        """Give the replica the recovery's stamp and length, and finalize it; or make a copy with them.

        Hadoop raises the stamp before it compares the lengths. Repaired, a refusal changes nothing, and all of it is
        on the disk before the primary hears of it: the namenode will count on this replica alone.

        Args:
            old_block: the replica as this datanode described it to the recovery.
            recovery_id: the recovery's id.
            new_length: agreed length in bytes.
            new_block_id: of the copy that a truncate by copy makes; None or the old one cuts in place.

        Returns:
            The replica of the new block, or the old one if there is no copy.

        Raises:
            ReplicaNotFoundException: there is no replica.
            HdfsIOException: it is not under recovery, has another length than it said, or is under another
                recovery; or it is too short, and then under `hadoop-3.4` its stamp has been raised already.

        Source: FsDatasetImpl#updateReplicaUnderRecovery, Hadoop 3.4.1; facts B.4.
        """
        replica = self.found_to_update(old_block, recovery_id)
        is_copy = new_block_id is not None and new_block_id != old_block.block_id
        if not is_copy and not self.configuration.closes(Repair.LENGTH_IS_CHECKED_BEFORE_THE_STAMP):
            self.files.move(replica, replica.directory, recovery_id)
        if replica.bytes_on_disk < new_length:
            raise HdfsIOException(
                f"replica of blk_{old_block.block_id} has {replica.bytes_on_disk} bytes, below the agreed {new_length}"
            )
        if is_copy:
            assert new_block_id is not None
            return self._update_by_copy(replica, recovery_id, new_length, new_block_id)
        if replica.bytes_on_disk > new_length:
            self.files.cut(replica, new_length)
        replica.set_length(new_length)
        self.files.move(replica, replica.directory, recovery_id)
        self.become_finalized(replica, must_sync=self.syncs_recoveries())
        return replica

    def found_to_update(self, old_block: Block, recovery_id: int) -> Replica:
        """The replica, which must be under this very recovery as it was described.

        Raises:
            ReplicaNotFoundException, HdfsIOException: as `update_replica_under_recovery`.
        """
        replica = self.replicas.get(old_block.block_id)
        if replica is None:
            raise ReplicaNotFoundException(f"no replica of blk_{old_block.block_id}")
        if replica.state is not ReplicaState.RUR:
            raise HdfsIOException(f"replica of blk_{old_block.block_id} is {replica.state.name}, accepted: RUR")
        if replica.bytes_on_disk != old_block.num_bytes:
            raise HdfsIOException(
                f"THIS IS NOT SUPPOSED TO HAPPEN: replica of blk_{old_block.block_id} has {replica.bytes_on_disk} "
                f"bytes, it said {old_block.num_bytes}"
            )
        self._check_files(replica)
        if replica.recovery_id != recovery_id:
            raise HdfsIOException(
                f"replica of blk_{old_block.block_id} is under recovery {replica.recovery_id}, asked for {recovery_id}"
            )
        return replica

    def _update_by_copy(self, replica: Replica, recovery_id: int, new_length: int, new_block_id: int) -> Replica:
        """The new block gets a replica of its own if the old one is longer; the old one is finalized as it was."""
        copy = replica
        if replica.bytes_on_disk > new_length:
            for _ in self.copying(replica, recovery_id, new_length, new_block_id):
                pass
            copy = self.replicas[new_block_id]
            self.become_finalized(copy, must_sync=self.syncs_recoveries())
        replica.set_length(replica.bytes_on_disk)
        self.become_finalized(replica, must_sync=self.syncs_recoveries())
        return copy

    def copying(self, replica: Replica, recovery_id: int, new_length: int, new_block_id: int) -> Iterator[None]:
        """Make the copy for a truncate by copy, TEMPORARY still; steps on other blocks may run at a yield.

        One that is complete already is taken; what an earlier attempt has left is replaced.

        Raises:
            HdfsIOException: there is a replica with this stamp or a later one.
            DiskError: the disk failed, or is full.
        """
        existing = self.replicas.get(new_block_id)
        if existing is not None:
            is_temporary = existing.state is ReplicaState.TEMPORARY and existing.writer is None
            is_its_own = is_temporary and existing.generation_stamp == recovery_id
            if existing.generation_stamp >= recovery_id and not is_its_own:
                raise HdfsIOException(f"replica {existing.name} is not older than the recovery {recovery_id}")
            if is_its_own and existing.num_bytes == new_length:
                return
            self.delete(existing)
        copy = self.add(Block(new_block_id, recovery_id, 0), ReplicaState.TEMPORARY, self.files.temporary, None)
        yield from self.files.copying(replica, copy, new_length)
        copy.set_length(new_length)

    def syncs_recoveries(self) -> bool:
        """Whether what a recovery installs is forced to the disk."""
        return self.files.spares_synced_bytes or self.configuration.sync_on_close

    def _check_files(self, replica: Replica) -> None:
        """Both files must be there, and as long as memory has it (FsDatasetImpl#checkReplicaFiles)."""
        if not self.files.is_consistent(replica):
            raise HdfsIOException(
                f"the files of replica {replica.name} are missing, or not as long as its {replica.bytes_on_disk} bytes"
            )
