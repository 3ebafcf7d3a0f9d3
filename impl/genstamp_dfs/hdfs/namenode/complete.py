"""complete() and fsync(): what the client tells of the length of the last block.

Source: NN/FSDirWriteFileOp#completeFileInternal, NN/FSNamesystem#fsync,
    NN/FileUnderConstructionFeature#updateLengthOfLastBlock, Hadoop 3.4.1; facts E.9, E.10, A6.
"""

from genstamp_dfs.errors import HdfsIOException, LeaseExpiredException, RetriableException
from genstamp_dfs.hdfs.messages.client_protocol import Complete, Fsync
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import commit_or_complete_last_block
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_recovery import finalize_inode_file_under_construction
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import BlockUCState
from genstamp_dfs.world.request import Caller


def complete(fsn: FSNamesystem, request: Complete, caller: Caller) -> bool:
    """complete(): commit the last block, and close the file if all its blocks are COMPLETE.

    Returns:
        Whether the file is closed. A repetition after the close is answered with True (HDFS-3031). After False the
        block stays COMMITTED, which is not logged.

    Raises:
        FileNotFoundException, LeaseExpiredException: as `check_lease`.
        HdfsIOException: the block is under recovery, or its stamp is not the caller's.
    """
    fsn.check_safe_mode(f"complete file {request.path}")
    try:
        inode = fsn.check_lease(request.path, request.client_name, request.file_id)
    except LeaseExpiredException:
        closed = fsn.inode_of(request.path, request.file_id)
        if isinstance(closed, INodeFile) and _is_retry_of_complete(fsn, closed, request):
            return _completed(fsn, closed)
        raise
    if inode.is_penultimate_complete:
        commit_or_complete_last_block(fsn.block_manager, inode, request.last)
        if all(block.is_complete for block in inode.blocks):
            finalize_inode_file_under_construction(fsn, inode)
    return _completed(fsn, inode)


def _completed(fsn: FSNamesystem, inode: INodeFile) -> bool:
    """Whether the file is closed; the event tells of its last block."""
    fsn.show_block(inode.last_block())
    return not inode.is_under_construction


def _is_retry_of_complete(fsn: FSNamesystem, inode: INodeFile, request: Complete) -> bool:
    """Whether the file is closed and ends with the caller's block in id and stamp, or both have none.

    After an append to a full block a client that has added none passes none, too.
    """
    if inode.is_under_construction:
        return False
    last = inode.last_block()
    if request.last is None:
        return last is None or fsn.repairs(Repair.APPEND_TO_A_FULL_BLOCK_PASSES_NONE)
    return last is not None and last.matches(request.last)


def fsync(fsn: FSNamesystem, request: Fsync, caller: Caller) -> None:
    """fsync(), which the first hflush of a block calls.

    Hadoop asks neither for the block's state nor whether the length grows, and cannot ask whose length it is.

    Raises:
        FileNotFoundException, LeaseExpiredException: as `check_lease`.
        HdfsIOException: with the repair fsync-stops-for-a-recovery, the block is under recovery, as of complete(); with
            late-fsync-changes-nothing, the length is another block's, of one that is no longer written, or falls.
        RetriableException: with hflush-waits-for-reports, a datanode of the client's pipeline is no location of
            the block: since a restart it has not told of its replica, and no recovery would ask it.
    """
    fsn.check_safe_mode(f"fsync file {request.path}")
    inode = fsn.check_lease(request.path, request.client_name, request.file_id)
    last = inode.last_block()
    _check_fsync(fsn, inode, last, request)
    if last is not None:
        if request.last_block_length > 0:
            last.num_bytes = request.last_block_length
        fsn.show_block(last)
        fsn.event.num_bytes = last.num_bytes
    fsn.persist_blocks(inode)


def _check_fsync(fsn: FSNamesystem, inode: INodeFile, last: BlockInfo | None, request: Fsync) -> None:
    """The repairs of fsync; a file may have lost the block of which a late call tells."""
    is_recovering = last is not None and last.state is BlockUCState.UNDER_RECOVERY
    if is_recovering and fsn.repairs(Repair.FSYNC_STOPS_FOR_A_RECOVERY):
        raise HdfsIOException(f"the last block of {inode.path} is under recovery")
    known = () if last is None else last.expected_locations()
    unknown = [datanode for datanode in request.pipeline if datanode not in known]
    if unknown and fsn.repairs(Repair.HFLUSH_WAITS_FOR_REPORTS):
        raise RetriableException(f"fsync of {inode.path}: {', '.join(unknown)} did not report the last block yet")
    if request.last_block_length <= 0 or not fsn.repairs(Repair.LATE_FSYNC_CHANGES_NOTHING):
        return
    if request.block is not None and not (last is not None and last.matches(request.block)):
        stored = None if last is None else last.as_block()
        raise HdfsIOException(f"fsync of {request.block}, the last block of {inode.path} is {stored}")
    if last is None:
        return
    if last.state is not BlockUCState.UNDER_CONSTRUCTION:
        raise HdfsIOException(f"fsync of blk_{last.block_id} of {inode.path}, which is {last.state}")
    if request.last_block_length < last.num_bytes:
        raise HdfsIOException(
            f"fsync of blk_{last.block_id} of {inode.path} to {request.last_block_length} bytes, it has "
            f"{last.num_bytes}"
        )
