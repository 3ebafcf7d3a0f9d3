"""The helper that stories are told with."""

import pytest

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.protocol import NAMENODE
from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.pipeline_scenarios import World, run_pipeline_scenario
from genstamp_dfs.simulation.scenario import Scenario

HANG = PipelineFault(FaultPoint.ACK, 1, FaultAction.HANG, nth=2)


def test_a_story_is_replayed_to_the_byte() -> None:
    def lines(seed: int) -> bytes:
        return encode_lines(run_pipeline_scenario(World.FLUSHED, HANG, seed=seed).scenario.cluster.log.events)

    assert lines(1) == lines(1)
    assert lines(1) != lines(2)


def test_what_is_not_reached_in_time_ends_the_story() -> None:
    scenario = Scenario(1)
    began_s = scenario.now_s
    with pytest.raises(TimeoutError, match="not reached within 7 virtual seconds"):
        scenario.until(lambda: False, limit_s=7)
    assert scenario.now_s == pytest.approx(began_s + 7)


def test_what_a_client_raises_is_raised() -> None:
    scenario = Scenario(1)
    client = scenario.client()
    with pytest.raises(HdfsIOException, match="/missing"):
        scenario.run(client, client.append("/missing"))


def test_a_client_that_dies_over_its_work_is_not_waited_for_without_end() -> None:
    scenario = Scenario(1)
    client = scenario.client("client")
    scenario.cluster.network.part("client", NAMENODE)
    work = scenario.start(client, client.create("/file"))
    scenario.advance(1)
    scenario.crash("client")
    with pytest.raises(TimeoutError):
        scenario.until(lambda: work.is_done, limit_s=5)


def test_a_fault_happens_once_in_its_attempt_at_its_position() -> None:
    outcome = run_pipeline_scenario(World.PACKETS, HANG)
    faults = outcome.scenario.faults
    (fired,) = faults.fired
    assert (fired.fault, fired.node) == (HANG, faults.attempts[0].nodes[1])
    assert [one.left_out for one in outcome.reactions] == [(1,)]


def test_a_crash_at_a_point_ends_the_datanode() -> None:
    crash = PipelineFault(FaultPoint.PACKET, 2, FaultAction.CRASH, nth=3)
    outcome = run_pipeline_scenario(World.PACKETS, crash)
    assert not outcome.scenario.cluster.is_up(outcome.scenario.faults.fired[0].node)
    assert outcome.left_out == (2,)
    assert outcome.problems() == []
