"""Master, chunkservers and clients over real sockets and files: what becomes of files while chunkservers fail."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.impl.gfs.server.servers import Servers, servers

from genstamp_dfs.gfs.chunkserver.replicas import path_of
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES

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
