"""The verbs `gfs up`, `gfs master`, `gfs shadow` and `gfs chunkserver`: they run servers of GFS.

Not here: what the servers do (`genstamp_dfs.gfs.server`); that is imported by the verb that runs it.
"""

from pathlib import Path
from typing import Annotated, Final

import typer

from genstamp.cli.dfs.servers import EventsFile, EventsLimit, Host, LogLevel, Settings, given
from genstamp.extras import require
from genstamp_dfs.server.event_file import EVENTS_LIMIT_MIB
from genstamp_dfs.server.process import LOOPBACK, MAX_PORT
from genstamp_dfs.server.process import LogLevel as Level

DEFAULT_MASTER: Final = f"{LOOPBACK}:8600"

Master = Annotated[
    str, typer.Option("--master", envvar="GENSTAMP_MASTER", metavar="HOST:PORT", help="Where the master is.")
]


def master(
    directory: Annotated[Path, typer.Argument(help="Storage directory; an empty one is initialized.")],
    host: Host = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="Port to listen on; 0 lets the system choose.")] = 8600,
    log_replicas: Annotated[
        list[str],
        typer.Option(
            "--log-replica",
            metavar="HOST:PORT",
            help="A shadow master that stores every log record before the master answers.",
        ),
    ] = [],  # noqa: B006 (typer copies it)
    events: EventsFile = None,
    events_limit: EventsLimit = 0,
    log_level: LogLevel = Level.INFO,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a master until it is stopped; print one line of JSON with its address when it listens."""
    from genstamp_dfs.gfs.server.__main__ import main

    arguments = [
        "master",
        str(directory),
        f"--host={host}",
        f"--port={port}",
        *given(events, events_limit, log_level, settings),
    ]
    arguments += [f"--log-replica={address}" for address in log_replicas]
    raise typer.Exit(main(arguments))


def shadow(
    directory: Annotated[Path, typer.Argument(help="Storage directory; an empty one is initialized.")],
    master: Master = DEFAULT_MASTER,
    host: Host = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="Port to listen on; 0 lets the system choose.")] = 8601,
    events: EventsFile = None,
    events_limit: EventsLimit = 0,
    log_level: LogLevel = Level.INFO,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a shadow master: it stores the log of a master that names it, and answers reads."""
    from genstamp_dfs.gfs.server.__main__ import main

    arguments = ["shadow", str(directory), f"--master={master}", f"--host={host}", f"--port={port}"]
    raise typer.Exit(main([*arguments, *given(events, events_limit, log_level, settings)]))


def chunkserver(
    directory: Annotated[Path, typer.Argument(help="Storage directory; an empty one is initialized.")],
    master: Master = DEFAULT_MASTER,
    host: Host = LOOPBACK,
    shadows: Annotated[
        list[str],
        typer.Option("--shadow", metavar="HOST:PORT", help="A shadow master that also gets reports of replicas."),
    ] = [],  # noqa: B006 (typer copies it)
    advertise: Annotated[str | None, typer.Option(help="Host where others find it, if not at --host.")] = None,
    port: Annotated[int, typer.Option(min=0, max=MAX_PORT, help="Port to listen on; 0 lets the system choose.")] = 0,
    events: EventsFile = None,
    events_limit: EventsLimit = 0,
    log_level: LogLevel = Level.INFO,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a chunkserver until it is stopped; print one line of JSON with its name when it has registered."""
    from genstamp_dfs.gfs.server.__main__ import main

    arguments = ["chunkserver", str(directory), f"--master={master}", f"--host={host}", f"--port={port}"]
    arguments += given(events, events_limit, log_level, settings)
    arguments += [f"--advertise={advertise}"] if advertise else []
    arguments += [f"--shadow={address}" for address in shadows]
    raise typer.Exit(main(arguments))


def up(
    directory: Annotated[Path, typer.Argument(help="The cluster's directory; an empty one is initialized.")],
    chunkservers: Annotated[int, typer.Option(min=1, max=100, help="How many chunkservers.")] = 3,
    host: Host = LOOPBACK,
    port: Annotated[
        int | None, typer.Option(min=0, max=MAX_PORT, help="Of the master; by default that of the last run.")
    ] = None,
    events_limit: EventsLimit = EVENTS_LIMIT_MIB,
    log_level: LogLevel = Level.INFO,
    settings: Settings = [],  # noqa: B006 (typer copies it)
) -> None:
    """Run a master and chunkservers on this machine until stopped; a process that ends is started again.

    A line of JSON says when all are there, and where. It is also in cluster.json, in the directory.
    """
    # The servers are other processes, which would be started again and again.
    require("grpc")
    from genstamp_dfs.gfs.server.cluster import GFS
    from genstamp_dfs.server.cluster import run_cluster

    code = run_cluster(
        GFS,
        directory,
        others=chunkservers,
        host=host,
        port=port,
        settings=settings,
        events_limit_mib=events_limit,
        log_level=log_level,
    )
    raise typer.Exit(code)
