"""A master that listens: what it keeps, what it refuses, and what becomes of calls while it is away."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from genstamp_dfs.errors import ConfigurationError, DiskError, SocketTimeoutException, StorageError
from genstamp_dfs.gfs.errors import GfsRefusal, PathExists
from genstamp_dfs.gfs.messages.master_protocol import Create, GetFileInfo, MakeDirectory, Register
from genstamp_dfs.gfs.protocol import MASTER, FileInfo
from genstamp_dfs.gfs.server import wire
from genstamp_dfs.gfs.server.master_server import MasterServer
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.server.event_file import EventFile, NoEvents


@contextlib.asynccontextmanager
async def master(
    directory: Path, *settings: str, port: int = 0, events: EventFile | NoEvents | None = None
) -> AsyncIterator[MasterServer]:
    server = MasterServer(directory, list(settings), events or NoEvents(), port=port)
    try:
        await server.start()
        yield server
    finally:
        await server.stop()


@contextlib.asynccontextmanager
async def caller(address: str, **options: Any) -> AsyncIterator[GfsRuntime]:
    runtime = GfsRuntime("client1", address, **options)
    try:
        yield runtime
    finally:
        await runtime.stop()


async def test_what_was_answered_is_there_after_a_restart(tmp_path: Path) -> None:
    events = EventFile(tmp_path / "events.jsonl")
    async with master(tmp_path / "m", events=events) as server, caller(server.address) as client:
        cluster = (await client.describe(MASTER)).cluster_id
        await client.call(MASTER, MakeDirectory("/d"))
        await client.call(MASTER, Create("/d/file"))
        with pytest.raises(PathExists):
            await client.call(MASTER, Create("/d/file"))
    async with master(tmp_path / "m") as server, caller(server.address) as client:
        assert await client.call(MASTER, GetFileInfo("/d/file")) == FileInfo("/d/file", False)
        assert (await client.describe(MASTER)).cluster_id == cluster
    told = (tmp_path / "events.jsonl").read_text()
    assert f'"namespace":"{cluster}"' in told


async def test_a_master_that_is_away_is_waited_for_aloud_and_a_call_is_carried_out_once(tmp_path: Path) -> None:
    said: list[str] = []
    async with master(tmp_path) as server:
        port = server.port
    async with caller(f"127.0.0.1:{port}", patience_us=30_000_000, on_wait=said.append) as client:
        calling = asyncio.create_task(client.call(MASTER, Create("/file")))
        while not said:
            await asyncio.sleep(0.01)
        assert said == [f"waiting up to 30 s for the master at 127.0.0.1:{port}: 127.0.0.1:{port} cannot be reached"]
        async with master(tmp_path, port=port):
            await calling
            assert len(said) == 1


async def test_limits_are_decided_once(tmp_path: Path) -> None:
    async with master(tmp_path, "limits.lease_us=2000000", "limits.chunk_bytes=65536"):
        pass
    async with master(tmp_path, "limits.replicas=1") as server, caller(server.address) as client:
        limits = (await client.describe(MASTER)).limits
        assert (limits.lease_us, limits.chunk_bytes, limits.replicas) == (2_000_000, 65_536, 1)
    with pytest.raises(StorageError, match=r"made with limits.lease_us=2000000, which cannot become 1000000"):
        async with master(tmp_path, "limits.lease_us=1000000"):
            pass
    with pytest.raises(ConfigurationError, match="no setting 'nonsense'"):
        MasterServer(tmp_path, ["nonsense=1"], NoEvents())


async def test_a_directory_is_used_by_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp_dfs.server.process.LOCK_WAIT_S", 0.1)
    async with master(tmp_path):
        with pytest.raises(StorageError, match="is used by another process"):
            async with master(tmp_path):
                pass


@pytest.mark.parametrize(
    "name", ["", "chunkserver1", "127.0.0.1:0", "127.0.0.1:99999", "a b:1", "x" * 300 + ":1", "é:5"]
)
async def test_a_chunkserver_that_nobody_could_find_is_refused(tmp_path: Path, name: str) -> None:
    async with master(tmp_path) as server, caller(server.address) as client:
        with pytest.raises(GfsRefusal, match="accepted: HOST:PORT, where it listens"):
            await client.call(MASTER, Register(name, "rack1", 1, ()))
        await client.call(MASTER, Register("127.0.0.1:9", "rack1", 1, ()))


async def test_a_master_whose_disk_fails_answers_nobody_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with master(tmp_path) as server, caller(server.address) as client:
        await client.call(MASTER, Create("/before"))
        assert server._disk is not None

        def fail(path: str) -> None:
            raise DiskError(f"{path} is gone")

        monkeypatch.setattr(server._disk, "sync", fail)
        monkeypatch.setattr("genstamp_dfs.gfs.server.listener.STOP_S", 0.1)
        with pytest.raises(SocketTimeoutException):
            await client.call(MASTER, Create("/after"), timeout_us=500_000)
        assert server.failure is not None
        with pytest.raises(DiskError, match="is gone"):
            await server.failure


async def test_what_a_client_may_say_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    async with master(tmp_path) as server, caller(server.address) as client:
        for path in ("", "a", "/a/../b", "//", "/\0", "/" + "x" * 100_000, "/" + "y/" * 10_000):
            with pytest.raises(GfsRefusal):
                await client.call(MASTER, Create(path))
        await client.call(MASTER, Create("/file"))
        assert (await client.describe(MASTER)).format == wire.FORMAT
