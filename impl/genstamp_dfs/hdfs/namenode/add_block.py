"""addBlock(), abandonBlock(), getAdditionalDatanode(): the blocks of a file while it is written.

addBlock() is one step here. Hadoop lets the lock go while it chooses the datanodes, and looks at the file again then
(HDFS-4452).

Not here: favoured nodes, object limits, erasure-coded blocks.

Source: NN/FSNamesystem#getAdditionalBlock, #getAdditionalDatanode, NN/FSDirWriteFileOp, Hadoop 3.4.1; facts E.5, E.8,
    E.13.
"""

from genstamp_dfs.errors import HdfsIOException, NotReplicatedYetException, UnsupportedOperationException
from genstamp_dfs.hdfs.messages.client_protocol import AbandonBlock, AddBlock, GetAdditionalDatanode
from genstamp_dfs.hdfs.namenode.append import AppendCall
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import (
    add_block_collection,
    commit_or_complete_last_block,
    remove_block_from_map,
)
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.edit_ops import AddBlockOp, AllocateBlockIdOp
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.namenode.placement import choose_targets
from genstamp_dfs.hdfs.protocol import UNKNOWN_OFFSET, Block, BlockUCState, LocatedBlock
from genstamp_dfs.world.request import Caller


def _same(block: BlockInfo | None, named: Block | None) -> bool:
    """Whether both mean one block in id and stamp, or both none."""
    return named is None if block is None else block.matches(named)


class AddBlockCalls(AppendCall):
    """A new last block, the end of it, and more datanodes for it."""

    def add_block(self, request: AddBlock, caller: Caller) -> LocatedBlock:
        """addBlock(): commit `previous`, and add a block. A repeated call gives the same block.

        Raises:
            FileNotFoundException, LeaseExpiredException: as `check_lease`.
            HdfsIOException: `previous` is not the file's last block; the call looks repeated, but the block has bytes;
                no datanode is there; the file has too many blocks; `previous` is under recovery or has another stamp.
            NotReplicatedYetException: the block before the last is not COMPLETE.
        """
        # The path is resolved before safe mode is looked at, unlike in other calls (#validateAddBlock).
        self.inode_of(request.path, request.file_id)
        self.check_safe_mode(f"get additional block for {request.path}")
        inode = self.check_lease(request.path, request.client_name, request.file_id)
        retried = self._analyze_file_state(inode, request.previous)
        if retried is not None and retried.replicas:
            return self._located(inode, retried)
        self._check_progress(inode)
        targets = choose_targets(
            self.datanode_manager.live_datanodes(),
            inode.replication,
            caller.machine,
            request.excluded,
            self.chance,
        )
        self._check_targets(request, targets)
        if retried is not None:
            # After a restart nobody knows where the block is; its writer has not been told either (HDFS-5257).
            retried.set_expected_locations(targets)
            return self._located(inode, retried)
        commit_or_complete_last_block(self.block_manager, inode, request.previous)
        return self._located(inode, self._store_allocated_block(inode, targets))

    def _analyze_file_state(self, inode: INodeFile, previous: Block | None) -> BlockInfo | None:
        """The last block if the call is a repeated one, None if a new block is due.

        Source: FSDirWriteFileOp#analyzeFileState, Hadoop 3.4.1.
        """
        last, penultimate = inode.last_block(), inode.penultimate_block()
        if _same(last, previous):
            return None
        assert last is not None or previous is not None
        is_append_to_full = (
            previous is None and last is not None and last.is_complete and last.num_bytes >= inode.block_size
        )
        if is_append_to_full:
            return None
        if last is not None and (_same(penultimate, previous) or self._may_pass_none(inode, previous)):
            if last.num_bytes or last.is_complete:
                raise HdfsIOException(
                    f"request looked like a retry to allocate blk_{last.block_id} of {inode.path}, but it already "
                    f"contains {last.num_bytes} bytes"
                )
            return last
        raise HdfsIOException(
            f"cannot allocate a block in {inode.path}: passed 'previous' {previous} does not match the actual last "
            f"block {None if last is None else last.as_block()}"
        )

    def _may_pass_none(self, inode: INodeFile, previous: Block | None) -> bool:
        """Whether a client that passes no block may be repeating its call after an append to a full block."""
        penultimate = inode.penultimate_block()
        return (
            previous is None
            and penultimate is not None
            and penultimate.is_complete
            and self.is_closed_hole(Repair.APPEND_TO_A_FULL_BLOCK_PASSES_NONE)
        )

    def _check_progress(self, inode: INodeFile) -> None:
        """Refuse another block while the one before the last is not COMPLETE (HDFS-5558), or beyond the limit."""
        if not self.is_penultimate_complete(inode):
            raise NotReplicatedYetException(f"Not replicated yet: {inode.path}")
        if len(inode.blocks) >= self.configuration.max_blocks_per_file:
            raise HdfsIOException(
                f"{inode.path} has {len(inode.blocks)} blocks, accepted: up to {self.configuration.max_blocks_per_file}"
            )

    def is_penultimate_complete(self, inode: INodeFile) -> bool:
        """Whether the block before the last is COMPLETE, or there is none (FSNamesystem#checkFileProgress)."""
        penultimate = inode.penultimate_block()
        return penultimate is None or penultimate.is_complete

    def _check_targets(self, request: AddBlock, targets: tuple[str, ...]) -> None:
        if len(targets) < self.configuration.minimal_replication:
            self.shown.observed["targets"] = ",".join(targets) or "none"
            raise HdfsIOException(
                f"File {request.path} could only be written to {len(targets)} of the "
                f"{self.configuration.minimal_replication} minReplication nodes. There are "
                f"{len(self.datanode_manager.live_datanodes())} datanode(s) running and {len(request.excluded)} "
                "node(s) are excluded in this operation."
            )

    def _store_allocated_block(self, inode: INodeFile, targets: tuple[str, ...]) -> BlockInfo:
        """Add a block with a new id and stamp to the file."""
        penultimate = inode.last_block()
        block = self.create_new_block()
        added = add_block_collection(self.block_manager, inode, block, targets)
        self.journal.log(AddBlockOp(inode.path, None if penultimate is None else penultimate.as_block(), block))
        return added

    def create_new_block(self, num_bytes: int = 0) -> Block:
        """A new id and a new stamp, logged in this order (FSNamesystem#createNewBlock; facts H.1.6)."""
        block_id = self.block_manager.block_ids.next_block_id()
        self.journal.log(AllocateBlockIdOp(block_id))
        return Block(block_id, self.next_generation_stamp(), num_bytes)

    def _located(self, inode: INodeFile, block: BlockInfo) -> LocatedBlock:
        """The file's last block, in pipeline order."""
        self.show_block(block)
        locations = block.expected_locations()
        self.shown.observed["locations"] = ",".join(sorted(locations))
        return LocatedBlock(block.as_block(), locations, inode.size() - block.num_bytes)

    def abandon_block(self, request: AbandonBlock, caller: Caller) -> None:
        """abandonBlock(): the last block goes, compared by its id alone; of another one nothing happens.

        Raises:
            FileNotFoundException, LeaseExpiredException: as `check_lease`.
            HdfsIOException: with the repair abandon-looks-at-the-block, it is COMMITTED or under recovery.
        """
        self.check_safe_mode(f"abandon block {request.block} for file {request.path}")
        inode = self.check_lease(request.path, request.holder, request.file_id)
        last = inode.last_block()
        if last is None or last.block_id != request.block.block_id:
            return
        if last.state is not BlockUCState.UNDER_CONSTRUCTION and self.is_closed_hole(Repair.ABANDON_LOOKS_AT_THE_BLOCK):
            raise HdfsIOException(f"blk_{last.block_id} of {inode.path} is {last.state}, it cannot be abandoned")
        self.shown.block_id = last.block_id
        inode.blocks.pop()
        remove_block_from_map(self.block_manager, last)
        self.persist_blocks(inode)

    def get_additional_datanode(self, request: GetAdditionalDatanode, caller: Caller) -> LocatedBlock:
        """getAdditionalDatanode(): the existing nodes that are known, and new ones after them; none if 0 are asked for.

        Raises:
            UnsupportedOperationException: replacing datanodes is turned off.
            FileNotFoundException, LeaseExpiredException: as `check_lease`.
        """
        if not self.configuration.replace_datanode_on_failure:
            raise UnsupportedOperationException("replacing a datanode on failure is turned off")
        self.check_safe_mode(f"add datanode; src={request.path}, blk={request.block}")
        inode = self.check_lease(request.path, request.client_name, request.file_id)
        existing = tuple(name for name in request.existing if name in self.datanode_manager.datanodes)
        unwanted = {*existing, *request.excluded}
        live = self.datanode_manager.live_datanodes()
        chosen = choose_targets(live, request.number, inode.client_machine, unwanted, self.chance)
        self.shown.observed["locations"] = ",".join(sorted({*existing, *chosen}))
        return LocatedBlock(request.block, existing + chosen if request.number else (), UNKNOWN_OFFSET)
