"""Which replicas do not fit, when they are deleted, and what takes a mark away (facts I.2, I.3)."""

from typing import Any

import pytest

from genstamp_dfs.hdfs.messages.client_protocol import GetBlockLocations, ReportBadBlocks
from genstamp_dfs.hdfs.messages.cluster_status import GetFsStats
from genstamp_dfs.hdfs.messages.datanode_protocol import ReportBadReplicas
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo, CorruptReason
from genstamp_dfs.hdfs.namenode.corruption import check_replica_corrupt
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, LocatedBlock, ReplicaState, ReportedReplica, Semantics

F, RBW, RWR, RUR, TMP = ReplicaState
UC, UR, COMMITTED, COMPLETE = BlockUCState
STAMP, SIZE, STATE = CorruptReason.GENSTAMP_MISMATCH, CorruptReason.SIZE_MISMATCH, CorruptReason.INVALID_STATE


@pytest.mark.parametrize(
    ("replica", "stamp", "num_bytes", "found"),
    [
        (F, 1001, 3, {}),
        (F, 1000, 3, {UC: STAMP, COMMITTED: STAMP, COMPLETE: STAMP}),
        (F, 1002, 3, {COMMITTED: STAMP, COMPLETE: STAMP}),
        (F, 1001, 2, {COMMITTED: SIZE, COMPLETE: SIZE}),
        (RBW, 1001, 2, {}),
        (RBW, 1000, 3, {UC: STAMP, UR: STAMP, COMMITTED: STAMP, COMPLETE: STAMP}),
        (RBW, 1002, 3, {COMPLETE: STAMP}),
        (RWR, 1001, 3, {COMPLETE: STATE}),
        (RWR, 1000, 3, {UC: STAMP, UR: STAMP, COMMITTED: STAMP, COMPLETE: STAMP}),
        (RWR, 1002, 3, {COMPLETE: STAMP}),
        (RUR, 1001, 3, {UC: STATE, UR: STATE, COMMITTED: STATE, COMPLETE: STATE}),
        (TMP, 1001, 3, {UC: STATE, UR: STATE, COMMITTED: STATE, COMPLETE: STATE}),
    ],
)
def test_check_replica_corrupt(
    replica: ReplicaState, stamp: int, num_bytes: int, found: dict[BlockUCState, CorruptReason]
) -> None:
    """The table of BlockManager#checkReplicaCorrupt, for a block of stamp 1001 and 3 bytes."""
    reported = ReportedReplica(1, stamp, num_bytes, replica)
    blocks = {state: BlockInfo(1, 1001, 5, num_bytes=3, state=state) for state in BlockUCState}
    reasons = {state: check_replica_corrupt(reported, block) for state, block in blocks.items()}
    assert {state: reason for state, reason in reasons.items() if reason is not None} == found


def orders(bench: Any, datanode: str) -> list[Block]:
    return list(bench.namesystem.datanode_manager.datanodes[datanode].invalidate_blocks.values())


@pytest.mark.parametrize("semantics", Semantics)
def test_a_replica_of_an_older_generation_that_is_reported_during_a_recovery(
    new_bench: Any, semantics: Semantics
) -> None:
    """The hole stale-replica-joins-a-recovery: each attempt asks its datanode, which refuses."""
    bench = new_bench("abcd", semantics=semantics)
    block = bench.write(datanodes="")
    bench.last().generation_stamp = 1005
    bench.last().set_expected_locations(("a", "b"))
    bench.recover_lease()
    bench.received(block, "d")
    joins = semantics is Semantics.HADOOP_3_4
    assert ("d" in bench.last().expected_locations(), "d" in bench.last().corrupt) == (joins, not joins)


def test_a_corrupt_replica_is_kept_while_the_block_needs_every_one(bench: Any) -> None:
    block = bench.write_closed(datanodes="ab")
    short = Block(block.block_id, 1001, 2)
    bench.received(short, "c")
    assert (bench.last().corrupt["c"].reason, orders(bench, "c")) == (SIZE, [])
    assert bench.blocks.needed.block_ids() == [block.block_id]


def test_a_corrupt_replica_is_deleted_when_enough_good_ones_are_there(new_bench: Any) -> None:
    bench = new_bench("abcd")
    block = bench.write_closed(datanodes="abc")
    bench.inode().replication = bench.last().replication = 2
    short = Block(block.block_id, 1001, 2)
    bench.received(short, "d")
    assert (orders(bench, "d"), bench.last().corrupt) == ([short], {})


def test_a_corrupt_replica_that_a_write_has_left_behind_is_deleted_while_a_good_one_is_there(bench: Any) -> None:
    """TestRBWBlockInvalidation#testRWRInvalidation."""
    block = bench.write_closed(datanodes="a")
    old = Block(block.block_id, 1000, 3)
    bench.report("b", (old, RWR))
    assert orders(bench, "b") == [old]
    remove_datanode(bench.namesystem, "a")
    bench.report("c", (old, RWR))
    assert (orders(bench, "c"), bench.last().corrupt["c"].reason) == ([], STAMP)


def test_corrupt_replicas_are_deleted_when_the_copies_have_come(bench: Any) -> None:
    block = bench.write_closed(datanodes="ab")
    bench.inode().replication = bench.last().replication = 2
    remove_datanode(bench.namesystem, "b")
    bench.received(Block(block.block_id, 1001, 2), "c")
    assert orders(bench, "c") == []
    bench.register("b")
    bench.received(block, "b")
    assert [each.block_id for each in orders(bench, "c")] == [block.block_id]


def test_a_matching_report_takes_a_mark_of_another_stamp_away(bench: Any) -> None:
    """HDFS-4799: and not a report of another stamp."""
    block = bench.write(datanodes="")
    bench.complete(last=block)
    bench.received(Block(block.block_id, 1002, 3), "a")
    assert bench.last().corrupt["a"].reason is STAMP
    bench.received(Block(block.block_id, 1003, 3), "a")
    assert bench.last().corrupt["a"].reason is STAMP
    bench.received(block, "a")
    assert (bench.last().corrupt, bench.last().state) == ({}, COMPLETE)


@pytest.mark.parametrize("semantics", Semantics)
def test_a_matching_report_and_a_mark_of_another_length(new_bench: Any, semantics: Semantics) -> None:
    """The hole marks-of-length-and-state-stay."""
    bench = new_bench(semantics=semantics)
    block = bench.write(datanodes="")
    bench.complete(last=block)
    bench.received(Block(block.block_id, 1001, 2), "a")
    bench.received(block, "a")
    assert ("a" in bench.last().corrupt) is (semantics is Semantics.HADOOP_3_4)
    assert ("a" in bench.last().stored) is (semantics is Semantics.REPAIRED)


def test_what_a_reader_has_found_no_report_takes_back(bench: Any) -> None:
    block = bench.write_closed(datanodes="ab")
    bench.ask(ReportBadBlocks((LocatedBlock(block, ("a",)),)))
    bench.received(block, "a")
    assert bench.last().corrupt["a"].reason is CorruptReason.CORRUPTION_REPORTED
    located = bench.ask(GetBlockLocations("/f")).blocks[0]
    assert (located.locations, located.corrupt) == (("b",), False)
    bench.ask(ReportBadReplicas("b", (block,)))
    located = bench.ask(GetBlockLocations("/f")).blocks[0]
    assert (located.locations, located.corrupt) == (("a", "b"), True)
    stats = bench.ask(GetFsStats())
    assert (stats.corrupt_blocks, stats.missing_blocks) == (1, 1)


def test_a_bad_block_that_is_unknown_or_elsewhere_is_nobodys_business(bench: Any) -> None:
    block = bench.write_closed(datanodes="ab")
    bench.ask(ReportBadReplicas("a", (Block(7, 1001, 3),)))
    bench.ask(ReportBadReplicas("c", (block,)))
    bench.ask(ReportBadReplicas("x", (block,)))
    assert bench.last().corrupt == {}


@pytest.mark.parametrize("semantics", Semantics)
def test_a_bad_block_of_an_older_generation_marks_the_replica_that_is_there_in_hadoop(
    new_bench: Any, semantics: Semantics
) -> None:
    """Measured with Hadoop 3.4.1: the only good replica of a block that was appended to is corrupt and stays so."""
    bench = new_bench(semantics=semantics)
    block = bench.write_closed(datanodes="a")
    bench.ask(ReportBadReplicas("a", (Block(block.block_id, 1000, 3),)))
    bench.received(block, "a")
    assert ("a" in bench.last().corrupt) is (semantics is Semantics.HADOOP_3_4)


def test_deletion_waits_for_full_reports_if_the_configuration_says_so(new_bench: Any) -> None:
    """dfs.namenode.corrupt.block.delete.immediately.enabled."""
    bench = new_bench(delete_corrupt_replicas_immediately=False)
    block = bench.write_closed(datanodes="a")
    old = Block(block.block_id, 1000, 3)
    bench.report("b", (old, RWR))
    assert (orders(bench, "b"), "b" in bench.last().corrupt) == ([], True)
    bench.report("a", (block, F))
    bench.report("b", (old, RWR))
    assert orders(bench, "b") == [old]
