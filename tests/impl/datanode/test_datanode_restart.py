"""What a datanode finds when it starts again: Hadoop's TestDatanodeRestart, TestFsDatasetImpl.

Facts B.8.
"""

import pytest
from tests.impl.datanode.restarts import (
    BLOCK,
    DATA,
    RBW,
    RBW_DIRECTORY,
    RWR,
    F,
    content,
    start,
    write,
    written,
)
from tests.impl.datanode.scripted_namenode import NoWriter

from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics
from genstamp_dfs.simulation.disk import SimulatedDisk

# -- what each state becomes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("semantics", Semantics)
def test_finalized_replicas_survive(semantics: Semantics) -> None:
    disk = SimulatedDisk()
    written(disk, 1500, finalized=True)
    replica = start(disk, semantics).replicas[7]
    assert (replica.state, replica.generation_stamp, replica.num_bytes) == (F, 1001, 1500)


@pytest.mark.parametrize("semantics", Semantics)
def test_an_rbw_replica_becomes_rwr_with_all_its_bytes(semantics: Semantics) -> None:
    disk = SimulatedDisk()
    written(disk, 515)
    dataset = start(disk, semantics)
    replica = dataset.replicas[7]
    assert (replica.state, replica.writer, replica.visible_length()) == (RWR, None, -1)
    assert content(dataset, replica) == DATA[:515]


@pytest.mark.parametrize("semantics", Semantics)
def test_an_rbw_replica_that_lost_a_byte_is_cut_to_whole_chunks(semantics: Semantics) -> None:
    disk = SimulatedDisk()
    before = written(disk, 515)
    before.files.disk.truncate(f"{RBW_DIRECTORY}/blk_7", 514)
    dataset = start(disk, semantics)
    assert content(dataset, dataset.replicas[7]) == DATA[:512]


@pytest.mark.parametrize(("semantics", "length"), [(Semantics.HADOOP_3_4, 512), (Semantics.REPAIRED, 600)])
def test_a_last_chunk_with_more_bytes_than_its_checksum_covers_keeps_those_where_repaired(
    semantics: Semantics, length: int
) -> None:
    disk = SimulatedDisk()
    before = written(disk, 600)
    before.files.disk.write(f"{RBW_DIRECTORY}/blk_7", 600, DATA[600:700])
    dataset = start(disk, semantics)
    assert content(dataset, dataset.replicas[7]) == DATA[:length]


@pytest.mark.parametrize(("semantics", "length"), [(Semantics.HADOOP_3_4, 1500), (Semantics.REPAIRED, 512)])
def test_only_the_repaired_datanode_looks_at_more_than_the_last_chunk(semantics: Semantics, length: int) -> None:
    disk = SimulatedDisk()
    before = written(disk, 1500)
    before.files.disk.write(f"{RBW_DIRECTORY}/blk_7", 512, bytes(512))
    assert start(disk, semantics).replicas[7].num_bytes == length


def test_missing_checksums_leave_what_they_cover() -> None:
    """TestLeaseRecovery#testBlockRecoveryWithLessMetafile."""
    disk = SimulatedDisk()
    before = written(disk, 1500)
    before.files.disk.truncate(f"{RBW_DIRECTORY}/blk_7_1001.meta", 7 + 2 * 4)
    dataset = start(disk)
    assert content(dataset, dataset.replicas[7]) == DATA[:1024]


def test_a_meta_file_that_is_none_leaves_nothing() -> None:
    disk = SimulatedDisk()
    before = written(disk, 1500)
    before.files.disk.write(f"{RBW_DIRECTORY}/blk_7_1001.meta", 0, b"\x00\x02")
    assert start(disk).replicas[7].num_bytes == 0


@pytest.mark.parametrize(("finalized", "state"), [(True, F), (False, RWR)])
def test_a_recovery_is_forgotten(finalized: bool, state: ReplicaState) -> None:
    disk = SimulatedDisk()
    written(disk, 700, finalized=finalized).init_replica_recovery(BLOCK, 1002)
    replica = start(disk).replicas[7]
    assert (replica.state, replica.recovery_id, replica.num_bytes) == (state, None, 700)


def test_a_temporary_replica_is_deleted() -> None:
    disk = SimulatedDisk()
    start(disk).create_temporary(BLOCK, NoWriter(), is_transfer=False)
    assert start(disk).replicas == {}
    assert disk.files == {}


# -- planned restarts (B12) -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("semantics", "acked"), [(Semantics.HADOOP_3_4, 700), (Semantics.REPAIRED, 600)])
def test_after_a_planned_restart_in_time_the_replica_is_written_still(semantics: Semantics, acked: int) -> None:
    """Hadoop takes all that it has for acknowledged: the hole against S2."""
    disk = SimulatedDisk()
    written(disk, 700)
    before = start(disk, semantics)
    replica = before.replicas[7]
    replica.state, replica.bytes_acked = RBW, 600
    before.prepare_restart(now_ms=1_000)
    dataset = start(disk, semantics, now_ms=50_999)
    assert (dataset.replicas[7].state, dataset.replicas[7].bytes_acked) == (RBW, acked)
    assert content(dataset, dataset.replicas[7]) == DATA[:700]
    assert start(disk, semantics, now_ms=50_999).replicas[7].state is RWR


def test_a_planned_restart_that_takes_too_long_is_one_like_any_other() -> None:
    disk = SimulatedDisk()
    written(disk, 700).prepare_restart(now_ms=1_000)
    assert start(disk, now_ms=51_000).replicas[7].state is RWR
    assert disk.files.keys() == {f"{RBW_DIRECTORY}/blk_7", f"{RBW_DIRECTORY}/blk_7_1001.meta"}


# -- duplicates, leftovers (TestFsDatasetImpl#testDuplicateReplicaResolution) -----------------------------------------


@pytest.mark.parametrize(
    ("finalized_stamp", "finalized_length", "rbw_stamp", "rbw_length", "winner"),
    [(1001, 700, 1002, 10, RWR), (1003, 10, 1002, 700, F), (1001, 700, 1001, 600, F), (1001, 600, 1001, 700, RWR)],
)
def test_of_two_replicas_the_higher_stamp_then_the_longer_one_stays(
    finalized_stamp: int, finalized_length: int, rbw_stamp: int, rbw_length: int, winner: ReplicaState
) -> None:
    disk = SimulatedDisk()
    dataset = start(disk)
    for stamp, length, finalize in ((finalized_stamp, finalized_length, True), (rbw_stamp, rbw_length, False)):
        dataset.replicas.clear()
        dataset.create_rbw(Block(7, stamp, 0), NoWriter())
        write(dataset, 0, length)
        if finalize:
            dataset.finalize_block(Block(7, stamp, 0))
    loaded = start(disk)
    replica = loaded.replicas[7]
    stamp, length = (finalized_stamp, finalized_length) if winner is F else (rbw_stamp, rbw_length)
    assert (replica.state, replica.generation_stamp, content(loaded, replica)) == (winner, stamp, DATA[:length])
    assert len(disk.files) == 2


def test_a_meta_file_without_bytes_goes_and_bytes_without_meta_file_have_no_stamp() -> None:
    disk = SimulatedDisk()
    before = written(disk, 700, finalized=True)
    meta = before.files.meta_path(before.replicas[7])
    before.files.disk.create(f"{RBW_DIRECTORY}/blk_8_1001.meta")
    before.files.disk.remove(meta)
    loaded = start(disk)
    assert (list(loaded.replicas), loaded.replicas[7].generation_stamp) == ([7], 0)
    assert len(disk.files) == 1
