"""A shadow master as a process: `python -m genstamp_dfs.gfs.server shadow DIRECTORY --master HOST:PORT`.

It keeps the log of the master that names it as a log replica, and answers reads. Its directory is that of a master: one
may be started over it when the former one is gone for good.

Not here: when that is done, and by whom.

Source: sections 5.1.2 and 5.1.3.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.master.shadow import ShadowMaster
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.listener import Listener
from genstamp_dfs.gfs.server.node_server import NodeServer, description_of_master
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.gfs.server.storage import Storage, check_same, read_storage, write_storage
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

DEFAULT_PORT: Final = 8601


class ShadowServer(NodeServer):
    """A shadow master that listens.

    Args:
        directory: its storage directory, which is that of a master.
        master: address of the master, HOST:PORT.
        configuration: its settings, but for limits.
        events: where it tells of what it does.
        host, port: where it listens; port 0 lets the system choose.
    """

    def __init__(
        self,
        directory: Path,
        master: str,
        configuration: MasterConfiguration,
        events: EventFile | NoEvents,
        *,
        host: str = LOOPBACK,
        port: int = 0,
    ) -> None:
        super().__init__("shadow", directory, events, host, port)
        self._master = master
        self._configuration = configuration
        self._shadow: ShadowMaster | None = None

    async def begin(self, disk: RealDisk) -> None:
        """Ask the master whose it is, for as long as that takes; load the log, and listen."""
        storage = read_storage(disk, MASTER)
        found = await description_of_master(self.role, self._master)
        wanted = Storage(MASTER, found.cluster_id, found.limits)
        if storage is None:
            write_storage(disk, wanted)
        else:
            check_same(storage, wanted)
        self.cluster_id, self.limits = found.cluster_id, found.limits
        self._listener = Listener(wire.SHADOW_REQUESTS, wire.MAX_CALL_BYTES, self.describe, self.handle)
        self.port = self._listener.bind(self.host, self.port)
        self._runtime = GfsRuntime(self.address, self._master)
        configuration = replace(self._configuration, limits=found.limits)
        self._shadow = ShadowMaster(configuration, self._runtime, disk, self.events, self.fail)
        await self._listener.start()
        await self._shadow.start()

    def close(self) -> None:
        """End the log."""
        if self._shadow is not None:
            self._shadow.close()

    async def answer(self, request: Request[Any], caller: Caller) -> Any:
        """Have the core answer."""
        assert self._shadow is not None, "who listens has a core"
        return await self._shadow.handle(request, caller)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a shadow master."""
    add_common_options(parser)
    parser.add_argument("--master", required=True, metavar="HOST:PORT")
    parser.add_argument(
        "--port", type=port_to_listen, default=DEFAULT_PORT, help="where to listen; 0 lets the system choose"
    )


def from_options(given: argparse.Namespace) -> ShadowServer:
    """A shadow master as its options say.

    Raises:
        ConfigurationError: a setting is none, or the master's address is none.
        OSError: the file for events cannot be opened.
    """
    host_and_port(given.master)
    configuration = configured(MasterConfiguration(), given.settings)
    return ShadowServer(
        given.directory, given.master, configuration, event_sink(given), host=given.host, port=given.port
    )
