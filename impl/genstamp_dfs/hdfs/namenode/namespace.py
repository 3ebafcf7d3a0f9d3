"""The files: path, id, blocks, and the client that writes.

Leaves out: directories, permissions, and everything that moves or removes a file.

Source: NN/INodeFile, NN/FileUnderConstructionFeature, NN/FSDirectory, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field

from genstamp_dfs.hdfs.namenode.blocks import BlockInfo

ROOT_INODE_ID = 16_385
"""Inode id of the root directory (NN/INodeId#ROOT_INODE_ID); files follow."""


@dataclass
class INodeFile:
    """A file. Under construction iff it has a client name, which is the owner of record."""

    file_id: int
    path: str
    client_name: str | None
    blocks: list[BlockInfo] = field(default_factory=list)

    @property
    def is_under_construction(self) -> bool:
        return self.client_name is not None

    def last_block(self) -> BlockInfo | None:
        """The last block, if the file has one."""
        return self.blocks[-1] if self.blocks else None


@dataclass
class FSDirectory:
    """All files, by path and by id."""

    files: dict[str, INodeFile] = field(default_factory=dict)
    files_by_id: dict[int, INodeFile] = field(default_factory=dict)
    last_inode_id: int = ROOT_INODE_ID

    def get_file(self, path: str) -> INodeFile | None:
        """The file at the path, if there is one."""
        return self.files.get(path)

    def add_file(self, path: str, client_name: str) -> INodeFile:
        """Make a file under construction; the path must be free."""
        assert path not in self.files, f"{path} exists as {self.files[path]}"
        self.last_inode_id += 1
        inode = INodeFile(self.last_inode_id, path, client_name)
        self.files[path] = inode
        self.files_by_id[inode.file_id] = inode
        return inode
