"""A namenode, datanodes and clients in one process, over real sockets and files."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from genstamp_dfs.hdfs.client.configuration import ClientConfiguration
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.client.events import ClientEvents
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.datanode_server import DataNodeServer
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.namenode_server import NameNodeServer
from genstamp_dfs.server.runtime import AsyncioRuntime
from genstamp_dfs.server.wire.convert import Converter

BLOCK = 1024 * 1024


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something that comes by itself; the limit is the test's."""
    while not await condition():
        await asyncio.sleep(0.02)


class ServerCluster:
    """The servers of a test, which can be stopped and started again where they were."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = 0
        self.min_datanodes = 0
        self.namenode: NameNodeServer | None = None
        self.datanodes: dict[str, DataNodeServer] = {}
        self.ports: dict[str, tuple[int, int]] = {}
        self._runtimes: list[AsyncioRuntime] = []

    async def start_namenode(self) -> NameNodeServer:
        configuration = NameNodeConfiguration(
            heartbeat_interval_ms=100,
            safe_mode_extension_ms=0,
            safe_mode_min_datanodes=self.min_datanodes,
            minimal_block_size=0,
            redundancy_interval_ms=200,
            pending_reconstruction_timeout_ms=500,
        )
        events = EventFile(self.directory / "events" / "namenode.jsonl")
        server = NameNodeServer(self.directory / "namenode", configuration, events, port=self.port)
        self.port = (await server.start())["port"]
        self.namenode = server
        return server

    @property
    def block_pool_id(self) -> str:
        assert self.namenode is not None, "the namenode has started"
        return self.namenode.namenode.namespace.block_pool_id

    async def stop_namenode(self) -> None:
        assert self.namenode is not None
        await self.namenode.stop()

    async def start_datanode(self, name: str) -> DataNodeServer:
        configuration = DataNodeConfiguration(heartbeat_interval_ms=100, retry_interval_ms=50)
        ports = self.ports.get(name, (0, 0))
        server = DataNodeServer(
            name,
            self.directory / name,
            ("127.0.0.1", self.port),
            configuration,
            EventFile(self.directory / "events" / f"{name}.jsonl"),
            transfer_port=ports[0],
            rpc_port=ports[1],
        )
        ready = await server.start()
        self.ports[name] = (ready["transfer_port"], ready["rpc_port"])
        self.datanodes[name] = server
        return server

    async def stop_datanode(self, name: str) -> None:
        await self.datanodes.pop(name).stop()

    async def kill_datanode(self, name: str) -> None:
        """End a datanode that does nothing more, as far as one process can show that."""
        server = self.datanodes.pop(name)
        server._datanode = None
        await server.stop()

    def client(self, name: str, **options: Any) -> DFSClient:
        converter = Converter("", AddressBook())
        runtime = AsyncioRuntime(name, ("127.0.0.1", self.port), converter, patience_us=20_000_000)
        self._runtimes.append(runtime)
        settings: dict[str, Any] = {"block_size": BLOCK, "replace_best_effort": True, **options}
        return DFSClient(runtime, ClientEvents(NoEvents(), runtime), ClientConfiguration(**settings), name=name)

    async def stop(self) -> None:
        for runtime in self._runtimes:
            await runtime.stop()
        for name in list(self.datanodes):
            await self.stop_datanode(name)
        await self.stop_namenode()


@contextlib.asynccontextmanager
async def cluster(directory: Path, datanodes: int = 3) -> AsyncIterator[ServerCluster]:
    """A cluster that has started."""
    servers = ServerCluster(directory)
    servers.min_datanodes = datanodes // 2 + 1 if datanodes > 1 else 0
    await servers.start_namenode()
    try:
        for number in range(1, datanodes + 1):
            await servers.start_datanode(f"datanode{number}")
        yield servers
    finally:
        await servers.stop()
