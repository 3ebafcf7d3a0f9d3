"""Calls over Hadoop's RPC: how a connection is opened, what is answered to those who do not follow, many at once."""

import asyncio
import contextlib
import os
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.impl.running import run

from genstamp_dfs.errors import (
    ConnectException,
    EOFException,
    FileNotFoundException,
    HdfsIOException,
    LeaseExpiredException,
    SocketTimeoutException,
)
from genstamp_dfs.hdfs.messages.client_protocol import Append, CreateFlag, GetFileInfo, IsFileClosed, Mkdirs, RenewLease
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    NamespaceInfo,
    RecoverBlocks,
    SendHeartbeat,
    TransferBlock,
    TransferBlocks,
    VersionRequest,
)
from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock
from genstamp_dfs.server import rpc_server
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.protocols import CLIENT_PROTOCOL, MAX_CLIENT_NAME, NAMENODE_PROTOCOLS
from genstamp_dfs.server.rpc_client import RpcClient
from genstamp_dfs.server.rpc_server import RpcServer
from genstamp_dfs.server.wire import frames
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Caller, Request

HOST = "127.0.0.1"
CLIENT_ID = bytes(range(16))

Handler = Callable[[Request[Any], Caller], Awaitable[Any]]


async def says_yes(request: Request[Any], caller: Caller) -> Any:
    """A handler that says yes."""
    return True


@contextlib.asynccontextmanager
async def serving(handler: Handler = says_yes, **options: Any) -> AsyncIterator[int]:
    """A server of the namenode's protocols; gives its port."""
    book = AddressBook()
    book.note("datanode1", Address(HOST, 9861, 9871))
    book.note("datanode2", Address(HOST, 9862, 9872))
    server = RpcServer(NAMENODE_PROTOCOLS, handler, Converter("BP-1", book, learns=False), **options)
    port = await server.start(HOST, 0)
    try:
        yield port
    finally:
        await server.stop()


class Peer:
    """A client that says what it likes, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @classmethod
    async def of(cls, port: int, *data: bytes) -> "Peer":
        peer = cls(*await asyncio.open_connection(HOST, port))
        peer.writer.write(b"".join(data))
        return peer

    async def answer(self) -> tuple[rpc.RpcResponseHeader, bytes]:
        length = frames.frame_length(await self.reader.readexactly(4))
        frame = frames.FrameReader(await self.reader.readexactly(length))
        return frame.next(rpc.RpcResponseHeader), frame.rest()

    async def ends(self) -> bytes:
        """What comes until the server closes."""
        rest = await self.reader.read()
        self.writer.close()
        return rest


def context(user: str = "someone") -> bytes:
    header = frames.request_header(frames.CONTEXT_CALL_ID, b"", -1)
    message = rpc.IpcConnectionContext(
        userInfo=rpc.UserInformation(effectiveUser=user), protocol="org.apache.hadoop.hdfs.protocol.ClientProtocol"
    )
    return frames.frame(header, message)


def call(request: Request[Any], call_id: int = 0) -> bytes:
    return CLIENT_PROTOCOL.frame(frames.request_header(call_id, CLIENT_ID), request, Converter("BP-1", AddressBook()))


IS_CLOSED = call(IsFileClosed("/f"), 7)


# -- opening --------------------------------------------------------------------------------------------------------


async def test_a_simple_client_is_answered_with_its_own_call_and_client_id() -> None:
    seen: list[tuple[Request[Any], Caller]] = []

    async def handler(request: Request[Any], caller: Caller) -> bool:
        seen.append((request, caller))
        return True

    async with serving(handler) as port:
        # Preamble, context and call in one piece, as clients send them.
        peer = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
        header, body = await peer.answer()
        assert (header.callId, header.clientId, header.status) == (7, CLIENT_ID, rpc.RpcStatus.SUCCESS)
        assert (header.serverIpcVersionNum, body) == (9, bytes([2, 8, 1]))
        assert seen == [(IsFileClosed("/f"), Caller(HOST, CLIENT_ID, 7, "someone"))]


async def test_a_client_that_opens_with_sasl_is_told_that_simple_will_do() -> None:
    async with serving() as port:
        negotiate = frames.frame(
            frames.request_header(frames.SASL_CALL_ID, b"", -1), rpc.RpcSasl(state=rpc.SaslState.NEGOTIATE)
        )
        peer = await Peer.of(port, frames.preamble(frames.AUTH_SASL), negotiate)
        header, body = await peer.answer()
        assert header.callId == frames.SASL_CALL_ID & 0xFFFFFFFF
        assert (header.status, header.clientId) == (rpc.RpcStatus.SUCCESS, b"")
        assert frames.FrameReader(body).next(rpc.RpcSasl).state == rpc.SaslState.SUCCESS
        peer.writer.write(context() + IS_CLOSED)
        assert (await peer.answer())[0].callId == 7


async def test_pings_are_not_answered() -> None:
    async with serving() as port:
        ping = frames.frame(frames.request_header(frames.PING_CALL_ID, CLIENT_ID, -1))
        peer = await Peer.of(port, frames.preamble(), context(), ping, IS_CLOSED)
        assert (await peer.answer())[0].callId == 7


async def test_a_browser_is_told_that_this_is_no_web_server() -> None:
    async with serving() as port:
        peer = await Peer.of(port, b"GET / HTTP/1.1\r\n\r\n")
        assert b"HTTP/1.1 404 Not Found" in await peer.ends()


async def test_connections_that_stay_half_open_are_closed() -> None:
    async with serving(handshake_s=0.2) as port:
        silent = await Peer.of(port)
        without_context = await Peer.of(port, frames.preamble())
        assert await silent.ends() == b""
        assert await without_context.ends() == b""


async def test_a_full_server_gives_up_the_oldest_half_open_connection_then_the_one_that_is_idle_for_the_longest() -> (
    None
):
    async with serving(max_connections=2) as port:
        idle = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
        await idle.answer()
        silent = await Peer.of(port)
        later = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
        assert (await later.answer())[0].callId == 7
        assert await silent.ends() == b""
        last = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
        assert (await last.answer())[0].callId == 7
        assert await idle.ends() == b""
        later.writer.write(call(IsFileClosed("/f"), 8))
        assert (await later.answer())[0].callId == 8


async def test_a_full_server_gives_up_nobody_for_whom_it_works() -> None:
    done = asyncio.Event()

    async def handler(request: Request[Any], caller: Caller) -> bool:
        return await done.wait()

    async with serving(handler, max_connections=1) as port:
        waiting = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
        while waiting.writer.transport.get_write_buffer_size():
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
        late = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
        with contextlib.suppress(ConnectionResetError):
            assert await late.ends() == b""
        done.set()
        assert (await waiting.answer())[0].callId == 7


async def test_a_client_that_reads_nothing_is_not_worked_for() -> None:
    asked = 0

    async def handler(request: Request[Any], caller: Caller) -> bool:
        nonlocal asked
        asked += 1
        raise HdfsIOException("x" * 100_000)

    async with serving(handler) as port:
        deaf = await Peer.of(port, frames.preamble(), context())
        deaf.reader._transport.pause_reading()  # type: ignore[attr-defined]
        calls = 2_000
        deaf.writer.write(b"".join(call(IsFileClosed("/f"), number) for number in range(calls)))
        other = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
        await other.answer()
        # What the sockets hold, and one answer on top.
        assert asked < 200


async def test_unread_answers_of_all_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rpc_server, "MAX_UNREAD_BYTES", 1)
    asked = asyncio.Event()

    async def handler(request: Request[Any], caller: Caller) -> bool:
        asked.set()
        raise HdfsIOException("x" * 10_000_000)

    async with serving(handler) as port:
        deaf = await Peer.of(port, frames.preamble(), context())
        deaf.reader._transport.pause_reading()  # type: ignore[attr-defined]
        deaf.writer.write(IS_CLOSED)
        await asked.wait()
        with contextlib.suppress(ConnectionError):
            deaf.reader._transport.resume_reading()  # type: ignore[attr-defined]
            assert len(await deaf.reader.read()) < 10_000_000


async def test_large_frames_that_find_no_room_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rpc_server, "MAX_LARGE_BYTES", 100_000)
    async with serving() as port:
        half = await Peer.of(port, frames.preamble(), context(), struct.pack(">i", 80_000))
        await asyncio.sleep(0.05)
        second = await Peer.of(port, frames.preamble(), context(), struct.pack(">i", 80_000))
        header, _ = await second.answer()
        assert header.errorMsg == "no room for a message of 80000 bytes now, accepted: 20000; try again later"
        half.writer.close()
        while True:
            third = await Peer.of(port, frames.preamble(), context(), struct.pack(">i", 80_000), bytes(80_000))
            if "no room" not in (await third.answer())[0].errorMsg:
                return


# -- refusals -------------------------------------------------------------------------------------------------------


def unknown_call(protocol: str, method: str) -> bytes:
    name = rpc.RequestHeader(methodName=method, declaringClassProtocolName=protocol, clientProtocolVersion=1)
    body = frames.delimited(frames.request_header(1, CLIENT_ID)) + frames.delimited(name) + b"\0"
    return struct.pack(">i", len(body)) + body


async def test_unknown_methods_and_protocols_are_errors_that_leave_the_connection_open() -> None:
    async with serving() as port:
        client_protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
        peer = await Peer.of(port, frames.preamble(), context(), unknown_call(client_protocol, "noSuchThing"))
        header, rest = await peer.answer()
        assert (header.status, header.errorDetail) == (rpc.RpcStatus.ERROR, rpc.RpcErrorCode.ERROR_NO_SUCH_METHOD)
        assert header.exceptionClassName == "org.apache.hadoop.ipc.RpcNoSuchMethodException"
        assert header.errorMsg == f"Unknown method noSuchThing called on {client_protocol} protocol."
        assert rest == b""
        peer.writer.write(unknown_call("no.such.Protocol", "getFileInfo"))
        header, _ = await peer.answer()
        assert header.errorDetail == rpc.RpcErrorCode.ERROR_NO_SUCH_PROTOCOL
        assert header.exceptionClassName == "org.apache.hadoop.ipc.RpcNoSuchProtocolException"
        assert header.errorMsg == "Unknown protocol: no.such.Protocol"
        peer.writer.write(IS_CLOSED)
        assert (await peer.answer())[0].status == rpc.RpcStatus.SUCCESS


async def test_what_is_the_same_for_all_is_answered_without_asking_the_namenode() -> None:
    async def nobody(request: Request[Any], caller: Caller) -> Any:
        raise AssertionError(f"{request} was asked")

    async with serving(nobody) as port:
        client_protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
        peer = await Peer.of(port, frames.preamble(), context())
        for method, body in (
            ("msync", b"\0"),
            ("getHAServiceState", b"\x02\x08\x01"),
            ("getEnclosingRoot", b"\x03\n\x01/"),
        ):
            peer.writer.write(unknown_call(client_protocol, method))
            header, rest = await peer.answer()
            assert (header.status, rest) == (rpc.RpcStatus.SUCCESS, body)


def header_with(**fields: Any) -> bytes:
    header = frames.request_header(3, CLIENT_ID)
    for field, value in fields.items():
        setattr(header, field, value)
    return frames.frame(header)


FATAL = [
    ("another version", [b"hrpc\x08\0\0"], rpc.RpcErrorCode.FATAL_VERSION_MISMATCH),
    ("unknown authentication", [b"hrpc\x09\0\x11"], rpc.RpcErrorCode.FATAL_UNAUTHORIZED),
    ("call before the context", [frames.preamble(), IS_CLOSED], rpc.RpcErrorCode.FATAL_INVALID_RPC_HEADER),
    ("second context", [frames.preamble(), context(), context()], rpc.RpcErrorCode.FATAL_INVALID_RPC_HEADER),
    (
        "writable call",
        [frames.preamble(), context(), header_with(rpcKind=rpc.RpcKind.RPC_WRITABLE)],
        rpc.RpcErrorCode.FATAL_INVALID_RPC_HEADER,
    ),
    (
        "close operation",
        [frames.preamble(), context(), header_with(rpcOp=rpc.Operation.RPC_CLOSE_CONNECTION)],
        rpc.RpcErrorCode.FATAL_INVALID_RPC_HEADER,
    ),
    (
        "unknown negative call",
        [frames.preamble(), context(), header_with(callId=-9)],
        rpc.RpcErrorCode.FATAL_INVALID_RPC_HEADER,
    ),
    (
        "a frame of nothing",
        [frames.preamble(), context(), bytes(4)],
        rpc.RpcErrorCode.FATAL_DESERIALIZING_REQUEST,
    ),
    (
        "a frame without end",
        [frames.preamble(), context(), struct.pack(">i", 2**31 - 1)],
        rpc.RpcErrorCode.FATAL_DESERIALIZING_REQUEST,
    ),
    (
        "a large frame before the context",
        [frames.preamble(), struct.pack(">i", 2**20)],
        rpc.RpcErrorCode.FATAL_DESERIALIZING_REQUEST,
    ),
    (
        "a request that is none",
        [frames.preamble(), context(), IS_CLOSED[:-3] + b"\x7f/f"],
        rpc.RpcErrorCode.FATAL_DESERIALIZING_REQUEST,
    ),
    (
        "a client id of another length",
        [frames.preamble(), context(), frames.frame(frames.request_header(7, b"x" * 17))],
        rpc.RpcErrorCode.FATAL_INVALID_RPC_HEADER,
    ),
    (
        "a path that is no text",
        [frames.preamble(), context(), IS_CLOSED[:-2] + b"\xff\xff"],
        rpc.RpcErrorCode.FATAL_DESERIALIZING_REQUEST,
    ),
]


@pytest.mark.parametrize(("data", "code"), [case[1:] for case in FATAL], ids=[case[0] for case in FATAL])
async def test_who_does_not_follow_the_protocol_is_told_and_the_connection_closed(data: list[bytes], code: int) -> None:
    async with serving() as port:
        peer = await Peer.of(port, *data)
        header, _ = await peer.answer()
        assert (header.status, header.errorDetail) == (rpc.RpcStatus.FATAL, code)
        assert await peer.ends() == b""


@settings(max_examples=40)
@given(
    cut=st.integers(0, 200),
    junk=st.binary(max_size=80),
    flips=st.lists(st.tuples(st.integers(0, 200), st.integers(1, 255)), max_size=4),
)
def test_no_bytes_stop_the_server(cut: int, junk: bytes, flips: list[tuple[int, int]]) -> None:
    async def test() -> None:
        async with serving(handshake_s=0.05) as port:
            data = bytearray(frames.preamble() + context() + IS_CLOSED)
            for place, change in flips:
                data[place % len(data)] ^= change
            hostile = await Peer.of(port, bytes(data[:cut]), junk)
            hostile.writer.write_eof()
            with contextlib.suppress(ConnectionResetError):
                await hostile.ends()
            good = await Peer.of(port, frames.preamble(), context(), IS_CLOSED)
            assert (await good.answer())[0].callId == 7

    run(test())


# -- our client -----------------------------------------------------------------------------------------------------


def client() -> RpcClient:
    return RpcClient(Converter("BP-1", AddressBook()), "datanode1", "someone")


async def ask(rpc_client: RpcClient, port: int, request: Request[Any], call_id: int = 0, timeout_s: float = 20) -> Any:
    caller = Caller("ignored", CLIENT_ID, call_id)
    return await rpc_client.call(HOST, port, request, caller, int(timeout_s * 1_000_000))


async def test_answers_find_those_who_asked_whatever_their_order() -> None:
    arrived: list[str] = []
    all_here = asyncio.Event()

    async def handler(request: Request[Any], caller: Caller) -> bool:
        assert isinstance(request, IsFileClosed)
        arrived.append(request.path)
        if len(arrived) == 50:
            all_here.set()
        await all_here.wait()
        for _ in range(50 - int(request.path[1:])):
            await asyncio.sleep(0)
        return int(request.path[1:]) % 3 == 0

    async with serving(handler) as port:
        mine = client()
        answers = await asyncio.gather(*(ask(mine, port, IsFileClosed(f"/{n}"), n % 5) for n in range(50)))
        assert answers == [n % 3 == 0 for n in range(50)]
        mine.close()


async def test_refusals_come_back_as_what_they_were() -> None:
    async def handler(request: Request[Any], caller: Caller) -> Any:
        if isinstance(request, GetFileInfo):
            raise FileNotFoundException("File does not exist: /f")
        if isinstance(request, RenewLease):
            raise LeaseExpiredException("no lease")
        raise ZeroDivisionError("a bug")

    async with serving(handler) as port:
        mine = client()
        with pytest.raises(FileNotFoundException, match="File does not exist: /f"):
            await ask(mine, port, GetFileInfo("/f"))
        with pytest.raises(LeaseExpiredException, match="no lease"):
            await ask(mine, port, RenewLease("c"))
        with pytest.raises(HdfsIOException, match="internal error: a bug"):
            await ask(mine, port, Mkdirs("/d"))
        mine.close()


@pytest.mark.parametrize("request_of", [RenewLease, lambda name: Append("/f", name, CreateFlag.APPEND)])
async def test_a_client_may_not_have_a_name_without_end(request_of: Callable[[str], Request[Any]]) -> None:
    """A namenode would keep it; the connection goes on, and others are served."""
    asked: list[Request[Any]] = []

    async def handler(request: Request[Any], caller: Caller) -> Any:
        asked.append(request)
        raise FileNotFoundException("asked")

    async with serving(handler) as port:
        mine = client()
        longest = request_of("c" * MAX_CLIENT_NAME)
        with pytest.raises(HdfsIOException, match="the client's name has 8001 characters, accepted: up to 8000"):
            await ask(mine, port, request_of("c" * (MAX_CLIENT_NAME + 1)))
        with pytest.raises(FileNotFoundException):
            await ask(mine, port, longest)
        assert asked == [longest]
        mine.close()


async def test_a_server_that_is_away_is_not_reached_and_one_that_comes_back_is() -> None:
    async def stuck(request: Request[Any], caller: Caller) -> bool:
        await asyncio.Event().wait()
        return True

    mine = client()
    server = RpcServer(NAMENODE_PROTOCOLS, stuck, Converter("BP-1", AddressBook()))
    port = await server.start(HOST, 0)
    with pytest.raises(SocketTimeoutException):
        await ask(mine, port, IsFileClosed("/f"), timeout_s=0.1)
    waiting = asyncio.create_task(ask(mine, port, IsFileClosed("/f"), 1))
    while not waiting.done():
        await server.stop()
        await asyncio.sleep(0)
    with pytest.raises((EOFException, ConnectException)):
        await waiting
    with pytest.raises(ConnectException):
        await ask(mine, port, IsFileClosed("/f"))
    back = RpcServer(NAMENODE_PROTOCOLS, says_yes, Converter("BP-1", AddressBook()))
    await back.start(HOST, port)
    assert await ask(mine, port, IsFileClosed("/f")) is True
    mine.close()
    await back.stop()


async def test_a_client_that_closes_lets_nobody_wait() -> None:
    asked = asyncio.Event()

    async def stuck(request: Request[Any], caller: Caller) -> bool:
        asked.set()
        await asyncio.Event().wait()
        return True

    async with serving(stuck) as port:
        mine = client()
        waiting = asyncio.create_task(ask(mine, port, IsFileClosed("/f")))
        await asked.wait()
        mine.close()
        with pytest.raises(EOFException, match="the connection is closed"):
            await waiting


async def test_a_fatal_answer_ends_all_calls_of_the_connection_with_its_reason() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(len(frames.preamble()))
        header = frames.response_header(-1, b"", status=rpc.RpcStatus.FATAL)
        header.exceptionClassName, header.errorMsg = "java.io.IOException", "go away"
        writer.write(frames.frame(header))
        await reader.read()
        writer.close()

    server = await asyncio.start_server(refuse, HOST, 0)
    mine = client()
    port = server.sockets[0].getsockname()[1]
    answers = await asyncio.gather(
        *(ask(mine, port, IsFileClosed("/f"), number) for number in range(3)), return_exceptions=True
    )
    assert [str(answer) for answer in answers] == ["go away"] * 3
    assert all(isinstance(answer, HdfsIOException) for answer in answers)
    mine.close()
    server.close()


async def test_nodes_say_their_names_and_learn_the_cluster_and_where_orders_send_them() -> None:
    block = Block(1, 1001, 5)
    orders = (
        RecoverBlocks((RecoveringBlock(block, ("datanode1", "datanode2"), 1002),)),
        TransferBlocks((TransferBlock(block, ("datanode2",)),)),
    )
    callers = []

    async def handler(request: Request[Any], caller: Caller) -> Any:
        callers.append(caller.machine)
        return NamespaceInfo("BP-1", "CID-1", 1) if isinstance(request, VersionRequest) else orders

    async with serving(handler) as port:
        book = AddressBook()
        converter = Converter("", book)
        mine = RpcClient(converter, "datanode1", "someone")
        await ask(mine, port, VersionRequest())
        assert converter.block_pool_id == "BP-1"
        with pytest.raises(ConnectException):
            book.address("datanode2")
        assert await ask(mine, port, SendHeartbeat("datanode1")) == orders
        assert book.address("datanode2") == Address(HOST, 9862, 9872)
        assert callers == ["datanode1", "datanode1"]
        mine.close()


def test_blocks_of_another_cluster_are_refused() -> None:
    converter = Converter("BP-1", AddressBook())
    other = Converter("BP-2", AddressBook()).block(Block(1, 1001, 0))
    with pytest.raises(HdfsIOException, match="Unexpected BlockPoolId: BP-2 - expected BP-1"):
        converter.to_block(other)


def test_a_namenode_believes_no_client_where_datanodes_are() -> None:
    book = AddressBook()
    book.note("datanode1", Address(HOST, 9861, 9871))
    liar = AddressBook()
    liar.note("datanode1", Address("10.0.0.1", 1, 1))
    Converter("BP-1", book, learns=False).to_datanode(Converter("BP-1", liar).datanode_id("datanode1"))
    assert book.address("datanode1").host == HOST


def test_the_port_of_a_server_is_on_loopback_only() -> None:
    async def test() -> None:
        async with serving() as port:
            with pytest.raises(OSError, match=r"refused|unreachable|Connect call failed"):
                await asyncio.open_connection("127.0.0.2", port)

    if os.uname().sysname == "Linux":
        run(test())
