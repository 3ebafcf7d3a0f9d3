"""Replicas on a disk that is full or fails: what was refused has left nothing, and lost bytes are not counted on."""

import random

import pytest
from tests.impl.datanode.one_replica import BLOCK, DATA, POOL, SomeWriter

from genstamp_dfs.errors import DiskError, DiskFailedError, DiskFullError, HdfsIOException
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.protocol import Block, Semantics
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX
from genstamp_dfs.world.volume import Volume

NEW = BLOCK.block_id + 1


def view_of(disk: SimulatedDisk) -> DiskOfLife:
    return DiskOfLife(disk, Life("datanode1"), random.Random(0))


def dataset_on(disk: SimulatedDisk, semantics: Semantics = Semantics.REPAIRED) -> FsDataset:
    """A new life over a disk."""
    return FsDataset(view_of(disk), POOL, DataNodeConfiguration(semantics=semantics))


def written(semantics: Semantics = Semantics.REPAIRED) -> tuple[SimulatedDisk, FsDataset]:
    """One RBW replica with bytes that are not forced to the disk."""
    disk = SimulatedDisk()
    for directory in ("current/rbw", "current/finalized", "tmp"):
        view_of(disk).make_directory(f"current/{POOL}/{directory}")
    dataset = dataset_on(disk, semantics)
    replica = dataset.create_rbw(BLOCK, SomeWriter())
    dataset.write(replica, 0, DATA, checksums_of(DATA))
    dataset.acknowledge(replica, len(DATA))
    return disk, dataset


@pytest.mark.parametrize("room", [0, 3, 6])
def test_a_replica_for_which_there_is_no_room_leaves_nothing(room: int) -> None:
    disk, dataset = written()
    before = dict(disk.files)
    disk.room = room
    with pytest.raises(DiskFullError):
        dataset.create_rbw(Block(NEW, 1001, 0), SomeWriter())
    assert disk.files == before
    assert sorted(dataset.replicas) == [BLOCK.block_id]


@pytest.mark.parametrize("room", [0, 1, 500, 700, 701])
@pytest.mark.parametrize("acked", [0, 700])
def test_a_packet_for_which_there_is_no_room_is_taken_back(room: int, acked: int) -> None:
    """Bytes, checksums and lengths are as before; a replica that lacks acknowledged bytes waits for a recovery."""
    disk, dataset = written()
    replica = dataset.replicas[BLOCK.block_id]
    more = bytes(700)
    disk.room = room
    dataset.acknowledge(replica, len(DATA) + acked)
    packet = DATA[512:] + more
    with pytest.raises(DiskFullError):
        dataset.write(replica, 512, packet, checksums_of(packet))
    assert replica.state.name == ("RWR" if acked else "RBW")
    assert replica.num_bytes == replica.bytes_on_disk == len(DATA)
    assert dataset.files.read(replica, 0, 10_000) == DATA
    assert dataset.files.read_checksums(replica, 0, len(DATA)) == checksums_of(DATA)
    info = dataset.init_replica_recovery(BLOCK, BLOCK.generation_stamp + 1)
    assert info is not None and info.num_bytes == len(DATA)


def test_hadoop_refuses_to_recover_a_replica_that_has_acknowledged_what_it_had_no_room_for() -> None:
    disk, dataset = written(Semantics.HADOOP_3_4)
    replica = dataset.replicas[BLOCK.block_id]
    disk.room = 0
    dataset.acknowledge(replica, len(DATA) + 9)
    with pytest.raises(DiskFullError):
        dataset.write(replica, len(DATA), bytes(9), checksums_of(bytes(9)))
    with pytest.raises(HdfsIOException, match="NOT SUPPOSED TO HAPPEN"):
        dataset.init_replica_recovery(BLOCK, BLOCK.generation_stamp + 1)


def test_a_move_for_which_there_is_no_room_leaves_the_files_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    disk, dataset = written()
    before, rename = set(disk.files), DiskOfLife.rename

    def full(self: DiskOfLife, source: str, destination: str) -> None:
        if "finalized" in destination and not destination.endswith(".meta"):
            raise DiskFullError(f"{destination}: no room for another name")
        rename(self, source, destination)

    monkeypatch.setattr(DiskOfLife, "rename", full)
    with pytest.raises(DiskFullError):
        dataset.finalize_block(Block(BLOCK.block_id, BLOCK.generation_stamp, len(DATA)))
    assert set(disk.files) == before
    replica = dataset.replicas[BLOCK.block_id]
    assert (replica.state.name, replica.generation_stamp) == ("RBW", BLOCK.generation_stamp)
    monkeypatch.undo()
    dataset.finalize_block(Block(BLOCK.block_id, BLOCK.generation_stamp, len(DATA)))
    assert dataset.files.read(replica, 0, len(DATA)) == DATA


def test_a_planned_restart_of_a_full_datanode_goes_without_its_note() -> None:
    disk, dataset = written()
    disk.room = 1
    dataset.prepare_restart(0)
    assert [path for path in disk.files if "restart" in path] == []
    assert dataset_on(disk).replicas[BLOCK.block_id].state.name == "RWR"


def test_files_of_an_earlier_life_are_written_anew_before_they_are_counted_on() -> None:
    """That life has ended with a sync that failed."""
    disk, dataset = written()
    rest = bytes(1024 - len(DATA))
    dataset.write(dataset.replicas[BLOCK.block_id], len(DATA), rest, checksums_of(rest))
    disk.sync_fails_in = 1
    with pytest.raises(DiskFailedError):
        dataset.hsync(dataset.replicas[BLOCK.block_id])
    again = dataset_on(disk)
    replica = again.replicas[BLOCK.block_id]
    inherited = [replica.is_inherited]
    again.hsync(replica)
    assert [*inherited, replica.is_inherited] == [True, False]
    assert disk.false_syncs == []
    disk.lose_power(random.Random(1))
    last = dataset_on(disk)
    assert last.files.read(last.replicas[BLOCK.block_id], 0, len(DATA)) == DATA


def test_what_a_crash_leaves_of_that_goes() -> None:
    disk, _ = written()
    view = view_of(disk)
    view.create(f"current/{POOL}/current/rbw/blk_{BLOCK.block_id}{UNFINISHED_SUFFIX}")
    dataset_on(disk)
    assert [path for path in disk.files if path.endswith(UNFINISHED_SUFFIX)] == []


def test_without_room_to_write_them_anew_nothing_is_acknowledged() -> None:
    disk, _ = written()
    dataset = dataset_on(disk)
    disk.room = 100
    with pytest.raises(DiskFullError):
        dataset.hsync(dataset.replicas[BLOCK.block_id])
    assert disk.room == 100
    disk.room = None
    dataset.hsync(dataset.replicas[BLOCK.block_id])


def test_without_room_to_keep_a_checksum_bytes_are_forced_in_order() -> None:
    """The new bytes of a chunk that was forced are on the disk when its new checksum is written."""
    disk, dataset = written()
    replica = dataset.replicas[BLOCK.block_id]
    disk.room = 100
    dataset.hsync(replica)
    assert (disk.room, replica.synced_bytes) == (100, len(DATA))
    dataset.write(replica, len(DATA), b"more", checksums_of(b"more"))
    assert (disk.room, replica.synced_bytes) == (96, len(DATA) + 4)
    disk.lose_power(random.Random(0))
    last = dataset_on(disk)
    assert last.files.read(last.replicas[BLOCK.block_id], 0, 10_000) == DATA + b"more"


def test_a_volume_that_has_failed_does_nothing_more_and_says_so_once() -> None:
    disk, told = SimulatedDisk(), list[DiskFailedError]()
    volume = Volume(view_of(disk), told.append)
    volume.create("f")
    with pytest.raises(DiskError, match="exists"):
        volume.create("f")
    disk.room = 0
    with pytest.raises(DiskFullError):
        volume.write("f", 0, b"x")
    assert told == []
    disk.room, disk.sync_fails_in = None, 1
    for work in (volume.sync, volume.sync, volume.read, volume.exists, volume.remove):
        with pytest.raises(DiskFailedError, match="cannot be forced"):
            work("f")
    assert len(told) == 1 and volume.failure is told[0]
    assert list(disk.files) == ["f"]
