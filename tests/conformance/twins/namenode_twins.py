"""Old bugs of the namenode, put back; each as small as the fix that it undoes."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.conformance.patching import Patch
from tests.conformance.twins import scenarios
from tests.conformance.twins.judging import Judge, Twin

from genstamp_dfs.errors import AlreadyBeingCreatedException, HdfsIOException, LeaseExpiredException
from genstamp_dfs.hdfs.messages.client_protocol import AddBlock, Complete, Fsync, RecoverLease
from genstamp_dfs.hdfs.namenode import (
    add_block,
    block_reports,
    complete,
    completion,
    corruption,
    lease_recovery,
)
from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo, CorruptReason, PendingRecoveryBlocks
from genstamp_dfs.hdfs.namenode.completion import commit_or_complete_last_block, remove_block_from_map
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeDescriptor
from genstamp_dfs.hdfs.namenode.edit_log import EditLog
from genstamp_dfs.hdfs.namenode.edit_ops import AnyOp, AppendOp, ReassignLeaseOp
from genstamp_dfs.hdfs.namenode.edit_replay import EditReplay
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_manager import Lease
from genstamp_dfs.hdfs.namenode.lease_recovery import ExpiredLease
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.namenode.namespace import FSDirectory, INodeFile
from genstamp_dfs.hdfs.namenode.safe_mode import SafeMode
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, ReportedReplica
from genstamp_dfs.world.request import Caller, Request

# -- whose file it is -------------------------------------------------------------------------------------------------

_complete = complete.complete


def complete_of_anybody(fsn: FSNamesystem, request: Complete, caller: Caller) -> bool:
    """Whoever calls is taken for the owner."""
    inode = fsn.directory.get_file(request.path)
    owner = request.client_name if inode is None else inode.client_name or request.client_name
    return _complete(fsn, Complete(request.path, owner, request.last, request.file_id), caller)


_recovered_lease = lease_recovery.recover_lease_internal


def own_lease_of_any_file(
    fsn: FSNamesystem, operation: str, inode: INodeFile, holder: str, machine: str, *, force: bool
) -> bool:
    """Whoever holds any lease is taken for the holder of this file's."""
    if inode.is_under_construction and not force and fsn.lease_manager.get_lease(holder) is not None:
        raise AlreadyBeingCreatedException(f"{holder} is already the current lease holder")
    return _recovered_lease(fsn, operation, inode, holder, machine, force=force)


def recovery_told_as_creation(
    fsn: FSNamesystem, operation: str, inode: INodeFile, holder: str, machine: str, *, force: bool
) -> bool:
    """Who wants a file whose block is under recovery is told to give up."""
    last = inode.last_block()
    try:
        return _recovered_lease(fsn, operation, inode, holder, machine, force=force)
    except HdfsIOException as refusal:
        if last is not None and last.state is BlockUCState.UNDER_RECOVERY:
            raise AlreadyBeingCreatedException(str(refusal)) from refusal
        raise


_recover_lease = lease_recovery.recover_lease


def closed_and_not_told(fsn: FSNamesystem, request: RecoverLease, caller: Caller) -> bool:
    """A file that this very call has closed is told as open."""
    was_open = fsn.directory.file_at(request.path).is_under_construction
    return _recover_lease(fsn, request, caller) and not was_open


# -- leases -----------------------------------------------------------------------------------------------------------


def without(kind: type) -> Callable[[EditLog, AnyOp], None]:
    """An edit log that does not log one kind of edit."""
    log = EditLog.log

    def log_others(self: EditLog, op: AnyOp) -> None:
        if not isinstance(op, kind):
            log(self, op)

    return log_others


def lease_goes_with_its_first_file(fsn: FSNamesystem) -> list[ExpiredLease]:
    """Of each expired lease one file is released, and then the lease is done."""
    outcomes = []
    for lease in fsn.lease_manager.expired_leases(fsn.clock.now_us()):
        outcomes.append(lease_recovery._release_expired(fsn, lease, min(lease.files)))
        fsn.lease_manager.leases.pop(lease.holder, None)
    return outcomes


_check_leases = lease_recovery.check_leases


def check_leases_in_safe_mode(fsn: FSNamesystem) -> list[ExpiredLease]:
    """The monitor does not look whether the namenode is in safe mode."""
    status, fsn.block_manager.safe_mode = fsn.block_manager.safe_mode, SafeMode(0, 0)
    try:
        return _check_leases(fsn)
    finally:
        fsn.block_manager.safe_mode = status


_internal_release = lease_recovery.internal_release_lease


def committed_waits_for_ever(fsn: FSNamesystem, lease: Lease, inode: INodeFile, new_holder: str | None) -> bool:
    """A COMMITTED last block with too few replicas is refused, each time."""
    last = inode.last_block()
    if last is not None and last.state is BlockUCState.COMMITTED and not fsn.block_manager.has_min_storage(last):
        raise AlreadyBeingCreatedException("committed blocks are waiting to be minimally replicated, try again later")
    return _internal_release(fsn, lease, inode, new_holder)


def fsync_without_length(fsn: FSNamesystem, request: Fsync, caller: Caller) -> None:
    """The namenode does not hear how long the flushed block is."""
    inode = fsn.check_lease(request.path, request.client_name, request.file_id)
    fsn.persist_blocks(inode)


# -- blocks -----------------------------------------------------------------------------------------------------------


def commit_before_the_check(fsn: FSNamesystem, request: Complete, caller: Caller) -> bool:
    """The last block is committed whatever the block before it is."""
    fsn.check_safe_mode(f"complete file {request.path}")
    with suppress(LeaseExpiredException):
        inode = fsn.check_lease(request.path, request.client_name, request.file_id)
        commit_or_complete_last_block(fsn.block_manager, inode, request.last)
    return _complete(fsn, request, caller)


def commit_with_any_stamp(bm: BlockManager, block: BlockInfo, written: Block) -> None:
    """The stamp of the commit is not compared, but taken."""
    if block.state is BlockUCState.COMMITTED:
        return
    block.state = BlockUCState.COMMITTED
    block.num_bytes, block.generation_stamp = written.num_bytes, written.generation_stamp


_add_stored_block = block_reports.add_stored_block


def complete_by_reports(bm: BlockManager, block: BlockInfo, datanode: DatanodeDescriptor, stamp: int) -> None:
    """Enough reports complete a block that nobody has committed."""
    _add_stored_block(bm, block, datanode, stamp)
    if block.state is BlockUCState.UNDER_CONSTRUCTION and bm.has_min_storage(block):
        block.convert_to_complete()


def always_a_new_block(fsn: FSNamesystem, inode: INodeFile, previous: Block | None) -> None:
    """addBlock does not see that it was called before."""


_handle = NameNode.handle
_log_sync = NameNode.log_sync


def handle_and_note(self: NameNode, request: Request[Any], caller: Caller) -> Any:
    """Of addBlock, nothing waits for the disk."""
    answer = _handle(self, request, caller)
    self.needs_sync = self.needs_sync and not isinstance(request, AddBlock)
    return answer


def sync_if_needed(self: NameNode) -> None:
    """Sync what is said to need it."""
    if self.needs_sync:
        _log_sync(self)


_stamp_is_wrong = corruption._is_stamp_wrong


def old_finalized_fits(reported: ReportedReplica, block: BlockInfo) -> bool:
    """A FINALIZED replica of an older generation fits a block under construction."""
    is_written = block.state is BlockUCState.UNDER_CONSTRUCTION
    return not (is_written and reported.state is ReplicaState.FINALIZED) and _stamp_is_wrong(reported, block)


def old_finalized_is_no_disagreement(
    bm: BlockManager, reported: ReportedReplica, block: BlockInfo
) -> CorruptReason | None:
    """And nothing else looks at it either."""
    return corruption.check_replica_corrupt(reported, block)


_update_blocks = EditReplay._update_blocks


def replay_drops_what_is_written(
    self: EditReplay, inode: INodeFile, blocks: tuple[Block, ...], *, closes: bool
) -> None:
    """Replay takes the blocks of an edit for new ones; what was under construction is thrown away."""
    _update_blocks(self, inode, blocks, closes=closes)
    last = inode.last_block()
    if last is not None and not last.is_complete:
        remove_block_from_map(self._block_manager, inode.blocks.pop())


# -- block recovery ---------------------------------------------------------------------------------------------------

_file_of = FSDirectory.file_of


def file_of_deleted(self: FSDirectory, block: BlockInfo) -> INodeFile | None:
    """Until its blocks are removed, a deleted file is found by them."""
    files: dict[int, INodeFile] = self.__dict__.setdefault("files_of_blocks", {})
    inode = _file_of(self, block)
    return files.get(block.block_id) if inode is None else files.setdefault(block.block_id, inode)


def first_location_leads(self: BlockInfo, recovery_id: int, last_heartbeats: dict[str, int]) -> str | None:
    """The primary is the first location, dead or alive."""
    self.state, self.block_recovery_id = BlockUCState.UNDER_RECOVERY, recovery_id
    self.primary = self.replicas[0].datanode if self.replicas else None
    return self.primary


NAMENODE_TWINS = (
    Twin(
        "HDFS-966",
        "the lease monitor works in safe mode",
        (Patch(lease_recovery, "check_leases", check_leases_in_safe_mode),),
        Judge.INVARIANT,
        scenarios.LONG_SAFE_MODE,
        "S18",
    ),
    Twin(
        "HDFS-1072",
        "who wants a file whose block is under recovery is told that it is being created",
        (Patch(lease_recovery, "recover_lease_internal", recovery_told_as_creation),),
        Judge.STEPS,
        None,
        "AlreadyBeingCreatedException",
    ),
    Twin(
        "HDFS-1141",
        "complete does not check the lease",
        (Patch(complete, "complete", complete_of_anybody),),
        Judge.STEPS,
        None,
        "complete",
    ),
    Twin(
        "HDFS-1149",
        "the reassignment of a lease is not logged",
        (Patch(EditLog, "log", without(ReassignLeaseOp)),),
        Judge.INVARIANT,
        scenarios.TAKEN_OVER,
        "S19",
    ),
    Twin(
        "HDFS-1204",
        "the expiry of one file ends the whole lease of its holder",
        (Patch(lease_recovery, "check_leases", lease_goes_with_its_first_file),),
        Judge.INVARIANT,
        scenarios.TWO_FILES_EXPIRE,
        "S17",
    ),
    Twin(
        "HDFS-3848",
        "the holder of any lease is taken for the holder of the file's",
        (Patch(lease_recovery, "recover_lease_internal", own_lease_of_any_file),),
        Judge.STEPS,
        None,
        "create",
    ),
    Twin(
        "HDFS-4516",
        "the first hflush does not tell the namenode the length",
        (Patch(complete, "fsync", fsync_without_length),),
        Judge.LOCKSTEP,
        scenarios.NOBODY_KNOWS_THE_BLOCK,
        "fsync",
    ),
    Twin(
        "HDFS-5558",
        "the last block is committed before the one before it is looked at",
        (Patch(complete, "complete", commit_before_the_check),),
        Judge.LOCKSTEP,
        scenarios.TWO_BLOCKS_ONE_UNHEARD,
        "complete",
    ),
    Twin(
        "HDFS-8576",
        "recoverLease says false of a file that it has closed",
        (Patch(lease_recovery, "recover_lease", closed_and_not_told),),
        Judge.LOCKSTEP,
        scenarios.of_seeds(30),
        "recover_lease",
    ),
    Twin(
        "HDFS-10240",
        "complete commits a block that is under recovery",
        (Patch(completion, "check_not_under_recovery", lambda block: None),),
        Judge.STEPS,
        None,
        "complete",
    ),
    Twin(
        "HDFS-14498",
        "a COMMITTED last block that never gets replicas is waited for",
        (Patch(lease_recovery, "internal_release_lease", committed_waits_for_ever),),
        Judge.WALK,
        None,
        "AlreadyBeingCreatedException",
    ),
    Twin(
        "HDFS-4721",
        "a dead datanode is chosen to lead a recovery",
        (Patch(BlockInfo, "initialize_block_recovery", first_location_leads),),
        Judge.PROGRESS,
        scenarios.TAKEN_OVER,
        "take over: done",
    ),
    Twin(
        "HDFS-6825",
        "commitBlockSynchronization does not see that the file was deleted",
        (Patch(FSDirectory, "file_of", file_of_deleted),),
        Judge.INVARIANT,
        scenarios.DELETED_MEANWHILE,
        "S19",
    ),
    Twin(
        "HDFS-7930",
        "replicas that took no part in a recovery go on to count",
        (Patch(completion, "mark_block_replicas_as_corrupt", lambda *args: None),),
        Judge.INVARIANT,
        scenarios.APPEND_RECOVERED_WITHOUT_A_NODE,
        "S7",
    ),
    Twin(
        "HDFS-11576",
        "each recoverLease starts another recovery",
        (Patch(PendingRecoveryBlocks, "add", lambda self, block_id, now_us: True),),
        Judge.STEPS,
        None,
        "receive_recovery_command",
    ),
    Twin(
        "HDFS-800",
        "reports complete a last block that nobody has committed",
        (Patch(block_reports, "add_stored_block", complete_by_reports),),
        Judge.INVARIANT,
        scenarios.of_seeds(30),
        "S13",
    ),
    Twin(
        "HDFS-2991",
        "an append where a block is full is not logged",
        (Patch(EditLog, "log", without(AppendOp)),),
        Judge.INVARIANT,
        scenarios.FULL_BLOCK,
        "S19",
    ),
    Twin(
        "HDFS-3031",
        "complete is refused when it is repeated",
        (Patch(complete, "_is_retry_of_complete", lambda fsn, inode, request: False),),
        Judge.STEPS,
        None,
        "complete",
    ),
    Twin(
        "HDFS-3922",
        "replay throws the block away that was being written",
        (Patch(EditReplay, "_update_blocks", replay_drops_what_is_written),),
        Judge.INVARIANT,
        scenarios.QUIET,
        "S19",
    ),
    Twin(
        "HDFS-4452",
        "a repeated addBlock adds another block",
        (Patch(add_block, "_analyze_file_state", always_a_new_block),),
        Judge.INVARIANT,
        scenarios.of_seeds(30),
        "S15",
    ),
    Twin(
        "HDFS-5590",
        "block ids and stamps are used before they are on disk",
        (Patch(NameNode, "handle", handle_and_note), Patch(NameNode, "log_sync", sync_if_needed)),
        Judge.INVARIANT,
        scenarios.of_seeds(30),
        "S9",
    ),
    Twin(
        "HDFS-5723",
        "a FINALIZED replica of an older generation is accepted while the block is written",
        (
            Patch(corruption, "_is_stamp_wrong", old_finalized_fits),
            Patch(corruption, "why_corrupt", old_finalized_is_no_disagreement),
            Patch(BlockManager, "drop_other_generations", lambda self, block: None),
        ),
        Judge.INVARIANT,
        scenarios.APPENDED_WITHOUT_A_NODE,
        "S7",
    ),
)
