"""Simulated runs of GFS: what clients were promised is there, and a seed replays a run."""

from dataclasses import replace

import pytest

from genstamp_dfs.events import encode_lines
from genstamp_dfs.gfs.simulation.options import default_options
from genstamp_dfs.gfs.simulation.plan import PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.run import Run, run_seed
from genstamp_dfs.gfs.simulation.sweep import sweep
from genstamp_dfs.simulation.outcomes import SweepResult


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_without_faults_everything_is_done_and_nothing_is_refused_but_paths(seed: int) -> None:
    result = run_seed(seed, PlanOptions(mean_fault_s=0))
    assert result.problems == []
    refused = {what.partition(": ")[2] for what in result.outcomes}
    assert refused <= {"done", "PathNotFound", "PathExists", "ChunkNotFound"}
    assert result.totals["records acknowledged"] > 0


@pytest.mark.slow
@pytest.mark.parametrize(("sync_ms", "seeds"), [(0, 4), (2000, 6)])
def test_no_promise_is_broken_whatever_fails(sync_ms: int, seeds: int) -> None:
    """Of the plan without slow disks, `genstamp verify` runs hundreds of seeds."""
    result = SweepResult()
    for outcome in sweep(range(seeds), PlanOptions(sync_ms=sync_ms)):
        result.add(outcome)
    assert result.failed == {}
    assert result.totals["crashes"] > seeds
    assert result.totals["snapshots acknowledged"] > 0


@pytest.mark.slow
def test_a_seed_replays_a_run() -> None:
    first, second = run_seed(5), run_seed(5)
    assert encode_lines(first.events) == encode_lines(second.events)
    assert encode_lines(run_seed(6).events) != encode_lines(first.events)


@pytest.mark.slow
def test_what_chunkservers_do_not_force_to_the_disk_is_lost_with_the_power() -> None:
    """The judge of bytes is not blind: this is what `sync` is for."""

    def is_safe(seed: int) -> bool:
        plan = make_plan(seed)
        options = default_options(plan)
        careless = replace(options, chunkserver=replace(options.chunkserver, sync=False))
        return Run(plan, careless).run(keep_events=False).is_safe

    assert not all(is_safe(seed) for seed in range(12))
