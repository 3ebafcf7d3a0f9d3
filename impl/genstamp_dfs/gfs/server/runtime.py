"""The world as a node of GFS sees it in a real process (`genstamp_dfs.gfs.runtime.Runtime`): gRPC on asyncio.

Not here: listening; trying again, but for a master that is away.
"""

import os
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from genstamp_dfs.errors import ConfigurationError, ConnectException, EOFException
from genstamp_dfs.gfs.errors import GfsRefusal, MasterStarting
from genstamp_dfs.gfs.messages.data_flow import Operation
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.channels import BROKEN, CONNECT_S, Channels, why
from genstamp_dfs.gfs.server.streams import StreamConnection, end_call
from genstamp_dfs.server.local_runtime import LocalRuntime, again_and_again
from genstamp_dfs.server.process import host_and_port
from genstamp_dfs.world.request import Caller, Request

Answer = TypeVar("Answer")

CALL_TIMEOUT_US: Final = 60_000_000

_TRY_AGAIN: Final = (ConnectException, EOFException, MasterStarting)


class GfsRuntime(LocalRuntime):
    """The world of one node.

    Args:
        node: its name.
        master: address of the master, HOST:PORT.
        patience_us: how long calls at a master that is away, or starts, are made again; 0 for those who do so
            themselves.
        on_wait: is told in a sentence that the master is waited for, and when that was given up.
    """

    def __init__(
        self,
        node: str,
        master: str,
        *,
        patience_us: int = 0,
        on_wait: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        super().__init__(node)
        self._master = master
        self._patience_us = patience_us
        self._on_wait = on_wait
        self._client_id = os.urandom(16)
        self._calls = 0
        self._channels = Channels()

    async def call(self, node: str, request: Request[Answer], *, timeout_us: int | None = None) -> Answer:
        """Ask another node, and wait for its answer."""
        caller = Caller(self.node, self._client_id, self._calls)
        self._calls += 1
        timeout_s = (timeout_us or CALL_TIMEOUT_US) / 1_000_000
        body = wire.encode_call(caller, request)

        async def ask() -> Answer:
            answered = await self._channels.call(self._address(node), wire.CALL, body, timeout_s)
            try:
                answer: Answer = wire.decode_answer(type(request), answered)
            except wire.MalformedMessageError as problem:
                raise EOFException(f"{node} answers with {problem}") from problem
            return answer

        return await self._patiently(node, ask)

    async def _patiently(self, node: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Ask the master again while it is away: by its number it knows a call that it has carried out."""
        patience_us = self._patience_us if node == MASTER else 0
        return await again_and_again(ask, _TRY_AGAIN, patience_us, f"the master at {self._master}", self._on_wait)

    async def describe(self, node: str) -> wire.Description:
        """What another node is.

        Raises:
            GfsRefusal: it speaks another format, or is no node of GFS.
            ConnectException, SocketTimeoutException, EOFException: as for calls.
        """
        address = self._address(node)
        answered = await self._patiently(node, lambda: self._channels.call(address, wire.DESCRIBE, b"", CONNECT_S))
        try:
            found = wire.DESCRIPTIONS.decode(answered)
        except wire.MalformedMessageError as problem:
            raise GfsRefusal(f"{address} is {problem}") from problem
        if found.format != wire.FORMAT:
            raise GfsRefusal(f"{address} speaks format {found.format}, accepted: {wire.FORMAT}")
        return found

    async def connect(self, node: str, operation: Operation, *, timeout_us: int | None = None) -> StreamConnection:
        """Open a connection to a chunkserver."""
        address = self._address(node)
        channel = await self._channels.connected(address, (timeout_us or CALL_TIMEOUT_US) / 1_000_000)
        try:
            call = channel.stream_stream(wire.PUSH)()
            await call.write(wire.encode(operation))
        except BROKEN as problem:
            raise ConnectException(f"{node} cannot be reached: {why(problem)}") from problem
        return StreamConnection(call, node, lambda reading: self._end(call, reading))

    def _end(self, call: object, reading: object) -> None:
        self.spawn(end_call(call, reading), "end of a connection")  # type: ignore[arg-type]

    async def stop(self) -> None:
        """End all processes and connections of the node."""
        await super().stop()
        await self._channels.close()

    def _address(self, node: str) -> str:
        if node == MASTER:
            return self._master
        try:
            host_and_port(node)
        except ConfigurationError as problem:
            raise ConnectException(f"{node[:200]!r} is no node: {problem}") from problem
        return node
