"""A client of a real cluster, for as long as a block of code runs.

Not here: retries of calls that datanodes did not answer, which the client's core makes where HDFS does.
"""

import getpass
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from genstamp_dfs.hdfs.client.configuration import ClientConfiguration
from genstamp_dfs.hdfs.client.dfs_client import DFSClient
from genstamp_dfs.hdfs.client.events import ClientEvents
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.event_file import EventFile, NoEvents
from genstamp_dfs.server.runtime import AsyncioRuntime
from genstamp_dfs.server.wire.convert import Converter

PATIENCE_S: Final = 60.0


@asynccontextmanager
async def dfs_client(
    host: str,
    port: int,
    configuration: ClientConfiguration | None = None,
    *,
    events: Path | None = None,
    patience_s: float = PATIENCE_S,
    on_wait: Callable[[str], None] = lambda sentence: None,
) -> AsyncIterator[DFSClient]:
    """A client of the namenode at an address; what it has open when the block ends stays open there.

    Args:
        host, port: of the namenode.
        configuration: the client's settings.
        events: a file that it tells of what it does.
        patience_s: how long a namenode that is away, or in safe mode, is waited for.
        on_wait: is told in a sentence that it is waited for, and when that was given up.
    """
    name = f"DFSClient_NONMAPREDUCE_{int.from_bytes(os.urandom(4)) >> 1}_{os.getpid()}"
    user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
    converter = Converter("", AddressBook())
    patience_us = int(patience_s * 1_000_000)
    runtime = AsyncioRuntime(name, (host, port), converter, user=user, patience_us=patience_us, on_wait=on_wait)
    sink = NoEvents() if events is None else EventFile(events)
    if isinstance(sink, EventFile):
        sink.namespace = lambda: converter.block_pool_id
    try:
        yield DFSClient(runtime, ClientEvents(sink, runtime), configuration, name=name)
    finally:
        await runtime.stop()
        if isinstance(sink, EventFile):
            sink.close()
