"""Connections as gRPC's streams in both directions (`genstamp_dfs.world.runtime.Connection`).

Not here: who opens them (`runtime`) and who takes them (`listener`).
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, Final, Protocol

import grpc

from genstamp_dfs.errors import EOFException, SocketTimeoutException
from genstamp_dfs.gfs.messages.data_flow import Message
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.channels import BROKEN, why

LONGEST_SILENCE_S: Final = 60.0
"""How long the other end may be silent where nobody says how long it may."""

CLOSE_S: Final = 10.0
"""How long the other end may take to end after a close."""


class Stream(Protocol):
    """What a call has at the one end, and its context at the other."""

    async def read(self) -> Any:
        """The next bytes, or `grpc.aio.EOF`."""

    async def write(self, data: bytes) -> None:
        """Send bytes; waits while the other end takes none."""


class StreamConnection:
    """A connection.

    Args:
        stream: carries it.
        peer: name of the node at the other end; empty where it is not known.
        on_close: is told once that it is closed here.
    """

    def __init__(self, stream: Stream, peer: str, on_close: Callable[["asyncio.Future[Any] | None"], None]) -> None:
        self._stream = stream
        self._peer = peer
        self._on_close = on_close
        self._reading: asyncio.Future[Any] | None = None
        self._is_closed = False

    @property
    def peer(self) -> str:
        """Name of the node at the other end; empty where it is not known."""
        return self._peer

    async def send(self, message: Message) -> None:
        """Send a message; waits while the other end takes none.

        Raises:
            EOFException: the connection is broken or closed.
        """
        if self._is_closed:
            raise EOFException(f"the connection to {self._peer or 'a caller'} is closed")
        try:
            await self._stream.write(wire.encode(message))
        except BROKEN as problem:
            raise EOFException(f"the connection to {self._peer or 'a caller'} is broken: {why(problem)}") from problem

    async def receive(self, timeout_us: int | None = None) -> Message:
        """The next message.

        Raises:
            EOFException: the connection is broken or closed, or what came is no message.
            SocketTimeoutException: nothing came in time; the connection goes on.
        """
        if self._is_closed:
            raise EOFException(f"the connection to {self._peer or 'a caller'} is closed")
        if self._reading is None:
            # In a task of its own: to give up a read of gRPC's would end the whole stream.
            self._reading = asyncio.ensure_future(self._stream.read())
        timeout_s = LONGEST_SILENCE_S if timeout_us is None else timeout_us / 1_000_000
        done, _ = await asyncio.wait({self._reading}, timeout=timeout_s)
        if not done:
            raise SocketTimeoutException(f"nothing came from {self._peer or 'a caller'} in {timeout_s:g} s")
        reading, self._reading = self._reading, None
        body = _result(reading)
        if body is grpc.aio.EOF:
            raise EOFException(f"the connection to {self._peer or 'a caller'} has ended")
        try:
            return wire.MESSAGES.decode(body)
        except wire.MalformedMessageError as problem:
            self.close()
            raise EOFException(str(problem)) from problem

    def close(self) -> None:
        """Close; what was sent arrives before the end does."""
        if not self._is_closed:
            self._is_closed = True
            self._on_close(self._reading)

    def end(self) -> None:
        """The stream is over: whoever waits for a message waits in vain."""
        self.close()
        if self._reading is not None:
            self._reading.cancel()


def _result(reading: "asyncio.Future[Any]") -> Any:
    """What was read; the end, if it could not be."""
    if reading.cancelled():
        return grpc.aio.EOF
    try:
        return reading.result()
    except BROKEN:
        return grpc.aio.EOF


async def end_call(call: Any, reading: "asyncio.Future[Any] | None") -> None:
    """End a call of ours in order: say that no more comes, and let the other end come to its end."""

    async def in_order() -> None:
        with contextlib.suppress(*BROKEN):
            await call.done_writing()
            if reading is not None:
                await asyncio.wait({reading})
                _result(reading)
            while await call.read() is not grpc.aio.EOF:
                pass

    ending = asyncio.ensure_future(in_order())
    await asyncio.wait({ending}, timeout=CLOSE_S)
    call.cancel()
    await asyncio.wait({ending})
    if not ending.cancelled():
        ending.exception()


Serve = Callable[[StreamConnection, Any], Coroutine[Any, Any, None]]
"""Serves a connection, as its operation says, until the end."""
