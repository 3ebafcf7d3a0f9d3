"""Data travels along a chain of chunkservers, each passing on what it gets while it gets it (section 3.2).

The data has no place yet. When the next one of the chain cannot be reached the data is kept here all the same, and the
answer names all that did not get it.

Not here: what becomes of the data (`data_buffer`).
"""

import google_crc32c

from genstamp_dfs.errors import NETWORK_FAILURES, EOFException
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.gfs.runtime import Connection, Runtime


class Pushing:
    """Takes pushed data, and passes it on."""

    def __init__(self, configuration: ChunkserverConfiguration, runtime: Runtime, buffer: DataBuffer) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._buffer = buffer

    async def serve(self, connection: Connection, operation: PushData) -> None:
        """Take the data of one connection; whoever is behind it learns of an error by a connection that ends."""
        try:
            await self._take(connection, operation)
        except NETWORK_FAILURES:
            pass
        finally:
            connection.close()

    async def _take(self, connection: Connection, operation: PushData) -> None:
        if operation.num_bytes > self._configuration.limits.chunk_bytes:
            raise EOFException(f"{operation.num_bytes} bytes are pushed, a chunk has fewer")
        following = await self._next(operation)
        try:
            await self._receive(connection, following, operation)
        finally:
            if following is not None:
                following.close()

    async def _receive(self, connection: Connection, following: Connection | None, operation: PushData) -> None:
        """Take all pieces, keep them, and say who of the chain did not get them."""
        data = bytearray()
        onward = following
        while len(data) < operation.num_bytes:
            piece = await connection.receive(self._configuration.silence_us)
            if not isinstance(piece, DataPiece) or not piece.data or len(data) + len(piece.data) > operation.num_bytes:
                raise EOFException(f"{connection.peer} pushes something else than {operation.num_bytes} bytes")
            data += piece.data
            onward = await self._pass_on(onward, piece)
        if google_crc32c.value(bytes(data)) != operation.checksum:
            await connection.send(Pushed((self._runtime.node, *operation.targets)))
            return
        self._buffer.put(operation.data_id, bytes(data), self._runtime.now_us())
        await connection.send(Pushed(await self._end(onward, operation)))

    async def _next(self, operation: PushData) -> Connection | None:
        """A connection to the next of the chain; None if there is none, or it cannot be reached."""
        if not operation.targets:
            return None
        first, *rest = operation.targets
        onward = PushData(operation.data_id, operation.num_bytes, operation.checksum, tuple(rest))
        try:
            return await self._runtime.connect(first, onward, timeout_us=self._configuration.silence_us)
        except NETWORK_FAILURES:
            return None

    async def _pass_on(self, following: Connection | None, piece: DataPiece) -> Connection | None:
        if following is None:
            return None
        try:
            await following.send(piece)
        except NETWORK_FAILURES:
            return None
        return following

    async def _end(self, following: Connection | None, operation: PushData) -> tuple[str, ...]:
        """Who of the rest of the chain did not get the data."""
        if following is None:
            return operation.targets
        try:
            answer = await following.receive(self._configuration.silence_us)
        except NETWORK_FAILURES:
            return operation.targets
        return answer.failed if isinstance(answer, Pushed) else operation.targets
