"""A server of gRPC for one node: calls, connections, and what the node is.

What a caller has begun goes on when he is gone, as a node does not leave a mutation half done for that. A caller who
does not say what he wants is given up after a while, and one who says what nobody understands is told so.

Not here: who callers are. Whoever reaches the port may ask anything.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

import grpc

from genstamp_dfs.errors import Refusal
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.streams import Serve, StreamConnection
from genstamp_dfs.server.connections import Connections, tell_of_fault
from genstamp_dfs.world.request import Caller, Request

Result = TypeVar("Result")

OPENING_S: Final = 20.0
"""How long a caller may take to say what he wants."""

STOP_S: Final = 5.0
"""How long those who are being answered may take to hear it when the node ends."""

MAX_CALLS: Final = 1024
"""Calls and connections at a time; then one that has not said yet what it wants is given up."""

IDLE_MS: Final = 15 * 60 * 1000
"""After which a connection of gRPC's without calls is closed."""

Handle = Callable[[Request[Any], Caller], Awaitable[Any]]


class Listener:
    """Listens for one node: first `bind`, then `start`.

    Args:
        requests: what it may be asked.
        max_bytes: of a message to it.
        describe: says what it is.
        handle: answers a request, or raises a `Refusal`.
        serve: serves a connection; None where nobody may open one.
        opening_s: how long a caller may take to say what he wants.
        max_calls: how many calls and connections there may be at a time.
    """

    def __init__(
        self,
        requests: wire.Decoder[tuple[Caller, Request[Any]]],
        max_bytes: int,
        describe: Callable[[], wire.Description],
        handle: Handle,
        serve: Serve | None = None,
        *,
        opening_s: float = OPENING_S,
        max_calls: int = MAX_CALLS,
    ) -> None:
        self._requests = requests
        self._max_bytes = max_bytes
        self._describe = describe
        self._handle = handle
        self._serve = serve
        self._opening_s = opening_s
        self._calls = Connections(max_calls)
        self._work: set[asyncio.Task[Any]] = set()
        self._server: Any = None

    def bind(self, host: str, port: int) -> int:
        """Take a port, at which nobody is answered before `start`; gives the port.

        Raises:
            OSError: it cannot be had.
        """
        self._server = grpc.aio.server(
            options=(
                ("grpc.max_receive_message_length", self._max_bytes),
                ("grpc.max_send_message_length", wire.MAX_CALL_BYTES),
                ("grpc.max_connection_idle_ms", IDLE_MS),
                # Else a second server would share the port of the first.
                ("grpc.so_reuseport", 0),
            )
        )
        self._server.add_generic_rpc_handlers((_Methods(self._methods()),))
        at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            return int(self._server.add_insecure_port(at))
        except RuntimeError as problem:
            raise OSError(f"cannot listen at {at}, accepted: a free port of this machine") from problem

    async def start(self) -> None:
        """Answer at the port that was taken."""
        await self._server.start()

    async def stop(self) -> None:
        """Take no more calls, and end what is being done."""
        if self._server is None:
            return
        stopping = asyncio.ensure_future(self._server.stop(STOP_S))
        await asyncio.wait(self._work, timeout=STOP_S) if self._work else None
        for task in list(self._work):
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        await stopping

    def _methods(self) -> dict[str, Any]:
        found = {
            wire.CALL: grpc.stream_unary_rpc_method_handler(self._call),
            wire.DESCRIBE: grpc.stream_unary_rpc_method_handler(self._description),
        }
        if self._serve is not None:
            found[wire.PUSH] = grpc.stream_stream_rpc_method_handler(self._push)
        return found

    # -- methods ------------------------------------------------------------------------------------------------

    async def _call(self, bodies: Any, context: Any) -> bytes:
        try:
            caller, request = await self._opened(self._requests, lambda: anext(bodies, grpc.aio.EOF), context)
            return wire.encode_answer(await asyncio.shield(self._begun(self._answer(request, caller))))
        except Refusal as refusal:
            return wire.encode_refusal(refusal)
        except (grpc.aio.BaseError, asyncio.CancelledError):
            raise
        except Exception as fault:
            await context.abort(grpc.StatusCode.INTERNAL, f"the node failed: {type(fault).__name__}")
            raise
        finally:
            self._calls.leave(_this_task())

    async def _answer(self, request: Request[Any], caller: Caller) -> Any:
        return await self._handle(request, caller)

    async def _description(self, *_: Any) -> bytes:
        return wire.encode(self._describe())

    async def _push(self, _: Any, context: Any) -> None:
        assert self._serve is not None, "nobody may open connections where they are not served"
        closed = asyncio.Event()
        connection = StreamConnection(context, "", lambda reading: closed.set())
        closing = asyncio.ensure_future(closed.wait())
        try:
            operation = await self._opened(wire.OPERATIONS, context.read, context)
            serving = self._begun(self._serve(connection, operation))
            await asyncio.wait({serving, closing}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done() and serving.exception() is not None:
                await context.abort(grpc.StatusCode.INTERNAL, "the node failed")
        finally:
            closing.cancel()
            connection.end()
            self._calls.leave(_this_task())

    # -- around them --------------------------------------------------------------------------------------------

    async def _opened(self, decoder: wire.Decoder[Result], first: Callable[[], Awaitable[Any]], context: Any) -> Result:
        """What a caller wants: his first message."""
        if not self._calls.admit(_this_task()):
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many calls at a time")
        try:
            async with asyncio.timeout(self._opening_s):
                body = await first()
        except TimeoutError:
            late = f"what is wanted was not said within {self._opening_s:g} s"
            await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, late)
            raise
        except asyncio.CancelledError:
            # Given up for another, or gone; gRPC itself would not tell the end of a task that was cancelled.
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many calls at a time")
            raise
        if body is grpc.aio.EOF:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the call says nothing")
        self._calls.works(_this_task())
        try:
            return decoder.decode(body)
        except wire.MalformedMessageError as problem:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(problem))
            raise

    def _begun(self, work: Coroutine[Any, Any, Result]) -> "asyncio.Task[Result]":
        """Have something done to its end, whoever waits for it; a fault of ours is told to the operator."""
        task = asyncio.get_running_loop().create_task(work)
        self._work.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: "asyncio.Task[Any]") -> None:
        self._work.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None and not isinstance(fault, Refusal):
            tell_of_fault("a call", fault)


def _this_task() -> "asyncio.Task[Any]":
    task = asyncio.current_task()
    assert task is not None, "gRPC handles a call in a task"
    return task


class _Methods(grpc.GenericRpcHandler):  # type: ignore[misc]
    """Finds what answers a method."""

    def __init__(self, methods: dict[str, Any]) -> None:
        self._methods = methods

    def service(self, details: Any) -> Any:
        """What answers it; None if nothing does."""
        return self._methods.get(details.method)
