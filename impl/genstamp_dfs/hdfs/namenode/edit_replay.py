"""Makes the changes of the edit log again, on a namespace that is empty or was loaded from an image.

Replay asks no questions: what an edit says was allowed when it was logged. It fails only if the log does not fit the
namespace, which is damage, or a fault of whoever wrote it. No recovery starts: a block that was being truncated is
UNDER_RECOVERY, and the expiry of its lease has to end that. Here the block that a truncate copies from stays, so that
it can be copied; Hadoop takes it out of the map unless a snapshot has it.

Not here: old layouts; a standby, which replays while it runs.

Source: NN/FSEditLogLoader#applyEditLogOpInternal, #updateBlocks, Hadoop 3.4.1; facts I.5, A.7.
"""

from collections.abc import Callable
from typing import Any

from genstamp_dfs.errors import HdfsIOException, StorageError
from genstamp_dfs.hdfs.namenode import edit_ops as ops
from genstamp_dfs.hdfs.namenode.append import append_answer, prepare_file_for_append
from genstamp_dfs.hdfs.namenode.attribute_calls import change_owner, change_replication, change_times
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import add_block_collection, remove_block_from_map
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.create import add_file
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeDirectory, INodeFile, file_status
from genstamp_dfs.hdfs.namenode.paths import names_of
from genstamp_dfs.hdfs.namenode.retry_cache import RetryCache
from genstamp_dfs.hdfs.namenode.tree_calls import concat_files
from genstamp_dfs.hdfs.namenode.tree_changes import add_directory, move, remove_tree
from genstamp_dfs.hdfs.namenode.truncate import cut_blocks, prepare_file_for_truncate
from genstamp_dfs.hdfs.protocol import Block, BlockUCState


class EditReplay:
    """Brings a namesystem to what the edits say."""

    def __init__(self, namesystem: FSNamesystem, retry_cache: RetryCache) -> None:
        self._namesystem = namesystem
        self._directory = namesystem.directory
        self._block_manager = namesystem.block_manager
        self._retry_cache = retry_cache
        self._appliers: dict[type[ops.EditOp], Callable[[Any], None]] = {
            ops.AddOp: self._add,
            ops.RenameOldOp: self._rename_old,
            ops.DeleteOp: self._delete,
            ops.MkdirOp: self._mkdir,
            ops.SetReplicationOp: self._set_replication,
            ops.SetPermissionsOp: self._set_permissions,
            ops.SetOwnerOp: self._set_owner,
            ops.CloseOp: self._close,
            ops.TimesOp: self._times,
            ops.RenameOp: self._rename,
            ops.ConcatDeleteOp: self._concat,
            ops.ReassignLeaseOp: self._reassign_lease,
            ops.UpdateBlocksOp: self._update_blocks_op,
            ops.SetGenstampOp: self._set_genstamp,
            ops.AllocateBlockIdOp: self._allocate_block_id,
            ops.AddBlockOp: self._add_block,
            ops.TruncateOp: self._truncate,
            ops.AppendOp: self._append,
        }

    def apply(self, transaction: int, op: ops.AnyOp) -> None:
        """Make one change.

        Raises:
            StorageError: the edit does not fit the namespace.
        """
        try:
            self._appliers[type(op)](op)
        except (HdfsIOException, AssertionError, LookupError) as problem:
            raise StorageError(f"edit {transaction}, {op}, does not fit: {problem}") from problem

    # -- looking ------------------------------------------------------------------------------------------------

    def _existing(self, path: str) -> INode:
        inode = self._directory.get(path)
        assert inode is not None, f"nothing is at {path}"
        return inode

    def _open_file(self, path: str) -> INodeFile:
        inode = self._directory.file_at(path)
        assert inode.is_under_construction, f"{path} is closed"
        return inode

    def _parent_of(self, path: str) -> tuple[INodeDirectory, str]:
        """The directory that the path is in, and its name there."""
        parent = self._existing(path.rpartition("/")[0])
        assert isinstance(parent, INodeDirectory), f"{parent.path} is no directory"
        return parent, names_of(path)[-1]

    def _remember(self, call: ops.CallOfClient, answer: Any) -> None:
        """The answer to a call that may happen only once, for a client that asks again."""
        self._retry_cache.add(call, answer, self._namesystem.clock.now_us())

    # -- the tree -----------------------------------------------------------------------------------------------

    def _add(self, op: ops.AddOp) -> None:
        existing = self._directory.get(op.path)
        if existing is not None:
            assert op.overwrite, f"{op.path} exists"
            remove_tree(self._namesystem, existing, op.time_ms)
        self._directory.last_inode_id = max(self._directory.last_inode_id, op.file_id)
        inode = add_file(self._namesystem, *self._parent_of(op.path), op)
        self._remember(op.call, file_status(inode))

    def _mkdir(self, op: ops.MkdirOp) -> None:
        self._directory.last_inode_id = max(self._directory.last_inode_id, op.file_id)
        parent, name = self._parent_of(op.path)
        add_directory(self._namesystem, parent, name, op.file_id, op.permission, op.time_ms, op.owner)

    def _delete(self, op: ops.DeleteOp) -> None:
        remove_tree(self._namesystem, self._existing(op.path), op.time_ms)
        self._remember(op.call, True)

    def _rename_old(self, op: ops.RenameOldOp) -> None:
        move(self._namesystem, self._existing(op.source), *self._parent_of(op.destination), op.time_ms)
        self._remember(op.call, True)

    def _rename(self, op: ops.RenameOp) -> None:
        source, replaced = self._existing(op.source), self._directory.get(op.destination)
        if replaced is not None:
            assert op.overwrite, f"{op.destination} exists"
            remove_tree(self._namesystem, replaced, op.time_ms)
        move(self._namesystem, source, *self._parent_of(op.destination), op.time_ms)
        self._remember(op.call, None)

    def _concat(self, op: ops.ConcatDeleteOp) -> None:
        sources = [self._directory.file_at(path) for path in op.sources]
        concat_files(self._namesystem, self._directory.file_at(op.target), sources, op.time_ms)
        self._remember(op.call, None)

    # -- what files are like ------------------------------------------------------------------------------------

    def _set_replication(self, op: ops.SetReplicationOp) -> None:
        change_replication(self._namesystem, self._directory.file_at(op.path), op.replication)

    def _set_permissions(self, op: ops.SetPermissionsOp) -> None:
        self._existing(op.path).permission = op.permission

    def _set_owner(self, op: ops.SetOwnerOp) -> None:
        change_owner(self._existing(op.path), op.owner, op.group)

    def _times(self, op: ops.TimesOp) -> None:
        change_times(self._existing(op.path), op.modification_time_ms, op.access_time_ms)

    # -- counters -----------------------------------------------------------------------------------------------

    def _set_genstamp(self, op: ops.SetGenstampOp) -> None:
        self._block_manager.block_ids.generation_stamp = op.generation_stamp

    def _allocate_block_id(self, op: ops.AllocateBlockIdOp) -> None:
        self._block_manager.block_ids.block_id = op.block_id

    # -- open files ---------------------------------------------------------------------------------------------

    def _append(self, op: ops.AppendOp) -> None:
        inode = self._directory.file_at(op.path)
        assert not inode.is_under_construction, f"{op.path} is open"
        opened = prepare_file_for_append(
            self._namesystem, inode, op.client_name, op.client_machine, is_new_block=op.new_block
        )
        answer = append_answer(self._namesystem, inode, opened, is_new_block=op.new_block, machine=op.client_machine)
        self._remember(op.call, answer)

    def _reassign_lease(self, op: ops.ReassignLeaseOp) -> None:
        inode = self._open_file(op.path)
        leases = self._namesystem.lease_manager
        lease = leases.leases_by_id[inode.file_id]
        leases.reassign_lease(lease, inode.file_id, op.new_holder, self._namesystem.clock.now_us())
        inode.client_name = op.new_holder

    def _truncate(self, op: ops.TruncateOp) -> None:
        inode = self._directory.file_at(op.path)
        at_border = cut_blocks(self._namesystem, inode, op.new_length, op.time_ms)
        if op.truncate_block is not None:
            assert not at_border, f"{op.new_length} is a border between blocks of {op.path}"
            last = prepare_file_for_truncate(
                self._namesystem, inode, op.client_name, op.client_machine, op.truncate_block
            )
            last.state = BlockUCState.UNDER_RECOVERY
            last.block_recovery_id = op.truncate_block.generation_stamp
        if self._namesystem.repairs(Repair.ANSWERS_ARE_KEPT):
            self._remember(op.call, at_border)

    def _close(self, op: ops.CloseOp) -> None:
        inode = self._open_file(op.path)
        self._update_blocks(inode, op.blocks, closes=True)
        inode.client_name, inode.client_machine = None, ""
        inode.modification_time_ms = op.time_ms
        self._namesystem.lease_manager.remove_file(inode.file_id)

    # -- blocks -------------------------------------------------------------------------------------------------

    def _add_block(self, op: ops.AddBlockOp) -> None:
        inode = self._open_file(op.path)
        last = inode.last_block()
        if op.penultimate is not None:
            assert last is not None, f"{op.path} has no block"
            assert last.matches(op.penultimate), f"{op.path} ends with {last.as_block()}, not {op.penultimate}"
            last.num_bytes = op.penultimate.num_bytes
            self._force_complete(last)
        add_block_collection(self._block_manager, inode, op.last, ())

    def _update_blocks_op(self, op: ops.UpdateBlocksOp) -> None:
        self._update_blocks(self._open_file(op.path), op.blocks, closes=False)
        self._remember(op.call, None)

    def _update_blocks(self, inode: INodeFile, blocks: tuple[Block, ...], *, closes: bool) -> None:
        """Take the blocks of an edit over (FSEditLogLoader#updateBlocks).

        All but the last are complete already, since the edit that added the next one has made them so.
        """
        for number, (old, new) in enumerate(zip(inode.blocks, blocks, strict=False)):
            is_last = number == len(blocks) - 1
            assert old.block_id == new.block_id, f"block {number} of {inode.path} is {old.block_id}, not {new.block_id}"
            may_differ = is_last and len(inode.blocks) == len(blocks)
            assert may_differ or old.generation_stamp == new.generation_stamp, f"another stamp than {old.as_block()}"
            old.num_bytes, old.generation_stamp = new.num_bytes, new.generation_stamp
            if closes:
                self._force_complete(old)
        self._drop_last_block(inode, blocks)
        for new in blocks[len(inode.blocks) :]:
            added = add_block_collection(self._block_manager, inode, new, ())
            if closes:
                self._force_complete(added)

    def _drop_last_block(self, inode: INodeFile, blocks: tuple[Block, ...]) -> None:
        """An abandoned block, or one that a recovery has dropped."""
        if len(blocks) >= len(inode.blocks):
            return
        assert len(blocks) == len(inode.blocks) - 1, f"{inode.path} has {len(inode.blocks)} blocks, not {len(blocks)}"
        remove_block_from_map(self._block_manager, inode.blocks.pop())

    def _force_complete(self, block: BlockInfo) -> None:
        if block.is_complete:
            return
        source = self._block_manager.copied_by(block)
        if source is not None:
            remove_block_from_map(self._block_manager, source)
        block.convert_to_complete()
