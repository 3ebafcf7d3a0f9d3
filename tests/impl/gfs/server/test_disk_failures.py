"""Master and chunkservers over real files on disks that fail, or into which somebody has put links."""

import asyncio
from pathlib import Path

import pytest
from tests.impl.gfs.server.servers import servers
from tests.impl.running import run
from tests.impl.server.bad_disks import FsyncFailsOnce

from genstamp_dfs.errors import DiskFailedError, Refusal

pytestmark = pytest.mark.slow

DATA = bytes(range(256)) * 40


async def test_a_master_whose_log_fails_to_sync_ends_and_writes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genstamp_dfs.gfs.server.listener.STOP_S", 0.1)
    fsync = FsyncFailsOnce(monkeypatch, tmp_path / "master")
    async with servers(tmp_path, chunkservers=0) as cluster, cluster.client() as client:
        await client.create("/before")
        fsync.arm()
        asking = asyncio.create_task(client.create("/unknown"))
        assert cluster.master is not None and cluster.master.failure is not None
        with pytest.raises(DiskFailedError):
            await cluster.master.failure
        assert not asking.done(), "nobody is answered"
        asking.cancel()
        await cluster.stop_master()
        for path in ("/after", "/later"):
            await cluster.start_master()
            await client.create(path)
            await cluster.stop_master()
        await cluster.start_master()
        assert {"/before", "/after", "/later"} <= {info.path for info in await client.list("/")}
    assert fsync.failed is not None and fsync.failed.name.startswith("records_")
    assert fsync.repeated == []


async def test_a_chunkserver_whose_disk_fails_acknowledges_nothing_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client goes on with the others; what comes back writes its log anew before it adds to it."""
    fsync = FsyncFailsOnce(monkeypatch, tmp_path / "chunkserver2")
    async with servers(tmp_path) as cluster, cluster.client() as client:
        await client.create("/file")
        await client.write("/file", 0, DATA)
        server = cluster.chunkservers["chunkserver2"]
        fsync.arm()
        writing = asyncio.create_task(client.write("/file", 0, DATA[::-1]))
        assert server.failure is not None
        with pytest.raises(DiskFailedError):
            await server.failure
        await cluster.stop_chunkserver("chunkserver2")
        await cluster.start_chunkserver("chunkserver2")
        await writing
        await client.write("/file", 0, DATA)
        assert await client.read("/file", 0, len(DATA)) == DATA
    assert fsync.failed is not None and fsync.failed.suffix == ".log"
    assert fsync.repeated == []


@pytest.mark.parametrize("is_dangling", [False, True])
@pytest.mark.parametrize("suffix", ["", ".log"])
def test_a_link_in_the_place_of_a_file_takes_one_replica_out_of_service(
    tmp_path: Path, suffix: str, is_dangling: bool
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"mine")

    async def test() -> None:
        async with servers(tmp_path) as cluster, cluster.client() as client:
            for path in ("/hit", "/other"):
                await client.create(path)
                await client.write(path, 0, DATA)
            first = min(path for path in (tmp_path / "chunkserver1/chunks").iterdir() if path.suffix == suffix)
            first.unlink()
            first.symlink_to(tmp_path / "nothing" if is_dangling else outside)
            for path in ("/hit", "/other"):
                assert await client.read(path, 0, len(DATA)) == DATA
            await cluster.stop_chunkserver("chunkserver1")
            server = await cluster.start_chunkserver("chunkserver1")
            assert server._chunkserver is not None and len(server._chunkserver.replicas) <= 1
            assert server.failure is not None and not server.failure.done()
            assert first.is_symlink()
            for path in ("/hit", "/other"):
                assert await client.read(path, 0, len(DATA)) == DATA

            async def is_written() -> bool:
                try:
                    await client.write("/other", 0, DATA[::-1])
                except Refusal:
                    return False
                return True

            assert await is_written()
            assert await client.read("/other", 0, len(DATA)) == DATA[::-1]

    run(test())
    assert outside.read_bytes() == b"mine"


async def test_data_are_for_their_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "chunkserver1").mkdir(mode=0o755)
    async with servers(tmp_path) as cluster, cluster.client() as client:
        await client.create("/file")
        await client.write("/file", 0, DATA)
    for path in [tmp_path / "chunkserver1", *tmp_path.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path
