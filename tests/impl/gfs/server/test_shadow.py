"""A shadow master as a server: it has every record before anybody is told of it, and answers reads."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.impl.gfs.server.servers import SETTINGS

from genstamp_dfs.errors import SocketTimeoutException
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.errors import GfsRefusal, ReadOnlyMaster
from genstamp_dfs.gfs.master.configuration import MasterConfiguration
from genstamp_dfs.gfs.messages.log_protocol import AppendRecords
from genstamp_dfs.gfs.messages.master_protocol import Create, GetFileInfo, Register
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.server.chunkserver_server import ChunkserverServer
from genstamp_dfs.gfs.server.client import gfs_client
from genstamp_dfs.gfs.server.master_server import MasterServer
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.gfs.server.shadow_server import ShadowServer
from genstamp_dfs.server.event_file import NoEvents

QUICK = ClientConfiguration(retry_interval_us=20_000, give_up_us=30_000_000, cache_us=0)


def shadow_of(directory: Path, master: str, port: int = 0) -> ShadowServer:
    return ShadowServer(directory, master, MasterConfiguration(), NoEvents(), port=port)


@contextlib.asynccontextmanager
async def master_and_shadow(directory: Path) -> AsyncIterator[tuple[MasterServer, ShadowServer]]:
    """A master that has named its shadow, which is at the place where it was when it first asked whose it is."""
    first = MasterServer(directory / "master", list(SETTINGS), NoEvents())
    await first.start()
    shadow = shadow_of(directory / "shadow", first.address)
    await shadow.start()
    await first.stop()
    master = MasterServer(
        directory / "master", list(SETTINGS), NoEvents(), port=first.port, log_replicas=(shadow.address,)
    )
    await master.start()
    try:
        yield master, shadow
    finally:
        await master.stop()
        await shadow.stop()


async def test_a_shadow_answers_reads_and_leaves_the_rest_to_the_master(tmp_path: Path) -> None:
    async with master_and_shadow(tmp_path) as (master, shadow):
        configuration = ChunkserverConfiguration(heartbeat_period_us=100_000)
        chunkserver = ChunkserverServer(
            tmp_path / "chunkserver", master.address, configuration, NoEvents(), shadows=(shadow.address,)
        )
        await chunkserver.start()
        async with gfs_client(master.address, QUICK) as client, gfs_client(shadow.address, QUICK) as reader:
            await client.create("/file")
            await client.append("/file", b"bytes")

            async def seen() -> bytes:
                with contextlib.suppress(GfsRefusal):
                    return await reader.read("/file", 0, 10)
                return b""

            while await seen() != b"bytes":
                await asyncio.sleep(0.02)
            assert [info.path for info in await reader.list("/")] == ["/file"]
            with pytest.raises(ReadOnlyMaster, match="but the master does"):
                await reader.create("/other")
        await chunkserver.stop()


async def test_a_shadow_hears_of_replicas_while_the_master_is_away(tmp_path: Path) -> None:
    async with master_and_shadow(tmp_path) as (master, shadow):
        configuration = ChunkserverConfiguration(heartbeat_period_us=100_000, master_timeout_us=100_000)
        chunkserver = ChunkserverServer(
            tmp_path / "chunkserver", master.address, configuration, NoEvents(), shadows=(shadow.address,)
        )
        await chunkserver.start()
        async with gfs_client(master.address, QUICK) as client:
            await client.create("/file")
            await client.append("/file", b"bytes")
        await master.stop()
        # As if it had forgotten where replicas are with the last new version that it was told of.
        runtime = GfsRuntime("late", shadow.address)
        await runtime.call(MASTER, Register(chunkserver.address, "rack1", 0, ()))
        await runtime.stop()
        async with gfs_client(shadow.address, QUICK) as reader:
            assert await reader.read("/file", 0, 10) == b"bytes"
        await chunkserver.stop()


async def test_nobody_is_answered_while_a_log_replica_is_away(tmp_path: Path) -> None:
    async with master_and_shadow(tmp_path) as (master, shadow):
        runtime = GfsRuntime("client1", master.address)
        await runtime.call(MASTER, Create("/before"))
        await shadow.stop()
        with pytest.raises(SocketTimeoutException):
            await runtime.call(MASTER, Create("/meanwhile"), timeout_us=300_000)
        again = shadow_of(tmp_path / "shadow", master.address, shadow.port)
        await again.start()
        await runtime.call(MASTER, Create("/after"))
        await runtime.stop()
        await master.stop()
        await again.stop()
    # The master's machine is gone for good: another is started over the shadow's directory.
    heir = MasterServer(tmp_path / "shadow", [], NoEvents())
    await heir.start()
    runtime = GfsRuntime("client2", heir.address)
    for path in ("/before", "/meanwhile", "/after"):
        assert (await runtime.call(MASTER, GetFileInfo(path))).path == path
    assert heir.cluster_id == master.cluster_id
    assert heir.limits.chunk_bytes == master.limits.chunk_bytes
    await runtime.stop()
    await heir.stop()


async def test_a_master_takes_no_records_from_others(tmp_path: Path) -> None:
    master = MasterServer(tmp_path, [], NoEvents())
    await master.start()
    runtime = GfsRuntime("hostile", master.address)
    with pytest.raises(GfsRefusal, match="Invalid value 'AppendRecords'"):
        await runtime.call(MASTER, AppendRecords(1, b"", 1))
    await runtime.stop()
    await master.stop()
