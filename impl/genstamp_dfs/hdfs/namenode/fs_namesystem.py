"""The calls that the namenode answers, each one atomic step: from clients, and from a primary datanode.

A call gives its result or raises one of Hadoop's exceptions. After an exception nothing has changed, except where a
docstring says so (create may start a recovery, or close the file, and refuse all the same).

Leaves out: safe mode, retry cache, edit log, and of each call what concerns more than one block a file.

Source: NN/FSNamesystem, NN/FSDirWriteFileOp, Hadoop 3.4.1.
"""

from collections.abc import Callable
from dataclasses import dataclass

from genstamp_dfs.errors import (
    FileAlreadyExistsException,
    FileNotFoundException,
    HdfsIOException,
    LeaseExpiredException,
    RecoveryInProgressException,
)
from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo, PendingRecoveryBlocks
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeManager
from genstamp_dfs.hdfs.namenode.lease_manager import LeaseManager
from genstamp_dfs.hdfs.namenode.lease_recovery import LeaseRecovery, Released
from genstamp_dfs.hdfs.namenode.namespace import FSDirectory, INodeFile
from genstamp_dfs.hdfs.protocol import (
    MINIMAL_REPLICATION,
    Block,
    BlockUCState,
    Limits,
    LocatedBlock,
    RecoveringBlock,
    ReportedReplica,
    Semantics,
)


@dataclass(frozen=True)
class ExpiredLease:
    """What the monitor did with one file: whose lease had expired, and how the release ended."""

    holder: str
    path: str
    released: Released


class FSNamesystem:
    """The namenode's state, and the calls on it."""

    def __init__(self, limits: Limits, semantics: Semantics = Semantics.REPAIRED) -> None:
        self.semantics = semantics
        self.directory = FSDirectory()
        self.lease_manager = LeaseManager(limits)
        self.datanode_manager = DatanodeManager()
        self.block_manager = BlockManager(self.datanode_manager, PendingRecoveryBlocks(limits.recovery_gate_ms))
        self.lease_recovery = LeaseRecovery(self.lease_manager, self.block_manager)

    # -- ClientProtocol -----------------------------------------------------------------------------------------

    def start_file(self, path: str, holder: str, now_us: int) -> INodeFile:
        """create() without overwrite.

        Raises:
            FileAlreadyExistsException: the file is closed, or its lease was past the soft limit and this call has
                closed it.
            AlreadyBeingCreatedException: the file is open and its lease is not past the soft limit.
            RecoveryInProgressException: its block is under recovery, or its lease was past the soft limit and this
                call has started (or found running) a recovery.

        Source: FSNamesystem#startFileInt, FSDirWriteFileOp#startFile, Hadoop 3.4.1.
        """
        existing = self.directory.get_file(path)
        if existing is not None:
            self.lease_recovery.recover_lease_internal(existing, holder, now_us, force=False)
            raise FileAlreadyExistsException(f"{path} for client {holder} already exists")
        inode = self.directory.add_file(path, holder)
        self.lease_manager.add_lease(holder, inode.file_id, now_us)
        return inode

    def get_additional_block(
        self, path: str, holder: str, choose_targets: Callable[[], tuple[str, ...]]
    ) -> LocatedBlock:
        """addBlock() with previous = null. A repetition while the block has no length gives the same block.

        Args:
            path: the file.
            holder: the caller.
            choose_targets: gives the pipeline, nearest datanode first; a random choice, so it is made outside, and
                asked for only when a new block is due.

        Raises:
            FileNotFoundException, LeaseExpiredException: as `check_lease`.
            HdfsIOException: no target, or the block has a length already.

        Source: FSNamesystem#getAdditionalBlock, FSDirWriteFileOp#validateAddBlock, Hadoop 3.4.1.
        """
        inode = self.check_lease(path, holder)
        last = inode.last_block()
        if last is not None:
            if last.num_bytes != 0:
                raise HdfsIOException(f"request looked like a retry of the first block of {path}, which has data")
            return LocatedBlock(last.as_block(), last.expected_locations())
        pipeline = choose_targets()
        if len(pipeline) < MINIMAL_REPLICATION:
            raise HdfsIOException(
                f"{path} could only be written to 0 of the {MINIMAL_REPLICATION} minReplication nodes"
            )
        block = self.block_manager.add_block(inode, pipeline)
        return LocatedBlock(block.as_block(), pipeline)

    def complete_file(self, path: str, holder: str, last: Block | None) -> bool:
        """complete(): commit the last block, and close the file if the block is COMPLETE.

        Args:
            path: the file.
            holder: the caller.
            last: the last block as the caller wrote it; None if it wrote none.

        Returns:
            Whether the file is closed. A repetition after the close is answered with True (HDFS-3031).

        Raises:
            FileNotFoundException, LeaseExpiredException: as `check_lease`.
            HdfsIOException: the block is under recovery, or its stamp is not the caller's.

        Source: FSDirWriteFileOp#completeFileInternal, Hadoop 3.4.1.
        """
        try:
            inode = self.check_lease(path, holder)
        except LeaseExpiredException:
            if self.is_retry_of_complete(path, last):
                return True
            raise
        self.block_manager.commit_or_complete_last_block(inode, last)
        return self.lease_recovery.finalize_if_complete(inode)

    def is_retry_of_complete(self, path: str, last: Block | None) -> bool:
        """Whether the file is closed and ends with the caller's block in id and stamp, or both have none."""
        inode = self.directory.files[path]
        if inode.is_under_construction:
            return False
        stored = inode.last_block()
        if stored is None or last is None:
            return stored is None and last is None
        return (stored.block_id, stored.generation_stamp) == (last.block_id, last.generation_stamp)

    def renew_lease(self, holder: str, now_us: int) -> None:
        """renewLease(); never refused here.

        Source: FSNamesystem#renewLease, Hadoop 3.4.1.
        """
        self.lease_manager.renew_lease(holder, now_us)

    def recover_lease(self, path: str, holder: str, now_us: int) -> Released:
        """recoverLease(): take the file over, whatever the age of its lease.

        Returns:
            Whether the file is closed now, and the id of the recovery if this call started one.

        Raises:
            FileNotFoundException: there is no such file.

        Source: FSNamesystem#recoverLease, Hadoop 3.4.1.
        """
        inode = self.directory.get_file(path)
        if inode is None:
            raise FileNotFoundException(f"File not found: {path}")
        return self.lease_recovery.recover_lease_internal(inode, holder, now_us, force=True)

    def check_lease(self, path: str, holder: str) -> INodeFile:
        """The file, if the holder is its owner of record. The age of the lease does not matter.

        Raises:
            FileNotFoundException: there is no such file.
            LeaseExpiredException: the file is closed, or another client's.

        Source: FSNamesystem#checkLease (HDFS-2484), Hadoop 3.4.1.
        """
        inode = self.directory.get_file(path)
        if inode is None:
            raise FileNotFoundException(f"File does not exist: {path}")
        if not inode.is_under_construction:
            raise LeaseExpiredException(f"{path} is not open for writing, asked by {holder}")
        if inode.client_name != holder:
            raise LeaseExpiredException(f"{holder} is not the lease owner of {path}, which is {inode.client_name}")
        return inode

    def fsync(self, path: str, holder: str) -> None:
        """fsync(), which the first hflush of a block calls. The length that it tells is left out.

        Raises:
            FileNotFoundException, LeaseExpiredException: as `check_lease`.
            RecoveryInProgressException: with `repaired`, the block is under recovery.

        Source: FSNamesystem#fsync, Hadoop 3.4.1.
        """
        block = self.check_lease(path, holder).last_block()
        is_recovering = block is not None and block.state is BlockUCState.UNDER_RECOVERY
        if is_recovering and self.semantics is Semantics.REPAIRED:
            raise RecoveryInProgressException(f"the last block of {path} is under recovery")

    # -- the lease monitor --------------------------------------------------------------------------------------

    def check_leases(self, now_us: int) -> list[ExpiredLease]:
        """One pass of the lease monitor: release every file of every lease past the hard limit.

        Source: LeaseManager.Monitor, LeaseManager#checkLeases, Hadoop 3.4.1.
        """
        outcomes = []
        for lease in self.lease_manager.expired_leases(now_us):
            for file_id in sorted(lease.files):
                inode = self.directory.files_by_id[file_id]
                new_holder = self.lease_manager.get_internal_lease_holder(now_us)
                released = self.lease_recovery.internal_release_lease(lease, inode, new_holder, now_us)
                outcomes.append(ExpiredLease(lease.holder, inode.path, released))
        return outcomes

    # -- DatanodeProtocol ---------------------------------------------------------------------------------------

    def register_datanode(self, datanode: str) -> None:
        """A datanode process started."""
        self.datanode_manager.register_datanode(datanode)

    def remove_datanode(self, datanode: str) -> None:
        """A datanode process is gone."""
        self.datanode_manager.set_datanode_dead(datanode)
        self.block_manager.remove_blocks_associated_to(datanode)

    def queued_recoveries(self, datanode: str) -> list[int]:
        """Ids of the blocks whose recovery waits for this datanode's next heartbeat."""
        return list(self.datanode_manager.datanodes[datanode].recover_blocks)

    def take_recovery_command(self, datanode: str, block_id: int) -> RecoveringBlock | None:
        """The queued command, which leaves the queue; None (and the queue as it is) if it is out of date.

        It is so if the block is done or gone; with `repaired` also if another datanode leads the current attempt.
        """
        command = self.block_manager.get_block_recovery_command(block_id)
        if command is not None and self.semantics is Semantics.REPAIRED:
            block = self.block_manager.get_stored_block(block_id)
            assert block is not None
            command = command if block.primary == datanode else None
        if command is not None:
            self.datanode_manager.datanodes[datanode].recover_blocks.remove(block_id)
        return command

    def process_incremental_block_report(self, datanode: str, reported: ReportedReplica) -> BlockInfo:
        """blockReceivedAndDeleted() for one RECEIVED replica of a block that exists; gives the block.

        Source: BlockManager#processIncrementalBlockReport, Hadoop 3.4.1.
        """
        block = self.block_manager.blocks[reported.block_id]
        self.block_manager.add_stored_block(block, reported, datanode)
        return block

    def commit_block_synchronization(
        self, old_block: Block, recovery_id: int, new_length: int, *, delete_block: bool, targets: tuple[str, ...]
    ) -> None:
        """The end of a block recovery: install its stamp and length, or drop the block, and close the file.

        Repeating a commit that went through is accepted in silence.

        Args:
            old_block: the block as the command named it.
            recovery_id: the id under which the recovery ran.
            new_length: agreed length in bytes.
            delete_block: no replica with data exists, the block goes away.
            targets: the datanodes whose replica was updated.

        Raises:
            HdfsIOException: the block is unknown, or a younger recovery has been started.
            FileNotFoundException: the block's file is gone.

        Source: FSNamesystem#commitBlockSynchronization, Hadoop 3.4.1. closeFile is always true, as datanodes send it.
        """
        block = self.block_manager.get_stored_block(old_block.block_id)
        if block is None:
            if delete_block:
                return
            raise HdfsIOException(f"block (=blk_{old_block.block_id}_{old_block.generation_stamp}) not found")
        inode = self.directory.files_by_id.get(block.file_id)
        if inode is None:
            raise FileNotFoundException(f"file of blk_{block.block_id} not found, likely due to delayed block removal")
        if block.is_complete:
            return
        self.check_recovery_id(block, recovery_id)
        if delete_block:
            self.block_manager.remove_block(inode, block)
        else:
            self.install_recovered_block(block, recovery_id, new_length, targets)
            self.block_manager.commit_or_complete_last_block(inode, block.as_block())
        closed = self.lease_recovery.finalize_if_complete(inode)
        assert closed, f"{inode.path} is not closed after the recovery of {block}"
        self.block_manager.pending_recovery_blocks.remove(block.block_id)

    def check_recovery_id(self, block: BlockInfo, recovery_id: int) -> None:
        """Refuse a commit that is not the current recovery's: the latest recovery preempts all others."""
        if block.block_recovery_id != recovery_id:
            raise HdfsIOException(
                f"the recovery id {recovery_id} does not match current recovery id {block.block_recovery_id} "
                f"for block blk_{block.block_id}"
            )

    def install_recovered_block(
        self, block: BlockInfo, recovery_id: int, new_length: int, targets: tuple[str, ...]
    ) -> None:
        """Give the block stamp, length and locations of the recovery; replicas elsewhere no longer count."""
        block.generation_stamp = recovery_id
        block.num_bytes = new_length
        # The targets count at once, without a report; one that died meanwhile must not.
        alive = set(self.datanode_manager.live_datanodes())
        block.stored = {datanode: recovery_id for datanode in targets if datanode in alive}
        block.state = BlockUCState.UNDER_CONSTRUCTION
        block.set_expected_locations(targets)
