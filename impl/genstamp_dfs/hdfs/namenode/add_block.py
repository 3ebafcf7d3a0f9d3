"""addBlock(), abandonBlock(), getAdditionalDatanode(): the blocks of a file while it is written.

addBlock() is one step here. Hadoop lets the lock go while it chooses the datanodes, and looks at the file again then
(HDFS-4452).

Not here: favoured nodes, object limits, erasure-coded blocks.

Source: NN/FSNamesystem#getAdditionalBlock, #getAdditionalDatanode, NN/FSDirWriteFileOp, Hadoop 3.4.1; facts E.5, E.8,
    E.13.
"""

from genstamp_dfs.errors import HdfsIOException, NotReplicatedYetException, UnsupportedOperationException
from genstamp_dfs.hdfs.messages.client_protocol import AbandonBlock, AddBlock, GetAdditionalDatanode
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import (
    add_block_collection,
    commit_or_complete_last_block,
    remove_block_from_map,
)
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.edit_ops import AddBlockOp, AllocateBlockIdOp
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.namenode.placement import choose_targets
from genstamp_dfs.hdfs.protocol import UNKNOWN_OFFSET, Block, BlockUCState, LocatedBlock
from genstamp_dfs.world.request import Caller


def _same(block: BlockInfo | None, named: Block | None) -> bool:
    """Whether both mean one block in id and stamp, or both none."""
    return named is None if block is None else block.matches(named)


def add_block(fsn: FSNamesystem, request: AddBlock, caller: Caller) -> LocatedBlock:
    """addBlock(): commit `previous`, and add a block. A repeated call gives the same block.

    Raises:
        FileNotFoundException, LeaseExpiredException: as `check_lease`.
        HdfsIOException: `previous` is not the file's last block; the call looks repeated, but the block has bytes;
            no datanode is there; the file has too many blocks; `previous` is under recovery or has another stamp.
        NotReplicatedYetException: the block before the last is not COMPLETE.
    """
    # The path is resolved before safe mode is looked at, unlike in other calls (#validateAddBlock).
    fsn.inode_of(request.path, request.file_id)
    fsn.check_safe_mode(f"get additional block for {request.path}")
    inode = fsn.check_lease(request.path, request.client_name, request.file_id)
    retried = _analyze_file_state(fsn, inode, request.previous)
    if retried is not None and retried.replicas:
        return _located(fsn, inode, retried)
    _check_progress(fsn, inode)
    targets = choose_targets(
        fsn.datanode_manager.live_datanodes(), inode.replication, caller.machine, request.excluded, fsn.chance
    )
    _check_targets(fsn, request, targets)
    if retried is not None:
        # After a restart nobody knows where the block is; its writer has not been told either (HDFS-5257).
        retried.set_expected_locations(targets)
        return _located(fsn, inode, retried)
    commit_or_complete_last_block(fsn.block_manager, inode, request.previous)
    return _located(fsn, inode, _store_allocated_block(fsn, inode, targets))


def _analyze_file_state(fsn: FSNamesystem, inode: INodeFile, previous: Block | None) -> BlockInfo | None:
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
    if last is not None and (_same(penultimate, previous) or _may_pass_none(fsn, inode, previous)):
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


def _may_pass_none(fsn: FSNamesystem, inode: INodeFile, previous: Block | None) -> bool:
    """Whether a client that passes no block may be repeating its call after an append to a full block."""
    penultimate = inode.penultimate_block()
    return (
        previous is None
        and penultimate is not None
        and penultimate.is_complete
        and fsn.repairs(Repair.APPEND_TO_A_FULL_BLOCK_PASSES_NONE)
    )


def _check_progress(fsn: FSNamesystem, inode: INodeFile) -> None:
    """Refuse another block while the one before the last is not COMPLETE (HDFS-5558), or beyond the limit."""
    if not inode.is_penultimate_complete:
        raise NotReplicatedYetException(f"Not replicated yet: {inode.path}")
    if len(inode.blocks) >= fsn.configuration.max_blocks_per_file:
        raise HdfsIOException(
            f"{inode.path} has {len(inode.blocks)} blocks, accepted: up to {fsn.configuration.max_blocks_per_file}"
        )


def _check_targets(fsn: FSNamesystem, request: AddBlock, targets: tuple[str, ...]) -> None:
    if len(targets) < fsn.configuration.minimal_replication:
        fsn.event.observed["targets"] = ",".join(targets) or "none"
        raise HdfsIOException(
            f"File {request.path} could only be written to {len(targets)} of the "
            f"{fsn.configuration.minimal_replication} minReplication nodes. There are "
            f"{len(fsn.datanode_manager.live_datanodes())} datanode(s) running and {len(request.excluded)} "
            "node(s) are excluded in this operation."
        )


def _store_allocated_block(fsn: FSNamesystem, inode: INodeFile, targets: tuple[str, ...]) -> BlockInfo:
    """Add a block with a new id and stamp to the file."""
    penultimate = inode.last_block()
    block = create_new_block(fsn)
    added = add_block_collection(fsn.block_manager, inode, block, targets)
    fsn.journal.log(AddBlockOp(inode.path, None if penultimate is None else penultimate.as_block(), block))
    return added


def create_new_block(fsn: FSNamesystem, num_bytes: int = 0) -> Block:
    """A new id and a new stamp, logged in this order (FSNamesystem#createNewBlock; facts H.1.6)."""
    block_id = fsn.block_manager.block_ids.next_block_id()
    fsn.journal.log(AllocateBlockIdOp(block_id))
    return Block(block_id, fsn.next_generation_stamp(), num_bytes)


def _located(fsn: FSNamesystem, inode: INodeFile, block: BlockInfo) -> LocatedBlock:
    """The file's last block, in pipeline order."""
    fsn.show_block(block)
    locations = block.expected_locations()
    fsn.event.observed["locations"] = ",".join(sorted(locations))
    return LocatedBlock(block.as_block(), locations, inode.size() - block.num_bytes)


def abandon_block(fsn: FSNamesystem, request: AbandonBlock, caller: Caller) -> None:
    """abandonBlock(): the last block goes, compared by its id alone; of another one nothing happens.

    Raises:
        FileNotFoundException, LeaseExpiredException: as `check_lease`.
        HdfsIOException: with the repair abandon-looks-at-the-block, it is COMMITTED or under recovery.
    """
    fsn.check_safe_mode(f"abandon block {request.block} for file {request.path}")
    inode = fsn.check_lease(request.path, request.holder, request.file_id)
    last = inode.last_block()
    if last is None or last.block_id != request.block.block_id:
        return
    if last.state is not BlockUCState.UNDER_CONSTRUCTION and fsn.repairs(Repair.ABANDON_LOOKS_AT_THE_BLOCK):
        raise HdfsIOException(f"blk_{last.block_id} of {inode.path} is {last.state}, it cannot be abandoned")
    fsn.event.block_id = last.block_id
    inode.blocks.pop()
    remove_block_from_map(fsn.block_manager, last)
    fsn.persist_blocks(inode)


def get_additional_datanode(fsn: FSNamesystem, request: GetAdditionalDatanode, caller: Caller) -> LocatedBlock:
    """getAdditionalDatanode(): the existing nodes that are known, and new ones after them; none if 0 are asked for.

    Raises:
        UnsupportedOperationException: replacing datanodes is turned off.
        FileNotFoundException, LeaseExpiredException: as `check_lease`.
    """
    if not fsn.configuration.replace_datanode_on_failure:
        raise UnsupportedOperationException("replacing a datanode on failure is turned off")
    fsn.check_safe_mode(f"add datanode; src={request.path}, blk={request.block}")
    inode = fsn.check_lease(request.path, request.client_name, request.file_id)
    existing = tuple(name for name in request.existing if name in fsn.datanode_manager.datanodes)
    unwanted = {*existing, *request.excluded}
    live = fsn.datanode_manager.live_datanodes()
    chosen = choose_targets(live, request.number, inode.client_machine, unwanted, fsn.chance)
    fsn.event.observed["locations"] = ",".join(sorted({*existing, *chosen}))
    return LocatedBlock(request.block, existing + chosen if request.number else (), UNKNOWN_OFFSET)
