"""Master, chunkservers and clients over real sockets and files: what becomes of files while chunkservers fail."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.impl.gfs.server.servers import Servers, servers

from genstamp_dfs.gfs.chunkserver.replicas import path_of
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES
from genstamp_dfs.gfs.records import Record, RecordId

CHUNK = 262_144


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that comes by itself; the limit is the test's."""
    while not condition():
        await asyncio.sleep(0.02)


def bytes_on(cluster: Servers, name: str, handle: int) -> bytes:
    """What a chunkserver has of a chunk on its disk."""
    path = cluster.directory / name / path_of(handle)
    return path.read_bytes() if path.exists() else b""


@pytest.mark.slow
async def test_bytes_are_read_as_they_were_written(tmp_path: Path) -> None:
    draw = random.Random(1)
    async with servers(tmp_path) as cluster, cluster.client() as client:
        await client.create("/file")
        wanted = bytearray(draw.randbytes(2 * CHUNK + 1000))
        await client.write("/file", 0, bytes(wanted))
        for _ in range(10):
            offset, data = draw.randrange(len(wanted)), draw.randbytes(draw.randrange(1, 100_000))
            await client.write("/file", offset, data)
            wanted[offset : offset + len(data)] = data
        assert await client.read("/file", 0, 4 * CHUNK) == wanted
        assert await client.read("/file", CHUNK - 10, 20) == wanted[CHUNK - 10 : CHUNK + 10]
        assert await client.read("/file", len(wanted), 5) == b""
        for handle in (1, 2, 3):
            replicas = {bytes_on(cluster, name, handle) for name in cluster.chunkservers}
            assert replicas == {bytes(wanted[(handle - 1) * CHUNK : handle * CHUNK])}


@pytest.mark.slow
async def test_many_append_at_once_and_every_record_stands_at_its_offset(tmp_path: Path) -> None:
    async with servers(tmp_path) as cluster, cluster.client() as reader:
        await reader.create("/log")
        given: dict[int, bytes] = {}

        async def append(writer: int) -> None:
            draw = random.Random(writer)
            async with cluster.client() as client:
                for number in range(12):
                    data = draw.randbytes(draw.randrange(1, 30_000))
                    record = Record(RecordId(writer, number), data)
                    offset = await client.append_record("/log", record)
                    assert offset not in given
                    given[offset] = data

        await asyncio.gather(*(append(writer) for writer in range(4)))
        assert (await reader.file_info("/log")).chunks > 1
        whole = await reader.read("/log", 0, 10 * CHUNK)
        for offset, data in given.items():
            # The form of a record begins with 12 bytes of header and 16 of its id.
            assert whole[offset + 28 : offset + 28 + len(data)] == data
        found = [record.data async for record in reader.records("/log")]
        assert sorted(found) == sorted(given.values())


@pytest.mark.slow
async def test_a_chunkserver_that_was_away_is_stale_and_gets_a_new_replica(tmp_path: Path) -> None:
    async with servers(tmp_path) as cluster, cluster.client() as client:
        await client.create("/file")
        await client.append("/file", b"before")
        await cluster.stop_chunkserver("chunkserver2")
        await client.append("/file", b"meanwhile")
        assert b"meanwhile" not in bytes_on(cluster, "chunkserver2", 1)
        await cluster.start_chunkserver("chunkserver2")
        await until(lambda: bytes_on(cluster, "chunkserver2", 1) == b"beforemeanwhile")
        await client.append("/file", b"after")
        assert await client.read("/file", 0, 100) == b"beforemeanwhileafter"


async def test_a_replica_that_rots_is_not_read_and_made_anew(tmp_path: Path) -> None:
    data = random.Random(2).randbytes(2 * CHECKSUM_BLOCK_BYTES)
    async with servers(tmp_path) as cluster, cluster.client() as client:
        await client.create("/file")
        await client.write("/file", 0, data)
        for name in ("chunkserver1", "chunkserver3"):
            with (tmp_path / name / path_of(1)).open("r+b") as file:
                file.seek(CHECKSUM_BLOCK_BYTES + 7)
                file.write(bytes([data[CHECKSUM_BLOCK_BYTES + 7] ^ 1]))
        for _ in range(10):
            assert await client.read("/file", 0, len(data)) == data
        await until(lambda: all(bytes_on(cluster, name, 1) == data for name in cluster.chunkservers))


@pytest.mark.slow
async def test_a_snapshot_stays_as_it_was_while_others_append(tmp_path: Path) -> None:
    async with servers(tmp_path) as cluster, cluster.client() as client:
        await client.make_directory("/d")
        await client.create("/d/file")
        stopping = asyncio.Event()
        appended: list[bytes] = []

        async def append() -> None:
            async with cluster.client() as writer:
                while not stopping.is_set():
                    data = f"{len(appended)};".encode()
                    await writer.append("/d/file", data)
                    appended.append(data)

        appending = asyncio.create_task(append())
        await until(lambda: len(appended) >= 5)
        await client.snapshot("/d", "/copy")
        least = len(appended)
        copied = await client.read("/copy/file", 0, CHUNK)
        await until(lambda: len(appended) >= least + 5)
        stopping.set()
        await appending
        assert await client.read("/copy/file", 0, CHUNK) == copied
        # What was acknowledged before is in it; what is in it is a beginning of the file.
        now = await client.read("/d/file", 0, CHUNK)
        assert now.startswith(copied)
        assert copied.startswith(b"0;1;2;3;4;")
        assert len(now) > len(copied)
        await client.append("/copy/file", b"other")
        assert await client.read("/d/file", 0, CHUNK) == now


@pytest.mark.slow
async def test_a_master_that_starts_again_grants_no_lease_before_the_old_ones_are_over(tmp_path: Path) -> None:
    async with servers(tmp_path) as cluster, cluster.client() as client:
        await client.create("/file")
        await client.append("/file", b"before")
        loop = asyncio.get_running_loop()
        await cluster.stop_master()
        began = loop.time()
        await cluster.start_master()
        async with cluster.client() as other:
            await other.append("/file", b"after")
        assert loop.time() - began >= 1.0, "a lease lasts one second"
        assert (await client.read("/file", 0, 100)).startswith(b"before")
        assert (await client.read("/file", 0, 100)).endswith(b"after")
