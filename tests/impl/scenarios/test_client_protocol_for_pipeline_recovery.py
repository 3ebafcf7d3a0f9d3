"""Hadoop's TestClientProtocolForPipelineRecovery, over a whole simulated cluster (facts K.3).

Left out: testEvictWriter (no such order of an administrator), testPipelineRecoveryOnDatanodeUpgrade and
testPipelineRecoveryOnRemoteDatanodeUpgrade (no upgrades; a planned restart near and far is here),
testPipelineRecoveryWithSlowNode (no marks of slow nodes).
"""

import pytest
from tests.impl.scenarios.stories import begin

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.client import DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import UpdateBlockForPipeline
from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage
from genstamp_dfs.hdfs.protocol import Block, ReplicaState
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.pipeline_scenarios import PATH, World, run_pipeline_scenario
from genstamp_dfs.simulation.scenario import Scenario, small_options


def finish(scenario: Scenario, stream: DFSOutputStream, num_bytes: int = 500) -> None:
    """Write on, flush, and close."""

    async def story() -> None:
        await stream.write(pattern(1, stream.position, num_bytes))
        await stream.hflush()
        await stream.close()

    scenario.run(stream.client, story())


def check(scenario: Scenario, num_bytes: int) -> None:
    """The file has these bytes, and no finalized replica is of another length or stamp."""
    assert scenario.read(PATH) == pattern(1, 0, num_bytes)
    block = scenario.last_block(PATH).as_block()
    finalized = [one for one in scenario.replicas(PATH).values() if one.state is ReplicaState.FINALIZED]
    assert {one.block() for one in finalized} == {block}


def test_get_new_stamp() -> None:
    """Only the writer gets a new stamp, and only for a block that is there; each is above the last."""
    scenario = Scenario()
    stream = begin(scenario, PATH, 1_000)
    writer, block = stream.client, scenario.last_block(PATH).as_block()

    def ask(one: Block, holder: str) -> int:
        return scenario.run(writer, writer.ask(UpdateBlockForPipeline(one, holder))).block.generation_stamp

    with pytest.raises(HdfsIOException) as refusal:
        ask(block, "somebody else")
    assert refusal.value.hadoop_name == "LeaseExpiredException"
    with pytest.raises(HdfsIOException):
        ask(Block(block.block_id + 1, block.generation_stamp, 0), "writer")
    with pytest.raises(HdfsIOException):
        ask(block, "")
    first = ask(block, "writer")
    assert block.generation_stamp < first < ask(block, "writer")
    finish(scenario, stream)
    check(scenario, 1_500)


def test_get_new_stamp_of_a_finalized_block() -> None:
    scenario = Scenario()
    stream = begin(scenario, PATH, 1_000)
    finish(scenario, stream)
    block = scenario.last_block(PATH).as_block()
    with pytest.raises(HdfsIOException):
        scenario.run(stream.client, stream.client.ask(UpdateBlockForPipeline(block, "writer")))


@pytest.mark.parametrize("position", [0, 1, 2])
def test_pipeline_recovery_for_last_block(position: int) -> None:
    """The last packet fails: close recovery, and all replicas are good afterwards (HDFS-5438, HDFS-5557)."""
    fault = PipelineFault(FaultPoint.CLOSE_PACKET, position, FaultAction.CRASH)
    outcome = run_pipeline_scenario(World.PACKETS, fault)
    assert outcome.failure is None
    assert [one.stage for one in outcome.reactions] == [BlockConstructionStage.PIPELINE_CLOSE_RECOVERY]
    assert outcome.left_out == (position,)
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written


def test_packet_transmission_delay() -> None:
    """The first node keeps a packet, so that the second hears nothing: the first is left out (HDFS-9178)."""
    fault = PipelineFault(FaultPoint.PACKET, 0, FaultAction.HANG, nth=2)
    outcome = run_pipeline_scenario(World.FLUSHED, fault)
    assert outcome.failure is None
    assert outcome.left_out == (0,)
    assert outcome.problems() == []


def test_heartbeat_during_flush() -> None:
    """Acknowledgements that come later than the time-out, one after the other, are no failure."""
    slow = PipelineFault(FaultPoint.ACK_SEND, 2, FaultAction.DELAY, delay_ms=4_000)
    outcome = run_pipeline_scenario(World.FLUSHED, slow)
    assert outcome.failure is None
    assert outcome.seconds > 20
    assert outcome.reactions == ()
    assert outcome.problems() == []


def restart_as_planned(scenario: Scenario, node: str, away_s: float) -> None:
    """A datanode says that it restarts, is away, and comes back."""
    datanode = scenario.cluster.datanodes[node]
    datanode.runtime.spawn(datanode.stop(for_restart=True), "stop")
    scenario.advance(0.5)
    scenario.crash(node)
    scenario.advance(away_s)
    scenario.cluster.start_datanode(node)


@pytest.mark.parametrize("away_s", [1, 15])
def test_pipeline_recovery_on_oob(away_s: float) -> None:
    """The only node restarts as planned: its writer waits, goes on there, and counts no failure."""
    scenario = Scenario(1, options=small_options(client={"replication": 1}))
    stream = begin(scenario, PATH, 1_000)
    before = scenario.last_block(PATH).generation_stamp
    restart_as_planned(scenario, "datanode1", away_s=away_s)
    finish(scenario, stream)
    assert scenario.last_block(PATH).generation_stamp > before
    assert stream.streamer.pipeline.failed == []
    check(scenario, 1_500)


def test_pipeline_recovery_on_restart_failure() -> None:
    """The only node does not come back in time: the write fails; one of two is left out like any other."""
    scenario = Scenario(1, options=small_options(client={"replication": 1}))
    stream = begin(scenario, PATH, 1_000)
    datanode = scenario.cluster.datanodes["datanode1"]
    datanode.runtime.spawn(datanode.stop(for_restart=True), "stop")
    scenario.advance(0.5)
    scenario.crash("datanode1")
    with pytest.raises(HdfsIOException):
        finish(scenario, stream)


def test_a_remote_node_that_restarts_as_planned_is_left_out() -> None:
    scenario = Scenario(4)
    stream = begin(scenario, PATH, 1_000)
    node = stream.streamer.pipeline.nodes[1]
    restart_as_planned(scenario, node, away_s=1)
    finish(scenario, stream)
    assert stream.streamer.pipeline.failed == [node]
    check(scenario, 1_500)


def test_zero_byte_block_recovery() -> None:
    """A node fails before any byte was acknowledged; with policy ALWAYS the copy to the new one has no bytes."""
    options = small_options(client={"replace_policy": "ALWAYS"})
    fault = PipelineFault(FaultPoint.PACKET, 1, FaultAction.CRASH)
    scenario = Scenario(4, options=options, faults=[fault])
    stream = begin(scenario, PATH, 1_000)
    first, second = scenario.faults.attempts
    assert len(second.nodes) == 3
    assert set(second.nodes) - set(first.nodes)
    finish(scenario, stream)
    check(scenario, 1_500)


def test_pipeline_recovery_with_transfer_block() -> None:
    """What is copied to a new node ends inside a chunk; the next bytes go into that chunk, checksums and all."""
    scenario = Scenario(4)
    stream = begin(scenario, PATH, 777)
    scenario.crash(stream.streamer.pipeline.nodes[2])
    finish(scenario, stream, 1_000)
    new = (set(scenario.faults.attempts[1].nodes) - set(scenario.faults.attempts[0].nodes)).pop()
    for node in scenario.faults.attempts[1].nodes:
        if node != new:
            scenario.crash(node)
    check(scenario, 1_777)


def test_update_pipeline_after_dn_reg() -> None:
    """The datanodes of a pipeline register anew before it is set up again: updatePipeline works all the same."""
    scenario = Scenario(4)
    stream = begin(scenario, PATH, 1_000)
    scenario.restart_namenode()
    scenario.crash(stream.streamer.pipeline.nodes[0])
    finish(scenario, stream)
    check(scenario, 1_500)


def test_adding_datanode_during_closing() -> None:
    """One node fails while streaming, one at the close, the third after it: the new one has all (HDFS-16146)."""
    faults = [
        PipelineFault(FaultPoint.DISK_WRITE, 0, FaultAction.DISK_ERROR, nth=3),
        PipelineFault(FaultPoint.CLOSE_PACKET, 0, FaultAction.CRASH, attempt=2),
    ]
    outcome = run_pipeline_scenario(World.PACKETS, *faults, datanodes=4)
    assert outcome.failure is None
    scenario = outcome.scenario
    *_, before, last = scenario.faults.attempts
    assert last.stage is BlockConstructionStage.PIPELINE_CLOSE_RECOVERY
    (new,) = set(last.nodes) - set(before.nodes)
    for node in scenario.datanodes:
        if node != new and scenario.cluster.is_up(node):
            scenario.crash(node)
    assert scenario.read(PATH) == outcome.written
