"""The verb `gfs table1`: the consistency of regions after writes and appends, computed, beside the paper's table.

Not here: how it is computed and shown (`genstamp.gfs`).
"""

import enum
import json
from pathlib import Path
from typing import Annotated

import typer

from genstamp import exit_codes
from genstamp.gfs import table1 as computing
from genstamp.gfs import table1_shown as shown
from genstamp_model.errors import ConfigurationError


class Form(enum.StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"


def table1(
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.TEXT,
    entry: Annotated[str, typer.Option(help="Show one entry's shortest run whole, as write.failure.")] = "",
    trace: Annotated[Path | None, typer.Option(help="Directory for the runs in the Informal Trace Format.")] = None,
    bug: Annotated[str, typer.Option(help="Compute it with a fault of gfs.mutation_order or gfs.record_append.")] = "",
) -> None:
    """Compute table 1 of the GFS paper from every interleaving of writes and appends, and show why.

    Exit code: 0 the table equals the paper's, 12 it differs, 3 a search did not finish.
    """
    table = computing.table1(bug)
    known = {one.name: one for one in table.entries}
    if entry and entry not in known:
        raise ConfigurationError(f"the table has no entry '{entry}'; it has {', '.join(known)}")
    wanted = [known[entry]] if entry else [one for one in table.entries if one.weakest is not None]
    runs = {one.name: computing.shortest_run(one, bug) for one in wanted if one.weakest is not None}
    if trace is not None:
        trace.mkdir(parents=True, exist_ok=True)
        for name, run in runs.items():
            path = trace / f"{name}.itf.json"
            path.write_text(json.dumps(run.to_itf(shows=name), indent=2) + "\n", encoding="utf-8")
            typer.echo(path, err=True)
    if form is Form.JSON:
        typer.echo(json.dumps(shown.plain(table, runs), indent=2))
    elif entry:
        told = [shown.NEVER] if entry not in runs else shown.entry_lines(known[entry], runs[entry], changes=True)
        typer.echo("\n".join(told))
    else:
        typer.echo("\n".join(shown.lines(table, runs)))
    if table.agrees and table.undetermined:
        raise typer.Exit(exit_codes.UNDETERMINED)
    raise typer.Exit(exit_codes.HOLDS if table.agrees else exit_codes.VIOLATED)
