"""append()

Not here: permissions, quotas, erasure coding, lazy persistence.

Source: NN/FSDirAppendOp#appendFile, #prepareFileForAppend, Hadoop 3.4.1; facts E.2, A.4.
"""

from genstamp_dfs.errors import FileAlreadyExistsException, HdfsIOException, RetriableException
from genstamp_dfs.hdfs.messages.client_protocol import Append, CreateFlag, LastBlockWithStatus
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.completion import convert_last_block_to_under_construction
from genstamp_dfs.hdfs.namenode.edit_ops import AppendOp, call_of
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_recovery import recover_lease_internal
from genstamp_dfs.hdfs.namenode.namespace import INodeDirectory, INodeFile, file_status
from genstamp_dfs.hdfs.namenode.reserved import DirOp
from genstamp_dfs.hdfs.protocol import UNKNOWN_OFFSET, BlockUCState, LocatedBlock
from genstamp_dfs.world.request import Caller


def append(fsn: FSNamesystem, request: Append, caller: Caller) -> LastBlockWithStatus:
    """append(): the last block with its old stamp, or None where a new one has to be added.

    If the lease of another holder is past the soft limit and nothing is to be recovered, the call closes the file
    for that one and goes on (HDFS-2994).

    Raises:
        FileAlreadyExistsException: a directory is there.
        FileNotFoundException: nothing is there.
        AlreadyBeingCreatedException, RecoveryInProgressException: as `recover_lease_internal`.
        RetriableException: the last block is COMMITTED.
        HdfsIOException: the last block has too few replicas (HDFS-6325).
    """
    fsn.check_safe_mode(f"append to file {request.path}")
    path = fsn.resolve(request.path, DirOp.WRITE)
    if isinstance(fsn.directory.get(path), INodeDirectory):
        raise FileAlreadyExistsException(f"Cannot append to directory {path}; already exists as a directory.")
    inode = fsn.directory.file_at(path)
    recover_lease_internal(fsn, "APPEND_FILE", inode, request.client_name, caller.machine, force=False)
    _check_last_block(fsn, inode)
    is_new_block = CreateFlag.NEW_BLOCK in request.flag
    opened = prepare_file_for_append(fsn, inode, request.client_name, caller.machine, is_new_block=is_new_block)
    fsn.journal.log(AppendOp(inode.path, request.client_name, caller.machine, is_new_block, call_of(caller)))
    return append_answer(fsn, inode, opened, is_new_block=is_new_block, machine=caller.machine)


def _check_last_block(fsn: FSNamesystem, inode: INodeFile) -> None:
    """Refuse a last block that is not safe enough to go on with."""
    last = inode.last_block()
    if last is None:
        return
    if last.state is BlockUCState.COMMITTED:
        raise RetriableException(
            f"NotReplicatedYetException: append: the last block of {inode.path} is COMMITTED but not yet COMPLETE"
        )
    if last.is_complete and not fsn.block_manager.is_sufficiently_replicated(last):
        raise HdfsIOException(f"append: the last block of {inode.path} is not sufficiently replicated yet")


def prepare_file_for_append(
    fsn: FSNamesystem, inode: INodeFile, client_name: str, client_machine: str, *, is_new_block: bool
) -> BlockInfo | None:
    """Open the file for the client, and its last block if there is room in it; gives that block."""
    inode.client_name, inode.client_machine = client_name, client_machine
    fsn.lease_manager.add_lease(client_name, inode.file_id, fsn.clock.now_us())
    if is_new_block:
        return None
    return convert_last_block_to_under_construction(fsn.block_manager, inode, 0)


def append_answer(
    fsn: FSNamesystem, inode: INodeFile, opened: BlockInfo | None, *, is_new_block: bool, machine: str
) -> LastBlockWithStatus:
    """What append() answers; with NEW_BLOCK, the last block without its locations."""
    status = file_status(inode)
    last = inode.last_block()
    if is_new_block and last is not None:
        return LastBlockWithStatus(LocatedBlock(last.as_block(), (), UNKNOWN_OFFSET), status)
    if opened is None:
        return LastBlockWithStatus(None, status)
    fsn.show_block(opened)
    located = fsn.located_block(opened, inode.size() - opened.num_bytes, machine)
    return LastBlockWithStatus(located, status)
