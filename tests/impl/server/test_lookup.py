"""Names of hosts that others give cannot keep threads from the disk, and what is no name is no fault of ours."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from genstamp_dfs.errors import ConnectException
from genstamp_dfs.hdfs.messages.data_transfer import ReadBlock
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.lookup import LOOKUPS, open_connection
from genstamp_dfs.server.runtime import AsyncioRuntime
from genstamp_dfs.server.wire.convert import Converter

MANY = 200


async def test_files_are_forced_while_names_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    found, lookups = threading.Event(), list[str]()

    def slow(host: str, *others: Any, **options: Any) -> Any:
        lookups.append(host)
        assert found.wait(30), "the test ends the wait"
        raise socket.gaierror(f"nobody knows {host}")

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    waiting = [asyncio.create_task(open_connection(f"host{number}", 1)) for number in range(MANY)]
    runtime = AsyncioRuntime("datanode1", ("127.0.0.1", 1), Converter("", AddressBook()))
    forced: list[int] = []
    try:
        async with asyncio.timeout(10):
            await runtime.ahead(lambda: forced.append(1))
        assert forced == [1]
        assert len(lookups) <= LOOKUPS
        for task in waiting[LOOKUPS:]:
            task.cancel()
        await asyncio.wait(waiting[LOOKUPS:])
    finally:
        found.set()
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(end) for end in ends[:LOOKUPS]} == {socket.gaierror}
    assert len(lookups) <= LOOKUPS


async def test_the_next_address_of_a_name_is_taken_where_the_first_takes_no_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def two(host: str, *others: Any, **options: Any) -> Any:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in ("127.0.0.9", "127.0.0.1")]

    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with monkeypatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", two)
        reader, writer = await open_connection("of-two-addresses", port)
    assert await reader.read() == b""
    writer.close()
    server.close()


@pytest.mark.parametrize("host", ["x" * 64, "a\0b", "", "..", "\udc80"])
async def test_what_is_no_name_cannot_be_reached(host: str) -> None:
    converter = Converter("", AddressBook())
    converter.addresses.note("datanode1", Address(host, 1, 1))
    runtime = AsyncioRuntime("client", ("127.0.0.1", 1), converter)
    with pytest.raises(ConnectException):
        await runtime.connect("datanode1", ReadBlock(Block(1, 1, 1), "client", 0, 1))
