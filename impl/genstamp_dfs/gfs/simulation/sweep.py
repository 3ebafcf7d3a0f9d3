"""Many simulated runs of GFS, a seed each: totals of all, and every seed whose run had a problem.

`python -m genstamp_dfs.gfs.simulation.sweep --seeds 10000` prints the totals as JSON on standard output. The seed of a
run that failed replays it; `--shrink` looks for less of its plan that still fails.

Not here: events; a run of a single seed has them.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

from genstamp_dfs.gfs.simulation.plan import Plan, PlanOptions, make_plan
from genstamp_dfs.gfs.simulation.run import Run, run_seed
from genstamp_dfs.simulation.arguments import add_disk_fault_argument, at_least
from genstamp_dfs.simulation.outcomes import PROGRESS_S, SeedOutcome, SweepResult
from genstamp_dfs.simulation.shrink import shrink


def run_one(seed: int, options: PlanOptions) -> SeedOutcome:
    """The run of one seed."""
    result = run_seed(seed, options, keep_events=False)
    return SeedOutcome(seed, result.is_safe, tuple(result.problems), dict(result.totals))


def _run_job(job: tuple[int, PlanOptions]) -> SeedOutcome:
    return run_one(*job)


def sweep(seeds: Iterable[int], options: PlanOptions | None = None, *, processes: int = 1) -> Iterator[SeedOutcome]:
    """The runs of some seeds, as they come to an end.

    Args:
        seeds: of the runs.
        options: how large and bad they are.
        processes: how many run at a time.
    """
    jobs = [(seed, options or PlanOptions()) for seed in seeds]
    if processes == 1:
        yield from map(_run_job, jobs)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(_run_job, jobs, chunksize=8)


def shrink_seed(seed: int, options: PlanOptions) -> Plan:
    """A shorter plan that fails as the seed's does: by safety, or by what does not come to its end."""
    plan = make_plan(seed, options)
    is_safe = Run(plan).run(keep_events=False).is_safe

    def fails(candidate: Plan) -> bool:
        result = Run(candidate).run(keep_events=False)
        return bool(result.problems) and result.is_safe == is_safe

    return shrink(plan, fails)


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what every run has: `--mean-fault-s`, `--mean-disk-fault-s` and `--sync-ms`."""
    default = PlanOptions()
    parser.add_argument(
        "--mean-fault-s", type=at_least(0), default=default.mean_fault_s, help="mean seconds between faults; 0 for none"
    )
    add_disk_fault_argument(parser)
    parser.add_argument(
        "--sync-ms",
        type=at_least(0),
        default=default.sync_ms,
        help="a sync that others do not wait for takes less than this; 0 for no time",
    )


def plan_options(arguments: argparse.Namespace) -> PlanOptions:
    """What these arguments say of the plan."""
    return PlanOptions(
        mean_fault_s=arguments.mean_fault_s,
        mean_disk_fault_s=arguments.mean_disk_fault_s,
        sync_ms=arguments.sync_ms,
    )


def main(given: Sequence[str] | None = None) -> int:
    """Run what the arguments say, by default those of the process; gives the exit code."""
    parser = argparse.ArgumentParser(prog="genstamp_dfs.gfs.simulation.sweep", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=at_least(1), default=500, help="how many")
    add_run_arguments(parser)
    parser.add_argument("--processes", type=at_least(1), default=os.cpu_count() or 1, help="at a time")
    parser.add_argument("--shrink", action="store_true", help="make the plan of the first failing seed shorter")
    arguments = parser.parse_args(given)
    options = plan_options(arguments)
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    print(f"seeds {seeds.start} to {seeds.stop - 1}, {options}", file=sys.stderr)
    result, told = SweepResult(), time.monotonic()
    for outcome in sweep(seeds, options, processes=arguments.processes):
        result.add(outcome)
        for problem in outcome.problems:
            print(f"seed {outcome.seed}: {problem}", file=sys.stderr)
        if time.monotonic() - told > PROGRESS_S:
            told = time.monotonic()
            print(f"{result.runs} of {len(seeds)} runs, {len(result.failed)} failed", file=sys.stderr)
    print(json.dumps(result.as_json(), indent=2))
    if arguments.shrink and result.failed:
        print(shrink_seed(min(result.failed), options), file=sys.stderr)
    return result.exit_code


if __name__ == "__main__":
    sys.exit(main())
