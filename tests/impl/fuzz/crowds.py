"""Connections that stay open and do their harm by what they do not do: say nothing, end no frame, read no answer.

The servers are real processes, so that their memory can be measured.

Leaves out: what is said on connections that behave otherwise (`hostile`).
"""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from tests.impl.fuzz.attack import HOST
from tests.impl.fuzz.hostile import CLIENT_ID

from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.messages.client_protocol import GetBlockLocations, GetListing, Mkdirs
from genstamp_dfs.hdfs.messages.data_transfer import ReadBlock
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.client import dfs_client
from genstamp_dfs.server.protocols import CLIENT_PROTOCOL
from genstamp_dfs.server.wire import frames, transfer
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter

LISTED = 300
CALLS = 2_000
PART_BYTES = 4 << 20
"""What a frame of the largest size is begun with."""


class Crowd:
    """Connections that are held open.

    Attributes:
        opened: how many were.
        sent: bytes that the servers took.
    """

    def __init__(self, ready: dict[str, Any]) -> None:
        self.opened = 0
        self.sent = 0
        self._calls: int = ready["namenode"]["port"]
        self._blocks = [node["transfer_port"] for name, node in ready.items() if name.startswith("datanode")]
        self._held: list[asyncio.StreamWriter] = []

    async def say_nothing(self, number: int) -> None:
        """Connections of which no byte comes; three of four at the namenode."""
        for index in range(number):
            await self._open(self._calls if index % 4 else self._blocks[index % len(self._blocks)], b"")

    async def end_no_frame(self, number: int) -> None:
        """Connections that begin a frame of the largest size."""
        for _ in range(number):
            head = struct.pack(">i", frames.MAX_FRAME_BYTES)
            await self._open(self._calls, opening() + head + bytes(PART_BYTES))

    async def read_no_answers(self, number: int) -> None:
        """Connections that ask for much, and take nothing."""
        async with dfs_client(HOST, self._calls) as client:
            for name in range(LISTED):
                await client.ask(Mkdirs(f"/listed/{name:0200}"))
        header = frames.request_header(1, CLIENT_ID)
        call = CLIENT_PROTOCOL.frame(header, GetListing("/listed"), Converter("", AddressBook()))
        for _ in range(number):
            await self._open(self._calls, opening() + CALLS * call)

    async def read_no_blocks(self, number: int, path: str) -> None:
        """Connections that ask for the first block of a file, and take nothing."""
        async with dfs_client(HOST, self._calls) as client:
            operation = await _read_of(client, path)
        for index in range(number):
            await self._open(self._blocks[index % len(self._blocks)], operation)

    async def _open(self, port: int, data: bytes) -> None:
        """Open one, and have the server take what it takes at once."""
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection(HOST, port)
            reader._transport.pause_reading()  # type: ignore[attr-defined]
            self._held.append(writer)
            self.opened += 1
            writer.write(data)
            await asyncio.sleep(0)
            self.sent += len(data) - writer.transport.get_write_buffer_size()

    def leave(self) -> None:
        """Break all off."""
        for writer in self._held:
            writer.transport.abort()


async def _read_of(client: DFSClient, path: str) -> bytes:
    located = await client.ask(GetBlockLocations(path, 0, 1))
    block = located.blocks[0].block
    converter: Converter = client.runtime._converter  # type: ignore[attr-defined]
    return transfer.write_operation(ReadBlock(block, client.name, 0, block.num_bytes), converter)


def opening() -> bytes:
    """The beginning of a connection for calls."""
    header = frames.request_header(frames.CONTEXT_CALL_ID, b"", -1)
    context = rpc.IpcConnectionContext(
        userInfo=rpc.UserInformation(effectiveUser="hdfs"), protocol=CLIENT_PROTOCOL.name
    )
    return frames.preamble() + frames.frame(header, context)


@contextlib.asynccontextmanager
async def crowd(ready: dict[str, Any]) -> AsyncIterator[Crowd]:
    """A crowd that leaves in the end."""
    one = Crowd(ready)
    try:
        yield one
    finally:
        one.leave()


def peak_bytes(pid: int) -> int:
    """Most memory that a process has ever had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
