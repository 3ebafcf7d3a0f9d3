"""Taking a file from its holder: when that is allowed, and how the file gets closed.

The two decision tables of lease recovery. What they can end in: the file is closed at once, or a block recovery is
running that will close it.

Not here: erasure-coded blocks.

Source: NN/FSNamesystem#recoverLeaseInternal, #internalReleaseLease, NN/LeaseManager#checkLeases, Hadoop 3.4.1;
    facts F.1 to F.4, D.3.
"""

from dataclasses import dataclass

from genstamp_dfs.errors import (
    AlreadyBeingCreatedException,
    FileNotFoundException,
    HdfsIOException,
    IllegalStateException,
    RecoveryInProgressException,
)
from genstamp_dfs.hdfs.messages.client_protocol import IsFileClosed, RecoverLease, RenewLease
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import initialize_block_recovery, remove_block_from_map
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.edit_ops import CloseOp, ReassignLeaseOp
from genstamp_dfs.hdfs.namenode.fs_namesystem import EventDetails, FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_manager import Lease
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.namenode.redundancy import check_redundancy
from genstamp_dfs.hdfs.namenode.reserved import DirOp
from genstamp_dfs.hdfs.protocol import INTERNAL_LEASE_HOLDER, NAMENODE, BlockUCState
from genstamp_dfs.world.request import Caller
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


@dataclass(frozen=True)
class ExpiredLease:
    """What the monitor did with one file.

    Attributes:
        holder: whose lease had expired.
        closed: whether the file is closed now.
        recovery_id: of the recovery that was begun instead, if one was.
        refusal: why it could not be released.
    """

    holder: str
    path: str
    file_id: int
    closed: bool = False
    recovery_id: int | None = None
    refusal: HdfsIOException | None = None


def renew_lease(fsn: FSNamesystem, request: RenewLease, caller: Caller) -> None:
    """renewLease(); a holder without a lease is accepted, so a client does not learn that it lost its files.

    Source: FSNamesystem#renewLease, Hadoop 3.4.1; facts E.11.
    """
    fsn.check_safe_mode(f"renew lease for {request.client_name}")
    fsn.lease_manager.renew_lease(request.client_name, fsn.clock.now_us())


def recover_lease(fsn: FSNamesystem, request: RecoverLease, caller: Caller) -> bool:
    """recoverLease(): take the file over, whatever the age of its lease; whether it is closed now.

    Raises:
        FileNotFoundException: there is no such file.
        AlreadyBeingCreatedException: no lease is found, or a committed block waits for its replicas.

    Source: FSNamesystem#recoverLease (HDFS-8576), Hadoop 3.4.1.
    """
    fsn.check_safe_mode(f"recover the lease of {request.path}")
    inode = fsn.file_for(request.path, DirOp.WRITE)
    return recover_lease_internal(fsn, "RECOVER_LEASE", inode, request.client_name, caller.machine, force=True)


def is_file_closed(fsn: FSNamesystem, request: IsFileClosed, caller: Caller) -> bool:
    """isFileClosed()

    Raises:
        FileNotFoundException: there is no such file.
    """
    return not fsn.file_for(request.path, DirOp.READ).is_under_construction


def recover_lease_internal(
    fsn: FSNamesystem, operation: str, inode: INodeFile, holder: str, machine: str, *, force: bool
) -> bool:
    """Take the file over for `holder`, by force (recoverLease) or only past the soft limit (create and others).

    Args:
        operation: what the caller wants, for the message.
        inode: the file.
        holder, machine: the caller.
        force: whether the age of the lease does not matter.

    Returns:
        Whether the file is closed now; without force always true.

    Raises:
        AlreadyBeingCreatedException: the caller holds it itself; no lease is found; not past the soft limit.
        RecoveryInProgressException: its block is under recovery; or past the soft limit, and this call has made
            sure that a recovery runs.

    Source: FSNamesystem#recoverLeaseInternal, Hadoop 3.4.1; facts F.1.
    """
    if not inode.is_under_construction:
        return True
    assert inode.client_name is not None
    failed = f"Failed to {operation} {inode.path} for {holder} on {machine}"
    own_lease = fsn.lease_manager.get_lease(holder)
    if not force and own_lease is not None and inode.file_id in own_lease.files:
        raise AlreadyBeingCreatedException(f"{failed}: {holder} is already the current lease holder")
    lease = fsn.lease_manager.get_lease(inode.client_name)
    if lease is None:
        raise AlreadyBeingCreatedException(f"{failed}: the file is under construction but no leases found")
    if force:
        return internal_release_lease(fsn, lease, inode, holder)
    if fsn.lease_manager.expired_soft_limit(lease, fsn.clock.now_us()):
        if internal_release_lease(fsn, lease, inode, _soft_limit_holder(fsn)):
            fsn.event.observed["closed_before"] = "true"
            return True
        raise RecoveryInProgressException(f"{failed}: lease recovery is in progress, try again later")
    last = inode.last_block()
    if last is not None and last.state is BlockUCState.UNDER_RECOVERY:
        raise RecoveryInProgressException(f"{failed}: another recovery is in progress by {lease.holder}")
    raise AlreadyBeingCreatedException(f"{failed}: this file lease is currently owned by {lease.holder}")


def _soft_limit_holder(fsn: FSNamesystem) -> str | None:
    """Who holds a file that is taken over past the soft limit; None leaves it with the old writer (facts F.2)."""
    if fsn.repairs(Repair.SOFT_LIMIT_TAKES_THE_FILE):
        return fsn.lease_manager.get_internal_lease_holder(fsn.clock.now_us())
    return None


def internal_release_lease(fsn: FSNamesystem, lease: Lease, inode: INodeFile, new_holder: str | None) -> bool:
    """Close the file if its blocks are good; otherwise see to it that a block recovery runs. Says whether it is closed.

    Args:
        lease: the lease that the file is released from.
        inode: the file, under construction.
        new_holder: who holds the file while the recovery runs; None leaves it with the present holder.

    Raises:
        HdfsIOException: more than the last two blocks are incomplete, or the one before is not even COMMITTED.
        AlreadyBeingCreatedException: committed blocks wait for their replicas.
        IllegalStateException: a block before the last is not COMPLETE, although it has replicas.

    Source: FSNamesystem#internalReleaseLease, Hadoop 3.4.1; facts F.3.
    """
    complete = 0
    while complete < len(inode.blocks) and inode.blocks[complete].is_complete:
        complete += 1
    if complete == len(inode.blocks):
        finalize_inode_file_under_construction(fsn, inode)
        return True
    _check_incomplete_blocks(inode, complete)
    last, penultimate = inode.blocks[-1], inode.penultimate_block()
    if last.is_complete:
        return False
    if last.state is BlockUCState.COMMITTED:
        if penultimate is not None and not fsn.block_manager.has_min_storage(penultimate):
            raise AlreadyBeingCreatedException(
                f"failed to release the lease of {inode.path}: committed blocks are waiting to be minimally "
                "replicated, try again later"
            )
        if fsn.block_manager.has_min_storage(last):
            finalize_inode_file_under_construction(fsn, inode)
            return True
    if _drops_empty_last_block(fsn, inode, last):
        return True
    if fsn.block_manager.pending_recovery_blocks.add(last.block_id, fsn.clock.now_us()):
        start_block_recovery(fsn, last)
    # Also when the gate held the recovery back: the file changes hands all the same.
    reassign_lease(fsn, lease, inode, new_holder)
    return False


def _check_incomplete_blocks(inode: INodeFile, complete: int) -> None:
    """Refuse a file of whose blocks more than the last two can be incomplete (facts F.3 rows 2 and 3)."""
    left = len(inode.blocks) - complete
    if left > 2 or (left == 2 and inode.blocks[complete].state is not BlockUCState.COMMITTED):
        raise HdfsIOException(
            f"attempt to release a create lock on {inode.path} but file is already closed: block number "
            f"{complete} is {inode.blocks[complete].state}"
        )


def _drops_empty_last_block(fsn: FSNamesystem, inode: INodeFile, last: BlockInfo) -> bool:
    """Drop a last block of which nobody was told and nothing is known, and close the file (facts F.3 rows 7, 8)."""
    # A recovery of a copy on truncate works on the replicas of the block that it is made from.
    known = fsn.block_manager.copied_by(last) or last
    if not last.replicas:
        last.set_expected_locations(_known_locations(fsn, known))
    if last.replicas or last.num_bytes or known.corrupt:
        return False
    if fsn.repairs(Repair.CLOSING_FAILS_BEFORE_IT_BEGINS):
        check_closable(inode, inode.blocks[:-1])
    inode.blocks.pop()
    remove_block_from_map(fsn.block_manager, last)
    finalize_inode_file_under_construction(fsn, inode)
    return True


def _known_locations(fsn: FSNamesystem, block: BlockInfo) -> list[str]:
    """Who has reported the block; repaired, without those whose replica is too old to take part in a recovery."""
    corrupt = [
        datanode
        for datanode, mark in block.corrupt.items()
        if mark.generation_stamp >= block.generation_stamp or not fsn.repairs(Repair.STALE_REPLICA_JOINS_A_RECOVERY)
    ]
    return [*block.stored, *corrupt]


def start_block_recovery(fsn: FSNamesystem, block: BlockInfo) -> None:
    """Start a recovery under a fresh stamp.

    Source: facts F.4; the stamp is logged here and synced by whoever answers the call.
    """
    recovery_id = fsn.next_generation_stamp()
    # Also where the call is refused all the same.
    fsn.event.recovery_id, fsn.event.block_id = recovery_id, block.block_id
    if block.is_copy_on_truncate:
        block.generation_stamp = recovery_id
    elif block.truncate_block is not None:
        target = block.truncate_block
        block.truncate_block = type(target)(target.block_id, recovery_id, target.num_bytes)
    block.recovery_transaction = fsn.journal.last_transaction
    initialize_block_recovery(fsn.block_manager, block, recovery_id)


def reassign_lease(fsn: FSNamesystem, lease: Lease, inode: INodeFile, new_holder: str | None) -> None:
    """Move the file to the new holder, or renew the lease of the present one.

    Source: FSNamesystem#reassignLease, Hadoop 3.4.1.
    """
    if new_holder is None:
        fsn.lease_manager.renew_lease(lease.holder, fsn.clock.now_us())
        return
    fsn.event.observed["new_holder"] = NAMENODE if new_holder.startswith(INTERNAL_LEASE_HOLDER) else new_holder
    fsn.journal.log(ReassignLeaseOp(inode.path, lease.holder, new_holder))
    inode.client_name = new_holder
    fsn.lease_manager.reassign_lease(lease, inode.file_id, new_holder, fsn.clock.now_us())


def check_closable(inode: INodeFile, blocks: list[BlockInfo]) -> None:
    """Refuse to close a file of these blocks if one is not COMPLETE.

    Raises:
        IllegalStateException: one is not (INodeFile#toCompleteFile).
    """
    for block in blocks:
        if not block.is_complete:
            raise IllegalStateException(
                f"cannot close {inode.path}: blk_{block.block_id}_{block.generation_stamp} is {block.state}"
            )


def finalize_inode_file_under_construction(fsn: FSNamesystem, inode: INodeFile) -> None:
    """Close the file: the inode first, the lease after it, so that no file is open without a lease (HDFS-10763).

    Raises:
        IllegalStateException: a block is not COMPLETE.

    Source: FSNamesystem#finalizeINodeFileUnderConstruction, Hadoop 3.4.1; facts A.5.
    """
    assert inode.client_name is not None, f"{inode.path} is closed already"
    check_closable(inode, inode.blocks)
    inode.client_name, inode.client_machine = None, ""
    inode.modification_time_ms = fsn.clock.time_ms()
    fsn.lease_manager.remove_file(inode.file_id)
    blocks = tuple(block.as_block() for block in inode.blocks)
    fsn.journal.log(CloseOp(inode.path, blocks, inode.modification_time_ms))
    for block in inode.blocks:
        check_redundancy(fsn.block_manager, block)


def check_leases(fsn: FSNamesystem) -> list[ExpiredLease]:
    """One pass of the lease monitor: release the files of leases past the hard limit, for 25 ms at most.

    A file whose lease cannot be released keeps it, and is looked at again in the next pass (HDFS-11817).

    Source: LeaseManager.Monitor, LeaseManager#checkLeases (HDFS-10220, HDFS-12369), Hadoop 3.4.1; facts D.3.
    """
    outcomes: list[ExpiredLease] = []
    if fsn.block_manager.safe_mode.is_on:
        return outcomes
    now_us = fsn.clock.now_us()
    until_us = now_us + fsn.configuration.max_lock_hold_to_release_lease_ms * MICROSECONDS_A_MILLISECOND
    for lease in fsn.lease_manager.expired_leases(now_us):
        for file_id in sorted(lease.files):
            if fsn.clock.now_us() > until_us:
                return outcomes
            outcomes.append(_release_expired(fsn, lease, file_id))
    return outcomes


def _release_expired(fsn: FSNamesystem, lease: Lease, file_id: int) -> ExpiredLease:
    """Release one file of an expired lease."""
    holder, inode = lease.holder, fsn.directory.inodes.get(file_id)
    if not isinstance(inode, INodeFile):
        fsn.lease_manager.remove_lease(lease, file_id)
        missing = FileNotFoundException(f"no inode {file_id}")
        return ExpiredLease(holder, f"inode {file_id}", file_id, refusal=missing)
    new_holder = fsn.lease_manager.get_internal_lease_holder(fsn.clock.now_us())
    path, fsn.event = inode.path, EventDetails()
    try:
        closed = internal_release_lease(fsn, lease, inode, new_holder)
    except HdfsIOException as refusal:
        return ExpiredLease(holder, path, file_id, refusal=refusal)
    return ExpiredLease(holder, path, file_id, closed, fsn.event.recovery_id)
