"""A datanode as a process: `python -m genstamp_dfs.server.datanode_server DIRECTORY --namenode HOST:PORT`.

Not here: several disks, short-circuit reads, a web page.

Source: DN/DataNode, DN/DataXceiverServer, Hadoop 3.4.1.
"""

import argparse
import asyncio
import contextlib
import logging
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from genstamp_dfs.errors import ConfigurationError, DiskFailedError, HdfsIOException, RetriableException
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.messages.data_transfer import Operation
from genstamp_dfs.hdfs.messages.datanode_protocol import RegisterDatanode, VersionRequest
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.connection import SocketConnection
from genstamp_dfs.server.disk import RealDisk
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.process import (
    LOOPBACK,
    add_common_options,
    configured,
    event_sink,
    host_and_port,
    lock_storage,
    log_to_stderr,
    port_to_listen,
    run_server,
)
from genstamp_dfs.server.protocols import DATANODE_PROTOCOLS
from genstamp_dfs.server.rpc_server import RpcServer
from genstamp_dfs.server.runtime import AsyncioRuntime
from genstamp_dfs.server.transfer_server import TransferServer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Caller, Request

Answer = TypeVar("Answer")

_LOG = logging.getLogger(__name__)

STOP_S: Final = 5.0
"""How long writers may take to hear that the datanode ends."""


class DataNodeRuntime(AsyncioRuntime):
    """The world of a datanode, which tells the operator why the namenode does not take it: each reason once."""

    _told = ""

    async def call(self, node: str, request: Request[Answer], *, timeout_us: int | None = None) -> Answer:
        """As its parent."""
        try:
            return await super().call(node, request, timeout_us=timeout_us)
        except HdfsIOException as problem:
            told = f"{problem.hadoop_name}: {problem}"
            if isinstance(request, VersionRequest | RegisterDatanode) and told != self._told:
                self._told = told
                _LOG.warning("%s: not registered yet, it is tried again: %s", self.node, told)
            raise


class DataNodeServer:
    """A datanode that listens.

    Args:
        name: of the datanode, unique in the cluster and the same after a restart.
        directory: its storage directory.
        namenode: host and port of the namenode.
        configuration: its settings; what it says of addresses and of the disk's size is replaced.
        events: where it tells of what it does.
        host: where it listens.
        advertised_host: where others find it, if that is something else.
        transfer_port, rpc_port: for blocks and for calls; 0 lets the system choose.
    """

    def __init__(
        self,
        name: str,
        directory: Path,
        namenode: tuple[str, int],
        configuration: DataNodeConfiguration,
        events: EventFile | NoEvents,
        *,
        host: str = LOOPBACK,
        advertised_host: str | None = None,
        transfer_port: int = 0,
        rpc_port: int = 0,
    ) -> None:
        self.failure: asyncio.Future[NoReturn] | None = None
        self.name = name
        self._directory = directory
        self._configuration = configuration
        self._events = events
        if isinstance(events, EventFile):
            events.namespace = lambda: self._converter.block_pool_id
        self._host = host
        self._advertised_host = advertised_host or host
        self._transfer_port = transfer_port
        self._rpc_port = rpc_port
        self._converter = Converter("", AddressBook())
        self._runtime = DataNodeRuntime(name, namenode, self._converter)
        self._disk: RealDisk | None = None
        self._datanode: DataNode | None = None
        self._calls = RpcServer(DATANODE_PROTOCOLS, self._handle, self._converter)
        self._blocks = TransferServer(self._serve, self._converter)

    async def start(self) -> dict[str, Any]:
        """Listen, load the replicas and register; says where. Waits for as long as the namenode is away.

        Raises:
            StorageError: the storage directory is foreign, damaged, in use or another cluster's; it is as it was.
            DiskError: the disk failed.
            OSError: a port cannot be had.
        """
        self.failure = asyncio.get_running_loop().create_future()
        self._disk = await lock_storage(self._directory)
        self._rpc_port = await self._calls.start(self._host, self._rpc_port)
        self._transfer_port = await self._blocks.start(self._host, self._transfer_port)
        # A copy names the datanode that makes it.
        address = Address(self._advertised_host, self._transfer_port, self._rpc_port)
        self._converter.addresses.note(self.name, address)
        configuration = replace(
            self._configuration,
            capacity_bytes=self._disk.usage()[0],
            host=self._advertised_host,
            transfer_port=self._transfer_port,
            rpc_port=self._rpc_port,
        )
        datanode = DataNode(configuration, self._runtime, self._disk, self._events, self._fail)
        await datanode.start()
        for problem in dict.fromkeys(datanode.dataset.out_of_service):
            _LOG.error("%s: a replica is out of service: %s", self.name, problem)
        self._disk.make_private()
        self._datanode = datanode
        return {
            "node": self.name,
            "host": self._advertised_host,
            "transfer_port": self._transfer_port,
            "rpc_port": self._rpc_port,
        }

    def _fail(self, failure: DiskFailedError) -> None:
        """The disk has failed, and the process ends with that."""
        assert self.failure is not None, "the server has started"
        if not self.failure.done():
            self.failure.set_exception(failure)

    async def stop(self) -> None:
        """Tell writers that the datanode is back soon, and end everything."""
        if self._datanode is not None:
            # A writer that takes nothing any more is not waited for.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_S):
                    await self._datanode.stop(for_restart=True)
        await self._blocks.stop()
        await self._calls.stop()
        await self._runtime.stop()
        if self._disk is not None:
            self._disk.unlock()

    async def _handle(self, request: Request[Any], caller: Caller) -> Any:
        if self._datanode is None:
            raise RetriableException(f"{self.name} has not started")
        return await self._datanode.handle(request, caller)

    async def _serve(self, connection: SocketConnection, operation: Operation) -> None:
        if self._datanode is None:
            connection.close()
            return
        await self._datanode.serve(connection, operation)


def main(arguments: list[str] | None = None) -> int:
    """Run a datanode until it is told to stop; gives the exit code."""
    parser = argparse.ArgumentParser(prog="datanode_server", description="A datanode.")
    add_common_options(parser)
    parser.add_argument("--name", help="of the datanode; by default that of the directory")
    parser.add_argument("--namenode", required=True, metavar="HOST:PORT")
    parser.add_argument("--advertise", metavar="HOST", help="where others find it, if not at --host")
    parser.add_argument("--transfer-port", type=port_to_listen, default=0, help="for blocks; 0 lets the system choose")
    parser.add_argument("--rpc-port", type=port_to_listen, default=0, help="for calls; 0 lets the system choose")
    given = parser.parse_args(arguments)
    log_to_stderr(given.log_level)
    name = given.name or given.directory.resolve().name
    try:
        configuration = configured(DataNodeConfiguration(), given.settings)
        namenode = host_and_port(given.namenode)
        events = event_sink(given)
    except (ConfigurationError, OSError) as problem:
        parser.exit(151, f"{name}: {problem}\n")
    server = DataNodeServer(
        name,
        given.directory,
        namenode,
        configuration,
        events,
        host=given.host,
        advertised_host=given.advertise,
        transfer_port=given.transfer_port,
        rpc_port=given.rpc_port,
    )
    return asyncio.run(run_server(name, server, ends_with_parent=given.ends_with_parent))


if __name__ == "__main__":
    sys.exit(main())
