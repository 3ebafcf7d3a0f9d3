"""updateBlockForPipeline() and updatePipeline(): a pipeline is set up again under a fresh stamp.

Not here: storages, and tokens.

Source: NN/FSNamesystem#bumpBlockGenerationStamp, #updatePipeline, #checkUCBlock, Hadoop 3.4.1; facts E.6, E.7.
"""

from genstamp_dfs.errors import HdfsIOException, LeaseExpiredException
from genstamp_dfs.hdfs.messages.client_protocol import UpdateBlockForPipeline, UpdatePipeline
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.edit_ops import call_of
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import UNKNOWN_OFFSET, Block, BlockUCState, LocatedBlock
from genstamp_dfs.world.request import Caller


def check_uc_block(fsn: FSNamesystem, block: Block, client_name: str) -> tuple[BlockInfo, INodeFile]:
    """The stored block and its file, if the client is writing it; its stamp is not looked at.

    Raises:
        SafeModeException: the namenode is in safe mode.
        HdfsIOException: the block is unknown or not UNDER_CONSTRUCTION, its file closed or deleted.
        LeaseExpiredException: the file is another client's.

    Source: FSNamesystem#checkUCBlock (HDFS-1555, HDFS-6647), Hadoop 3.4.1.
    """
    fsn.check_safe_mode(f"get a new generation stamp for {block}")
    stored = fsn.block_manager.get_stored_block(block.block_id)
    if stored is None:
        raise HdfsIOException(f"{block} does not exist")
    if stored.state is not BlockUCState.UNDER_CONSTRUCTION:
        raise HdfsIOException(f"Unexpected BlockUCState: {block} is {stored.state} but not UNDER_CONSTRUCTION")
    inode = fsn.directory.file_of(stored)
    if inode is not None:
        fsn.event.file, fsn.event.file_id = inode.path, inode.file_id
    if inode is None or not inode.is_under_construction:
        raise HdfsIOException(f"the file {block} belonged to does not exist or is not under construction")
    if inode.client_name != client_name:
        raise LeaseExpiredException(f"Lease mismatch: {block} is accessed by a non lease holder {client_name}")
    return stored, inode


def update_block_for_pipeline(fsn: FSNamesystem, request: UpdateBlockForPipeline, caller: Caller) -> LocatedBlock:
    """updateBlockForPipeline(): the caller's block under a fresh stamp; the stored block keeps its own.

    Raises:
        SafeModeException, HdfsIOException, LeaseExpiredException: as `check_uc_block`.
    """
    check_uc_block(fsn, request.block, request.client_name)
    stamp = fsn.next_generation_stamp()
    fsn.event.block_id, fsn.event.generation_stamp = request.block.block_id, stamp
    return LocatedBlock(Block(request.block.block_id, stamp, request.block.num_bytes), (), UNKNOWN_OFFSET)


def update_pipeline(fsn: FSNamesystem, request: UpdatePipeline, caller: Caller) -> None:
    """updatePipeline(): stamp, length and locations are those of the new pipeline.

    Nodes that nobody knows are skipped (HDFS-12299). If the call names none, the locations stay.

    Raises:
        SafeModeException, HdfsIOException, LeaseExpiredException: as `check_uc_block`.
        HdfsIOException: the stamp does not rise, or the length falls.
    """
    block, inode = check_uc_block(fsn, request.old_block, request.client_name)
    new = request.new_block
    if new.generation_stamp <= block.generation_stamp or new.num_bytes < block.num_bytes:
        raise HdfsIOException(f"update {block.as_block()} to an older block {new} is refused")
    block.num_bytes, block.generation_stamp = new.num_bytes, new.generation_stamp
    fsn.block_manager.drop_other_generations(block)
    if request.new_nodes:
        block.set_expected_locations(name for name in request.new_nodes if name in fsn.datanode_manager.datanodes)
    fsn.show_block(block)
    fsn.event.num_bytes = block.num_bytes
    fsn.event.observed["locations"] = ",".join(sorted(block.expected_locations()))
    fsn.persist_blocks(inode, call_of(caller))
