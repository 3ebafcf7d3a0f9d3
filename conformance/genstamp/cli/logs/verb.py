"""The verb `logs`: checks logs, edit logs and recorded events against the lifecycles of the specification.

The table goes to standard output, everything else to standard error. Not here: what is checked (`genstamp.logs`).
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from genstamp import exit_codes, progress
from genstamp.cli.logs.explain import explain
from genstamp.cli.logs.follow import followed
from genstamp.errors import GenstampError, SparkFailedError
from genstamp.logs.semantics import Semantics
from genstamp.report import Format, document

if TYPE_CHECKING:
    from genstamp.logs.report import Report
    from genstamp.logs.run import Options

logs_app = typer.Typer()


@logs_app.callback()
def logs() -> None:
    """Check logs of HDFS, or events of any implementation, against the specification."""


logs_app.command(name="explain")(explain)


def _layouts(is_asked: bool) -> None:
    if is_asked:
        from genstamp.logs.readers.log_head import known_heads

        typer.echo("\n".join(known_heads()))
        raise typer.Exit


@logs_app.command()
def check(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Files, directories (recursively), URIs, patterns with * and ?; - is standard input.",
        ),
    ],
    _: Annotated[
        bool,
        typer.Option("--layouts", is_eager=True, callback=_layouts, help="List the known layouts of line heads."),
    ] = False,
    master: Annotated[
        str | None,
        typer.Option(help="Spark's master; by default that of spark-submit, else local[*] if there is much to read."),
    ] = None,
    complete: Annotated[bool, typer.Option("--complete", help="Nothing is missing from the logs.")] = False,
    semantics: Annotated[
        Semantics,
        typer.Option(help="hadoop-3.4 allows and reports open bugs of HDFS; repaired reports them as violations."),
    ] = "hadoop-3.4",
    require_complete: Annotated[
        bool, typer.Option("--require-complete", help="Exit with 13 if a file or block is unfinished.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(help="Directory or URI for the tables; docs/logs-tables.md describes their columns."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="File for a self-contained page with pictures.")] = None,
    group: Annotated[str | None, typer.Option(help="Name of the cluster for sources that name no block pool.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print at the end.")] = Format.TEXT,
    follow: Annotated[
        bool, typer.Option("--follow", help="Follow logs that are still written, until Ctrl-C; needs --out.")
    ] = False,
    every: Annotated[
        float | None,
        typer.Option(min=0.1, max=3600, help="With --follow: seconds between two reads of the logs, by default 10."),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="With --follow: check what was written since the last time, and exit.")
    ] = False,
    most_events: Annotated[
        int | None,
        typer.Option(min=1, help="With --follow: events kept, by default 2,000,000; an evicted key is undetermined."),
    ] = None,
) -> None:
    """Check logs, edit logs and recorded events; the file type is detected from the content.

    Each key has two answers: safety (conformant, violated, undetermined) and completion (complete, unfinished,
    unknown). By default any line may be missing. Exit code: 0 conformant, 12 violated, 3 undetermined, 13 unfinished
    with --require-complete, 2 usage, 75 the check itself failed.
    """
    # Here, so that other verbs need not wait for Spark's modules.
    from genstamp.logs.without_pandas import spare_pandas

    spare_pandas()
    from genstamp.logs.follow.options import FollowOptions, Limits
    from genstamp.logs.opening import is_remote, local_path
    from genstamp.logs.report import cases, plain, text
    from genstamp.logs.run import Options
    from genstamp.logs.standard_input import STANDARD_INPUT

    stories = form is not Format.TEXT
    try:
        if follow and STANDARD_INPUT in paths:
            raise typer.BadParameter(f"--follow cannot follow standard input ({STANDARD_INPUT})")
        if follow and (remote := next(filter(is_remote, paths), None)):
            raise typer.BadParameter(f"--follow reads only files on this machine; {remote} is remote")
        if out is not None and follow and not complete and html is None and semantics == "hadoop-3.4":
            limits = Limits(most_events or Limits.rows)
            following = FollowOptions(Path(out), every or FollowOptions.every_s, once, group, limits)
            report = followed(paths, master, following, to_stderr=stories)
        elif follow or once or every is not None or most_events is not None:
            raise typer.BadParameter(
                "--follow needs --out, and takes no --complete, --semantics or --html;"
                " --once, --every, --most-events need it"
            )
        else:
            place = out if out is None or is_remote(out) else Path(local_path(out))
            options = Options(complete, semantics, group, place, html, stories)
            report = _checked(paths, master, options)
    except SparkFailedError as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(exit_codes.FAILURE) from problem
    except GenstampError as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(exit_codes.USAGE) from problem
    except OSError as problem:
        typer.echo(f"genstamp: the check failed: {problem}", err=True)
        raise typer.Exit(exit_codes.FAILURE) from problem
    for file, note in report.notes:
        typer.echo(f"{file}: {note}", err=True)
    if form is Format.TEXT:
        typer.echo(text(report))
    else:
        found = cases(report, require_complete)
        typer.echo(
            document(form, "genstamp logs check", lambda: plain(report, require_complete), found, report.seconds),
            nl=False,
        )
    raise typer.Exit(report.exit_code(require_complete))


def _checked(paths: list[str], master: str | None, options: "Options") -> "Report":
    """The findings of a check; small inputs run in this process unless Spark is requested."""
    from genstamp.logs.alone import check_alone, is_small
    from genstamp.logs.opening import expanded
    from genstamp.logs.standard_input import with_standard_input

    with with_standard_input(paths) as files:
        is_submitted = "PYSPARK_GATEWAY_PORT" in os.environ
        files = expanded(files)
        # spark-submit has chosen for itself.
        if master is None and not is_submitted and is_small(files):
            return check_alone(files, options)
        from genstamp.logs.job import check_paths
        from genstamp.logs.session import spark_session

        with spark_session(master) as spark, progress.live() as show:
            # spark-submit puts what is written to standard error among the results.
            return check_paths(spark, files, options, None if is_submitted else show)
