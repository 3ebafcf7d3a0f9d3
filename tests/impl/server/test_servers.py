"""Files over real sockets and disks, in one process: written, read, and kept while nodes end and come back."""

import asyncio
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.impl.running import LIMIT_S
from tests.impl.server.servers import BLOCK, ServerCluster, cluster, until

from genstamp_dfs.errors import (
    DisallowedDatanodeException,
    DiskError,
    HdfsIOException,
    SocketTimeoutException,
    StorageError,
)
from genstamp_dfs.events import decode_lines
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.messages.client_protocol import Delete, GetBlockLocations, GetFileInfo, Mkdirs
from genstamp_dfs.hdfs.messages.datanode_protocol import RegisterDatanode
from genstamp_dfs.hdfs.namenode.configuration import NameNodeConfiguration
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.datanode_server import DataNodeRuntime, DataNodeServer
from genstamp_dfs.server.event_file import NoEvents
from genstamp_dfs.server.namenode_server import NameNodeServer
from genstamp_dfs.server.rpc_client import RpcClient
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.world.request import Caller

SIZE = 2 * BLOCK + 12_345


def some_bytes(size: int = SIZE, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


async def put(client: DFSClient, path: str, data: bytes) -> None:
    stream = await client.create(path)
    await stream.write(data)
    await stream.close()


async def get(servers: ServerCluster, path: str) -> bytes:
    return await (await servers.client("reader").open(path)).read()


async def test_a_file_is_written_appended_to_and_read(tmp_path: Path) -> None:
    async with cluster(tmp_path) as servers:
        client, data = servers.client("writer"), some_bytes()
        await put(client, "/dir/file", data)
        assert await get(servers, "/dir/file") == data
        stream = await client.append("/dir/file")
        await stream.write(b"and more")
        await stream.close()
        assert await get(servers, "/dir/file") == data + b"and more"
        opened = await servers.client("reader").open("/dir/file")
        assert await opened.read(BLOCK - 10, 20) == data[BLOCK - 10 : BLOCK + 10]


async def test_a_call_that_is_made_again_is_answered_as_before_also_by_the_next_namenode(tmp_path: Path) -> None:
    """It is known by client id and call id, whatever connection it comes on."""
    async with cluster(tmp_path) as servers:
        await put(servers.client("writer"), "/file", b"bytes")

        async def delete(call_id: int) -> object:
            rpc = RpcClient(Converter("", AddressBook()), "someone", "someone")
            try:
                caller = Caller("127.0.0.1", b"sixteen bytes ..", call_id)
                return await rpc.call("127.0.0.1", servers.port, Delete("/file"), caller, 10_000_000)
            finally:
                rpc.close()

        assert await delete(7) is True
        assert await delete(7) is True
        assert await delete(8) is False
        await servers.stop_namenode()
        await servers.start_namenode()
        await put(servers.client("writer after safe mode"), "/other", b"bytes")
        assert await delete(7) is True
        assert await delete(9) is False


@pytest.mark.slow
async def test_what_one_client_flushed_another_reads(tmp_path: Path) -> None:
    async with cluster(tmp_path) as servers:
        data = some_bytes(BLOCK + 700)
        stream = await servers.client("writer").create("/file")
        for start in range(0, len(data), 300_000):
            await stream.write(data[start : start + 300_000])
            await stream.hflush()
            assert await get(servers, "/file") == data[: stream.position]
        await stream.hsync()
        await stream.close()


@pytest.mark.slow
async def test_a_writer_goes_on_without_a_datanode_that_ends_and_its_copies_are_made_again(tmp_path: Path) -> None:
    async with cluster(tmp_path) as servers:
        client, data = servers.client("writer"), some_bytes()
        stream = await client.create("/file")
        await stream.write(data[:300_000])
        await stream.hflush()
        await servers.kill_datanode("datanode2")
        await stream.write(data[300_000:])
        await stream.close()
        assert await get(servers, "/file") == data
        await servers.start_datanode("datanode2")

        async def has_all_copies() -> bool:
            located = await client.ask(GetBlockLocations("/file"))
            return all(len(one.locations) == 3 for one in located.blocks)

        await until(has_all_copies)
        await servers.kill_datanode("datanode1")
        await servers.kill_datanode("datanode3")
        assert await get(servers, "/file") == data


@pytest.mark.slow
async def test_a_writer_waits_for_a_datanode_that_says_that_it_is_back_soon(tmp_path: Path) -> None:
    async with cluster(tmp_path) as servers:
        data = some_bytes(BLOCK)
        # With another node in the pipeline the client would rather go on without this one, as Hadoop's does.
        stream = await servers.client("writer").create("/file", replication=1)
        await stream.write(data[:300_000])
        await stream.hflush()
        nodes = stream.streamer.pipeline.nodes
        await servers.stop_datanode(nodes[0])
        going_on = asyncio.create_task(stream.write(data[300_000:]))
        await servers.start_datanode(nodes[0])
        await going_on
        await stream.hflush()
        assert stream.streamer.pipeline.nodes == nodes
        await stream.close()
        assert await get(servers, "/file") == data


@pytest.mark.slow
async def test_a_writer_waits_for_a_namenode_that_starts_again(tmp_path: Path) -> None:
    async with cluster(tmp_path) as servers:
        data = some_bytes()
        stream = await servers.client("writer").create("/file")
        await stream.write(data[:300_000])
        await stream.hflush()
        await servers.stop_namenode()
        going_on = asyncio.create_task(stream.write(data[300_000:]))
        await servers.start_namenode()
        await going_on
        await stream.close()
        assert await get(servers, "/file") == data


async def test_events_go_on_in_the_file_where_a_node_starts_again(tmp_path: Path) -> None:
    async with cluster(tmp_path) as servers:
        await put(servers.client("writer"), "/file", b"bytes")
        await servers.stop_namenode()
        file = tmp_path / "events" / "namenode.jsonl"
        before = decode_lines(file.read_bytes())
        with file.open("ab") as torn:
            torn.write(b'{"source":"genst')
        await servers.start_namenode()
        await servers.client("writer").ask(Mkdirs("/other"))
        events = decode_lines(file.read_bytes())
        assert len(events) > len(before)
        assert [event.node_sequence for event in events] == list(range(1, len(events) + 1))
        assert {event.namespace for event in events if event.kind == "file"} == {events[0].namespace}
        assert events[0].namespace.startswith("BP-")


# -- durability and failures of the disk ----------------------------------------------------------------------------


async def test_calls_that_come_together_share_a_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with cluster(tmp_path, datanodes=0) as servers:
        assert servers.namenode is not None
        namenode = servers.namenode.namenode
        syncs = []
        really = namenode.begin_log_sync

        def counted() -> Callable[[], None] | None:
            syncs.append(1)
            return really()

        monkeypatch.setattr(namenode, "begin_log_sync", counted)
        client = servers.client("writer")
        await client.ask(Mkdirs("/first"))
        syncs.clear()
        await asyncio.gather(*(client.ask(Mkdirs(f"/d{number}")) for number in range(100)))
        assert 1 <= len(syncs) < 20


async def test_calls_go_on_while_the_log_is_forced_and_no_answer_tells_of_what_is_not_on_disk(tmp_path: Path) -> None:
    async with cluster(tmp_path, datanodes=0) as servers:
        assert servers.namenode is not None and servers.namenode._disk is not None
        disk, edit_log = servers.namenode._disk, servers.namenode.namenode.edit_log
        client, begun, done = servers.client("writer"), threading.Event(), threading.Event()
        await client.ask(Mkdirs("/first"))
        before, really = edit_log.last_transaction, disk.sync

        def slow(path: str) -> None:
            begun.set()
            assert done.wait(LIMIT_S)
            really(path)

        disk.sync = slow  # type: ignore[method-assign]
        try:
            calls: list[asyncio.Task[Any]] = [asyncio.create_task(client.ask(Mkdirs("/second")))]
            await until_true(begun.is_set)
            calls.append(asyncio.create_task(client.ask(Mkdirs("/third"))))
            calls.append(asyncio.create_task(client.ask(GetFileInfo("/second"))))
            # Answered in the order of their arrival, so a later call that was carried out shows the others were.
            await until_true(lambda: edit_log.last_transaction == before + 2)
            with pytest.raises(SocketTimeoutException):
                await client.runtime.call("namenode", GetFileInfo("/third"), timeout_us=200_000)
            assert not any(call.done() for call in calls) and edit_log.synced_transaction == before
        finally:
            done.set()
        assert [bool(answer) for answer in await asyncio.gather(*calls)] == [True, True, True]
        assert edit_log.synced_transaction == before + 2


async def until_true(condition: Callable[[], bool]) -> None:
    async def is_true() -> bool:
        return condition()

    await until(is_true)


async def test_the_monitors_wait_for_the_sync_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp_dfs.server.namenode_server.TICK_S", 0.01)
    async with cluster(tmp_path, datanodes=0) as servers:
        server = servers.namenode
        assert server is not None and server._disk is not None
        begun, done, ticks = threading.Event(), threading.Event(), []
        really, tick = server._disk.sync, server.namenode.tick

        def slow(path: str) -> None:
            begun.set()
            assert done.wait(LIMIT_S)
            really(path)

        def counted() -> None:
            ticks.append(1)
            tick()

        server._disk.sync, server.namenode.tick = slow, counted  # type: ignore[method-assign]
        try:
            call = asyncio.create_task(servers.client("writer").ask(Mkdirs("/dir")))
            await until_true(begun.is_set)
            before = len(ticks)
            await until_true(lambda: bool(server._log._waiters))
            assert len(ticks) == before
        finally:
            done.set()
        await call
        await until_true(lambda: len(ticks) > before)


async def test_a_flush_does_not_wait_for_the_disk_that_forces_the_bytes_of_another_file(tmp_path: Path) -> None:
    async with cluster(tmp_path, datanodes=1) as servers:
        disk = servers.datanodes["datanode1"]._disk
        assert disk is not None
        begun, done, really = threading.Event(), threading.Event(), disk.sync
        streams = [await servers.client(f"writer{number}").create(f"/file{number}") for number in range(2)]
        for stream in streams:
            await stream.write(b"first")
            await stream.hflush()

        def slow(path: str) -> None:
            begun.set()
            assert done.wait(LIMIT_S)
            really(path)

        disk.sync = slow  # type: ignore[method-assign]
        try:
            forced = asyncio.create_task(streams[0].hsync())
            await until_true(begun.is_set)
            await streams[1].write(b"second")
            await streams[1].hflush()
            assert await get(servers, "/file1") == b"firstsecond"
            assert not forced.done()
        finally:
            done.set()
        await forced
        for stream in streams:
            await stream.close()


async def test_nobody_is_answered_when_the_log_cannot_be_synced(tmp_path: Path) -> None:
    async with cluster(tmp_path, datanodes=0) as servers:
        assert servers.namenode is not None and servers.namenode.failure is not None
        client = servers.client("writer")
        await client.ask(Mkdirs("/before"))

        def fail(path: str) -> None:
            raise DiskError(f"{path}: no disk")

        servers.namenode._disk.sync = fail  # type: ignore[union-attr, method-assign]
        with pytest.raises(SocketTimeoutException):
            await client.runtime.call("namenode", Mkdirs("/after"), timeout_us=500_000)
        with pytest.raises(DiskError, match="no disk"):
            await servers.namenode.failure


# -- what is refused ------------------------------------------------------------------------------------------------


def snapshot(directory: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in sorted(directory.rglob("*"))
    }


@pytest.mark.parametrize("spoil", ["foreign", "version", "in use"])
async def test_a_storage_directory_that_is_refused_stays_as_it_is(
    tmp_path: Path, spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genstamp_dfs.server.process.LOCK_WAIT_S", 0.0)
    async with cluster(tmp_path, datanodes=1) as servers:
        if spoil != "in use":
            await servers.kill_datanode("datanode1")
            await servers.stop_namenode()
        for name in ("namenode", "datanode1"):
            directory = tmp_path / name
            if spoil == "foreign":
                directory = tmp_path / f"other-{name}"
                directory.mkdir()
                (directory / "thesis.txt").write_text("years of work")
            elif spoil == "version":
                (directory / "current" / "VERSION").write_bytes(b"\xff\xfe=nothing\n")
            before = snapshot(directory)
            if spoil != "in use" and name == "datanode1":
                await servers.stop_namenode()
                (tmp_path / "good").mkdir(exist_ok=True)
                namenode = NameNodeServer(tmp_path / "good", NameNodeConfiguration(), NoEvents(), port=servers.port)
                await namenode.start()
                servers.namenode = namenode
            with pytest.raises(
                StorageError, match=r"accepted|is not that of a namenode|not a properties file|used by another"
            ):
                await started(name, directory, servers.port)
            assert snapshot(directory) == before


async def started(name: str, directory: Path, port: int) -> None:
    """Start a server, which shall fail."""
    server: NameNodeServer | DataNodeServer
    if name == "namenode":
        server = NameNodeServer(directory, NameNodeConfiguration(), NoEvents())
    else:
        server = DataNodeServer(name, directory, ("127.0.0.1", port), DataNodeConfiguration(), NoEvents())
    try:
        await server.start()
    finally:
        await server.stop()


@pytest.mark.parametrize(
    "request_",
    [
        RegisterDatanode("../etc", "BP", "127.0.0.1", 1, 1),
        RegisterDatanode("", "BP", "127.0.0.1", 1, 1),
        RegisterDatanode("x" * 200, "BP", "127.0.0.1", 1, 1),
        RegisterDatanode("datanode9", "BP", "", 1, 1),
        RegisterDatanode("datanode9", "BP", "127.0.0.1", 0, 70_000),
    ],
    ids=["path", "empty", "long", "no host", "ports"],
)
async def test_a_datanode_that_cannot_be_reached_is_not_registered(tmp_path: Path, request_: RegisterDatanode) -> None:
    async with cluster(tmp_path, datanodes=0) as servers:
        assert servers.namenode is not None
        pool = servers.namenode.namenode.namespace.block_pool_id
        name = (request_.datanode, pool, request_.host, request_.transfer_port, request_.rpc_port)
        client = servers.client("stranger")
        with pytest.raises(HdfsIOException, match="accepted"):
            await client.ask(RegisterDatanode(*name))
        assert not servers.namenode.namenode.namesystem.datanode_manager.datanodes


async def test_a_datanode_that_is_not_taken_says_why(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Once for each reason, however often it tries; the datanode that has the name already stays what it was."""
    async with cluster(tmp_path, datanodes=1) as servers:
        assert servers.namenode is not None
        pool = servers.block_pool_id
        known = servers.namenode.namenode.namesystem.datanode_manager.datanodes["datanode1"]
        uuid = known.uuid
        runtime = DataNodeRuntime("datanode1", ("127.0.0.1", servers.port), Converter("", AddressBook()))
        for cluster_id in (pool, pool, "BP-other"):
            with pytest.raises(DisallowedDatanodeException):
                await runtime.call(NAMENODE, RegisterDatanode("datanode1", cluster_id, "127.0.0.1", 1, 1, "other"))
        await runtime.stop()
        assert known.uuid == uuid != ""
        assert [record.message for record in caplog.records] == [
            "datanode1: not registered yet, it is tried again: DisallowedDatanodeException: another datanode that "
            "is called datanode1 is there, accepted: a name of its own",
            "datanode1: not registered yet, it is tried again: DisallowedDatanodeException: datanode1 belongs to "
            f"BP-other, accepted: {pool}",
        ]
