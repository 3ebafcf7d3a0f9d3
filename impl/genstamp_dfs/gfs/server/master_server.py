"""A master as a process: `python -m genstamp_dfs.gfs.server master DIRECTORY`.

Not here: shadow masters (`shadow_server`).
"""

import argparse
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.master import Master
from genstamp_dfs.gfs.messages.master_protocol import Register
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.listener import Listener
from genstamp_dfs.gfs.server.node_server import NodeServer
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.gfs.server.storage import Storage, check_same, decided_limits, read_storage, write_storage
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.process import (
    LOOPBACK,
    MAX_PORT,
    add_common_options,
    configured,
    event_sink,
    host_and_port,
    port_to_listen,
    tell_of_full_disk,
)
from genstamp_dfs.world.request import Caller, Request

DEFAULT_PORT: Final = 8600

_ADDRESS: Final = re.compile(r"(?P<host>[A-Za-z0-9._:\[\]-]{1,255}):(?P<port>[1-9][0-9]{0,4})")


class MasterServer(NodeServer):
    """A master that listens.

    Args:
        directory: its storage directory.
        settings: of the form name=value. Limits that an earlier run has decided need not be given again.
        events: where it tells of what it does.
        host, port: where it listens; port 0 lets the system choose.
        log_replicas: addresses of those that keep its log too; while one does not answer, nobody is answered.

    Raises:
        ConfigurationError: a setting is none, or does not take its value.
    """

    def __init__(
        self,
        directory: Path,
        settings: list[str],
        events: EventFile | NoEvents,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        log_replicas: tuple[str, ...] = (),
    ) -> None:
        super().__init__("master", directory, events, host, port)
        configured(MasterConfiguration(), settings)
        self._settings = settings
        self._log_replicas = log_replicas
        self._master: Master | None = None

    async def begin(self, disk: RealDisk) -> None:
        """Load what the log says, and listen."""
        storage = read_storage(disk, self.role)
        configuration = MasterConfiguration()
        decided = replace(configuration, limits=decided_limits(storage, configuration.limits))
        configuration = replace(configured(decided, self._settings), log_replicas=self._log_replicas)
        self.limits = configuration.limits
        self.cluster_id = storage.cluster_id if storage else os.urandom(8).hex()
        wanted = Storage(self.role, self.cluster_id, self.limits)
        if storage is None:
            write_storage(disk, wanted)
        else:
            check_same(storage, wanted)
        self._listener = Listener(wire.MASTER_REQUESTS, wire.MAX_CALL_BYTES, self.describe, self.handle)
        self.port = self._listener.bind(self.host, self.port)
        self._runtime = GfsRuntime(MASTER, self.address)
        self._master = Master(
            configuration, self._runtime, disk, self.events, self.fail, tell_of_full_disk("a checkpoint is given up")
        )
        await self._listener.start()
        await self._master.start()

    def close(self) -> None:
        """End the log."""
        if self._master is not None:
            self._master.close()

    async def answer(self, request: Request[Any], caller: Caller) -> Any:
        """Have the core answer."""
        assert self._master is not None, "who listens has a core"
        if isinstance(request, Register):
            _check_address(request.chunkserver)
        return await self._master.handle(request, caller)


def _check_address(chunkserver: str) -> None:
    """Refuse a chunkserver whose name is no address: nobody could find it."""
    found = _ADDRESS.fullmatch(chunkserver)
    if found is None or int(found["port"]) > MAX_PORT:
        raise GfsRefusal(f"a chunkserver calls itself {chunkserver[:200]!r}, accepted: HOST:PORT, where it listens")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a master."""
    add_common_options(parser)
    parser.add_argument(
        "--port", type=port_to_listen, default=DEFAULT_PORT, help="where to listen; 0 lets the system choose"
    )
    parser.add_argument(
        "--log-replica",
        dest="log_replicas",
        action="append",
        default=[],
        metavar="HOST:PORT",
        help="a shadow master that has every record on its disk before anybody is told of it",
    )


def from_options(given: argparse.Namespace) -> MasterServer:
    """A master as its options say.

    Raises:
        ConfigurationError: a setting is none, or an address is none.
        OSError: the file for events cannot be opened.
    """
    for address in given.log_replicas:
        host_and_port(address)
    return MasterServer(
        given.directory,
        given.settings,
        event_sink(given),
        host=given.host,
        port=given.port,
        log_replicas=tuple(given.log_replicas),
    )
