"""Much of what is allowed by itself, at servers that are processes, and how much memory each server ever had for it.

Leaves out: processor time.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from tests.impl.fuzz.attack import HOST
from tests.impl.fuzz.crowds import opening, peak_bytes
from tests.impl.server.processes import Processes

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.client_protocol import GetListing, Mkdirs
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage, Packet, WriteBlock
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.protocols import CLIENT_PROTOCOL
from genstamp_dfs.server.wire import frames, transfer
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter

MIB = 1 << 20
GIVE_UP_S = 5.0
"""How long a flood waits for a server that takes nothing any more: then it has done what it can."""

MOST_MIB = 384
"""Memory that a server may have at most, whatever it is told."""

SETTLE_S = 2.0
"""How long a server has for what it was told, before the connections end."""


def call(request: Any, number: int) -> bytes:
    """A whole call."""
    return CLIENT_PROTOCOL.frame(frames.request_header(number, bytes(16)), request, Converter("", AddressBook()))


async def pour(port: int, conversations: list[bytes]) -> None:
    """Say each of these on its own connection, read nothing, and end when all has been taken or nothing is any more."""
    kept: list[asyncio.StreamWriter] = []

    async def one(data: bytes) -> None:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(GIVE_UP_S):
                _, writer = await asyncio.open_connection(HOST, port, limit=4096)
                kept.append(writer)
                for at in range(0, len(data), 1 << 16):
                    writer.write(data[at : at + (1 << 16)])
                    await writer.drain()

    await asyncio.gather(*map(one, conversations))
    # What is told of is worked on by another process, which nothing here hears of.
    await asyncio.sleep(SETTLE_S)
    for writer in kept:
        writer.transport.abort()


async def large_frames(ready: dict[str, Any]) -> None:
    """Frames of 64 MiB that are never whole."""
    frame = frames.MAX_FRAME_BYTES.to_bytes(4, "big") + bytes(8 * MIB)
    await pour(ready["namenode"]["port"], [opening() + frame] * 100)


async def unread_listings(ready: dict[str, Any]) -> None:
    """Listings of a thousand names, which nobody reads."""
    listings = b"".join(call(GetListing("/flood"), number) for number in range(2_000))
    await pour(ready["namenode"]["port"], [opening() + listings] * 20)


HEARTBEATS = 200_000


def _writing(ready: dict[str, Any], number: int) -> bytes:
    stage = BlockConstructionStage.PIPELINE_SETUP_CREATE
    write = WriteBlock(Block(2**61 + number, 1001, 0), "flood", (), stage, 1, latest_generation_stamp=1001)
    return transfer.write_operation(write, Converter(ready["pool"], AddressBook()))


async def unread_acknowledgements(ready: dict[str, Any]) -> None:
    """Heartbeats of pipelines, whose acknowledgements nobody reads."""
    heartbeats = transfer.write_packet(Packet(-1, 0)) * HEARTBEATS
    await pour(ready["datanode1"]["transfer_port"], [_writing(ready, number) + heartbeats for number in range(5)])


async def large_packets(ready: dict[str, Any]) -> None:
    """Packets of 16 MiB that are never whole."""
    data = bytes(15 * MIB)
    part = transfer.write_packet(Packet(0, 0, data=data, checksums=checksums_of(data)))[: 8 * MIB]
    await pour(ready["datanode1"]["transfer_port"], [_writing(ready, 100 + number) + part for number in range(60)])


async def many_connections(ready: dict[str, Any]) -> None:
    """Thousands of connections that say nothing."""
    for port in (ready["namenode"]["port"], ready["datanode1"]["transfer_port"]):
        await pour(port, [b""] * 3_000)


FLOODS: tuple[tuple[str, str, Callable[[dict[str, Any]], Coroutine[Any, Any, None]]], ...] = (
    ("3,000 connections that say nothing", "namenode", many_connections),
    ("100 frames of 64 MiB that are never whole", "namenode", large_frames),
    ("20 x 2,000 listings that nobody reads", "namenode", unread_listings),
    (f"5 x {HEARTBEATS:,} packets whose acknowledgements nobody reads", "datanode1", unread_acknowledgements),
    ("60 packets of 16 MiB that are never whole", "datanode1", large_packets),
)


async def _make_directory(port: int) -> None:
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(opening() + b"".join(call(Mkdirs(f"/flood/{'n' * 200}{n}"), n) for n in range(1_000)))
    for _ in range(1_000):
        frame = frames.FrameReader(await reader.readexactly(frames.frame_length(await reader.readexactly(4))))
        header = frame.next(rpc.RpcResponseHeader)
        assert header.status == rpc.RpcStatus.SUCCESS, header.errorMsg
    writer.close()


def flood(directory: Path) -> list[str]:
    """Flood a cluster of processes in each of these ways, and say what became of its memory."""
    processes = Processes(directory)
    ready = processes.start()
    lines = []
    try:
        (directory / "local").write_bytes(b"kept" * 100_000)
        processes.run("put", str(directory / "local"), "/kept")  # waits for the end of safe mode
        asyncio.run(_make_directory(ready["namenode"]["port"]))
        (pool,) = (path.name for path in (directory / "datanode1").glob("**/BP-*"))
        ready["pool"] = pool
        for what, node, doing in FLOODS:
            pid = processes.book()[node]["pid"]
            Path(f"/proc/{pid}/clear_refs").write_text("5")
            before = peak_bytes(pid) / MIB
            asyncio.run(doing(ready))
            began = time.monotonic()
            processes.run("get", "/kept", str(directory / "again"))
            assert (directory / "again").read_bytes() == b"kept" * 100_000
            assert processes.book()[node]["pid"] == pid, f"{node} was started again"
            (directory / "again").unlink()
            most, took_s = peak_bytes(pid) / MIB, time.monotonic() - began
            took = f"a get after it took {took_s:.1f} s"
            lines.append(f"{what}: {node} had {before:.0f} MiB and at most {most:.0f}; {took}")
            print(lines[-1], flush=True)
            assert most < MOST_MIB, f"{lines[-1]}, accepted: less than {MOST_MIB}"
    finally:
        processes.stop()
    return lines
