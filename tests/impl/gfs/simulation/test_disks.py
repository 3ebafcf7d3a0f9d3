"""Bad disks in simulated runs: rot is found and mended, and each fault of a plan is counted where it had something."""

import random

import pytest

from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.gfs.simulation.plan import FAULTS, PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.run import Run
from genstamp_dfs.world.times import SECOND_US


def quiet_run(seed: int = 3) -> Run:
    """A run in which nothing goes wrong, with all its work done."""
    plan = make_plan(seed, PlanOptions(mean_fault_s=0))
    run = Run(plan, default_options(plan))
    run.start()
    run.cluster.loop.run(300 * SECOND_US)
    return run


def test_plans_have_all_faults() -> None:
    plans = [make_plan(seed) for seed in range(40)]
    assert {fault.kind for plan in plans for fault in plan.faults} == set(FAULTS)


@pytest.mark.slow
def test_a_rotten_replica_is_found_reported_and_made_anew() -> None:
    run = quiet_run()
    assert run.cluster.rot("chunkserver1", random.Random(1))
    [problem] = run.cluster.rotting.not_found()
    assert problem.startswith("chunkserver1 has not noticed that its replica of chunk ")
    run.cluster.loop.run(600 * SECOND_US)
    found = [event for event in run.cluster.log.events if event.event == "find_corrupt"]
    assert [(event.node, event.refused_with) for event in found] == [("chunkserver1", "CorruptReplica")]
    deleted = [event.entity for event in run.cluster.log.events if event.event == "delete_replica"]
    assert found[0].entity in deleted
    assert run.cluster.rotting.not_found() == []


@pytest.mark.slow
def test_the_last_sound_replica_does_not_rot() -> None:
    run = quiet_run()
    cluster = run.cluster
    for name in ("chunkserver2", "chunkserver3", "chunkserver4"):
        cluster.crash(name)
    assert not cluster.rot("chunkserver1", random.Random(1))
    assert not cluster.rot(MASTER, random.Random(1))


@pytest.mark.slow
def test_rot_is_taken_back_where_a_lease_goes_to_rotten_replicas_alone() -> None:
    cluster = quiet_run().cluster
    assert cluster.rot("chunkserver1", random.Random(1))
    handle = next(
        one.handle
        for one in cluster.chunkservers["chunkserver1"].replicas
        if cluster.rotting.is_rotten("chunkserver1", one.handle)
    )
    cluster.rotting.spare(handle, 9, ["chunkserver1", "chunkserver2"])
    assert cluster.rotting.not_found() != []
    cluster.rotting.spare(handle, 9, ["chunkserver1"])
    assert cluster.rotting.not_found() == []


@pytest.mark.slow
def test_what_alone_is_offered_a_version_does_not_rot() -> None:
    """The others are as good until it is recorded, and stale from then on."""
    cluster = quiet_run().cluster
    for replica in cluster.chunkservers["chunkserver1"].replicas:
        cluster.rotting.spare(replica.handle, replica.file.version + 1, ["chunkserver1"])
    assert not cluster.rot("chunkserver1", random.Random(1))
    for replica in cluster.chunkservers["chunkserver1"].replicas:
        cluster.rotting.spare(replica.handle, replica.file.version, ["chunkserver1"])
    assert cluster.rot("chunkserver1", random.Random(1))
