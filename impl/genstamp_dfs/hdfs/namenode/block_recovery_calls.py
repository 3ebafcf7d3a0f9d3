"""Block recovery as the namenode sees it: the commands that go to primaries, and what they bring back.

Not here: erasure-coded blocks, storages.

Source: NN/FSNamesystem#commitBlockSynchronization, BM/DatanodeManager#getBlockRecoveryCommand, Hadoop 3.4.1;
    facts G.2, G.6.
"""

from genstamp_dfs.errors import HdfsIOException, IllegalStateException
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import (
    commit_or_complete_last_block,
    install_locations,
    mark_block_replicas_as_corrupt,
    remove_block,
)
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeDescriptor
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_recovery import check_closable, finalize_inode_file_under_construction
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, RecoveringBlock
from genstamp_dfs.world.request import Caller


def take_recovery_commands(fsn: FSNamesystem, datanode: DatanodeDescriptor) -> tuple[RecoveringBlock, ...]:
    """The recoveries queued for a datanode; they leave the queue, so that a lost answer loses the attempt.

    Raises:
        HdfsIOException: without the repair command-belongs-to-its-attempt, a queued block is no longer under
            construction (HDFS-13758).

    Source: DatanodeManager#getBlockRecoveryCommand, Hadoop 3.4.1.
    """
    queued, datanode.recover_blocks = datanode.recover_blocks, []
    commands = []
    for block in queued:
        if is_out_of_date(fsn, datanode.name, block):
            continue
        if block.is_complete:
            raise HdfsIOException(f"recovery block blk_{block.block_id} where it is not under construction")
        if _is_unsynced(fsn, block):
            datanode.recover_blocks.append(block)
            continue
        commands.append(recovery_command(block, _recovery_locations(fsn, block)))
    return tuple(commands)


def is_out_of_date(fsn: FSNamesystem, datanode: str, block: BlockInfo) -> bool:
    """Whether a queued command is dropped, which only the repair command-belongs-to-its-attempt does.

    Its block is not under recovery any longer or was removed, or a younger attempt has another primary. Hadoop
    sends the command, with what the block says of itself, and fails where the block is complete.
    """
    if not fsn.repairs(Repair.COMMAND_BELONGS_TO_ITS_ATTEMPT):
        return False
    is_removed = fsn.block_manager.get_stored_block(block.block_id) is not block
    return is_removed or block.state is not BlockUCState.UNDER_RECOVERY or block.primary != datanode


def _is_unsynced(fsn: FSNamesystem, block: BlockInfo) -> bool:
    """Whether the recovery id may be given out again after a crash, and that is looked at (facts F.4)."""
    is_on_disk = block.recovery_transaction <= fsn.journal.synced_transaction
    return not is_on_disk and fsn.repairs(Repair.RECOVERY_ID_LEAVES_UNSYNCED)


def _recovery_locations(fsn: FSNamesystem, block: BlockInfo) -> tuple[str, ...]:
    """Whom the primary shall ask: of 3.4.1 those that are not stale, if there are two or more; else all.

    With the repair stale-is-not-gone, all that are not dead (HDFS-17430).
    """
    locations = block.expected_locations()
    if fsn.repairs(Repair.STALE_IS_NOT_GONE):
        return tuple(fsn.datanode_manager.live(locations)) or locations
    now_us = fsn.clock.now_us()
    fresh = tuple(name for name in locations if not fsn.datanode_manager.is_stale(name, now_us))
    return fresh if len(fresh) > 1 else locations


def recovery_command(block: BlockInfo, locations: tuple[str, ...]) -> RecoveringBlock:
    """The order for a block under recovery, with the id that is current now; of a truncate, with its target."""
    truncate, left_out = block.truncate_block, len(block.expected_locations()) - len(locations)
    old, new = block.as_block(), truncate
    if truncate is not None and block.is_copy_on_truncate:
        old, new = truncate, block.as_block()
    return RecoveringBlock(old, locations, block.block_recovery_id, new, left_out)


def commit_block_synchronization(fsn: FSNamesystem, request: CommitBlockSynchronization, caller: Caller) -> None:
    """The end of a block recovery: install its stamp and length, or drop the block, and close the file.

    Repeating a commit that went through is accepted in silence.

    Raises:
        SafeModeException: the namenode is in safe mode.
        HdfsIOException: the block is unknown, its file is deleted, or a younger recovery has been started.
        IllegalStateException: the file cannot be closed, because the block before is not COMPLETE. Without the
            repair closing-fails-before-it-begins the last block has been changed in memory (HDFS-17861).

    Source: FSNamesystem#commitBlockSynchronization, Hadoop 3.4.1.
    """
    old_block, recovery_id = request.block, request.new_generation_stamp
    fsn.event.recovery_id, fsn.event.block_id = recovery_id, old_block.block_id
    fsn.check_safe_mode("commitBlockSynchronization")
    stored = fsn.block_manager.get_stored_block(old_block.block_id)
    if stored is None:
        if request.delete_block:
            return
        raise HdfsIOException(f"block (=blk_{old_block.block_id}_{old_block.generation_stamp}) not found")
    inode = fsn.directory.file_of(stored)
    if inode is None:
        raise HdfsIOException(f"file of blk_{stored.block_id} not found, likely due to delayed block removal")
    last = inode.last_block()
    fsn.event.file, fsn.event.file_id = inode.path, inode.file_id
    if last is None or ((not inode.is_under_construction or stored.is_complete) and last.is_complete):
        _show_outcome(fsn, inode)
        return
    check_recovery_id(last, recovery_id)
    if request.close_file and fsn.repairs(Repair.CLOSING_FAILS_BEFORE_IT_BEGINS):
        _check_will_close(fsn, inode, last, request)
    _take_result(fsn, inode, last, stored, request)
    fsn.block_manager.pending_recovery_blocks.remove(stored.block_id)
    _show_outcome(fsn, inode)


def _show_outcome(fsn: FSNamesystem, inode: INodeFile) -> None:
    last = inode.last_block()
    fsn.event.observed["closed"] = str(not inode.is_under_construction).lower()
    fsn.event.observed["deleted"] = str(last is None or last.block_id != fsn.event.block_id).lower()


def check_recovery_id(block: BlockInfo, recovery_id: int) -> None:
    """Refuse a commit that is not the current recovery's: the latest recovery preempts all others."""
    if block.block_recovery_id != recovery_id:
        raise HdfsIOException(
            f"the recovery id {recovery_id} does not match current recovery id {block.block_recovery_id} "
            f"for block blk_{block.block_id}"
        )


def _check_will_close(
    fsn: FSNamesystem, inode: INodeFile, last: BlockInfo, request: CommitBlockSynchronization
) -> None:
    """Refuse a result with which the file could not be closed, before anything is changed.

    Only the first recovery of a truncate needs replicas that are known: it is not in the table of attempts.
    """
    check_closable(inode, inode.blocks[:-1])
    alive = fsn.datanode_manager.live(request.new_targets)
    has_enough = len(alive) >= fsn.configuration.minimal_replication
    is_forced = fsn.block_manager.pending_recovery_blocks.is_under_recovery(last.block_id)
    if not request.delete_block and not has_enough and not is_forced:
        raise IllegalStateException(f"cannot close {inode.path}: of {request.new_targets} only {alive} are alive")


def _take_result(
    fsn: FSNamesystem, inode: INodeFile, last: BlockInfo, stored: BlockInfo, request: CommitBlockSynchronization
) -> None:
    """Change the last block as the recovery has agreed, and close the file if that is asked for."""
    is_copy = last is not stored
    if request.delete_block:
        if not is_copy:
            inode.blocks.pop()
            remove_block(fsn.block_manager, stored)
    else:
        _install_recovered_block(fsn, last, stored, request)
        fsn.event.num_bytes = request.new_length
    if not request.close_file:
        fsn.persist_blocks(inode)
        return
    committed = last if is_copy else stored
    commit_or_complete_last_block(fsn.block_manager, inode, committed.as_block())
    finalize_inode_file_under_construction(fsn, inode)
    if is_copy:
        remove_block(fsn.block_manager, stored)


def _install_recovered_block(
    fsn: FSNamesystem, last: BlockInfo, stored: BlockInfo, request: CommitBlockSynchronization
) -> None:
    """Give the last block stamp, length and locations of the recovery; replicas elsewhere no longer count."""
    is_copy = last is not stored
    old_block: Block = last.as_block()
    if not is_copy:
        last.generation_stamp, last.num_bytes = request.new_generation_stamp, request.new_length
    if request.close_file:
        install_locations(fsn.block_manager, last, request.new_targets)
    last.state = BlockUCState.UNDER_CONSTRUCTION
    last.truncate_block = None
    if request.new_targets:  # BlockUnderConstructionFeature#setExpectedLocations
        last.set_expected_locations(name for name in request.new_targets if name in fsn.datanode_manager.datanodes)
    if not request.close_file:
        return
    if not is_copy:
        mark_block_replicas_as_corrupt(fsn.block_manager, last, old_block, request.new_targets)
    elif fsn.repairs(Repair.COPIES_OF_EARLIER_ATTEMPTS):
        _mark_copies_of_earlier_attempts(fsn, last, request.new_targets)


def _mark_copies_of_earlier_attempts(fsn: FSNamesystem, copy: BlockInfo, targets: tuple[str, ...]) -> None:
    """Copies that an earlier attempt of the truncate has made have its stamp, and do not count."""
    for datanode, stamp in list(copy.stored.items()):
        if datanode not in targets:
            made = Block(copy.block_id, stamp, copy.num_bytes)
            mark_block_replicas_as_corrupt(fsn.block_manager, copy, made, targets)
