"""What the namenode makes of full and incremental reports (facts I.1, A8, B.9)."""

from typing import Any

import pytest

from genstamp_dfs.errors import DisallowedDatanodeException, HdfsIOException, UnregisteredNodeException
from genstamp_dfs.hdfs.messages.client_protocol import Append, Delete, GetBlockLocations
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    InvalidateBlocks,
    ReceivedStatus,
    RegisterAgain,
    RegisterDatanode,
    VersionRequest,
)
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.redundancy import add_to_invalidates, remove_stored_block
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState

FINALIZED, RBW, RWR = ReplicaState.FINALIZED, ReplicaState.RBW, ReplicaState.RWR


def open_block(bench: Any) -> Block:
    """A block that nobody has written; expected at all datanodes."""
    bench.create()
    block: Block = bench.add_block().block
    return block


def test_reports_never_complete_a_block_that_is_not_committed(bench: Any) -> None:
    """HDFS-800."""
    bench.write(datanodes="abc")
    assert bench.last().state is BlockUCState.UNDER_CONSTRUCTION


@pytest.mark.parametrize(("num_bytes", "stamp"), [(2, 1001), (3, 1000), (3, 1002)])
def test_a_committed_block_does_not_count_a_replica_of_another_length_or_stamp(
    bench: Any, num_bytes: int, stamp: int
) -> None:
    block = bench.write(datanodes="")
    bench.complete(last=block)
    bench.received(Block(block.block_id, stamp, num_bytes), "a")
    assert (bench.last().state, bench.last().stored) == (BlockUCState.COMMITTED, {})


def test_commit_forgets_replicas_of_another_stamp(bench: Any) -> None:
    block = bench.write(datanodes="")
    bench.received(Block(block.block_id, 1002, 3), "a")
    assert not bench.complete(last=block)
    assert bench.last().stored == {}


def test_a_replica_that_is_received_is_expected_there(bench: Any) -> None:
    block = open_block(bench)
    bench.last().set_expected_locations(())
    bench.received(block, "b", ReceivedStatus.RECEIVING)
    assert bench.last().expected_locations() == ("b",)
    assert bench.last().stored == {}


@pytest.mark.parametrize("state", [RBW, RWR])
def test_a_full_report_tells_of_replicas_that_are_not_final(bench: Any, state: ReplicaState) -> None:
    """After a restart of the namenode nobody else does."""
    block = open_block(bench)
    bench.start()
    bench.register("b")
    bench.report("b", (block, state))
    located = bench.ask(GetBlockLocations("/f")).last_block
    assert located.locations == ("b",)


def test_an_old_replica_is_no_location_of_a_block_under_construction(bench: Any) -> None:
    """HDFS-13840; TestRBWBlockInvalidation#testRWRShouldNotAddedOnDNRestart."""
    block = open_block(bench)
    bench.last().generation_stamp = 1005
    bench.last().set_expected_locations(("a",))
    bench.report("b", (block, RWR))
    assert bench.last().expected_locations() == ("a",)


def test_a_full_report_forgets_what_it_does_not_name(bench: Any) -> None:
    block = bench.write_closed()
    bench.report("a")
    assert sorted(bench.last().stored) == ["b", "c"]
    bench.report("a", (block, FINALIZED))
    assert sorted(bench.last().stored) == ["a", "b", "c"]


def test_a_deleted_replica_is_forgotten(bench: Any) -> None:
    block = bench.write_closed()
    bench.received(block, "a", ReceivedStatus.DELETED)
    assert sorted(bench.last().stored) == ["b", "c"]


def test_a_replica_of_an_unknown_block_is_deleted_in_its_generation(bench: Any) -> None:
    stray = Block(7, 900, 3)
    bench.report("a", (stray, FINALIZED))
    assert bench.heartbeat("a") == (InvalidateBlocks((stray,)),)


def test_a_replica_that_is_to_be_deleted_is_not_counted_again(bench: Any) -> None:
    block = bench.write_closed()
    descriptor = bench.namesystem.datanode_manager.datanodes["a"]
    remove_stored_block(bench.blocks, bench.last(), "a")
    add_to_invalidates(bench.blocks, block, "a")
    bench.report("a", (block, FINALIZED))
    assert ("a" in bench.last().stored, list(descriptor.invalidate_blocks)) == (False, [block.block_id])


def test_deletions_leave_in_portions(new_bench: Any) -> None:
    bench = new_bench(invalidate_limit=2)
    bench.report("a", *[(Block(number, 900, 3), FINALIZED) for number in (7, 8, 9)])
    assert [len(bench.heartbeat("a")[0].blocks) for _ in range(2)] == [2, 1]
    assert bench.heartbeat("a") == ()


def test_a_report_of_the_old_generation_while_the_block_is_written_again(bench: Any) -> None:
    """HDFS-5723: FINALIZED with an old stamp is corrupt; TestFileAppend#testMultiAppend2."""
    block = bench.write_closed()
    bench.ask(Append("/f", "client1"))
    bench.last().generation_stamp = 1002
    bench.received(block, "a")
    assert "a" not in bench.last().stored


# -- registration ---------------------------------------------------------------------------------------------------


def test_a_datanode_learns_which_cluster_this_is_and_another_clusters_is_refused(bench: Any) -> None:
    assert bench.ask(VersionRequest()) == bench.namenode.namespace
    with bench.refused(DisallowedDatanodeException, "belongs to BP-other"):
        bench.ask(RegisterDatanode("d", "BP-other"))


def test_two_datanodes_of_one_name_are_told_apart(bench: Any) -> None:
    """The second one is refused while the first is heard of, and nothing has changed; later it may take its place."""
    bench.write_closed()
    pool = bench.namenode.namespace.block_pool_id
    first = RegisterDatanode("a", pool, datanode_uuid="first")
    second = RegisterDatanode("a", pool, datanode_uuid="second")
    bench.ask(first)
    bench.ask(first)
    stored = set(bench.last().stored)
    bench.pass_ms(29_000, silent=True)
    with bench.refused(DisallowedDatanodeException, "another datanode that is called a is there, accepted: a name"):
        bench.ask(second)
    assert set(bench.last().stored) == stored
    bench.pass_ms(1_000, silent=True)
    bench.ask(second)
    with bench.refused(DisallowedDatanodeException):
        bench.ask(first)


def test_who_is_not_registered_has_to_do_that_first(bench: Any) -> None:
    assert bench.heartbeat("d") == (RegisterAgain(),)
    with bench.refused(UnregisteredNodeException):
        bench.report("d")
    with bench.refused(UnregisteredNodeException):
        bench.received(Block(1, 1, 1), "d")


def test_a_silent_datanode_is_stale_after_30_s_and_dead_after_ten_minutes_and_a_half(bench: Any) -> None:
    """BM/DatanodeManager, BM/HeartbeatManager: the check comes every five minutes."""
    block = bench.write_closed()
    manager = bench.namesystem.datanode_manager
    bench.pass_ms(29_999, silent=True)
    assert not manager.is_stale("a", bench.clock.us)
    bench.pass_ms(1, silent=True)
    assert manager.is_stale("a", bench.clock.us)
    bench.pass_ms(600_000, silent=True)
    bench.heartbeat("b")
    assert manager.live_datanodes() == ["a", "b", "c"]
    bench.pass_ms(300_000, silent=True)
    assert manager.live_datanodes() == ["b"]
    assert list(bench.last().stored) == ["b"]
    assert bench.heartbeat("a") == (RegisterAgain(),)
    with bench.refused(HdfsIOException, "dead or unregistered"):
        bench.report("a")
    bench.register("a")
    bench.report("a", (block, FINALIZED))
    assert sorted(bench.last().stored) == ["a", "b"]


def test_in_safe_mode_nobody_is_taken_for_dead(new_bench: Any) -> None:
    bench = new_bench()
    bench.blocks.safe_mode.enter()
    bench.pass_ms(2_000_000, silent=True)
    assert bench.namesystem.datanode_manager.live_datanodes() == ["a", "b", "c"]


def test_a_queued_recovery_waits_for_a_datanode_that_registers_again(bench: Any) -> None:
    """DatanodeManager#registerDatanode."""
    bench.write(datanodes="")
    bench.recover_lease()
    bench.register("c")
    (command,) = bench.heartbeat("c")
    assert [each.recovery_id for each in command.blocks] == [bench.last().block_recovery_id]


def test_the_queued_recovery_of_a_deleted_file_goes_out_as_in_hadoop_unless_that_is_repaired(new_bench: Any) -> None:
    """DatanodeManager#getBlockRecoveryCommand; hole command-belongs-to-its-attempt."""
    for repairs, is_sent in ((frozenset(), True), (frozenset({Repair.COMMAND_BELONGS_TO_ITS_ATTEMPT}), False)):
        bench = new_bench(repairs=repairs)
        bench.write(datanodes="")
        bench.recover_lease()
        block = bench.last()
        bench.ask(Delete("/f"))
        bench.pass_ms(1, silent=True)
        assert bench.blocks.get_stored_block(block.block_id) is None
        commands = bench.heartbeat("c")
        assert bool(commands) == is_sent
        if is_sent:
            assert commands[0].blocks[0].block == block.as_block()
