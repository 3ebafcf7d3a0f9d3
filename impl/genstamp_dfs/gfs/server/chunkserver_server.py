"""A chunkserver as a process: `python -m genstamp_dfs.gfs.server chunkserver DIRECTORY --master HOST:PORT`.

Its name in the cluster is its address. What all nodes agree on, such as the time of a lease, it takes from the master,
so that no two of them can believe in different ones.

Not here: several disks.
"""

import argparse
import contextlib
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from genstamp_dfs.errors import ConfigurationError, Refusal, StorageError
from genstamp_dfs.gfs.chunkserver.chunkserver import Chunkserver
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.messages.data_flow import PushData
from genstamp_dfs.gfs.messages.master_protocol import Heartbeat, Register
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.listener import Listener
from genstamp_dfs.gfs.server.node_server import NodeServer, description_of_master
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.gfs.server.storage import Storage, check_same, read_storage, write_storage
from genstamp_dfs.gfs.server.streams import StreamConnection
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.process import (
    LOOPBACK,
    add_common_options,
    configured,
    event_sink,
    host_and_port,
    port_to_listen,
)
from genstamp_dfs.world.request import Caller, Request

Answer = TypeVar("Answer")

_LOG = logging.getLogger(__name__)


class ChunkserverRuntime(GfsRuntime):
    """The world of a chunkserver, which looks at the master before it registers: a restart may have made it another.

    Args:
        node: its name.
        master: address of the master.
        storage: whose the chunkserver's directory is.
        on_other_master: is told that the master is not of that cluster any more.
        shadows: addresses of shadow masters, which hear what the master hears.
    """

    def __init__(
        self,
        node: str,
        master: str,
        storage: Storage,
        on_other_master: Callable[[StorageError], None],
        shadows: tuple[str, ...],
    ) -> None:
        super().__init__(node, master)
        self._shadows = shadows
        self._storage = storage
        self._on_other_master = on_other_master
        self._told = ""

    async def call(self, node: str, request: Request[Answer], *, timeout_us: int | None = None) -> Answer:
        """As its parent."""
        try:
            if isinstance(request, Register):
                await self._check_master()
            if isinstance(request, Register | Heartbeat):
                # Before the master answers: shadows are there for when it does not.
                for shadow in self._shadows:
                    self.spawn(self._tell_shadow(shadow, request), "report to a shadow master")
            return await super().call(node, request, timeout_us=timeout_us)
        except Refusal as problem:
            if isinstance(request, Register):
                self._tell(f"{type(problem).__name__}: {problem}")
            raise

    async def _tell_shadow(self, shadow: str, report: Register | Heartbeat) -> None:
        """A shadow master hears what the master hears; if it is away, it will hear of all replicas in turn."""
        with contextlib.suppress(Refusal):
            await super().call(shadow, cast("Request[Any]", report))

    async def _check_master(self) -> None:
        """Have the chunkserver end if the master is not of its cluster any more, or has other limits."""
        found = await self.describe(MASTER)
        try:
            check_same(self._storage, Storage("chunkserver", found.cluster_id, found.limits))
        except StorageError as problem:
            self._on_other_master(problem)
            raise GfsRefusal(str(problem)) from problem

    def _tell(self, reason: str) -> None:
        """Tell the operator why the master does not take the chunkserver: each reason once."""
        if reason != self._told:
            self._told = reason
            _LOG.warning("%s: not registered yet, it is tried again: %s", self.node, reason)


class ChunkserverServer(NodeServer):
    """A chunkserver that listens.

    Args:
        directory: its storage directory.
        master: address of the master, HOST:PORT.
        configuration: its settings, but for limits.
        events: where it tells of what it does.
        host: where it listens.
        advertised_host: where others find it, if that is something else.
        port: where it listens; 0 lets the system choose.
        shadows: addresses of shadow masters.
    """

    def __init__(
        self,
        directory: Path,
        master: str,
        configuration: ChunkserverConfiguration,
        events: EventFile | NoEvents,
        *,
        host: str = LOOPBACK,
        advertised_host: str | None = None,
        port: int = 0,
        shadows: tuple[str, ...] = (),
    ) -> None:
        super().__init__("chunkserver", directory, events, advertised_host or host, port)
        self._listening_host = host
        self._master = master
        self._shadows = shadows
        self._configuration = configuration
        self._chunkserver: Chunkserver | None = None

    async def begin(self, disk: RealDisk) -> None:
        """Ask the master whose it is, for as long as that takes; load the replicas, listen and register."""
        storage = read_storage(disk, self.role)
        found = await description_of_master(self.role, self._master)
        wanted = Storage(self.role, found.cluster_id, found.limits)
        if storage is None:
            write_storage(disk, wanted)
        else:
            check_same(storage, wanted)
        self.cluster_id, self.limits = found.cluster_id, found.limits
        listener = Listener(
            wire.CHUNKSERVER_REQUESTS, wire.MAX_PIECE_BYTES, self.describe, self.handle, serve=self._serve
        )
        self.port = listener.bind(self._listening_host, self.port)
        self._listener = listener
        self._runtime = ChunkserverRuntime(self.address, self._master, wanted, self.fail, self._shadows)
        _, _, free_bytes = disk.usage()
        configuration = replace(self._configuration, limits=found.limits, capacity_bytes=free_bytes)
        self._chunkserver = Chunkserver(configuration, self._runtime, disk, self.events, self.fail)
        await listener.start()
        await self._chunkserver.start()

    async def answer(self, request: Request[Any], caller: Caller) -> Any:
        """Have the core answer."""
        assert self._chunkserver is not None, "who listens has a core"
        return await self._chunkserver.handle(request, caller)

    async def _serve(self, connection: StreamConnection, operation: PushData) -> None:
        assert self._chunkserver is not None, "who listens has a core"
        await self._chunkserver.serve(connection, operation)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a chunkserver."""
    add_common_options(parser)
    parser.add_argument("--master", required=True, metavar="HOST:PORT")
    parser.add_argument(
        "--shadow",
        dest="shadows",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="a shadow master, which is told where replicas are",
    )
    parser.add_argument("--advertise", metavar="HOST", help="where others find it, if not at --host")
    parser.add_argument("--port", type=port_to_listen, default=0, help="where to listen; 0 lets the system choose")


def from_options(given: argparse.Namespace) -> ChunkserverServer:
    """A chunkserver as its options say.

    Raises:
        ConfigurationError: a setting is none, or one of the limits, which the master says; or the master's address is
            none.
        OSError: the file for events cannot be opened.
    """
    for address in (given.master, *given.shadows):
        host_and_port(address)
    for setting in given.settings:
        if setting.startswith("limits."):
            raise ConfigurationError(f"{setting} is a setting of the master, which tells the chunkservers")
    configuration = configured(ChunkserverConfiguration(), given.settings)
    return ChunkserverServer(
        given.directory,
        given.master,
        configuration,
        event_sink(given),
        host=given.host,
        advertised_host=given.advertise,
        port=given.port,
        shadows=tuple(given.shadows),
    )
