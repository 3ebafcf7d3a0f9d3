"""The jobs that simulate the reference implementations with faults, and hold them to what their clients were promised.

Not here: the specification: what judges here is what users lose. `conforming` checks steps against the specification.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_dfs.gfs.simulation import plan as gfs_plan
from genstamp_dfs.gfs.simulation import sweep as gfs
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.commands import MEAN_DISK_FAULT_S
from genstamp_dfs.simulation.outcomes import SeedOutcome, SweepResult
from genstamp_dfs.simulation.plan import PlanOptions
from genstamp_dfs.simulation.sweep import sweep

PROGRESS_RUNS: Final = 100


def simulate(context: Context, claim: str, runs: int) -> Iterator[Row]:
    """Runs of HDFS with faults under `repaired`; their seeds are 0 and up, so that one that fails, fails again."""
    options = PlanOptions(mean_disk_fault_s=MEAN_DISK_FAULT_S)
    yield _row(claim, runs, sweep(range(runs), Semantics.REPAIRED, options), _kept_by_hdfs)


def simulate_gfs(context: Context, claim: str, runs: int) -> Iterator[Row]:
    """Runs of GFS with faults; their seeds are 0 and up, so that one that fails, fails again."""
    options = gfs_plan.PlanOptions(mean_disk_fault_s=MEAN_DISK_FAULT_S)
    yield _row(claim, runs, gfs.sweep(range(runs), options), _kept_by_gfs)


def _row(claim: str, runs: int, outcomes: Iterable[SeedOutcome], kept: Callable[[SweepResult], str]) -> Row:
    result = SweepResult()
    for outcome in outcomes:
        result.add(outcome)
        if result.runs % PROGRESS_RUNS == 0:
            print(f"{result.runs} of {runs} runs", flush=True)
    broken = f"{len(result.failed)} of {result.runs} runs broke a promise; the first has seed "
    return Row(
        claim=claim,
        verdict=Verdict.VIOLATED if result.failed else Verdict.HOLDS,
        count=result.runs,
        unit="runs",
        note=f"{broken}{min(result.failed)}" if result.failed else kept(result),
        story=tuple(f"seed {seed}: {problem}" for seed, found in sorted(result.failed.items()) for problem in found),
        data=result.as_json(),
    )


def _kept_by_hdfs(result: SweepResult) -> str:
    totals = result.totals
    return (
        f"{totals['events']:,} events, {totals['crashes']:,} crashes, "
        f"{totals['failed syncs']:,} failed syncs, {totals['block recoveries']:,} block recoveries, "
        f"{totals['bytes acknowledged by hflush']:,} bytes acknowledged by hflush and "
        f"{totals['bytes acknowledged by hsync']:,} by hsync, none of them lost within the promise"
    )


def _kept_by_gfs(result: SweepResult) -> str:
    totals = result.totals
    return (
        f"{totals['events']:,} events, {totals['crashes']:,} crashes, {totals['failed syncs']:,} "
        f"failed syncs, {totals['records acknowledged']:,} records, "
        f"{totals['writes acknowledged']:,} writes and {totals['snapshots acknowledged']:,} snapshots acknowledged, "
        f"{totals['bytes acknowledged']:,} bytes, none of them lost"
    )
