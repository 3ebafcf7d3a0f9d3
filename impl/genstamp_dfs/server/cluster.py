"""A small cluster on one machine, of HDFS or of GFS.

    DIRECTORY/cluster.json     the ports, which stay the same, and the processes
    DIRECTORY/namenode         storage directories
    DIRECTORY/datanode1 ...
    DIRECTORY/events/*.jsonl   the events of each node

One process for each node; `minding` keeps them running.

Not here: several machines, racks.
"""

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from genstamp_dfs.errors import ConfigurationError, StorageError
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.server.event_file import EVENTS_LIMIT_MIB
from genstamp_dfs.server.minding import EVENTS, Node, Nodes, read_book
from genstamp_dfs.server.process import CONFIGURATION, log_to_stderr, settings_of_nodes, stopped_by_signals

MAX_NODES: Final = 100


@dataclass(frozen=True)
class Role:
    """A kind of node.

    Attributes:
        name: the role; also the name of a cluster's only node of it.
        command: what follows `python -m`, before the storage directory.
        configuration: its settings.
        ports: its options for ports, each with 0.
        is_named: whether its command takes the name of the node.
    """

    name: str
    command: tuple[str, ...]
    configuration: Any
    ports: Mapping[str, int] = field(default_factory=lambda: {"port": 0})
    is_named: bool = False


@dataclass(frozen=True)
class FileSystem:
    """The kinds of nodes of a file system.

    Attributes:
        first: the node that the others need.
        other: the others; their command has an option of the first one's name, for its address.
        settings_of_first: further settings of the first one, for so many others.
        is_for_others: whether the others take a setting that both have.
    """

    first: Role
    other: Role
    settings_of_first: Callable[[int], list[str]] = lambda others: []
    is_for_others: Callable[[str], bool] = lambda setting: True


def _hdfs_settings(datanodes: int) -> list[str]:
    # HDFS waits half a minute for more datanodes than it needs; here it is known how many there are.
    return ["safe_mode_extension_ms=0", f"safe_mode_min_datanodes={datanodes // 2 + 1}"]


HDFS: Final = FileSystem(
    first=Role(NAMENODE, ("genstamp_dfs.server.namenode_server",), NameNodeConfiguration()),
    other=Role(
        "datanode",
        ("genstamp_dfs.server.datanode_server",),
        DataNodeConfiguration(),
        ports={"transfer_port": 0, "rpc_port": 0},
        is_named=True,
    ),
    settings_of_first=_hdfs_settings,
)


class Cluster:
    """The nodes of a cluster.

    Args:
        file_system: which.
        directory: of the cluster; an empty one is initialized.
        others: how many nodes there are beside the first one, 1 to `MAX_NODES`.
        host: where to listen.
        port: of the first node; None for the one of the last run, or whichever the system chooses.
        settings: name=value, for the first node, the others or both.
        events_limit_mib: how long each node's file of events gets, of which one older is kept; 0 for no limit.
        log_level: the least that each node logs on standard error.

    Raises:
        ConfigurationError: a setting is not one of theirs, or a number is out of range.
        StorageError: the directory is something else; it is as it was.
    """

    def __init__(
        self,
        file_system: FileSystem,
        directory: Path,
        *,
        others: int,
        host: str,
        port: int | None,
        settings: list[str],
        events_limit_mib: int = EVENTS_LIMIT_MIB,
        log_level: str = "info",
    ) -> None:
        first, other = file_system.first, file_system.other
        if not 1 <= others <= MAX_NODES:
            raise ConfigurationError(f"{others} {other.name}s, accepted: 1 to {MAX_NODES}")
        if events_limit_mib < 0:
            raise ConfigurationError(f"--events-limit is {events_limit_mib}, accepted: 0 or more")
        configurations = {first.name: first.configuration, other.name: other.configuration}
        for_first, for_others = settings_of_nodes(configurations, settings)
        self._for_others = [setting for setting in for_others if file_system.is_for_others(setting)]
        self._file_system = file_system
        self._directory = directory.resolve()
        self._options = ["--events-limit", str(events_limit_mib), "--log-level", log_level]
        self._host = host
        self._known = read_book(self._directory, first.name)
        ports = dict(self._known.get(first.name, first.ports)) if port is None else {"port": port}
        of_first = [*file_system.settings_of_first(others), *for_first]
        names = [f"{other.name}{number}" for number in range(1, others + 1)]
        node = Node(first.name, self._command(first, first.name, of_first), ports)
        self._nodes = Nodes(self._directory, host, node, lambda: [self._other(name) for name in names])

    async def run(self, stopping: asyncio.Event) -> int:
        """Run all nodes until told to stop, or until one is refused; gives the exit code."""
        return await self._nodes.run(stopping)

    def _other(self, name: str) -> Node:
        role = self._file_system.other
        address = f"{self._host}:{self._nodes.first.ports['port']}"
        command = [*self._command(role, name, self._for_others), f"--{self._file_system.first.name}", address]
        return Node(name, command, dict(self._known.get(name, role.ports)))

    def _command(self, role: Role, name: str, settings: list[str]) -> list[str]:
        command = [sys.executable, "-m", *role.command, str(self._directory / name)]
        command += ["--host", self._host, "--ends-with-parent", *self._options]
        command += ["--events", str(self._directory / EVENTS / f"{name}.jsonl")]
        command += ["--name", name] if role.is_named else []
        return command + [f"--set={setting}" for setting in settings]


def run_cluster(file_system: FileSystem, directory: Path, *, log_level: str = "info", **options: Any) -> int:
    """Run a cluster until SIGTERM or SIGINT; gives the exit code. The arguments are those of `Cluster`."""

    async def run() -> int:
        cluster = Cluster(file_system, directory, log_level=log_level, **options)
        return await cluster.run(stopped_by_signals())

    log_to_stderr(log_level)
    try:
        return asyncio.run(run())
    except (ConfigurationError, StorageError, OSError) as problem:
        print(f"cluster: {problem}", file=sys.stderr)
        return CONFIGURATION
