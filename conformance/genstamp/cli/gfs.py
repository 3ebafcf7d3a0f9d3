"""The verb `gfs`; each of its verbs is in its own file, which is loaded on use."""

from typing import ClassVar

import typer

from genstamp.cli.loading import Verbs


class GfsVerbs(Verbs):
    """The verbs of `gfs`."""

    verbs: ClassVar[dict[str, tuple[str, str]]] = {
        "table1": ("genstamp.cli.gfs_table1", "table1"),
        "skew": ("genstamp.cli.gfs_skew", "skew"),
        "up": ("genstamp.cli.gfs_servers", "up"),
        "master": ("genstamp.cli.gfs_servers", "master"),
        "shadow": ("genstamp.cli.gfs_servers", "shadow"),
        "chunkserver": ("genstamp.cli.gfs_servers", "chunkserver"),
        "put": ("genstamp.cli.gfs_files", "put"),
        "append": ("genstamp.cli.gfs_files", "append"),
        "cat": ("genstamp.cli.gfs_files", "cat"),
        "snapshot": ("genstamp.cli.gfs_names", "snapshot"),
        "ls": ("genstamp.cli.gfs_names", "ls"),
        "mkdir": ("genstamp.cli.gfs_names", "mkdir"),
        "mv": ("genstamp.cli.gfs_names", "mv"),
        "rm": ("genstamp.cli.gfs_names", "rm"),
        "undelete": ("genstamp.cli.gfs_names", "undelete"),
    }


gfs_app = typer.Typer(
    cls=GfsVerbs, help="GFS: what its specification says, and the implementation.", no_args_is_help=True
)


@gfs_app.callback()
def gfs() -> None:
    """Compute results from the specification of GFS, run its implementation, and work with its files."""
