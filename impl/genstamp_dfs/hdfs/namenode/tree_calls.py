"""mkdirs(), delete(), rename(), concat(): the tree of names.

A rename or deletion concerns open files as it does closed ones: leases and blocks name the inode.

Not here: permissions, quotas, snapshots, trash, symbolic links.

Source: NN/FSDirMkdirOp, NN/FSDirDeleteOp, NN/FSDirRenameOp, NN/FSDirConcatOp, Hadoop 3.4.1; facts E.14.
"""

from genstamp_dfs.errors import (
    FileAlreadyExistsException,
    FileNotFoundException,
    HadoopIllegalArgumentException,
    HdfsIOException,
    PathIsNotEmptyDirectoryException,
)
from genstamp_dfs.hdfs.messages.client_protocol import Concat, Delete, Mkdirs, Rename, Rename2
from genstamp_dfs.hdfs.namenode.edit_ops import ConcatDeleteOp, DeleteOp, RenameOldOp, RenameOp, call_of
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.namenode.namespace import INode, INodeDirectory, INodeFile
from genstamp_dfs.hdfs.namenode.paths import check_length, names_of
from genstamp_dfs.hdfs.namenode.redundancy import set_block_replication
from genstamp_dfs.hdfs.namenode.reserved import DirOp, check_concat, check_exact, check_rename
from genstamp_dfs.hdfs.namenode.tree_changes import make_directories, move, remove_tree, verify_new_name
from genstamp_dfs.world.request import Caller


def is_below(path: str, ancestor: str) -> bool:
    """Whether the path is the other one or below it, name by name (HDFS-4248).

    >>> is_below("/a/b", "/a"), is_below("/ab", "/a"), is_below("/a", "/a")
    (True, False, True)
    """
    names = names_of(ancestor)
    return names_of(path)[: len(names)] == names


def mkdirs(fsn: FSNamesystem, request: Mkdirs, caller: Caller) -> bool:
    """mkdirs(): true, also if the directory is there.

    Raises:
        HdfsIOException, InvalidPathException: the path is too long, or none.
        FileAlreadyExistsException: a file is there.
        FileNotFoundException: the parent is missing and not to be made.
        ParentNotDirectoryException: a file is on the way.
        HadoopIllegalArgumentException: a name on the way is reserved.
    """
    check_length("mkdirs", request.path)
    fsn.check_safe_mode(f"create directory {request.path}")
    path = fsn.resolve(request.path, DirOp.CREATE)
    existing = fsn.directory.get(path)
    if isinstance(existing, INodeFile):
        raise FileAlreadyExistsException(f"Path is not a directory: {request.path}")
    if existing is not None:
        return True
    parent, missing = fsn.directory.nearest_directory(path)
    if len(missing) > 1 and not request.create_parent:
        raise FileNotFoundException(f"Parent directory doesn't exist: {request.path}")
    make_directories(fsn, parent, missing, request.permission, caller.user)
    return True


def delete(fsn: FSNamesystem, request: Delete, caller: Caller) -> bool:
    """delete(): whether there was something; the root is never deleted.

    Raises:
        PathIsNotEmptyDirectoryException: a directory with entries, and not `recursive`.
    """
    fsn.check_safe_mode(f"delete {request.path}")
    check_exact(request.path)
    inode = fsn.directory.get(fsn.resolve(request.path, DirOp.WRITE))
    if isinstance(inode, INodeDirectory) and inode.children and not request.recursive:
        raise PathIsNotEmptyDirectoryException(f"{request.path} is non empty")
    if inode is None or inode.parent is None:
        return False
    time_ms = fsn.clock.time_ms()
    fsn.journal.log(DeleteOp(inode.path, time_ms, call_of(caller)))
    remove_tree(fsn, inode, time_ms)
    return True


def rename(fsn: FSNamesystem, request: Rename, caller: Caller) -> bool:
    """rename(), the old form: false where the new one throws; a directory as destination takes the source in.

    Raises:
        HdfsIOException: the destination's name is none, or too long.
        ParentNotDirectoryException: a file is on the way to one of them.
    """
    check_length("rename", request.destination)
    fsn.check_safe_mode(f"rename {request.source}")
    source = fsn.directory.get(fsn.resolve(request.source, DirOp.WRITE))
    destination = fsn.resolve(request.destination, DirOp.CREATE)
    if source is None or source.parent is None:
        return False
    if isinstance(fsn.directory.get(destination), INodeDirectory):
        destination = f"{destination.rstrip('/')}/{source.name}"
    if destination == source.path:
        return True
    if is_below(destination, source.path):
        return False
    check_rename(destination)
    if fsn.directory.get(destination) is not None:
        return False
    parent, missing = fsn.directory.nearest_directory(destination)
    if len(missing) != 1:
        return False
    verify_new_name(fsn, parent, missing[0])
    time_ms = fsn.clock.time_ms()
    fsn.journal.log(RenameOldOp(source.path, destination, time_ms, call_of(caller)))
    move(fsn, source, parent, missing[0], time_ms)
    return True


def rename2(fsn: FSNamesystem, request: Rename2, caller: Caller) -> None:
    """rename2(), the form that throws; `overwrite` replaces a file, or an empty directory, of the same kind.

    Raises:
        InvalidPathException: the destination is no path, or `/.reserved`.
        HadoopIllegalArgumentException: its name is reserved.
        FileNotFoundException: no source, or no directory for the destination.
        FileAlreadyExistsException: both are the same, or the destination exists and is not to be replaced.
        ParentNotDirectoryException: a file is where a directory should be.
        HdfsIOException: one of them is the root, the destination is below the source, of the other kind, or a
            directory with entries.
    """
    check_length("rename", request.destination)
    fsn.check_safe_mode(f"rename {request.source}")
    source = fsn.directory.get(fsn.resolve(request.source, DirOp.WRITE))
    destination = fsn.resolve(request.destination, DirOp.CREATE)
    if source is None:
        raise FileNotFoundException(f"rename source {request.source} is not found.")
    if source.parent is None:
        raise HdfsIOException("rename source cannot be the root")
    _check_rename(request, source, destination)
    replaced = fsn.directory.get(destination)
    if replaced is not None:
        _check_replaced(request, source, replaced)
    parent, missing = fsn.directory.nearest_directory(destination.rpartition("/")[0])
    if missing:
        raise FileNotFoundException(f"rename destination parent of {destination} not found.")
    name = names_of(destination)[-1]
    if replaced is None:
        verify_new_name(fsn, parent, name)
    time_ms = fsn.clock.time_ms()
    call = call_of(caller)
    fsn.journal.log(RenameOp(source.path, destination, request.overwrite, time_ms, call))
    if replaced is not None:
        remove_tree(fsn, replaced, time_ms)
    move(fsn, source, parent, name, time_ms)


def _check_rename(request: Rename2, source: INode, destination: str) -> None:
    if destination == source.path:
        raise FileAlreadyExistsException(f"The source {request.source} and destination {destination} are the same")
    if is_below(destination, source.path):
        raise HdfsIOException(f"Rename destination {destination} is a directory or file under {source.path}")
    check_rename(destination)
    if destination == "/":
        raise HdfsIOException("rename destination cannot be the root")


def _check_replaced(request: Rename2, source: INode, replaced: INode) -> None:
    """FSDirRenameOp#validateOverwrite."""
    if isinstance(replaced, INodeDirectory) != isinstance(source, INodeDirectory):
        raise HdfsIOException(f"Source {request.source} and destination {request.destination} must be of one kind")
    if not request.overwrite:
        raise FileAlreadyExistsException(f"rename destination {request.destination} already exists")
    if isinstance(replaced, INodeDirectory) and replaced.children:
        raise HdfsIOException(f"rename destination directory is not empty: {request.destination}")


def concat(fsn: FSNamesystem, request: Concat, caller: Caller) -> None:
    """concat(): the blocks of the sources, which go away, at the end of the target. No lease is involved.

    Raises:
        FileNotFoundException: the target or a source does not exist.
        HadoopIllegalArgumentException: no sources; a file is open; a source is empty, repeated, the target, in
            another directory, or of larger blocks (HDFS-7943).
    """
    fsn.check_safe_mode(f"concat {request.target}")
    check_concat(request.target, request.sources)
    target = fsn.file_for(request.target, DirOp.WRITE)
    if target.is_under_construction:
        raise HadoopIllegalArgumentException(f"concat: target file {request.target} is under construction")
    sources = [_concat_source(fsn, target, path) for path in request.sources]
    if len({source.file_id for source in sources}) < len(sources):
        raise HadoopIllegalArgumentException("concat: at least two of the source files are the same")
    op = ConcatDeleteOp(target.path, tuple(source.path for source in sources), fsn.clock.time_ms(), call_of(caller))
    concat_files(fsn, target, sources, op.time_ms)
    fsn.journal.log(op)


def _concat_source(fsn: FSNamesystem, target: INodeFile, path: str) -> INodeFile:
    """A source that the target can take in (FSDirConcatOp#verifySrcFiles)."""
    source = fsn.file_for(path, DirOp.WRITE)
    wrong = None
    if source.parent is not target.parent:
        wrong = "is not in the same directory with the target"
    elif source is target:
        wrong = "is the target"
    elif source.is_under_construction or not source.blocks:
        wrong = "is invalid or empty or underConstruction"
    elif source.block_size > target.block_size:
        wrong = f"has preferred block size {source.block_size}, the target {target.block_size}"
    if wrong is not None:
        raise HadoopIllegalArgumentException(f"concat: source file {path} {wrong}")
    return source


def concat_files(fsn: FSNamesystem, target: INodeFile, sources: list[INodeFile], time_ms: int) -> None:
    """Move the blocks, and take the sources away (FSDirConcatOp#unprotectedConcat)."""
    for source in sources:
        for block in source.blocks:
            block.file_id = target.file_id
            set_block_replication(fsn.block_manager, block, target.replication)
        target.blocks.extend(source.blocks)
        source.blocks = []
        fsn.directory.remove(source, time_ms)
    target.modification_time_ms = time_ms
