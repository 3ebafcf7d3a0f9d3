"""The verb `explore`: a system in the browser, or a run of it as one HTML file.

Not here: the page and its server (`genstamp.explorer`).
"""

import webbrowser
from pathlib import Path
from typing import Annotated, Any

import typer

from genstamp.cli.choosing import completed, limits_of
from genstamp.cli.files import write_text
from genstamp.errors import TraceFileError
from genstamp.explorer import Explored, Setup
from genstamp.explorer.errors import NotFoundError
from genstamp.explorer.finding import counterexample, of_trace, to_scenario, to_witness
from genstamp.explorer.moments import told_run
from genstamp.explorer.page import file
from genstamp.explorer.runs import Run
from genstamp.explorer.server import LOOPBACK, application, listening, server
from genstamp.systems import found
from genstamp_dfs.server.process import MAX_PORT
from genstamp_model.interrupt import beside
from genstamp_model.path import Path as ModelPath


def explore(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM[:CONFIGURATION]",
            autocompletion=completed,
            help="By default where the bug shows, or the first one.",
        ),
    ],
    semantics: Annotated[str | None, typer.Option(help="Semantics; by default the default of the system.")] = None,
    bug: Annotated[
        list[str] | None, typer.Option(help="A bug or hole to add, and its shortest counterexample; may be repeated.")
    ] = None,
    set_limit: Annotated[
        list[str] | None, typer.Option("--limit", metavar="NAME=N", help="Change a limit of the configurations.")
    ] = None,
    witness: Annotated[str | None, typer.Option(help="Begin with a shortest run to this witness.")] = None,
    scenario: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Begin with a shortest run with these steps in order.")
    ] = None,
    trace: Annotated[Path | None, typer.Option(metavar="FILE", help="Begin with a trace as ITF JSON.")] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the run to one HTML file, and serve nothing.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="Port to listen on; 0 lets the system choose.")] = 0,
    opens: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Walk through a system in the browser: its state, what can happen next, and what cannot with the failing check.

    The page is served to this machine only, and loads nothing from other hosts. It finds shortest runs to witnesses
    and bugs, opens traces, shows swim lanes, and shares a run as a link or a file. Press ? there for its keys.

    With --html FILE a counterexample, or what --witness, --scenario or --trace gives, is written as one page that opens
    without a server.

    Exit code: 0 the file is written, 2 the file or port cannot be used, 12 there is no such run, 3 undetermined, or
    Ctrl-C.
    """
    if sum(one is not None for one in (witness, scenario, trace)) > 1:
        raise typer.BadParameter("give one of --witness, --scenario and --trace", param_hint="--witness")
    declared, configuration = found(system)
    explored = Explored(declared, limits_of(set_limit or ()))
    setup = explored.setup(configuration, semantics, tuple(bug or ()))
    try:
        setup, run = _run(explored, setup, witness, scenario, trace, wants_run=html is not None or bool(bug))
    except NotFoundError as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(problem.exit_code) from None
    beginning = told_run(explored.evaluator(setup), setup, run)
    if html is None:
        _serve(explored, beginning, port, opens)
    else:
        write_text(html, file(explored, beginning, run.path.to_itf(run.loop)))
        typer.echo(f"{html} is written")


def _run(
    explored: Explored,
    setup: Setup,
    witness: str | None,
    scenario: str | None,
    trace: Path | None,
    *,
    wants_run: bool,
) -> tuple[Setup, Run]:
    """The run to begin with: what is asked for, or else a counterexample, or else only the initial state."""
    instance = explored.evaluator(setup).instance
    if trace is not None:
        try:
            return of_trace(explored, trace.read_bytes(), setup)
        except OSError as problem:
            raise TraceFileError(trace, problem.strerror or str(problem)) from problem
    if witness is not None:
        return setup, to_witness(instance, witness)
    if scenario is not None:
        return setup, to_scenario(instance, scenario)
    if wants_run:
        return setup, counterexample(instance)
    return setup, Run(ModelPath(instance, explored.evaluator(setup).initial()))


def _serve(explored: Explored, beginning: dict[str, Any], port: int, opens: bool) -> None:
    on = listening(port)
    number = on.getsockname()[1]
    address = f"http://{LOOPBACK}:{number}/"
    typer.echo(f"{explored.system.name} is at {address}; Ctrl-C ends it")
    if opens:
        webbrowser.open(address)
    beside(lambda: server(application(explored, beginning, number)).run(sockets=[on]))
