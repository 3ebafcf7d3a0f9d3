"""The verb `levels`: which level of conformance an implementation reaches, and as which release of Hadoop.

Not here: the levels (`genstamp.stateful.levels`) and the test of one system (`genstamp conform`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from genstamp import exit_codes, progress
from genstamp.adapters import Adapter
from genstamp.cli.conform import report as reports
from genstamp.cli.conform.adapter import adapters
from genstamp.cli.conform.saving import broken_off, options, saved
from genstamp.errors import AdapterError
from genstamp.report import Case, Format, document
from genstamp.stateful import Report, conform, driving_of, new_seed, run_lines
from genstamp.stateful.levels import LEVELS, RELEASES, Row, climb, reached
from genstamp.systems import system_named
from genstamp_model.language.system import System

_LEVELS = ", ".join(f"{one.number} {one.name}" for one in LEVELS)


def levels(
    command: Annotated[
        str | None,
        typer.Option(help="Starts an adapter of your implementation; by default the reference implementation."),
    ] = None,
    level: Annotated[int, typer.Option(min=1, max=len(LEVELS), help=f"The highest level to test: {_LEVELS}.")] = 3,
    release: Annotated[
        list[str] | None,
        typer.Option(help=f"Compare with this release only; may be repeated. Known: {', '.join(RELEASES)}."),
    ] = None,
    examples: Annotated[int, typer.Option(min=1, help="Number of runs of each system.")] = 100,
    steps: Annotated[int, typer.Option(min=1, help="Requests in a run.")] = 60,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the tests; a seed repeats them. Drawn by default.")
    ] = None,
    require_seen: Annotated[
        bool, typer.Option("--require-seen", help="A level is not reached where an answer of its model was never seen.")
    ] = False,
    adapter_log: Annotated[
        Path | None, typer.Option(help="Keep what the command writes to standard error in this file.")
    ] = None,
    answer_seconds: Annotated[float, typer.Option(min=0.1, help="Timeout of one answer of the command.")] = 10.0,
    shrink_seconds: Annotated[float, typer.Option(min=0.0, help="Time limit for shortening a failing run.")] = 60.0,
    save: Annotated[
        Path | None,
        typer.Option(help="Where to save a run that does not conform; by default genstamp-run-SEED.jsonl."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Find the level of conformance that an implementation reaches, and the release of Hadoop that it is most like.

    Each level includes those below it. The implementation is compared with each release, level by level, with random
    requests as by genstamp conform, until a level is not reached. If --level is not reached, a failing run against the
    most similar release is shortened, printed and saved.

    Exit code: 0 --level is reached, 12 it is not, 3 undetermined (too many states were possible, an answer was never
    seen, or Ctrl-C), 75 the adapter cannot drive a system.
    """
    for name in release or ():
        if name not in RELEASES:
            raise typer.BadParameter(f"there is no release '{name}'; known are {', '.join(RELEASES)}")
    drawn = new_seed() if seed is None else seed
    typer.echo(f"seed {drawn}", err=form is not Format.TEXT)
    rows: list[Row] = []
    try:
        with adapters(command, answer_seconds, adapter_log) as made, progress.live() as show:

            def test(adapter: Adapter, system: System, semantics: str, shrink: float = 0.0) -> Report:
                told = f"{system.name} ({semantics})"
                found = conform(
                    adapter,
                    system,
                    semantics,
                    examples=examples,
                    steps=steps,
                    seed=drawn,
                    shrink_seconds=shrink,
                    progress=lambda figures: show(f"{told}: {reports.progress_line(figures, examples)}"),
                )
                return replace(found, requires_seen=require_seen)

            rows += climb(made, release or RELEASES, level, test)
            first = next((row for row in stopping(rows, level) if row.outcome == "rejected"), None)
            if first is not None:
                shorter = test(made(), system_named(first.system), first.semantics, shrink_seconds)
                rows[rows.index(first)] = first = replace(first, report=shorter)
    except AdapterError as problem:
        broken_off(problem, save, drawn, ["genstamp", "conform", *options(command=command)])
        raise typer.Exit(exit_codes.FAILURE) from None
    if form is Format.TEXT:
        for line in told(rows, level, first):
            typer.echo(line)
    else:
        typer.echo(document(form, "genstamp levels", lambda: plain(rows, level, drawn), cases(rows)), nl=False)
    if first is not None and first.report is not None and first.report.failure is not None:
        failure, driving = first.report.failure, driving_of(first.system)
        same = ["genstamp", "conform", *options(command=command, system=first.system, semantics=first.semantics)]
        lines = tuple(run_lines(failure.cluster, failure.requests, driving))
        typer.echo(saved(lines, save, drawn, same), err=True)
    raise typer.Exit(exit_code(rows, level))


def stopping(rows: Sequence[Row], asked: int) -> list[Row]:
    """The rows that keep the implementation from the level that is asked for, of the releases that it is most like.

    Args:
        rows: all rows.
        asked: number of the level.

    Returns:
        None if the level is reached.
    """
    best, like = reached(rows)
    if best >= asked:
        return []
    kept = like or tuple(dict.fromkeys(row.release for row in rows))
    return [row for row in rows if row.release in kept and row.outcome != "conforms"]


def exit_code(rows: Sequence[Row], asked: int) -> int:
    """The exit code of the verb: undetermined as long as the level may be reached as some release."""
    outcomes = {row.outcome for row in stopping(rows, asked)}
    if not outcomes:
        return exit_codes.HOLDS
    if "undetermined" in outcomes:
        return exit_codes.UNDETERMINED
    return exit_codes.VIOLATED if "rejected" in outcomes else exit_codes.FAILURE


def told(rows: Sequence[Row], asked: int, failed: Row | None) -> Iterator[str]:
    """The result in lines: the story of a failure, the table, and the level."""
    if failed is not None and failed.report is not None and failed.report.failure is not None:
        yield f"{failed.system} ({failed.semantics}):"
        yield from failed.report.failure.lines
        yield ""
    yield f"{'release':<12}{'level':<13}{'system':<21}{'verdict':<14}{'runs':>6}{'events':>9}  answers seen"
    for row in rows:
        level = f"{row.level.number} {row.level.name}"
        yield f"{row.release:<12}{level:<13}{row.system:<21}{row.outcome:<14}{_figures(row)}"
    best, like = reached(rows)
    name = f"level {best} ({LEVELS[best - 1].name})" if best else "no level"
    yield f"{name} of {asked} is reached" + (f", as {', '.join(like)}" if like else "")
    for row in stopping(rows, asked):
        yield f"  {row.system} ({row.semantics}): {_why(row)}"


def _figures(row: Row) -> str:
    if row.report is None:
        return ""
    figures, seen = row.report.figures, row.report.answers - len(row.report.never_seen)
    return f"{figures.examples:>6,}{figures.events:>9,}  {seen} of {row.report.answers}"


def _why(row: Row) -> str:
    if row.report is None:
        return row.why
    return row.report.failure.problem if row.report.failure is not None else row.report.why_undetermined


def plain(rows: Sequence[Row], asked: int, seed: int) -> dict[str, Any]:
    """The result as JSON."""
    best, like = reached(rows)
    return {
        "seed": seed,
        "asked": asked,
        "level": best,
        "like": list(like),
        "exit_code": exit_code(rows, asked),
        "tests": [
            {
                "level": row.level.number,
                "release": row.release,
                "system": row.system,
                "semantics": row.semantics,
                "outcome": row.outcome,
                "why": _why(row),
                "report": None if row.report is None else reports.plain(row.report),
            }
            for row in rows
        ],
    }


def cases(rows: Sequence[Row]) -> Iterator[Case]:
    """The rows of the releases that the implementation is most like, as test cases; only they say anything of it."""
    _, like = reached(rows)
    for row in rows:
        if not like or row.release in like:
            if row.report is not None:
                yield reports.case(row.report, system_named(row.system).model(row.semantics))
            else:
                yield Case(f"genstamp.levels.{row.system}", row.semantics, 0.0, "error", "not driven", row.why)
