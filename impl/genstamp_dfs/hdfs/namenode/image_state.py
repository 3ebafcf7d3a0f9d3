"""From a namesystem to its image, and back.

Of a block that is under recovery only the target of a truncate is kept (Hadoop's image does not have that either):
recovery id, primary and locations are lost with the process, as is who has which replica.

Source: NN/FSImageFormatPBINode, Hadoop 3.4.1; facts A.7.
"""

from collections.abc import Iterator
from typing import Any

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.messages.client_protocol import HdfsFileStatus, LastBlockWithStatus
from genstamp_dfs.hdfs.namenode.completion import add_block_collection, add_block_to_map
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.edit_ops import CallOfClient
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.image import Image, ImageAnswer, ImageInode
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeDirectory, INodeFile, subtree
from genstamp_dfs.hdfs.namenode.retry_cache import RetryCache
from genstamp_dfs.hdfs.protocol import Block, BlockUCState


def image_of(namesystem: FSNamesystem, retry_cache: RetryCache, transaction: int) -> Image:
    """The namespace as it is now, after this transaction."""
    block_ids = namesystem.block_manager.block_ids
    answers: tuple[ImageAnswer, ...] = ()
    if namesystem.repairs(Repair.ANSWERS_ARE_KEPT):
        remembered = retry_cache.calls(namesystem.clock.now_us())
        answers = tuple(_saved_answer(call, answer) for call, answer in remembered)
    return Image(
        transaction,
        block_ids.generation_stamp,
        block_ids.block_id,
        namesystem.directory.last_inode_id,
        tuple(_saved(inode) for inode in subtree(namesystem.directory.root)),
        answers,
        tuple(_copied_blocks(namesystem)),
    )


def _saved(inode: INode) -> ImageInode:
    """One inode; the root's parent is 0."""
    common = (
        inode.file_id,
        0 if inode.parent is None else inode.parent.file_id,
        inode.name,
        inode.permission,
        inode.owner,
        inode.group,
        inode.modification_time_ms,
        inode.access_time_ms,
    )
    if not isinstance(inode, INodeFile):
        return ImageInode(*common, True)
    last = inode.last_block()
    return ImageInode(
        *common,
        False,
        inode.replication,
        inode.block_size,
        tuple(block.as_block() for block in inode.blocks),
        inode.client_name,
        inode.client_machine,
        None if last is None else last.truncate_block,
    )


def _copied_blocks(namesystem: FSNamesystem) -> Iterator[tuple[int, Block]]:
    """The blocks that truncates copy from, each with the file that it was a block of."""
    for inode in namesystem.directory.all_files():
        last = inode.last_block()
        if last is not None and last.is_copy_on_truncate and last.truncate_block is not None:
            yield inode.file_id, last.truncate_block


def _saved_answer(call: CallOfClient, answer: Any) -> ImageAnswer:
    match answer:
        case HdfsFileStatus():
            return ImageAnswer(call, status=answer)
        case LastBlockWithStatus():
            return ImageAnswer(call, appended=answer)
        case _:
            return ImageAnswer(call, flag=answer)


def load_image(image: Image, namesystem: FSNamesystem, retry_cache: RetryCache) -> None:
    """Bring a namesystem, empty until now, to what the image says; all leases are fresh.

    Raises:
        StorageError: an inode has no directory.
    """
    block_ids = namesystem.block_manager.block_ids
    block_ids.generation_stamp, block_ids.block_id = image.generation_stamp, image.block_id
    namesystem.directory.last_inode_id = image.inode_id
    for saved in image.inodes:
        if saved.file_id == namesystem.directory.root.file_id:
            _set_attributes(namesystem.directory.root, saved)
        else:
            _load_inode(saved, namesystem)
    for file_id, block in image.copied_blocks:
        inode = namesystem.directory.inodes[file_id]
        assert isinstance(inode, INodeFile)
        add_block_to_map(namesystem.block_manager, inode, block).convert_to_complete()
    now_us = namesystem.clock.now_us()
    for answer in image.answers:
        retry_cache.add(answer.call, answer.status or answer.appended or answer.flag, now_us)


def _set_attributes(inode: INode, saved: ImageInode) -> None:
    inode.permission, inode.owner, inode.group = saved.permission, saved.owner, saved.group
    inode.access_time_ms = saved.access_time_ms
    inode.modification_time_ms = saved.modification_time_ms


def _load_inode(saved: ImageInode, namesystem: FSNamesystem) -> None:
    parent = namesystem.directory.inodes.get(saved.parent)
    if not isinstance(parent, INodeDirectory):
        raise StorageError(f"inode {saved.file_id} of the image has no directory, inode {saved.parent}")
    inode: INode
    if saved.is_directory:
        inode = INodeDirectory(saved.file_id, saved.name)
    else:
        inode = INodeFile(saved.file_id, saved.name, replication=saved.replication, block_size=saved.block_size)
    namesystem.directory.add(parent, inode, parent.modification_time_ms)
    _set_attributes(inode, saved)
    if isinstance(inode, INodeFile):
        _load_blocks(inode, saved, namesystem)


def _load_blocks(inode: INodeFile, saved: ImageInode, namesystem: FSNamesystem) -> None:
    """The blocks of a file; all are COMPLETE but the last one of an open file."""
    for block in saved.blocks:
        add_block_collection(namesystem.block_manager, inode, block, ())
    closed = inode.blocks if saved.client_name is None else inode.blocks[:-1]
    for complete in closed:
        complete.convert_to_complete()
    if saved.client_name is None:
        return
    inode.client_name, inode.client_machine = saved.client_name, saved.client_machine
    namesystem.lease_manager.add_lease(saved.client_name, inode.file_id, namesystem.clock.now_us())
    last = inode.last_block()
    if last is not None and saved.truncate_block is not None:
        last.state, last.truncate_block = BlockUCState.UNDER_RECOVERY, saved.truncate_block
        last.block_recovery_id = max(last.generation_stamp, saved.truncate_block.generation_stamp)
