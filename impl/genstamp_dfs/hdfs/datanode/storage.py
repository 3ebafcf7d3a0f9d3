"""The storage directory of a datanode: what makes it one, and when it is refused.

    in_use.lock                                  who uses it
    current/VERSION                              the datanode's identity
    current/<block pool>/current/VERSION         the cluster that the blocks belong to
    current/<block pool>/current/rbw             replicas that are written
    current/<block pool>/current/finalized       finished ones, in two levels of subdirectories
    current/<block pool>/tmp                     copies that arrive

A directory is formatted if it is empty, or if a format was cut short in it. What is anything else, or newer, or belongs
to another cluster, is refused and left as it was.

Not here: upgrades, and the lock itself: that nobody else opens the directory is the business of the disk.

Source: DN/DataStorage, DN/BlockPoolSliceStorage, NN side: common/Storage, Hadoop 3.4.1.
"""

import random
from dataclasses import dataclass
from typing import Final

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo
from genstamp_dfs.version_file import (
    HARMLESS_NAMES,
    LOCK_FILE,
    UNFINISHED_FILE,
    VERSION_FILE,
    read_version_file,
    write_version_file,
)
from genstamp_dfs.world.disk import Disk

LAYOUT_VERSION: Final = -57
"""HDFS' number of this layout; newer ones are smaller (DataNodeLayoutVersion)."""


@dataclass(frozen=True, slots=True)
class StorageIdentity:
    """Who the datanode is, as its VERSION file says."""

    datanode_uuid: str
    storage_id: str


def open_storage(disk: Disk, namespace: NamespaceInfo, node: str, chance: random.Random) -> StorageIdentity:
    """Make sure that the directory is this cluster's; format it if it is empty.

    Args:
        disk: the directory.
        namespace: the cluster, as the namenode told.
        node: name of the datanode, for the lock file.
        chance: where a new identity comes from.

    Raises:
        StorageError: the directory is foreign, newer, corrupt or another cluster's; it is as it was.
    """
    pool = f"current/{namespace.block_pool_id}"
    known = read_version_file(disk, "current")
    if known is None:
        _check_unformatted(disk)
    else:
        _check_layout("current", known)
        _check_field("current", known, "clusterID", namespace.cluster_id)
        _check_field("current", known, "storageType", "DATA_NODE")
    pool_version = read_version_file(disk, f"{pool}/current")
    if pool_version is not None:
        _check_layout(f"{pool}/current", pool_version)
        _check_field(f"{pool}/current", pool_version, "blockpoolID", namespace.block_pool_id)
        _check_field(f"{pool}/current", pool_version, "namespaceID", str(namespace.namespace_id))
    elif _holds_replicas(disk, pool):
        raise StorageError(f"{pool} holds replicas but no {VERSION_FILE} file, accepted: both or neither")
    return _format(disk, namespace, node, chance, known, pool_version is not None)


def _format(
    disk: Disk,
    namespace: NamespaceInfo,
    node: str,
    chance: random.Random,
    known: dict[str, str] | None,
    has_pool: bool,
) -> StorageIdentity:
    """Write what is missing, the file that counts last."""
    if not disk.exists(LOCK_FILE):
        disk.create(LOCK_FILE)
        disk.write(LOCK_FILE, 0, node.encode())
    pool = f"current/{namespace.block_pool_id}"
    for directory in (f"{pool}/current/rbw", f"{pool}/current/finalized", f"{pool}/tmp"):
        disk.make_directory(directory)
    if known is None:
        known = {
            "storageID": f"DS-{_uuid(chance)}",
            "clusterID": namespace.cluster_id,
            "cTime": "0",
            "datanodeUuid": _uuid(chance),
            "storageType": "DATA_NODE",
            "layoutVersion": str(LAYOUT_VERSION),
        }
        write_version_file(disk, "current", known)
    if not has_pool:
        fields = {
            "namespaceID": str(namespace.namespace_id),
            "cTime": "0",
            "blockpoolID": namespace.block_pool_id,
            "layoutVersion": str(LAYOUT_VERSION),
        }
        write_version_file(disk, f"{pool}/current", fields)
    return StorageIdentity(known["datanodeUuid"], known["storageID"])


def _check_unformatted(disk: Disk) -> None:
    """The directory must be empty but for what an interrupted format leaves."""
    names = set(disk.names("")) - HARMLESS_NAMES
    if names - {"current"}:
        raise StorageError(
            f"the directory has {', '.join(sorted(names))} and no current/{VERSION_FILE}, accepted: an empty one"
        )
    for name in disk.names("current"):
        path = f"current/{name}"
        if name != UNFINISHED_FILE and not (disk.is_directory(path) and not _holds_replicas(disk, path)):
            raise StorageError(f"the directory has {path} and no current/{VERSION_FILE}, accepted: an empty one")


def _holds_replicas(disk: Disk, pool: str) -> bool:
    """Whether there is any file in the directory of a block pool but what an interrupted format leaves."""
    if not disk.exists(pool):
        return False
    waiting = [pool]
    while waiting:
        directory = waiting.pop()
        for name in disk.names(directory):
            path = f"{directory}/{name}"
            if disk.is_directory(path):
                waiting.append(path)
            elif name != UNFINISHED_FILE:
                return True
    return False


def _check_layout(directory: str, fields: dict[str, str]) -> None:
    """The layout must be the one that is known here."""
    given = fields.get("layoutVersion", "")
    if given != str(LAYOUT_VERSION):
        raise StorageError(
            f"{directory}/{VERSION_FILE} has layoutVersion {given or 'none'}, accepted: {LAYOUT_VERSION}"
        )


def _check_field(directory: str, fields: dict[str, str], name: str, wanted: str) -> None:
    """A field must have this value."""
    given = fields.get(name)
    if given != wanted:
        raise StorageError(f"{directory}/{VERSION_FILE} has {name} {given or 'none'}, accepted: {wanted}")


def _uuid(chance: random.Random) -> str:
    """A new random identity in the usual form."""
    digits = f"{chance.getrandbits(128):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
