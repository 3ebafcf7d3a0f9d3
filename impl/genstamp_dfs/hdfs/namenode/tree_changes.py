"""Changes of the tree that calls and the replay of edits make in the same way: new directories, deletions, renames.

Not here: every check; whoever asks has made them.

Source: NN/FSDirMkdirOp, NN/FSDirDeleteOp, NN/FSDirRenameOp, NN/FSNamesystem#removeLeasesAndINodes, Hadoop 3.4.1.
"""

from genstamp_dfs.errors import MaxDirectoryItemsExceededException, PathComponentTooLongException
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import remove_block
from genstamp_dfs.hdfs.namenode.edit_ops import MkdirOp
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeDirectory, INodeFile
from genstamp_dfs.hdfs.namenode.reserved import check_new_name
from genstamp_dfs.hdfs.protocol import NO_FILE_ID


def verify_new_name(fsn: FSNamesystem, parent: INodeDirectory, name: str) -> None:
    """Refuse the name of a new file or directory that is reserved or too long, or one too many.

    Raises:
        PathComponentTooLongException: more bytes than a name may have.
        MaxDirectoryItemsExceededException: the directory is full.
        HadoopIllegalArgumentException: it is reserved.
    """
    num_bytes = len(name.encode())
    if num_bytes > fsn.configuration.max_component_length:
        raise PathComponentTooLongException(
            f"the name of {num_bytes} bytes in {parent.path} is too long, accepted: up to "
            f"{fsn.configuration.max_component_length}"
        )
    if len(parent.children) >= fsn.configuration.max_directory_items:
        raise MaxDirectoryItemsExceededException(
            f"{parent.path} has {len(parent.children)} entries, accepted: up to {fsn.configuration.max_directory_items}"
        )
    check_new_name(parent, name)


def make_directories(
    fsn: FSNamesystem, parent: INodeDirectory, names: list[str], permission: int, owner: str
) -> INodeDirectory:
    """Make directories of these names one in the other, and log each; gives the deepest."""
    for name in names:
        verify_new_name(fsn, parent, name)
        time_ms = fsn.clock.time_ms()
        made = add_directory(fsn, parent, name, fsn.directory.next_inode_id(), permission, time_ms, owner)
        fsn.journal.log(MkdirOp(made.path, made.file_id, permission, time_ms, owner))
        parent = made
    return parent


def add_directory(
    fsn: FSNamesystem, parent: INodeDirectory, name: str, file_id: int, permission: int, time_ms: int, owner: str
) -> INodeDirectory:
    """Put a new directory into another."""
    made = INodeDirectory(file_id, name, permission=permission, owner=owner, modification_time_ms=time_ms)
    fsn.directory.add(parent, made, time_ms)
    return made


def remove_tree(fsn: FSNamesystem, inode: INode, time_ms: int) -> None:
    """Take an inode and all below it away, with their leases; their blocks are removed later."""
    for removed in fsn.directory.remove(inode, time_ms):
        if isinstance(removed, INodeFile):
            if removed.is_under_construction:
                fsn.lease_manager.remove_file(removed.file_id)
            collect_blocks(fsn, removed.blocks)


def collect_blocks(fsn: FSNamesystem, blocks: list[BlockInfo]) -> None:
    """Have blocks removed later; of a copy on truncate, the block that it is made from as well (HDFS-12638)."""
    for block in blocks:
        for each in (block, fsn.block_manager.copied_by(block)):
            if each is not None:
                each.file_id = NO_FILE_ID
                fsn.blocks_to_remove.append(each)


def remove_blocks(fsn: FSNamesystem, limit: int) -> None:
    """Remove up to so many blocks of deleted files (FSNamesystem#removeBlocks)."""
    for _ in range(min(limit, len(fsn.blocks_to_remove))):
        remove_block(fsn.block_manager, fsn.blocks_to_remove.popleft())


def move(fsn: FSNamesystem, inode: INode, parent: INodeDirectory, name: str, time_ms: int) -> None:
    """Give an inode another name and directory; leases and open files are not concerned."""
    fsn.directory.detach(inode, time_ms)
    inode.name = name
    parent.children[name] = inode
    parent.modification_time_ms = time_ms
    inode.parent = parent
