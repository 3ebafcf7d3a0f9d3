"""Listens for connections that carry blocks, and hands each over with the operation that it opens with.

Leaves out: what operations do (`genstamp_dfs.hdfs.datanode.data_xceiver`).

Source: DN/DataXceiverServer, CL/protocol/datatransfer/Receiver, Hadoop 3.4.1; facts: hadoop-wire 4.
"""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages.data_transfer import BlockOpResponse, Operation, Status, WriteBlock
from genstamp_dfs.server.addresses import believe_for_this_task_only
from genstamp_dfs.server.connection import BUFFER_BYTES, OPENING_S, SocketConnection, read_delimited
from genstamp_dfs.server.wire import transfer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.frames import WireError

Serve = Callable[[SocketConnection, Operation], Awaitable[None]]

MAX_CONNECTIONS: Final = 4096
"""`dfs.datanode.max.transfer.threads`."""


class TransferServer:
    """Listens for blocks.

    Args:
        serve: does what a connection is opened for.
        converter: of the cluster.
        opening_s: how long a connection may take to say what it is for.
        max_connections: at a time; more are closed at once.
    """

    def __init__(
        self,
        serve: Serve,
        converter: Converter,
        *,
        opening_s: float = OPENING_S,
        max_connections: int = MAX_CONNECTIONS,
    ) -> None:
        self._serve = serve
        self._converter = converter
        self._opening_s = opening_s
        self._max_connections = max_connections
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen; gives the port, which the system chooses where 0 is asked for."""
        self._server = await asyncio.start_server(self._accept, host, port, limit=BUFFER_BYTES)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Listen no more, and end all connections."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a connection is served by a task"
        if len(self._connections) >= self._max_connections:
            writer.close()
            return
        self._connections.add(task)
        believe_for_this_task_only()
        try:
            operation = await self._opening(reader, writer)
            if operation is not None:
                peer = (operation.source or "") if isinstance(operation, WriteBlock) else ""
                connection = SocketConnection(reader, writer, operation, self._converter, peer, opened_here=False)
                await self._serve(connection, operation)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, WireError):
            # The other end went away, or speaks something else: closing is all that Hadoop does.
            pass
        except asyncio.CancelledError:
            # `stop` alone cancels; the loop would complain of a task that ends so.
            pass
        except Exception:
            # One block that fails by our fault must not end the others; the operator sees why.
            traceback.print_exc(file=sys.stderr)
        finally:
            self._connections.discard(task)
            writer.close()

    async def _opening(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Operation | None:
        """What a connection is for; None, and the other end is told why, if that is refused here already."""
        async with asyncio.timeout(self._opening_s):
            code = transfer.operation_code(await reader.readexactly(transfer.OPENING_BYTES))
            data = await read_delimited(reader)
        try:
            return transfer.read_operation(code, data, self._converter)
        except HdfsIOException as refusal:
            answer = BlockOpResponse(Status.ERROR, message=str(refusal))
            writer.write(transfer.write_answer(answer, self._converter, of_read=False, of_checksum=False))
            return None
