"""The calls that change nothing: what is in the tree, where blocks are, how the cluster is.

Not here: access times (as with `dfs.namenode.accesstime.precision` 0), permissions, snapshots.

Source: NN/FSDirStatAndListingOp, NN/FSNamesystem, BM/DatanodeManager, BM/LowRedundancyBlocks, Hadoop 3.4.1.
"""

from msgspec.structs import replace

from genstamp_dfs.errors import AccessControlException, IllegalArgumentException, SafeModeException
from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.messages import cluster_status
from genstamp_dfs.hdfs.namenode.attribute_calls import existing_inode
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.low_redundancy import HIGHEST_PRIORITY, WITH_CORRUPT_BLOCKS
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeDirectory, INodeFile, file_status, subtree
from genstamp_dfs.hdfs.namenode.paths import names_of
from genstamp_dfs.hdfs.namenode.reserved import DirOp, check_absolute, entries_of, status_of
from genstamp_dfs.hdfs.protocol import LocatedBlock
from genstamp_dfs.world.request import Caller
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


def _space_consumed(inode: INodeFile) -> int:
    """Bytes of all replicas; of a block that is written as many as it may get (#storagespaceConsumedContiguous)."""
    lengths = (block.num_bytes if block.is_complete else inode.block_size for block in inode.blocks)
    return sum(lengths) * inode.replication


def get_server_defaults(
    fsn: FSNamesystem, request: client.GetServerDefaults, caller: Caller
) -> client.FsServerDefaults:
    """getServerDefaults()"""
    configuration = fsn.configuration
    return client.FsServerDefaults(
        configuration.block_size,
        configuration.bytes_per_checksum,
        configuration.write_packet_size,
        configuration.default_replication,
    )


def get_file_info(fsn: FSNamesystem, request: client.GetFileInfo, caller: Caller) -> client.HdfsFileStatus | None:
    """getFileInfo(), getLocatedFileInfo(); None if there is nothing."""
    try:
        path = fsn.resolve(request.path, DirOp.READ)
    except AccessControlException:
        # A superuser, as every caller is here, is told that nothing is below a file.
        return None
    reserved = status_of(path)
    if reserved is not None:
        return reserved
    inode = fsn.directory.get(path)
    return None if inode is None else _status_for(fsn, request, inode, caller)


def get_listing(fsn: FSNamesystem, request: client.GetListing, caller: Caller) -> client.DirectoryListing | None:
    """getListing(): a page of entries by name as bytes; a file lists itself; None if there is nothing."""
    path = fsn.resolve(request.path, DirOp.READ)
    reserved = entries_of(path, fsn.directory)
    if reserved is not None:
        return client.DirectoryListing(reserved, 0)
    inode = fsn.directory.get(path)
    if inode is None:
        return None
    if not isinstance(inode, INodeDirectory):
        return client.DirectoryListing((_status_for(fsn, request, inode, caller),), 0)
    after = request.start_after.encode()
    names = sorted(encoded for name in inode.children if (encoded := name.encode()) > after)
    page = [name.decode() for name in names[: fsn.configuration.list_limit]]
    entries = tuple(_status_for(fsn, request, inode.children[name], caller, name) for name in page)
    return client.DirectoryListing(entries, len(names) - len(page))


def _status_for(
    fsn: FSNamesystem, request: client.GetFileInfo | client.GetListing, inode: INode, caller: Caller, path: str = ""
) -> client.HdfsFileStatus:
    """A file or directory under this name, with its blocks if they were asked for."""
    status = file_status(inode, path)
    if request.needs_locations and isinstance(inode, INodeFile):
        return replace(status, locations=_blocks_in_range(fsn, inode, 0, inode.size(), caller))
    return status


def get_block_locations(fsn: FSNamesystem, request: client.GetBlockLocations, caller: Caller) -> client.LocatedBlocks:
    """getBlockLocations(): the blocks that overlap the range.

    Raises:
        IllegalArgumentException: a number is negative.
        FileNotFoundException: there is no such file.
        SafeModeException: in safe mode, and no location of a block is known yet.
    """
    if request.offset < 0 or request.length < 0:
        raise IllegalArgumentException(
            f"Negative offset or length is not supported: {request.offset}, {request.length} of {request.path}"
        )
    inode = fsn.file_for(request.path, DirOp.READ)
    located = _blocks_in_range(fsn, inode, request.offset, request.offset + request.length, caller)
    safe_mode = fsn.block_manager.safe_mode
    if safe_mode.is_on and any(not block.locations for block in located.blocks):
        raise SafeModeException(f"Zero blocklocations for {request.path}: {safe_mode.tip()}")
    return located


def _blocks_in_range(fsn: FSNamesystem, inode: INodeFile, start: int, end: int, caller: Caller) -> client.LocatedBlocks:
    """The blocks of a file that overlap a range; the first one always, if nothing is known of its length."""
    found: list[LocatedBlock] = []
    offset = 0
    # BlockManager#createLocatedBlockList: a first block without bytes ends the search for where the range starts.
    is_searching = bool(inode.blocks) and inode.blocks[0].num_bytes > 0
    for block in inode.blocks:
        is_searching = is_searching and offset + block.num_bytes <= start
        if not is_searching and (offset < end or not found):
            found.append(fsn.located_block(block, offset, caller.machine))
        offset += block.num_bytes
    last = inode.last_block()
    return client.LocatedBlocks(
        inode.size_without_last_block_under_construction(),
        inode.is_under_construction,
        tuple(found),
        None if last is None else fsn.located_block(last, offset - last.num_bytes, caller.machine),
        last is not None and last.is_complete,
    )


def get_content_summary(fsn: FSNamesystem, request: client.GetContentSummary, caller: Caller) -> client.ContentSummary:
    """getContentSummary()

    Raises:
        FileNotFoundException: nothing is at the path.
    """
    inodes = list(subtree(existing_inode(fsn, request.path, DirOp.READ)))
    files = [inode for inode in inodes if isinstance(inode, INodeFile)]
    return client.ContentSummary(
        sum(inode.size() for inode in files),
        len(files),
        len(inodes) - len(files),
        sum(_space_consumed(inode) for inode in files),
    )


def get_fs_stats(fsn: FSNamesystem, request: cluster_status.GetFsStats, caller: Caller) -> cluster_status.FsStats:
    """getFsStats(); a block that needs replicas is counted once it is queued, which in safe mode none is."""
    live = [each for each in fsn.datanode_manager.datanodes.values() if each.is_alive]
    blocks = fsn.block_manager.blocks
    missing = fsn.block_manager.needed.queues[WITH_CORRUPT_BLOCKS]
    return cluster_status.FsStats(
        sum(each.capacity for each in live),
        sum(each.used for each in live),
        sum(each.remaining for each in live),
        len(fsn.block_manager.needed.block_ids()),
        sum(1 for block in blocks.values() if block.corrupt),
        len(missing),
        sum(1 for block_id in missing if blocks[block_id].replication == 1),
        sum(len(each.invalidate_blocks) for each in live),
        len(fsn.block_manager.needed.queues[HIGHEST_PRIORITY]),
    )


def get_datanode_report(
    fsn: FSNamesystem, request: cluster_status.GetDatanodeReport, caller: Caller
) -> tuple[cluster_status.DatanodeStatus, ...]:
    """getDatanodeReport() of datanodes that ever registered; none is decommissioned or in maintenance here.

    Source: DatanodeManager#getDatanodeListForReport, Hadoop 3.4.1.
    """
    now_us, time_ms = fsn.clock.now_us(), fsn.clock.time_ms()
    wanted = {
        cluster_status.DatanodeReportType.ALL: (True, False),
        cluster_status.DatanodeReportType.LIVE: (True,),
        cluster_status.DatanodeReportType.DEAD: (False,),
    }.get(request.report_type, ())
    return tuple(
        cluster_status.DatanodeStatus(
            each.name,
            each.is_alive,
            fsn.datanode_manager.is_stale(each.name, now_us),
            each.last_update_us,
            each.capacity,
            each.used,
            each.remaining,
            len(each.blocks),
            time_ms - (now_us - each.last_update_us) // MICROSECONDS_A_MILLISECOND,
            each.last_block_report_ms,
        )
        for each in fsn.datanode_manager.datanodes.values()
        if each.is_alive in wanted
    )


def list_open_files(
    fsn: FSNamesystem, request: cluster_status.ListOpenFiles, caller: Caller
) -> cluster_status.OpenFiles:
    """listOpenFiles(); no file blocks a decommissioning, as there is none here.

    Raises:
        JavaAssertionError: the path does not begin with a slash.
        IllegalArgumentException: no type is given.

    Source: FSNamesystem#listOpenFiles, LeaseManager#getUnderConstructionFiles, Hadoop 3.4.1.
    """
    check_absolute(request.path)
    if not request.types:
        raise IllegalArgumentException("Unknown OpenFileType: []")
    if cluster_status.OpenFilesType.ALL_OPEN_FILES not in request.types:
        return cluster_status.OpenFiles((), False)
    top = names_of(request.path)
    leased = sorted(file_id for file_id in fsn.lease_manager.leases_by_id if file_id > request.after)
    found = [
        cluster_status.OpenFileEntry(file_id, inode.path, inode.client_name, inode.client_machine)
        for file_id in leased
        if isinstance(inode := fsn.directory.inodes.get(file_id), INodeFile)
        and inode.client_name is not None
        and names_of(inode.path)[: len(top)] == top
    ]
    limit = fsn.configuration.list_limit
    return cluster_status.OpenFiles(tuple(found[:limit]), len(found) > limit)
