"""Verbs of `gfs` that change or list names: `ls`, `mkdir`, `mv`, `rm`, `undelete`, `snapshot`."""

import time
from typing import Annotated

import typer

from genstamp.cli.gfs_client import SHORT_PATIENCE_S, PathHere, Patience, client_of
from genstamp.cli.gfs_servers import DEFAULT_MASTER, Master
from genstamp.cli.working import run_work
from genstamp.dfs.health import on_a_line
from genstamp_dfs.gfs.protocol import FileInfo
from genstamp_dfs.gfs.server.client import PATIENCE_S

Source = Annotated[str, typer.Argument(metavar="SOURCE")]
Target = Annotated[str, typer.Argument(metavar="TARGET")]


def ls(
    path: PathHere = "/",
    hidden: Annotated[bool, typer.Option("--hidden", help="Deleted files too, with the time of the deletion.")] = False,
    master: Master = DEFAULT_MASTER,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """List a directory: a line each with kind, chunks, time of deletion and path."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            for entry in await client.list(path, hidden=hidden):
                typer.echo(_line(entry))

    run_work(work())


def _line(entry: FileInfo) -> str:
    deleted = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry.deleted_ms / 1000)) if entry.deleted_ms else "-"
    kind, chunks = ("d", "-") if entry.is_directory else ("f", str(entry.chunks))
    return f"{kind}\t{chunks}\t{deleted}\t{on_a_line(entry.path)}"


def mkdir(path: PathHere, master: Master = DEFAULT_MASTER, patience: Patience = SHORT_PATIENCE_S) -> None:
    """Make a directory in one that exists."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.make_directory(path)

    run_work(work())


def mv(source: Source, target: Target, master: Master = DEFAULT_MASTER, patience: Patience = SHORT_PATIENCE_S) -> None:
    """Give a file or directory another name, which must be free."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.rename(source, target)

    run_work(work())


def rm(path: PathHere, master: Master = DEFAULT_MASTER, patience: Patience = SHORT_PATIENCE_S) -> None:
    """Delete a file or an empty directory; prints the hidden name from which a file can be had back for three days."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            hidden = await client.delete(path)
            if hidden:
                typer.echo(hidden)

    run_work(work())


def undelete(
    hidden: Annotated[str, typer.Argument(metavar="HIDDEN", help="What rm has printed.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Its old name by default.")] = "",
    master: Master = DEFAULT_MASTER,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Have a deleted file back."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.undelete(hidden, path)

    run_work(work())


def snapshot(source: Source, target: Target, master: Master = DEFAULT_MASTER, patience: Patience = PATIENCE_S) -> None:
    """Copy a file, or a directory with all in it, as it is now; no byte is copied before somebody writes."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.snapshot(source, target)

    run_work(work())
