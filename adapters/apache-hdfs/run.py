"""Holds Apache HDFS against the specification, and ends in one table.

    python adapters/apache-hdfs/run.py [--release 3.4.1] [--runs 50] [--seed 20261126] [--walk] [--keep-walks]
        [--configuration NAME] [--minutes N] [--faults] [SYSTEM ...]

Needs genstamp (`make setup`), Maven and a JDK of 17 or newer. Each row of the table is one process of the adapter.
With `--walk`, one configuration of each system but hdfs.replica is walked as well. `--keep-walks` walks all of them, or
those that `--configuration` names, and keeps what each has reached for docs/model-coverage.md, which `genstamp tables`
makes; others that were walked with the same steps stay. `--minutes` makes random runs of each system for so
long, in slices of `--runs` runs with a seed each, and records each slice in spec/random_runs, for that page too: the
next call goes on after it. `--faults` puts a fault into Hadoop and asks whether it is found; a row holds there if the
run is rejected. The exit code is 0 if every row is as it should be, 12 if a row is not, and 3 if a row is undetermined
and none is wrong.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path

import stories
from building import java_command
from drivings import driving
from releases import HELD_AGAINST, SYSTEMS

from genstamp.adapters.child import ChildAdapter
from genstamp.stateful import Report, conform
from genstamp.systems import system_named
from genstamp.walk import Walk, configurations_of, graph_of, kept, random_runs, walk
from genstamp_model.language import Configuration

REPOSITORY = Path(__file__).parents[2]
STORIES_ARE_OF = "hadoop-3.4"
ANSWER_SECONDS = 60.0
WALKED = {
    "hdfs.recovery": "one_recovery",
    "hdfs.block_recovery": "late",
    "hdfs.pipeline": "pair",
    "hdfs.lease": "one_block_restart",
}
# By fault, the systems that must find it, and how many runs that may take.
FAULTS = {
    "recovery-id-not-compared": ("hdfs.recovery", "hdfs.block_recovery", "hdfs.lease"),
    "commit-under-recovery": ("hdfs.recovery", "hdfs.block_recovery", "hdfs.lease"),
    "older-recovery-accepted": ("hdfs.recovery", "hdfs.block_recovery", "hdfs.replica"),
    "stamp-not-raised": ("hdfs.pipeline", "hdfs.replica"),
}
FAULT_RUNS = 400
COLUMNS = ("system", "held against", "kind", "runs", "events", "transitions", "events/s", "verdict", "")


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        cells: by column, all but the last.
        verdict: "conforms", "rejected" or "undetermined".
        wanted: the verdict that it should have.
    """

    cells: tuple[str, ...]
    verdict: str
    wanted: str = "conforms"

    @property
    def mark(self) -> str:
        """What stands in the last column."""
        return "ok" if self.verdict == self.wanted else "undetermined" if self.verdict == "undetermined" else "WRONG"


def main() -> int:
    """Makes the rows that the command line asks for."""
    given = _arguments()
    rows: list[Row] = []
    print(f"Apache Hadoop {given.release}, seed {given.seed}", flush=True)
    print(_line(COLUMNS), flush=True)
    with tempfile.TemporaryDirectory(prefix="genstamp-apache-") as directory:
        for row in _rows(given, Path(directory)):
            rows.append(row)
            print(_line((*row.cells, row.verdict, row.mark)), flush=True)
    marks = {row.mark for row in rows}
    return 12 if "WRONG" in marks else 3 if "undetermined" in marks else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("systems", nargs="*", metavar="SYSTEM", help=f"of {', '.join(SYSTEMS)} (all)")
    parser.add_argument("--release", choices=HELD_AGAINST, default="3.4.1", help="of Hadoop (3.4.1)")
    parser.add_argument("--runs", type=int, default=50, help="random runs of each system (50)")
    parser.add_argument("--steps", type=int, default=60, help="requests of a run (60)")
    parser.add_argument("--seed", type=int, default=20261126, help="of the random runs (20261126)")
    parser.add_argument("--walk", action="store_true", help="go through one configuration as well")
    parser.add_argument("--keep-walks", action="store_true", help="walk all configurations, and keep what was reached")
    parser.add_argument("--configuration", action="append", metavar="NAME", help="walk these only (all)")
    parser.add_argument("--minutes", type=float, metavar="N", help="make random runs for so long, and record them")
    parser.add_argument("--faults", action="store_true", help="put faults into Hadoop instead, which must be found")
    parser.add_argument("--no-stories", action="store_true", help="leave out the stories")
    given = parser.parse_args()
    driven = HELD_AGAINST[given.release]
    for system in given.systems:
        if system not in driven:
            parser.error(f"{system} is not driven on Apache HDFS {given.release}; {', '.join(driven)} are")
    given.systems = given.systems or list(driven)
    return given


def _rows(given: argparse.Namespace, directory: Path) -> Iterator[Row]:
    command = _commands(given.release, directory)
    if given.faults:
        for fault, systems in FAULTS.items():
            for system in systems:
                if system in given.systems:
                    adapter = command(f"genstamp.fault={fault}")
                    yield _random_row(
                        _random(system, adapter, given, runs=FAULT_RUNS, shrinks=False), fault, "rejected"
                    )
        return
    if given.keep_walks:
        for system in given.systems:
            if system in WALKED:
                yield from _kept_walks(system, command, given)
        return
    if given.minutes is not None:
        for system in given.systems:
            yield from _slices(system, command, given)
        return
    for system in given.systems:
        yield _random_row(_random(system, command(), given))
        if given.walk and system in WALKED:
            configuration = next(one for one in _walked(system) if one.name == WALKED[system])
            yield _row(_walk(system, configuration, command(), given.release))
    if not given.no_stories:
        yield from _stories(command, given.systems, given.release)


def _commands(release: str, directory: Path) -> Callable[..., list[str]]:
    """Gives the command of an adapter with a directory of its own."""
    built = java_command("adapter", release, "genstamp.adapter.Main")
    made = iter(range(1_000_000))

    def command(*properties: str) -> list[str]:
        options = [f"-D{one}" for one in properties]
        return [built[0], *options, *built[1:], str(directory / str(next(made)))]

    return command


def _random(
    system: str,
    command: list[str],
    given: argparse.Namespace,
    *,
    seed: int | None = None,
    runs: int | None = None,
    shrinks: bool = True,
) -> Report:
    report = conform(
        ChildAdapter(shlex.join(command), ANSWER_SECONDS),
        system_named(system),
        HELD_AGAINST[given.release][system],
        examples=given.runs if runs is None else runs,
        steps=given.steps,
        seed=given.seed if seed is None else seed,
        shrink_seconds=20.0 if shrinks else 0.0,
        driving=driving(system),
    )
    if report.failure is not None and shrinks:
        print("\n".join(report.failure.lines), file=sys.stderr)
    return report


def _random_row(report: Report, kind: str = "random", wanted: str = "conforms") -> Row:
    figures = report.figures
    counts = (f"{figures.examples:,}", f"{figures.events:,}", f"{report.transitions:,}")
    speed = f"{figures.events / report.seconds:.0f}"
    return Row((report.system, report.semantics, kind, *counts, speed), report.verdict, wanted)


def _slices(system: str, command: Callable[..., list[str]], given: argparse.Namespace) -> Iterator[Row]:
    """Goes on after the slices that are recorded, until the time is over; a slice that was begun is ended."""
    semantics = HELD_AGAINST[given.release][system]
    digest = system_named(system).model(semantics).digest_of_steps
    so_far = random_runs.of(random_runs.read(REPOSITORY, given.release), system, semantics, digest)
    ends = time.monotonic() + 60 * given.minutes
    while time.monotonic() < ends:
        seed = so_far.next_seed(given.seed)
        report = _random(system, command(), given, seed=seed)
        made = random_runs.Slice(
            seed=seed,
            runs=report.figures.examples,
            steps=given.steps,
            events=report.figures.events,
            seconds=round(report.seconds, 1),
            verdict=report.verdict,
        )
        so_far = random_runs.add(REPOSITORY, given.release, system, so_far, made)
        yield _random_row(report, f"slice {len(so_far.slices)}, seed {seed}")


def _kept_walks(system: str, command: Callable[..., list[str]], given: argparse.Namespace) -> Iterator[Row]:
    configurations = {one.name: one for one in _walked(system)}

    @cache
    def transitions_of(name: str) -> frozenset[str]:
        semantics = HELD_AGAINST[given.release][system]
        graph = graph_of(system_named(system), configurations[name], semantics, driving=driving(system))
        return frozenset(map(str, graph.abstract))

    for name, configuration in configurations.items():
        if given.configuration is None or name in given.configuration:
            found = _walk(system, configuration, command(), given.release)
            if found.verdict == "conforms":
                kept.add(
                    REPOSITORY,
                    found,
                    given.release,
                    [*configurations.values()],
                    transitions_of,
                    date.today().isoformat(),
                )
            yield _row(found)


def _walked(system: str) -> list[Configuration]:
    return configurations_of(system_named(system), driving(system))


def _walk(system: str, configuration: Configuration, command: list[str], release: str) -> Walk:
    adapter = ChildAdapter(shlex.join(command), ANSWER_SECONDS)
    semantics = HELD_AGAINST[release][system]
    found = walk(adapter, system_named(system), configuration, semantics, driving=driving(system))
    if found.failure is not None:
        print("\n".join(found.failure.lines), file=sys.stderr)
    return found


def _row(found: Walk) -> Row:
    figures = found.figures
    reached = f"{len(found.certain):,} of {len(found.transitions):,}"
    speed = f"{figures.events / found.seconds:.0f}"
    kind = f"walk {found.configuration.name}"
    cells = (found.system, found.semantics, kind, f"{figures.examples:,}", f"{figures.events:,}", reached, speed)
    return Row(cells, found.verdict)


def _stories(command: Callable[..., list[str]], systems: list[str], release: str) -> Iterator[Row]:
    for system in systems:
        semantics = HELD_AGAINST[release][system]
        adapter = ChildAdapter(shlex.join(command("genstamp.known=shown")), ANSWER_SECONDS)
        try:
            for name, by_semantics in stories.expected().items():
                if stories.system_of(name) == system:
                    yield _story(name, adapter, semantics, by_semantics.get(semantics, by_semantics[STORIES_ARE_OF]))
                    # What else is expected is expected of whoever has the holes of this release.
                    if "repaired" in by_semantics and semantics == STORIES_ARE_OF:
                        yield _story(name, adapter, "repaired", by_semantics["repaired"])
        finally:
            adapter.stop()


def _story(name: str, adapter: ChildAdapter, semantics: str, wanted: str) -> Row:
    told = stories.hold(name, semantics, adapter)
    is_as_told = told.verdict.startswith(wanted)
    if not is_as_told:
        print(f"{name}, {semantics}: {told.verdict}, where '{wanted}' was expected", file=sys.stderr)
    verdict = "conforms" if told.verdict == "conforms" else "rejected"
    cells = (stories.system_of(name), semantics, name, "1", str(len(told.events)), "", "")
    return Row(cells, verdict, verdict if is_as_told else "another")


def _line(cells: tuple[str, ...]) -> str:
    widths = (19, 12, 38, 6, 8, 15, 9, 12, 0)
    return " ".join(
        cell.ljust(width) if index in (0, 1, 2, 7) else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()


if __name__ == "__main__":
    sys.exit(main())
