"""The job that simulates the reference implementation with faults, and holds it to what its clients were promised.

Leaves out the specification: what judges here is what users lose. `conforming` holds steps against the specification.
"""

from collections.abc import Iterator
from typing import Final

from genstamp.verify.job import Context
from genstamp.verify.row import Row, Verdict
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.outcomes import SweepResult
from genstamp_dfs.simulation.sweep import sweep

PROGRESS_RUNS: Final = 100


def simulate(context: Context, claim: str, runs: int) -> Iterator[Row]:
    """Runs with faults under `repaired`; their seeds are 0 and up, so that one that fails, fails again."""
    result = SweepResult()
    for outcome in sweep(range(runs), Semantics.REPAIRED):
        result.add(outcome)
        if result.runs % PROGRESS_RUNS == 0:
            print(f"{result.runs} of {runs} runs", flush=True)
    yield Row(
        claim=claim,
        verdict=Verdict.VIOLATED if result.failed else Verdict.HOLDS,
        count=result.runs,
        unit="runs",
        note=_note(result),
        story=tuple(f"seed {seed}: {problem}" for seed, found in sorted(result.failed.items()) for problem in found),
        data=result.as_json(),
    )


def _note(result: SweepResult) -> str:
    totals = result.totals
    if result.failed:
        return f"{len(result.failed)} of {result.runs} runs broke a promise; the first has seed {min(result.failed)}"
    return (
        f"{totals['events']:,} events, {totals['crashes']:,} crashes, {totals['block recoveries']:,} block recoveries, "
        f"{totals['bytes acknowledged by hflush']:,} bytes acknowledged by hflush and "
        f"{totals['bytes acknowledged by hsync']:,} by hsync, none of them lost within the promise"
    )
