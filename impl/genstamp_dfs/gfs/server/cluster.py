"""A small cluster of GFS on one machine.

    DIRECTORY/cluster.json       the ports, which stay the same, and the processes
    DIRECTORY/master             storage directories
    DIRECTORY/chunkserver1 ...
    DIRECTORY/events/*.jsonl     what each node tells of what it does

One process for each node; `genstamp_dfs.server.minding` keeps them running.

Not here: several machines, racks.
"""

import asyncio
import sys
from pathlib import Path
from typing import Final

from genstamp_dfs.errors import ConfigurationError, StorageError
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.server.event_file import EVENTS_LIMIT_MIB
from genstamp_dfs.server.minding import EVENTS, Node, Nodes, read_book
from genstamp_dfs.server.process import CONFIGURATION, log_to_stderr, settings_of_nodes, stopped_by_signals

CHUNKSERVERS: Final = 3
MAX_CHUNKSERVERS: Final = 100


class Cluster:
    """A master and chunkservers.

    Args:
        directory: of the cluster; an empty one becomes one.
        chunkservers: how many.
        host: where to listen.
        port: of the master; None for the one of the last run, or whichever the system chooses.
        settings: name=value, for the master, the chunkservers or both.
        events_limit_mib: how long each node's file of events gets, of which one older is kept; 0 for no limit.
        log_level: the least that each node tells on standard error.

    Raises:
        ConfigurationError: a setting is not one of theirs.
        StorageError: the directory is something else; it is as it was.
    """

    def __init__(
        self,
        directory: Path,
        *,
        chunkservers: int,
        host: str,
        port: int | None,
        settings: list[str],
        events_limit_mib: int = EVENTS_LIMIT_MIB,
        log_level: str = "info",
    ) -> None:
        self.directory = directory.resolve()
        self._events_limit_mib = events_limit_mib
        self._log_level = log_level
        self._host = host
        nodes = {"master": MasterConfiguration(), "chunkserver": ChunkserverConfiguration()}
        for_master, for_both = settings_of_nodes(nodes, settings)
        self._for_master = for_master
        self._for_chunkservers = [setting for setting in for_both if not setting.startswith("limits.")]
        self._known = read_book(self.directory, MASTER)
        ports = self._known.get(MASTER, {"port": 0}) if port is None else {"port": port}
        master = Node(MASTER, self._command("master", MASTER, self._for_master), ports)
        names = [f"chunkserver{number}" for number in range(1, chunkservers + 1)]
        self._nodes = Nodes(self.directory, host, master, lambda: [self._chunkserver(name) for name in names])

    async def run(self, stopping: asyncio.Event) -> int:
        """Run all nodes until told to stop, or until one is refused; gives the exit code."""
        return await self._nodes.run(stopping)

    def _chunkserver(self, name: str) -> Node:
        address = f"{self._host}:{self._nodes.first.ports['port']}"
        command = [*self._command("chunkserver", name, self._for_chunkservers), "--master", address]
        return Node(name, command, self._known.get(name, {"port": 0}))

    def _command(self, role: str, name: str, settings: list[str]) -> list[str]:
        command = [sys.executable, "-m", "genstamp_dfs.gfs.server", role, str(self.directory / name)]
        command += ["--host", self._host, "--ends-with-parent"]
        command += ["--events", str(self.directory / EVENTS / f"{name}.jsonl")]
        command += ["--events-limit", str(self._events_limit_mib), "--log-level", self._log_level]
        return command + [f"--set={setting}" for setting in settings]


def run_cluster(
    directory: Path,
    *,
    chunkservers: int,
    host: str,
    port: int | None,
    settings: list[str],
    events_limit_mib: int = EVENTS_LIMIT_MIB,
    log_level: str = "info",
) -> int:
    """Run a cluster until SIGTERM or SIGINT; gives the exit code. The arguments are those of `Cluster`."""

    async def run() -> int:
        cluster = Cluster(
            directory,
            chunkservers=chunkservers,
            host=host,
            port=port,
            settings=settings,
            events_limit_mib=events_limit_mib,
            log_level=log_level,
        )
        return await cluster.run(stopped_by_signals())

    log_to_stderr(log_level)
    try:
        if not 1 <= chunkservers <= MAX_CHUNKSERVERS:
            raise ConfigurationError(f"{chunkservers} chunkservers, accepted: 1 to {MAX_CHUNKSERVERS}")
        return asyncio.run(run())
    except (ConfigurationError, StorageError, OSError) as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return CONFIGURATION
