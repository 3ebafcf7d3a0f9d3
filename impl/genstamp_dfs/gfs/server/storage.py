"""Whose directory it is: the file VERSION of a master or chunkserver, and what was decided when it was made.

The size of a chunk and the time of a lease are decided once. Replicas that were written with another size could not be
read, and a master that believed in shorter leases than an earlier one has granted could make two primaries.

Not here: what the cores keep in directories of their own, beside VERSION.
"""

from dataclasses import replace
from typing import Final

import msgspec

from genstamp_dfs.errors import ConfigurationError, StorageError
from genstamp_dfs.gfs.protocol import Limits
from genstamp_dfs.version_file import HARMLESS_NAMES, UNFINISHED_FILE, read_version_file, write_version_file
from genstamp_dfs.world.disk import Disk

LAYOUT: Final = 1

ROLES: Final = ("master", "chunkserver")

_DECIDED: Final = ("chunk_bytes", "lease_us", "lease_margin")
"""What of the limits stays as it is."""


class Storage(msgspec.Struct, frozen=True):
    """What VERSION says.

    Attributes:
        role: "master" or "chunkserver".
        cluster_id: the same in all directories of a cluster.
        limits: of the cluster.
    """

    role: str
    cluster_id: str
    limits: Limits


def read_storage(disk: Disk, role: str) -> Storage | None:
    """What VERSION says in a directory; None for a new one, which is empty.

    Raises:
        StorageError: the directory is foreign, of another layout or another kind of node, or VERSION is damaged.
    """
    fields = read_version_file(disk, "")
    if fields is None:
        foreign = [name for name in disk.names("") if name not in HARMLESS_NAMES and name != UNFINISHED_FILE]
        if foreign:
            raise StorageError(
                f"the directory has {', '.join(foreign[:5])} in it and no VERSION; accepted: an empty one"
            )
        return None
    missing = [name for name in ("layoutVersion", "node", "clusterID", *_DECIDED) if name not in fields]
    if missing:
        raise StorageError(f"VERSION does not say {', '.join(missing)}; it is not that of a node of GFS, or damaged")
    if fields["layoutVersion"] != str(LAYOUT):
        raise StorageError(f"VERSION says layoutVersion {fields['layoutVersion']}, accepted: {LAYOUT}")
    if fields["node"] != role:
        raise StorageError(f"VERSION says node {fields['node']}, accepted: {role}")
    try:
        limits = Limits(
            chunk_bytes=int(fields["chunk_bytes"]),
            lease_us=int(fields["lease_us"]),
            lease_margin=float(fields["lease_margin"]),
        )
    except (ValueError, ConfigurationError) as problem:
        raise StorageError(f"VERSION is damaged: {problem}") from problem
    return Storage(role, fields["clusterID"], limits)


def write_storage(disk: Disk, storage: Storage) -> None:
    """Make an empty directory that of a node."""
    decided = {name: str(getattr(storage.limits, name)) for name in _DECIDED}
    fields = {"layoutVersion": str(LAYOUT), "node": storage.role, "clusterID": storage.cluster_id, **decided}
    write_version_file(disk, "", fields)


def decided_limits(storage: Storage | None, limits: Limits) -> Limits:
    """The limits that a directory was made with, but for what may change."""
    return limits if storage is None else replace(limits, **{name: getattr(storage.limits, name) for name in _DECIDED})


def check_same(storage: Storage, wanted: Storage) -> None:
    """Refuse a directory that is another cluster's, or was made with other limits.

    Raises:
        StorageError: it is.
    """
    if storage.cluster_id != wanted.cluster_id:
        raise StorageError(f"the directory belongs to cluster {storage.cluster_id}, accepted: {wanted.cluster_id}")
    for name in _DECIDED:
        made, asked = getattr(storage.limits, name), getattr(wanted.limits, name)
        if made != asked:
            raise StorageError(f"the directory was made with limits.{name}={made}, which cannot become {asked}")
