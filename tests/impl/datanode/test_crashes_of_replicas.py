"""A crash at every effect of every operation on a replica loses nothing that was acknowledged (facts B.8)."""

import random

import pytest
from tests.impl.datanode.restarts import (
    BLOCK,
    DATA,
    POOL,
    RBW,
    RWR,
    F,
    Operation,
    content,
    start,
    write,
    written,
)
from tests.impl.datanode.scripted_namenode import NoWriter

from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.protocol import Block, Semantics
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, ProcessCrashedError

# -- a crash at every effect ----------------------------------------------------------------------------------------


def append(dataset: FsDataset) -> None:
    dataset.append(BLOCK, 1002, dataset.replicas[7].num_bytes, NoWriter())


def recover_rbw(dataset: FsDataset) -> None:
    replica = dataset.replicas[7]
    replica.bytes_acked = 600
    dataset.recover_rbw(BLOCK, 1002, 600, 1500, NoWriter())


def recover_close(dataset: FsDataset) -> None:
    dataset.recover_close(BLOCK, 1002, dataset.replicas[7].num_bytes)


def recover_block(dataset: FsDataset) -> None:
    replica = dataset.replicas[7]
    dataset.init_replica_recovery(BLOCK, 1002)
    dataset.update_replica_under_recovery(Block(7, 1001, replica.num_bytes), 1002, 600)


def truncate_by_copy(dataset: FsDataset) -> None:
    replica = dataset.replicas[7]
    dataset.init_replica_recovery(BLOCK, 1002)
    dataset.update_replica_under_recovery(Block(7, 1001, replica.num_bytes), 1002, 600, new_block_id=8)


def write_in_chunk(dataset: FsDataset) -> None:
    write(dataset, 700, 800)
    write(dataset, 512, 1100)


def finalize(dataset: FsDataset) -> None:
    dataset.finalize_block(BLOCK)


def create_other(dataset: FsDataset) -> None:
    dataset.create_rbw(Block(9, 1001, 0), NoWriter())


OPERATIONS: list[tuple[Operation, bool, int]] = [
    (append, True, 700),
    (recover_rbw, False, 600),
    (recover_close, False, 700),
    (recover_block, False, 600),
    (recover_block, True, 600),
    (truncate_by_copy, True, 700),
    (write_in_chunk, False, 700),
    (finalize, False, 700),
    (create_other, True, 700),
]
"""Operation, whether it starts from a FINALIZED replica, and the bytes that it must not lose."""


def crashed(disk: SimulatedDisk, operation: Operation, crash_at: int, seed: int) -> bool:
    """Run the operation in a life that ends at an effect; False if it came to its end before."""
    dataset = start(disk, crash_at=crash_at, seed=seed)
    replica = dataset.replicas[7]
    if replica.state is RWR:  # the life before has not ended: the replica is as it was then
        replica.state, replica.bytes_acked = RBW, replica.num_bytes
    try:
        operation(dataset)
    except ProcessCrashedError:
        return True
    return False


@pytest.mark.parametrize("lose_power", [False, True])
@pytest.mark.parametrize(("operation", "finalized", "kept"), OPERATIONS)
@pytest.mark.parametrize("seed", range(4))
def test_a_crash_at_any_effect_loses_no_synced_byte_and_leaves_a_replica(
    operation: Operation, finalized: bool, kept: int, lose_power: bool, seed: int
) -> None:
    """What the restart finds is one replica as before the operation or after it, with checksums that match."""
    for crash_at in range(1, 100):
        disk = SimulatedDisk()
        written(disk, 700, finalized=finalized, sync=True)
        was_crashed = crashed(disk, operation, crash_at, seed)
        if lose_power:
            disk.lose_power(random.Random(f"{seed} {crash_at}"))
        loaded = start(disk)
        replica = loaded.replicas[7]
        data = content(loaded, replica)
        assert data == DATA[: len(data)]
        assert len(data) >= kept
        assert replica.generation_stamp in (1001, 1002)
        assert replica.state in (F, RWR)
        if finalized and operation is not append:
            assert replica.state is F
        if not was_crashed:  # and then it is on the disk for good
            assert replica.generation_stamp == (1001 if operation in UNSTAMPED else 1002)
            assert (replica.state is F) == (operation in FINALIZING)
            copies = [other.num_bytes for other in loaded.replicas.values() if other.block_id == 8]
            assert copies == [600] * (operation is truncate_by_copy)
        for other in loaded.replicas.values():
            content(loaded, other)
        files = dict(disk.files)
        again = start(disk)
        assert (again.replicas, disk.files) == (loaded.replicas, files)
        if not was_crashed:
            assert crash_at > 1
            return
    pytest.fail(f"{operation} has no end")


FINALIZING = (recover_close, recover_block, truncate_by_copy, finalize, create_other)
UNSTAMPED = (truncate_by_copy, write_in_chunk, finalize, create_other)


@pytest.mark.parametrize("seed", range(10))
def test_what_was_synced_survives_writes_and_power_cuts_at_any_effect(seed: int) -> None:
    """hsync and plain writes in turn, in pieces of any size: bytes behind the last hsync are there afterwards."""
    chance = random.Random(seed)
    disk = SimulatedDisk()
    written(disk, 1, sync=True)
    synced, end = 1, 1
    dataset = start(disk, crash_at=chance.randrange(1, 60), seed=seed)
    dataset.replicas[7].state = RBW
    try:
        while end < len(DATA):
            room = min(len(DATA), end + 512 - end % 512) - end
            step = chance.randint(1, room)
            write(dataset, end, end + step)
            end += step
            if chance.random() < 0.3:
                dataset.hsync(dataset.replicas[7])
                synced = end
    except ProcessCrashedError:
        pass
    disk.lose_power(chance)
    loaded = start(disk)
    data = content(loaded, loaded.replicas[7])
    assert data == DATA[: len(data)]
    assert len(data) >= synced


@pytest.mark.parametrize("seed", range(8))
def test_a_crash_while_loading_changes_nothing_that_counts(seed: int) -> None:
    for crash_at in range(1, 30):
        disk = SimulatedDisk()
        written(disk, 700, sync=True)
        crashed(disk, recover_rbw, random.Random(seed).randrange(1, 12), seed)
        life = DiskOfLife(disk, Life("datanode1"), random.Random(seed), crash_at)
        try:
            FsDataset(life, POOL, DataNodeConfiguration())
        except ProcessCrashedError:
            loaded = start(disk)
            data = content(loaded, loaded.replicas[7])
            assert (data, len(data) >= 600) == (DATA[: len(data)], True)
        else:
            return
    pytest.fail("loading has no end")


@pytest.mark.parametrize("operation", [recover_block, truncate_by_copy])
@pytest.mark.parametrize("seed", range(4))
def test_what_a_recovery_has_installed_survives_a_power_cut(operation: Operation, seed: int) -> None:
    """The namenode counts on it: nobody asks for these bytes to be synced, and they are all the same."""
    disk = SimulatedDisk()
    dataset = written(disk, 700)
    operation(dataset)
    disk.lose_power(random.Random(seed))
    loaded = start(disk)
    recovered = loaded.replicas[8 if operation is truncate_by_copy else 7]
    assert (recovered.state, recovered.generation_stamp, content(loaded, recovered)) == (F, 1002, DATA[:600])


def create_again(dataset: FsDataset) -> None:
    dataset.replicas[7].bytes_acked = 0
    dataset.create_rbw(BLOCK, NoWriter(), new_stamp=1002)


def transfer(dataset: FsDataset) -> None:
    block = Block(7, 1002, 0)
    dataset.create_temporary(block, NoWriter(), is_transfer=True)
    dataset.convert_temporary_to_rbw(block)


@pytest.mark.parametrize("operation", [recover_rbw, recover_close, create_again, transfer])
@pytest.mark.parametrize("seed", range(6))
def test_a_new_stamp_survives_a_power_cut_also_if_no_byte_was_synced(operation: Operation, seed: int) -> None:
    """With its old one the replica would refuse every recovery, and the file would stay open."""
    disk = SimulatedDisk()
    operation(written(disk, 700))
    disk.lose_power(random.Random(seed))
    assert start(disk).replicas[7].generation_stamp == 1002


@pytest.mark.parametrize("seed", range(6))
def test_a_new_replica_is_remembered_over_a_power_cut(seed: int) -> None:
    """Found by a run: without any location the namenode could neither recover the block nor drop it."""
    disk = SimulatedDisk()
    start(disk).create_rbw(BLOCK, NoWriter())
    disk.lose_power(random.Random(seed))
    replica = start(disk).replicas[7]
    assert (replica.state, replica.generation_stamp, replica.num_bytes) == (RWR, 1001, 0)


@pytest.mark.parametrize("joins", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_copy_is_on_the_disk_before_it_counts(joins: bool, seed: int) -> None:
    """Found by a run: shorter than what hsync had promised elsewhere, it decided about the length of the block."""
    disk = SimulatedDisk()
    dataset = start(disk)
    dataset.create_temporary(BLOCK, NoWriter(), is_transfer=joins)
    write(dataset, 0, 700)
    if joins:
        dataset.convert_temporary_to_rbw(Block(7, 1001, 700))
    else:
        dataset.finalize_block(BLOCK)
    disk.lose_power(random.Random(seed))
    loaded = start(disk)
    assert loaded.replicas[7].state is (RWR if joins else F)
    assert content(loaded, loaded.replicas[7]) == DATA[:700]


@pytest.mark.parametrize("seed", range(6))
def test_an_hsync_after_a_rename_reaches_the_new_name(seed: int) -> None:
    """Also where the rename did not wait for the disk."""
    disk = SimulatedDisk()
    written(disk, 700, sync=True)
    dataset = start(disk, Semantics.HADOOP_3_4)
    dataset.replicas[7].state = RBW
    dataset.hsync(dataset.replicas[7])
    recover_rbw(dataset)
    dataset.hsync(dataset.replicas[7])
    disk.lose_power(random.Random(seed))
    assert start(disk).replicas[7].generation_stamp == 1002
