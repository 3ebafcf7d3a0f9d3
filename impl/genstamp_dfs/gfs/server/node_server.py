"""What the servers of master and chunkservers have in common: a directory, a listener, and an end when the disk fails.

Not here: the cores.
"""

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Final, NoReturn

from genstamp_dfs.errors import NETWORK_FAILURES, ConfigurationError, DiskError
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.protocol import MASTER, Limits
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.listener import Listener
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.process import lock_storage
from genstamp_dfs.world.request import Caller, Request

MASTER_RETRY_S: Final = 0.5

_LOG = logging.getLogger(__name__)


class NodeServer(ABC):
    """A node that listens.

    Args:
        role: "master", "shadow" or "chunkserver".
        directory: its storage directory.
        events: where it tells of what it does.
        host: where it listens, and what others call it by.
        port: where it listens; 0 lets the system choose.

    Attributes:
        failure: ends with an exception if the server cannot go on.
    """

    def __init__(self, role: str, directory: Path, events: EventFile | NoEvents, host: str, port: int) -> None:
        self.failure: asyncio.Future[NoReturn] | None = None
        self.role = role
        self.host = host
        self.port = port
        self.cluster_id = ""
        self.limits = Limits()
        self.events = events
        if isinstance(events, EventFile):
            events.namespace = lambda: self.cluster_id
        self._directory = directory
        self._disk: RealDisk | None = None
        self._runtime: GfsRuntime | None = None
        self._listener: Listener | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"{self.host}:{self.port}"

    async def start(self) -> dict[str, Any]:
        """Have the node's core start, and listen; says where.

        Raises:
            StorageError: the storage directory is foreign, damaged, in use or another cluster's; it is as it was.
            DiskError: the disk failed.
            OSError: the port cannot be had.
        """
        self.failure = asyncio.get_running_loop().create_future()
        self._disk = await lock_storage(self._directory)
        await self.begin(self._disk)
        self._disk.make_private()
        name = self._runtime.node if self._runtime is not None else self.role
        return {"node": name, "host": self.host, "port": self.port, "cluster_id": self.cluster_id}

    @abstractmethod
    async def begin(self, disk: RealDisk) -> None:
        """Open the directory, listen, and start the core."""

    async def stop(self) -> None:
        """Answer no more, and end everything."""
        if self._listener is not None:
            await self._listener.stop()
        if self._runtime is not None:
            await self._runtime.stop()
        with contextlib.suppress(DiskError):
            # Nobody was told of what is not on the disk.
            self.close()
        if self._disk is not None:
            self._disk.unlock()

    def close(self) -> None:  # noqa: B027 (not all nodes have something to end)
        """End what the core has on the disk; its processes have ended.

        Raises:
            DiskError: the disk failed, now or earlier.
        """

    def describe(self) -> wire.Description:
        """What it says of itself."""
        return wire.Description(wire.FORMAT, self.role, self.cluster_id, self.limits)

    async def handle(self, request: Request[Any], caller: Caller) -> Any:
        """Have the core answer. If the disk has failed, nobody knows what is on it: there is no answer, and an end."""
        try:
            return await self.answer(request, caller)
        except DiskError as problem:
            self.fail(problem)
            await asyncio.get_running_loop().create_future()
            raise AssertionError("nothing ends this wait but its cancellation") from problem

    @abstractmethod
    async def answer(self, request: Request[Any], caller: Caller) -> Any:
        """Have the core answer."""

    def fail(self, problem: Exception) -> None:
        """The server cannot go on."""
        assert self.failure is not None, "the server has started"
        if not self.failure.done():
            self.failure.set_exception(problem)


async def description_of_master(role: str, master: str) -> wire.Description:
    """What the master at an address says of itself; it is waited for.

    Raises:
        ConfigurationError: it is no master, or speaks another format.
    """
    runtime = GfsRuntime(role, master)
    told = False
    try:
        while True:
            try:
                found = await runtime.describe(MASTER)
            except NETWORK_FAILURES as problem:
                if not told:
                    _LOG.info("%s: waiting for the master: %s", role, problem)
                    told = True
                await asyncio.sleep(MASTER_RETRY_S)
                continue
            except GfsRefusal as problem:
                raise ConfigurationError(str(problem)) from problem
            if found.role != "master":
                raise ConfigurationError(f"{master} is a {found.role}, accepted: a master")
            return found
    finally:
        await runtime.stop()
