"""Holds Apache HDFS against the specification, and ends in one table.

    python adapters/apache-hdfs/run.py [--release 3.4.1] [--runs 50] [--seed 20261126] [--walk] [--keep-walks]
        [--faults] [SYSTEM ...]

Needs genstamp (`make setup`), Maven and a JDK of 17 or newer. Each row of the table is one process of the adapter. With
`--walk`, one configuration of each system but hdfs.replica is walked as well. `--keep-walks` walks all of them, and
keeps what was reached for docs/model-coverage.md, which `genstamp tables` makes. `--faults` puts a fault into Hadoop
and asks whether it is found; a row holds there if the run is rejected. The exit code is 0 if every row is as it should
be, 12 if a row is not, and 3 if a row is undetermined and none is wrong.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import stories
from building import RELEASES, java_command
from drivings import driving

from genstamp.adapters.child import ChildAdapter
from genstamp.stateful import conform
from genstamp.systems import system_named
from genstamp.walk import Walk, configurations_of, kept, walk
from genstamp_model.language import Configuration

REPOSITORY = Path(__file__).parents[2]
SEMANTICS = "hadoop-3.4"
ANSWER_SECONDS = 60.0
SYSTEMS = ("hdfs.recovery", "hdfs.block_recovery", "hdfs.pipeline", "hdfs.lease", "hdfs.replica")
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
COLUMNS = ("system", "kind", "runs", "events", "transitions", "events/s", "verdict", "")


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
    print(f"Apache Hadoop {given.release} held against {SEMANTICS}, seed {given.seed}", flush=True)
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
    parser.add_argument("--release", choices=RELEASES, default=RELEASES[0], help=f"of Hadoop ({RELEASES[0]})")
    parser.add_argument("--runs", type=int, default=50, help="random runs of each system (50)")
    parser.add_argument("--steps", type=int, default=60, help="requests of a run (60)")
    parser.add_argument("--seed", type=int, default=20261126, help="of the random runs (20261126)")
    parser.add_argument("--walk", action="store_true", help="go through one configuration as well")
    parser.add_argument("--keep-walks", action="store_true", help="walk all configurations, and keep what was reached")
    parser.add_argument("--faults", action="store_true", help="put faults into Hadoop instead, which must be found")
    parser.add_argument("--no-stories", action="store_true", help="leave out the stories")
    given = parser.parse_args()
    for system in given.systems:
        if system not in SYSTEMS:
            parser.error(f"{system} is not driven on Apache HDFS; {', '.join(SYSTEMS)} are")
    given.systems = given.systems or list(SYSTEMS)
    return given


def _rows(given: argparse.Namespace, directory: Path) -> Iterator[Row]:
    command = _commands(given.release, directory)
    if given.faults:
        for fault, systems in FAULTS.items():
            for system in systems:
                if system in given.systems:
                    adapter = command(f"genstamp.fault={fault}")
                    yield _random(system, adapter, given, runs=FAULT_RUNS, kind=fault, wanted="rejected")
        return
    if given.keep_walks:
        for system in given.systems:
            if system in WALKED:
                yield from _kept_walks(system, command, given.release)
        return
    for system in given.systems:
        yield _random(system, command(), given)
        if given.walk and system in WALKED:
            configuration = next(one for one in _walked(system) if one.name == WALKED[system])
            yield _row(_walk(system, configuration, command()))
    if not given.no_stories:
        yield from _stories(command, given.systems)


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
    runs: int | None = None,
    kind: str = "random",
    wanted: str = "conforms",
) -> Row:
    began = time.monotonic()
    report = conform(
        ChildAdapter(shlex.join(command), ANSWER_SECONDS),
        system_named(system),
        SEMANTICS,
        examples=given.runs if runs is None else runs,
        steps=given.steps,
        seed=given.seed,
        shrink_seconds=20.0 if wanted == "conforms" else 0.0,
        driving=driving(system),
    )
    if report.failure is not None and wanted == "conforms":
        print("\n".join(report.failure.lines), file=sys.stderr)
    figures = report.figures
    speed = f"{figures.events / (time.monotonic() - began):.0f}"
    cells = (system, kind, f"{figures.examples:,}", f"{figures.events:,}", f"{report.transitions:,}", speed)
    return Row(cells, report.verdict, wanted)


def _kept_walks(system: str, command: Callable[..., list[str]], release: str) -> Iterator[Row]:
    walks = []
    for configuration in _walked(system):
        walks.append(_walk(system, configuration, command()))
        yield _row(walks[-1])
    if all(one.verdict == "conforms" for one in walks):
        kept.keep(REPOSITORY, walks, release)


def _walked(system: str) -> list[Configuration]:
    return configurations_of(system_named(system), driving(system))


def _walk(system: str, configuration: Configuration, command: list[str]) -> Walk:
    adapter = ChildAdapter(shlex.join(command), ANSWER_SECONDS)
    found = walk(adapter, system_named(system), configuration, SEMANTICS, driving=driving(system))
    if found.failure is not None:
        print("\n".join(found.failure.lines), file=sys.stderr)
    return found


def _row(found: Walk) -> Row:
    figures = found.figures
    reached = f"{len(found.certain):,} of {len(found.transitions):,}"
    speed = f"{figures.events / found.seconds:.0f}"
    kind = f"walk {found.configuration.name}"
    cells = (found.system, kind, f"{figures.examples:,}", f"{figures.events:,}", reached, speed)
    return Row(cells, found.verdict)


def _stories(command: Callable[..., list[str]], systems: list[str]) -> Iterator[Row]:
    for system in systems:
        adapter = ChildAdapter(shlex.join(command("genstamp.known=shown")), ANSWER_SECONDS)
        try:
            for name, by_semantics in stories.expected().items():
                if stories.system_of(name) == system:
                    yield from (_story(name, adapter, *told) for told in by_semantics.items())
        finally:
            adapter.stop()


def _story(name: str, adapter: ChildAdapter, semantics: str, wanted: str) -> Row:
    told = stories.hold(name, semantics, adapter)
    is_as_told = told.verdict.startswith(wanted)
    if not is_as_told:
        print(f"{name}, {semantics}: {told.verdict}, where '{wanted}' was expected", file=sys.stderr)
    verdict = "conforms" if told.verdict == "conforms" else "rejected"
    cells = (stories.system_of(name), f"{name}, {semantics}", "1", str(len(told.events)), "", "")
    return Row(cells, verdict, verdict if is_as_told else "another")


def _line(cells: tuple[str, ...]) -> str:
    widths = (14, 48, 6, 8, 15, 9, 12, 0)
    return " ".join(
        cell.ljust(width) if index in (0, 1, 6) else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()


if __name__ == "__main__":
    sys.exit(main())
