"""Connections that carry blocks: what they may open with, and what becomes of those that do not follow."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.impl.running import run

from genstamp_dfs.errors import EOFException, SocketTimeoutException
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockConstructionStage,
    BlockOpResponse,
    Operation,
    Packet,
    PipelineAck,
    ReadBlock,
    Status,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.connection import SocketConnection
from genstamp_dfs.server.runtime import AsyncioRuntime
from genstamp_dfs.server.transfer_server import TransferServer
from genstamp_dfs.server.wire import transfer
from genstamp_dfs.server.wire.convert import Converter

HOST = "127.0.0.1"
READ = ReadBlock(Block(7, 1001, 10), "client", 0, 10)


async def answer(connection: SocketConnection, operation: Operation) -> None:
    await connection.send(BlockOpResponse(Status.SUCCESS, chunk_offset=0))
    await connection.send(Packet(0, 0, data=b"0123456789", checksums=b"\0\0\0\0"))
    connection.close()


@contextlib.asynccontextmanager
async def serving(
    serve: Callable[[SocketConnection, Operation], Awaitable[None]] = answer, **options: float
) -> AsyncIterator[tuple[int, AsyncioRuntime]]:
    """A server of blocks, and a node that knows where it is."""
    server = TransferServer(serve, Converter("BP-1", AddressBook()), **options)  # type: ignore[arg-type]
    port = await server.start(HOST, 0)
    book = AddressBook()
    book.note("datanode1", Address(HOST, port, 1))
    runtime = AsyncioRuntime("client", (HOST, 1), Converter("BP-1", book))
    try:
        yield port, runtime
    finally:
        await runtime.stop()
        await server.stop()


async def end_of(port: int, data: bytes) -> bytes:
    """What a server says to these bytes until it closes."""
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(data)
    writer.write_eof()
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_answers_of_one_turn_go_out_together_in_their_order_and_before_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    acks = [PipelineAck(seqno, (Status.SUCCESS,)) for seqno in range(20)]
    written: list[bytes] = []

    async def acknowledge(connection: SocketConnection, operation: Operation) -> None:
        really = connection._writer.write

        def write(data: bytes) -> None:
            written.append(data)
            really(data)

        monkeypatch.setattr(connection._writer, "write", write)
        await connection.send(BlockOpResponse(Status.SUCCESS))
        for ack in acks:
            await connection.send(ack)
        connection.close()

    write_block = WriteBlock(Block(7, 1001, 0), "client", (), BlockConstructionStage.PIPELINE_SETUP_CREATE, 1)
    async with serving(acknowledge) as (_, runtime):
        connection = await runtime.connect("datanode1", write_block)
        assert await connection.receive(5_000_000) == BlockOpResponse(Status.SUCCESS)
        assert [await connection.receive(5_000_000) for _ in acks] == acks
        with pytest.raises(EOFException):
            await connection.receive(5_000_000)
        connection.close()
    assert len(written) < len(acks) // 2


async def test_a_connection_is_served_for_what_it_opens_with() -> None:
    async with serving() as (_, runtime):
        connection = await runtime.connect("datanode1", READ)
        assert await connection.receive(5_000_000) == BlockOpResponse(Status.SUCCESS, chunk_offset=0)
        packet = await connection.receive(5_000_000)
        assert isinstance(packet, Packet) and packet.data == b"0123456789"
        try:
            await connection.receive(5_000_000)
        except EOFException:
            connection.close()
            connection.close()
        else:
            raise AssertionError("the other end has closed")


async def test_silence_is_a_timeout_and_a_closed_end_takes_nothing() -> None:
    async def silent(connection: SocketConnection, operation: Operation) -> None:
        await asyncio.Event().wait()

    async with serving(silent) as (_, runtime):
        connection = await runtime.connect("datanode1", READ)
        try:
            await connection.receive(50_000)
        except SocketTimeoutException:
            connection.close()
        try:
            await connection.send(Packet(0, 0))
        except EOFException:
            return
        raise AssertionError("a closed connection takes nothing")


async def test_nothing_is_sent_after_closing_while_the_other_end_is_slow() -> None:
    async def silent(connection: SocketConnection, operation: Operation) -> None:
        await asyncio.Event().wait()

    async with serving(silent) as (_, runtime):
        connection = await runtime.connect("datanode1", READ)

        async def fill() -> None:
            while True:
                await connection.send(Packet(0, 0, data=bytes(65_536), checksums=bytes(512)))

        filling = asyncio.create_task(fill())
        while connection._writer.transport.get_write_buffer_size() < 65_536:
            await asyncio.sleep(0)
        filling.cancel()
        connection.close()
        with pytest.raises(EOFException, match="is closed"):
            async with asyncio.timeout(5):
                await connection.send(Packet(0, 0))


async def test_blocks_of_another_cluster_are_refused_with_a_reason() -> None:
    async with serving() as (port, _):
        said = await end_of(port, transfer.write_operation(READ, Converter("BP-2", AddressBook())))
        response = transfer.read_block_op_response(said[1:], Converter("BP-1", AddressBook()))
        assert response.status is Status.ERROR
        assert response.message == "Unexpected BlockPoolId: BP-2 - expected BP-1"


async def test_half_open_connections_are_closed_and_the_oldest_makes_place_for_one_that_comes() -> None:
    async with serving(opening_s=0.2) as (port, _):
        assert await asyncio.wait_for((await asyncio.open_connection(HOST, port))[0].read(), 10) == b""
    async with serving(max_connections=1) as (port, runtime):
        reader, writer = await asyncio.open_connection(HOST, port)
        connection = await runtime.connect("datanode1", READ)
        assert isinstance(await connection.receive(5_000_000), BlockOpResponse)
        assert await reader.read() == b""
        writer.close()


async def test_where_a_connection_says_that_nodes_are_is_believed_for_it_alone() -> None:
    served = Converter("BP-1", AddressBook())
    true, false = Address(HOST, 9861, 9871), Address("198.51.100.1", 1, 1)
    served.addresses.note("datanode2", true)
    heard: list[Address] = []

    async def look(connection: SocketConnection, operation: Operation) -> None:
        heard.append(served.addresses.address("datanode2"))
        await answer(connection, operation)

    server = TransferServer(look, served)
    port = await server.start(HOST, 0)
    book = AddressBook()
    book.note("datanode2", false)
    write = WriteBlock(Block(7, 1001, 0), "c", ("datanode2",), BlockConstructionStage.PIPELINE_SETUP_CREATE, 2)
    await end_of(port, transfer.write_operation(write, Converter("BP-1", book)))
    await end_of(port, transfer.write_operation(READ, Converter("BP-1", AddressBook())))
    assert heard == [false, true]
    assert served.addresses.address("datanode2") == true
    assert served.addresses.name(false.transfer) == false.transfer
    await server.stop()


@settings(max_examples=40)
@given(
    junk=st.binary(max_size=60),
    flips=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 255)), max_size=3),
    cut=st.integers(0, 80),
)
def test_no_bytes_stop_the_server(junk: bytes, flips: list[tuple[int, int]], cut: int) -> None:
    async def test() -> None:
        async with serving(opening_s=0.1) as (port, runtime):
            data = bytearray(transfer.write_operation(READ, Converter("BP-1", AddressBook())))
            for place, change in flips:
                data[place % len(data)] ^= change
            await end_of(port, bytes(data[:cut]) + junk)
            connection = await runtime.connect("datanode1", READ)
            assert isinstance(await connection.receive(5_000_000), BlockOpResponse)

    run(test())


async def test_other_versions_operations_and_lengths_close_the_connection() -> None:
    async with serving() as (port, _):
        for data in (
            struct.pack(">hB", 27, transfer.READ_BLOCK),
            struct.pack(">hB", transfer.VERSION, 1),
            struct.pack(">hB", transfer.VERSION, transfer.READ_BLOCK) + b"\xff\xff\xff\xff\x7f",
            struct.pack(">hB", transfer.VERSION, transfer.READ_BLOCK) + b"\x80\x80\x80\x80\x80\x80",
        ):
            assert await end_of(port, data) == b""
