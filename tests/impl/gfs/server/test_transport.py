"""Calls and connections over gRPC: what arrives, what a caller is told when it does not, who asks what he may not."""

import asyncio
import contextlib
import os
import random
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import msgspec
import pytest

from genstamp_dfs.errors import NETWORK_FAILURES, ConnectException, EOFException, SocketTimeoutException
from genstamp_dfs.gfs.errors import GfsRefusal, PathNotFound
from genstamp_dfs.gfs.messages.chunkserver_protocol import Read
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.gfs.messages.master_protocol import Create, Delete, List
from genstamp_dfs.gfs.protocol import MASTER, PIECE_BYTES, FileInfo, Limits
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.listener import Listener
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.gfs.server.streams import StreamConnection
from genstamp_dfs.world.request import Caller, Request

CALLER = Caller("client1")
PUSH = PushData(bytes(16), 3, 0, ())


class Node:
    """A node that answers as it is told, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Request[Any], Caller]] = []
        self.answer: Callable[[Request[Any]], Any] = lambda request: None
        self.hold: asyncio.Event | None = None
        self.done = asyncio.Event()

    async def handle(self, request: Request[Any], caller: Caller) -> Any:
        self.asked.append((request, caller))
        if self.hold is not None:
            await self.hold.wait()
        self.done.set()
        return self.answer(request)

    async def serve(self, connection: StreamConnection, operation: PushData) -> None:
        """Give back what comes, and in the end the targets."""
        received = 0
        while received < operation.num_bytes:
            message = await connection.receive()
            assert isinstance(message, DataPiece)
            received += len(message.data)
            await connection.send(message)
        await connection.send(Pushed(operation.targets))
        connection.close()


@contextlib.asynccontextmanager
async def listening(
    node: Node, *, opening_s: float = 20.0, max_calls: int = 64, chunkserver: bool = False
) -> AsyncIterator[tuple[str, GfsRuntime, Listener]]:
    """The node's address, another node that knows it as the master, and what listens."""
    listener = Listener(
        wire.CHUNKSERVER_REQUESTS if chunkserver else wire.MASTER_REQUESTS,
        wire.MAX_PIECE_BYTES if chunkserver else wire.MAX_CALL_BYTES,
        lambda: wire.Description(wire.FORMAT, MASTER, "cluster", Limits(chunk_bytes=4096)),
        node.handle,
        node.serve if chunkserver else None,
        opening_s=opening_s,
        max_calls=max_calls,
    )
    address = f"127.0.0.1:{listener.bind('127.0.0.1', 0)}"
    await listener.start()
    runtime = GfsRuntime("client1", address)
    try:
        yield address, runtime, listener
    finally:
        await runtime.stop()
        await listener.stop()


@contextlib.asynccontextmanager
async def raw_channel(address: str, **options: int) -> AsyncIterator[Any]:
    """gRPC without our side of it."""
    given = [(f"grpc.{name}", value) for name, value in options.items()]
    async with grpc.aio.insecure_channel(address, options=[*given, ("grpc.enable_http_proxy", 0)]) as channel:
        yield channel


async def still_answers(node: Node, address: str) -> None:
    """The node answers somebody else."""
    runtime = GfsRuntime("witness", address)
    try:
        await runtime.call(MASTER, Create("/witness"))
        assert node.asked[-1][1].machine == "witness"
    finally:
        await runtime.stop()


async def test_a_call_is_answered() -> None:
    node = Node()
    async with listening(node) as (_, runtime, _):
        listed = (FileInfo("/a", False, 3), FileInfo("/b", True))
        node.answer = lambda request: listed
        assert await runtime.call(MASTER, List("/")) == listed
        request, caller = node.asked[0]
        assert (request, caller.machine, caller.call_id, len(caller.client_id)) == (List("/"), "client1", 0, 16)
        assert (await runtime.describe(MASTER)).limits.chunk_bytes == 4096


async def test_a_refusal_arrives_as_itself() -> None:
    node = Node()

    def refuse(request: Request[Any]) -> None:
        raise PathNotFound("there is no /a")

    node.answer = refuse
    async with listening(node) as (_, runtime, _):
        with pytest.raises(PathNotFound, match=r"^there is no /a$"):
            await runtime.call(MASTER, Create("/a/b"))


async def test_a_node_that_is_not_there_cannot_be_reached_and_is_found_when_it_comes_back() -> None:
    node = Node()
    async with listening(node) as (address, runtime, listener):
        await runtime.call(MASTER, Create("/a"))
        await listener.stop()
        for _ in range(3):
            with pytest.raises(ConnectException):
                await runtime.call(MASTER, Create("/b"))
        listener.bind("127.0.0.1", int(address.rpartition(":")[2]))
        await listener.start()
        await runtime.call(MASTER, Create("/c"))
        assert [request for request, _ in node.asked] == [Create("/a"), Create("/c")]
        with pytest.raises(ConnectException, match="no node"):
            await runtime.call("chunkserver1", Read(1, 1, 0, 1))


async def test_a_call_that_takes_too_long_times_out_and_is_carried_out_all_the_same() -> None:
    node = Node()
    node.hold = asyncio.Event()
    async with listening(node) as (_, runtime, _):
        with pytest.raises(SocketTimeoutException):
            await runtime.call(MASTER, Create("/a"), timeout_us=100_000)
        assert not node.done.is_set()
        node.hold.set()
        await node.done.wait()


async def test_a_node_that_dies_over_a_call_may_have_carried_it_out() -> None:
    node = Node()
    node.hold = asyncio.Event()
    async with listening(node) as (_, runtime, listener):
        calling = asyncio.create_task(runtime.call(MASTER, Create("/a")))
        while not node.asked:
            await asyncio.sleep(0.01)
        await listener._server.stop(None)
        with pytest.raises(EOFException):
            await calling
        node.hold.set()


async def test_a_fault_of_ours_is_told_to_the_operator_and_the_node_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    node = Node()

    def fail(request: Request[Any]) -> None:
        raise ZeroDivisionError("by zero")

    async with listening(node) as (address, runtime, _):
        node.answer = fail
        with pytest.raises(EOFException, match="INTERNAL: the node failed: ZeroDivisionError"):
            await runtime.call(MASTER, Create("/a"))
        node.answer = lambda request: None
        await still_answers(node, address)
    (said,) = [record.message for record in caplog.records]
    assert "a call failed at " in said
    assert "ZeroDivisionError: by zero" in said


async def test_a_port_that_is_taken_is_refused() -> None:
    async with listening(Node()) as (address, _, _):
        second = Listener(wire.MASTER_REQUESTS, 1000, lambda: None, Node().handle)  # type: ignore[arg-type,return-value]
        with pytest.raises(OSError, match=f"cannot listen at {address}"):
            second.bind("127.0.0.1", int(address.rpartition(":")[2]))
        await second.stop()


# -- connections ----------------------------------------------------------------------------------------------------


async def test_a_connection_carries_messages_both_ways_and_ends() -> None:
    async with listening(Node(), chunkserver=True) as (address, runtime, _):
        pieces = [os.urandom(PIECE_BYTES), os.urandom(PIECE_BYTES), b"end"]
        operation = PushData(bytes(16), sum(map(len, pieces)), 0, ("127.0.0.1:9",))
        connection = await runtime.connect(address, operation)
        assert connection.peer == address
        for piece in pieces:
            await connection.send(DataPiece(piece))
        assert [await connection.receive() for _ in pieces] == [DataPiece(piece) for piece in pieces]
        assert await connection.receive() == Pushed(("127.0.0.1:9",))
        with pytest.raises(EOFException):
            await connection.receive()
        connection.close()
        connection.close()
        with pytest.raises(EOFException):
            await connection.send(DataPiece(b""))


async def test_a_wait_that_is_given_up_leaves_the_connection_as_it_is() -> None:
    async with listening(Node(), chunkserver=True) as (address, runtime, _):
        connection = await runtime.connect(address, PUSH)
        with pytest.raises(SocketTimeoutException):
            await connection.receive(20_000)
        await connection.send(DataPiece(b"abc"))
        assert [await connection.receive(), await connection.receive()] == [DataPiece(b"abc"), Pushed(())]
        connection.close()


async def test_an_end_that_goes_away_is_noticed_at_the_other() -> None:
    node = Node()
    seen: list[str] = []
    opened = asyncio.Event()

    async def serve(connection: StreamConnection, operation: PushData) -> None:
        opened.set()
        try:
            await connection.receive()
        except EOFException:
            seen.append("the client has gone")
            node.done.set()

    node.serve = serve  # type: ignore[method-assign]
    async with listening(node, chunkserver=True) as (address, runtime, listener):
        connection = await runtime.connect(address, PUSH)
        connection.close()
        await node.done.wait()
        node.done.clear()
        opened.clear()
        connection = await runtime.connect(address, PUSH)
        await opened.wait()
        await listener._server.stop(None)
        with pytest.raises(EOFException):
            await connection.receive()
        await node.done.wait()
    assert seen == ["the client has gone"] * 2


async def test_what_was_sent_arrives_before_a_close_does() -> None:
    node = Node()
    received: list[Any] = []

    async def serve(connection: StreamConnection, operation: PushData) -> None:
        with contextlib.suppress(EOFException):
            while True:
                received.append(await connection.receive())
        node.done.set()

    node.serve = serve  # type: ignore[method-assign]
    async with listening(node, chunkserver=True) as (address, runtime, _):
        connection = await runtime.connect(address, PUSH)
        for number in range(20):
            await connection.send(DataPiece(bytes([number]) * 100_000))
        connection.close()
        await node.done.wait()
    assert [message.data[0] for message in received] == list(range(20))


# -- who asks what he may not ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "no request to a master"),
        (random.Random(3).randbytes(1000), "no request to a master"),
        (wire.encode_call(CALLER, Read(1, 1, 0, 5)), "Invalid value 'Read'"),
        (msgspec.msgpack.encode([CALLER, {"type": "Delete"}]), "missing required field `path`"),
        (b"\x91" * 1_000_000, "no request to a master"),
    ],
    ids=["nothing", "noise", "of-another-role", "without-a-field", "nested"],
)
async def test_bytes_that_are_no_call_are_told_so(body: bytes, told: str) -> None:
    node = Node()
    async with listening(node) as (address, _, _):
        async with raw_channel(address) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as found:
                await channel.unary_unary(wire.CALL)(body)
        assert found.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert told in found.value.details()
        assert not node.asked
        await still_answers(node, address)


async def test_messages_beyond_the_limit_are_refused_on_both_sides() -> None:
    node = Node()
    huge = "/" + "x" * (wire.MAX_CALL_BYTES + 1)
    async with listening(node) as (address, runtime, _):
        with pytest.raises(GfsRefusal, match="larger than max"):
            await runtime.call(MASTER, Create(huge))
        async with raw_channel(address, max_send_message_length=-1) as channel:
            with pytest.raises(grpc.aio.AioRpcError, match="larger than max"):
                await channel.unary_unary(wire.CALL)(wire.encode_call(CALLER, Create(huge)))
        assert not node.asked
        node.answer = lambda request: huge
        with pytest.raises(GfsRefusal, match="larger than max"):
            await runtime.call(MASTER, Delete("/a"))
        node.answer = lambda request: None
        await still_answers(node, address)


async def test_methods_that_are_not_there_are_told_so() -> None:
    node = Node()
    async with listening(node) as (address, runtime, _):
        async with raw_channel(address) as channel:
            with pytest.raises(grpc.aio.AioRpcError) as found:
                await channel.unary_unary("/genstamp.gfs.Node/Nothing")(b"")
        assert found.value.code() is grpc.StatusCode.UNIMPLEMENTED
        with pytest.raises(NETWORK_FAILURES):
            # Whether the refusal is there already when the operation is sent, is chance.
            connection = await runtime.connect(address, PUSH)
            await connection.receive()
        await still_answers(node, address)


async def test_whoever_does_not_say_what_he_wants_is_given_up() -> None:
    node = Node()
    async with listening(node, opening_s=0.1) as (address, _, _), raw_channel(address) as channel:
        call = channel.stream_stream(wire.CALL)()
        await call.wait_for_connection()
        assert await call.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        await still_answers(node, address)


async def test_a_crowd_that_says_nothing_keeps_nobody_out() -> None:
    node = Node()
    async with listening(node, max_calls=8) as (address, _, listener), raw_channel(address) as channel:
        calls = [channel.stream_stream(wire.CALL)() for _ in range(40)]
        for call in calls:
            await call.wait_for_connection()
        while len(listener._calls) < 8:
            await asyncio.sleep(0.01)
        await still_answers(node, address)
        while sum(call.done() for call in calls) < 32:
            await asyncio.sleep(0.01)
        assert len(listener._calls) <= 8
        for call in calls:
            call.cancel()


async def test_who_is_worked_for_is_not_given_up_for_others() -> None:
    node = Node()
    node.hold = asyncio.Event()
    async with listening(node, max_calls=2) as (_, runtime, _):
        calls = [asyncio.create_task(runtime.call(MASTER, Create(f"/{number}"))) for number in range(2)]
        while len(node.asked) < 2:
            await asyncio.sleep(0.01)
        with pytest.raises(ConnectException, match="takes no more calls now: too many calls at a time"):
            await runtime.call(MASTER, Create("/third"))
        node.hold.set()
        assert await asyncio.gather(*calls) == [None, None]


async def test_noise_on_the_socket_leaves_the_server_up() -> None:
    node = Node()
    draw = random.Random(11)
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    async with listening(node) as (address, _, _):
        for number in range(60):
            noise = draw.randbytes(draw.choice((1, 9, 100, 5000)))
            with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as caller:
                caller.sendall((b"", b"GET / HTTP/1.1\r\n\r\n", preface)[number % 3] + noise)
        await still_answers(node, address)


@pytest.mark.slow
@pytest.mark.parametrize(
    "said", [b"", b"\xc1", wire.encode(Pushed(())), wire.encode(DataPiece(bytes(PIECE_BYTES * 2)))]
)
async def test_connections_that_open_wrongly_are_told_so(said: bytes) -> None:
    node = Node()
    async with listening(node, chunkserver=True) as (address, runtime, _):
        async with raw_channel(address) as channel:
            call = channel.stream_stream(wire.PUSH)()
            await call.write(said)
            code = await call.code()
        assert code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED)
        connection = await runtime.connect(address, PUSH)
        await connection.send(DataPiece(b"abc"))
        assert await connection.receive() == DataPiece(b"abc")
        connection.close()


async def test_what_is_no_message_ends_the_connection() -> None:
    node = Node()
    ended: list[str] = []

    async def serve(connection: StreamConnection, operation: PushData) -> None:
        try:
            await connection.receive()
        except EOFException as problem:
            ended.append(str(problem))

    node.serve = serve  # type: ignore[method-assign]
    async with listening(node, chunkserver=True) as (address, _, _), raw_channel(address) as channel:
        call = channel.stream_stream(wire.PUSH)()
        await call.write(wire.encode(PUSH))
        await call.write(b"\xc1")
        assert await call.read() is grpc.aio.EOF
    assert [text.startswith("no message of a connection") for text in ended] == [True]
