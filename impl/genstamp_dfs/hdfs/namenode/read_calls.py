"""The calls that change nothing: what is in the tree, where blocks are, how the cluster is.

Leaves out: access times (as with `dfs.namenode.accesstime.precision` 0), permissions, snapshots.

Source: NN/FSDirStatAndListingOp, NN/FSNamesystem, BM/DatanodeManager#sortLocatedBlocks, Hadoop 3.4.1.
"""

from msgspec.structs import replace

from genstamp_dfs.errors import HadoopIllegalArgumentException, SafeModeException
from genstamp_dfs.hdfs.messages.client_protocol import (
    ContentSummary,
    DatanodeStatus,
    DirectoryListing,
    FsServerDefaults,
    FsStats,
    GetBlockLocations,
    GetContentSummary,
    GetDatanodeReport,
    GetFileInfo,
    GetFsStats,
    GetListing,
    GetServerDefaults,
    HdfsFileStatus,
    LocatedBlocks,
)
from genstamp_dfs.hdfs.namenode.attribute_calls import AttributeCalls
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeDirectory, INodeFile, subtree
from genstamp_dfs.hdfs.namenode.reserved import entries_of, status_of
from genstamp_dfs.hdfs.protocol import LocatedBlock
from genstamp_dfs.world.request import Caller


class ReadCalls(AttributeCalls):
    """Calls that look."""

    def get_server_defaults(self, request: GetServerDefaults, caller: Caller) -> FsServerDefaults:
        """getServerDefaults()"""
        configuration = self.configuration
        return FsServerDefaults(
            configuration.block_size,
            configuration.bytes_per_checksum,
            configuration.write_packet_size,
            configuration.default_replication,
        )

    def get_file_info(self, request: GetFileInfo, caller: Caller) -> HdfsFileStatus | None:
        """getFileInfo(), getLocatedFileInfo(); None if there is nothing."""
        reserved = status_of(request.path)
        if reserved is not None:
            return reserved
        inode = self.directory.get(request.path)
        return None if inode is None else self._status_for(request, inode, caller)

    def get_listing(self, request: GetListing, caller: Caller) -> DirectoryListing | None:
        """getListing(): a page of entries by name as bytes; a file lists itself; None if there is nothing."""
        reserved = entries_of(request.path, self.directory)
        if reserved is not None:
            return DirectoryListing(reserved, 0)
        inode = self.directory.get(request.path)
        if inode is None:
            return None
        if not isinstance(inode, INodeDirectory):
            return DirectoryListing((self._status_for(request, inode, caller),), 0)
        after = request.start_after.encode()
        names = sorted(encoded for name in inode.children if (encoded := name.encode()) > after)
        page = [name.decode() for name in names[: self.configuration.list_limit]]
        entries = tuple(self._status_for(request, inode.children[name], caller, name) for name in page)
        return DirectoryListing(entries, len(names) - len(page))

    def _status_for(
        self, request: GetFileInfo | GetListing, inode: INode, caller: Caller, path: str = ""
    ) -> HdfsFileStatus:
        """A file or directory under this name, with its blocks if they were asked for."""
        status = self.file_status(inode, path)
        if request.needs_locations and isinstance(inode, INodeFile):
            return replace(status, locations=self._blocks_in_range(inode, 0, inode.size(), caller))
        return status

    def get_block_locations(self, request: GetBlockLocations, caller: Caller) -> LocatedBlocks:
        """getBlockLocations(): the blocks that overlap the range.

        Raises:
            HadoopIllegalArgumentException: a number is negative.
            FileNotFoundException: there is no such file.
            SafeModeException: in safe mode, and no location of a block is known yet.
        """
        if request.offset < 0 or request.length < 0:
            raise HadoopIllegalArgumentException(
                f"Negative offset or length is not supported: {request.offset}, {request.length} of {request.path}"
            )
        inode = self.directory.file_at(request.path)
        located = self._blocks_in_range(inode, request.offset, request.offset + request.length, caller)
        self._check_known(located.blocks, request.path)
        return located

    def _blocks_in_range(self, inode: INodeFile, start: int, end: int, caller: Caller) -> LocatedBlocks:
        """The blocks of a file that overlap a range."""
        found, offset = [], 0
        for block in inode.blocks:
            if offset < end and offset + block.num_bytes > start:
                found.append(self.located_block(block, offset, caller.machine))
            offset += block.num_bytes
        last = inode.last_block()
        return LocatedBlocks(
            inode.size_without_last_block_under_construction(),
            inode.is_under_construction,
            tuple(found),
            None if last is None else self.located_block(last, offset - last.num_bytes, caller.machine),
            last is not None and last.is_complete,
        )

    def _check_known(self, blocks: tuple[LocatedBlock, ...], path: str) -> None:
        if self.block_manager.safe_mode.is_on and any(not block.locations for block in blocks):
            raise SafeModeException(f"Zero blocklocations for {path}: {self.block_manager.safe_mode.tip()}")

    def get_content_summary(self, request: GetContentSummary, caller: Caller) -> ContentSummary:
        """getContentSummary()

        Raises:
            FileNotFoundException: nothing is at the path.
        """
        inodes = list(subtree(self.existing_inode(request.path)))
        files = [inode for inode in inodes if isinstance(inode, INodeFile)]
        return ContentSummary(
            sum(inode.size() for inode in files),
            len(files),
            len(inodes) - len(files),
            sum(inode.size() * inode.replication for inode in files),
        )

    def get_fs_stats(self, request: GetFsStats, caller: Caller) -> FsStats:
        """getFsStats()"""
        live = [each for each in self.datanode_manager.datanodes.values() if each.is_alive]
        without = [block for block in self.block_manager.blocks.values() if block.is_complete and not block.stored]
        return FsStats(
            sum(each.capacity for each in live),
            sum(each.used for each in live),
            sum(each.remaining for each in live),
            len(self.block_manager.low_redundancy_blocks()),
            sum(1 for block in without if block.corrupt),
            len(without),
        )

    def get_datanode_report(self, request: GetDatanodeReport, caller: Caller) -> tuple[DatanodeStatus, ...]:
        """getDatanodeReport() of all datanodes that ever registered."""
        now_us = self.clock.now_us()
        return tuple(
            DatanodeStatus(
                each.name,
                each.is_alive,
                self.datanode_manager.is_stale(each.name, now_us),
                each.last_update_us,
                each.capacity,
                each.used,
                each.remaining,
                len(each.blocks),
            )
            for each in self.datanode_manager.datanodes.values()
        )
