"""The nodes of a cluster of GFS on one machine, which `genstamp_dfs.server.cluster` runs."""

from typing import Final

from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.server.cluster import FileSystem, Role


def _is_no_limit(setting: str) -> bool:
    # The master tells the chunkservers its limits.
    return not setting.startswith("limits.")


GFS: Final = FileSystem(
    first=Role(MASTER, ("genstamp_dfs.gfs.server", "master"), MasterConfiguration()),
    other=Role("chunkserver", ("genstamp_dfs.gfs.server", "chunkserver"), ChunkserverConfiguration()),
    is_for_others=_is_no_limit,
)
