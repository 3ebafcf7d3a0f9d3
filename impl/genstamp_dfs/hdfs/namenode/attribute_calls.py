"""setReplication(), setPermission(), setOwner(), setTimes(), setSafeMode().

Not here: the right to do so; that settings are what they should be is checked.

Source: NN/FSDirAttrOp, NN/FSNamesystem#setSafeMode, Hadoop 3.4.1.
"""

from genstamp_dfs.errors import FileNotFoundException
from genstamp_dfs.hdfs.messages.client_protocol import (
    SafeModeAction,
    SetOwner,
    SetPermission,
    SetReplication,
    SetSafeMode,
    SetTimes,
)
from genstamp_dfs.hdfs.namenode.edit_ops import SetOwnerOp, SetPermissionsOp, SetReplicationOp, TimesOp
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeFile
from genstamp_dfs.hdfs.namenode.redundancy import initialize_queues, set_block_replication
from genstamp_dfs.hdfs.namenode.reserved import DirOp, check_exact
from genstamp_dfs.hdfs.namenode.tree_calls import TreeCalls
from genstamp_dfs.world.request import Caller


class AttributeCalls(TreeCalls):
    """Calls that change what a file is like, or the namenode."""

    def set_replication(self, request: SetReplication, caller: Caller) -> bool:
        """setReplication(): whether the path is a file.

        Raises:
            HdfsIOException: the replication is out of range.
        """
        self.check_safe_mode(f"set replication for {request.path}")
        self.verify_replication(request.path, request.replication)
        inode = self.directory.get(self.resolve(request.path, DirOp.WRITE))
        if not isinstance(inode, INodeFile):
            return False
        self.journal.log(SetReplicationOp(inode.path, request.replication))
        self.change_replication(inode, request.replication)
        return True

    def change_replication(self, inode: INodeFile, replication: int) -> None:
        """The file wants another number of replicas of each block."""
        inode.replication = replication
        for block in inode.blocks:
            set_block_replication(self.block_manager, block, replication)

    def existing_inode(self, path: str, operation: DirOp) -> INode:
        """What the path leads to.

        Raises:
            HdfsIOException: one of those of `reserved.resolve_path`.
            FileNotFoundException: nothing is there.
        """
        inode = self.directory.get(self.resolve(path, operation))
        if inode is None:
            raise FileNotFoundException(f"File/Directory does not exist: {path}")
        return inode

    def set_permission(self, request: SetPermission, caller: Caller) -> None:
        """setPermission()

        Raises:
            FileNotFoundException: nothing is at the path.
        """
        check_exact(request.path)
        self.check_safe_mode(f"set permission for {request.path}")
        inode = self.existing_inode(request.path, DirOp.WRITE)
        inode.permission = request.permission
        self.journal.log(SetPermissionsOp(inode.path, request.permission))

    def set_owner(self, request: SetOwner, caller: Caller) -> None:
        """setOwner()

        Raises:
            FileNotFoundException: nothing is at the path.
        """
        check_exact(request.path)
        self.check_safe_mode(f"set owner for {request.path}")
        inode = self.existing_inode(request.path, DirOp.WRITE)
        self.change_owner(inode, request.owner, request.group)
        self.journal.log(SetOwnerOp(inode.path, request.owner, request.group))

    def change_owner(self, inode: INode, owner: str | None, group: str | None) -> None:
        """Another owner or group; None leaves it as it is."""
        inode.owner = inode.owner if owner is None else owner
        inode.group = inode.group if group is None else group

    def set_times(self, request: SetTimes, caller: Caller) -> None:
        """setTimes()

        Raises:
            FileNotFoundException: nothing is at the path.
        """
        self.check_safe_mode(f"set times {request.path}")
        inode = self.existing_inode(request.path, DirOp.WRITE)
        self.change_times(inode, request.modification_time_ms, request.access_time_ms)
        self.journal.log(TimesOp(inode.path, request.modification_time_ms, request.access_time_ms))

    def change_times(self, inode: INode, modification_time_ms: int, access_time_ms: int) -> None:
        """Other times; a negative one is left as it is."""
        if modification_time_ms >= 0:
            inode.modification_time_ms = modification_time_ms
        if access_time_ms >= 0:
            inode.access_time_ms = access_time_ms

    def set_safe_mode(self, request: SetSafeMode, caller: Caller) -> bool:
        """setSafeMode(): whether the namenode is in safe mode now."""
        safe_mode = self.block_manager.safe_mode
        match request.action:
            case SafeModeAction.ENTER:
                safe_mode.enter()
            case SafeModeAction.LEAVE | SafeModeAction.FORCE_EXIT:
                if safe_mode.is_on:
                    safe_mode.leave()
                    initialize_queues(self.block_manager)
            case SafeModeAction.GET:
                pass
        return safe_mode.is_on
