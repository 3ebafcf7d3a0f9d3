"""The verb `gfs`, whose verbs are in files of their own, and loaded when they are asked for."""

from typing import ClassVar

import typer

from genstamp.cli.loading import Verbs


class GfsVerbs(Verbs):
    """The verbs of `gfs`."""

    verbs: ClassVar[dict[str, tuple[str, str]]] = {
        "table1": ("genstamp.cli.gfs_table1", "table1"),
    }


gfs_app = typer.Typer(
    cls=GfsVerbs, help="GFS: what its specification says, and the implementation.", no_args_is_help=True
)


@gfs_app.callback()
def gfs() -> None:
    """GFS: what its specification says, and the implementation."""
