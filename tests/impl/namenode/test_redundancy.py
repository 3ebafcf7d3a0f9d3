"""Copies that are ordered and waited for, replicas that are too many (BM/BlockManager, TestBlockManager)."""

from typing import Any

import pytest

from genstamp_dfs.hdfs.messages.client_protocol import Append, Delete, SetReplication
from genstamp_dfs.hdfs.messages.cluster_status import GetFsStats
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    InvalidateBlocks,
    ReceivedStatus,
    ReportBadReplicas,
    TransferBlock,
    TransferBlocks,
)
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.namenode.tree_changes import remove_blocks
from genstamp_dfs.hdfs.protocol import Block, ReplicaState, Semantics

INTERVAL_MS = 3_000
PENDING_MS = 300_000


def transfers(bench: Any) -> list[tuple[str, TransferBlock]]:
    """The copies that datanodes are told to make with their next heartbeats, and who makes each."""
    return [
        (datanode, transfer)
        for datanode in bench.datanodes
        for command in bench.heartbeat(datanode)
        if isinstance(command, TransferBlocks)
        for transfer in command.transfers
    ]


def test_a_missing_replica_is_copied_to_a_datanode_that_has_none(new_bench: Any) -> None:
    bench = new_bench("abcd")
    block = bench.write_closed(datanodes="abc")
    remove_datanode(bench.namesystem, "a")
    assert bench.ask(GetFsStats()).under_replicated == 1
    bench.pass_ms(INTERVAL_MS)
    bench.datanodes = "bcd"
    ((source, transfer),) = transfers(bench)
    assert (source in "bc", transfer) == (True, TransferBlock(block, ("d",)))
    assert bench.ask(GetFsStats()).under_replicated == 0
    bench.received(block, "d")
    assert sorted(bench.last().stored) == ["b", "c", "d"]
    assert bench.blocks.pending == {}


def test_blocks_that_are_written_are_not_copied(bench: Any) -> None:
    """TestSafeMode#testRbwBlocksNotConsideredUnderReplicated, HDFS-9600, HDFS-4022."""
    block = bench.write_closed(datanodes="a")
    assert bench.blocks.needed.block_ids() == [block.block_id]
    bench.ask(Append("/f", "client1"))
    assert bench.blocks.needed.block_ids() == []
    bench.pass_ms(INTERVAL_MS)
    assert transfers(bench) == []


def test_the_most_urgent_block_comes_first(new_bench: Any) -> None:
    bench = new_bench("abcd", replication_work_multiplier=1)
    two, one = bench.write_closed("/2", datanodes="ab"), bench.write_closed("/1", datanodes="a")
    none = bench.write_closed("/0", datanodes="d")
    remove_datanode(bench.namesystem, "d")
    assert bench.blocks.needed.block_ids() == [one.block_id, two.block_id]
    assert list(bench.blocks.needed.queues[3]) == [none.block_id]
    bench.datanodes = "abc"
    bench.pass_ms(INTERVAL_MS)
    first = next(transfer for _, transfer in transfers(bench))
    assert (first.block, len(first.targets)) == (one, 2)


def test_blocks_are_counted_by_what_they_lack(new_bench: Any) -> None:
    bench = new_bench("abcd")
    bench.write_closed("/deleted", datanodes="ab")
    bench.ask(Delete("/deleted"))
    bench.pass_ms(INTERVAL_MS)
    bench.write_closed("/urgent", datanodes="a")
    bench.write_closed("/spoiled", datanodes="ab")
    bench.write_closed("/missing", datanodes="d")
    single = bench.write_closed("/single", datanodes="d")
    bench.ask(SetReplication("/single", 1))
    bench.ask(ReportBadReplicas("b", (bench.last("/spoiled").as_block(),)))
    remove_datanode(bench.namesystem, "d")
    stats = bench.ask(GetFsStats())
    assert (stats.under_replicated, stats.highest_priority, stats.corrupt_blocks) == (2, 2, 1)
    assert (stats.missing_blocks, stats.missing_replication_one, stats.pending_deletion) == (2, 1, 2)
    bench.register("d")
    bench.received(single, "d")
    stats = bench.ask(GetFsStats())
    assert (stats.missing_blocks, stats.missing_replication_one) == (1, 0)


def test_blocks_for_which_nothing_can_be_done_do_not_keep_others_waiting(new_bench: Any) -> None:
    bench = new_bench(replication_work_multiplier=1)
    for number in range(6):
        bench.write_closed(f"/{number}")
        bench.ask(SetReplication(f"/{number}", 4))
    last = bench.write_closed("/last", datanodes="ab")
    for _ in range(3):
        assert bench.blocks.pending == {}
        bench.pass_ms(INTERVAL_MS)
    assert list(bench.blocks.pending) == [last.block_id]


def test_a_datanode_makes_only_so_many_copies_at_a_time(new_bench: Any) -> None:
    bench = new_bench("ab")
    for number in range(5):
        bench.write_closed(f"/{number}", datanodes="a")
    bench.pass_ms(INTERVAL_MS)
    (command,) = bench.heartbeat("a", transfers=1)
    assert len(command.transfers) == 1
    assert bench.heartbeat("a", transfers=2) == ()
    (command,) = bench.heartbeat("a")
    assert len(command.transfers) == 1


def test_a_copy_that_does_not_come_is_ordered_again(bench: Any) -> None:
    block = bench.write_closed(datanodes="a")
    bench.pass_ms(INTERVAL_MS)
    assert len(transfers(bench)) == 1
    bench.pass_ms(PENDING_MS)
    assert transfers(bench) == []
    bench.pass_ms(INTERVAL_MS)
    assert [transfer.block for _, transfer in transfers(bench)] == [block]


def test_a_copy_of_another_generation_does_not_end_the_wait(bench: Any) -> None:
    """HDFS-11960."""
    block = bench.write_closed(datanodes="a")
    bench.pass_ms(INTERVAL_MS)
    bench.received(Block(block.block_id, 1000, 3), "b")
    assert bench.blocks.pending[block.block_id].targets == {"b", "c"}


@pytest.mark.parametrize("semantics", Semantics)
def test_a_copy_that_a_full_report_has_told_of_first(new_bench: Any, semantics: Semantics) -> None:
    """The hole pending-copy-ends-unseen: it counted twice, and nobody looks again when the wait ends."""
    bench = new_bench(semantics=semantics)
    block = bench.write_closed(datanodes="ab")
    bench.pass_ms(INTERVAL_MS)
    assert bench.blocks.pending[block.block_id].targets == {"c"}
    bench.report("c", (block, ReplicaState.FINALIZED))
    bench.received(block, "b", ReceivedStatus.DELETED)
    assert bench.blocks.needed.block_ids() == []
    bench.received(block, "c")
    expected = [block.block_id] if semantics is Semantics.REPAIRED else []
    assert bench.blocks.needed.block_ids() == expected


def test_replicas_beyond_those_wanted_are_deleted_where_space_is_short(bench: Any) -> None:
    block = bench.write_closed()
    for datanode, remaining in (("a", 50), ("b", 10), ("c", 40)):
        bench.report(datanode, (block, ReplicaState.FINALIZED))
        bench.heartbeat(datanode, remaining=remaining)
    assert bench.ask(SetReplication("/f", 2))
    assert bench.last().excess == {"b"}
    assert bench.heartbeat("b") == (InvalidateBlocks((block,)),)
    assert bench.blocks.live_replicas(bench.last()) == 2
    bench.received(block, "b", ReceivedStatus.DELETED)
    assert (sorted(bench.last().stored), bench.last().excess) == (["a", "c"], set())


def test_nothing_is_deleted_on_behalf_of_a_replica_that_may_be_gone(bench: Any) -> None:
    """While a datanode has sent no full report, the block waits."""
    block = bench.write_closed()
    bench.report("a", (block, ReplicaState.FINALIZED))
    bench.report("b", (block, ReplicaState.FINALIZED))
    bench.ask(SetReplication("/f", 2))
    assert (bench.last().excess, list(bench.blocks.postponed)) == (set(), [block.block_id])
    bench.report("c")
    assert (bench.last().excess, bench.blocks.postponed) == (set(), {})
    bench.report("c", (block, ReplicaState.FINALIZED))
    assert len(bench.last().excess) == 1


def test_a_higher_replication_orders_copies(new_bench: Any) -> None:
    bench = new_bench("abcd")
    bench.write_closed(datanodes="abc")
    bench.ask(SetReplication("/f", 4))
    bench.pass_ms(INTERVAL_MS)
    assert [transfer.targets for _, transfer in transfers(bench)] == [("d",)]


def test_replicas_of_a_deleted_block_are_deleted_under_its_stamp_and_the_first_order_stays(bench: Any) -> None:
    block = bench.write_closed(datanodes="a")
    bench.ask(Delete("/f"))
    remove_blocks(bench.namesystem, 10)
    bench.received(Block(block.block_id, block.generation_stamp + 5, 3), "a")
    (command,) = bench.heartbeat("a")
    assert [(one.block_id, one.generation_stamp) for one in command.blocks] == [
        (block.block_id, block.generation_stamp)
    ]


def test_an_order_to_delete_outlives_a_report_that_it_is_done(bench: Any) -> None:
    block = bench.write_closed(datanodes="a")
    bench.ask(Delete("/f"))
    remove_blocks(bench.namesystem, 10)
    bench.received(block, "a", ReceivedStatus.DELETED)
    (command,) = bench.heartbeat("a")
    assert isinstance(command, InvalidateBlocks)
