"""A client of GFS for the verbs that work with files.

Output for programs goes to standard output, everything else to standard error. Exit codes: 0 done, 1 the cluster
refuses, 2 usage, 75 the cluster cannot be reached.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.server.client import gfs_client

Patience = Annotated[
    float,
    typer.Option("--timeout", min=0, help="Seconds to wait for a master that is down; then exit code 75."),
]
SHORT_PATIENCE_S: Final = 10.0
"""Timeout of calls whose user waits for the prompt."""

PathHere = Annotated[str, typer.Argument(metavar="PATH")]


@asynccontextmanager
async def client_of(master: str, patience: float, events: Path | None = None) -> AsyncIterator[Client]:
    """A client of the cluster of a master; while it waits, it prints the reason."""
    async with gfs_client(master, events=events, patience_s=patience, on_wait=_tell) as client:
        yield client


def _tell(sentence: str) -> None:
    typer.echo(f"genstamp: {sentence}", err=True)
