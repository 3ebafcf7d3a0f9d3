"""Names that HDFS keeps for itself: `/.reserved`, and `.snapshot` in every directory.

`/.reserved/raw/PATH` is another name of PATH, and `/.reserved/.inodes/ID/PATH` of what lies below the inode of that
number; calls that name them mean what they lead to. Nothing else is below `/.reserved`, and nothing can be made there.
The root can have snapshots, as in Hadoop, and has none: `/.snapshot` is an empty directory that nobody can change.

Source: NN/FSDirectory#resolveComponents, #isReservedName, #isExactReservedName, #verifyINodeName, #addLastINode,
    #checkTraverse, NN/FSDirConcatOp#validatePath, NN/FSDirStatAndListingOp, Hadoop 3.4.1.
"""

from enum import Enum
from typing import Final

from genstamp_dfs.errors import (
    AccessControlException,
    FileNotFoundException,
    HadoopIllegalArgumentException,
    HdfsIOException,
    IllegalArgumentException,
    InvalidPathException,
    JavaAssertionError,
    ParentNotDirectoryException,
    SnapshotAccessControlException,
    SnapshotException,
)
from genstamp_dfs.hdfs.messages.client_protocol import HdfsFileStatus
from genstamp_dfs.hdfs.namenode.namespace import FSDirectory, INodeDirectory
from genstamp_dfs.hdfs.namenode.paths import is_valid_name, names_of

RESERVED: Final = ".reserved"
RESERVED_PATH: Final = f"/{RESERVED}"
RAW: Final = "raw"
INODES: Final = ".inodes"
SNAPSHOT: Final = ".snapshot"

_ID_LENGTH_MAX: Final = len(str(-(1 << 63)))

RESERVED_STATUS: Final = HdfsFileStatus(0, "", True, permission=0o1770)
RESERVED_ENTRIES: Final = tuple(HdfsFileStatus(0, name, True, permission=0o770) for name in (INODES, RAW))
SNAPSHOT_STATUS: Final = HdfsFileStatus(0, "", True, children=0)


class DirOp(Enum):
    """What a path is resolved for (FSDirectory.DirOp; links are not told apart)."""

    READ = "read"
    WRITE = "write"
    CREATE = "create"


def resolve_path(path: str, operation: DirOp, directory: FSDirectory) -> str:
    """The path that a path leads to: names between single slashes, not below `/.reserved/raw` or `/.reserved/.inodes`.

    Raises:
        InvalidPathException: it is to be created, and is no path.
        JavaAssertionError: it does not begin with a slash.
        FileNotFoundException: the number in it is that of no inode.
        ParentNotDirectoryException: it is to be created, and what should be a directory on the way is a file.
        AccessControlException: the same, of a path that is not to be created.
        SnapshotAccessControlException: it is not only read, and below `/.snapshot`.

    Source: FSDirectory#resolvePath, #checkTraverse, Hadoop 3.4.1.
    """
    if operation is DirOp.CREATE and not is_valid_name(path):
        raise InvalidPathException(f"Invalid path name Invalid file name: {path}")
    check_absolute(path)
    names = _resolve(path, directory)
    found = "/" + "/".join(names)
    try:
        directory.get(found)
    except ParentNotDirectoryException as problem:
        if operation is DirOp.CREATE:
            raise
        raise AccessControlException(str(problem)) from problem
    if operation is not DirOp.READ and names[:1] == [SNAPSHOT]:
        raise SnapshotAccessControlException(
            f"Modification on a read-only snapshot is disallowed: {path} is below /{SNAPSHOT}"
        )
    return found


def check_absolute(path: str) -> None:
    """Refuse a path that does not begin with a slash (INode#checkAbsolutePath).

    Raises:
        JavaAssertionError: it does not.
    """
    if not path.startswith("/"):
        raise JavaAssertionError(f"Absolute path required, but got '{path}'")


def check_exact(path: str) -> None:
    """Refuse `/.reserved` itself (FSDirectory#isExactReservedName).

    Raises:
        InvalidPathException: it is that.
    """
    if path == RESERVED_PATH:
        raise InvalidPathException(f"Invalid path name {path}")


def check_create(path: str) -> None:
    """Refuse what is no path, and `/.reserved` with all that is below it under no other name (#startFileInt).

    Raises:
        InvalidPathException: it is one of these.
    """
    is_below = path.startswith(f"{RESERVED_PATH}/")
    is_other_name = path.startswith((f"{RESERVED_PATH}/{RAW}", f"{RESERVED_PATH}/{INODES}"))
    if not is_valid_name(path) or path == RESERVED_PATH or (is_below and not is_other_name):
        raise InvalidPathException(f"Invalid path name {path}")


def check_rename(destination: str) -> None:
    """Refuse `/.reserved` as the new name of something that is there (NN/FSDirRenameOp#validateDestination).

    Raises:
        InvalidPathException: it is that.
    """
    if destination == RESERVED_PATH:
        raise InvalidPathException(f"Cannot rename to or from {RESERVED_PATH}")


def check_concat(target: str, sources: tuple[str, ...]) -> None:
    """Refuse a concat of nothing, and of paths below `/.reserved` (FSDirConcatOp#validatePath).

    Raises:
        IllegalArgumentException: there is no target, or no source.
        HdfsIOException: a path leads to another one.
    """
    if not target:
        raise IllegalArgumentException("Target file name is empty")
    if not sources:
        raise IllegalArgumentException("No sources given")
    for path in (target, *sources):
        if path.startswith((f"{RESERVED_PATH}/{RAW}", f"{RESERVED_PATH}/{INODES}")):
            raise HdfsIOException(f"Concat operation doesn't support {RESERVED} relative path : {path}")


def _resolve(path: str, directory: FSDirectory) -> list[str]:
    """The names of what a path leads to that may be below `/.reserved` (FSDirectory#resolveComponents)."""
    names = names_of(path)
    if names[:2] == [RESERVED, RAW] and names[2:] != [RESERVED]:
        return names[2:]
    if names[:2] == [RESERVED, INODES] and len(names) > 2:
        return _below_inode(path, names[2], names[3:], directory)
    return names


def _below_inode(path: str, number: str, names: list[str], directory: FSDirectory) -> list[str]:
    # A longer number is no id, and int() refuses one of thousands of digits.
    if not number.removeprefix("-").isdecimal() or len(number) > _ID_LENGTH_MAX:
        raise FileNotFoundException(f"Invalid inode path: {path}")
    inode = directory.inodes.get(int(number))
    if inode is None:
        raise FileNotFoundException(f"File for given inode path does not exist: {path}")
    if names[:1] == [".."]:
        # For NFS; whatever follows is left out (FSDirectory#resolveDotInodesPath).
        return [] if inode.parent is None else names_of(inode.parent.path)
    return [*names_of(inode.path), *names]


def check_new_name(parent: INodeDirectory, name: str) -> None:
    """Refuse the reserved name of a new file or directory.

    Raises:
        HadoopIllegalArgumentException: it is reserved there.
    """
    if parent.parent is None and name == RESERVED:
        raise HadoopIllegalArgumentException(f'File name "{RESERVED}" is reserved and cannot be created.')
    if name == SNAPSHOT:
        raise HadoopIllegalArgumentException(f'"{SNAPSHOT}" is a reserved name.')


def status_of(path: str) -> HdfsFileStatus | None:
    """What getFileInfo says of a reserved path; None if it is not one."""
    match names_of(path):
        case [name] if name == RESERVED:
            return RESERVED_STATUS
        case [name] if name == SNAPSHOT:
            return SNAPSHOT_STATUS
        case _:
            return None


def entries_of(path: str, directory: FSDirectory) -> tuple[HdfsFileStatus, ...] | None:
    """What getListing says of a reserved path; None if it is not one.

    Raises:
        FileNotFoundException, SnapshotException: it is the `.snapshot` of no directory, or of one that can have none.
    """
    match names_of(path):
        case [name] if name == RESERVED:
            return RESERVED_ENTRIES
        case [name] if name == SNAPSHOT:
            return ()
        case [*above, name] if name == SNAPSHOT:
            of = "/" + "/".join(above)
            if not isinstance(directory.get(of), INodeDirectory):
                raise FileNotFoundException(f"Directory does not exist: {of}")
            raise SnapshotException(f"Directory is not a snapshottable directory: {of}")
        case _:
            return None
