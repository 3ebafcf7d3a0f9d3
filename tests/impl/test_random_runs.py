"""Random runs of the step-by-step cluster: replayed by their seed, and their promises kept.

A seed that fails is in the name of the test or in the message.
"""

from collections import Counter

import pytest

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.events import Event, encode_lines
from genstamp_dfs.hdfs.cluster import FAULTS, STEPS, TIMED
from genstamp_dfs.hdfs.cluster.random_runs import SimulationOptions, SimulationResult, simulate
from genstamp_dfs.hdfs.cluster.random_runs.promises import Promises
from genstamp_dfs.hdfs.cluster.random_runs.scheduler import Process, Scheduler
from genstamp_dfs.hdfs.protocol import BlockUCState, Limits, Semantics
from genstamp_dfs.hdfs.scenarios import FILE, do, finalize_all, new_driver, write_file

ROUGH = SimulationOptions(mean_fault_s=6, slow_message_s=60, limits=Limits(recovery_gate_ms=10_000))
"""A fault each six seconds, messages that take up to a minute, and recoveries that may overlap after ten seconds."""


# -- the scheduler --------------------------------------------------------------------------------------------------


def note(heard: list[str], name: str, *delays: int) -> Process:
    for delay in delays:
        yield delay
        heard.append(name)


def test_processes_run_in_the_order_of_their_times_and_ties_as_they_came() -> None:
    heard: list[str] = []
    scheduler = Scheduler()
    for name, delays in (("a", (5, 5)), ("b", (2, 8)), ("c", (5,))):
        scheduler.spawn(name, note(heard, name, *delays))
    assert len(list(scheduler.run_until(9))) == 3
    assert (heard, scheduler.now_us) == (["b", "a", "c"], 9)
    list(scheduler.run_until(10))
    assert heard == ["b", "a", "c", "b", "a"]


def test_the_processes_of_a_dead_owner_never_run_again_but_those_of_its_next_life_do() -> None:
    heard: list[str] = []
    scheduler = Scheduler()
    scheduler.spawn("a", note(heard, "first life", 1))
    scheduler.kill("a")
    scheduler.spawn("a", note(heard, "second life", 1))
    list(scheduler.run_until(5))
    assert heard == ["second life"]


# -- replay ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_a_seed_replays_a_run_to_the_byte(seed: int) -> None:
    assert encode_lines(simulate(seed, ROUGH).events) == encode_lines(simulate(seed, ROUGH).events)


def test_another_seed_gives_another_run() -> None:
    assert encode_lines(simulate(1).events) != encode_lines(simulate(2).events)


def test_a_run_of_nothing_is_a_mistake() -> None:
    with pytest.raises(ConfigurationError, match="datanodes is 0, accepted: 1 or more"):
        SimulationOptions(datanodes=0)
    with pytest.raises(ConfigurationError, match="finish_s is -1, accepted: 0 or more"):
        SimulationOptions(finish_s=-1)


# -- promises -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs() -> list[SimulationResult]:
    """200 seeds, half of them rough."""
    return [simulate(seed, ROUGH if seed % 2 else SimulationOptions()) for seed in range(200)]


@pytest.mark.slow
def test_every_promise_is_kept(runs: list[SimulationResult]) -> None:
    assert {run.seed: run.broken for run in runs if run.broken} == {}


@pytest.mark.slow
def test_every_file_is_closed_when_faults_have_stopped_and_clients_are_gone(runs: list[SimulationResult]) -> None:
    assert {run.seed: run.unclosed for run in runs if run.unclosed} == {}
    assert sum(len(run.closed) for run in runs) > 1_000


@pytest.mark.slow
def test_runs_reach_every_event_and_recoveries_that_overlap(runs: list[SimulationResult]) -> None:
    seen = Counter((event.event, event.refused_with) for run in runs for event in run.events)
    vocabulary = {*STEPS, *FAULTS, *TIMED}
    assert vocabulary - {event for event, refusal in seen if refusal is None} <= {"update_replica_failed"}
    assert seen["create", "RecoveryInProgressException"]
    assert seen["complete", "LeaseExpiredException"]
    assert seen["commit_block_synchronization", "IOException"]
    assert seen["update_replica_under_recovery", "IOException"]


@pytest.mark.slow
def test_stamps_given_out_rise_and_none_is_given_twice(runs: list[SimulationResult]) -> None:
    def drawn(events: list[Event]) -> list[int]:
        blocks = [event.generation_stamp for event in events if event.event == "add_block"]
        recoveries = [event.recovery_id for event in events if event.event in ("recover_lease", *TIMED)]
        return [stamp for stamp in blocks + recoveries if stamp is not None]

    for run in runs:
        stamps = drawn(run.events)
        assert len(stamps) == len(set(stamps)), run.seed
        at_namenode = [event for event in run.events if event.event == "add_block"]
        assert drawn(at_namenode) == sorted(drawn(at_namenode)), run.seed


@pytest.mark.slow
def test_each_nodes_events_are_numbered_without_gap(runs: list[SimulationResult]) -> None:
    for run in runs:
        last: Counter[str] = Counter()
        for event in run.events:
            last[event.node] += 1
            assert event.node_sequence == last[event.node]


@pytest.mark.slow
def test_hadoops_own_semantics_keeps_the_same_promises_under_the_same_faults() -> None:
    options = SimulationOptions(semantics=Semantics.HADOOP_3_4, mean_fault_s=4)
    assert [broken for seed in range(20) for broken in simulate(seed, options).broken] == []


# -- the promises' own eyes: each has been seen to see ----------------------------------------------------------------


def test_a_file_without_lease_is_noticed() -> None:
    driver = new_driver()
    promises = Promises(driver.cluster)
    write_file(driver)
    lease = driver.cluster.namesystem.lease_manager.leases["client1"]
    driver.cluster.namesystem.lease_manager.remove_lease(lease, next(iter(lease.files)))
    promises.watch(do(driver, "create", client="client2", file=FILE))
    assert "in the leases of []" in promises.broken[0]


def test_lost_bytes_and_unequal_replicas_are_noticed() -> None:
    driver = new_driver()
    promises = Promises(driver.cluster)
    first = write_file(driver)[0]
    for event in driver.cluster.log.events:
        promises.watch(event)
    finalize_all(driver)
    do(driver, "block_received", file=FILE, datanode=first)
    dataset = driver.cluster.datanodes[first].dataset
    replica = dataset.replicas[2**30 + 1]
    dataset.files.cut(replica, 1)
    replica.set_length(1)
    closing = do(driver, "complete", client="client1", file=FILE)
    block = driver.cluster.namesystem.directory.file_at(FILE).last_block()
    assert block is not None
    assert block.state is BlockUCState.COMPLETE
    promises.watch(closing)
    assert "although ['datanode1', 'datanode2', 'datanode3'] lived on" in promises.broken[0]
    promises.check_end()
    assert "replicas of the closed file /a of 2 bytes" in promises.broken[1]
