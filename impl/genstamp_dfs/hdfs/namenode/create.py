"""create()

Not here: permissions, object limits, storage policies, erasure coding, encryption zones.

Source: NN/FSNamesystem#startFileInt, NN/FSDirWriteFileOp#resolvePathForStartFile, #startFile, Hadoop 3.4.1; facts E.1.
"""

from genstamp_dfs.errors import FileAlreadyExistsException, FileNotFoundException, HdfsIOException
from genstamp_dfs.hdfs.messages.client_protocol import Create, CreateFlag, HdfsFileStatus
from genstamp_dfs.hdfs.namenode.edit_ops import AddOp
from genstamp_dfs.hdfs.namenode.namespace import INodeDirectory, INodeFile
from genstamp_dfs.hdfs.namenode.paths import check_length
from genstamp_dfs.hdfs.namenode.reserved import DirOp, check_create
from genstamp_dfs.hdfs.namenode.tree_changes import TreeChanges
from genstamp_dfs.world.request import Caller


class CreateCall(TreeChanges):
    """Opening a new file."""

    def create(self, request: Create, caller: Caller) -> HdfsFileStatus:
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
        self.check_safe_mode(f"create file {request.path}")
        path = self.resolve(request.path, DirOp.CREATE)
        existing = self._existing_for_start_file(request, path)
        self._check_sizes(request)
        overwrites = existing is not None and CreateFlag.OVERWRITE in request.flag
        if existing is not None and not overwrites:
            self.recover_lease_internal("CREATE_FILE", existing, request.client_name, caller.machine, force=False)
            raise FileAlreadyExistsException(f"{request.path} for client {caller.machine} already exists")
        if existing is not None:
            self.remove_tree(existing, self.clock.time_ms())
        return self.file_status(self._add_file(request, path, caller, overwrites=overwrites))

    def _existing_for_start_file(self, request: Create, path: str) -> INodeFile | None:
        """The file that exists at the resolved path, if any (#resolvePathForStartFile)."""
        inode = self.directory.get(path)
        if isinstance(inode, INodeDirectory):
            raise FileAlreadyExistsException(f"{path} already exists as a directory")
        if inode is None:
            _, missing = self.directory.nearest_directory(path)
            if len(missing) > 1 and not request.create_parent:
                raise FileNotFoundException(f"Parent directory doesn't exist: {request.path}")
            if CreateFlag.CREATE not in request.flag:
                raise FileNotFoundException(f"Can't overwrite non-existent {request.path}")
            return None
        assert isinstance(inode, INodeFile)
        return inode

    def _check_sizes(self, request: Create) -> None:
        """Refuse a block size or replication out of range."""
        if request.block_size < self.configuration.minimal_block_size:
            raise HdfsIOException(
                f"Specified block size is less than configured minimum value: {request.block_size} < "
                f"{self.configuration.minimal_block_size}"
            )
        self.verify_replication(request.path, request.replication)

    def verify_replication(self, path: str, replication: int) -> None:
        """Refuse a replication out of range (BlockManager#verifyReplication)."""
        least, most = self.configuration.minimal_replication, self.configuration.maximal_replication
        if not least <= replication <= most:
            raise HdfsIOException(f"replication of {path} is {replication}, accepted: {least} to {most}")

    def _add_file(self, request: Create, path: str, caller: Caller, *, overwrites: bool) -> INodeFile:
        """Make the file at the resolved path, open for its client, with the directories that are missing.

        As in HDFS, those that were made stay if a name below them is refused.
        """
        parent, missing = self.directory.nearest_directory(path)
        parent = self.make_directories(parent, missing[:-1], 0o755, caller.user)
        self.verify_new_name(parent, missing[-1])
        time_ms = self.clock.time_ms()
        op = AddOp(
            f"{parent.path.rstrip('/')}/{missing[-1]}",
            self.directory.next_inode_id(),
            request.replication,
            request.block_size,
            request.permission,
            time_ms,
            request.client_name,
            caller.machine,
            overwrites,
            caller.user,
            self.call_of(caller),
        )
        inode = self.add_file(parent, missing[-1], op)
        self.journal.log(op)
        return inode

    def add_file(self, parent: INodeDirectory, name: str, op: AddOp) -> INodeFile:
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
        self.directory.add(parent, inode, op.time_ms)
        self.lease_manager.add_lease(op.client_name, inode.file_id, self.clock.now_us())
        return inode
