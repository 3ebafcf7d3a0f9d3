"""What block recovery does to one replica: Hadoop's TestInterDatanodeProtocol. Facts B.4."""

import pytest
from tests.impl.datanode.one_replica import Datanode, SomeWriter, empty

from genstamp_dfs.errors import (
    HdfsIOException,
    IllegalArgumentException,
    RecoveryInProgressException,
    ReplicaNotFoundException,
)
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState, Semantics

BLOCK = Block(1, 1001, 0)
F, RBW, RWR, RUR, TEMPORARY = ReplicaState


def datanode(state: ReplicaState, semantics: Semantics = Semantics.REPAIRED) -> Datanode:
    """A datanode with one replica of three bytes; RUR over an RBW, under recovery 1002."""
    process = empty(semantics)
    if state is TEMPORARY:
        process.dataset.create_temporary(BLOCK, SomeWriter(), is_transfer=False)
    else:
        process.dataset.create_rbw(BLOCK, SomeWriter())
    replica = process.dataset.replicas[BLOCK.block_id]
    process.dataset.write(replica, 0, b"abc", checksums_of(b"abc"))
    if state is F:
        process.dataset.finalize_block(BLOCK)
    if state is RUR:
        process.dataset.init_replica_recovery(BLOCK, 1002)
    if state is RWR:
        replica.state, replica.writer = RWR, None
    return process


def dataset(state: ReplicaState, semantics: Semantics = Semantics.REPAIRED) -> FsDataset:
    return datanode(state, semantics).dataset


# -- initReplicaRecovery --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [F, RBW, RWR])
def test_init_wraps_the_replica_and_describes_the_original(state: ReplicaState) -> None:
    process = datanode(state)
    assert process.dataset.init_replica_recovery(BLOCK, 1002) == ReplicaRecoveryInfo(1, 3, 1001, state)
    replica = process.dataset.replicas[1]
    assert (replica.state, replica.original_state, replica.recovery_id, replica.writer) == (RUR, state, 1002, None)


def test_init_without_replica_answers_with_nothing() -> None:
    assert empty().dataset.init_replica_recovery(BLOCK, 1002) is None


def test_init_under_a_higher_id_takes_the_replica_over_and_never_nests() -> None:
    replicas = dataset(RUR)
    assert replicas.init_replica_recovery(BLOCK, 1003) == ReplicaRecoveryInfo(1, 3, 1001, RBW)
    assert (replicas.replicas[1].recovery_id, replicas.replicas[1].original_state) == (1003, RBW)


def test_init_under_the_same_or_a_lower_id_is_refused() -> None:
    replicas = dataset(RUR)
    replicas.init_replica_recovery(BLOCK, 1004)
    for recovery_id in (1003, 1004):
        with pytest.raises(RecoveryInProgressException):
            replicas.init_replica_recovery(BLOCK, recovery_id)
    assert replicas.replicas[1].recovery_id == 1004


def test_init_of_a_replica_older_than_the_block_is_refused() -> None:
    replicas = dataset(F)
    with pytest.raises(HdfsIOException, match="below the block's 1002"):
        replicas.init_replica_recovery(Block(1, 1002, 0), 1003)
    assert replicas.replicas[1].state is F


@pytest.mark.parametrize("recovery_id", [1000, 1001])
def test_init_under_an_id_not_above_the_replicas_stamp_is_refused(recovery_id: int) -> None:
    replicas = dataset(F)
    with pytest.raises(HdfsIOException, match="THIS IS NOT SUPPOSED TO HAPPEN"):
        replicas.init_replica_recovery(Block(1, 1000, 0), recovery_id)
    assert replicas.replicas[1].state is F


def test_init_checks_the_stamp_before_the_recovery_id() -> None:
    with pytest.raises(HdfsIOException, match="recovery id 1001"):
        dataset(RUR).init_replica_recovery(BLOCK, 1001)


def test_init_of_a_temporary_replica_is_refused_but_stops_its_writer() -> None:
    replicas = dataset(TEMPORARY)
    with pytest.raises(IllegalArgumentException):
        replicas.init_replica_recovery(BLOCK, 1002)
    assert (replicas.replicas[1].state, replicas.replicas[1].writer) == (TEMPORARY, None)


def test_init_of_an_rbw_whose_file_is_not_as_it_should_be_is_refused() -> None:
    replicas = dataset(RBW)
    replicas.files.disk.truncate(replicas.files.block_path(replicas.replicas[1]), 1)
    with pytest.raises(HdfsIOException, match="not as long as its 3 bytes"):
        replicas.init_replica_recovery(BLOCK, 1002)
    assert replicas.replicas[1].state is RBW


# -- updateReplicaUnderRecovery -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "data"), [(3, b"abc"), (2, b"ab"), (0, b"")])
@pytest.mark.parametrize("semantics", Semantics)
def test_update_cuts_restamps_and_finalizes(length: int, data: bytes, semantics: Semantics) -> None:
    process = datanode(RUR, semantics)
    replica = process.dataset.update_replica_under_recovery(Block(1, 1001, 3), 1002, length)
    assert (replica.state, replica.generation_stamp, process.data(1)) == (F, 1002, data)
    assert (replica.recovery_id, replica.original_state) == (None, None)
    assert process.dataset.files.read_checksums(replica, 0, length) == checksums_of(data)


def test_update_without_replica_is_refused() -> None:
    with pytest.raises(ReplicaNotFoundException):
        empty().dataset.update_replica_under_recovery(Block(1, 1001, 3), 1002, 3)


@pytest.mark.parametrize("state", [F, RBW, RWR, TEMPORARY])
def test_update_of_a_replica_not_under_recovery_is_refused(state: ReplicaState) -> None:
    with pytest.raises(HdfsIOException, match="accepted: RUR"):
        dataset(state).update_replica_under_recovery(Block(1, 1001, 3), 1002, 3)


def test_update_of_a_replica_of_another_length_than_it_said_is_refused() -> None:
    with pytest.raises(HdfsIOException, match="it said 4"):
        dataset(RUR).update_replica_under_recovery(Block(1, 1001, 4), 1002, 3)


@pytest.mark.parametrize("recovery_id", [1001, 1003])
def test_update_under_another_id_is_refused(recovery_id: int) -> None:
    with pytest.raises(HdfsIOException, match="under recovery 1002"):
        dataset(RUR).update_replica_under_recovery(Block(1, 1001, 3), recovery_id, 3)


@pytest.mark.parametrize(("semantics", "stamp"), [(Semantics.HADOOP_3_4, 1002), (Semantics.REPAIRED, 1001)])
def test_update_to_a_longer_length_is_refused_with_the_stamp_raised_in_hadoop_only(
    semantics: Semantics, stamp: int
) -> None:
    """The hole against S8 and S14: facts B.4, steps 6 and 7."""
    replicas = dataset(RUR, semantics)
    with pytest.raises(HdfsIOException, match="below the agreed 4"):
        replicas.update_replica_under_recovery(Block(1, 1001, 3), 1002, 4)
    assert (replicas.replicas[1].state, replicas.replicas[1].generation_stamp) == (RUR, stamp)


@pytest.mark.parametrize("semantics", Semantics)
def test_a_truncate_by_copy_leaves_the_old_replica_as_it_was(semantics: Semantics) -> None:
    process = datanode(F, semantics)
    process.dataset.init_replica_recovery(BLOCK, 1002)
    copy = process.dataset.update_replica_under_recovery(Block(1, 1001, 3), 1002, 2, new_block_id=2)
    old = process.dataset.replicas[1]
    assert (old.state, old.generation_stamp, process.data(1)) == (F, 1001, b"abc")
    assert (copy.block_id, copy.state, copy.generation_stamp, process.data(2)) == (2, F, 1002, b"ab")
    assert process.dataset.files.read_checksums(copy, 0, 2) == checksums_of(b"ab")


def test_a_truncate_by_copy_replaces_the_copy_of_an_earlier_attempt() -> None:
    process = datanode(F)
    for recovery_id, length in ((1002, 2), (1003, 1)):
        process.dataset.init_replica_recovery(BLOCK, recovery_id)
        process.dataset.update_replica_under_recovery(Block(1, 1001, 3), recovery_id, length, new_block_id=2)
    assert (process.dataset.replicas[2].generation_stamp, process.data(2)) == (1003, b"a")


@pytest.mark.parametrize("stamp", [1001, 1002])
def test_a_truncate_by_copy_takes_an_unfinished_copy_only_under_its_own_recovery_id(stamp: int) -> None:
    process = datanode(F)
    process.dataset.init_replica_recovery(BLOCK, 1002)
    left = process.dataset.add(Block(2, stamp, 0), TEMPORARY, process.dataset.files.temporary, None)
    process.dataset.write(left, 0, b"xy", checksums_of(b"xy"))
    process.dataset.update_replica_under_recovery(Block(1, 1001, 3), 1002, 2, new_block_id=2)
    assert (process.dataset.replicas[2].generation_stamp, process.data(2)) == (1002, b"xy" if stamp == 1002 else b"ab")


def test_a_truncate_by_copy_is_refused_where_a_younger_recovery_has_begun_its_copy() -> None:
    process = datanode(F)
    process.dataset.init_replica_recovery(BLOCK, 1002)
    process.dataset.add(Block(2, 1003, 0), TEMPORARY, process.dataset.files.temporary, None)
    with pytest.raises(HdfsIOException, match="not older than the recovery 1002"):
        process.dataset.update_replica_under_recovery(Block(1, 1001, 3), 1002, 2, new_block_id=2)
    assert process.dataset.replicas[2].generation_stamp == 1003
