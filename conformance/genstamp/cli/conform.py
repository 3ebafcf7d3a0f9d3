"""The verb `conform`: holds somebody's implementation, or the reference implementation, against a system.

Leaves out the test itself (see `genstamp.stateful`) and the protocol (see docs/adapter-protocol.md).
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from genstamp.adapters import Adapter, ChildAdapter, ReferenceAdapter
from genstamp.errors import AdapterError
from genstamp.report import Case, junit
from genstamp.stateful import Figures, Report, answer_text
from genstamp.stateful import conform as hold
from genstamp.systems import system_named

_EXIT_CODES: Final = {"conforms": 0, "rejected": 12, "undetermined": 3}
_FAILURE: Final = 75
_LINE_EVERY_S: Final = 60.0


class Format(StrEnum):
    """What standard output gets."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


def conform(
    command: Annotated[
        str | None,
        typer.Option(help="Starts an implementation that speaks the adapter protocol; by default the reference one."),
    ] = None,
    system: Annotated[str, typer.Option(help="What it is held against.")] = "hdfs.recovery",
    semantics: Annotated[str | None, typer.Option(help="Of the system; its default unless named.")] = None,
    examples: Annotated[int, typer.Option(min=1, help="How many runs.")] = 100,
    steps: Annotated[int, typer.Option(min=1, help="How many requests a run has.")] = 60,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeats an earlier test; drawn unless given.")] = None,
    answer_seconds: Annotated[float, typer.Option(min=0.1, help="How long the command may take to answer.")] = 10.0,
    shrink_seconds: Annotated[float, typer.Option(min=0.0, help="How long a failing run may be shortened.")] = 60.0,
    form: Annotated[Format, typer.Option("--format", help="What to print.")] = Format.TEXT,
) -> None:
    """Drive an implementation at random, as the model suggests, and hold every event against the model.

    A run that does not conform is shortened and told step by step.

    Exit code: 0 it conforms, 12 it does not, 3 undetermined (too many states were possible), 75 it cannot be driven.
    """
    adapter: Adapter = ReferenceAdapter() if command is None else ChildAdapter(command, answer_seconds)
    try:
        with _progress(examples) as progress:
            report = hold(
                adapter,
                system_named(system),
                semantics,
                examples=examples,
                steps=steps,
                seed=seed,
                shrink_seconds=shrink_seconds,
                progress=progress,
            )
    except AdapterError as problem:
        for line in problem.story:
            typer.echo(line, err=True)
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(_FAILURE) from None
    if form is Format.TEXT:
        for line in told(report):
            typer.echo(line)
    elif form is Format.JSON:
        typer.echo(json.dumps(plain(report), indent=2))
    else:
        typer.echo(junit("genstamp conform", [case(report)]), nl=False)
    raise typer.Exit(_EXIT_CODES[report.verdict])


@contextmanager
def _progress(examples: int) -> Iterator[Callable[[Figures], None]]:
    """Shows on standard error how far a test is: live on a terminal, a line a minute elsewhere."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status("starts") as status:
            yield lambda figures: status.update(_progress_line(figures, examples))
        return
    last = time.monotonic()

    def show(figures: Figures) -> None:
        nonlocal last
        if time.monotonic() - last >= _LINE_EVERY_S:
            last = time.monotonic()
            typer.echo(_progress_line(figures, examples), err=True)

    yield show


def _progress_line(figures: Figures, examples: int) -> str:
    return (
        f"{figures.examples:,} of about {examples:,} runs, {figures.events:,} events, "
        f"at most {figures.largest_set:,} possible states"
    )


def told(report: Report) -> Iterator[str]:
    """What came of a test, in lines."""
    figures = report.figures
    yield f"seed {report.seed}"
    if report.failure is not None:
        yield from report.failure.lines
        if not report.is_deterministic:
            yield "  repeated, these requests did not fail: the answers depend on more than the seed"
    yield f"{report.system} ({report.semantics}): {report.verdict}"
    yield (
        f"  {figures.examples:,} runs, {figures.steps:,} requests ({figures.not_possible:,} not possible), "
        f"{figures.events:,} events, {figures.refusals:,} of them refusals, {report.seconds:.1f} s"
    )
    yield f"  at most {figures.largest_set:,} possible states at a time"
    if figures.undetermined:
        yield f"  {figures.undetermined:,} runs were given up, as too many states were possible"
    yield f"  seen: {report.answers - len(report.never_seen)} of the {report.answers} answers that the model has"
    if report.never_seen:
        yield f"  never seen: {', '.join(report.never_seen)}"


def plain(report: Report) -> dict[str, Any]:
    """A report as JSON."""
    figures, failure = report.figures, report.failure
    return {
        "system": report.system,
        "semantics": report.semantics,
        "seed": report.seed,
        "verdict": report.verdict,
        "seconds": round(report.seconds, 3),
        "runs": figures.examples,
        "requests": figures.steps,
        "not_possible": figures.not_possible,
        "events": figures.events,
        "refusals": figures.refusals,
        "largest_set": figures.largest_set,
        "undetermined": figures.undetermined,
        "seen": {answer_text(answer): count for answer, count in sorted(figures.seen.items(), key=str)},
        "never_seen": list(report.never_seen),
        "failure": None
        if failure is None
        else {
            "problem": failure.problem,
            "event": failure.event,
            "checks": list(failure.labels),
            "requests": failure.steps,
            "is_deterministic": report.is_deterministic,
            "story": list(failure.lines),
        },
    }


def case(report: Report) -> Case:
    """A report as a test case."""
    group, name = f"genstamp.conform.{report.system}", f"{report.semantics}, seed {report.seed}"
    if report.failure is not None:
        return Case(group, name, report.seconds, "failure", "rejected", report.failure.problem, str(report.failure))
    if report.verdict == "undetermined":
        return Case(group, name, report.seconds, "error", "undetermined", "too many states were possible")
    return Case(group, name, report.seconds)
