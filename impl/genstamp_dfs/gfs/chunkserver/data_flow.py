"""Data on its way along a chain of chunkservers, each of which passes it on while it comes in (section 3.2).

Leaves out: the order of the chain, which the client chooses.
"""

import google_crc32c

from genstamp_dfs.errors import NETWORK_FAILURES
from genstamp_dfs.gfs.chunkserver.configuration import ChunkserverConfiguration
from genstamp_dfs.gfs.chunkserver.data_buffer import DataBuffer
from genstamp_dfs.gfs.messages.data_flow import DataPiece, PushData, Pushed
from genstamp_dfs.gfs.runtime import Connection, Runtime

DATA_ID_BYTES = 16
MAX_TARGETS = 16


class DataFlow:
    """Takes data that is pushed, and passes it on."""

    def __init__(self, configuration: ChunkserverConfiguration, runtime: Runtime, buffer: DataBuffer) -> None:
        self._configuration = configuration
        self._runtime = runtime
        self._buffer = buffer

    async def serve(self, connection: Connection, operation: PushData) -> None:
        """Take data to its end, and say who of the chain has not got it. A sender who breaks off is forgotten."""
        following: Connection | None = None
        try:
            if not self._is_acceptable(operation):
                await connection.send(Pushed((self._runtime.node, *operation.targets)))
                return
            following = await self._next(operation)
            pieces, following = await self._take(connection, following, operation.num_bytes)
            failed = await self._answer_of(following, operation.targets)
            data = b"".join(pieces)
            if google_crc32c.value(data) == operation.checksum:
                self._buffer.keep(operation.data_id, data)
            else:
                failed = (self._runtime.node, *failed)
            await connection.send(Pushed(failed))
        except NETWORK_FAILURES:
            return
        finally:
            connection.close()
            if following is not None:
                following.close()

    def _is_acceptable(self, operation: PushData) -> bool:
        most = min(self._configuration.limits.chunk_bytes, self._configuration.buffer_bytes)
        right_id = len(operation.data_id) == DATA_ID_BYTES
        return right_id and 0 <= operation.num_bytes <= most and len(operation.targets) <= MAX_TARGETS

    async def _next(self, operation: PushData) -> Connection | None:
        """A connection to the next of the chain; None if there is none, or it cannot be reached."""
        if not operation.targets:
            return None
        target, *others = operation.targets
        passed_on = PushData(operation.data_id, operation.num_bytes, operation.checksum, tuple(others))
        try:
            return await self._runtime.connect(target, passed_on, timeout_us=self._configuration.forward_timeout_us)
        except NETWORK_FAILURES:
            return None

    async def _take(
        self, connection: Connection, following: Connection | None, num_bytes: int
    ) -> tuple[list[bytes], Connection | None]:
        """All pieces, which are passed on at once; the following connection is None if it has broken."""
        pieces, received = [], 0
        while received < num_bytes:
            message = await connection.receive(self._configuration.silence_us)
            if not isinstance(message, DataPiece) or not message.data:
                connection.close()
                break
            if following is not None:
                try:
                    await following.send(message)
                except NETWORK_FAILURES:
                    following.close()
                    following = None
            pieces.append(message.data)
            received += len(message.data)
        return pieces, following

    async def _answer_of(self, following: Connection | None, targets: tuple[str, ...]) -> tuple[str, ...]:
        """Who after this one has not got the data."""
        if following is None:
            return targets
        try:
            answer = await following.receive(self._configuration.silence_us)
        except NETWORK_FAILURES:
            return targets
        return answer.failed if isinstance(answer, Pushed) else targets
