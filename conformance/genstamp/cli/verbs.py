"""The verbs of `genstamp` put together; errors become exit codes.

A verb that Ctrl-C ends is undetermined, unless something is violated in what it has found so far.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Annotated, TextIO, cast

import typer

from genstamp import exit_codes
from genstamp.cli.interrupting import end_within_a_second, leave
from genstamp.cli.loading import Verbs
from genstamp.cli.output import OwnOutput, UnwrittenError
from genstamp.errors import GenstampError, PeerError
from genstamp.extras import MissingExtraError, missing_extra
from genstamp_model.errors import ConfigurationError, EvaluationError, ModelError, SpecError

for verb, module, function in (
    ("init", "init", "init"),
    ("list", "list", "list_systems"),
    ("check", "check.verb", "check"),
    ("simulate", "simulate", "simulate"),
    ("replay", "replay", "replay"),
    ("explore", "explore", "explore"),
    ("prove", "prove.verb", "prove"),
    ("bmc", "bmc", "bmc"),
    ("mutate", "mutate.verb", "mutate"),
    ("agree", "agree", "agree"),
    ("export", "export", "export"),
    ("diagram", "diagram", "diagram"),
    ("tables", "tables", "tables"),
    ("conform", "conform.verb", "conform"),
    ("levels", "levels", "levels"),
    ("verify", "verify", "verify"),
    ("lock", "lock", "lock"),
    ("doctor", "doctor", "doctor"),
    ("dfs", "dfs.verb", "dfs_app"),
    ("gfs", "gfs.verb", "gfs_app"),
    ("logs", "logs.verb", "logs_app"),
):
    Verbs.verbs[verb] = (f"genstamp.cli.{module}", function)
app = typer.Typer(
    cls=Verbs,
    name="genstamp",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog="\n\n".join(["Exit codes:", *(f"{code:3} {meaning}" for code, meaning in exit_codes.MEANINGS.items())]),
)


def _version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"genstamp {version('genstamp')}")
        raise typer.Exit


@app.callback()
def genstamp(
    show_version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_version, help="Show the version and exit.")
    ] = False,
) -> None:
    """A checked specification of how HDFS keeps one writer per file, and tools that check implementations and logs.

    Ctrl-C ends each command within a second; it prints the results so far and exits with 3 (undetermined).
    """


def exit_code(problem: Exception) -> int:
    """The exit code for what a caller can get wrong."""
    # Here, so that verbs that know no system need not wait for the modelling language.
    from genstamp.systems import OwnSystemError, UnknownSystemError

    match problem:
        case ConfigurationError() | UnknownSystemError() | OwnSystemError():
            return exit_codes.CONFIGURATION
        case SpecError():
            return exit_codes.SPECIFICATION
        case EvaluationError() | ModelError() | PeerError() | UnwrittenError() | MissingExtraError():
            return exit_codes.FAILURE
        case _:
            return exit_codes.USAGE


@contextmanager
def _naming_missing_extra() -> Iterator[None]:
    """A verb imports most libraries only when it runs."""
    try:
        yield
    except ModuleNotFoundError as problem:
        raise missing_extra(problem) or problem from problem


def run() -> None:
    """Run the command line, and end the process; an error of the caller is one line on standard error."""
    end_within_a_second()
    if sys.stdout is not None:
        sys.stdout = cast(TextIO, OwnOutput(sys.stdout))
    try:
        with _naming_missing_extra():
            app()
    except (GenstampError, ModelError) as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        sys.exit(exit_code(problem))
    except SystemExit as end:
        leave(end.code)
        raise
