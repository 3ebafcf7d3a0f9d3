"""Channels to other nodes, one for each address, and calls over them.

gRPC says of a node that cannot be reached and of one that died over a call that they are unavailable. They are told
apart here: a call begins when the channel is connected, so what breaks after that may have been carried out.

Not here: trying again, which is the business of whoever calls.
"""

import asyncio
import contextlib
from typing import Any, Final, NoReturn

import grpc

from genstamp_dfs.errors import ConnectException, EOFException, Refusal, SocketTimeoutException
from genstamp_dfs.gfs.errors import GfsRefusal
from genstamp_dfs.gfs.server import wire

CONNECT_S: Final = 10.0
"""How long a node may take to let a channel be connected."""

_OPTIONS: Final = (
    ("grpc.max_receive_message_length", wire.MAX_CALL_BYTES),
    ("grpc.max_send_message_length", wire.MAX_CALL_BYTES),
    # An address is where the node is, whatever the environment says of proxies.
    ("grpc.enable_http_proxy", 0),
    # Else a new channel would wait for as long as the former ones to the same address have failed.
    ("grpc.use_local_subchannel_pool", 1),
)

BROKEN: Final = (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError)
"""What gRPC raises where a call or a connection has come to its end."""


class Channels:
    """The channels of one node."""

    def __init__(self) -> None:
        self._channels: dict[str, Any] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def call(self, address: str, method: str, body: bytes, timeout_s: float) -> bytes:
        """Call a method of the node at an address.

        Raises:
            ConnectException: it cannot be reached, or is full.
            SocketTimeoutException: it did not answer in time.
            EOFException: it died over the call, or failed.
            GfsRefusal: it does not take such a call, or the call or its answer is too large.
        """
        loop = asyncio.get_running_loop()
        give_up = loop.time() + timeout_s
        channel = await self.connected(address, timeout_s)
        try:
            answer: bytes = await channel.unary_unary(method)(body, timeout=max(0.001, give_up - loop.time()))
        except grpc.RpcError as problem:
            raise failure(address, problem) from problem
        except asyncio.CancelledError as cancelled:
            _unless_we_are(cancelled, address)
        except grpc.aio.UsageError as problem:
            raise ConnectException(f"{address} cannot be reached: its channel was closed") from problem
        return answer

    async def connected(self, address: str, timeout_s: float = CONNECT_S) -> Any:
        """A channel that is connected.

        Raises:
            ConnectException: the node cannot be reached.
            SocketTimeoutException: it did not answer in time.
        """
        channel = self._channels.get(address)
        if channel is None:
            channel = self._channels[address] = grpc.aio.insecure_channel(address, options=_OPTIONS)
        try:
            async with asyncio.timeout(min(timeout_s, CONNECT_S)):
                while (state := channel.get_state(try_to_connect=True)) is not grpc.ChannelConnectivity.READY:
                    if state in (grpc.ChannelConnectivity.TRANSIENT_FAILURE, grpc.ChannelConnectivity.SHUTDOWN):
                        self._drop(address, channel)
                        raise ConnectException(f"{address} cannot be reached")
                    await channel.wait_for_state_change(state)
        except TimeoutError as problem:
            raise SocketTimeoutException(f"{address} does not answer") from problem
        except grpc.aio.UsageError as problem:
            raise ConnectException(f"{address} cannot be reached") from problem
        except asyncio.CancelledError as cancelled:
            _unless_we_are(cancelled, address)
        return channel

    async def close(self) -> None:
        """Close all channels; calls that are under way end."""
        for address, channel in list(self._channels.items()):
            self._drop(address, channel)
        await asyncio.gather(*self._closing, return_exceptions=True)

    def _drop(self, address: str, channel: Any) -> None:
        """Forget a channel: the next call tries at once, where gRPC would wait longer each time."""
        if self._channels.get(address) is channel:
            del self._channels[address]
        closing = asyncio.get_running_loop().create_task(_close(channel))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


async def _close(channel: Any) -> None:
    with contextlib.suppress(*BROKEN):
        await channel.close()


def failure(address: str, problem: Any) -> Refusal:
    """gRPC's failure of a call that had begun, by our name."""
    code, details = problem.code(), problem.details()
    match code:
        case grpc.StatusCode.DEADLINE_EXCEEDED:
            return SocketTimeoutException(f"{address} did not answer in time")
        case grpc.StatusCode.RESOURCE_EXHAUSTED if "larger than max" not in str(details):
            return ConnectException(f"{address} takes no more calls now: {details}")
        case grpc.StatusCode.RESOURCE_EXHAUSTED | grpc.StatusCode.INVALID_ARGUMENT | grpc.StatusCode.UNIMPLEMENTED:
            return GfsRefusal(f"{address} does not take this: {details}")
    return EOFException(f"{address} died over the call, or failed: {code.name}: {details}")


def why(problem: BaseException) -> str:
    """One of `BROKEN` on one line."""
    if isinstance(problem, grpc.aio.AioRpcError):
        return f"{problem.code().name}: {problem.details()}"
    return str(problem) or type(problem).__name__


def _unless_we_are(cancelled: asyncio.CancelledError, address: str) -> NoReturn:
    """gRPC cancels what waits on a channel that somebody else closes; only a task that is told to end shall end."""
    task = asyncio.current_task()
    if task is None or task.cancelling():
        raise cancelled
    raise EOFException(f"the channel to {address} was closed") from cancelled
