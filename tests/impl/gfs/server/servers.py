"""A master, chunkservers and clients in one process, over real sockets and files."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.server.chunkserver_server import ChunkserverServer
from genstamp_dfs.gfs.server.client import gfs_client
from genstamp_dfs.gfs.server.master_server import MasterServer
from genstamp_dfs.server.event_file import NoEvents

SETTINGS = (
    "limits.chunk_bytes=262144",
    "limits.lease_us=1000000",
    "dead_after_us=1000000",
    "monitor_period_us=200000",
    "garbage_period_us=200000",
)


class Servers:
    """The servers of a test, which can be stopped and started again where they were."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.master_port = 0
        self.master: MasterServer | None = None
        self.chunkservers: dict[str, ChunkserverServer] = {}
        self._ports: dict[str, int] = {}

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.master_port}"

    async def start_master(self) -> MasterServer:
        server = MasterServer(self.directory / "master", list(SETTINGS), NoEvents(), port=self.master_port)
        self.master_port = (await server.start())["port"]
        self.master = server
        return server

    async def stop_master(self) -> None:
        assert self.master is not None
        await self.master.stop()

    async def start_chunkserver(self, name: str, scan_period_us: int = 60_000_000) -> ChunkserverServer:
        configuration = ChunkserverConfiguration(
            heartbeat_period_us=100_000, forward_timeout_us=1_000_000, scan_period_us=scan_period_us
        )
        port = self._ports.get(name, 0)
        server = ChunkserverServer(self.directory / name, self.address, configuration, NoEvents(), port=port)
        self._ports[name] = (await server.start())["port"]
        self.chunkservers[name] = server
        return server

    async def stop_chunkserver(self, name: str) -> None:
        await self.chunkservers.pop(name).stop()

    def name_of(self, address: str) -> str:
        """Under which name a chunkserver was started here."""
        return next(name for name, server in self.chunkservers.items() if server.address == address)

    def client(self) -> contextlib.AbstractAsyncContextManager[Client]:
        configuration = ClientConfiguration(retry_interval_us=20_000, give_up_us=30_000_000, cache_us=0)
        return gfs_client(self.address, configuration, patience_s=20.0)

    async def stop(self) -> None:
        for name in list(self.chunkservers):
            await self.stop_chunkserver(name)
        await self.stop_master()


@contextlib.asynccontextmanager
async def servers(directory: Path, chunkservers: int = 3) -> AsyncIterator[Servers]:
    """A cluster that has started."""
    cluster = Servers(directory)
    await cluster.start_master()
    try:
        for number in range(1, chunkservers + 1):
            await cluster.start_chunkserver(f"chunkserver{number}")
        yield cluster
    finally:
        await cluster.stop()
