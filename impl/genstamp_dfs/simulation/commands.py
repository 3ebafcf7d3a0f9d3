"""The commands of simulated runs, of whichever file system: one run with its events, and many runs with their totals.

Not here: the runs, and the options that only one file system has.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from genstamp_dfs.events import Event, encode_lines
from genstamp_dfs.simulation.outcomes import EXIT_LIVENESS, EXIT_SAFETY, PROGRESS_S, SeedOutcome, SweepResult
from genstamp_dfs.simulation.shrink import OnePlan, shrink

MEAN_DISK_FAULT_S = 100


class Result(Protocol):
    """What came of one run."""

    @property
    def events(self) -> tuple[Event, ...]: ...
    @property
    def totals(self) -> Counter[str]: ...
    @property
    def outcomes(self) -> Counter[str]: ...
    @property
    def problems(self) -> list[str]: ...
    @property
    def is_safe(self) -> bool: ...


@dataclass(frozen=True)
class Chosen:
    """What the arguments of a command have chosen.

    Attributes:
        text: the options, as the command repeats them.
        run: the run of a seed, with its events.
        run_one: what came of a seed; another process can call it.
        shrunk: a shorter plan that fails as the seed's does.
    """

    text: str
    run: Callable[[int], Result]
    run_one: Callable[[int], SeedOutcome]
    shrunk: Callable[[int], Any]


@dataclass(frozen=True)
class Commands:
    """The commands of one file system.

    Attributes:
        package: its simulation, which `python -m` runs.
        add_arguments: adds the arguments that every run has.
        chosen: reads them.
    """

    package: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    chosen: Callable[[argparse.Namespace], Chosen]

    def run(self, given: Sequence[str] | None = None) -> int:
        """Print the events of one run as JSON lines, and what came out on standard error; gives the exit code.

        Args:
            given: the arguments; by default those of the process.
        """
        parser = argparse.ArgumentParser(prog=self.package, description="The events of one run as JSON lines.")
        parser.add_argument("--seed", type=int, default=0, help="of the run; the same seed gives the same events")
        self.add_arguments(parser)
        arguments = parser.parse_args(given)
        chosen = self.chosen(arguments)
        print(f"seed {arguments.seed}, {chosen.text}", file=sys.stderr)
        result = chosen.run(arguments.seed)
        sys.stdout.buffer.write(encode_lines(result.events))
        for what, number in sorted((result.totals + result.outcomes).items()):
            print(f"{number:>10} {what}", file=sys.stderr)
        for problem in result.problems:
            print(f"problem: {problem}", file=sys.stderr)
        if not result.is_safe:
            return EXIT_SAFETY
        return EXIT_LIVENESS if result.problems else 0

    def sweep(self, given: Sequence[str] | None = None) -> int:
        """Run many seeds, and print the totals as JSON; each seed that failed on standard error; gives the exit code.

        Args:
            given: the arguments; by default those of the process.
        """
        parser = argparse.ArgumentParser(prog=f"{self.package}.sweep", description="Many runs: totals, and failures.")
        parser.add_argument("--first", type=int, default=0, help="the first seed")
        parser.add_argument("--seeds", type=at_least(1), default=500, help="how many")
        self.add_arguments(parser)
        parser.add_argument("--processes", type=at_least(1), default=os.cpu_count() or 1, help="at a time")
        parser.add_argument("--shrink", action="store_true", help="make the plan of the first failing seed shorter")
        arguments = parser.parse_args(given)
        chosen = self.chosen(arguments)
        seeds = range(arguments.first, arguments.first + arguments.seeds)
        print(f"seeds {seeds.start} to {seeds.stop - 1}, {chosen.text}", file=sys.stderr)
        result, told = SweepResult(), time.monotonic()
        for outcome in outcomes(chosen.run_one, seeds, processes=arguments.processes):
            result.add(outcome)
            for problem in outcome.problems:
                print(f"seed {outcome.seed}: {problem}", file=sys.stderr)
            if time.monotonic() - told > PROGRESS_S:
                told = time.monotonic()
                print(f"{result.runs} of {len(seeds)} runs, {len(result.failed)} failed", file=sys.stderr)
        print(json.dumps(result.as_json(), indent=2))
        if arguments.shrink and result.failed:
            print(chosen.shrunk(min(result.failed)), file=sys.stderr)
        return result.exit_code


def outcomes(
    run_one: Callable[[int], SeedOutcome], seeds: Iterable[int], *, processes: int = 1
) -> Iterator[SeedOutcome]:
    """What came of some seeds, as their runs come to an end.

    Args:
        run_one: makes one; another process can call it.
        seeds: of the runs.
        processes: how many run at a time.
    """
    if processes == 1:
        yield from map(run_one, seeds)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        yield from pool.imap_unordered(run_one, seeds, chunksize=8)


def shrunk(plan: OnePlan, run: Callable[[OnePlan], Result]) -> OnePlan:
    """A shorter plan that fails as one does: by safety, or by what does not come to its end."""
    is_safe = run(plan).is_safe

    def fails(candidate: OnePlan) -> bool:
        result = run(candidate)
        return bool(result.problems) and result.is_safe == is_safe

    return shrink(plan, fails)


def at_least(least: int) -> Callable[[str], int]:
    """A type of argument: whole numbers from `least` on.

    >>> at_least(1)("3")
    3
    """

    def number(text: str) -> int:
        value = int(text) if text.removeprefix("-").isdecimal() else None
        if value is None or value < least:
            raise argparse.ArgumentTypeError(f"{text!r} is refused, accepted: whole numbers from {least} on")
        return value

    return number


def add_fault_arguments(parser: argparse.ArgumentParser, *, mean_fault_s: int, sync_ms: int) -> None:
    """Add `--mean-fault-s`, `--mean-disk-fault-s` and `--sync-ms`, which runs of each file system have.

    Args:
        parser: that gets them.
        mean_fault_s, sync_ms: the defaults of the file system.
    """
    for name, default, text in (
        ("--mean-fault-s", mean_fault_s, "mean seconds between two faults; 0 for none"),
        ("--mean-disk-fault-s", MEAN_DISK_FAULT_S, "the same of disks that are full or fail to sync"),
        ("--sync-ms", sync_ms, "a sync that others do not wait for takes less than this; 0 for no time"),
    ):
        parser.add_argument(name, type=at_least(0), default=default, help=text)


def fault_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What these arguments say, by the names that a plan's options have."""
    return {name: getattr(arguments, name) for name in ("mean_fault_s", "mean_disk_fault_s", "sync_ms")}
