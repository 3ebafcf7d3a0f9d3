"""The tree of directories and files, and the index of it by id.

Not here: permissions as a right to do something (they are kept and shown), quotas, snapshots, symbolic links.

Source: NN/INode, NN/INodeFile, NN/FileUnderConstructionFeature, NN/INodeDirectory, NN/FSDirectory, Hadoop 3.4.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from genstamp_dfs.errors import FileNotFoundException, ParentNotDirectoryException
from genstamp_dfs.hdfs.messages.client_protocol import HdfsFileStatus
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.paths import names_of

ROOT_INODE_ID = 16_385
"""Inode id of the root directory (NN/INodeId#ROOT_INODE_ID); files follow."""


@dataclass(slots=True, eq=False)
class INode:
    """What files and directories have in common; times in milliseconds since 1970."""

    file_id: int
    name: str
    parent: "INodeDirectory | None" = None
    permission: int = 0o755
    owner: str = "hdfs"
    group: str = "supergroup"
    modification_time_ms: int = 0
    access_time_ms: int = 0

    @property
    def path(self) -> str:
        """Where it is now, from the names of its parents (INode#getFullPathName)."""
        names = []
        inode: INode = self
        while inode.parent is not None:
            names.append(inode.name)
            inode = inode.parent
        return "/" + "/".join(reversed(names))


@dataclass(slots=True, eq=False)
class INodeDirectory(INode):
    """A directory."""

    children: dict[str, INode] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class INodeFile(INode):
    """A file. Under construction iff it has a client name, which is the owner of record.

    Attributes:
        block_size: in bytes, the preferred one.
        client_machine: where the owner of record runs.
    """

    replication: int = 3
    block_size: int = 128 * 1024 * 1024
    blocks: list[BlockInfo] = field(default_factory=list)
    client_name: str | None = None
    client_machine: str = ""

    @property
    def is_under_construction(self) -> bool:
        return self.client_name is not None

    def last_block(self) -> BlockInfo | None:
        """The last block, if the file has one."""
        return self.blocks[-1] if self.blocks else None

    def penultimate_block(self) -> BlockInfo | None:
        """The block before the last, if the file has one."""
        return self.blocks[-2] if len(self.blocks) > 1 else None

    @property
    def is_penultimate_complete(self) -> bool:
        """Whether the block before the last is COMPLETE, or there is none (FSNamesystem#checkFileProgress)."""
        penultimate = self.penultimate_block()
        return penultimate is None or penultimate.is_complete

    def size(self) -> int:
        """Length in bytes, with what is known of a block under construction (INodeFile#computeFileSize)."""
        return sum(block.num_bytes for block in self.blocks)

    def size_without_last_block_under_construction(self) -> int:
        """Length in bytes of what cannot grow any more (INodeFile#computeFileSizeNotIncludingLastUcBlock)."""
        last = self.last_block()
        return self.size() if last is None or last.is_complete else self.size() - last.num_bytes


class FSDirectory:
    """The tree. Changes are checked by whoever asks for them."""

    def __init__(self) -> None:
        self.root = INodeDirectory(ROOT_INODE_ID, "")
        self.inodes: dict[int, INode] = {ROOT_INODE_ID: self.root}
        self.last_inode_id = ROOT_INODE_ID

    # -- looking ------------------------------------------------------------------------------------------------

    def get(self, path: str) -> INode | None:
        """What is at the path, if anything.

        Raises:
            ParentNotDirectoryException: what should be a directory on the way is a file.
        """
        inode: INode = self.root
        for name in names_of(path):
            if not isinstance(inode, INodeDirectory):
                raise ParentNotDirectoryException(f"{inode.path} (is not a directory), on the way to {path}")
            child = inode.children.get(name)
            if child is None:
                return None
            inode = child
        return inode

    def get_file(self, path: str) -> INodeFile | None:
        """The file at the path; None if there is nothing, or a directory."""
        inode = self.get(path)
        return inode if isinstance(inode, INodeFile) else None

    def file_at(self, path: str) -> INodeFile:
        """The file at the path.

        Raises:
            FileNotFoundException: there is nothing, or a directory (INodeFile#valueOf).
            ParentNotDirectoryException: as `get`.
        """
        inode = self.get(path)
        if inode is None:
            raise FileNotFoundException(f"File does not exist: {path}")
        if not isinstance(inode, INodeFile):
            raise FileNotFoundException(f"Path is not a file: {path}")
        return inode

    def file_of(self, block: BlockInfo) -> INodeFile | None:
        """The file that the block belongs to; None when that has been deleted."""
        inode = self.inodes.get(block.file_id)
        return inode if isinstance(inode, INodeFile) else None

    def nearest_directory(self, path: str) -> tuple[INodeDirectory, list[str]]:
        """The deepest directory on the way to the path that exists, and the names below it that do not.

        Raises:
            ParentNotDirectoryException: as `get`.
        """
        inode = self.root
        names = names_of(path)
        for position, name in enumerate(names):
            child = inode.children.get(name)
            if child is None:
                return inode, names[position:]
            if not isinstance(child, INodeDirectory):
                raise ParentNotDirectoryException(f"{child.path} (is not a directory), on the way to {path}")
            inode = child
        return inode, []

    def all_files(self) -> Iterator[INodeFile]:
        """All files, by id."""
        return (inode for inode in self.inodes.values() if isinstance(inode, INodeFile))

    # -- changing -----------------------------------------------------------------------------------------------

    def next_inode_id(self) -> int:
        """An id above all earlier ones."""
        self.last_inode_id += 1
        return self.last_inode_id

    def add(self, parent: INodeDirectory, inode: INode, time_ms: int) -> None:
        """Put an inode into a directory that has nothing of its name."""
        assert inode.name not in parent.children, f"{inode.name} is in {parent.path} already"
        parent.children[inode.name] = inode
        inode.parent = parent
        parent.modification_time_ms = time_ms
        self.inodes[inode.file_id] = inode

    def detach(self, inode: INode, time_ms: int) -> None:
        """Take an inode out of its directory; the index keeps it."""
        parent = inode.parent
        assert parent is not None, "the root stays"
        del parent.children[inode.name]
        parent.modification_time_ms = time_ms

    def remove(self, inode: INode, time_ms: int) -> list[INode]:
        """Take an inode and all below it away; gives them."""
        self.detach(inode, time_ms)
        removed = list(subtree(inode))
        for each in removed:
            del self.inodes[each.file_id]
        return removed


def subtree(inode: INode) -> Iterator[INode]:
    """The inode and all below it, directories before what they hold."""
    waiting = [inode]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, INodeDirectory):
            waiting.extend(each.children.values())


def file_status(inode: INode, path: str = "") -> HdfsFileStatus:
    """A file or directory as the namenode tells of it, under this name."""
    if isinstance(inode, INodeDirectory):
        return HdfsFileStatus(
            inode.file_id,
            path,
            True,
            modification_time_ms=inode.modification_time_ms,
            access_time_ms=inode.access_time_ms,
            permission=inode.permission,
            owner=inode.owner,
            group=inode.group,
            children=len(inode.children),
        )
    assert isinstance(inode, INodeFile)
    return HdfsFileStatus(
        inode.file_id,
        path,
        False,
        inode.size(),
        inode.replication,
        inode.block_size,
        inode.modification_time_ms,
        inode.access_time_ms,
        inode.permission,
        inode.owner,
        inode.group,
    )
