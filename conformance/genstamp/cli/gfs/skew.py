"""The verb `gfs skew`: at which clock skew two primaries of one chunk become possible.

Not here: how it is computed, shown and drawn (`genstamp.gfs`).
"""

import enum
import json
from pathlib import Path
from typing import Annotated

import typer

from genstamp import exit_codes
from genstamp.gfs import skew as computing
from genstamp.gfs import skew_shown as shown
from genstamp.gfs.skew_chart import chart


class Form(enum.StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"


def skew(
    form: Annotated[Form, typer.Option("--format", help="What to print.")] = Form.TEXT,
    trace: Annotated[
        Path | None, typer.Option(help="File for the run just beyond the boundary, in the Informal Trace Format.")
    ] = None,
    picture: Annotated[Path | None, typer.Option(help="File for the region as a picture (SVG).")] = None,
    bug: Annotated[str, typer.Option(help="Compute it with a fault of gfs.chunk_lease.")] = "",
) -> None:
    """Sweep lease, grace and clock skew, and show where two primaries of one chunk are possible in some run.

    Exit code: 0 if two primaries are possible exactly where the skew exceeds the grace, 12 if not, 3 if a search did
    not finish.
    """
    swept = computing.sweep(bug)
    run = computing.shortest_run(computing.JUST_BEYOND, bug)
    if picture is not None:
        picture.write_text(chart(swept), encoding="utf-8")
        typer.echo(picture, err=True)
    if trace is not None and run is not None:
        trace.write_text(json.dumps(run.to_itf(shows="two_primaries"), indent=2) + "\n", encoding="utf-8")
        typer.echo(trace, err=True)
    if form is Form.JSON:
        typer.echo(json.dumps(shown.plain(swept, run), indent=2))
    else:
        typer.echo("\n".join(shown.lines(swept, run)))
    if swept.against:
        raise typer.Exit(exit_codes.VIOLATED)
    raise typer.Exit(exit_codes.UNDETERMINED if swept.undetermined else exit_codes.HOLDS)
