"""create()

Not here: permissions, object limits, storage policies, erasure coding, encryption zones.

Source: NN/FSNamesystem#startFileInt, NN/FSDirWriteFileOp#resolvePathForStartFile, #startFile, Hadoop 3.4.1; facts E.1.
"""

from genstamp_dfs.errors import FileAlreadyExistsException, FileNotFoundException, HdfsIOException
from genstamp_dfs.hdfs.messages.client_protocol import Create, CreateFlag, HdfsFileStatus
from genstamp_dfs.hdfs.namenode.edit_ops import AddOp, call_of
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.lease_recovery import recover_lease_internal
from genstamp_dfs.hdfs.namenode.namespace import INodeDirectory, INodeFile, file_status
from genstamp_dfs.hdfs.namenode.paths import check_length
from genstamp_dfs.hdfs.namenode.reserved import DirOp, check_create
from genstamp_dfs.hdfs.namenode.tree_changes import make_directories, remove_tree, verify_new_name
from genstamp_dfs.world.request import Caller


def create(fsn: FSNamesystem, request: Create, caller: Caller) -> HdfsFileStatus:
    """create(), with or without overwrite.

    Without overwrite the call is refused whenever the file exists; past the soft limit of its lease it starts a
    recovery all the same, or closes the file.

    Raises:
        HdfsIOException: the path is too long, the block size too small, the replication out of range.
        InvalidPathException: the path is none.
        FileAlreadyExistsException: a directory is there; or a file, closed before or by this call.
        FileNotFoundException: nothing is there and CREATE is not asked for, or the parent is missing and not to
            be made.
        ParentNotDirectoryException: a file is on the way.
        HadoopIllegalArgumentException: a name on the way is reserved.
        AlreadyBeingCreatedException, RecoveryInProgressException: as `recover_lease_internal`.
    """
    check_length("create", request.path)
    check_create(request.path)
    fsn.check_safe_mode(f"create file {request.path}")
    path = fsn.resolve(request.path, DirOp.CREATE)
    existing = _existing_for_start_file(fsn, request, path)
    if request.block_size < fsn.configuration.minimal_block_size:
        raise HdfsIOException(
            f"Specified block size is less than configured minimum value: {request.block_size} < "
            f"{fsn.configuration.minimal_block_size}"
        )
    verify_replication(fsn, request.path, request.replication)
    overwrites = existing is not None and CreateFlag.OVERWRITE in request.flag
    if existing is not None and not overwrites:
        recover_lease_internal(fsn, "CREATE_FILE", existing, request.client_name, caller.machine, force=False)
        raise FileAlreadyExistsException(f"{request.path} for client {caller.machine} already exists")
    if existing is not None:
        remove_tree(fsn, existing, fsn.clock.time_ms())
    return file_status(_add_file(fsn, request, path, caller, overwrites=overwrites))


def _existing_for_start_file(fsn: FSNamesystem, request: Create, path: str) -> INodeFile | None:
    """The file that exists at the resolved path, if any (#resolvePathForStartFile)."""
    inode = fsn.directory.get(path)
    if isinstance(inode, INodeDirectory):
        raise FileAlreadyExistsException(f"{path} already exists as a directory")
    if isinstance(inode, INodeFile):
        return inode
    _, missing = fsn.directory.nearest_directory(path)
    if len(missing) > 1 and not request.create_parent:
        raise FileNotFoundException(f"Parent directory doesn't exist: {request.path}")
    if CreateFlag.CREATE not in request.flag:
        raise FileNotFoundException(f"Can't overwrite non-existent {request.path}")
    return None


def verify_replication(fsn: FSNamesystem, path: str, replication: int) -> None:
    """Refuse a replication out of range (BlockManager#verifyReplication)."""
    least, most = fsn.configuration.minimal_replication, fsn.configuration.maximal_replication
    if not least <= replication <= most:
        raise HdfsIOException(f"replication of {path} is {replication}, accepted: {least} to {most}")


def _add_file(fsn: FSNamesystem, request: Create, path: str, caller: Caller, *, overwrites: bool) -> INodeFile:
    """Make the file at the resolved path, open for its client, with the directories that are missing.

    As in HDFS, those that were made stay if a name below them is refused.
    """
    parent, missing = fsn.directory.nearest_directory(path)
    parent = make_directories(fsn, parent, missing[:-1], 0o755, caller.user)
    verify_new_name(fsn, parent, missing[-1])
    time_ms = fsn.clock.time_ms()
    op = AddOp(
        f"{parent.path.rstrip('/')}/{missing[-1]}",
        fsn.directory.next_inode_id(),
        request.replication,
        request.block_size,
        request.permission,
        time_ms,
        request.client_name,
        caller.machine,
        overwrites,
        caller.user,
        call_of(caller),
    )
    inode = add_file(fsn, parent, missing[-1], op)
    fsn.journal.log(op)
    return inode


def add_file(fsn: FSNamesystem, parent: INodeDirectory, name: str, op: AddOp) -> INodeFile:
    """Put a new open file into a directory, with its lease."""
    inode = INodeFile(
        op.file_id,
        name,
        permission=op.permission,
        owner=op.owner,
        modification_time_ms=op.time_ms,
        access_time_ms=op.time_ms,
        replication=op.replication,
        block_size=op.block_size,
        client_name=op.client_name,
        client_machine=op.client_machine,
    )
    fsn.directory.add(parent, inode, op.time_ms)
    fsn.lease_manager.add_lease(op.client_name, inode.file_id, fsn.clock.now_us())
    return inode
