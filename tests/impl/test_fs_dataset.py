"""Replicas: which operation fits which state, and nothing changed by a refusal."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from genstamp_dfs.errors import (
    HdfsIOException,
    IllegalArgumentException,
    RecoveryInProgressException,
    ReplicaAlreadyExistsException,
    ReplicaNotFoundException,
)
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState, Semantics

BLOCK = Block(1, 1001, 0)
F, RBW, RWR, RUR, TEMPORARY = ReplicaState


def dataset(state: ReplicaState, data: bytes = b"abc", recovery_id: int = 1002) -> FsDataset:
    """A dataset with one replica of block 1, stamp 1001; RUR stands over an RBW."""
    writer = "client1" if state in (RBW, TEMPORARY) else None
    replica = Replica(1, 1001, state, data, writer)
    if state is RUR:
        replica.original_state = RBW
        replica.recovery_id = recovery_id
    return FsDataset({1: replica})


@contextmanager
def refused(replicas: FsDataset, exception: type[HdfsIOException], match: str | None = None) -> Iterator[None]:
    """The body must raise exactly this exception and leave the replicas as they were."""
    before = copy.deepcopy(replicas)
    with pytest.raises(exception, match=match) as caught:
        yield
    assert type(caught.value) is exception
    assert replicas == before


# -- writing --------------------------------------------------------------------------------------------------------


def test_create_rbw_makes_an_empty_replica_that_accepts_its_writer() -> None:
    replicas = FsDataset()
    replica = replicas.create_rbw(BLOCK, "client1")
    assert (replica.state, replica.generation_stamp, replica.data) == (RBW, 1001, b"")
    assert replicas.accepts_writer(1, "client1")
    assert not replicas.accepts_writer(1, "client2")


@pytest.mark.parametrize("state", ReplicaState)
def test_create_rbw_over_a_replica_in_any_state_is_refused(state: ReplicaState) -> None:
    replicas = dataset(state)
    with refused(replicas, ReplicaAlreadyExistsException):
        replicas.create_rbw(BLOCK, "client1")


@pytest.mark.parametrize("state", [F, RWR, RUR, TEMPORARY])
def test_only_rbw_accepts_a_writer(state: ReplicaState) -> None:
    replicas = dataset(state)
    replicas.replicas[1].writer = "client1"
    assert not replicas.accepts_writer(1, "client1")


def test_finalize_ends_the_writer_and_may_be_repeated() -> None:
    replicas = dataset(RBW)
    for _ in range(2):
        replica = replicas.finalize_block(BLOCK)
        assert (replica.state, replica.writer, replica.data) == (F, None, b"abc")


def test_finalize_of_no_replica_or_another_generation_is_refused() -> None:
    replicas = dataset(RBW)
    with refused(replicas, ReplicaNotFoundException):
        replicas.finalize_block(Block(1, 1002, 0))
    with refused(replicas, ReplicaNotFoundException):
        replicas.finalize_block(Block(2, 1001, 0))


# -- initReplicaRecovery --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", [F, RBW, RWR])
def test_init_wraps_the_replica_and_describes_the_original(state: ReplicaState) -> None:
    replicas = dataset(state)
    info = replicas.init_replica_recovery(BLOCK, 1002)
    assert info == ReplicaRecoveryInfo(1, 3, 1001, state)
    replica = replicas.replicas[1]
    assert (replica.state, replica.original_state, replica.recovery_id, replica.writer) == (RUR, state, 1002, None)
    assert not replicas.accepts_writer(1, "client1")


def test_init_without_replica_answers_with_nothing() -> None:
    assert FsDataset().init_replica_recovery(BLOCK, 1002) is None


def test_init_under_a_higher_id_takes_the_replica_over_and_never_nests() -> None:
    replicas = dataset(RUR, recovery_id=1002)
    assert replicas.init_replica_recovery(BLOCK, 1003) == ReplicaRecoveryInfo(1, 3, 1001, RBW)
    assert (replicas.replicas[1].recovery_id, replicas.replicas[1].original_state) == (1003, RBW)


@pytest.mark.parametrize("recovery_id", [1002, 1003])
def test_init_under_the_same_or_a_lower_id_is_refused(recovery_id: int) -> None:
    replicas = dataset(RUR, recovery_id=1003)
    with refused(replicas, RecoveryInProgressException):
        replicas.init_replica_recovery(BLOCK, recovery_id)


def test_init_of_a_replica_older_than_the_block_is_refused() -> None:
    replicas = dataset(F)
    with refused(replicas, HdfsIOException, "below the block's 1002"):
        replicas.init_replica_recovery(Block(1, 1002, 0), 1003)


@pytest.mark.parametrize("recovery_id", [1000, 1001])
def test_init_under_an_id_not_above_the_replicas_stamp_is_refused(recovery_id: int) -> None:
    replicas = dataset(F)
    with refused(replicas, HdfsIOException, "THIS IS NOT SUPPOSED TO HAPPEN"):
        replicas.init_replica_recovery(Block(1, 1000, 0), recovery_id)


def test_init_checks_the_stamp_before_the_recovery_id() -> None:
    replicas = dataset(RUR, recovery_id=1003)
    with refused(replicas, HdfsIOException, "recovery id 1001"):
        replicas.init_replica_recovery(BLOCK, 1001)


def test_init_of_a_temporary_replica_is_refused_but_stops_its_writer() -> None:
    replicas = dataset(TEMPORARY)
    with pytest.raises(IllegalArgumentException):
        replicas.init_replica_recovery(BLOCK, 1002)
    assert (replicas.replicas[1].state, replicas.replicas[1].writer) == (TEMPORARY, None)


# -- updateReplicaUnderRecovery -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "data"), [(3, b"abc"), (2, b"ab")])
def test_update_cuts_restamps_and_finalizes(length: int, data: bytes) -> None:
    replicas = dataset(RUR)
    replica = replicas.update_replica_under_recovery(Block(1, 1001, 3), 1002, length)
    assert (replica.state, replica.generation_stamp, replica.data) == (F, 1002, data)
    assert (replica.recovery_id, replica.original_state) == (None, None)


def test_update_without_replica_is_refused() -> None:
    replicas = FsDataset()
    with refused(replicas, ReplicaNotFoundException):
        replicas.update_replica_under_recovery(Block(1, 1001, 3), 1002, 3)


@pytest.mark.parametrize("state", [F, RBW, RWR, TEMPORARY])
def test_update_of_a_replica_not_under_recovery_is_refused(state: ReplicaState) -> None:
    replicas = dataset(state)
    with refused(replicas, HdfsIOException, "accepted: RUR"):
        replicas.update_replica_under_recovery(Block(1, 1001, 3), 1002, 3)


def test_update_of_a_replica_of_another_length_than_it_said_is_refused() -> None:
    replicas = dataset(RUR)
    with refused(replicas, HdfsIOException, "it said 4"):
        replicas.update_replica_under_recovery(Block(1, 1001, 4), 1002, 3)


@pytest.mark.parametrize("recovery_id", [1001, 1003])
def test_update_under_another_id_is_refused(recovery_id: int) -> None:
    replicas = dataset(RUR, recovery_id=1002)
    with refused(replicas, HdfsIOException, "under recovery 1002"):
        replicas.update_replica_under_recovery(Block(1, 1001, 3), recovery_id, 3)


def test_update_to_a_longer_length_is_refused_with_the_stamp_already_raised() -> None:
    replicas = dataset(RUR)
    with pytest.raises(HdfsIOException, match="below the agreed 4"):
        replicas.update_replica_under_recovery(Block(1, 1001, 3), 1002, 4)
    assert (replicas.replicas[1].state, replicas.replicas[1].generation_stamp) == (RUR, 1002)


# -- restart, reports, deletion -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "original", "after"),
    [(F, None, F), (RBW, None, RWR), (RWR, None, RWR), (RUR, F, F), (RUR, RBW, RWR), (RUR, RWR, RWR)],
)
def test_restart_forgets_writers_and_recoveries(
    before: ReplicaState, original: ReplicaState | None, after: ReplicaState
) -> None:
    replicas = dataset(before)
    replicas.replicas[1].original_state = original
    replicas.restart(losing_bytes=False)
    assert replicas.replicas[1] == Replica(1, 1001, after, b"abc")


def test_restart_deletes_temporary_replicas() -> None:
    replicas = dataset(TEMPORARY)
    replicas.restart(losing_bytes=False)
    assert replicas.replicas == {}


@pytest.mark.parametrize(("state", "data"), [(RBW, b"ab"), (F, b"abc"), (RWR, b"abc"), (RUR, b"ab")])
def test_restart_losing_bytes_takes_the_last_byte_of_rbw_only(state: ReplicaState, data: bytes) -> None:
    """RUR stands over an RBW here."""
    replicas = dataset(state)
    replicas.restart(losing_bytes=True)
    assert replicas.replicas[1].data == data


def test_restart_losing_bytes_of_an_empty_rbw_leaves_it_empty() -> None:
    replicas = dataset(RBW, data=b"")
    replicas.restart(losing_bytes=True)
    assert replicas.replicas[1] == Replica(1, 1001, RWR, b"")


def test_a_replica_under_recovery_is_reported_as_its_original() -> None:
    assert [reported.state for reported in dataset(RUR).block_report()] == [RBW]


def test_temporary_replicas_are_not_reported() -> None:
    assert dataset(TEMPORARY).block_report() == []


def test_invalidate_deletes_only_the_given_generation() -> None:
    replicas = dataset(F)
    assert replicas.invalidate(1, 1000) is None
    assert replicas.invalidate(2, 1001) is None
    assert replicas.get_replica(1) is not None
    assert replicas.invalidate(1, 1001) is not None
    assert replicas.get_replica(1) is None


# -- the process around them ----------------------------------------------------------------------------------------


def test_a_report_is_owed_for_each_finalized_replica_until_a_recovery_takes_it() -> None:
    datanode = DataNode("a", Semantics.REPAIRED, dataset(RBW))
    assert datanode.report_to_deliver(1) is None
    datanode.finalize_block(BLOCK)
    reported = datanode.report_to_deliver(1)
    assert reported is not None
    assert (reported.state, reported.num_bytes) == (F, 3)
    datanode.dataset.init_replica_recovery(BLOCK, 1002)
    assert datanode.report_to_deliver(1) is None
    datanode.update_replica_under_recovery(Block(1, 1001, 3), 1002, 2)
    reported = datanode.report_to_deliver(1)
    assert reported is not None
    assert (reported.generation_stamp, reported.num_bytes) == (1002, 2)


@pytest.mark.parametrize(("state", "owed"), [(F, {1}), (RBW, set())])
def test_a_crash_loses_the_reports_and_a_restart_owes_those_of_finalized_replicas(
    state: ReplicaState, owed: set[int]
) -> None:
    datanode = DataNode("a", Semantics.REPAIRED, dataset(state))
    datanode.pending_reports = {1}
    datanode.crash()
    assert (datanode.is_up, datanode.pending_reports) == (False, set())
    datanode.restart(losing_bytes=False)
    assert (datanode.is_up, datanode.pending_reports) == (True, owed)


def test_no_report_is_owed_of_a_replica_that_was_deleted() -> None:
    datanode = DataNode("a", Semantics.REPAIRED, dataset(F), pending_reports={1})
    datanode.invalidate(1, 1000)
    assert datanode.pending_reports == {1}
    datanode.invalidate(1, 1001)
    assert (datanode.pending_reports, datanode.dataset.replicas) == (set(), {})
