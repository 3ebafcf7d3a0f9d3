"""Many simulated runs of GFS, a seed each: totals of all, and every seed whose run had a problem.

`python -m genstamp_dfs.gfs.simulation.sweep --seeds 10000` prints the totals as JSON on standard output. The seed of a
run that failed replays it; `--shrink` looks for less of its plan that still fails.

Not here: events; a run of a single seed has them.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import partial

from genstamp_dfs.gfs.simulation.plan import Plan, PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.run import Run, run_seed
from genstamp_dfs.simulation.commands import Chosen, Commands, add_fault_arguments, fault_options, outcomes, shrunk
from genstamp_dfs.simulation.outcomes import SeedOutcome


def run_one(seed: int, options: PlanOptions) -> SeedOutcome:
    """The run of one seed."""
    result = run_seed(seed, options, keep_events=False)
    return SeedOutcome(seed, result.is_safe, tuple(result.problems), dict(result.totals))


def sweep(seeds: Iterable[int], options: PlanOptions | None = None, *, processes: int = 1) -> Iterator[SeedOutcome]:
    """What came of some seeds, as their runs come to an end.

    Args:
        seeds: of the runs.
        options: how large and bad they are.
        processes: how many run at a time.
    """
    return outcomes(partial(run_one, options=options or PlanOptions()), seeds, processes=processes)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    default = PlanOptions()
    add_fault_arguments(parser, mean_fault_s=default.mean_fault_s, sync_ms=default.sync_ms)


def _chosen(arguments: argparse.Namespace) -> Chosen:
    options = PlanOptions(**fault_options(arguments))

    def shrunk_seed(seed: int) -> Plan:
        return shrunk(make_plan(seed, options), lambda plan: Run(plan).run(keep_events=False))

    return Chosen(
        text=f"{options}",
        run=lambda seed: run_seed(seed, options),
        run_one=partial(run_one, options=options),
        shrunk=shrunk_seed,
    )


COMMANDS = Commands("genstamp_dfs.gfs.simulation", _add_arguments, _chosen)

if __name__ == "__main__":
    sys.exit(COMMANDS.sweep())
