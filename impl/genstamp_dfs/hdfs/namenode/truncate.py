"""truncate(): at a block's border, in place, or by a copy.

In place the last block keeps its id, and a block recovery cuts its replicas. By a copy a new block with a shorter
length takes its place, and a block recovery makes its replicas from those of the old one; so it is done while an
upgrade could be rolled back. Which one, the configuration says (`copy_on_truncate`).

Not here: snapshots, quotas, erasure coding, lazy persistence.

Source: NN/FSDirTruncateOp#truncate, #prepareFileForTruncate, #unprotectedTruncate, Hadoop 3.4.1; facts E.4, A.6.
"""

from genstamp_dfs.errors import AlreadyBeingCreatedException, HadoopIllegalArgumentException
from genstamp_dfs.hdfs.messages.client_protocol import Truncate
from genstamp_dfs.hdfs.namenode.add_block import create_new_block
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import (
    add_block_to_map,
    convert_last_block_to_under_construction,
    initialize_block_recovery,
)
from genstamp_dfs.hdfs.namenode.edit_ops import TruncateOp, call_of
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_recovery import recover_lease_internal
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.namenode.reserved import DirOp
from genstamp_dfs.hdfs.namenode.tree_changes import collect_blocks
from genstamp_dfs.hdfs.protocol import Block, BlockUCState
from genstamp_dfs.world.request import Caller


def truncate(fsn: FSNamesystem, request: Truncate, caller: Caller) -> bool:
    """truncate(): whether it is done; if not, a recovery of the last block will close the file.

    Raises:
        HadoopIllegalArgumentException: the new length is negative, or longer than the file.
        FileNotFoundException: there is no such file.
        AlreadyBeingCreatedException: a truncate to another length is under way (HDFS-15875), or as
            `recover_lease_internal`.
        RecoveryInProgressException: as `recover_lease_internal`.
    """
    path, new_length = request.path, request.new_length
    if new_length < 0:
        raise HadoopIllegalArgumentException(f"Cannot truncate to a negative file size: {new_length}.")
    fsn.check_safe_mode(f"truncate for {path}")
    inode = fsn.file_for(path, DirOp.WRITE)
    running = _length_under_way(inode)
    if running is not None:
        if running == new_length:
            return False
        raise AlreadyBeingCreatedException(
            f"Failed to TRUNCATE_FILE {path} for {request.client_name} on {caller.machine}: it is being truncated "
            f"to {running} bytes"
        )
    recover_lease_internal(fsn, "TRUNCATE_FILE", inode, request.client_name, caller.machine, force=False)
    old_length = inode.size()
    if old_length < new_length:
        raise HadoopIllegalArgumentException(
            f"Cannot truncate to a larger file size. Current size: {old_length}, truncate size: {new_length}."
        )
    if old_length == new_length:
        return True
    time_ms = fsn.clock.time_ms()
    at_border = cut_blocks(fsn, inode, new_length, time_ms)
    truncate_block = None
    if not at_border:
        truncate_block = _start_truncate(fsn, inode, request, caller, new_length)
    fsn.journal.log(
        TruncateOp(
            inode.path, request.client_name, caller.machine, new_length, time_ms, truncate_block, call_of(caller)
        )
    )
    return at_border


def _length_under_way(inode: INodeFile) -> int | None:
    """The length to which the file is being truncated; None if it is not."""
    last = inode.last_block()
    if last is None or last.state is not BlockUCState.UNDER_RECOVERY or last.truncate_block is None:
        return None
    target = last.num_bytes if last.is_copy_on_truncate else last.truncate_block.num_bytes
    return inode.size() - last.num_bytes + target


def cut_blocks(fsn: FSNamesystem, inode: INodeFile, new_length: int, time_ms: int) -> bool:
    """Drop the blocks beyond the new length; says whether that was all (#unprotectedTruncate)."""
    left = inode.size()
    dropped: list[BlockInfo] = []
    while inode.blocks and left - inode.blocks[-1].num_bytes >= new_length:
        left -= inode.blocks[-1].num_bytes
        dropped.append(inode.blocks.pop())
    collect_blocks(fsn, dropped)
    inode.modification_time_ms = time_ms
    return left == new_length


def _start_truncate(fsn: FSNamesystem, inode: INodeFile, request: Truncate, caller: Caller, new_length: int) -> Block:
    """Open the file and start the recovery that cuts its last block; gives what that block becomes."""
    last = inode.last_block()
    assert last is not None
    length = last.num_bytes - (inode.size() - new_length)
    if fsn.configuration.copy_on_truncate:
        new_block = create_new_block(fsn, length)
    else:
        new_block = Block(last.block_id, fsn.next_generation_stamp(), length)
    truncated = prepare_file_for_truncate(fsn, inode, request.client_name, caller.machine, new_block)
    truncated.recovery_transaction = fsn.journal.last_transaction
    initialize_block_recovery(fsn.block_manager, truncated, new_block.generation_stamp)
    fsn.show_block(truncated)
    fsn.event.recovery_id = new_block.generation_stamp
    return new_block


def prepare_file_for_truncate(
    fsn: FSNamesystem, inode: INodeFile, client_name: str, client_machine: str, new_block: Block
) -> BlockInfo:
    """Open the file for the client, and set its last block up to become `new_block`; gives the last block.

    With another id than the last block's it is a copy, whose locations are those of the old block.
    """
    old = inode.last_block()
    assert old is not None
    inode.client_name, inode.client_machine = client_name, client_machine
    fsn.lease_manager.add_lease(client_name, inode.file_id, fsn.clock.now_us())
    if new_block.block_id == old.block_id:
        removed = old.num_bytes - new_block.num_bytes
        convert_last_block_to_under_construction(fsn.block_manager, inode, removed)
        old.truncate_block = new_block
        return old
    copy = add_block_to_map(fsn.block_manager, inode, new_block)
    copy.set_expected_locations([*old.stored, *old.corrupt])
    copy.truncate_block = old.as_block()
    inode.blocks[-1] = copy
    return copy
