"""What setting up a pipeline does to a replica that exists: append, and going on after a failure.

A request names the block with the stamp that the client knows, and the new stamp that the replica shall have. Repaired,
a new stamp that is the block's own is refused (HDFS-17850, open upstream); a replica may have the new stamp already.

Source: FD/FsDatasetImpl, Hadoop 3.4.1; facts B2 to B5, B.3, C.1.
"""

from genstamp_dfs.errors import HdfsIOException, ReplicaAlreadyExistsException, ReplicaNotFoundException
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.datanode.replica_map import ReplicaMap
from genstamp_dfs.hdfs.datanode.replicas import Replica, Writer
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState


class PipelineOperations(ReplicaMap):
    """append, recoverAppend, recoverRbw, recoverClose."""

    def append(self, block: Block, new_stamp: int, expected_length: int, writer: Writer) -> Replica:
        """FINALIZED -> RBW under a new stamp. Hadoop accepts the old one as well.

        Raises:
            ReplicaNotFoundException: there is no replica of the block; then, after the check of the new stamp, none in
                the block's generation, or it is not FINALIZED.
            HdfsIOException: the new stamp is not a new one, or the length is not the expected one.

        Source: FsDatasetImpl#append, which takes the lock of the replica's volume first, Hadoop 3.4.1; facts B2.
        """
        self.existing(block.block_id)
        self._check_new_stamp(block, new_stamp)
        replica = self.get_replica_info(block)
        if replica.state is not ReplicaState.FINALIZED:
            raise ReplicaNotFoundException(
                f"cannot append to an unfinalized replica: {replica.name} is {replica.state.name}"
            )
        self._check_length(replica, expected_length)
        return self._open_finalized(replica, new_stamp, writer)

    def recover_append(self, block: Block, new_stamp: int, expected_length: int, writer: Writer) -> Replica:
        """FINALIZED or RBW -> RBW under a new stamp: the pipeline of an append is set up again.

        Raises:
            HdfsIOException: as `recover_check`.

        Source: FsDatasetImpl#recoverAppend, Hadoop 3.4.1; facts B3.
        """
        replica = self.recover_check(block, new_stamp, expected_length)
        if replica.state is ReplicaState.FINALIZED:
            return self._open_finalized(replica, new_stamp, writer)
        self._restamp(replica, new_stamp)
        replica.writer = writer
        self.report(replica.block(), ReceivedStatus.RECEIVING)
        return replica

    def recover_close(self, block: Block, new_stamp: int, expected_length: int) -> Replica:
        """FINALIZED or RBW -> FINALIZED under a new stamp: closing goes on after a failure.

        Raises:
            HdfsIOException: as `recover_check`.

        Source: FsDatasetImpl#recoverClose, Hadoop 3.4.1; facts B5.
        """
        replica = self.recover_check(block, new_stamp, expected_length)
        self._restamp(replica, new_stamp)
        self.become_finalized(replica, must_sync=self.configuration.sync_on_close)
        return replica

    def recover_check(self, block: Block, new_stamp: int, expected_length: int) -> Replica:
        """The replica, if a pipeline may take it up that has had all its packets acknowledged.

        Raises:
            ReplicaNotFoundException: there is none, or it is neither FINALIZED nor RBW, or of a stamp outside of what
                lies between the block's and the new one.
            ReplicaAlreadyExistsException: not all that was received is on disk and acknowledged.
            HdfsIOException: the new stamp is the block's own, or the length is not the expected one.
            MustStopExistingWriter: the writer needs time to end.

        Source: FsDatasetImpl#recoverCheck, Hadoop 3.4.1; facts B.3.
        """
        replica = self.existing(block.block_id)
        if replica.state not in (ReplicaState.FINALIZED, ReplicaState.RBW):
            raise ReplicaNotFoundException(
                f"cannot recover append or close to a replica that is not FINALIZED and not RBW: {replica.name} is "
                f"{replica.state.name}"
            )
        self._check_stamp(replica, block, new_stamp)
        if replica.state is ReplicaState.RBW:
            self.stop_writer(replica)
            if not replica.num_bytes == replica.bytes_on_disk == replica.bytes_acked:
                raise ReplicaAlreadyExistsException(
                    f"replica {replica.name} has {replica.num_bytes} bytes received, {replica.bytes_on_disk} on disk "
                    f"and {replica.bytes_acked} acknowledged, accepted: the same number of each"
                )
        self._check_length(replica, expected_length)
        return replica

    def recover_rbw(self, block: Block, new_stamp: int, min_bytes: int, max_bytes: int, writer: Writer) -> Replica:
        """A broken pipeline goes on under a new stamp: what nobody acknowledged is cut off, to be sent again.

        Args:
            block: with the stamp that the client knows.
            new_stamp: the one that the replica shall have.
            min_bytes: what the client has had acknowledged.
            max_bytes: what it has sent.
            writer: who goes on.

        Raises:
            ReplicaNotFoundException: there is no replica, it is not RBW, its stamp or its lengths do not fit.
            HdfsIOException: the new stamp is the block's own.
            MustStopExistingWriter: the writer needs time to end.

        Source: FsDatasetImpl#recoverRbw, #recoverRbwImpl, Hadoop 3.4.1; facts B4.
        """
        replica = self.existing(block.block_id)
        if replica.state is not ReplicaState.RBW:
            raise ReplicaNotFoundException(f"cannot recover a non-RBW replica: {replica.name} is {replica.state.name}")
        self.stop_writer(replica)
        self._check_stamp(replica, block, new_stamp)
        if replica.bytes_acked < min_bytes or replica.num_bytes > max_bytes:
            raise ReplicaNotFoundException(
                f"unmatched length replica {replica.name}: acknowledged {replica.bytes_acked} bytes and received "
                f"{replica.num_bytes}, accepted: {min_bytes} or more and {max_bytes} or less"
            )
        # The file may be longer than memory says if a write has failed half-way (HDFS-11472).
        on_disk = self.files.disk.size(self.files.block_path(replica))
        if on_disk < replica.bytes_acked:
            raise ReplicaNotFoundException(
                f"found fewer bytes on disk than acknowledged of {replica.name}: {on_disk} of {replica.bytes_acked}"
            )
        if on_disk > replica.bytes_acked:
            self.files.cut(replica, replica.bytes_acked)
        if replica.bytes_on_disk < replica.bytes_acked:
            self.files.restore_checksums(replica, replica.bytes_on_disk, replica.bytes_acked)
        replica.set_length(replica.bytes_acked)
        self._restamp(replica, new_stamp)
        replica.writer = writer
        return replica

    # -- what these need ----------------------------------------------------------------------------------------

    def _open_finalized(self, replica: Replica, new_stamp: int, writer: Writer) -> Replica:
        """Move a finalized replica to where replicas are written; all that it has counts as acknowledged."""
        former = replica.directory
        self.files.move(replica, self.files.rbw, new_stamp)
        if self.files.spares_synced_bytes:
            self.files.sync_names(replica, former)
        replica.state = ReplicaState.RBW
        replica.bytes_acked = replica.num_bytes
        replica.writer = writer
        self.report(replica.block(), ReceivedStatus.RECEIVING)
        return replica

    def _restamp(self, replica: Replica, new_stamp: int) -> None:
        """Give the replica another stamp (ReplicaInfo#bumpReplicaGS).

        Repaired, the name is forced to the disk: under an older stamp no byte would count any more, and the recoveries
        of the block would find a location that refuses them for ever.
        """
        self.files.move(replica, replica.directory, new_stamp)
        if self.files.spares_synced_bytes:
            self.files.sync_names(replica, replica.directory)

    def _check_new_stamp(self, block: Block, new_stamp: int) -> None:
        """The new stamp must be above the block's; in Hadoop 3.4.1 not below it."""
        is_closed = self.configuration.closes(Repair.PIPELINES_BRING_A_NEW_STAMP)
        lowest = block.generation_stamp + is_closed
        if new_stamp < lowest:
            raise HdfsIOException(f"the new stamp is {new_stamp}, accepted: {lowest} or more")

    def _check_stamp(self, replica: Replica, block: Block, new_stamp: int) -> None:
        """The replica's stamp must lie between the one that the client knows and the new one, which must be new."""
        if not block.generation_stamp <= replica.generation_stamp <= new_stamp:
            raise ReplicaNotFoundException(
                f"cannot append to or recover a replica with unexpected generation stamp: {replica.name}, accepted: "
                f"{block.generation_stamp} to {new_stamp}"
            )
        self._check_new_stamp(block, new_stamp)

    def _check_length(self, replica: Replica, expected_length: int) -> None:
        """The replica must be as long as the client says."""
        if replica.num_bytes != expected_length:
            raise HdfsIOException(
                f"corrupted replica {replica.name} with a length of {replica.num_bytes}, accepted: {expected_length}"
            )
