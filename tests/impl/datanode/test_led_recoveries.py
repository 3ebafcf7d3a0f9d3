"""Block recoveries that a datanode leads, and what it answers before it has started.

Hadoop's TestBlockRecovery, TestBlockRecovery2, TestInterDatanodeProtocol. Facts G.3 to G.5.
"""

import random
from typing import Any

import pytest
from tests.impl.datanode.scripted_namenode import BLOCK, DATA, NODES, ONE, RUR, THREE, TWO, F, World, commit

from genstamp_dfs.errors import EOFException, RetriableException, StorageError
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage, Packet, WriteBlock
from genstamp_dfs.hdfs.messages.datanode_protocol import (
    CommitBlockSynchronization,
    NamespaceInfo,
    RecoverBlocks,
    RegisterAgain,
)
from genstamp_dfs.hdfs.messages.inter_datanode import GetReplicaVisibleLength, InitReplicaRecovery
from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, Semantics
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.simulation.runtime import SimulatedRuntime
from genstamp_dfs.world.request import Request
from genstamp_dfs.world.times import SECOND_US

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


@pytest.mark.slow
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
