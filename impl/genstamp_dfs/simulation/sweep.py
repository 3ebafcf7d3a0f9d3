"""Many simulated runs, a seed each: totals of all, and every seed whose run had a problem.

`python -m genstamp_dfs.simulation.sweep --seeds 10000` prints the totals as JSON on standard output. The seed of a run
that failed replays it; `--shrink` looks for less of its plan that still fails.

Not here: events; a run of a single seed has them.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.simulation.arguments import add_run_arguments, at_least, plan_options
from genstamp_dfs.simulation.outcomes import PROGRESS_S, SeedOutcome, SweepResult
from genstamp_dfs.simulation.plan import Plan, PlanOptions, make_plan
from genstamp_dfs.simulation.run import Run, RunResult, default_options, run_seed
from genstamp_dfs.simulation.shrink import shrink


def run_one(seed: int, semantics: Semantics, options: PlanOptions) -> SeedOutcome:
    """The run of one seed."""
    result = run_seed(seed, semantics, options, keep_events=False)
    return SeedOutcome(seed, result.is_safe, tuple(result.problems), _totals(result))


def _totals(result: RunResult) -> dict[str, int]:
    lost = Counter[str]()
    for loss in result.lost:
        lost["bytes lost within the promise" if loss.promised else "bytes lost outside the promise"] += loss.num_bytes
    return {**result.totals, **lost, "blocks unreadable": len(result.unreadable)}


def _run_job(job: tuple[int, Semantics, PlanOptions]) -> SeedOutcome:
    return run_one(*job)


def sweep(
    seeds: Iterable[int],
    semantics: Semantics = Semantics.REPAIRED,
    options: PlanOptions | None = None,
    *,
    processes: int = 1,
) -> Iterator[SeedOutcome]:
    """The runs of some seeds, as they come to an end.

    Args:
        seeds: of the runs.
        semantics: of the cores.
        options: how large and bad they are.
        processes: how many run at a time.
    """
    jobs = [(seed, semantics, options or PlanOptions()) for seed in seeds]
    if processes == 1:
        yield from map(_run_job, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(_run_job, jobs, chunksize=8)


def shrink_seed(seed: int, semantics: Semantics, options: PlanOptions) -> Plan:
    """A shorter plan that fails as the seed's does: by safety, or by a file that stays open."""
    cluster = default_options(semantics, options)
    plan = make_plan(seed, options)
    is_safe = Run(plan, cluster).run(keep_events=False).is_safe

    def fails(candidate: Plan) -> bool:
        result = Run(candidate, cluster).run(keep_events=False)
        return bool(result.problems) and result.is_safe == is_safe

    return shrink(plan, fails)


def main(given: Sequence[str] | None = None) -> int:
    """Run what the arguments say, by default those of the process; gives the exit code."""
    parser = argparse.ArgumentParser(prog="genstamp_dfs.simulation.sweep", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=at_least(1), default=500, help="how many")
    add_run_arguments(parser)
    parser.add_argument("--processes", type=at_least(1), default=os.cpu_count() or 1, help="at a time")
    parser.add_argument("--shrink", action="store_true", help="make the plan of the first failing seed shorter")
    arguments = parser.parse_args(given)
    semantics, options = Semantics(arguments.semantics), plan_options(arguments)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    print(f"seeds {seeds.start} to {seeds.stop - 1}, {semantics.value}, {options}", file=sys.stderr)
    result, told = SweepResult(), time.monotonic()
    for outcome in sweep(seeds, semantics, options, processes=arguments.processes):
        result.add(outcome)
        for problem in outcome.problems:
            print(f"seed {outcome.seed}: {problem}", file=sys.stderr)
        if time.monotonic() - told > PROGRESS_S:
            told = time.monotonic()
            print(f"{result.runs} of {len(seeds)} runs, {len(result.failed)} failed", file=sys.stderr)
    print(json.dumps(result.as_json(), indent=2))
    if arguments.shrink and result.failed:
        print(shrink_seed(min(result.failed), semantics, options), file=sys.stderr)
    return result.exit_code


if __name__ == "__main__":
    sys.exit(main())
