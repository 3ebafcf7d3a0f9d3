"""Verbs of `gfs` that read or write data: `put`, `append`, `cat`."""

import asyncio
import random
import sys
from io import BufferedReader
from typing import Annotated, Final

import typer

from genstamp import exit_codes, progress
from genstamp.cli.gfs.client import PathHere, Patience, client_of
from genstamp.cli.gfs.servers import DEFAULT_MASTER, Master
from genstamp.cli.operation import run_work
from genstamp.dfs.transfer import Progress, size_of
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.records import Record, RecordId
from genstamp_dfs.gfs.server.client import PATIENCE_S

PIECE_BYTES: Final = 1 << 20

Local = Annotated[str, typer.Argument(metavar="LOCAL", help="File; - is standard input.")]


def put(local: Local, path: PathHere, master: Master = DEFAULT_MASTER, patience: Patience = PATIENCE_S) -> None:
    """Copy a local file to a new file in the cluster."""

    async def work() -> None:
        with _source(local) as source, progress.live() as show:
            async with client_of(master, patience) as client:
                await client.create(path)
                told, done = Progress(show, path, size_of(source)), 0
                # In a thread: a pipe may be silent for long.
                while piece := await asyncio.to_thread(source.read, PIECE_BYTES):
                    await client.write(path, done, piece)
                    done += len(piece)
                    told.at(done)

    run_work(work())


def append(
    local: Local,
    path: PathHere,
    records: Annotated[
        bool, typer.Option("--records", help="Each line is a record, which `cat --records` gives once.")
    ] = False,
    acknowledged: Annotated[
        bool, typer.Option("--acknowledged", help="Print the offset of each record when it is promised.")
    ] = False,
    master: Master = DEFAULT_MASTER,
    patience: Patience = PATIENCE_S,
) -> None:
    """Append a local file to a file in the cluster by record appends: at least once each, at offsets GFS chooses.

    Without --records the bytes are appended as they are, in pieces of a quarter of a chunk at most.
    """

    async def work() -> None:
        with _source(local) as source:
            async with client_of(master, patience) as client:
                writer, sequence = random.SystemRandom().getrandbits(64), 0
                most = client.configuration.limits.record_bytes
                while piece := await asyncio.to_thread(_next, source, records, most):
                    if records:
                        record = Record(RecordId(writer, sequence), piece.removesuffix(b"\n"))
                        offset = await client.append_record(path, record)
                    else:
                        offset = await client.append(path, piece)
                    sequence += 1
                    if acknowledged:
                        print(offset, flush=True)

    run_work(work())


def _next(source: BufferedReader, records: bool, most: int) -> bytes:
    """The next piece to append; empty at the end."""
    return source.readline() if records else source.read(most)


def cat(
    path: PathHere,
    records: Annotated[
        bool, typer.Option("--records", help="Print each record once, one a line, without padding and fragments.")
    ] = False,
    master: Master = DEFAULT_MASTER,
    patience: Patience = PATIENCE_S,
) -> None:
    """Print a file: the raw bytes of its chunks, or its records."""

    async def work() -> None:
        async with client_of(master, patience) as client:
            if records:
                async for record in client.records(path):
                    sys.stdout.buffer.write(record.data + b"\n")
            else:
                await _copy(client, path)
        sys.stdout.buffer.flush()

    run_work(work())


async def _copy(client: Client, path: str) -> None:
    """Print all bytes of a file."""
    offset = 0
    while piece := await client.read(path, offset, PIECE_BYTES):
        offset += len(piece)
        await asyncio.to_thread(sys.stdout.buffer.write, piece)


def _source(local: str) -> BufferedReader:
    if local != "-":
        return open(local, "rb")  # noqa: PTH123 (as dfs put has it)
    if sys.stdin is None:
        typer.echo("genstamp: standard input is closed", err=True)
        raise typer.Exit(exit_codes.USAGE)
    return open(sys.stdin.fileno(), "rb", closefd=False)
