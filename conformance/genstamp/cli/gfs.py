"""The verb `gfs`, whose verbs are in files of their own, and loaded when they are asked for."""

from typing import ClassVar

import typer

from genstamp.cli.loading import Verbs


class GfsVerbs(Verbs):
    """The verbs of `gfs`."""

    verbs: ClassVar[dict[str, tuple[str, str]]] = {}


gfs_app = typer.Typer(
    cls=GfsVerbs, help="Run the implementation of GFS, and work with its files.", no_args_is_help=True
)


@gfs_app.callback()
def gfs() -> None:
    """Run the implementation of GFS, and work with its files."""
