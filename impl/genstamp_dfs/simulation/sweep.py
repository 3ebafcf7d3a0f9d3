"""Many simulated runs, a seed each: totals of all, and every seed whose run had a problem.

`python -m genstamp_dfs.simulation.sweep --seeds 10000` prints the totals as JSON on standard output. The seed of a run
that failed replays it; `--shrink` looks for less of its plan that still fails.

Not here: events; a run of a single seed has them.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.commands import Chosen, Commands, add_fault_arguments, fault_options, outcomes, shrunk
from genstamp_dfs.simulation.outcomes import SeedOutcome
from genstamp_dfs.simulation.plan import Plan, PlanOptions, make_plan
from genstamp_dfs.simulation.run import Run, RunResult, default_options, run_seed


def run_one(seed: int, semantics: Semantics, options: PlanOptions) -> SeedOutcome:
    """The run of one seed."""
    result = run_seed(seed, semantics, options, keep_events=False)
    return SeedOutcome(seed, result.is_safe, tuple(result.problems), _totals(result))


def _totals(result: RunResult) -> dict[str, int]:
    lost = Counter[str]()
    for loss in result.lost:
        lost["bytes lost within the promise" if loss.promised else "bytes lost outside the promise"] += loss.num_bytes
    return {**result.totals, **lost, "blocks unreadable": len(result.unreadable)}


def sweep(
    seeds: Iterable[int],
    semantics: Semantics = Semantics.REPAIRED,
    options: PlanOptions | None = None,
    *,
    processes: int = 1,
) -> Iterator[SeedOutcome]:
    """What came of some seeds, as their runs come to an end.

    Args:
        seeds: of the runs.
        semantics: of the cores.
        options: how large and bad they are.
        processes: how many run at a time.
    """
    return outcomes(partial(run_one, semantics=semantics, options=options or PlanOptions()), seeds, processes=processes)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--semantics",
        choices=[choice.value for choice in Semantics],
        default=Semantics.REPAIRED.value,
        help="Hadoop's with its holes, or with these closed (the default)",
    )
    default = PlanOptions()
    add_fault_arguments(parser, mean_fault_s=default.mean_fault_s, sync_ms=default.sync_ms)


def _chosen(arguments: argparse.Namespace) -> Chosen:
    semantics, options = Semantics(arguments.semantics), PlanOptions(**fault_options(arguments))

    def shrunk_seed(seed: int) -> Plan:
        cluster = default_options(semantics, options)
        return shrunk(make_plan(seed, options), lambda plan: Run(plan, cluster).run(keep_events=False))

    return Chosen(
        text=f"{semantics.value}, {options}",
        run=lambda seed: run_seed(seed, semantics, options),
        run_one=partial(run_one, semantics=semantics, options=options),
        shrunk=shrunk_seed,
    )


COMMANDS = Commands("genstamp_dfs.simulation", _add_arguments, _chosen)

if __name__ == "__main__":
    sys.exit(COMMANDS.sweep())
