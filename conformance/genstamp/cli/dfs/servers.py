"""The verbs `dfs namenode`, `dfs datanode` and `dfs up`: they run servers of the reference implementation.

Not here: what the servers do (`genstamp_dfs.server`); that is imported by the verb that runs it.
"""

from pathlib import Path
from typing import Annotated, Final

import typer

from genstamp_dfs.server.event_file import EVENTS_LIMIT_MIB
from genstamp_dfs.server.process import LOOPBACK, MAX_PORT
from genstamp_dfs.server.process import LogLevel as Level

Namenode = Annotated[
    str, typer.Option("--namenode", envvar="GENSTAMP_NAMENODE", metavar="HOST:PORT", help="The namenode's address.")
]
Settings = Annotated[list[str], typer.Option("--set", metavar="NAME=VALUE", help="Change a setting.")]
Host = Annotated[str, typer.Option(help="Address to listen on; loopback by default.")]
EventsFile = Annotated[Path | None, typer.Option("--events", help="File for events, as JSON lines.")]
EventsLimit = Annotated[
    int,
    typer.Option(
        "--events-limit",
        metavar="MIB",
        min=0,
        help="Size at which a new events file begins; one older file is kept. 0: never.",
    ),
]

LogLevel = Annotated[Level, typer.Option("--log-level", help="Lowest level logged to standard error.")]

DEFAULT_NAMENODE: Final = f"{LOOPBACK}:8020"


def namenode(
    directory: Annotated[Path, typer.Argument(help="Storage directory; an empty one is formatted.")],
    host: Host = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="Port to listen on; 0 lets the system choose.")] = 8020,
    events: EventsFile = None,
    events_limit: EventsLimit = 0,
    log_level: LogLevel = Level.INFO,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a namenode until it is stopped; print one line of JSON with its address when it listens."""
    from genstamp_dfs.server.namenode_server import main

    arguments = [str(directory), f"--host={host}", f"--port={port}", *given(events, events_limit, log_level, settings)]
    raise typer.Exit(main(arguments))


def datanode(
    directory: Annotated[Path, typer.Argument(help="Storage directory; an empty one is formatted.")],
    namenode: Namenode = DEFAULT_NAMENODE,
    name: Annotated[str | None, typer.Option(help="Name in the cluster; by default the directory's name.")] = None,
    host: Host = LOOPBACK,
    advertise: Annotated[str | None, typer.Option(help="Host name that other nodes use, if not --host.")] = None,
    transfer_port: Annotated[
        int, typer.Option(min=0, max=MAX_PORT, help="Port for blocks; 0 lets the system choose.")
    ] = 0,
    rpc_port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="Port for calls; 0 lets the system choose.")] = 0,
    events: EventsFile = None,
    events_limit: EventsLimit = 0,
    log_level: LogLevel = Level.INFO,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a datanode until it is stopped; print one line of JSON with its addresses when it has registered."""
    from genstamp_dfs.server.datanode_server import main

    arguments = [
        str(directory),
        f"--namenode={namenode}",
        f"--host={host}",
        *given(events, events_limit, log_level, settings),
    ]
    arguments += [f"--transfer-port={transfer_port}", f"--rpc-port={rpc_port}"]
    arguments += [f"--name={name}"] if name else []
    arguments += [f"--advertise={advertise}"] if advertise else []
    raise typer.Exit(main(arguments))


def given(events: Path | None, events_limit: int, log_level: str, settings: list[str]) -> list[str]:
    """Options of a server as they were given to a verb."""
    told = [f"--events={events}", f"--events-limit={events_limit}"] if events else []
    return [*told, f"--log-level={log_level}", *(f"--set={setting}" for setting in settings)]


def up(
    directory: Annotated[Path, typer.Argument(help="The cluster's directory; an empty one is initialized.")],
    datanodes: Annotated[int, typer.Option(min=1, help="How many datanodes.")] = 3,
    host: Host = LOOPBACK,
    port: Annotated[
        int | None, typer.Option(min=0, max=MAX_PORT, help="The namenode's port; by default the port of the last run.")
    ] = None,
    events_limit: EventsLimit = EVENTS_LIMIT_MIB,
    log_level: LogLevel = Level.INFO,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a namenode and datanodes on this machine until stopped; a process that ends is started again.

    A line of JSON says when all are there, and where. It is also in cluster.json, in the directory.
    """
    from genstamp_dfs.server.cluster import HDFS, run_cluster

    code = run_cluster(
        HDFS,
        directory,
        others=datanodes,
        host=host,
        port=port,
        settings=settings,
        events_limit_mib=events_limit,
        log_level=log_level,
    )
    raise typer.Exit(code)
