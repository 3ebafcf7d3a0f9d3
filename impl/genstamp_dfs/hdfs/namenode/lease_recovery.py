"""Taking a file from its holder: when that is allowed, and how the file gets closed.

The two decision tables of lease recovery, for files of at most one block. What they can end in: the file is closed at
once, or a block recovery is running that will close it.

Leaves out: the rows of both tables about a penultimate block, and about a block with no expected location (only a
namenode restart or an append makes one).

Source: NN/FSNamesystem#recoverLeaseInternal, #internalReleaseLease, Hadoop 3.4.1.
"""

from dataclasses import dataclass

from genstamp_dfs.errors import AlreadyBeingCreatedException, RecoveryInProgressException
from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.lease_manager import Lease, LeaseManager
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import BlockUCState


@dataclass(frozen=True)
class Released:
    """How a release ended: the file is closed now, or it is not and a recovery runs (`recovery_id` if just begun)."""

    closed: bool
    recovery_id: int | None = None


@dataclass
class LeaseRecovery:
    """Decides and does the release of leases; has no state of its own."""

    lease_manager: LeaseManager
    block_manager: BlockManager

    def recover_lease_internal(self, inode: INodeFile, holder: str, now_us: int, *, force: bool) -> Released:
        """Take the file over for `holder`, by force (recoverLease) or only past the soft limit (create).

        Returns:
            How it ended. Without force, the return means that the file is closed.

        Raises:
            AlreadyBeingCreatedException: the caller holds it itself; no lease is found; not past the soft limit.
            RecoveryInProgressException: its block is under recovery; or past the soft limit, and this call has made
                sure that a recovery runs.

        Source: FSNamesystem#recoverLeaseInternal, Hadoop 3.4.1.
        """
        if not inode.is_under_construction:
            return Released(closed=True)
        assert inode.client_name is not None
        own_lease = self.lease_manager.get_lease(holder)
        if not force and own_lease is not None and inode.file_id in own_lease.files:
            raise AlreadyBeingCreatedException(f"{holder} is already the current lease holder of {inode.path}")
        lease = self.lease_manager.get_lease(inode.client_name)
        if lease is None:
            raise AlreadyBeingCreatedException(f"{inode.path} is under construction but no leases found")
        if force:
            return self.internal_release_lease(lease, inode, holder, now_us)
        if self.lease_manager.expired_soft_limit(lease, now_us):
            released = self.internal_release_lease(lease, inode, None, now_us)
            if released.closed:
                return released
            raise RecoveryInProgressException(f"lease recovery is in progress for {inode.path}, try again later")
        last = inode.last_block()
        if last is not None and last.state is BlockUCState.UNDER_RECOVERY:
            raise RecoveryInProgressException(f"another recovery of {inode.path} is in progress by {lease.holder}")
        raise AlreadyBeingCreatedException(f"the lease of {inode.path} is currently owned by {lease.holder}")

    def internal_release_lease(self, lease: Lease, inode: INodeFile, new_holder: str | None, now_us: int) -> Released:
        """Close the file if its block is good; otherwise see to it that a block recovery runs.

        Args:
            lease: the lease that the file is released from.
            inode: the file, under construction.
            new_holder: who holds the file while the recovery runs; None leaves it with the present holder.
            now_us: time in microseconds.

        Source: FSNamesystem#internalReleaseLease, Hadoop 3.4.1.
        """
        last = inode.last_block()
        if last is None or last.is_complete:
            self.finalize_inode_file_under_construction(inode)
            return Released(closed=True)
        # UNDER_CONSTRUCTION, UNDER_RECOVERY, and since HDFS-15725 also COMMITTED that never was finalized anywhere.
        recovery_id = None
        if self.block_manager.add_block_recovery_attempt(last, now_us):
            recovery_id = self.block_manager.initialize_block_recovery(last)
        # Also when the gate held the recovery back: the file changes hands all the same.
        self.reassign_lease(lease, inode, new_holder, now_us)
        return Released(closed=False, recovery_id=recovery_id)

    def reassign_lease(self, lease: Lease, inode: INodeFile, new_holder: str | None, now_us: int) -> None:
        """Move the file to the new holder, or renew the lease of the present one.

        Source: FSNamesystem#reassignLease, Hadoop 3.4.1.
        """
        if new_holder is None:
            self.lease_manager.renew_lease(lease.holder, now_us)
            return
        inode.client_name = new_holder
        self.lease_manager.reassign_lease(lease, inode.file_id, new_holder, now_us)

    def finalize_if_complete(self, inode: INodeFile) -> bool:
        """Close the file if all its blocks are COMPLETE; says whether it did."""
        if not all(block.is_complete for block in inode.blocks):
            return False
        self.finalize_inode_file_under_construction(inode)
        return True

    def finalize_inode_file_under_construction(self, inode: INodeFile) -> None:
        """Close the file: the inode first, the lease after it, so that no file is open without a lease (HDFS-10763).

        Source: FSNamesystem#finalizeINodeFileUnderConstruction, Hadoop 3.4.1.
        """
        holder = inode.client_name
        assert holder is not None, f"{inode.path} is closed already"
        assert all(block.is_complete for block in inode.blocks), f"{inode.path} has blocks that are not COMPLETE"
        inode.client_name = None
        lease = self.lease_manager.get_lease(holder)
        if lease is not None:
            self.lease_manager.remove_lease(lease, inode.file_id)
