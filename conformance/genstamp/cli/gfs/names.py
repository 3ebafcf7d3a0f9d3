"""Verbs of `gfs` that change or list names: `ls`, `mkdir`, `mv`, `rm`, `undelete`, `snapshot`."""

import time
from typing import Annotated

import typer

from genstamp.cli.gfs.client import SHORT_PATIENCE_S, PathHere, Patience, client_of
from genstamp.cli.gfs.servers import DEFAULT_MASTER, Master
from genstamp.cli.operation import run_work
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
    """List a directory: one line for each entry, with kind, chunks, time of deletion and path."""

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
    """Create a directory; its parent must exist."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.make_directory(path)

    run_work(work())


def mv(source: Source, target: Target, master: Master = DEFAULT_MASTER, patience: Patience = SHORT_PATIENCE_S) -> None:
    """Rename a file or directory; the new name must be free."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.rename(source, target)

    run_work(work())


def rm(path: PathHere, master: Master = DEFAULT_MASTER, patience: Patience = SHORT_PATIENCE_S) -> None:
    """Delete a file or an empty directory; print the hidden name that `undelete` accepts for three days."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            hidden = await client.delete(path)
            if hidden:
                typer.echo(hidden)

    run_work(work())


def undelete(
    hidden: Annotated[str, typer.Argument(metavar="HIDDEN", help="The hidden name that rm printed.")],
    path: Annotated[str, typer.Argument(metavar="PATH", help="Its old name by default.")] = "",
    master: Master = DEFAULT_MASTER,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Restore a deleted file."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.undelete(hidden, path)

    run_work(work())


def snapshot(source: Source, target: Target, master: Master = DEFAULT_MASTER, patience: Patience = PATIENCE_S) -> None:
    """Copy a file or a directory tree as it is now; bytes are copied only when a client writes."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            await client.snapshot(source, target)

    run_work(work())
