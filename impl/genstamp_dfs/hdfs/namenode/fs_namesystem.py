"""The state of a namenode, and what most of its calls need of it.

The calls are functions of this state, in a module for each concern: `calls` names them. Such a function takes the
namesystem (`fsn`), a request and its caller, and gives the answer or raises one of Hadoop's exceptions. After an
exception nothing has changed, except where a docstring says so.

Not here: permissions, quotas, high availability (this namenode is always the active one).

Source: NN/FSNamesystem, Hadoop 3.4.1; facts E.0.
"""

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from genstamp_dfs.errors import FileNotFoundException, LeaseExpiredException, SafeModeException
from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo
from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.namenode.edit_ops import NO_CALL, AnyOp, CallOfClient, SetGenstampOp, UpdateBlocksOp
from genstamp_dfs.hdfs.namenode.lease_manager import LeaseManager
from genstamp_dfs.hdfs.namenode.namespace import FSDirectory, INode, INodeFile
from genstamp_dfs.hdfs.namenode.reserved import DirOp, check_absolute, resolve_path
from genstamp_dfs.hdfs.protocol import NO_FILE_ID, LocatedBlock


class Journal(Protocol):
    """Where edits go, in the order of the changes."""

    @property
    def last_transaction(self) -> int:
        """Id of the last edit."""

    @property
    def synced_transaction(self) -> int:
        """Id of the last edit that is on disk."""

    def log(self, op: AnyOp) -> None:
        """Take an edit; it is on disk only after a sync."""


@dataclass(slots=True)
class EventDetails:
    """What a call adds to its event.

    Attributes:
        block_id: the block that it was about.
        file: path of the file, where the request names a block only.
        file_id: id of the file that it was about; of create, the new one.
        replaced_file_id: of the file that create has overwritten.
    """

    generation_stamp: int | None = None
    recovery_id: int | None = None
    num_bytes: int | None = None
    block_id: int | None = None
    file: str | None = None
    file_id: int | None = None
    replaced_file_id: int | None = None
    observed: dict[str, str] = field(default_factory=dict)


class FSNamesystem:
    """Files, leases, blocks and datanodes.

    Attributes:
        journal: where edits go.
        namespace: which cluster this is.
        blocks_to_remove: blocks of deleted files. They are removed some at a time, so that a large deletion stops
            nobody; until then they lead to no file, which every call by block has to look out for (HDFS-6825,
            HDFS-7707).
        event: what the present call adds to its event.
    """

    def __init__(
        self,
        configuration: NameNodeConfiguration,
        clock: Clock,
        chance: random.Random,
        journal: Journal,
        namespace: NamespaceInfo,
    ) -> None:
        self.configuration = configuration
        self.clock = clock
        self.chance = chance
        self.journal = journal
        self.namespace = namespace
        self.directory = FSDirectory()
        self.lease_manager = LeaseManager(configuration.limits)
        self.block_manager = BlockManager(configuration, clock, chance)
        self.datanode_manager = self.block_manager.datanode_manager
        self.blocks_to_remove: deque[BlockInfo] = deque()
        self.event = EventDetails()

    def repairs(self, repair: Repair) -> bool:
        """Whether this namenode does not have the hole."""
        return self.block_manager.repairs(repair)

    # -- checks -------------------------------------------------------------------------------------------------

    def check_safe_mode(self, what: str) -> None:
        """Refuse a change while the namenode is in safe mode.

        Raises:
            SafeModeException: it is.
        """
        safe_mode = self.block_manager.safe_mode
        if safe_mode.is_on:
            raise SafeModeException(f"cannot {what}: the namenode is in safe mode, {safe_mode.tip()}")

    def resolve(self, path: str, operation: DirOp) -> str:
        """The path that a path leads to.

        Raises:
            HdfsIOException: one of those of `reserved.resolve_path`.
        """
        return resolve_path(path, operation, self.directory)

    def file_for(self, path: str, operation: DirOp) -> INodeFile:
        """The file that a path leads to.

        Raises:
            HdfsIOException: one of those of `reserved.resolve_path`.
            FileNotFoundException: there is nothing, or a directory.
        """
        return self.directory.file_at(self.resolve(path, operation))

    def inode_of(self, path: str, file_id: int) -> INode | None:
        """What is meant: by its id where one is given, else by its path (HDFS-6294).

        Raises:
            HdfsIOException: one of those of `reserved.resolve_path`.
        """
        if file_id == NO_FILE_ID:
            return self.directory.get(self.resolve(path, DirOp.WRITE))
        inode = self.directory.inodes.get(file_id)
        if inode is None:
            check_absolute(path)
        return inode

    def check_lease(self, path: str, holder: str, file_id: int = NO_FILE_ID) -> INodeFile:
        """The file, if the holder is its owner of record. The age of the lease does not matter.

        Raises:
            FileNotFoundException: there is no such file.
            LeaseExpiredException: it is a directory, closed, or another client's.

        Source: FSNamesystem#checkLease (HDFS-2484), Hadoop 3.4.1.
        """
        inode = self.inode_of(path, file_id)
        if inode is None:
            raise FileNotFoundException(f"File does not exist: {path} (inode {file_id}), asked by {holder}")
        if not isinstance(inode, INodeFile):
            raise LeaseExpiredException(f"{path} is not a file, asked by {holder}")
        if not inode.is_under_construction:
            raise LeaseExpiredException(f"{path} is not open for writing, asked by {holder}")
        if inode.client_name != holder:
            raise LeaseExpiredException(f"{holder} is not the lease owner of {path}, which is {inode.client_name}")
        return inode

    # -- edits --------------------------------------------------------------------------------------------------

    def next_generation_stamp(self) -> int:
        """A fresh stamp, logged."""
        stamp = self.block_manager.block_ids.next_generation_stamp()
        self.journal.log(SetGenstampOp(stamp))
        return stamp

    def persist_blocks(self, inode: INodeFile, call: CallOfClient = NO_CALL) -> None:
        """Log the blocks of an open file as they are now (FSDirWriteFileOp#persistBlocks)."""
        self.journal.log(UpdateBlocksOp(inode.path, tuple(block.as_block() for block in inode.blocks), call))

    # -- what clients are told ----------------------------------------------------------------------------------

    def located_block(self, block: BlockInfo, offset: int, machine: str) -> LocatedBlock:
        """The block and where it is, for a reader on this machine.

        Of a block that is not COMPLETE, the expected locations; else the good replicas, or the corrupt ones if there
        is no other. The reader's own datanode comes first, stale ones last.

        Source: BlockManager#createLocatedBlock, DatanodeManager#sortLocatedBlocks, Hadoop 3.4.1.
        """
        is_corrupt = False
        if not block.is_complete:
            locations = list(block.expected_locations())
        elif block.stored:
            locations = list(block.stored)
        else:
            locations = list(block.corrupt)
            is_corrupt = bool(locations)
        now_us = self.clock.now_us()
        locations.sort(key=lambda name: (name != machine, self.datanode_manager.is_stale(name, now_us)))
        return LocatedBlock(block.as_block(), tuple(locations), offset, is_corrupt)

    def show_block(self, block: BlockInfo | None) -> None:
        """Let the event tell of a block: id, stamp and state."""
        if block is not None:
            self.event.block_id = block.block_id
            self.event.generation_stamp = block.generation_stamp
            self.event.observed["block_state"] = block.state.value
