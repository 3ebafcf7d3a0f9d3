"""The world as a node sees it in a real process (`genstamp_dfs.world.runtime.Runtime`), on asyncio.

Leaves out: listening.
"""

import asyncio
import contextlib
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from genstamp_dfs.errors import (
    ConnectException,
    DiskError,
    EOFException,
    RetriableException,
    SafeModeException,
    SocketTimeoutException,
)
from genstamp_dfs.hdfs.messages.data_transfer import Operation
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.server.connection import BUFFER_BYTES, SocketConnection
from genstamp_dfs.server.lookup import open_connection
from genstamp_dfs.server.rpc_client import RpcClient
from genstamp_dfs.server.wire import transfer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.runtime import Process

Answer = TypeVar("Answer")

RPC_TIMEOUT_US: Final = 120_000_000
"""`ipc.client.rpc-timeout.ms`."""

CONNECT_TIMEOUT_US: Final = 60_000_000

RETRY_INTERVAL_US: Final = 500_000

_TRY_AGAIN: Final = (ConnectException, EOFException, RetriableException, SafeModeException)
"""After these a call may be made again: it was not carried out, or its number tells the namenode that it was."""


def _all(syncs: Iterable[Callable[[], None]]) -> None:
    for sync in syncs:
        sync()


class RealClock:
    """Time as it is."""

    def now_us(self) -> int:
        """The monotonic clock."""
        return time.monotonic_ns() // 1000

    def time_ms(self) -> int:
        """The wall clock."""
        return time.time_ns() // 1_000_000


class AsyncioTask:
    """A process that runs as an asyncio task."""

    def __init__(self, task: "asyncio.Task[None]") -> None:
        self._task = task

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._task.done()

    def cancel(self) -> None:
        """End it where it waits."""
        self._task.cancel()


class AsyncioCondition:
    """Something to wait for."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify_all(self) -> None:
        """Wake all that wait now."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting.clear()

    async def wait(self, timeout_us: int | None = None) -> bool:
        """Wait to be woken; False if the time passed first."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            async with asyncio.timeout(None if timeout_us is None else timeout_us / 1_000_000):
                await future
        except TimeoutError:
            # It may have been woken in the same turn of the loop in which the time passed.
            return future.done() and not future.cancelled()
        finally:
            if future in self._waiting:
                self._waiting.remove(future)
        return True


class AsyncioRuntime(RealClock):
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
        self._node = node
        self._namenode = namenode
        self._patience_us = patience_us
        self._on_wait = on_wait
        self._converter = converter
        self._random = random.Random()
        self._client_id = os.urandom(16)
        self._calls = 0
        self._rpc = RpcClient(converter, node, user)
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def node(self) -> str:
        """Name of the node."""
        return self._node

    @property
    def random(self) -> random.Random:
        """Real chance: nothing here is to be replayed."""
        return self._random

    async def sleep_us(self, duration_us: int) -> None:
        """Wait so many microseconds."""
        await asyncio.sleep(duration_us / 1_000_000)

    def spawn(self, process: Process, name: str) -> AsyncioTask:
        """Start a process; if it fails by a fault of ours, the operator is told."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(process, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return AsyncioTask(task)

    def condition(self) -> AsyncioCondition:
        """Something new to wait for."""
        return AsyncioCondition()

    async def ahead(self, *syncs: Callable[[], None]) -> None:
        """Force files to the disk in a thread (`RealDisk` forces nothing twice)."""
        with contextlib.suppress(DiskError):
            await asyncio.to_thread(_all, syncs)

    async def call(self, node: str, request: Request[Answer], *, timeout_us: int | None = None) -> Answer:
        """Ask another node; the namenode again and again, for as long as the patience lasts."""
        host, port = self._rpc_address(node)
        caller = Caller(self._node, self._client_id, self._calls)
        self._calls += 1
        patience_us = self._patience_us if node == NAMENODE else 0
        give_up_us = self.now_us() + patience_us
        is_waiting = False
        while True:
            try:
                answer: Answer = await self._rpc.call(host, port, request, caller, timeout_us or RPC_TIMEOUT_US)
            except _TRY_AGAIN as problem:
                if self.now_us() + RETRY_INTERVAL_US > give_up_us:
                    if is_waiting:
                        self._on_wait(f"gave up after {patience_us / 1_000_000:g} s")
                    raise
                if not is_waiting:
                    seconds = patience_us / 1_000_000
                    self._on_wait(f"waiting up to {seconds:g} s for the namenode at {host}:{port}: {problem}")
                    is_waiting = True
                await self.sleep_us(RETRY_INTERVAL_US)
            else:
                return answer

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
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._rpc.close()

    def _rpc_address(self, node: str) -> tuple[str, int]:
        if node == NAMENODE:
            return self._namenode
        address = self._converter.addresses.address(node)
        return address.host, address.rpc_port

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            print(f"{self._node}: {task.get_name()} failed", file=sys.stderr)
            traceback.print_exception(failure, file=sys.stderr)
