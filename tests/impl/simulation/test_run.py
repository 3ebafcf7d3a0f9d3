"""Simulated runs of the whole system: replayed by their seed, kept promises, and a watcher that notices broken ones.

A seed that fails is in the name of the test; `run_seed(seed).problems` tells what was wrong.
"""

import subprocess
import sys
from collections.abc import Iterator
from typing import TypeVar

import pytest

from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.datanode.fs_dataset import FsDataset
from genstamp_dfs.hdfs.datanode.replica_files import ReplicaFiles
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.client_protocol import RenewLease
from genstamp_dfs.hdfs.namenode.namenode import NameNode
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.simulation.cluster import SimulatedCluster
from genstamp_dfs.simulation.commands import MEAN_DISK_FAULT_S
from genstamp_dfs.simulation.outcomes import SweepResult
from genstamp_dfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.simulation.run import Run, run_seed
from genstamp_dfs.simulation.sweep import sweep
from genstamp_dfs.world.request import Caller, Request

Answer = TypeVar("Answer")

QUIET = PlanOptions(mean_fault_s=0)


@pytest.mark.parametrize("seed", range(4))
def test_without_faults_nothing_is_lost_and_everything_is_closed(seed: int) -> None:
    result = run_seed(seed, options=QUIET)
    assert result.problems == []
    assert result.lost == ()
    assert result.totals["bytes acknowledged by hsync"] > 0


@pytest.mark.parametrize("seed", [*range(6), 2592, 2871])
def test_with_faults_every_promise_is_kept(seed: int) -> None:
    result = run_seed(seed)
    assert result.problems == []
    assert result.totals["crashes"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_promise_is_kept_while_syncs_let_others_run(seed: int) -> None:
    result = run_seed(seed, options=PlanOptions(sync_ms=5_000))
    assert result.problems == []
    assert result.events != run_seed(seed).events


@pytest.mark.slow
def test_a_seed_replays_a_run_to_the_byte() -> None:
    assert encode_lines(run_seed(5).events) == encode_lines(run_seed(5).events)
    assert encode_lines(run_seed(5).events) != encode_lines(run_seed(6).events)


@pytest.mark.slow
def test_a_run_can_be_had_as_lines() -> None:
    child = subprocess.run(
        [sys.executable, "-m", "genstamp_dfs.simulation", "--seed", "5"], capture_output=True, timeout=60, check=True
    )
    options = PlanOptions(mean_disk_fault_s=MEAN_DISK_FAULT_S)
    assert child.stdout == encode_lines(run_seed(5, options=options).events)
    assert child.stderr.startswith(b"seed 5, repaired, ")


@pytest.mark.slow
def test_a_sweep_adds_up_its_runs() -> None:
    result = SweepResult()
    for outcome in sweep(range(3), options=QUIET):
        result.add(outcome)
    assert (result.runs, result.failed) == (3, {})
    assert result.totals["events"] == sum(run_seed(seed, options=QUIET).totals["events"] for seed in range(3))


@pytest.mark.slow
def test_runs_do_all_that_they_are_for() -> None:
    results = [run_seed(seed) for seed in range(6)]
    events = {event.event for result in results for event in result.events}
    assert {
        "create",
        "append",
        "truncate",
        "recover_lease",
        "update_pipeline",
        "commit_block_synchronization",
        "init_replica_recovery",
        "hflush",
        "hsync",
    } <= events
    assert sum(result.totals["block recoveries"] for result in results) > 0


class ForgetfulFiles(ReplicaFiles):
    """Says that bytes were forced to the disk, and does not do it."""

    def sync(self, replica: Replica) -> None:
        """Nothing."""
        replica.synced_bytes = replica.bytes_on_disk


class CuttingDataset(FsDataset):
    """Forgets the last chunk of what a recovery agreed on."""

    def update_replica_under_recovery(
        self, old_block: Block, recovery_id: int, new_length: int, new_block_id: int | None = None
    ) -> Replica:
        """As its parent, of fewer bytes."""
        return super().update_replica_under_recovery(old_block, recovery_id, max(0, new_length - 512), new_block_id)


def problems(monkeypatch: pytest.MonkeyPatch, module: str, name: str, broken: type, seeds: range) -> Iterator[str]:
    """What is wrong in some runs with a broken class in the place of a good one; a run begins when it is asked for."""
    monkeypatch.setattr(f"{module}.{name}", broken)
    return (problem for seed in seeds for problem in run_seed(seed, keep_events=False).problems)


@pytest.mark.slow
def test_a_datanode_that_does_not_force_bytes_to_disk_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "genstamp_dfs.hdfs.datanode.replica_map"
    found = problems(monkeypatch, module, "ReplicaFiles", ForgetfulFiles, range(30))
    assert any("by hsync" in problem for problem in found)


def test_a_recovery_that_loses_bytes_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "genstamp_dfs.hdfs.datanode.datanode"
    found = problems(monkeypatch, module, "FsDataset", CuttingDataset, range(10))
    assert any("lost" in problem for problem in found)


class DeafNameNode(NameNode):
    """Does not hear that a lease is renewed."""

    def handle(self, request: Request[Answer], caller: Caller) -> Answer:
        """As its parent, but for renewLease."""
        if isinstance(request, RenewLease):
            return None  # type: ignore[return-value]
        return super().handle(request, caller)


class ClusterWithDeafNameNode(SimulatedCluster):
    namenode_class = DeafNameNode


@pytest.mark.slow
def test_a_namenode_that_does_not_hear_of_renewals_takes_files_from_living_clients() -> None:
    """The soft limit passes while a client writes, and somebody who wants its file gets it."""
    busy = PlanOptions(mean_fault_s=0, pieces=60, files=2)
    plans = (make_plan(seed, busy) for seed in range(4))
    assert any(
        Run(plan).run(keep_events=False).outcomes
        != Run(plan, cluster_class=ClusterWithDeafNameNode).run(keep_events=False).outcomes
        for plan in plans
    )
