"""Hadoop's TestFiPipelineClose: one fault while a pipeline closes, at one node (facts X.5).

Each test is named by the number of the append test plan. In 36 and 37 the receiver of a node keeps the last packet. The
nodes below hear nothing, and give up after 5 s, before anybody's limit for an acknowledgement. In 2011 that made the
client leave out the last node, which is well. Since HDFS-9178 the nodes above notice that they have sent nothing for as
long, and close: so the first node is left out, rightly in 36, wrongly in 37. The file is closed all the same.
"""

import pytest

from genstamp_dfs.hdfs.messages.data_transfer import BlockConstructionStage
from genstamp_dfs.hdfs.protocol import ReplicaState
from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.pipeline_scenarios import PATH, World, run_pipeline_scenario


@pytest.mark.parametrize(
    ("point", "position", "action", "left_out", "seconds"),
    [
        pytest.param(FaultPoint.CLOSE_PACKET, 0, FaultAction.HANG, 0, 5, id="pipeline_Fi_36"),
        pytest.param(FaultPoint.CLOSE_PACKET, 1, FaultAction.HANG, 0, 5, id="pipeline_Fi_37"),
        pytest.param(FaultPoint.CLOSE_PACKET, 2, FaultAction.HANG, 2, 10, id="pipeline_Fi_38"),
        pytest.param(FaultPoint.CLOSE_ACK, 1, FaultAction.HANG, 1, 15, id="pipeline_Fi_39"),
        pytest.param(FaultPoint.CLOSE_ACK, 0, FaultAction.HANG, 0, 20, id="pipeline_Fi_40"),
        pytest.param(FaultPoint.CLOSE_PACKET, 0, FaultAction.DIE, 0, 0, id="pipeline_Fi_44"),
        pytest.param(FaultPoint.CLOSE_PACKET, 1, FaultAction.DIE, 1, 0, id="pipeline_Fi_45"),
        pytest.param(FaultPoint.CLOSE_PACKET, 2, FaultAction.DIE, 2, 0, id="pipeline_Fi_46"),
        pytest.param(FaultPoint.CLOSE_ACK, 1, FaultAction.DIE, 1, 0, id="pipeline_Fi_47"),
        pytest.param(FaultPoint.CLOSE_ACK, 0, FaultAction.DIE, 0, 0, id="pipeline_Fi_48"),
        pytest.param(FaultPoint.FILE_CLOSE, 0, FaultAction.DISK_ERROR, 0, 0, id="pipeline_Fi_49"),
        pytest.param(FaultPoint.FILE_CLOSE, 1, FaultAction.DISK_ERROR, 1, 0, id="pipeline_Fi_50"),
        pytest.param(FaultPoint.FILE_CLOSE, 2, FaultAction.DISK_ERROR, 2, 0, id="pipeline_Fi_51"),
    ],
)
def test_a_fault_while_closing(
    point: FaultPoint, position: int, action: FaultAction, left_out: int, seconds: int
) -> None:
    """Close recovery on the two others: they have the byte under a new stamp, and a third replica is made later."""
    outcome = run_pipeline_scenario(World.ONE_BYTE, PipelineFault(point, position, action), datanodes=4)
    assert outcome.failure is None
    (reaction,) = outcome.reactions
    assert reaction.stage is BlockConstructionStage.PIPELINE_CLOSE_RECOVERY
    assert reaction.left_out == (left_out,)
    assert reaction.after_s == pytest.approx(seconds, rel=0.02, abs=0.05)
    scenario = outcome.scenario
    first, second = scenario.faults.attempts
    replicas = scenario.replicas(PATH)
    block = scenario.last_block(PATH)
    assert (block.generation_stamp, block.num_bytes) == (second.generation_stamp, 1)
    for node in second.nodes:
        assert replicas[node].state is ReplicaState.FINALIZED
        assert replicas[node].generation_stamp == second.generation_stamp
    assert replicas[first.nodes[left_out]].generation_stamp < second.generation_stamp
    assert outcome.problems() == []
    assert scenario.read(PATH) == outcome.written
    assert len(scenario.replicas(PATH)) == 3


@pytest.mark.parametrize(
    "position",
    [
        pytest.param(0, id="pipeline_Fi_41"),
        pytest.param(1, id="pipeline_Fi_42"),
        pytest.param(2, id="pipeline_Fi_43"),
    ],
)
def test_a_node_that_is_slow_to_close_is_waited_for(position: int) -> None:
    """Nobody is left out, and the first stamp stays."""
    fault = PipelineFault(FaultPoint.CLOSE_PACKET, position, FaultAction.DELAY, delay_ms=3_000)
    outcome = run_pipeline_scenario(World.ONE_BYTE, fault, datanodes=4)
    assert outcome.failure is None
    assert outcome.reactions == ()
    assert outcome.seconds > 2.9
    assert {replica.state for replica in outcome.scenario.replicas(PATH).values()} == {ReplicaState.FINALIZED}
    assert outcome.problems() == []
