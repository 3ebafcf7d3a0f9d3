"""The verb `logs`: checks logs, edit logs and recorded events against the lifecycles of the specification.

The table goes to standard output, everything else to standard error. Leaves out what is checked (`genstamp.logs`).
"""

from pathlib import Path
from typing import Annotated

import typer

from genstamp import exit_codes
from genstamp.cli.explaining import explain
from genstamp.errors import GenstampError, SparkFailedError
from genstamp.report import Format, document

logs_app = typer.Typer(help="Hold logs of HDFS, or events of any implementation, against the specification.")


@logs_app.callback()
def logs() -> None:
    """Hold logs of HDFS, or events of any implementation, against the specification."""


logs_app.command(name="explain")(explain)


@logs_app.command()
def check(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH...", help="Files, and directories read with all below them.")
    ],
    master: Annotated[
        str | None, typer.Option(help="Spark's master; by default local[*], or that of spark-submit.")
    ] = None,
    complete: Annotated[bool, typer.Option("--complete", help="Nothing is missing from the logs.")] = False,
    require_complete: Annotated[
        bool, typer.Option("--require-complete", help="Exit with 13 where a file or block was left unfinished.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Directory for the tables; docs/logs-tables.md tells their columns.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="File for a page with pictures that needs nothing else.")] = None,
    group: Annotated[str | None, typer.Option(help="The cluster of sources that name no block pool.")] = None,
    form: Annotated[Format, typer.Option("--format", help="What to print at the end.")] = Format.TEXT,
) -> None:
    """Check logs, edit logs and recorded events; what a file is, its content says.

    Two answers a key: safety (conformant, violated, undetermined) and completion (complete, unfinished, unknown). By
    default any line may be missing. Exit code: 0 conformant, 12 violated, 3 undetermined, 13 unfinished with
    --require-complete, 2 usage, 75 the check itself failed.
    """
    # Here, so that other verbs need not wait for Spark's modules.
    from genstamp.logs.job import Options, check_paths
    from genstamp.logs.report import cases, plain, text
    from genstamp.logs.session import spark_session
    from genstamp.logs.units import refuse_missing

    try:
        refuse_missing(paths)
        with spark_session(master) as spark:
            report = check_paths(spark, paths, Options(complete=complete, group=group, out=out, html=html))
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
        typer.echo(document(form, "genstamp logs check", lambda: plain(report), found, report.seconds), nl=False)
    raise typer.Exit(report.exit_code(require_complete))
