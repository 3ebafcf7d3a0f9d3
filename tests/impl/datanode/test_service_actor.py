"""What datanodes tell their namenode, and what they do that it orders.

Hadoop's TestIncrementalBlockReports. Facts B.9, B17.
"""

import pytest
from tests.impl.datanode.scripted_namenode import BLOCK, ONE, RWR, THREE, TWO, F, World

from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    BlockReport,
    InvalidateBlocks,
    ReceivedDeletedBlock,
    ReceivedStatus,
    RegisterAgain,
    RegisterDatanode,
    SendHeartbeat,
    TransferBlock,
    TransferBlocks,
)
from genstamp_dfs.hdfs.protocol import Block, ReportedReplica, Semantics
from genstamp_dfs.world.times import SECOND_US

# -- reports (B.9) --------------------------------------------------------------------------------------------------


def reports_of(world: World, name: str) -> list[tuple[ReceivedDeletedBlock, ...]]:
    return [report.blocks for report in world.heard(BlockReceivedAndDeleted) if report.datanode == name]


def test_a_finished_replica_is_reported_at_once_and_others_with_the_next_heartbeat() -> None:
    world = World()
    world.put(ONE, 700)
    world.put(TWO, 700, F)
    world.run(0.1)
    assert (reports_of(world, ONE), len(reports_of(world, TWO))) == ([], 1)
    world.run(4)
    assert reports_of(world, ONE) == [(ReceivedDeletedBlock(Block(7, 1001, 0), ReceivedStatus.RECEIVING),)]
    assert reports_of(world, TWO) == [(ReceivedDeletedBlock(Block(7, 1001, 700), ReceivedStatus.RECEIVED),)]


def test_a_report_that_fails_is_sent_again_with_the_newest_news() -> None:
    world = World()
    world.refused.add(BlockReceivedAndDeleted)
    world.put(ONE, 700, F)
    world.put(TWO, 700, F)
    world.run(4)
    world.datanodes[ONE].dataset.invalidate(BLOCK)
    world.refused.clear()
    world.run(4)
    assert [block.status for report in reports_of(world, ONE) for block in report] == [ReceivedStatus.DELETED]
    assert [block.status for report in reports_of(world, TWO) for block in report] == [ReceivedStatus.RECEIVED]


def test_who_is_not_known_any_more_registers_and_reports_everything() -> None:
    world = World()
    world.put(ONE, 700, F)
    world.run()
    world.told.clear()
    world.orders[ONE] = [RegisterAgain()]
    world.run()
    kinds = [type(request) for request in world.told if getattr(request, "datanode", "") == ONE]
    assert kinds.count(RegisterDatanode) == 1
    assert world.heard(BlockReport) == [BlockReport(ONE, (ReportedReplica(7, 1001, 700, F),))]


def test_a_restart_reports_all_but_copies() -> None:
    world = World()
    world.put(ONE, 700)
    world.crash(ONE)
    world.datanodes[ONE] = world.start(ONE)
    world.run()
    assert world.heard(BlockReport) == [BlockReport(ONE, (ReportedReplica(7, 1001, 700, RWR),))]
    assert world.events("restart") == ["restart"]


@pytest.mark.parametrize("semantics", Semantics)
def test_an_incremental_report_waits_for_a_full_one(semantics: Semantics) -> None:
    """Against L5 (HDFS-17129, in 3.3.6 only)."""
    world = World(semantics)
    world.slow_us[BlockReport] = 3 * SECOND_US
    world.orders[ONE] = [RegisterAgain()]
    world.run(3.1)
    world.put(ONE, 700, F)
    world.run(4)
    kinds = [type(request) for request in world.told if isinstance(request, BlockReport | BlockReceivedAndDeleted)]
    assert kinds == [BlockReport, BlockReceivedAndDeleted]


# -- orders ---------------------------------------------------------------------------------------------------------


def test_an_order_to_delete_concerns_one_generation() -> None:
    world = World()
    for name in (ONE, TWO):
        world.put(name, 700, F)
    world.run()
    world.orders = {ONE: [InvalidateBlocks((Block(7, 1000, 0),))], TWO: [InvalidateBlocks((BLOCK,))]}
    world.run()
    assert world.replicas() == [(F, 1001, 700), None, None]
    assert reports_of(world, TWO)[-1][0].status is ReceivedStatus.DELETED


@pytest.mark.parametrize("semantics", Semantics)
def test_an_order_that_does_not_know_of_a_report_is_obeyed_in_hadoop_only(semantics: Semantics) -> None:
    """The hole against S21 (HDFS-14997)."""
    world = World(semantics)
    world.slow_us[BlockReceivedAndDeleted] = 5 * SECOND_US
    world.put(ONE, 700, F)
    world.orders[ONE] = [InvalidateBlocks((BLOCK,))]
    world.run(4)
    assert (world.replicas()[0] is None) == (semantics is Semantics.HADOOP_3_4)
    world.run(10)
    if semantics is Semantics.REPAIRED:
        assert world.heard(BlockReport) == [BlockReport(ONE, (ReportedReplica(7, 1001, 700, F),))]


def test_an_order_is_dropped_if_a_report_was_under_way_when_it_was_asked_for() -> None:
    world = World()
    world.run(1.9)
    world.slow_us = {BlockReceivedAndDeleted: SECOND_US // 2, SendHeartbeat: SECOND_US}
    world.put(ONE, 700, F)
    world.orders[ONE] = [InvalidateBlocks((BLOCK,))]
    world.run(8)
    assert (world.orders, world.replicas()[0]) == ({}, (F, 1001, 700))
    assert len(world.heard(BlockReport)) == 1


def test_a_block_is_copied_from_node_to_node() -> None:
    world = World()
    world.put(ONE, 700, F)
    world.run()
    world.orders[ONE] = [TransferBlocks((TransferBlock(Block(7, 1001, 700), (TWO, THREE)),))]
    world.run()
    assert world.replicas() == [(F, 1001, 700)] * 3


def test_a_copy_reaches_those_that_can_be_reached() -> None:
    world = World()
    world.put(ONE, 700, F)
    world.crash(THREE)
    world.run()
    world.orders[ONE] = [TransferBlocks((TransferBlock(Block(7, 1001, 700), (TWO, THREE)),))]
    world.run()
    assert world.replicas()[:2] == [(F, 1001, 700)] * 2
