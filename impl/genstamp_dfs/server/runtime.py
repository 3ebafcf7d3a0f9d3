"""The world as a node of HDFS sees it in a real process (`genstamp_dfs.world.runtime.Runtime`).

Not here: listening, and what needs no other node (`local_runtime`).
"""

import asyncio
import os
from collections.abc import Callable
from typing import Final, TypeVar

from genstamp_dfs.errors import (
    ConnectException,
    EOFException,
    RetriableException,
    SafeModeException,
    SocketTimeoutException,
)
from genstamp_dfs.hdfs.messages.data_transfer import Operation
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.server.connection import BUFFER_BYTES, SocketConnection
from genstamp_dfs.server.local_runtime import LocalRuntime, again_and_again
from genstamp_dfs.server.lookup import open_connection
from genstamp_dfs.server.rpc_client import RpcClient
from genstamp_dfs.server.wire import transfer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Caller, Request

Answer = TypeVar("Answer")

RPC_TIMEOUT_US: Final = 120_000_000
"""`ipc.client.rpc-timeout.ms`."""

CONNECT_TIMEOUT_US: Final = 60_000_000

_TRY_AGAIN: Final = (ConnectException, EOFException, RetriableException, SafeModeException)
"""After these a call may be made again: it was not carried out, or its number tells the namenode that it was."""


class AsyncioRuntime(LocalRuntime):
    """The world of one node.

    Args:
        node: its name.
        namenode: host and port of the namenode's calls.
        converter: of the cluster.
        user: the user that calls are made for.
        patience_us: how long calls at a namenode that is away, or in safe mode, are made again; 0 for datanodes and
            others that do so themselves.
        on_wait: is told in a sentence that the namenode is waited for, and when that was given up.
    """

    def __init__(
        self,
        node: str,
        namenode: tuple[str, int],
        converter: Converter,
        *,
        user: str = "hdfs",
        patience_us: int = 0,
        on_wait: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        super().__init__(node)
        self._namenode = namenode
        self._patience_us = patience_us
        self._on_wait = on_wait
        self._converter = converter
        self._client_id = os.urandom(16)
        self._calls = 0
        self._rpc = RpcClient(converter, node, user)

    async def call(self, node: str, request: Request[Answer], *, timeout_us: int | None = None) -> Answer:
        """Ask another node; the namenode again and again, for as long as the patience lasts."""
        host, port = self._rpc_address(node)
        caller = Caller(self._node, self._client_id, self._calls)
        self._calls += 1
        return await again_and_again(
            lambda: self._rpc.call(host, port, request, caller, timeout_us or RPC_TIMEOUT_US),
            _TRY_AGAIN,
            self._patience_us if node == NAMENODE else 0,
            f"the namenode at {host}:{port}",
            self._on_wait,
        )

    async def connect(self, datanode: str, operation: Operation, *, timeout_us: int | None = None) -> SocketConnection:
        """Open a connection to a datanode."""
        address = self._converter.addresses.address(datanode)
        try:
            async with asyncio.timeout((timeout_us or CONNECT_TIMEOUT_US) / 1_000_000):
                reader, writer = await open_connection(address.host, address.transfer_port, limit=BUFFER_BYTES)
        except TimeoutError as problem:
            raise SocketTimeoutException(f"{datanode} at {address.transfer} does not answer") from problem
        except OSError as problem:
            raise ConnectException(f"{datanode} at {address.transfer} cannot be reached: {problem}") from problem
        writer.write(transfer.write_operation(operation, self._converter))
        return SocketConnection(reader, writer, operation, self._converter, datanode, opened_here=True)

    async def stop(self) -> None:
        """End all processes and connections of the node."""
        await super().stop()
        self._rpc.close()

    def _rpc_address(self, node: str) -> tuple[str, int]:
        if node == NAMENODE:
            return self._namenode
        address = self._converter.addresses.address(node)
        return address.host, address.rpc_port
