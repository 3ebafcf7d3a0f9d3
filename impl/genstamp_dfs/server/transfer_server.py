"""Listens for connections that carry blocks, and hands each over with the operation that it opens with.

Not here: what operations do (`genstamp_dfs.hdfs.datanode.data_xceiver`).

Source: DN/DataXceiverServer, CL/protocol/datatransfer/Receiver, Hadoop 3.4.1; facts W.4.1.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.hdfs.messages.data_transfer import BlockOpResponse, Operation, Status, WriteBlock
from genstamp_dfs.server.addresses import believe_for_this_task_only
from genstamp_dfs.server.connection import BUFFER_BYTES, OPENING_S, SocketConnection, read_delimited
from genstamp_dfs.server.connections import Connections, NoRoomError, Room, close, tell_of_fault
from genstamp_dfs.server.wire import transfer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.frames import WireError

Serve = Callable[[SocketConnection, Operation], Awaitable[None]]

MAX_CONNECTIONS: Final = 4096
"""`dfs.datanode.max.transfer.threads`."""

FEW: Final = 64
"""With more connections than these, the next ones get `SMALL_BUFFER_BYTES`, so that all together stay small."""

SMALL_BUFFER_BYTES: Final = 16 * 1024

MAX_LARGE_BYTES: Final = 128 << 20
"""Packets larger than a buffer, of all connections at a time."""


class TransferServer:
    """Listens for blocks.

    Args:
        serve: does what a connection is opened for.
        converter: of the cluster.
        opening_s: how long a connection may take to say what it is for.
        max_connections: at a time; for one more, one that has not said what it is for is closed.
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
        self._server: asyncio.Server | None = None
        self._connections = Connections(max_connections)
        self._large = Room(MAX_LARGE_BYTES)

    async def start(self, host: str, port: int) -> int:
        """Listen; gives the port, which the system chooses where 0 is asked for."""
        self._server = await asyncio.get_running_loop().create_server(self._protocol, host, port)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Listen no more, and end all connections."""
        if self._server is not None:
            self._server.close()
        await self._connections.end_all()

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        buffer_bytes = self._buffer_bytes()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await self._accept(reader, writer, buffer_bytes)

        return asyncio.StreamReaderProtocol(asyncio.StreamReader(limit=buffer_bytes), accept)

    def _buffer_bytes(self) -> int:
        return BUFFER_BYTES if len(self._connections) < FEW else SMALL_BUFFER_BYTES

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, buffer_bytes: int) -> None:
        task = asyncio.current_task()
        assert task is not None, "a connection is served by a task"
        if not self._connections.admit(task):
            writer.close()
            return
        believe_for_this_task_only()
        connection = None
        try:
            operation = await self._opening(reader, writer)
            if operation is not None:
                self._connections.works(task)
                peer = (operation.source or "") if isinstance(operation, WriteBlock) else ""
                connection = SocketConnection(
                    reader, writer, operation, self._converter, peer, opened_here=False, buffer_bytes=buffer_bytes
                )
                connection.large = self._large
                await self._serve(connection, operation)
            await close(writer)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, WireError, NoRoomError):
            # The other end went away, or speaks something else: closing is all that Hadoop does.
            pass
        except asyncio.CancelledError:
            # The server stops, or needs the place for another; the loop would complain of a task that ends so.
            pass
        except Exception as fault:
            # One block that fails by our fault must not end the others; the operator sees why.
            tell_of_fault("a connection for a block", fault)
        finally:
            if connection is not None:
                connection.close()
            self._connections.leave(task)
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
