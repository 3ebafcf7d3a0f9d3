"""The verb `dfs`: runs the reference implementation of HDFS as servers, and works with the files of a cluster.

What a program may read goes to standard output, everything else to standard error. Exit codes: 0 done, 1 the cluster
refuses, 3 not yet (a lease that is being recovered, a truncate that waits for its block), 12 blocks are missing,
2 usage, 75 the cluster cannot be reached or a disk failed, 151 settings or a storage directory are refused.

Leaves out how files travel (`genstamp.dfs`) and what the servers do (`genstamp_dfs.server`).
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from genstamp import exit_codes, progress
from genstamp.dfs import transfer
from genstamp.dfs.health import entries, files_below, health_of
from genstamp_dfs.errors import (
    ConfigurationError,
    ConnectException,
    EOFException,
    FileNotFoundException,
    HdfsIOException,
    SocketTimeoutException,
)
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
from genstamp_dfs.server.event_file import EVENTS_LIMIT_MIB
from genstamp_dfs.server.process import LOOPBACK, MAX_PORT, host_and_port

REFUSED: Final = 1

dfs_app = typer.Typer(help="Run the reference implementation of HDFS, and work with its files.", no_args_is_help=True)

Namenode = Annotated[
    str, typer.Option("--namenode", envvar="GENSTAMP_NAMENODE", metavar="HOST:PORT", help="Where the namenode is.")
]
Patience = Annotated[
    float,
    typer.Option(
        "--timeout",
        "--patience",
        min=0,
        help="Seconds to wait for a namenode that is away or in safe mode; then exit code 75, or 1 in safe mode.",
    ),
]
Settings = Annotated[list[str], typer.Option("--set", metavar="NAME=VALUE", help="Change a setting.")]
Host = Annotated[str, typer.Option(help="Where to listen; loopback by default.")]
EventsFile = Annotated[Path | None, typer.Option("--events", help="File for events, as JSON lines.")]
EventsLimit = Annotated[
    int,
    typer.Option(
        "--events-limit", metavar="MIB", min=0, help="Begin another file of events then; one older is kept. 0: never."
    ),
]
SHORT_PATIENCE_S: Final = 10.0
"""For calls after which a user waits for the prompt."""

PACKET_BYTES: Final = 256 * 1024
"""HDFS' default is a quarter of that; here a packet costs more than its bytes do."""

DEFAULT_NAMENODE: Final = f"{LOOPBACK}:8020"


@dfs_app.callback()
def dfs() -> None:
    """Run the reference implementation of HDFS, and work with its files."""


# -- servers --------------------------------------------------------------------------------------------------------


@dfs_app.command()
def namenode(
    directory: Annotated[Path, typer.Argument(help="Storage directory; an empty one is formatted.")],
    host: Host = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="Where to listen; 0 lets the system choose.")] = 8020,
    events: EventsFile = None,
    events_limit: EventsLimit = 0,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a namenode until it is told to stop; a line of JSON says when it listens, and where."""
    from genstamp_dfs.server.namenode_server import main

    arguments = [str(directory), f"--host={host}", f"--port={port}", *_given(events, events_limit, settings)]
    raise typer.Exit(main(arguments))


@dfs_app.command()
def datanode(
    directory: Annotated[Path, typer.Argument(help="Storage directory; an empty one is formatted.")],
    namenode: Namenode = DEFAULT_NAMENODE,
    name: Annotated[str | None, typer.Option(help="Name in the cluster; by default that of the directory.")] = None,
    host: Host = LOOPBACK,
    advertise: Annotated[str | None, typer.Option(help="Host where others find it, if not at --host.")] = None,
    transfer_port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="For blocks; 0 lets the system choose.")] = 0,
    rpc_port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="For calls; 0 lets the system choose.")] = 0,
    events: EventsFile = None,
    events_limit: EventsLimit = 0,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a datanode until it is told to stop; a line of JSON says when it has registered, and where it listens."""
    from genstamp_dfs.server.datanode_server import main

    arguments = [str(directory), f"--namenode={namenode}", f"--host={host}", *_given(events, events_limit, settings)]
    arguments += [f"--transfer-port={transfer_port}", f"--rpc-port={rpc_port}"]
    arguments += [f"--name={name}"] if name else []
    arguments += [f"--advertise={advertise}"] if advertise else []
    raise typer.Exit(main(arguments))


def _given(events: Path | None, events_limit: int, settings: list[str]) -> list[str]:
    told = [f"--events={events}", f"--events-limit={events_limit}"] if events else []
    return [*told, *(f"--set={setting}" for setting in settings)]


@dfs_app.command()
def up(
    directory: Annotated[Path, typer.Argument(help="Of the cluster; an empty one becomes one.")],
    datanodes: Annotated[int, typer.Option(min=1, help="How many datanodes.")] = 3,
    host: Host = LOOPBACK,
    port: Annotated[
        int | None, typer.Option(min=0, max=MAX_PORT, help="Of the namenode; by default that of the last run.")
    ] = None,
    events_limit: EventsLimit = EVENTS_LIMIT_MIB,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a namenode and datanodes on this machine until told to stop; one that ends is started again.

    A line of JSON says when all are there, and where. It is also in cluster.json, in the directory.
    """
    from genstamp_dfs.server.cluster import run_cluster

    code = run_cluster(
        directory, datanodes=datanodes, host=host, port=port, settings=settings, events_limit_mib=events_limit
    )
    raise typer.Exit(code)


# -- files to and from the cluster ----------------------------------------------------------------------------------

FlushEvery = Annotated[int, typer.Option("--flush-every", help="Have readers see the file each so many bytes; 0: not.")]
Sync = Annotated[bool, typer.Option("--sync", help="Have datanodes force what is flushed to their disks.")]
Acknowledged = Annotated[
    bool, typer.Option("--acknowledged", help="Print the length that is promised, after each flush.")
]


@dfs_app.command()
def put(
    local: Annotated[str, typer.Argument(metavar="LOCAL", help="File; - is standard input.")],
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Also where there is a file.")] = False,
    replication: Annotated[int, typer.Option(min=1, help="Replicas of each block.")] = 3,
    block_size: Annotated[int, typer.Option(min=1, help="In bytes.")] = 128 * 1024 * 1024,
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

    _run(work())


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
    """Copy a file to the end of one in the cluster."""

    async def work() -> None:
        with _source(local) as source, progress.live() as show:
            async with _client(namenode, patience, events=events) as client:
                stream = await client.append(path)
                await transfer.write_from(source, stream, _flushing(flush_every, sync, acknowledged), show)

    _run(work())


@dfs_app.command()
def get(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    local: Annotated[str, typer.Argument(metavar="LOCAL", help="File; - is standard output.")],
    namenode: Namenode = DEFAULT_NAMENODE,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Also where there is a file.")] = False,
    patience: Patience = PATIENCE_S,
) -> None:
    """Copy a file from the cluster, as long as it is now; also one that is being written."""
    if local != "-" and Path(local).exists() and not overwrite:
        typer.echo(f"genstamp: {local} exists; --overwrite replaces it", err=True)
        raise typer.Exit(exit_codes.USAGE)

    async def work() -> None:
        async with _client(namenode, patience) as client:
            if local == "-":
                await transfer.read_into(client, path, sys.stdout.buffer, lambda line: None)
                return
            with progress.live() as show:
                await transfer.read_to_file(client, path, Path(local), show)

    _run(work())


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
    """List a directory: a line each with kind and permission, replicas, length, time and name."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            async for entry in entries(client, path):
                typer.echo(_line(entry))

    _run(work())


def _line(entry: HdfsFileStatus) -> str:
    kind = "d" if entry.is_directory else "-"
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(entry.modification_time_ms / 1000))
    replicas = "-" if entry.is_directory else entry.replication
    return f"{kind}{entry.permission:04o}\t{replicas}\t{entry.length}\t{when}\t{entry.path}"


@dfs_app.command()
def stat(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Print what the namenode knows of a file or directory, as JSON."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            status = await client.ask(GetFileInfo(path))
            if status is None:
                raise FileNotFoundException(f"File does not exist: {path}")
            fields = {name: getattr(status, name) for name in status.__struct_fields__}
            typer.echo(json.dumps({**fields, "path": path, "permission": f"{status.permission:04o}"}))

    _run(work())


@dfs_app.command()
def mkdir(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Make a directory and those above it."""
    _run(_ask_flag(namenode, patience, Mkdirs(path), f"{path} was not made"))


@dfs_app.command()
def rm(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    recursive: Annotated[bool, typer.Option("--recursive", "-r", help="A directory with all below it.")] = False,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Remove a file or directory."""
    _run(_ask_flag(namenode, patience, Delete(path, recursive), f"there is no {path}"))


@dfs_app.command()
def mv(
    source: Annotated[str, typer.Argument(metavar="SOURCE")],
    destination: Annotated[str, typer.Argument(metavar="DESTINATION")],
    namenode: Namenode = DEFAULT_NAMENODE,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file, or an empty directory.")] = False,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Give a file or directory another name."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            await client.ask(Rename2(source, destination, overwrite))

    _run(work())


async def _ask_flag(namenode: str, patience: float, request: Delete | Mkdirs, otherwise: str) -> None:
    async with _client(namenode, patience) as client:
        if not await client.ask(request):
            typer.echo(f"genstamp: {otherwise}", err=True)
            raise typer.Exit(REFUSED)


@dfs_app.command(context_settings={"ignore_unknown_options": True})  # so that -5 is a length
def truncate(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    length: Annotated[str, typer.Argument(metavar="LENGTH", help="In bytes; not more than the file has.")],
    namenode: Namenode = DEFAULT_NAMENODE,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for the last block to be cut.")] = 0.0,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Cut a file. Within a block the datanodes have to agree first, which takes some seconds.

    Exit code 3 says that they have not yet: the file is still open, and will be closed with the new length. --wait
    waits for that.
    """
    if not length.isdecimal():
        typer.echo(f"genstamp: cannot cut {path} to {length!r}, accepted: a number of bytes, 0 or more", err=True)
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

    _run(work())


@dfs_app.command("recover-lease")
def recover_lease(
    path: Annotated[str, typer.Argument(metavar="PATH")],
    namenode: Namenode = DEFAULT_NAMENODE,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the file to be closed.")] = 60.0,
    patience: Patience = PATIENCE_S,
) -> None:
    """Take a file from its writer and have it closed; exit code 3 says that it is not closed yet."""

    async def work() -> None:
        async with _client(namenode, patience) as client:
            give_up = time.monotonic() + wait
            while not await client.recover_lease(path):
                if time.monotonic() >= give_up:
                    typer.echo(f"genstamp: {path} is not closed yet", err=True)
                    raise typer.Exit(exit_codes.UNDETERMINED)
                await asyncio.sleep(1)

    _run(work())


@dfs_app.command()
def fsck(
    path: Annotated[str, typer.Argument(metavar="PATH")] = "/",
    namenode: Namenode = DEFAULT_NAMENODE,
    patience: Patience = SHORT_PATIENCE_S,
) -> None:
    """Look at the blocks of all files below a path; a line for each file, and exit code 12 where blocks are missing."""

    async def work() -> None:
        missing = 0
        async with _client(namenode, patience) as client:
            async for at, status in files_below(client, path):
                found = await health_of(client, at, status)
                missing += found.missing
                typer.echo(found.text)
        if missing:
            raise typer.Exit(exit_codes.VIOLATED)

    _run(work())


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


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Do something with a cluster; what goes wrong is one line on standard error, and an exit code."""
    try:
        asyncio.run(work)
    except ConfigurationError as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(exit_codes.USAGE) from None
    except (ConnectException, SocketTimeoutException, EOFException) as problem:
        typer.echo(f"genstamp: {problem.hadoop_name}: {problem}", err=True)
        raise typer.Exit(exit_codes.FAILURE) from None
    except HdfsIOException as refusal:
        typer.echo(f"genstamp: {refusal.hadoop_name}: {refusal}", err=True)
        raise typer.Exit(REFUSED) from None
    except UnicodeEncodeError as problem:
        typer.echo(f"genstamp: {problem.object!a} is no UTF-8, as names of the cluster are", err=True)
        raise typer.Exit(exit_codes.USAGE) from None
    except (FileNotFoundError, IsADirectoryError, PermissionError) as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(exit_codes.USAGE) from None
    except OSError as problem:
        typer.echo(f"genstamp: {problem}", err=True)
        raise typer.Exit(exit_codes.FAILURE) from None
