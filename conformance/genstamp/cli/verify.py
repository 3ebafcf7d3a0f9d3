"""The verb `verify`: runs every check on a sample of the systems, on all of them, or on those of a user's file.

The table goes to standard output, how far the run is to standard error. Not here: the checks (`genstamp.verify`).
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from genstamp import exit_codes
from genstamp.cli import TOLD
from genstamp.errors import GenstampError
from genstamp.progress import LINE_EVERY_S
from genstamp.report import Format
from genstamp.verify import readme
from genstamp.verify import results as writing
from genstamp.verify.job import Context
from genstamp.verify.plan import Plan, of_file, whole
from genstamp.verify.quick import quick
from genstamp.verify.results import Results
from genstamp.verify.row import Verdict, worst
from genstamp.verify.run import Progress, Run, run_directory
from genstamp.verify.summing import LOCK, found_in


def verify(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE.py]", help="Check every system of your own file instead.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Directory for the results, empty or new; by default .genstamp/runs/NUMBER."),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="What to print at the end.")] = Format.TEXT,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random choices.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each processor.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Check every configuration, bug and hole, with other checkers and all pages.")
    ] = False,
    on_demand: Annotated[
        bool, typer.Option("--on-demand", help="As --all, plus the configurations that are searched only on demand.")
    ] = False,
    rewrite_readme: Annotated[
        bool,
        typer.Option(
            "--rewrite-readme", help="With --all: bring docs/verify.md and the figures in README.md up to date."
        ),
    ] = False,
    repository: Annotated[Path, typer.Option(help="The repository's root.")] = Path(),
) -> None:
    """Run a sample of every check, or with --all every check; print one table at the end.

    With FILE.py, run every check of the systems in your file: all configurations, semantics, bugs and holes, proofs,
    coverage and vacuity. The results are compared with FILE.lock, which genstamp lock FILE.py --write writes.

    Exit code: 0 all holds, 12 something is violated, 75 something could not be checked, 3 something is undetermined, or
    Ctrl-C.
    """
    if rewrite_readme and not everything:
        raise typer.BadParameter("--rewrite-readme needs --all, because the page has a row for every check")
    if file is not None:
        if everything:
            raise typer.BadParameter("a file of your own is always checked as a whole", param_hint="--all")
        plan = of_file(file, on_demand=on_demand)
    else:
        refuse_no_checkout(repository)
        plan = whole(repository, on_demand=on_demand) if everything or on_demand else quick(repository)
    with ending_children_on_sigterm():
        results = run(plan, repository, out, seed, jobs)
    if rewrite_readme:
        bring_up_to_date(repository, results)
    if output is Format.TEXT:
        for line in writing.table_lines(results):
            typer.echo(line)
    else:
        typer.echo(writing.in_form(output, results), nl=False)
    raise typer.Exit(results.exit_code)


def refuse_no_checkout(repository: Path, instead: str = ", or name your own file") -> None:
    """Refuse a directory without a specification: nothing there could be compared or brought up to date."""
    if not (repository / LOCK.parent).is_dir():
        raise typer.BadParameter(
            f"{repository.absolute()} is not a checkout of genstamp; go to one{instead}",
            param_hint="--repository",
        )


def bring_up_to_date(repository: Path, results: Results) -> None:
    """Rewrite the page with the table, and totals and figures in the README, if all other checks hold."""
    page, first = repository / readme.PAGE, repository / readme.README
    if worst(results.rows[:-1]) is not Verdict.HOLDS:
        typer.echo(f"{page} and {first} are left as they are: they show what is given when all holds", err=True)
        return
    table = readme.page_rewritten(page.read_text(encoding="utf-8"), results.rows)
    page.write_text(table, encoding="utf-8")
    text = first.read_text(encoding="utf-8")
    first.write_text(readme.rewritten(text, table, found_in(results.rows)), encoding="utf-8")
    typer.echo(f"{page} and {first} are up to date", err=True)


def run(plan: Plan, repository: Path, out: Path | None, seed: int, jobs: int | None) -> Results:
    """Carry out a plan, show the progress, and write the results; exit with 2 if it cannot begin."""
    try:
        directory = run_directory(repository, out)
    except GenstampError as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(exit_codes.USAGE) from problem
    began = time.monotonic()
    context = Context(repository=repository.absolute(), directory=directory, data=data_directory(repository), seed=seed)
    jobs_run = Run(plan.jobs, context, jobs or os.cpu_count() or 1)
    with watching() as watch:
        done = jobs_run.rows(watch)
    if jobs_run.is_interrupted:
        typer.echo(TOLD, err=True)
    results = Results(
        rows=tuple(plan.rows(done, is_whole=not jobs_run.is_interrupted)),
        seconds=time.monotonic() - began,
        seed=seed,
        directory=os.path.relpath(directory),
    )
    writing.write(results, directory)
    return results


def data_directory(repository: Path) -> Path | None:
    """The folder of real logs and images: `GENSTAMP_DATA`, by default `../shared/data`; None where there is none."""
    data = Path(os.environ.get("GENSTAMP_DATA") or repository.absolute().parent / "shared" / "data")
    return data.absolute() if data.is_dir() else None


@contextmanager
def ending_children_on_sigterm() -> Iterator[None]:
    """Makes SIGTERM to this process end its jobs too."""

    def leave(number: int, frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def watching() -> Iterator["Watch"]:
    """Shows the progress of a run on standard error: continuously on a terminal, else one line a minute."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Watch(lambda progress: typer.echo(" | ".join(progress_lines(progress)), err=True))
        return
    with Live(console=console, transient=True, refresh_per_second=4) as live:
        yield Watch(lambda progress: live.update(Text("\n".join(progress_lines(progress)))), every_s=0.0)


class Watch:
    """Shows progress, at most once in a given interval.

    Args:
        show: shows it.
        every_s: least time between two showings, in seconds.
    """

    def __init__(self, show: Callable[[Progress], None], every_s: float = LINE_EVERY_S) -> None:
        self._show = show
        self._every_s = every_s
        self._next = every_s

    def __call__(self, progress: Progress) -> None:
        """Show it, if the interval has passed."""
        if progress.seconds >= self._next:
            self._next = progress.seconds + self._every_s
            self._show(progress)


def progress_lines(progress: Progress) -> Iterator[str]:
    """The progress of a run: a line for the run and one for each job."""
    yield f"{progress.done} of {progress.total} jobs done in {progress.seconds:.0f} s"
    for name, (seconds, last) in progress.running.items():
        yield f"{name} {seconds:.0f} s{': ' if last else ''}{last}"
