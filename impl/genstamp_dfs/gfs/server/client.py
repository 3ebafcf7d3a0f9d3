"""A client of a real cluster, for as long as a block of code runs.

Not here: retries, which the client's core makes; only a master that is away is waited for here.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.gfs.client.client import Client
from genstamp_dfs.gfs.client.configuration import ClientConfiguration
from genstamp_dfs.gfs.protocol import MASTER
from genstamp_dfs.gfs.server.runtime import GfsRuntime
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.process import host_and_port

PATIENCE_S: Final = 60.0


@asynccontextmanager
async def gfs_client(
    master: str,
    configuration: ClientConfiguration | None = None,
    *,
    events: Path | None = None,
    patience_s: float = PATIENCE_S,
    on_wait: Callable[[str], None] = lambda sentence: None,
) -> AsyncIterator[Client]:
    """A client of the cluster whose master is at an address; it takes the limits from there.

    Args:
        master: HOST:PORT.
        configuration: the client's settings, but for limits.
        events: a file that it tells of what it does.
        patience_s: how long a master that is away is waited for.
        on_wait: is told in a sentence that it is waited for, and when that was given up.

    Raises:
        ConfigurationError: the address is none, or not that of a master.
        GfsRefusal: the master speaks another format.
        ConnectException, SocketTimeoutException, EOFException: nobody is there.
    """
    host_and_port(master)
    name = f"client_{os.urandom(4).hex()}_{os.getpid()}"
    runtime = GfsRuntime(name, master, patience_us=int(patience_s * 1_000_000), on_wait=on_wait)
    sink = NoEvents() if events is None else EventFile(events)
    try:
        found = await runtime.describe(MASTER)
        if found.role not in ("master", "shadow"):
            raise ConfigurationError(f"{master} is a {found.role}, accepted: a master, or a shadow for reading")
        if isinstance(sink, EventFile):
            sink.namespace = lambda: found.cluster_id
        yield Client(replace(configuration or ClientConfiguration(), limits=found.limits), runtime, sink)
    finally:
        await runtime.stop()
        if isinstance(sink, EventFile):
            sink.close()
