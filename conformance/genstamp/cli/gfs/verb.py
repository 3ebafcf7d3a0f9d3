"""The verb `gfs`; each of its verbs is in its own file, which is loaded on use."""

from typing import ClassVar

import typer

from genstamp.cli.loading import Verbs


class GfsVerbs(Verbs):
    """The verbs of `gfs`."""

    verbs: ClassVar[dict[str, tuple[str, str]]] = {
        "table1": ("genstamp.cli.gfs.table1", "table1"),
        "skew": ("genstamp.cli.gfs.skew", "skew"),
        "up": ("genstamp.cli.gfs.servers", "up"),
        "master": ("genstamp.cli.gfs.servers", "master"),
        "shadow": ("genstamp.cli.gfs.servers", "shadow"),
        "chunkserver": ("genstamp.cli.gfs.servers", "chunkserver"),
        "put": ("genstamp.cli.gfs.files", "put"),
        "append": ("genstamp.cli.gfs.files", "append"),
        "cat": ("genstamp.cli.gfs.files", "cat"),
        "snapshot": ("genstamp.cli.gfs.names", "snapshot"),
        "ls": ("genstamp.cli.gfs.names", "ls"),
        "mkdir": ("genstamp.cli.gfs.names", "mkdir"),
        "mv": ("genstamp.cli.gfs.names", "mv"),
        "rm": ("genstamp.cli.gfs.names", "rm"),
        "undelete": ("genstamp.cli.gfs.names", "undelete"),
    }


gfs_app = typer.Typer(cls=GfsVerbs, no_args_is_help=True)


@gfs_app.callback()
def gfs() -> None:
    """Compute results from the specification of GFS, run its implementation, and work with its files."""
