"""The verb `dfs`: runs the reference implementation of HDFS as servers, and works with the files of a cluster.

Output for programs goes to standard output, everything else to standard error. Exit codes: 0 done, 1 the cluster
refuses, 3 not yet (a lease that is being recovered, a truncate that waits for its block), 12 blocks are missing, 2
usage, 75 the cluster cannot be reached or a disk failed, 151 settings or a storage directory are refused.

Not here: how files travel (`genstamp.dfs`) and the servers (`servers`).
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Final

import typer

from genstamp import exit_codes, progress
from genstamp.cli.dfs import servers
from genstamp.cli.dfs.servers import DEFAULT_NAMENODE, EventsFile, Namenode
from genstamp.cli.operation import REFUSED, run_work
from genstamp.dfs import transfer
from genstamp.dfs.health import entries, files_below, health_of, on_a_line
from genstamp_dfs.errors import FileNotFoundException
from genstamp_dfs.hdfs.client.configuration import ClientConfiguration
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.messages.client_protocol import (
    Delete,
    GetFileInfo,
    HdfsFileStatus,
    IsFileClosed,
    Mkdirs,
    Rename2,
    Truncate,
)
from genstamp_dfs.server.client import PATIENCE_S, dfs_client
from genstamp_dfs.server.process import host_and_port

dfs_app = typer.Typer(no_args_is_help=True)

Patience = Annotated[
    float,
    typer.Option(
        "--timeout",
        "--patience",
        min=0,
        help="Seconds to wait for a namenode that is down or in safe mode; then exit code 75, or 1 in safe mode.",
    ),
]
SHORT_PATIENCE_S: Final = 10.0
"""Timeout of calls whose user waits for the prompt."""

PACKET_BYTES: Final = 256 * 1024
"""HDFS' default is a quarter of that; here a packet costs more than its bytes do."""

MAX_LENGTH: Final = 2**63 - 1
"""Greatest long of Java, which lengths are on the wire."""

MAX_REPLICATION: Final = 2**15 - 1
"""Greatest short of Java; the namenode accepts fewer."""


@dfs_app.callback()
def dfs() -> None:
    """Run the reference implementation of HDFS, and work with its files."""


for server in (servers.namenode, servers.datanode, servers.up):
    dfs_app.command()(server)


# -- files to and from the cluster ----------------------------------------------------------------------------------

FlushEvery = Annotated[
    int,
    typer.Option("--flush-every", min=0, help="Flush, so that readers see the data, after every N bytes; 0: never."),
]
Sync = Annotated[bool, typer.Option("--sync", help="Make datanodes sync flushed data to disk.")]
Acknowledged = Annotated[bool, typer.Option("--acknowledged", help="Print the acknowledged length after each flush.")]


@dfs_app.command()
def put(
    local: Annotated[str, typer.Argument(metavar="LOCAL", help="File; - is standard input.")],
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    replication: Annotated[int, typer.Option(min=1, max=MAX_REPLICATION, help="Replicas of each block.")] = 3,
    block_size: Annotated[int, typer.Option(min=1, max=MAX_LENGTH, help="In bytes.")] = 128 * 1024 * 1024,
    flush_every: FlushEvery = 0,
    sync: Sync = False,
    acknowledged: Acknowledged = False,
    events: EventsFile = None,
    patience: Patience = PATIENCE_S,
) -> None:
    """Copy a file to the cluster."""

    async def work() -> None:
        with _source(local) as source, progress.live() as show:
            async with _client(namenode, patience, events=events) as client:
                stream = await client.create(path, overwrite=overwrite, replication=replication, block_size=block_size)
                await transfer.write_from(source, stream, _flushing(flush_every, sync, acknowledged), show)

    run_work(work())


@dfs_app.command()
def append(
    local: Annotated[str, typer.Argument(metavar="LOCAL", help="File; - is standard input.")],
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    flush_every: FlushEvery = 0,
    sync: Sync = False,
    acknowledged: Acknowledged = False,
    events: EventsFile = None,
    patience: Patience = PATIENCE_S,
) -> None:
    """Append a local file to a file in the cluster."""

    async def work() -> None:
        with _source(local) as source, progress.live() as show:
            async with _client(namenode, patience, events=events) as client:
                stream = await client.append(path)
                await transfer.write_from(source, stream, _flushing(flush_every, sync, acknowledged), show)

    run_work(work())


@dfs_app.command()
def get(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    local: Annotated[str, typer.Argument(metavar="LOCAL", help="File; - is standard output.")],
    namenode: Namenode = DEFAULT_NAMENODE,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    patience: Patience = PATIENCE_S,
) -> None:
    """Copy a file from the cluster, at its current length; it may be open for writing."""
    if local != "-":
        _refuse_target(Path(local), overwrite)

    async def work() -> None:
        async with _client(namenode, patience) as client:
            if local == "-":
                await transfer.read_into(client, path, sys.stdout.buffer, lambda line: None)
                return
            with progress.live() as show:
                await transfer.read_to_file(client, path, Path(local), show)

    run_work(work())


def _refuse_target(local: Path, overwrite: bool) -> None:
    """Report, before anything is copied, that the local file cannot be written."""
    if local.is_dir():
        wrong = f"{local} is a directory; expected the name of a file"
    elif local.exists() and not overwrite:
        wrong = f"{local} exists; --overwrite replaces it"
    elif not local.parent.is_dir():
        wrong = f"there is no directory {local.parent}"
    else:
        return
    typer.echo(f"genstamp: {wrong}", err=True)
    raise typer.Exit(exit_codes.USAGE)


def _source(local: str) -> BufferedReader:
    return open(sys.stdin.fileno() if local == "-" else local, "rb")  # noqa: PTH123 (a path or a descriptor)


def _flushing(every: int, sync: bool, acknowledged: bool) -> transfer.Flushing:
    def tell(length: int) -> None:
        print(length, flush=True)

    return transfer.Flushing(every, sync, tell) if acknowledged else transfer.Flushing(every, sync)


# -- files of the cluster -------------------------------------------------------------------------------------------


@dfs_app.command()
def ls(
    path: Annotated[str, typer.Argument(metavar="PATH")] = "/",
    namenode: Namenode = DEFAULT_NAMENODE,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """List a directory: one line for each entry, with kind and permission, replicas, length, time and name."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            async for entry in entries(client, path):
                typer.echo(_line(entry, entry.path or path))

    run_work(work())


def _line(entry: HdfsFileStatus, name: str) -> str:
    kind = "d" if entry.is_directory else "-"
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry.modification_time_ms / 1000))
    replicas = "-" if entry.is_directory else entry.replication
    return f"{kind}{entry.permission:04o}\t{replicas}\t{entry.length}\t{when}\t{on_a_line(name)}"


@dfs_app.command()
def stat(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Print the namenode's record of a file or directory, as JSON."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            status = await client.ask(GetFileInfo(path))
            if status is None:
                raise FileNotFoundException(f"File does not exist: {path}")
            fields = {name: getattr(status, name) for name in status.__struct_fields__}
            typer.echo(json.dumps({**fields, "path": path, "permission": f"{status.permission:04o}"}))

    run_work(work())


@dfs_app.command()
def mkdir(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Create a directory and its missing parents."""
    run_work(_ask_flag(namenode, patience, Mkdirs(path), f"{path} was not made"))


@dfs_app.command()
def rm(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    recursive: Annotated[
        bool, typer.Option("--recursive", "-r", help="Remove a directory with everything below it.")
    ] = False,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Remove a file or directory."""
    nothing = "/ cannot be removed" if path == "/" else f"there is no {path}"
    run_work(_ask_flag(namenode, patience, Delete(path, recursive), nothing))


@dfs_app.command()
def mv(
    source: Annotated[str, typer.Argument(metavar="SOURCE")],
    destination: Annotated[str, typer.Argument(metavar="DESTINATION")],
    namenode: Namenode = DEFAULT_NAMENODE,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file, or an empty directory.")] = False,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Rename a file or directory."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            await client.ask(Rename2(source, destination, overwrite))

    run_work(work())


async def _ask_flag(namenode: str, patience: float, request: Delete | Mkdirs, otherwise: str) -> None:
    async with _client(namenode, patience) as client:
        if not await client.ask(request):
            typer.echo(f"genstamp: {otherwise}", err=True)
            raise typer.Exit(REFUSED)


@dfs_app.command(context_settings={"ignore_unknown_options": True})  # so that -5 is a length
def truncate(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    length: Annotated[str, typer.Argument(metavar="LENGTH", help="New length in bytes; at most the present length.")],
    namenode: Namenode = DEFAULT_NAMENODE,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the last block to be cut.")] = 0.0,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Truncate a file. A cut within a block needs a block recovery by the datanodes, which takes some seconds.

    Exit code 3: the recovery has not ended yet. The file is still open, and will be closed with the new length. --wait
    waits for that.
    """
    if not _is_length(length):
        accepted = f"a number of bytes, 0 to {MAX_LENGTH}"
        typer.echo(f"genstamp: cannot truncate {path} to {length!r}; expected {accepted}", err=True)
        raise typer.Exit(exit_codes.USAGE)

    async def work() -> None:
        async with _client(namenode, patience) as client:
            is_cut = await client.ask(Truncate(path, int(length), client.name))
            give_up = time.monotonic() + wait
            while not is_cut and time.monotonic() < give_up:
                await asyncio.sleep(min(1, wait))
                is_cut = await client.ask(IsFileClosed(path))
            if not is_cut:
                typer.echo(
                    f"genstamp: not yet: {path} is closed with {length} bytes when its last block is cut", err=True
                )
                raise typer.Exit(exit_codes.UNDETERMINED)

    run_work(work())


def _is_length(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_LENGTH)) and int(text) <= MAX_LENGTH


@dfs_app.command("recover-lease")
def recover_lease(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the file to be closed.")] = 60.0,
    patience: Patience = PATIENCE_S,
) -> None:
    """Take the lease of a file from its writer and close the file; exit code 3: it is not closed yet."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            give_up = time.monotonic() + wait
            while not await client.recover_lease(path):
                if time.monotonic() >= give_up:
                    typer.echo(f"genstamp: {path} is not closed yet", err=True)
                    raise typer.Exit(exit_codes.UNDETERMINED)
                await asyncio.sleep(1)

    run_work(work())


@dfs_app.command()
def fsck(
    path: Annotated[str, typer.Argument(metavar="PATH")] = "/",
    namenode: Namenode = DEFAULT_NAMENODE,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Check the blocks of all files below a path; print one line for each file; exit code 12 if blocks are missing."""

    async def work() -> None:
        missing = 0
        async with _client(namenode, patience) as client:
            async for at, status in files_below(client, path):
                found = await health_of(client, at, status)
                missing += found.missing
                typer.echo(found.text)
        if missing:
            raise typer.Exit(exit_codes.VIOLATED)

    run_work(work())


# -- below ----------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def _client(namenode: str, patience: float, events: Path | None = None) -> AsyncIterator[DFSClient]:
    host, port = host_and_port(namenode)
    # Small clusters have no datanode to take the place of one that fails; HDFS advises this setting for them.
    configuration = ClientConfiguration(replace_best_effort=True, packet_size=PACKET_BYTES)
    async with dfs_client(host, port, configuration, events=events, patience_s=patience, on_wait=_tell) as client:
        yield client


def _tell(sentence: str) -> None:
    typer.echo(f"genstamp: {sentence}", err=True)
