"""Connections that stay open and do their harm by what they do not do: say nothing, end no frame, read no answer.

The servers are real processes, so that their memory can be measured.

Not here: what is said on connections that behave otherwise (`hostile`), and processor time.
"""

import asyncio
import contextlib
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.impl.fuzz.attack import HOST
from tests.impl.fuzz.hostile import CLIENT_ID
from tests.impl.server.processes import Processes

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.messages.client_protocol import GetBlockLocations, GetListing, Mkdirs
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockConstructionStage,
    Operation,
    Packet,
    ReadBlock,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.client import dfs_client
from genstamp_dfs.server.protocols import CLIENT_PROTOCOL
from genstamp_dfs.server.wire import frames, transfer
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter

MIB = 1 << 20

LISTED = 300
CALLS = 2_000
HEARTBEATS = 200_000
PART_BYTES = 4 * MIB
"""What a frame, or a packet, of the largest size is begun with."""

PACKET_BYTES = 15 * MIB

MOST_MIB = 160
"""Most memory of a server; without anybody it takes 32 MiB."""


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
            block = (await client.ask(GetBlockLocations(path, 0, 1))).blocks[0].block
            opened = _opened(client, ReadBlock(block, client.name, 0, block.num_bytes))
        for index in range(number):
            await self._open(self._blocks[index % len(self._blocks)], opened)

    async def read_no_acknowledgements(self, number: int) -> None:
        """Connections that write a block, say that they are alive, and take no acknowledgement; all at one datanode."""
        for opened in await self._writing(number):
            await self._open(self._blocks[0], opened + transfer.write_packet(Packet(-1, 0)) * HEARTBEATS)

    async def end_no_packet(self, number: int) -> None:
        """Connections that write a block, and begin a packet of nearly the largest size; all at one datanode."""
        data = bytes(PACKET_BYTES)
        part = transfer.write_packet(Packet(0, 0, data=data, checksums=checksums_of(data)))[:PART_BYTES]
        for opened in await self._writing(number):
            await self._open(self._blocks[0], opened + part)

    async def _writing(self, number: int) -> list[bytes]:
        """The beginning of so many writes of blocks that nobody has."""
        stage = BlockConstructionStage.PIPELINE_SETUP_CREATE
        first = 2**61 + self.opened
        async with dfs_client(HOST, self._calls) as client:
            # What it is told of any block says which pool the cluster has.
            await client.ask(GetBlockLocations("/before", 0, 1))
            return [
                _opened(
                    client, WriteBlock(Block(first + n, 1001, 0), "crowd", (), stage, 1, latest_generation_stamp=1001)
                )
                for n in range(number)
            ]

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


def _opened(client: DFSClient, operation: Operation) -> bytes:
    """What opens a connection for a block."""
    converter: Converter = client.runtime._converter  # type: ignore[attr-defined]
    return transfer.write_operation(operation, converter)


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


CROWDS: tuple[tuple[str, str, Callable[[Crowd], Awaitable[None]]], ...] = (
    ("4,000 connections that say nothing", "namenode", lambda crowd: crowd.say_nothing(4_000)),
    ("100 frames of 64 MiB of which 4 come", "namenode", lambda crowd: crowd.end_no_frame(100)),
    (f"20 x {CALLS:,} listings that nobody reads", "namenode", lambda crowd: crowd.read_no_answers(20)),
    ("60 blocks that nobody reads", "datanode1", lambda crowd: crowd.read_no_blocks(60, "/before")),
    (
        f"5 x {HEARTBEATS:,} packets whose acknowledgements nobody reads",
        "datanode1",
        lambda crowd: crowd.read_no_acknowledgements(5),
    ),
    ("60 packets of 15 MiB of which 4 come", "datanode1", lambda crowd: crowd.end_no_packet(60)),
)
"""What it is, the server whose memory it is after, and what gathers it."""


def measure(directory: Path) -> None:
    """Have each crowd by itself at a cluster of processes, and say what another client and the memory come to.

    Args:
        directory: for the cluster, and for files of the client.
    """
    processes = Processes(directory / "cluster")
    ready = processes.start()
    try:
        (directory / "local").write_bytes(bytes(8 * MIB))
        processes.run("put", str(directory / "local"), "/before")  # waits for the end of safe mode
        for what, node, gather in CROWDS:
            pid = ready[node]["pid"]
            Path(f"/proc/{pid}/clear_refs").write_text("5")
            before = peak_bytes(pid) // MIB
            took_s = asyncio.run(_seconds_beside(ready, gather, processes, directory / "again"))
            most = peak_bytes(pid) // MIB
            line = f"{what}: {node} had {before} MiB and at most {most}; a get beside it took {took_s:.1f} s"
            print(line, flush=True)
            assert processes.book()[node]["pid"] == pid, f"{node} was started again"
            assert most < MOST_MIB, f"{line}, accepted: less than {MOST_MIB}"
    finally:
        processes.stop()


async def _seconds_beside(
    ready: dict[str, Any], gather: Callable[[Crowd], Awaitable[None]], processes: Processes, again: Path
) -> float:
    """How long a client takes to read its file while a crowd is there."""
    async with crowd(ready) as held:
        await gather(held)
        began = time.monotonic()
        await asyncio.to_thread(processes.run, "get", "/before", str(again))
        took_s = time.monotonic() - began
    assert again.read_bytes() == bytes(8 * MIB)
    again.unlink()
    return took_s
