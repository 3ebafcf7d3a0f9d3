"""Names that HDFS keeps for itself: `/.reserved`, and `.snapshot` in every directory.

`/.reserved/raw/PATH` is another name of PATH, and `/.reserved/.inodes/ID/PATH` of what lies below the inode of that
number; calls that name them mean what they lead to. Nothing else is below `/.reserved`, and nothing can be made there.
The root can have snapshots, as in Hadoop, and has none: `/.snapshot` is an empty directory that nobody can change.

Source: NN/FSDirectory#resolveComponents, #isReservedName, #isExactReservedName, #verifyINodeName, #addLastINode,
    #checkTraverse, NN/FSDirConcatOp#validatePath, NN/FSDirStatAndListingOp, Hadoop 3.4.1.
"""

from typing import Any, Final

import msgspec

from genstamp_dfs.errors import (
    FileNotFoundException,
    HadoopIllegalArgumentException,
    HdfsIOException,
    InvalidPathException,
    SnapshotAccessControlException,
    SnapshotException,
)
from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.messages.client_protocol import HdfsFileStatus
from genstamp_dfs.hdfs.namenode.namespace import FSDirectory, INodeDirectory
from genstamp_dfs.hdfs.namenode.paths import is_valid_name, names_of
from genstamp_dfs.hdfs.protocol import NO_FILE_ID
from genstamp_dfs.world.request import Request

RESERVED: Final = ".reserved"
RESERVED_PATH: Final = f"/{RESERVED}"
RAW: Final = "raw"
INODES: Final = ".inodes"
SNAPSHOT: Final = ".snapshot"

_ID_LENGTH_MAX: Final = len(str(-(1 << 63)))

RESERVED_STATUS: Final = HdfsFileStatus(0, "", True, permission=0o1770, children=2)
RESERVED_ENTRIES: Final = tuple(HdfsFileStatus(0, name, True, permission=0o770) for name in (INODES, RAW))
SNAPSHOT_STATUS: Final = HdfsFileStatus(0, "", True, children=0)

_READS: Final = (
    client.GetFileInfo,
    client.GetListing,
    client.GetBlockLocations,
    client.GetContentSummary,
    client.IsFileClosed,
)
_PATHS: Final = ("path", "source", "destination")
_NO_EXACT: Final = (client.Create, client.Delete, client.SetPermission, client.SetOwner)
"""Calls that refuse `/.reserved` itself; for the others it does not exist."""


def resolved(request: Request[Any], directory: FSDirectory) -> Request[Any]:
    """The request, with each reserved path replaced by the path that it leads to.

    Raises:
        InvalidPathException: it changes `/.reserved`, or creates a file below that.
        FileNotFoundException: the number in a path is that of no inode.
        SnapshotAccessControlException: it changes something below `/.snapshot`.
        HdfsIOException: it is a concat, which takes no paths below `/.reserved`.
    """
    if isinstance(request, client.Concat):
        _check_concat(request)
        return request
    if getattr(request, "file_id", NO_FILE_ID) != NO_FILE_ID:
        return request
    given = {name: getattr(request, name) for name in _PATHS if hasattr(request, name)}
    if not any(path.startswith(("/.r", "/.s")) for path in given.values()):
        return request
    _check_exact(request, given)
    found = {name: _resolve(path, directory) for name, path in given.items() if is_valid_name(path)}
    if not isinstance(request, _READS):
        for path in found.values():
            if names_of(path)[:1] == [SNAPSHOT]:
                raise SnapshotAccessControlException(
                    f"Modification on a read-only snapshot is disallowed: {path} is below /{SNAPSHOT}"
                )
    return msgspec.structs.replace(request, **found)


def _check_exact(request: Request[Any], given: dict[str, str]) -> None:
    path = given.get("path", "")
    if isinstance(request, _NO_EXACT) and path == RESERVED_PATH:
        raise InvalidPathException(f"Invalid path name {path!r}: it is reserved")
    is_below = path.startswith(f"{RESERVED_PATH}/")
    is_other_name = path.startswith((f"{RESERVED_PATH}/{RAW}", f"{RESERVED_PATH}/{INODES}"))
    if isinstance(request, client.Create) and is_below and not is_other_name:
        raise InvalidPathException(f"Invalid path name {path!r}: it is below {RESERVED_PATH}")


def check_rename(destination: str) -> None:
    """Refuse `/.reserved` as the new name of something that is there (NN/FSDirRenameOp#validateDestination).

    Raises:
        InvalidPathException: it is that.
    """
    if destination == RESERVED_PATH:
        raise InvalidPathException(f"Cannot rename to or from {RESERVED_PATH}")


def _check_concat(request: client.Concat) -> None:
    for path in (request.target, *request.sources):
        if path.startswith((f"{RESERVED_PATH}/{RAW}", f"{RESERVED_PATH}/{INODES}")):
            raise HdfsIOException(f"Concat operation doesn't support {RESERVED} relative path : {path}")


def _resolve(path: str, directory: FSDirectory) -> str:
    """What a path leads to that may be below `/.reserved`."""
    names = names_of(path)
    if names[:2] == [RESERVED, RAW]:
        return path if names[2:] == [RESERVED] else "/" + "/".join(names[2:])
    if names[:2] == [RESERVED, INODES] and len(names) > 2:
        return _below_inode(path, names[2], names[3:], directory)
    return path


def _below_inode(path: str, number: str, names: list[str], directory: FSDirectory) -> str:
    # A longer number is no id, and int() refuses one of thousands of digits.
    if not number.removeprefix("-").isdecimal() or len(number) > _ID_LENGTH_MAX:
        raise FileNotFoundException(f"Invalid inode path: {path}")
    inode = directory.inodes.get(int(number))
    if inode is None:
        raise FileNotFoundException(f"File for given inode path does not exist: {path}")
    return "/" + "/".join([*names_of(inode.path), *names])


def check_new_names(parent: INodeDirectory, names: list[str]) -> None:
    """Refuse reserved names of new files and directories.

    Raises:
        HadoopIllegalArgumentException: one of them is reserved there.
    """
    if parent.parent is None and names[:1] == [RESERVED]:
        raise HadoopIllegalArgumentException(f'File name "{RESERVED}" is reserved and cannot be created.')
    if SNAPSHOT in names:
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
