"""The verb `logs explain`: prints the history of one block, replica, file or lease.

Not here: how the history is computed (`genstamp.logs.story`).
"""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from genstamp import exit_codes


class Shape(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    MERMAID = "mermaid"


def explain(
    key: Annotated[str, typer.Argument(help="blk_ID, blk_ID@DATANODE, a path, an inode id, or a holder of leases.")],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH...]", help="Logs to read, as for genstamp logs check.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option("--from", help="Tables that genstamp logs check --out has kept, instead of logs.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="file, block, replica, lease or node, if several match.")] = None,
    namespace: Annotated[str | None, typer.Option(help="The block pool or group, if several match.")] = None,
    complete: Annotated[bool, typer.Option("--complete", help="Nothing is missing from the logs.")] = False,
    group: Annotated[str | None, typer.Option(help="Name of the cluster for sources that name no block pool.")] = None,
    form: Annotated[Shape, typer.Option("--format", help="What to print; svg gives swim lanes.")] = Shape.TEXT,
) -> None:
    """Show the history of one block, replica, file or lease, event by event, with the states possible after each.

    A rejected event is shown with the check that failed and with what would have been accepted. Exit code: 0
    conformant, 12 violated, 3 undetermined, 2 if no entity or several match.
    """
    from genstamp.logs.kept import check_and_keep, read_kept
    from genstamp.logs.keys import find_key
    from genstamp.logs.lanes import chart
    from genstamp.logs.standard_input import with_standard_input
    from genstamp.logs.story import lines, plain, tell
    from genstamp_model.traces import mermaid, swim_lanes

    if (tables is None) is (not paths):
        raise typer.BadParameter("expected either logs or --from TABLES, not both")
    with with_standard_input(paths or []) as files:
        kept = read_kept(tables) if tables is not None else check_and_keep(files, complete, group)
    story = tell(kept, find_key(kept, key, kind, namespace))
    match form:
        case Shape.TEXT:
            typer.echo("\n".join(lines(story)))
        case Shape.JSON:
            typer.echo(json.dumps(plain(story), indent=2))
        case Shape.SVG:
            typer.echo(swim_lanes(chart(story)), nl=False)
        case Shape.MERMAID:
            typer.echo(mermaid(chart(story)), nl=False)
    raise typer.Exit(exit_codes.of(story.safety))
