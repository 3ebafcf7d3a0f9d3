"""Hadoop's TestBlockRecovery2, and of TestBlockRecovery what needs a whole cluster (facts K.2).

What a primary agrees on, replica by replica, is in tests/impl/datanode/test_block_recovery.py.

Left out: testEcRecoverBlocks, testSafeLength (no erasure coding); testInitReplicaRecoveryDoesNotHoldLock and its like
(there are no locks: nothing happens between two waits).
"""

from typing import Any

import pytest
from tests.impl.scenarios.stories import begin, recover_lease

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages.datanode_protocol import CommitBlockSynchronization
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.protocol import NAMENODE, Limits, ReplicaState
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.scenario import Scenario, small_options
from genstamp_dfs.world.request import Caller, Request

PATH = "/test"


@pytest.mark.parametrize("position", [0, 1, 2])
def test_race_between_replica_recovery_and_finalize_block(position: int) -> None:
    """The recovery takes the replicas while one is about to be finalized: the writer fails alone (HDFS-3541)."""
    point = FaultPoint.CLOSE_PACKET if position == 2 else FaultPoint.CLOSE_ACK
    scenario = Scenario(faults=[PipelineFault(point, position, FaultAction.HANG)])
    stream = begin(scenario, PATH, 1_000)
    work = scenario.start(stream.client, stream.close())
    scenario.until(lambda: bool(scenario.faults.fired))
    recover_lease(scenario, PATH, pause_s=2)
    scenario.faults.wake()
    scenario.until(lambda: work.is_done)
    with pytest.raises(HdfsIOException):
        work.result()
    block = scenario.last_block(PATH).as_block()
    assert {one.block() for one in scenario.replicas(PATH).values()} == {block}
    assert {one.state for one in scenario.replicas(PATH).values()} == {ReplicaState.FINALIZED}
    assert scenario.read(PATH) == pattern(1, 0, 1_000)


def test_recovery_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first commit is lost; when the time of an attempt has passed, the next one closes the file."""
    answer = NameNode.handle
    lost: list[int] = []

    def lose_first(namenode: NameNode, request: Request[Any], caller: Caller) -> Any:
        if isinstance(request, CommitBlockSynchronization) and not lost:
            lost.append(request.new_generation_stamp)
            raise HdfsIOException("lost")
        return answer(namenode, request, caller)

    monkeypatch.setattr(NameNode, "handle", lose_first)
    scenario = Scenario(options=small_options(limits=Limits(recovery_gate_ms=20_000)))
    begin(scenario, PATH, 1_000)
    scenario.crash("writer")
    began_s = scenario.now_s
    recover_lease(scenario, PATH, pause_s=2)
    assert scenario.now_s - began_s > 20
    assert scenario.last_block(PATH).generation_stamp > lost[0]
    assert scenario.read(PATH) == pattern(1, 0, 1_000)


def test_recovery_slower_than_heartbeat() -> None:
    """recoverLease is repeated faster than a recovery ends; the gate lets the running one end (HDFS-11576)."""
    scenario = Scenario(options=small_options(datanode={"heartbeat_interval_ms": 10_000}))
    begin(scenario, PATH, 1_000)
    scenario.crash("writer")
    assert recover_lease(scenario, PATH, pause_s=0.5) > 5
    commits = [one for one in scenario.cluster.log.events if one.event == "commit_block_synchronization"]
    assert [one.refused_with for one in commits] == [None]
    assert scenario.read(PATH) == pattern(1, 0, 1_000)


def test_recovery_will_ignore_min_replication() -> None:
    """Two replicas are wanted at least, one of the pipeline is left: the recovery completes the block (HDFS-12886).

    The two others come back with replicas of the old stamp, which are of no use; two more datanodes get copies.
    """
    scenario = Scenario(5, options=small_options(namenode={"minimal_replication": 2}))
    stream = begin(scenario, PATH, 1_000)
    nodes = stream.streamer.pipeline.nodes
    scenario.crash("writer")
    for node in nodes[:2]:
        scenario.crash(node)
    scenario.advance(60)
    recover_lease(scenario, PATH, pause_s=5)
    assert scenario.read(PATH) == pattern(1, 0, 1_000)
    for node in nodes[:2]:
        scenario.restart_datanode(node)

    def is_replicated() -> bool:
        replicas = scenario.replicas(PATH).values()
        block = scenario.last_block(PATH).as_block()
        return len(replicas) == 3 and all(replica.block() == block for replica in replicas)

    assert not is_replicated()
    scenario.until(is_replicated)


def test_recovery_in_progress_exception() -> None:
    """Two primaries, one after the other: the younger attempt wins, and the file is closed once."""
    scenario = Scenario(options=small_options(limits=Limits(recovery_gate_ms=1_000)))
    stream = begin(scenario, PATH, 1_000)
    nodes = stream.streamer.pipeline.nodes
    scenario.crash("writer")
    for node in nodes:
        for other in nodes:
            if node != other:
                scenario.cluster.network.part(node, other)
    other_client = scenario.client()
    for _ in range(4):
        scenario.run(other_client, other_client.recover_lease(PATH))
        scenario.advance(4)
    scenario.cluster.network.heal()
    recover_lease(scenario, PATH, pause_s=5)
    assert scenario.read(PATH) == pattern(1, 0, 1_000)


def test_zero_len_replicas() -> None:
    """No replica has a byte: the block is dropped, and the file closed without it."""
    scenario = Scenario(faults=[PipelineFault(FaultPoint.PACKET, 0, FaultAction.HANG)])
    writer = scenario.client("writer")

    async def story() -> None:
        stream = await writer.create(PATH)
        await stream.write(b"never there")
        await stream.hflush()

    scenario.start(writer, story())
    scenario.until(lambda: bool(scenario.faults.fired))
    scenario.crash("writer")
    assert scenario.file(PATH).blocks
    recover_lease(scenario, PATH, pause_s=2)
    assert scenario.file(PATH).blocks == []
    assert scenario.read(PATH) == b""


def test_a_primary_that_is_cut_off_is_followed_by_another() -> None:
    """The first primary gets its order and is parted from all: the next attempt takes another one."""
    scenario = Scenario(4, options=small_options(limits=Limits(recovery_gate_ms=15_000)))
    stream = begin(scenario, PATH, 1_000)
    nodes = stream.streamer.pipeline.nodes
    scenario.crash("writer")
    other = scenario.client()
    scenario.run(other, other.recover_lease(PATH))

    datanodes = scenario.namesystem.datanode_manager.datanodes.values()
    (first,) = (datanode.name for datanode in datanodes if datanode.recover_blocks)
    for node in (*nodes, NAMENODE):
        if node != first:
            scenario.cluster.network.part(first, node)
    recover_lease(scenario, PATH, pause_s=5)
    commits = [one for one in scenario.cluster.log.events if one.event == "commit_block_synchronization"]
    assert [one.arguments["primary"] == first for one in commits] == [False]
    assert scenario.read(PATH) == pattern(1, 0, 1_000)
