"""Recovery commands and commitBlockSynchronization() (facts G.1, G.2, G.6; TestCommitBlockSynchronization)."""

from typing import Any

import pytest

from genstamp_dfs.errors import HdfsIOException, IllegalStateException
from genstamp_dfs.hdfs.messages.client_protocol import (
    Append,
    CreateFlag,
    Delete,
    RecoverLease,
    SafeModeAction,
    SetSafeMode,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import RecoverBlocks
from genstamp_dfs.hdfs.namenode.blocks import CorruptReason
from genstamp_dfs.hdfs.namenode.configuration import Repair
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.namenode.tree_changes import remove_blocks
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, Semantics
from genstamp_dfs.world.request import Caller

GATE_MS = 90_000


def recovering(bench: Any, datanodes: str = "") -> Block:
    """/f of client1 under recovery 1002, asked for by client2; the primary is the datanode heard of last, `c`."""
    block: Block = bench.write(datanodes=datanodes)
    bench.recover_lease()
    return block


def stored(bench: Any) -> Block:
    """The block as commands name it: nothing is known of its length."""
    block: Block = bench.last().as_block()
    return block


# -- commands -------------------------------------------------------------------------------------------------------


def test_a_command_leaves_alone_with_one_heartbeat_of_the_primary(bench: Any) -> None:
    recovering(bench)
    bench.namesystem.datanode_manager.datanodes["c"].invalidate_blocks[5] = Block(5, 5, 5)
    assert bench.heartbeat("a") == ()
    (command,) = bench.heartbeat("c")
    (order,) = command.blocks
    assert (order.block, order.recovery_id, order.new_block) == (stored(bench), 1002, None)
    assert sorted(order.locations) == ["a", "b", "c"]
    (later,) = bench.heartbeat("c")
    assert not isinstance(later, RecoverBlocks)


def test_all_queued_recoveries_leave_in_one_command(bench: Any) -> None:
    recovering(bench)
    bench.write("/g", datanodes="")
    bench.recover_lease("/g")
    (command,) = bench.heartbeat("c")
    assert [order.recovery_id for order in command.blocks] == [1002, 1004]


def test_in_safe_mode_a_heartbeat_gets_no_command_and_the_queue_stays(bench: Any) -> None:
    recovering(bench)
    bench.ask(SetSafeMode(SafeModeAction.ENTER))
    assert bench.heartbeat("c") == ()
    bench.ask(SetSafeMode(SafeModeAction.LEAVE))
    assert len(bench.heartbeat("c")) == 1


@pytest.mark.parametrize(("fresh", "named"), [("abc", "abc"), ("ac", "ac"), ("c", "abc")])
def test_stale_locations_are_left_out_if_two_fresh_ones_are_left(new_bench: Any, fresh: str, named: str) -> None:
    """TestHeartbeatHandling#testHeartbeatBlockRecovery, 3.4.1."""
    bench = new_bench(semantics=Semantics.HADOOP_3_4)
    recovering(bench)
    bench.pass_ms(30_000, silent=True)
    for datanode in sorted(fresh.replace("c", "")):
        bench.heartbeat(datanode)
    (command,) = bench.heartbeat("c")
    assert sorted(command.blocks[0].locations) == list(named)


def test_a_repaired_namenode_names_all_that_are_not_dead(bench: Any) -> None:
    """The hole stale-is-not-gone; HDFS-17430."""
    recovering(bench)
    remove_datanode(bench.namesystem, "b")
    bench.pass_ms(30_000, silent=True)
    (command,) = bench.heartbeat("c")
    assert sorted(command.blocks[0].locations) == ["a", "c"]


@pytest.mark.parametrize("semantics", Semantics)
def test_a_command_that_waited_through_a_younger_attempt(new_bench: Any, semantics: Semantics) -> None:
    """The hole command-belongs-to-its-attempt: two primaries share the younger one's id."""
    bench = new_bench(semantics=semantics)
    recovering(bench)
    bench.pass_ms(GATE_MS + 1)
    bench.recover_lease()
    assert bench.last().primary == "b"
    old, new = bench.heartbeat("c"), bench.heartbeat("b")
    assert [order.recovery_id for order in new[0].blocks] == [1003]
    if semantics is Semantics.REPAIRED:
        assert old == ()
    else:
        assert [order.recovery_id for order in old[0].blocks] == [1003]


@pytest.mark.parametrize("semantics", Semantics)
def test_a_queued_command_for_a_completed_block(new_bench: Any, semantics: Semantics) -> None:
    """HDFS-13758: an exception instead of a crash."""
    bench = new_bench(semantics=semantics)
    recovering(bench)
    bench.commit(stored(bench), 1002, 3)
    if semantics is Semantics.REPAIRED:
        assert bench.heartbeat("c") == ()
    else:
        with pytest.raises(HdfsIOException, match="not under construction"):
            bench.heartbeat("c")
        assert bench.heartbeat("c") == ()


@pytest.mark.parametrize("closed", [True, False])
def test_a_recovery_id_that_is_not_on_disk(new_bench: Any, closed: bool) -> None:
    """The hole recovery-id-leaves-unsynced: another process takes the heartbeat before the sync."""
    repairs = frozenset({Repair.RECOVERY_ID_LEAVES_UNSYNCED}) if closed else frozenset()
    bench = new_bench(repairs=repairs)
    bench.write(datanodes="")
    bench.namenode.handle(RecoverLease("/f", "client2"), Caller("client2"))
    assert bench.namenode.needs_sync
    assert bool(bench.heartbeat("c")) is not closed
    bench.namenode.log_sync()
    assert bool(bench.heartbeat("c")) is closed


def test_a_recovery_without_live_location_has_no_primary_and_is_tried_again(bench: Any) -> None:
    bench.write(datanodes="")
    for datanode in "abc":
        remove_datanode(bench.namesystem, datanode)
    assert not bench.recover_lease()
    assert (bench.last().state, bench.last().primary) == (BlockUCState.UNDER_RECOVERY, None)
    bench.register("a")
    bench.pass_ms(GATE_MS + 1)
    bench.recover_lease()
    assert bench.last().primary == "a"


# -- commitBlockSynchronization -------------------------------------------------------------------------------------


def test_commit_installs_stamp_and_length_and_closes_the_file(bench: Any) -> None:
    recovering(bench)
    bench.received(Block(bench.last().block_id, 1001, 9), "b")
    bench.commit(stored(bench), 1002, 3)
    assert (bench.last().as_block(), bench.last().state) == (
        Block(bench.last().block_id, 1002, 3),
        BlockUCState.COMPLETE,
    )
    assert bench.last().stored == {"a": 1002}
    assert (bench.inode().is_under_construction, bench.holders()) == (False, {})
    assert not bench.blocks.pending_recovery_blocks.is_under_recovery(bench.last().block_id)


def test_replicas_left_out_are_corrupt_and_deleted(bench: Any) -> None:
    """HDFS-7930: corrupted during the write, and a good one is there."""
    block = recovering(bench, datanodes="ab")
    bench.commit(stored(bench), 1002, 3, "a")
    assert bench.namesystem.datanode_manager.datanodes["b"].invalidate_blocks[block.block_id].generation_stamp == 1001


def test_replicas_left_out_stay_as_corrupt_if_they_are_all_there_is(bench: Any) -> None:
    recovering(bench, datanodes="b")
    remove_datanode(bench.namesystem, "a")
    bench.commit(stored(bench), 1002, 3, "a")
    assert bench.last().corrupt["b"].reason is CorruptReason.GENSTAMP_MISMATCH
    assert bench.namesystem.datanode_manager.datanodes["b"].invalidate_blocks == {}


def test_a_recovery_makes_a_corrupt_replica_good(bench: Any) -> None:
    block = bench.write(datanodes="")
    bench.report("a", (Block(block.block_id, 1000, 3), ReplicaState.RWR))
    assert "a" in bench.last().corrupt
    bench.recover_lease()
    bench.commit(stored(bench), 1002, 3, "a")
    assert (bench.last().stored, bench.last().corrupt) == ({"a": 1002}, {})


def test_commit_closes_the_file_even_if_all_targets_died_meanwhile(bench: Any) -> None:
    """HDFS-12886; TestBlockRecovery2#testRecoveryWillIgnoreMinReplication."""
    recovering(bench)
    remove_datanode(bench.namesystem, "a")
    bench.commit(stored(bench), 1002, 3, "a")
    assert (bench.last().state, bench.last().stored) == (BlockUCState.COMPLETE, {})
    assert not bench.inode().is_under_construction


def test_targets_that_nobody_knows_are_skipped(bench: Any) -> None:
    """HDFS-5077; TestCommitBlockSynchronization#...WithCloseAndNonExistantTarget."""
    recovering(bench)
    bench.commit(stored(bench), 1002, 3, "ax")
    assert bench.last().stored == {"a": 1002}


def test_commit_of_a_deletion_drops_the_block_and_closes_the_file(bench: Any) -> None:
    recovering(bench)
    block = stored(bench)
    bench.commit(block, 1002, 0, "", delete_block=True)
    assert (bench.inode().blocks, bench.inode().is_under_construction, bench.blocks.blocks) == ([], False, {})
    before = bench.state()
    bench.commit(block, 1002, 0, "", delete_block=True)
    assert bench.state() == before


def test_commit_without_close_leaves_the_file_open(bench: Any) -> None:
    """A14: no datanode sends it."""
    recovering(bench)
    bench.commit(stored(bench), 1002, 3, "ab", close_file=False)
    assert (bench.last().state, bench.last().expected_locations()) == (BlockUCState.UNDER_CONSTRUCTION, ("a", "b"))
    bench.start()
    assert bench.last().as_block() == Block(2**30 + 1, 1002, 3)


def test_commit_with_a_stale_recovery_id_is_refused(bench: Any) -> None:
    """TestCommitBlockSynchronization#testCommitBlockSynchronization2."""
    recovering(bench)
    bench.pass_ms(GATE_MS + 1)
    bench.recover_lease()
    for delete in (False, True):
        with bench.refused(HdfsIOException, "recovery id 1002 does not match current recovery id 1003"):
            bench.commit(stored(bench), 1002, 3, delete_block=delete)


def test_commit_after_a_restart_is_refused(bench: Any) -> None:
    """A.7: the recovery id is lost."""
    recovering(bench)
    block = stored(bench)
    bench.start()
    bench.leave_safe_mode()
    with bench.refused(HdfsIOException, "does not match current recovery id 0"):
        bench.commit(block, 1002, 3)


def test_commit_of_an_unknown_block_is_refused(bench: Any) -> None:
    with bench.refused(HdfsIOException, "not found"):
        bench.commit(Block(7, 1001, 0), 1002, 3)


def test_commit_after_the_deletion_of_the_file_is_refused(bench: Any) -> None:
    """HDFS-6825; TestDeleteRace#testDeleteAndCommitBlockSynchonizationRaceNoSnapshot: and the log can be replayed."""
    recovering(bench)
    block = stored(bench)
    bench.ask(Delete("/f"))
    with bench.refused(HdfsIOException, "delayed block removal"):
        bench.commit(block, 1002, 3)
    bench.start()
    assert bench.namesystem.directory.get("/f") is None


def test_commit_repeated_is_accepted_and_changes_nothing_until_the_file_is_opened_again(bench: Any) -> None:
    """HDFS-5024."""
    recovering(bench)
    block = stored(bench)
    bench.commit(block, 1002, 3)
    before = bench.state()
    bench.commit(block, 1002, 3)
    assert bench.state() == before
    bench.ask(Append("/f", "client1"))
    with bench.refused(HdfsIOException, "does not match current recovery id 0"):
        bench.commit(block, 1002, 3)


def test_commit_repeated_changes_nothing_of_a_file_that_was_opened_for_a_new_block(bench: Any) -> None:
    """The file is under construction again, but its last block is complete still."""
    recovering(bench)
    block = stored(bench)
    bench.commit(block, 1002, 3)
    bench.ask(Append("/f", "client1", CreateFlag.APPEND | CreateFlag.NEW_BLOCK))
    before = bench.state()
    bench.commit(block, 1002, 3)
    assert bench.state() == before
    assert bench.inode().is_under_construction


@pytest.mark.parametrize("delete", [False, True])
@pytest.mark.parametrize("semantics", Semantics)
def test_commit_while_the_block_before_has_no_replica(new_bench: Any, semantics: Semantics, delete: bool) -> None:
    """HDFS-17861, the holes closing-fails-before-it-begins and closing-fails-half-way: memory and log differ."""
    bench = new_bench(semantics=semantics)
    first = bench.write(datanodes="")
    bench.add_block(previous=first)
    bench.recover_lease()
    block = stored(bench)
    before = bench.state()
    with pytest.raises(IllegalStateException, match="COMMITTED"):
        bench.commit(block, 1003, 3, delete_block=delete)
    assert (bench.state() == before) is (semantics is Semantics.REPAIRED)
    in_memory = [each.as_block() for each in bench.inode().blocks]
    bench.start()
    assert ([each.as_block() for each in bench.inode().blocks] == in_memory) is (semantics is Semantics.REPAIRED)


def test_a_deleted_block_that_waits_for_its_recovery_has_no_length(new_bench: Any) -> None:
    """BlockManager#removeBlock sets BlockCommand.NO_ACK; Hadoop sends the command all the same."""
    bench = new_bench(semantics=Semantics.HADOOP_3_4)
    recovering(bench)
    bench.ask(Delete("/f"))
    remove_blocks(bench.namesystem, 10)
    (command,) = bench.heartbeat("c")
    assert command.blocks[0].block.num_bytes == 2**63 - 1
