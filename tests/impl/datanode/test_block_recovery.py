"""Block recovery at the primary.

The numbers 02.8 to 02.13 and FI_05 to FI_08 are those of Hadoop's append test plan, kept by its TestBlockRecovery: two
replicas in given states with equal or different lengths, and answers that fail.
"""

import pytest

from genstamp_dfs.errors import HdfsIOException, RecoveryInProgressException
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.recovery_agreement import Agreement, collect, sync_block
from genstamp_dfs.hdfs.datanode.recovery_task import RecoveryTask
from genstamp_dfs.hdfs.datanode.repairs import ALL_CLOSED, NONE_CLOSED, Repair, closed_by
from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, ReplicaRecoveryInfo, ReplicaState, Semantics

BLOCK = Block(1, 1001, 0)
SHORT, LONG = 3000, 4000
F, RBW, RWR, RUR, TEMPORARY = ReplicaState


def info(state: ReplicaState, length: int, stamp: int = 1001) -> ReplicaRecoveryInfo:
    return ReplicaRecoveryInfo(1, length, stamp, state)


def agree(first: ReplicaRecoveryInfo, second: ReplicaRecoveryInfo) -> Agreement:
    return sync_block(BLOCK, {"a": first, "b": second})


# -- syncBlock ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "length", "participants"),
    [
        pytest.param((F, LONG), (F, LONG), LONG, ("a", "b"), id="02.8"),
        pytest.param((F, LONG), (RBW, LONG), LONG, ("a", "b"), id="02.9, an RBW of equal length"),
        pytest.param((F, LONG), (RBW, SHORT), LONG, ("a",), id="02.9, a shorter RBW"),
        pytest.param((RBW, LONG), (F, SHORT), SHORT, ("b",), id="02.9, a longer RBW"),
        pytest.param((F, LONG), (RWR, LONG), LONG, ("a",), id="02.10, of equal length"),
        pytest.param((F, LONG), (RWR, SHORT), LONG, ("a",), id="02.10, a shorter RWR"),
        pytest.param((RBW, LONG), (RBW, LONG), LONG, ("a", "b"), id="02.11, of equal length"),
        pytest.param((RBW, LONG), (RBW, SHORT), SHORT, ("a", "b"), id="02.11, the shorter length"),
        pytest.param((RBW, LONG), (RWR, LONG), LONG, ("a",), id="02.12, of equal length"),
        pytest.param((RBW, LONG), (RWR, SHORT), LONG, ("a",), id="02.12, HDFS-1218"),
        pytest.param((RWR, LONG), (RWR, LONG), LONG, ("a", "b"), id="02.13, of equal length"),
        pytest.param((RWR, LONG), (RWR, SHORT), SHORT, ("a", "b"), id="02.13, the shorter length"),
    ],
)
def test_two_replicas_agree_on_a_length_and_on_who_takes_part(
    first: tuple[ReplicaState, int], second: tuple[ReplicaState, int], length: int, participants: tuple[str, ...]
) -> None:
    assert agree(info(*first), info(*second)) == Agreement(length, participants)


def test_02_8_two_finalized_replicas_of_different_length_fail_the_recovery() -> None:
    with pytest.raises(HdfsIOException, match="inconsistent size of finalized replicas"):
        agree(info(F, LONG), info(F, SHORT))


def test_no_replica_that_counts_means_deletion() -> None:
    agreement = sync_block(BLOCK, {})
    assert (agreement.delete_block, agreement.new_length, agreement.participants) == (True, 0, ())


def test_stamps_of_replicas_that_count_are_not_compared() -> None:
    assert agree(info(RBW, LONG, stamp=1002), info(RBW, SHORT, stamp=1001)) == Agreement(SHORT, ("a", "b"))


# -- collecting -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [NONE_CLOSED, ALL_CLOSED])
def test_what_counts_of_the_answers_whatever_is_repaired(closed: frozenset[Repair]) -> None:
    """FI_06, FI_07; Hadoop's testRURReplicas (HDFS-9236)."""
    good = info(RBW, 1)
    answers = {"a": None, "b": info(F, 0), "c": info(F, LONG, stamp=1000), "d": good}
    assert collect(BLOCK, answers, 0, closed) == {"d": good}
    assert collect(BLOCK, {"a": info(F, 0), "b": info(RBW, 0)}, 0, closed) == {}
    with pytest.raises(HdfsIOException, match="all datanodes failed"):
        collect(BLOCK, {}, 3, closed)
    with pytest.raises(HdfsIOException, match=r"found 1 replica\(s\) .* but none is in RWR or better state"):
        collect(BLOCK, {"a": info(RUR, LONG), "b": None}, 0, closed)


def test_no_data_beside_a_silent_location_counts_as_none_in_hadoop_alone() -> None:
    """The hole against S18: the silent location may have data."""
    assert collect(BLOCK, {"a": None}, 1, NONE_CLOSED) == {}
    with pytest.raises(HdfsIOException, match="did not answer"):
        collect(BLOCK, {"a": None}, 1, ALL_CLOSED)
    good = info(RBW, 1)
    assert collect(BLOCK, {"a": good}, 2, ALL_CLOSED) == {"a": good}


def test_waiting_replicas_beside_a_silent_location_decide_in_hadoop_alone() -> None:
    """The hole against S5 and S6: the silent location may have more."""
    waiting = info(RWR, 1)
    assert collect(BLOCK, {"a": waiting}, 2, NONE_CLOSED) == {"a": waiting}
    assert collect(BLOCK, {"a": waiting}, 2, frozenset({Repair.UNREACHABLE_IS_NOT_EMPTY})) == {"a": waiting}
    with pytest.raises(HdfsIOException, match="only RWR replicas"):
        collect(BLOCK, {"a": waiting}, 2, ALL_CLOSED)


def test_the_longest_finalized_replicas_decide_where_repaired() -> None:
    answers = {"a": info(F, LONG), "b": info(F, SHORT), "c": info(RBW, LONG), "d": info(RBW, SHORT)}
    assert sync_block(BLOCK, answers, ALL_CLOSED) == Agreement(LONG, ("a", "c"))


def test_a_truncate_takes_every_finalized_replica_that_is_long_enough_where_repaired() -> None:
    answers = {"a": info(F, LONG), "b": info(F, SHORT), "c": info(F, SHORT - 1)}
    assert sync_block(BLOCK, answers, ALL_CLOSED, truncate_to=SHORT) == Agreement(SHORT, ("a", "b"))
    with pytest.raises(HdfsIOException, match="inconsistent size"):
        sync_block(BLOCK, answers, NONE_CLOSED, truncate_to=SHORT)


def test_a_truncate_installs_its_own_length() -> None:
    assert sync_block(BLOCK, {"a": info(F, LONG)}, NONE_CLOSED, truncate_to=7) == Agreement(7, ("a",))


def test_the_holes_of_a_truncate_and_of_finalized_lengths_are_two() -> None:
    answers = {"a": info(F, LONG), "b": info(F, SHORT)}
    only_truncates = frozenset({Repair.HALF_A_CUT_IS_ENOUGH})
    assert sync_block(BLOCK, answers, only_truncates, truncate_to=7) == Agreement(7, ("a", "b"))
    with pytest.raises(HdfsIOException, match="inconsistent size"):
        sync_block(BLOCK, answers, only_truncates)
    only_lengths = frozenset({Repair.FINALIZED_LENGTHS_NEED_NOT_AGREE})
    assert sync_block(BLOCK, answers, only_lengths, truncate_to=7) == Agreement(7, ("a",))


def test_the_semantics_closes_all_holes_or_none_and_a_configuration_any() -> None:
    assert [closed_by(semantics) for semantics in Semantics] == [NONE_CLOSED, ALL_CLOSED]
    chosen = DataNodeConfiguration(repairs=frozenset({Repair.SYNCED_BYTES_SURVIVE}))
    assert [repair for repair in Repair if chosen.closes(repair)] == [Repair.SYNCED_BYTES_SURVIVE]
    assert DataNodeConfiguration(semantics=Semantics.HADOOP_3_4).closed_holes == NONE_CLOSED


# -- one attempt ----------------------------------------------------------------------------------------------------


def task() -> RecoveryTask:
    return RecoveryTask(RecoveringBlock(BLOCK, ("a", "b"), 1002), ALL_CLOSED)


def agreed(first: ReplicaRecoveryInfo, second: ReplicaRecoveryInfo) -> RecoveryTask:
    attempt = task()
    attempt.on_replica_info("a", first)
    attempt.on_replica_info("b", second)
    attempt.agree()
    return attempt


def test_every_location_is_asked_before_anything_else() -> None:
    attempt = task()
    assert attempt.locations_to_ask() == ["a", "b"]
    attempt.on_replica_info("b", info(RBW, 1))
    assert attempt.locations_to_ask() == ["a"]
    assert attempt.reason_to_abandon() is None
    attempt.on_init_failure("a", None)
    assert attempt.locations_to_ask() == []
    assert attempt.agree() == Agreement(1, ("b",))


def test_fi_05_a_younger_recovery_at_a_location_ends_the_attempt_at_once() -> None:
    attempt = task()
    attempt.on_init_failure("a", RecoveryInProgressException("younger"))
    assert attempt.locations_to_ask() == []
    with pytest.raises(RecoveryInProgressException):
        attempt.agree()
    assert "preempted" in str(attempt.reason_to_abandon())


def test_one_failing_location_does_not_end_the_attempt() -> None:
    attempt = task()
    attempt.on_init_failure("a", HdfsIOException("broken"))
    attempt.on_replica_info("b", info(RBW, 1))
    assert attempt.reason_to_abandon() is None


def test_the_commit_waits_for_every_participant() -> None:
    attempt = agreed(info(RBW, LONG), info(RBW, SHORT))
    assert attempt.participants_to_update() == ["a", "b"]
    attempt.on_update("a", succeeded=True)
    assert not attempt.is_ready_to_commit()
    attempt.on_update("b", succeeded=True)
    assert attempt.is_ready_to_commit()


def test_one_failing_update_does_not_stop_the_commit() -> None:
    """HDFS-12070."""
    attempt = agreed(info(RBW, LONG), info(RBW, SHORT))
    attempt.on_update("a", succeeded=False)
    attempt.on_update("b", succeeded=True)
    assert (attempt.is_ready_to_commit(), attempt.updated, attempt.reason_to_abandon()) == (True, {"b"}, None)


def test_fi_08_all_updates_failing_abandon_the_recovery() -> None:
    attempt = agreed(info(RBW, LONG), info(RBW, SHORT))
    attempt.on_update("a", succeeded=False)
    attempt.on_update("b", succeeded=False)
    assert not attempt.is_ready_to_commit()
    assert "no participant could be updated" in str(attempt.reason_to_abandon())


def test_a_deletion_is_ready_to_commit_without_updates() -> None:
    attempt = agreed(info(RBW, 0), info(RBW, 0))
    assert (attempt.is_ready_to_commit(), attempt.participants_to_update()) == (True, [])


def test_a_participant_is_updated_as_it_described_itself() -> None:
    attempt = agreed(info(RBW, LONG), info(RBW, SHORT))
    assert attempt.old_block("a") == Block(1, 1001, LONG)
