"""Servers whose disk is full or fails: an error has no effect, and nothing that is lost is acknowledged."""

import asyncio
import logging
import os
from pathlib import Path

import pytest
from tests.impl.running import run
from tests.impl.server.bad_disks import FsyncFailsOnce, fill_when
from tests.impl.server.servers import ServerCluster, cluster, until

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError, HdfsIOException
from genstamp_dfs.events import decode_lines
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.messages.client_protocol import Delete, GetFileInfo, Mkdirs

pytestmark = pytest.mark.slow

DATA = bytes(range(256)) * 10


async def exists(client: DFSClient, path: str) -> bool:
    return await client.ask(GetFileInfo(path)) is not None


# -- the trace ------------------------------------------------------------------------------------------------------


def test_a_trace_that_cannot_be_written_fails_no_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        async with cluster(tmp_path, datanodes=0) as servers:
            client = servers.client("client1")
            await client.ask(Mkdirs("/old"))
            fill_when(monkeypatch, lambda path: path.suffix == ".jsonl", room=10)
            assert await client.ask(Mkdirs("/new"))
            assert await client.ask(Delete("/old", recursive=True))
            for _ in range(2):
                assert [await exists(client, path) for path in ("/old", "/new")] == [False, True]
                await servers.stop_namenode()
                await servers.start_namenode()

    with caplog.at_level(logging.WARNING):
        run(test())
    told = [record.message for record in caplog.records if "dropped" in record.message]
    assert len(told) == 3, "once for each life"
    events = list(decode_lines((tmp_path / "events/namenode.jsonl").read_bytes()))
    assert [event.event for event in events if event.kind == "file"] == ["mkdirs"]


# -- a namenode -----------------------------------------------------------------------------------------------------


async def unanswered(servers: ServerCluster, client: DFSClient, path: str) -> DiskError:
    """Ask for a directory at a namenode whose disk does not take it; gives why the namenode ends."""
    assert servers.namenode is not None
    asking = asyncio.create_task(client.ask(Mkdirs(path)))
    failure = servers.namenode.failure
    assert failure is not None
    with pytest.raises(DiskError) as caught:
        await failure
    assert not asking.done(), "nobody is answered"
    asking.cancel()
    return caught.value


@pytest.mark.parametrize("room", [0, 20])
async def test_a_namenode_whose_log_is_full_ends_and_has_done_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    async with cluster(tmp_path, datanodes=0) as servers:
        client = servers.client("client1")
        await client.ask(Mkdirs("/before"))
        (log,) = (tmp_path / "namenode/current").glob("edits_inprogress_*")
        whole = log.read_bytes()
        with monkeypatch.context() as full:
            fill_when(full, lambda path: path.name.startswith("edits"), room)
            failure = await unanswered(servers, client, "/refused")
            assert isinstance(failure, DiskFullError)
            assert log.read_bytes() == whole
            await servers.stop_namenode()
        await servers.start_namenode()
        assert [await exists(client, path) for path in ("/before", "/refused")] == [True, False]


async def test_a_namenode_whose_log_fails_to_sync_ends_and_writes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = FsyncFailsOnce(monkeypatch, tmp_path / "namenode")
    async with cluster(tmp_path, datanodes=0) as servers:
        client = servers.client("client1")
        await client.ask(Mkdirs("/before"))
        fsync.arm()
        assert isinstance(await unanswered(servers, client, "/unknown"), DiskFailedError)
        await servers.stop_namenode()
        await servers.start_namenode()
        assert await exists(client, "/before")
        await client.ask(Mkdirs("/after"))
        await servers.stop_namenode()
        await servers.start_namenode()
        assert await exists(client, "/after")
    assert fsync.failed is not None and fsync.failed.name.startswith("edits_inprogress")
    assert fsync.repeated == []


# -- a datanode -----------------------------------------------------------------------------------------------------


async def test_a_datanode_whose_disk_fails_acknowledges_nothing_tells_the_namenode_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = FsyncFailsOnce(monkeypatch, tmp_path / "datanode1")
    async with cluster(tmp_path, datanodes=1) as servers:
        client, server = servers.client("client1"), servers.datanodes["datanode1"]
        stream = await client.create("/file", replication=1)
        await stream.write(DATA)
        await stream.hflush()
        fsync.arm()
        with pytest.raises(HdfsIOException):
            await stream.hsync()
        assert server.failure is not None
        with pytest.raises(DiskFailedError, match="Input/output error"):
            await server.failure
        assert servers.namenode is not None
        manager = servers.namenode.namenode.namesystem.datanode_manager
        assert manager.live_datanodes() == []
    assert fsync.failed is not None and fsync.failed.name.startswith("blk_")
    assert fsync.repeated == []


async def test_a_full_datanode_takes_no_part_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with cluster(tmp_path) as servers:
        client = servers.client("client1")
        for name, part in (("blk", "rbw/blk_"), ("meta", ".meta")):
            with monkeypatch.context() as full:
                fill_when(full, lambda path, part=part: "datanode1" in path.parts and part in str(path))  # type: ignore[misc]
                stream = await client.create(f"/{name}", replication=3)
                await stream.write(DATA)
                await stream.hsync()
                await stream.close()
                assert await (await client.open(f"/{name}")).read() == DATA
            server = servers.datanodes["datanode1"]
            assert server.failure is not None and not server.failure.done()
        await servers.stop_datanode("datanode1")
        await servers.start_datanode("datanode1")
        assert servers.datanodes["datanode1"]._datanode is not None
        for replica in servers.datanodes["datanode1"]._datanode.dataset.replicas.values():
            assert replica.num_bytes in (0, len(DATA))


# -- links ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_dangling", [False, True])
@pytest.mark.parametrize("suffix", ["", ".meta"])
@pytest.mark.parametrize("is_open", [False, True])
def test_a_link_in_the_place_of_a_file_takes_one_replica_out_of_service(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, is_open: bool, suffix: str, is_dangling: bool
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")

    async def test() -> None:
        async with cluster(tmp_path) as servers:
            client = servers.client("client1")
            for path in ("/hit", "/other"):
                stream = await client.create(path, replication=3)
                await stream.write(DATA)
                await (stream.hflush() if is_open and path == "/hit" else stream.close())
            first = "rbw" if is_open else "finalized"
            pool = tmp_path / "datanode1/current" / servers.block_pool_id / "current"
            names = sorted(path for path in (pool / first).rglob("blk_*") if (path.suffix or "") == suffix)
            await servers.stop_datanode("datanode1")
            names[0].unlink()
            names[0].symlink_to(tmp_path / "nothing" if is_dangling else outside)
            for restart in (pool / "rbw").glob("*.restart"):
                restart.unlink()
            server = await servers.start_datanode("datanode1")
            assert server._datanode is not None
            assert len(server._datanode.dataset.out_of_service) > 0
            assert len(server._datanode.dataset.replicas) == 1
            assert names[0].is_symlink()
            assert server.failure is not None and not server.failure.done()
            assert await (await client.open("/other")).read() == DATA
            assert await (await client.open("/hit")).read() == DATA

            async def is_registered() -> bool:
                assert servers.namenode is not None
                return "datanode1" in servers.namenode.namenode.namesystem.datanode_manager.live_datanodes()

            await until(is_registered)
            more = await client.create("/more", replication=3)
            await more.write(DATA)
            await more.close()

    run(test())
    assert outside.read_bytes() == b"mine"
    messages = [one.message for one in caplog.records if "datanode1: a replica is out of service" in one.message]
    assert messages and len(set(messages)) == len(messages)


async def test_a_link_that_is_put_while_a_datanode_runs_fails_one_read(tmp_path: Path) -> None:
    async with cluster(tmp_path) as servers:
        client = servers.client("client1")
        stream = await client.create("/file", replication=3)
        await stream.write(DATA)
        await stream.close()
        for block in (tmp_path / "datanode1").rglob("blk_*"):
            block.unlink()
            block.symlink_to("/etc/passwd")
        for _ in range(3):
            assert await (await client.open("/file")).read() == DATA
        await client.ask(Delete("/file"))
        stream = await client.create("/another", replication=3)
        await stream.write(DATA)
        await stream.close()
        server = servers.datanodes["datanode1"]
        assert server.failure is not None and not server.failure.done()


# -- who may read ---------------------------------------------------------------------------------------------------


def test_data_are_for_their_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "namenode").mkdir(mode=0o755)

    async def test() -> None:
        async with cluster(tmp_path) as servers:
            stream = await servers.client("client1").create("/file", replication=3)
            await stream.write(DATA)
            await stream.close()

    umask = os.umask(0o022)
    try:
        run(test())
    finally:
        os.umask(umask)
    nodes = [tmp_path / name for name in ("namenode", "datanode1", "datanode2", "datanode3")]
    for path in [*nodes, *(path for node in nodes for path in node.rglob("*"))]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
