"""Hadoop's TestFiHFlush, made real: a disk fails under the packet that an hflush sends (facts X.6).

In Hadoop's own no fault reaches a datanode; here the packet of one of the flushes finds a full disk. After the first
hflush the default policy wants as many nodes as before, so somebody has to take the place of the one that failed.
"""

import pytest

from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.pipeline_scenarios import PACKET_BYTES, PATH, World, run_pipeline_scenario


def full_disk(position: int, nth: int) -> PipelineFault:
    """The disk of a node fails under the n-th flush."""
    return PipelineFault(FaultPoint.DISK_WRITE, position, FaultAction.DISK_ERROR, nth=nth)


@pytest.mark.parametrize("position", [0, 1, 2], ids=["hFlushFi01", "hFlushFi02", "hFlushFi03"])
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_hflush_goes_on_with_another_node(position: int, nth: int) -> None:
    outcome = run_pipeline_scenario(World.FLUSHED, full_disk(position, nth), datanodes=4)
    (reaction,) = outcome.reactions
    assert outcome.failure is None
    assert reaction.left_out == (position,)
    assert reaction.joined == (0 if nth == 1 else 1)
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written


@pytest.mark.parametrize("position", [0, 1, 2])
def test_hflush_fails_cleanly_if_nobody_can_take_the_place(position: int) -> None:
    """The stream is dead; what it had flushed before stays readable, and the file is closed without its writer."""
    outcome = run_pipeline_scenario(World.FLUSHED, full_disk(position, 3), datanodes=3)
    assert outcome.failure is not None
    assert "failed to replace a bad datanode" in str(outcome.failure)
    assert outcome.acknowledged == 2 * PACKET_BYTES
    assert outcome.scenario.read(PATH)[: outcome.acknowledged] == outcome.written[: outcome.acknowledged]
    assert outcome.problems() == []


@pytest.mark.parametrize("position", [0, 1, 2])
def test_hflush_goes_on_with_two_nodes_by_best_effort(position: int) -> None:
    outcome = run_pipeline_scenario(World.FLUSHED, full_disk(position, 3), datanodes=3, replace_best_effort=True)
    (reaction,) = outcome.reactions
    assert outcome.failure is None
    assert (reaction.left_out, reaction.joined) == ((position,), 0)
    assert outcome.problems() == []
    assert outcome.scenario.read(PATH) == outcome.written
