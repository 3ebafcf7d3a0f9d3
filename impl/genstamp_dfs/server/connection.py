"""A connection that carries a block, over a socket (`genstamp_dfs.world.runtime.Connection`).

What comes next on it follows from the operation that opened it and from the end that reads.

Not here: who connects (`runtime`) and who listens (`transfer_server`).
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from genstamp_dfs.errors import EOFException, SocketTimeoutException
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockChecksum,
    BlockOpResponse,
    Message,
    Operation,
    Packet,
    PipelineAck,
    ReadBlock,
    ReadStatus,
    TransferAck,
    WriteBlock,
)
from genstamp_dfs.server.connections import NoRoomError, Room
from genstamp_dfs.server.wire import transfer
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.frames import WireError

Result = TypeVar("Result")

MAX_ANSWER_BYTES = 64 * 1024

OPENING_S = 20.0
"""How long a connection may take to say who it is and what it is for."""

BUFFER_BYTES = 1 << 20
"""How much a reader takes in, and a writer takes on, before the other end has to wait; more than one packet."""


SEND_S = 480.0
"""How long the other end may take nothing (`dfs.datanode.socket.write.timeout`)."""


class SocketConnection:
    """One end of a connection.

    Args:
        reader, writer: of the socket.
        operation: what the connection is for.
        converter: of the cluster.
        peer: name of the node at the other end, if it is known.
        opened_here: whether this end has asked for the operation.
        buffer_bytes: how much is taken on before the other end has to take it.

    Attributes:
        large: where packets larger than that find room; anything goes if there is none.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        operation: Operation,
        converter: Converter,
        peer: str,
        *,
        opened_here: bool,
        buffer_bytes: int = BUFFER_BYTES,
    ) -> None:
        self.peer = peer
        self.large: Room | None = None
        self._reader = reader
        self._writer = writer
        self._operation = operation
        self._converter = converter
        self._opened_here = opened_here
        self._heard = 0
        self._unsent = bytearray()
        self._buffer_bytes = buffer_bytes
        self._held = 0
        writer.transport.set_write_buffer_limits(buffer_bytes)

    async def send(self, message: Message) -> None:
        """Send to the other end."""
        if self._writer.is_closing():
            raise EOFException(f"the connection to {self.peer} is closed")
        try:
            if isinstance(message, Packet):
                self._flush()
                self._writer.write(transfer.write_packet(message))
            else:
                self._send_soon(self._encode(message))
            async with asyncio.timeout(SEND_S):
                await self._writer.drain()
        except TimeoutError as problem:
            self._writer.transport.abort()
            raise EOFException(f"{self.peer} took nothing for {SEND_S:g} s") from problem
        except (OSError, RuntimeError) as problem:
            raise EOFException(f"the connection to {self.peer} is broken: {problem}") from problem

    async def receive(self, timeout_us: int | None = None) -> Message:
        """The next message from the other end."""
        try:
            if timeout_us is None:
                return await self._read_next()
            async with asyncio.timeout(timeout_us / 1_000_000):
                return await self._read_next()
        except TimeoutError as problem:
            raise SocketTimeoutException(f"nothing came from {self.peer}") from problem
        except (OSError, asyncio.IncompleteReadError) as problem:
            raise EOFException(f"the connection to {self.peer} is closed") from problem
        except (WireError, NoRoomError) as problem:
            raise EOFException(f"{self.peer} does not follow the protocol: {problem}") from problem

    def close(self) -> None:
        """Close; what was sent arrives first."""
        self._let_go()
        self._flush()
        self._writer.close()

    # -- below --------------------------------------------------------------------------------------------------

    def _send_soon(self, answer: bytes) -> None:
        """Send in the next turn of the loop, together with what else there is by then: answers are small and many."""
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._flush)
        self._unsent += answer

    def _flush(self) -> None:
        if self._unsent and not self._writer.is_closing():
            self._writer.write(bytes(self._unsent))
        self._unsent.clear()

    def _encode(self, message: Message) -> bytes:
        match message:
            case BlockOpResponse() | PipelineAck() | TransferAck() | ReadStatus():
                return transfer.write_answer(
                    message,
                    self._converter,
                    of_read=isinstance(self._operation, ReadBlock),
                    of_checksum=isinstance(self._operation, BlockChecksum),
                )
            case _:
                raise AssertionError(f"{type(message).__name__} opens a connection and is not sent on one")

    async def _read_next(self) -> Message:
        message = await self._next_kind()()
        self._heard += 1
        return message

    def _next_kind(self) -> Callable[[], Awaitable[Message]]:
        """What has to come next."""
        match self._operation:
            case WriteBlock() if not self._opened_here:
                return self._read_packet
            case WriteBlock() if self._operation.stage.is_transfer:
                return self._read_transfer_ack
            case WriteBlock(client_name=""):
                return self._read_transfer_ack
            case WriteBlock() if self._heard > 0:
                return self._read_ack
            case ReadBlock() if not self._opened_here:
                return self._read_read_status
            case ReadBlock() if self._heard > 0:
                return self._read_packet
            case _:
                return self._read_response

    def _hold(self, length: int) -> None:
        """Have room for a packet, in place of the one before."""
        self._let_go()
        if self.large is not None and length > self._buffer_bytes:
            self.large.take(length)
            self._held = length

    def _let_go(self) -> None:
        if self.large is not None:
            self.large.give_back(self._held)
        self._held = 0

    async def _read_packet(self) -> Message:
        header_bytes, body_bytes = transfer.packet_lengths(await self._reader.readexactly(transfer.PACKET_START_BYTES))
        self._hold(body_bytes)
        header, checksum_bytes = transfer.packet_header(await self._reader.readexactly(header_bytes), body_bytes)
        # Each part for itself: what is read together would have to be copied once more to be cut.
        checksums = await self._reader.readexactly(checksum_bytes)
        return transfer.packet_of(header, checksums, await self._reader.readexactly(body_bytes - checksum_bytes))

    async def _read_response(self) -> Message:
        return transfer.read_block_op_response(await read_delimited(self._reader), self._converter)

    async def _read_ack(self) -> Message:
        return transfer.read_ack(await read_delimited(self._reader))

    async def _read_transfer_ack(self) -> Message:
        return transfer.read_transfer_ack(await read_delimited(self._reader))

    async def _read_read_status(self) -> Message:
        return transfer.read_read_status(await read_delimited(self._reader))


async def read_delimited(reader: asyncio.StreamReader) -> bytes:
    """The bytes of a message that stands after its length.

    Raises:
        WireError: the length is too much, or no length.
    """
    length = shift = 0
    while True:
        (byte,) = await reader.readexactly(1)
        length |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > 28:
            raise WireError("the length of a message has more than 5 bytes")
    if length > MAX_ANSWER_BYTES:
        raise WireError(f"message of {length} bytes, accepted: at most {MAX_ANSWER_BYTES}")
    return await reader.readexactly(length)
