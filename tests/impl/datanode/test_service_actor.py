"""What datanodes tell their namenode, what they do that it orders, and the recoveries that they lead.

Real datanodes in virtual time; the namenode is a script. Hadoop's TestBlockRecovery, TestBlockRecovery2,
TestInterDatanodeProtocol, TestIncrementalBlockReports. Facts B.9, B17, G.3 to G.5.
"""

import random
from typing import Any

import pytest

from genstamp_dfs.errors import EOFException, HdfsIOException, RetriableException, StorageError
from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.messages.base import Caller, Request
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage, Packet, WriteBlock
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    BlockReceivedAndDeleted,
    BlockReport,
    Command,
    CommitBlockSynchronization,
    InvalidateBlocks,
    NamespaceInfo,
    ReceivedDeletedBlock,
    ReceivedStatus,
    RecoverBlocks,
    RegisterAgain,
    RegisterDatanode,
    SendHeartbeat,
    TransferBlock,
    TransferBlocks,
    VersionRequest,
)
from genstamp_dfs.hdfs.messages.inter_datanode import GetReplicaVisibleLength, InitReplicaRecovery
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, RecoveringBlock, ReplicaState, ReportedReplica, Semantics
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network, Node
from genstamp_dfs.simulation.runtime import SimulatedRuntime

BLOCK = Block(7, 1001, 0)
DATA = random.Random(1).randbytes(3000)
ONE, TWO, THREE = NODES = ("datanode1", "datanode2", "datanode3")
F, RBW, RWR, RUR, TEMPORARY = ReplicaState
SECOND_US = 1_000_000


class NoWriter:
    """A writer that is not there any more when somebody asks."""

    is_alive = False

    def interrupt(self) -> None:
        """Nothing to do."""

    async def join(self, timeout_us: int) -> bool:
        del timeout_us
        return True


class World:
    """Three datanodes, and a namenode that answers as it is told."""

    def __init__(self, semantics: Semantics = Semantics.REPAIRED) -> None:
        self.loop = Loop()
        self.network = Network(self.loop, random.Random(0))
        self.log = EventLog("BP-1")
        self.configuration = DataNodeConfiguration(semantics=semantics)
        self.namespace = NamespaceInfo("BP-1", "CID-1", 1)
        self.told: list[Request[Any]] = []
        self.orders: dict[str, list[Command]] = {}
        self.refused: set[type[Request[Any]]] = set()
        self.slow_us: dict[type[Request[Any]], int] = {}
        self.namenode = SimulatedRuntime(self.loop, self.network, Life(NAMENODE), random.Random(9))
        self.network.join(Node(self.namenode.life, handler=self.answer))
        self.lives: dict[str, Life] = {}
        self.disks = {name: SimulatedDisk() for name in NODES}
        self.datanodes = {name: self.start(name) for name in NODES}
        self.run(1)
        self.told.clear()

    async def answer(self, request: Request[Any], caller: Caller) -> Any:
        del caller
        await self.namenode.sleep_us(self.slow_us.get(type(request), 0))
        if type(request) in self.refused:
            raise HdfsIOException("the namenode refuses")
        self.told.append(request)
        if isinstance(request, VersionRequest):
            return self.namespace
        if isinstance(request, SendHeartbeat):
            return tuple(self.orders.pop(request.datanode, ()))
        return () if isinstance(request, BlockReport) else None

    def start(self, name: str) -> DataNode:
        life = self.lives[name] = Life(name)
        runtime = SimulatedRuntime(self.loop, self.network, life, random.Random(name))
        disk = DiskOfLife(self.disks[name], life, random.Random(0))
        datanode = DataNode(self.configuration, runtime, disk, self.log)
        self.network.join(Node(life, datanode.handle, datanode.serve))
        runtime.spawn(datanode.start(), "start")
        return datanode

    def crash(self, name: str) -> None:
        self.loop.kill(self.lives[name])
        self.network.leave(self.lives[name])

    def run(self, seconds: float = 10) -> None:
        self.loop.run(until_us=self.loop.now_us + int(seconds * SECOND_US))

    def put(self, name: str, length: int, state: ReplicaState = RBW, acked: int | None = None) -> None:
        """Give a datanode a replica."""
        dataset = self.datanodes[name].dataset
        replica = dataset.create_rbw(BLOCK, NoWriter())
        dataset.write(replica, 0, DATA[:length], checksums_of(DATA[:length]))
        dataset.acknowledge(replica, length if acked is None else acked)
        if state is F:
            dataset.finalize_block(BLOCK)
        else:
            replica.state = state

    def replicas(self) -> list[tuple[ReplicaState, int, int] | None]:
        found = [datanode.dataset.get_replica(7) for datanode in self.datanodes.values()]
        return [None if one is None else (one.state, one.generation_stamp, one.num_bytes) for one in found]

    def heard(self, kind: type[Request[Any]]) -> list[Any]:
        return [request for request in self.told if isinstance(request, kind)]

    def recover(self, new_block: Block | None = None, recovery_id: int = 1002) -> None:
        """Order a recovery of the block on all three, led by the first."""
        self.orders[ONE] = [RecoverBlocks((RecoveringBlock(BLOCK, NODES, recovery_id, new_block),))]

    def events(self, *names: str) -> list[str]:
        return [event.event for event in self.log.events if event.event in names]


def commit(length: int, *targets: str, recovery_id: int = 1002, delete: bool = False) -> CommitBlockSynchronization:
    return CommitBlockSynchronization(BLOCK, recovery_id, length, True, delete, targets)


# -- block recovery -------------------------------------------------------------------------------------------------


def test_rbw_replicas_become_finalized_with_the_shortest_length() -> None:
    """TestBlockRecovery#testRBWReplicas."""
    world = World()
    for name, length in zip(NODES, (700, 600, 1500), strict=True):
        world.put(name, length)
    world.recover()
    world.run()
    assert world.replicas() == [(F, 1002, 600)] * 3
    assert world.heard(CommitBlockSynchronization) == [commit(600, *NODES)]
    assert world.events("sync_block", "report_back", "abandon_recovery") == ["sync_block", "report_back"]


def test_a_writer_is_stopped_before_its_replica_is_frozen() -> None:
    """TestBlockRecovery2#testRaceBetweenReplicaRecoveryAndFinalizeBlock."""
    world = World()
    client = SimulatedRuntime(world.loop, world.network, Life("client1"), random.Random(1))

    async def write() -> None:
        request = WriteBlock(BLOCK, "client1", (TWO, THREE), BlockConstructionStage.PIPELINE_SETUP_CREATE, 3)
        connection = await client.connect(ONE, request)
        await connection.receive()
        await connection.send(Packet(0, 0, data=DATA[:700], checksums=checksums_of(DATA[:700])))
        await connection.receive()
        world.recover()
        await client.sleep_us(5 * SECOND_US)
        with pytest.raises(EOFException):
            await connection.send(Packet(1, 700, is_last=True))

    client.spawn(write(), "writer")
    world.run()
    assert world.replicas() == [(F, 1002, 700)] * 3
    assert world.events("finalize_replica") == []


@pytest.mark.parametrize("semantics", Semantics)
def test_no_data_beside_a_dead_location_deletes_the_block_in_hadoop_only(semantics: Semantics) -> None:
    """The hole against S18."""
    world = World(semantics)
    world.put(TWO, 0)
    world.crash(THREE)
    world.recover()
    world.run()
    deleted = [commit(0, delete=True)] if semantics is Semantics.HADOOP_3_4 else []
    assert world.heard(CommitBlockSynchronization) == deleted
    assert world.events("init_replica_recovery_failed") == ["init_replica_recovery_failed"]
    assert world.events("abandon_recovery") == ([] if deleted else ["abandon_recovery"])


def test_a_younger_recovery_ends_an_older_one_without_a_commit() -> None:
    """TestBlockRecovery#testRecoveryInProgressException."""
    world = World()
    world.put(TWO, 700)
    world.datanodes[TWO].dataset.init_replica_recovery(BLOCK, 1009)
    world.recover()
    world.run()
    assert world.heard(CommitBlockSynchronization) == []
    assert world.events("abandon_recovery") == ["abandon_recovery"]
    assert world.replicas()[1] == (RUR, 1001, 700)


def test_a_participant_that_fails_is_left_out() -> None:
    """HDFS-12070: the replica of one datanode is deleted between its answer and its update."""
    world = World()
    for name in NODES:
        world.put(name, 700)

    async def lose_replica() -> None:
        dataset = world.datanodes[THREE].dataset
        while dataset.replicas[7].state is not RUR:
            await world.namenode.sleep_us(10)
        dataset.delete(dataset.replicas[7])

    world.namenode.spawn(lose_replica(), "fault")
    world.recover()
    world.run()
    assert world.heard(CommitBlockSynchronization) == [commit(700, ONE, TWO)]


def test_a_truncate_cuts_in_place_or_makes_copies() -> None:
    """TestFileTruncate#testTruncateRecovery, at the datanodes."""
    world = World()
    for name in NODES:
        world.put(name, 700, F)
    world.recover(Block(7, 1002, 100))
    world.run()
    assert world.replicas() == [(F, 1002, 100)] * 3
    world.orders[ONE] = [RecoverBlocks((RecoveringBlock(Block(7, 1002, 100), NODES, 1003, Block(8, 1003, 50)),))]
    world.run()
    assert world.replicas() == [(F, 1002, 100)] * 3
    copies = [datanode.dataset.replicas[8] for datanode in world.datanodes.values()]
    assert [(copy.state, copy.generation_stamp, copy.num_bytes) for copy in copies] == [(F, 1003, 50)] * 3
    assert world.heard(CommitBlockSynchronization)[-1] == CommitBlockSynchronization(
        Block(7, 1002, 100), 1003, 50, True, False, NODES
    )


def test_a_commit_that_is_refused_changes_nothing_here() -> None:
    world = World()
    world.put(ONE, 700)
    world.refused.add(CommitBlockSynchronization)
    world.recover()
    world.run()
    assert [event.refused_with for event in world.log.events if event.event == "report_back"] == ["IOException"]
    world.refused.clear()
    world.recover(recovery_id=1005)
    world.run()
    assert world.heard(CommitBlockSynchronization) == [commit(700, ONE, recovery_id=1005)]


# -- requests -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("semantics", Semantics)
def test_a_recovery_outlives_its_namenode_in_hadoop_only(semantics: Semantics) -> None:
    """The hole recoveries-end-with-their-namenode: the block was closed meanwhile, and its replicas get a new stamp."""
    world = World(semantics)
    for name in NODES:
        world.put(name, 700, F)
    world.network.part(ONE, TWO)
    world.recover()
    world.run(4)
    world.orders[ONE] = [RegisterAgain()]
    world.run(200)
    restamped = semantics is Semantics.HADOOP_3_4
    assert (len(world.heard(CommitBlockSynchronization)), world.replicas()[2]) == (
        (1, (F, 1002, 700)) if restamped else (0, (F, 1001, 700))
    )
    assert world.events("sync_block", "abandon_recovery") == (["sync_block"] if restamped else ["abandon_recovery"])


def test_requests_before_the_start_may_be_tried_again() -> None:
    """An answer that there is no replica would be wrong: they are not loaded yet."""
    world = World()
    world.crash(ONE)
    world.network.leave(world.namenode.life)
    world.datanodes[ONE] = world.start(ONE)
    caller = SimulatedRuntime(world.loop, world.network, Life("client1"), random.Random(1))
    failures: list[BaseException] = []

    async def ask() -> None:
        requests: list[Request[Any]] = [
            GetReplicaVisibleLength(BLOCK),
            InitReplicaRecovery(RecoveringBlock(BLOCK, NODES, 1002)),
        ]
        for request in requests:
            try:
                await caller.call(ONE, request)
            except RetriableException as failure:
                failures.append(failure)

    caller.spawn(ask(), "ask")
    world.run()
    assert len(failures) == 2


def test_a_datanode_of_another_cluster_does_not_start() -> None:
    world = World()
    world.crash(ONE)
    world.namespace = NamespaceInfo("BP-1", "CID-2", 1)
    world.start(ONE)
    with pytest.raises(StorageError, match="clusterID"):
        world.run()


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
def test_incremental_reports_overtake_a_full_one_in_hadoop_only(semantics: Semantics) -> None:
    """The hole against L5 (HDFS-16016)."""
    world = World(semantics)
    world.slow_us[BlockReport] = 3 * SECOND_US
    world.orders[ONE] = [RegisterAgain()]
    world.run(3.1)
    world.put(ONE, 700, F)
    world.run(4)
    kinds = [type(request) for request in world.told if isinstance(request, BlockReport | BlockReceivedAndDeleted)]
    expected = [BlockReport, BlockReceivedAndDeleted]
    assert kinds == (expected if semantics is Semantics.REPAIRED else expected[::-1])


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
