"""The replicas of one datanode, by block id.

An operation gives its result or raises one of Hadoop's exceptions; after an exception nothing has changed, except where
a docstring says so. An operation that another process's writing is in the way of interrupts that writer; if it does not
end at once `MustStopExistingWriter` is raised, and after its end the operation begins again with its first check
(facts B.6).

Here: look-up, writing a new block, finalizing, deletion, reports. `FsDataset` has the other operations too.

Not here: volumes, and how much space is left. Disk errors pass through as `DiskError`.

Source: FD/FsDatasetImpl, Hadoop 3.4.1.
"""

from collections.abc import Callable

from genstamp_dfs.errors import (
    DiskError,
    DiskFailedError,
    HdfsIOException,
    ReplicaAlreadyExistsException,
    ReplicaNotFoundException,
)
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.repairs import Repair
from genstamp_dfs.hdfs.datanode.replica_files import ReplicaFiles
from genstamp_dfs.hdfs.datanode.replica_loading import load_replicas
from genstamp_dfs.hdfs.datanode.replicas import Replica, Writer
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, ReportedReplica
from genstamp_dfs.world.disk import Disk, replace_file

Report = Callable[[Block, ReceivedStatus], None]
"""Is told what the next incremental block report has to say."""


def report_to_nobody(block: Block, status: ReceivedStatus) -> None:
    """For replicas that no namenode asks for."""


class MustStopExistingWriter(Exception):  # noqa: N818 -- Hadoop's name
    """The replica's writer was interrupted and has not ended; the operation may begin again when it has."""

    def __init__(self, replica: Replica, writer: Writer) -> None:
        self.replica = replica
        self.writer = writer
        super().__init__(f"the writer of {replica.name} has to end first")


class ReplicaMap:
    """The replicas by block id, never two of one block; looking at them, making, finalizing and deleting them.

    Attributes:
        out_of_service: a sentence for everything on disk that could not be loaded.
    """

    def __init__(
        self,
        disk: Disk,
        block_pool_id: str,
        configuration: DataNodeConfiguration,
        report: Report = report_to_nobody,
        now_ms: int = 0,
    ) -> None:
        self.configuration = configuration
        self.report = report
        spares_synced_bytes = configuration.closes(Repair.SYNCED_BYTES_SURVIVE)
        self.files = ReplicaFiles(disk, block_pool_id, spares_synced_bytes=spares_synced_bytes)
        self.out_of_service: list[str] = []
        self.replicas: dict[int, Replica] = load_replicas(self.files, now_ms, self.out_of_service)

    # -- looking ------------------------------------------------------------------------------------------------

    def get_replica(self, block_id: int) -> Replica | None:
        """The replica of the block, if there is one."""
        return self.replicas.get(block_id)

    def get_replica_info(self, block: Block) -> Replica:
        """The replica of the block in the block's generation.

        Raises:
            ReplicaNotFoundException: there is none with this id and stamp.
        """
        replica = self.existing(block.block_id)
        if replica.generation_stamp != block.generation_stamp:
            raise ReplicaNotFoundException(
                f"no replica of blk_{block.block_id}_{block.generation_stamp}, the one here is {replica.name}"
            )
        return replica

    def existing(self, block_id: int) -> Replica:
        """The replica of the block in whatever generation.

        Raises:
            ReplicaNotFoundException: there is none.
        """
        replica = self.replicas.get(block_id)
        if replica is None:
            raise ReplicaNotFoundException(f"cannot append to or read a non-existent replica blk_{block_id}")
        return replica

    def get_replica_visible_length(self, block: Block) -> int:
        """How many bytes readers may rely on; -1 if the replica cannot say (facts C.3).

        Raises:
            ReplicaNotFoundException: there is no replica.
            HdfsIOException: it is of an older generation than the block.

        Source: FsDatasetImpl#getReplicaVisibleLength, Hadoop 3.4.1.
        """
        replica = self.existing(block.block_id)
        if replica.generation_stamp < block.generation_stamp:
            raise HdfsIOException(f"replica {replica.name} is older than the block's stamp {block.generation_stamp}")
        return replica.visible_length()

    def is_written_by(self, block_id: int, writer: Writer) -> bool:
        """Whether this writer's packets may still go into the replica."""
        replica = self.replicas.get(block_id)
        if replica is None or replica.writer is not writer or not writer.is_alive:
            return False
        return replica.state in (ReplicaState.RBW, ReplicaState.TEMPORARY)

    def stop_writer(self, replica: Replica) -> None:
        """See to it that nobody writes the replica.

        Raises:
            MustStopExistingWriter: its writer was interrupted and needs time to end.

        Source: DN/ReplicaInPipeline#stopWriter, Hadoop 3.4.1; facts B.6.
        """
        writer = replica.writer
        if writer is None:
            return
        if writer.is_alive:
            writer.interrupt()
        if writer.is_alive:
            raise MustStopExistingWriter(replica, writer)
        replica.writer = None

    # -- writing a new block ------------------------------------------------------------------------------------

    def create_rbw(self, block: Block, writer: Writer, new_stamp: int = 0) -> Replica:
        """A new empty RBW replica with the block's stamp, or the new one if there is one.

        Under a new stamp it replaces what an earlier set-up of the same pipeline has left (HDFS-17299): Hadoop's client
        names the block with the new stamp then. Hadoop replaces whatever is there; repaired, only an older RBW of which
        nothing was acknowledged.

        If `synced-bytes-survive` is closed, the new names are forced to the disk. After a power cut of all nodes the
        block would have no location at a namenode that has restarted, and could neither be recovered nor dropped.

        Raises:
            ReplicaAlreadyExistsException: there is a replica of this block that may not be replaced.

        Source: FsDatasetImpl#createRbw, Hadoop 3.4.1; facts B1, B1'.
        """
        stamp = new_stamp or block.generation_stamp
        existing = self.replicas.get(block.block_id)
        if existing is not None:
            only_its_own = self.configuration.closes(Repair.CREATE_REPLACES_ONLY_ITS_OWN)
            if not new_stamp:
                raise self._already_exists(existing)
            if only_its_own and not (
                existing.state is ReplicaState.RBW and existing.generation_stamp < stamp and existing.bytes_acked == 0
            ):
                raise self._already_exists(existing)
            self.stop_writer(existing)
            self.delete(existing)
        replica = self.add(Block(block.block_id, stamp, 0), ReplicaState.RBW, self.files.rbw, writer)
        if self.files.spares_synced_bytes:
            self.files.sync_names(replica, replica.directory if existing is None else existing.directory)
        return replica

    def _already_exists(self, existing: Replica) -> ReplicaAlreadyExistsException:
        return ReplicaAlreadyExistsException(
            f"block {existing.name} already exists in state {existing.state.name} and thus cannot be created"
        )

    def add(self, block: Block, state: ReplicaState, directory: str, writer: Writer | None) -> Replica:
        """A new empty replica in a directory."""
        replica = Replica(block.block_id, block.generation_stamp, state, directory, writer=writer)
        self.files.create(replica)
        self.replicas[block.block_id] = replica
        if state is ReplicaState.RBW:
            self.report(replica.block(), ReceivedStatus.RECEIVING)
        return replica

    def write(self, replica: Replica, offset: int, data: bytes, checksums: bytes) -> None:
        """Write the bytes of a packet that are not there yet (facts C.2).

        Raises:
            HdfsIOException: they do not fit; nothing has changed.
            DiskError: the disk fails, or is full. Under `hadoop-3.4` the file may have more bytes than `bytes_on_disk`
                says then, and the replica less than was acknowledged of it.
        """
        self.files.check_place(replica, offset, len(data))
        replica.num_bytes = max(replica.num_bytes, offset + len(data))
        try:
            self.files.append(replica, offset, data, checksums)
        except DiskFailedError:
            raise
        except DiskError:
            if self.configuration.closes(Repair.FAILED_WRITE_WAITS_FOR_A_RECOVERY):
                self._take_back(replica)
            raise

    def _take_back(self, replica: Replica) -> None:
        """A packet could not be written: the replica is what it was before, or waits for a recovery if that is less
        than was acknowledged of it.
        """
        replica.set_length(replica.bytes_on_disk)
        if replica.state is ReplicaState.RBW and replica.bytes_acked > replica.bytes_on_disk:
            replica.state = ReplicaState.RWR
        self.files.cut(replica, replica.bytes_on_disk)

    def acknowledge(self, replica: Replica, end: int) -> None:
        """All nodes further down have the bytes up to `end`: readers may see them.

        Source: BlockReceiver.PacketResponder#sendAckUpstreamUnprotected, Hadoop 3.4.1; facts C.2.
        """
        if replica.state is ReplicaState.RBW and end > replica.bytes_acked:
            replica.bytes_acked = end

    def hsync(self, replica: Replica) -> None:
        """Force what is written to the disk, names included (BlockReceiver#flushOrSync)."""
        self.files.make_place(replica)
        self.files.sync(replica)

    # -- finalizing ---------------------------------------------------------------------------------------------

    def finalize_block(self, block: Block) -> Replica:
        """RBW or TEMPORARY -> FINALIZED, when the last packet was acknowledged downstream. FINALIZED stays.

        Raises:
            ReplicaNotFoundException: there is no replica with this id and stamp.
            HdfsIOException: it is in another state: a recovery has it, or it waits for one.

        Source: FsDatasetImpl#finalizeBlock, #finalizeReplica, Hadoop 3.4.1; facts B8.
        """
        replica = self.get_replica_info(block)
        if replica.state is ReplicaState.FINALIZED:
            return replica
        if replica.state not in (ReplicaState.RBW, ReplicaState.TEMPORARY):
            raise HdfsIOException(f"replica {replica.name} is {replica.state.name}, accepted: RBW, TEMPORARY")
        self.become_finalized(replica, must_sync=self.configuration.sync_on_close)
        return replica

    def become_finalized(self, replica: Replica, *, must_sync: bool) -> None:
        """Move the files to where finalized ones are, and owe the namenode a report.

        Repaired, a replica of which bytes were forced to the disk is forced to it whole: after close() these bytes are
        safe only if the machine still has it as a finalized one. So is a copy, which may outlive those that it is of.
        """
        former = replica.directory
        must_sync = must_sync or self.is_promised(replica)
        if must_sync:
            self.files.sync(replica)
        self.files.drop_place(replica)
        self.files.move(replica, self.files.finalized_directory(replica.block_id), replica.generation_stamp)
        if must_sync:
            self.files.sync_names(replica, former)
        replica.become_finalized()
        self.report(replica.block(), ReceivedStatus.RECEIVED)

    def is_promised(self, replica: Replica) -> bool:
        """Whether finalizing forces a replica to the disk although the settings do not ask for it."""
        is_promised = replica.synced_bytes > 0 or replica.state is ReplicaState.TEMPORARY
        return self.files.spares_synced_bytes and is_promised

    # -- reports, deletion, planned restarts --------------------------------------------------------------------

    def block_report(self) -> tuple[ReportedReplica, ...]:
        """All replicas but TEMPORARY ones, as a full block report names them (facts B.9)."""
        return tuple(
            replica.report() for replica in self.replicas.values() if replica.state is not ReplicaState.TEMPORARY
        )

    def invalidate(self, block: Block) -> Replica | None:
        """Delete the replica if it is of this very generation; gives what was deleted, None if there was none.

        Raises:
            HdfsIOException: the replica is of another generation; it stays.
            MustStopExistingWriter: its writer needs time to end.

        Source: FsDatasetImpl#invalidate, Hadoop 3.4.1; facts B17.
        """
        replica = self.replicas.get(block.block_id)
        if replica is None:
            return None
        if replica.generation_stamp != block.generation_stamp:
            raise HdfsIOException(
                f"failed to delete replica {replica.name}: its stamp is not the given {block.generation_stamp}"
            )
        self.stop_writer(replica)
        self.delete(replica)
        self.report(replica.block(), ReceivedStatus.DELETED)
        return replica

    def delete(self, replica: Replica) -> None:
        """Remove the replica and its files."""
        self.files.remove(replica)
        self.replicas.pop(replica.block_id, None)

    def prepare_restart(self, now_ms: int) -> None:
        """Announce a planned restart: replicas that are written may still be so afterwards, if that is soon.

        Source: FsDatasetImpl, ReplicaInPipeline#createRestartMeta; FD/BlockPoolSlice, Hadoop 3.4.1; facts B12, C.7.11.
        """
        deadline = now_ms + self.configuration.restart_expiration_ms
        for replica in self.replicas.values():
            if replica.state is not ReplicaState.RBW or self._is_not_announced(replica):
                continue
            keeps_acked = self.configuration.closes(Repair.RESTART_KEEPS_WHAT_WAS_ACKNOWLEDGED)
            acked = f"\n{replica.bytes_acked}" if keeps_acked else ""
            try:
                replace_file(self.files.disk, self.files.restart_path(replica), f"{deadline}{acked}".encode("ascii"))
            except DiskFailedError:
                raise
            except DiskError:
                # Its writer finds a replica that waits to be recovered, as after any other restart.
                continue

    def _is_not_announced(self, replica: Replica) -> bool:
        """In Hadoop a receiver that waits for its responder to close announces nothing (facts C.7.11)."""
        closes = replica.writer is not None and replica.writer.has_last_packet
        return closes and not self.configuration.closes(Repair.RESTART_KEEPS_A_CLOSING_REPLICA)
