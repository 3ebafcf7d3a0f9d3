"""The two tables of lease recovery, and the monitor (facts F.1 to F.4, D.3, D.4; TestNNLeaseRecovery)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    AlreadyBeingCreatedException,
    FileNotFoundException,
    HdfsIOException,
    IllegalStateException,
    LeaseExpiredException,
)
from genstamp_dfs.hdfs.messages.client_protocol import (
    Delete,
    IsFileClosed,
    Mkdirs,
    RenewLease,
    SafeModeAction,
    SetSafeMode,
)
from genstamp_dfs.hdfs.namenode import lease_recovery
from genstamp_dfs.hdfs.namenode.completion import add_block_collection
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, Semantics

HARD_MS = 1_200_000
GATE_MS = 90_000
UC, UR, COMMITTED, COMPLETE = BlockUCState


def with_states(bench: Any, *states: BlockUCState, replicas: str = "") -> None:
    """/f, open, with a block in each of the states; of the COMMITTED ones so many replicas are known."""
    bench.create()
    for number, state in enumerate(states):
        block = add_block_collection(bench.blocks, bench.inode(), Block(100 + number, 1000, 3), ("a", "b"))
        if state is COMPLETE:
            block.convert_to_complete()
            block.stored["a"] = 1000
        else:
            block.state = state
            block.stored = dict.fromkeys(replicas, 1000) if state is COMMITTED else {}


# -- F.1, recoverLease ----------------------------------------------------------------------------------------------


def test_recover_lease_of_what_is_no_file_is_refused(bench: Any) -> None:
    with bench.refused(FileNotFoundException):
        bench.recover_lease()
    bench.ask(Mkdirs("/f"))
    with bench.refused(FileNotFoundException, "not a file"):
        bench.recover_lease()


def test_recover_lease_of_a_closed_file_is_true(bench: Any) -> None:
    bench.write_closed()
    assert bench.recover_lease()
    assert bench.ask(IsFileClosed("/f"))


def test_recover_lease_of_a_file_without_lease_is_refused(bench: Any) -> None:
    """The state that HDFS-11817 left behind."""
    bench.create()
    bench.namesystem.lease_manager.remove_file(bench.inode().file_id)
    with bench.refused(AlreadyBeingCreatedException, "no leases found"):
        bench.recover_lease()


def test_recover_lease_works_against_a_fresh_lease_and_moves_the_file(bench: Any) -> None:
    """TestLeaseRecovery2#testImmediateRecoveryOfLease: the writer's other file is not concerned."""
    bench.write()
    bench.create("/g")
    bench.pass_ms(5)
    assert not bench.recover_lease()
    assert bench.events_named("recover_lease")[-1].recovery_id == 1002
    assert bench.inode().client_name == "client2"
    assert bench.holders() == {"client1": ["/g"], "client2": ["/f"]}


def test_recover_lease_by_the_holder_itself_is_allowed(bench: Any) -> None:
    """HDFS-1554."""
    bench.write()
    assert not bench.recover_lease(client="client1")
    assert bench.holders() == {"client1": ["/f"]}


def test_recover_lease_within_the_gate_moves_the_file_but_starts_no_recovery(bench: Any) -> None:
    """HDFS-11576."""
    bench.write()
    bench.recover_lease()
    bench.pass_ms(GATE_MS)
    bench.recover_lease(client="client3")
    assert (bench.last().block_recovery_id, bench.inode().client_name) == (1002, "client3")
    bench.pass_ms(1)
    bench.recover_lease(client="client3")
    assert bench.last().block_recovery_id == 1003


def test_renewing_keeps_a_lease_fresh_and_unknown_holders_are_accepted(bench: Any) -> None:
    bench.write()
    bench.pass_ms(60_000)
    bench.ask(RenewLease("client1"))
    bench.ask(RenewLease("nobody"))
    bench.pass_ms(60_000)
    with bench.refused(AlreadyBeingCreatedException, "currently owned"):
        bench.create(client="client2")


# -- F.3, internalReleaseLease --------------------------------------------------------------------------------------


@pytest.mark.parametrize("states", [(), (COMPLETE,), (COMPLETE, COMPLETE)])
def test_row_1_all_blocks_complete_closes(bench: Any, states: tuple[BlockUCState, ...]) -> None:
    with_states(bench, *states)
    assert bench.recover_lease()
    assert (bench.inode().is_under_construction, bench.holders()) == (False, {})


@pytest.mark.parametrize("states", [(COMMITTED, COMPLETE, UC), (UC, COMMITTED), (UR, UC)])
def test_rows_2_and_3_more_than_the_last_two_incomplete_is_refused(
    bench: Any, states: tuple[BlockUCState, ...]
) -> None:
    """TestNNLeaseRecovery#testInternalReleaseLease_UNKNOWN_COMM."""
    with_states(bench, *states)
    with bench.refused(HdfsIOException, "but file is already closed"):
        bench.recover_lease()


@pytest.mark.parametrize("states", [(COMMITTED,), (COMPLETE, COMMITTED)])
def test_row_4_a_committed_last_block_with_replicas_must_be_complete(
    bench: Any, states: tuple[BlockUCState, ...]
) -> None:
    """In practice its replicas have completed it."""
    with_states(bench, *states, replicas="a")
    with bench.refused(IllegalStateException, "COMMITTED"):
        bench.recover_lease()


def test_row_5_a_penultimate_block_without_replicas_is_waited_for(bench: Any) -> None:
    """TestNNLeaseRecovery#testInternalReleaseLease_COMM_COMM."""
    with_states(bench, COMMITTED, COMMITTED)
    with bench.refused(AlreadyBeingCreatedException, "waiting to be minimally replicated"):
        bench.recover_lease()


@pytest.mark.parametrize("states", [(COMMITTED,), (COMPLETE, COMMITTED)])
def test_row_6_a_committed_last_block_without_replicas_is_recovered(
    bench: Any, states: tuple[BlockUCState, ...]
) -> None:
    """HDFS-14498, HDFS-15725."""
    with_states(bench, *states)
    assert not bench.recover_lease()
    assert bench.last().state is UR


def test_rows_7_and_9_locations_are_taken_from_the_block_map(bench: Any) -> None:
    with_states(bench, UC)
    bench.last().set_expected_locations(())
    bench.last().stored["c"] = 1000
    assert not bench.recover_lease()
    assert (bench.last().expected_locations(), bench.last().primary) == (("c",), "c")


def test_row_8_an_empty_last_block_without_location_is_dropped(bench: Any) -> None:
    """TestFileCreation#testFileCreationError2."""
    with_states(bench, COMPLETE, UC)
    bench.last().num_bytes = 0
    bench.last().set_expected_locations(())
    assert bench.recover_lease()
    assert ([block.block_id for block in bench.inode().blocks], 101 in bench.blocks.blocks) == ([100], False)


def test_a_block_without_location_but_with_bytes_stays(bench: Any) -> None:
    """HDFS-4516: what hflush has recorded is not dropped."""
    with_states(bench, UC)
    bench.last().set_expected_locations(())
    assert not bench.recover_lease()
    assert (bench.last().state, bench.last().primary) == (UR, None)


@pytest.mark.parametrize("semantics", Semantics)
def test_row_8_with_a_penultimate_block_that_is_not_complete(new_bench: Any, semantics: Semantics) -> None:
    """The file cannot be closed; 3.4.1 has dropped the block when it finds out."""
    bench = new_bench(semantics=semantics)
    with_states(bench, COMMITTED, UC)
    bench.last().num_bytes = 0
    bench.last().set_expected_locations(())
    with pytest.raises(IllegalStateException):
        bench.recover_lease()
    assert len(bench.inode().blocks) == (2 if semantics is Semantics.REPAIRED else 1)


@pytest.mark.parametrize("states", [(UC,), (UR,), (COMPLETE, UC), (COMMITTED, UC), (COMMITTED, UR)])
def test_row_9_a_recovery_starts(bench: Any, states: tuple[BlockUCState, ...]) -> None:
    """TestNNLeaseRecovery#testInternalReleaseLease_COMM_CONSTRUCTION."""
    with_states(bench, *states)
    assert not bench.recover_lease()
    assert (bench.last().state, bench.last().block_recovery_id) == (UR, 1001)


def test_a_committed_block_before_a_complete_one_is_waited_for(bench: Any) -> None:
    """HDFS-5558: the assertion only; nothing happens."""
    with_states(bench, COMMITTED, COMPLETE)
    before = bench.state()
    assert not bench.recover_lease()
    assert bench.state() == before


# -- the monitor ----------------------------------------------------------------------------------------------------


def test_the_monitor_takes_each_file_of_an_expired_lease_and_no_other(bench: Any) -> None:
    bench.write()
    bench.create("/g")
    bench.pass_ms(HARD_MS)
    bench.create("/h", "client2")
    assert bench.events_named("release_expired_lease") == []
    bench.pass_ms(2_000)
    first, second = bench.events_named("release_expired_lease")
    assert first.arguments.items() >= {"holder": "client1", "file": "/f", "inode": str(bench.inode().file_id)}.items()
    assert (first.recovery_id, first.observed) == (1002, {"closed": "false"})
    assert (second.arguments["file"], second.recovery_id, second.observed) == ("/g", None, {"closed": "true"})
    assert bench.inode().client_name.startswith("HDFS_NameNode-")
    assert sorted(bench.holders()) == sorted([bench.inode().client_name, "client2"])


def test_the_monitor_tries_again_when_its_own_lease_expires(bench: Any) -> None:
    """HDFS-11945: under a new name."""
    bench.write()
    bench.pass_ms(HARD_MS + 1)
    first = bench.inode().client_name
    bench.pass_ms(HARD_MS)
    assert bench.last().block_recovery_id == 1002
    bench.pass_ms(2_000)
    assert bench.last().block_recovery_id == 1003
    assert bench.inode().client_name != first


def test_a_lease_that_cannot_be_released_is_kept_and_tried_again(bench: Any) -> None:
    """HDFS-11817; TestLeaseRecovery#testLeaseManagerRecoversCommittedLastBlockWithContent."""
    with_states(bench, COMMITTED, COMMITTED)
    bench.pass_ms(HARD_MS + 1)
    assert bench.events_named("release_expired_lease")[-1].refused_with == "AlreadyBeingCreatedException"
    assert bench.holders() == {"client1": ["/f"]}
    for number in (100, 101):
        bench.received(Block(number, 1000, 3), "a")
    bench.pass_ms(2_000)
    assert bench.holders() == {}


def test_the_lease_of_a_file_that_is_gone_is_dropped(bench: Any) -> None:
    """HDFS-12369."""
    file_id = bench.create().file_id
    bench.ask(Delete("/f"))
    assert bench.holders() == {}
    bench.namesystem.lease_manager.add_lease("client1", file_id, bench.clock.us)
    bench.pass_ms(HARD_MS + 1)
    assert bench.namesystem.lease_manager.leases == {}


def test_the_monitor_stops_after_25_ms(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """HDFS-10220; each look at a file takes 10 ms here."""
    for number in range(5):
        bench.create(f"/{number}")
    bench.clock.us += (HARD_MS + 1) * 1_000
    release = lease_recovery._release_expired

    def release_slowly(*arguments: Any) -> Any:
        bench.clock.us += 10_000
        return release(*arguments)

    monkeypatch.setattr(lease_recovery, "_release_expired", release_slowly)
    bench.namenode.tick()
    assert len(bench.events_named("release_expired_lease")) == 3
    bench.pass_ms(2_000)
    assert bench.holders() == {}


def test_the_monitor_rests_in_safe_mode(bench: Any) -> None:
    """HDFS-966."""
    bench.create()
    bench.ask(SetSafeMode(SafeModeAction.ENTER))
    bench.pass_ms(2 * HARD_MS)
    assert bench.events_named("release_expired_lease") == []
    bench.ask(SetSafeMode(SafeModeAction.LEAVE))
    bench.pass_ms(2_000)
    assert bench.holders() == {}


def test_after_a_restart_the_namenode_holds_what_it_had_taken(bench: Any) -> None:
    """TestLeaseRecovery2#testHardLeaseRecoveryAfterNameNodeRestart (HDFS-1149): the old client cannot complete."""
    block = bench.write()
    bench.pass_ms(HARD_MS + 1)
    bench.start()
    bench.leave_safe_mode()
    assert bench.inode().client_name.startswith("HDFS_NameNode-")
    with bench.refused(LeaseExpiredException, "not the lease owner"):
        bench.complete(last=block)


@pytest.mark.parametrize("semantics", Semantics)
def test_a_recovery_of_which_only_a_stale_replica_is_known_asks_it_in_hadoop_only(
    new_bench: Any, semantics: Semantics
) -> None:
    """The hole stale-replica-joins-a-recovery, after a restart: the datanodes with the block are not back yet."""
    bench = new_bench("abcd", semantics=semantics)
    block = bench.write(datanodes="")
    bench.last().generation_stamp = 1005
    bench.last().set_expected_locations(())
    bench.report("d", (block, ReplicaState.RWR))
    assert not bench.recover_lease()
    asked = semantics is Semantics.HADOOP_3_4
    assert (bench.last().expected_locations(), bench.last().primary) == ((("d",), "d") if asked else ((), None))
