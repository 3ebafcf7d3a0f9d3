"""setReplication(), setPermission(), setOwner(), setTimes(), setSafeMode().

Not here: the right to do so; that settings are what they should be is checked.

Source: NN/FSDirAttrOp, NN/FSNamesystem#setSafeMode, Hadoop 3.4.1.
"""

from genstamp_dfs.errors import FileNotFoundException
from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.namenode.create import verify_replication
from genstamp_dfs.hdfs.namenode.edit_ops import SetOwnerOp, SetPermissionsOp, SetReplicationOp, TimesOp
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeFile
from genstamp_dfs.hdfs.namenode.redundancy import initialize_queues, set_block_replication
from genstamp_dfs.hdfs.namenode.reserved import DirOp, check_exact
from genstamp_dfs.world.request import Caller


def set_replication(fsn: FSNamesystem, request: client.SetReplication, caller: Caller) -> bool:
    """setReplication(): whether the path is a file.

    Raises:
        HdfsIOException: the replication is out of range.
    """
    fsn.check_safe_mode(f"set replication for {request.path}")
    verify_replication(fsn, request.path, request.replication)
    inode = fsn.directory.get(fsn.resolve(request.path, DirOp.WRITE))
    if not isinstance(inode, INodeFile):
        return False
    fsn.journal.log(SetReplicationOp(inode.path, request.replication))
    change_replication(fsn, inode, request.replication)
    return True


def change_replication(fsn: FSNamesystem, inode: INodeFile, replication: int) -> None:
    """The file wants another number of replicas of each block."""
    inode.replication = replication
    for block in inode.blocks:
        set_block_replication(fsn.block_manager, block, replication)


def existing_inode(fsn: FSNamesystem, path: str, operation: DirOp) -> INode:
    """What the path leads to.

    Raises:
        HdfsIOException: one of those of `reserved.resolve_path`.
        FileNotFoundException: nothing is there.
    """
    inode = fsn.directory.get(fsn.resolve(path, operation))
    if inode is None:
        raise FileNotFoundException(f"File/Directory does not exist: {path}")
    return inode


def set_permission(fsn: FSNamesystem, request: client.SetPermission, caller: Caller) -> None:
    """setPermission()

    Raises:
        FileNotFoundException: nothing is at the path.
    """
    check_exact(request.path)
    fsn.check_safe_mode(f"set permission for {request.path}")
    inode = existing_inode(fsn, request.path, DirOp.WRITE)
    inode.permission = request.permission
    fsn.journal.log(SetPermissionsOp(inode.path, request.permission))


def set_owner(fsn: FSNamesystem, request: client.SetOwner, caller: Caller) -> None:
    """setOwner()

    Raises:
        FileNotFoundException: nothing is at the path.
    """
    check_exact(request.path)
    fsn.check_safe_mode(f"set owner for {request.path}")
    inode = existing_inode(fsn, request.path, DirOp.WRITE)
    change_owner(inode, request.owner, request.group)
    fsn.journal.log(SetOwnerOp(inode.path, request.owner, request.group))


def change_owner(inode: INode, owner: str | None, group: str | None) -> None:
    """Another owner or group; None leaves it as it is."""
    inode.owner = inode.owner if owner is None else owner
    inode.group = inode.group if group is None else group


def set_times(fsn: FSNamesystem, request: client.SetTimes, caller: Caller) -> None:
    """setTimes()

    Raises:
        FileNotFoundException: nothing is at the path.
    """
    fsn.check_safe_mode(f"set times {request.path}")
    inode = existing_inode(fsn, request.path, DirOp.WRITE)
    change_times(inode, request.modification_time_ms, request.access_time_ms)
    fsn.journal.log(TimesOp(inode.path, request.modification_time_ms, request.access_time_ms))


def change_times(inode: INode, modification_time_ms: int, access_time_ms: int) -> None:
    """Other times; a negative one is left as it is."""
    if modification_time_ms >= 0:
        inode.modification_time_ms = modification_time_ms
    if access_time_ms >= 0:
        inode.access_time_ms = access_time_ms


def set_safe_mode(fsn: FSNamesystem, request: client.SetSafeMode, caller: Caller) -> bool:
    """setSafeMode(): whether the namenode is in safe mode now."""
    safe_mode = fsn.block_manager.safe_mode
    match request.action:
        case client.SafeModeAction.ENTER:
            safe_mode.enter()
        case client.SafeModeAction.LEAVE | client.SafeModeAction.FORCE_EXIT:
            if safe_mode.is_on:
                safe_mode.leave()
                initialize_queues(fsn.block_manager)
        case client.SafeModeAction.GET:
            pass
    return safe_mode.is_on
