"""A small cluster on one machine: `python -m genstamp_dfs.server.cluster DIRECTORY`.

    DIRECTORY/cluster.json     the ports, which stay the same, and the processes
    DIRECTORY/namenode         storage directories
    DIRECTORY/datanode1 ...
    DIRECTORY/events/*.jsonl   what each node tells of what it does

One process for each node; `minding` keeps them running.

Not here: several machines.
"""

import argparse
import asyncio
import sys
from pathlib import Path
from typing import Final

from genstamp_dfs.errors import ConfigurationError, StorageError
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.server.event_file import EVENTS_LIMIT_MIB
from genstamp_dfs.server.minding import EVENTS, Node, Nodes, read_book
from genstamp_dfs.server.process import (
    CONFIGURATION,
    LOOPBACK,
    add_log_option,
    log_to_stderr,
    settings_of_nodes,
    stopped_by_signals,
)

DATANODES: Final = 3


class Cluster:
    """A namenode and datanodes.

    Args:
        directory: of the cluster; an empty one becomes one.
        datanodes: how many.
        host: where to listen.
        port: of the namenode; None for the one of the last run, or whichever the system chooses.
        settings: name=value, for the namenode, the datanodes or both.
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
        datanodes: int,
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
        nodes = {"namenode": NameNodeConfiguration(), "datanode": DataNodeConfiguration()}
        self._for_namenode, self._for_datanodes = settings_of_nodes(nodes, settings)
        # HDFS waits half a minute for more datanodes than it needs; here it is known how many there are.
        self._for_namenode[:0] = ["safe_mode_extension_ms=0", f"safe_mode_min_datanodes={datanodes // 2 + 1}"]
        self._known = read_book(self.directory, NAMENODE)
        ports = self._known.get(NAMENODE, {"port": 0}) if port is None else {"port": port}
        first = Node(NAMENODE, self._command(NAMENODE, self._for_namenode), ports)
        names = [f"datanode{number}" for number in range(1, datanodes + 1)]
        self._nodes = Nodes(self.directory, host, first, lambda: [self._datanode(name) for name in names])

    async def run(self, stopping: asyncio.Event) -> int:
        """Run all nodes until told to stop, or until one is refused; gives the exit code."""
        return await self._nodes.run(stopping)

    def _datanode(self, name: str) -> Node:
        address = f"{self._host}:{self._nodes.first.ports['port']}"
        command = [*self._command(name, self._for_datanodes), "--name", name, "--namenode", address]
        return Node(name, command, self._known.get(name, {"transfer_port": 0, "rpc_port": 0}))

    def _command(self, name: str, settings: list[str]) -> list[str]:
        module = "namenode_server" if name == NAMENODE else "datanode_server"
        command = [sys.executable, "-m", f"genstamp_dfs.server.{module}", str(self.directory / name)]
        command += ["--host", self._host, "--ends-with-parent"]
        command += ["--events", str(self.directory / EVENTS / f"{name}.jsonl")]
        command += ["--events-limit", str(self._events_limit_mib), "--log-level", self._log_level]
        return command + [f"--set={setting}" for setting in settings]


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    """The options of a cluster."""
    parser.add_argument("directory", type=Path, help="of the cluster; an empty one becomes one")
    parser.add_argument("--datanodes", type=int, default=DATANODES)
    parser.add_argument("--host", default=LOOPBACK, help="where to listen; loopback by default")
    parser.add_argument("--port", type=int, help="of the namenode; by default that of the last run")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--events-limit", type=int, default=EVENTS_LIMIT_MIB, metavar="MIB")
    add_log_option(parser)


def main(arguments: list[str] | None = None) -> int:
    """Run a cluster until it is told to stop; gives the exit code."""
    parser = argparse.ArgumentParser(prog="cluster", description="A namenode and datanodes on this machine.")
    add_cluster_options(parser)
    given = parser.parse_args(arguments)
    return run_cluster(
        given.directory,
        datanodes=given.datanodes,
        host=given.host,
        port=given.port,
        settings=given.settings,
        events_limit_mib=given.events_limit,
        log_level=given.log_level,
    )


def run_cluster(
    directory: Path,
    *,
    datanodes: int,
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
            datanodes=datanodes,
            host=host,
            port=port,
            settings=settings,
            events_limit_mib=events_limit_mib,
            log_level=log_level,
        )
        return await cluster.run(stopped_by_signals())

    log_to_stderr(log_level)
    try:
        if events_limit_mib < 0:
            raise ConfigurationError(f"--events-limit is {events_limit_mib}, accepted: 0 or more")
        if not 1 <= datanodes <= 100:
            raise ConfigurationError(f"{datanodes} datanodes, accepted: 1 to 100")
        return asyncio.run(run())
    except (ConfigurationError, StorageError, OSError) as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return CONFIGURATION


if __name__ == "__main__":
    sys.exit(main())
