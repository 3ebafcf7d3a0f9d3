"""The storage directory of a namenode: what makes it one, and when it is refused.

    current/VERSION                   which cluster it keeps, and in which layout
    current/fsimage_<transaction>     the whole namespace up to a transaction
    current/edits_<first>-<last>      what came after it
    current/edits_inprogress_<first>
    current/seen_txid                 with which transaction the newest of the edits begin

VERSION is written last, so a directory whose format was cut short is formatted again. Any other directory without it
is foreign. A directory that is foreign, or of another layout, is refused and left as it was.

Not here: upgrades and roll-back, several directories, and the lock: that nobody else opens the directory is the
business of the disk. Hadoop's lock file is no obstacle.

Source: common/Storage, common/StorageInfo, NN/NNStorage, Hadoop 3.4.1.
"""

import random
from dataclasses import dataclass
from typing import Final

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo
from genstamp_dfs.hdfs.namenode.edit_log import DIRECTORY, FINALIZED
from genstamp_dfs.version_file import (
    HARMLESS_NAMES,
    UNFINISHED_FILE,
    VERSION_FILE,
    read_version_file,
    write_version_file,
)
from genstamp_dfs.world.disk import Disk

LAYOUT_VERSION: Final = 1
"""Number of this layout; it counts up, while Hadoop's are negative, so neither takes the other's for its own."""

STORAGE_TYPE: Final = "NAME_NODE"
VERSION: Final = f"{DIRECTORY}/{VERSION_FILE}"
IMAGE: Final = "fsimage_"


@dataclass(frozen=True, slots=True)
class StorageDirectory:
    """A directory that was opened, and which cluster it keeps."""

    disk: Disk
    namespace: NamespaceInfo
    is_new: bool


def open_storage(disk: Disk, chance: random.Random) -> StorageDirectory:
    """Open a storage directory; one that is empty becomes a new cluster's, which has no image yet.

    Args:
        disk: the directory.
        chance: where the ids of a new cluster come from.

    Raises:
        StorageError: the directory is foreign, of another layout, or its VERSION is damaged. Nothing has changed.
    """
    fields = read_version_file(disk, DIRECTORY)
    if fields is not None:
        return StorageDirectory(disk, _namespace_of(fields), is_new=False)
    _check_empty(disk)
    number = chance.getrandbits(31)
    cluster = chance.getrandbits(64)
    return StorageDirectory(disk, NamespaceInfo(f"BP-{number}-{cluster:016x}", f"CID-{cluster:016x}", number), True)


def write_version(disk: Disk, namespace: NamespaceInfo) -> None:
    """Make the directory that of a namenode; the last thing that formatting does."""
    fields = {
        "namespaceID": str(namespace.namespace_id),
        "clusterID": namespace.cluster_id,
        "storageType": STORAGE_TYPE,
        "blockpoolID": namespace.block_pool_id,
        "layoutVersion": str(LAYOUT_VERSION),
    }
    write_version_file(disk, DIRECTORY, fields)


def _namespace_of(values: dict[str, str]) -> NamespaceInfo:
    """The cluster that VERSION tells of, if it is of this layout."""
    wanted = ("namespaceID", "clusterID", "storageType", "blockpoolID", "layoutVersion")
    missing = [key for key in wanted if key not in values]
    if missing:
        raise StorageError(f"{VERSION} does not say {', '.join(missing)}; it is not that of a namenode, or damaged")
    if values["storageType"] != STORAGE_TYPE:
        raise StorageError(f"{VERSION} says storageType {values['storageType']}, accepted: {STORAGE_TYPE}")
    if values["layoutVersion"] != str(LAYOUT_VERSION):
        raise StorageError(f"{VERSION} says layoutVersion {values['layoutVersion']}, accepted: {LAYOUT_VERSION}")
    if not values["namespaceID"].isdecimal():
        raise StorageError(f"{VERSION} says namespaceID {values['namespaceID']}, accepted: a number")
    return NamespaceInfo(values["blockpoolID"], values["clusterID"], int(values["namespaceID"]))


def _check_empty(disk: Disk) -> None:
    """Refuse a directory that has other things in it than what a format that was cut short has left."""
    foreign = [name for name in disk.names("") if name not in HARMLESS_NAMES and name != DIRECTORY]
    inside = disk.names(DIRECTORY) if disk.is_directory(DIRECTORY) else []
    unfinished = (UNFINISHED_FILE, IMAGE)
    foreign += [f"{DIRECTORY}/{name}" for name in inside if not name.startswith(unfinished)]
    if foreign:
        has_edits = any(name.startswith(FINALIZED) for name in inside)
        what = f"edits but no {VERSION}" if has_edits else "something else"
        raise StorageError(f"the directory has {what} in it: {', '.join(foreign[:5])}; accepted: an empty one")
