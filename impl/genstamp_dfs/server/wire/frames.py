"""Bytes of Hadoop's RPC, version 9, and of protobuf messages that follow one another.

A reader is handed bytes and gives messages, or says what is wrong with them; sizes are bounded before anything is
allocated.

Not here: sockets, and what calls mean.

Source: org/apache/hadoop/ipc/Client, Server, RpcConstants, Hadoop 3.4.1; facts W.1.1, W.1.2.
"""

import functools
import struct
from typing import Final, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, EncodeError, Message

from genstamp_dfs.errors import GenstampDfsError
from genstamp_dfs.server.wire import rpc_pb2 as rpc

AnyMessage = TypeVar("AnyMessage", bound=Message)

MAGIC: Final = b"hrpc"
VERSION: Final = 9
AUTH_NONE: Final = 0x00
AUTH_SASL: Final = 0xDF

PREAMBLE_BYTES: Final = 7
MAX_FRAME_BYTES: Final = 64 * 1024 * 1024
"""Largest frame that is read; requests of the known clients stay under a few KiB, block reports under some MiB."""

CONTEXT_CALL_ID: Final = -3
PING_CALL_ID: Final = -4
SASL_CALL_ID: Final = -33

_MAX_VARINT_BYTES: Final = 5


class WireError(GenstampDfsError):
    """Bytes do not follow the protocol; the message says where."""


def preamble(auth: int = AUTH_NONE) -> bytes:
    """The first bytes of a connection."""
    return MAGIC + bytes([VERSION, 0, auth])


def delimited(message: Message) -> bytes:
    """A message after its length."""
    try:
        body = message.SerializeToString()
    except EncodeError as problem:
        raise AssertionError(f"{type(message).__name__} is not complete: {problem}") from problem
    return delimited_bytes(body)


def delimited_bytes(body: bytes) -> bytes:
    """Bytes after their length."""
    return _varint(len(body)) + body


def frame(*messages: Message) -> bytes:
    """Messages, each after its length, after the length of them all."""
    body = b"".join(delimited(message) for message in messages)
    return struct.pack(">i", len(body)) + body


def frame_length(head: bytes) -> int:
    """Length of the frame that these four bytes begin.

    Raises:
        WireError: it is negative or more than `MAX_FRAME_BYTES`.
    """
    (length,) = struct.unpack(">i", head)
    if not 0 <= length <= MAX_FRAME_BYTES:
        raise WireError(f"frame of {length} bytes, accepted: 0 to {MAX_FRAME_BYTES}")
    return int(length)


def parse(kind: type[AnyMessage], data: bytes) -> AnyMessage:
    """The message that the bytes are.

    Raises:
        WireError: they are not such a message.
    """
    message = kind()
    try:
        message.ParseFromString(data)
    except DecodeError as problem:
        raise WireError(f"{len(data)} bytes are no {kind.__name__}: {problem}") from problem
    if _has_text(kind.DESCRIPTOR):
        _check_text(message)
    return message


@functools.cache
def _has_text(kind: Descriptor) -> bool:
    """Whether there is text in messages of this kind, or in messages within them."""
    return any(
        field.type == FieldDescriptor.TYPE_STRING or (field.message_type is not None and _has_text(field.message_type))
        for field in kind.fields
    )


def _check_text(message: Message) -> None:
    """Refuse text that is no UTF-8, which would be handed out as bytes otherwise."""
    for field, value in message.ListFields():
        values = value if field.is_repeated else (value,)
        if field.type == FieldDescriptor.TYPE_STRING:
            if not all(isinstance(text, str) for text in values):
                raise WireError(f"{field.full_name} is no UTF-8")
        elif field.type == FieldDescriptor.TYPE_MESSAGE and _has_text(field.message_type):
            for inner in values:
                _check_text(inner)


class FrameReader:
    """Takes the messages of a frame out of it, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def next(self, kind: type[AnyMessage]) -> AnyMessage:
        """The next message.

        Raises:
            WireError: it is cut off, or not such a message.
        """
        return parse(kind, self.next_bytes())

    def next_bytes(self) -> bytes:
        """The bytes of the next message.

        Raises:
            WireError: it is cut off.
        """
        length, start = read_varint(self._data, self._at)
        self._at = start + length
        if self._at > len(self._data):
            raise WireError(f"message of {length} bytes, the frame has {len(self._data) - start} left")
        return self._data[start : self._at]

    def rest(self) -> bytes:
        """All that was not taken."""
        return self._data[self._at :]


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A length of at most five bytes, and where it ends.

    Raises:
        WireError: it is cut off, or longer.

    >>> read_varint(bytes([0xAC, 0x02]), 0)
    (300, 2)
    """
    value = 0
    for position in range(_MAX_VARINT_BYTES):
        if at + position >= len(data):
            raise WireError("the length of a message is cut off")
        byte = data[at + position]
        value |= (byte & 0x7F) << (7 * position)
        if byte < 0x80:
            return value, at + position + 1
    raise WireError(f"the length of a message has more than {_MAX_VARINT_BYTES} bytes")


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


# -- headers --------------------------------------------------------------------------------------------------------


def request_header(call_id: int, client_id: bytes, retry_count: int = 0) -> rpc.RpcRequestHeader:
    """The header of a frame from a client."""
    return rpc.RpcRequestHeader(
        rpcKind=rpc.RpcKind.RPC_PROTOCOL_BUFFER,
        rpcOp=rpc.Operation.RPC_FINAL_PACKET,
        callId=call_id,
        clientId=client_id,
        retryCount=retry_count,
    )


def response_header(
    call_id: int,
    client_id: bytes,
    retry_count: int = 0,
    status: "rpc.RpcStatus.Value" = rpc.RpcStatus.SUCCESS,
) -> rpc.RpcResponseHeader:
    """The header of a frame from a server; negative call ids go out as unsigned numbers of 32 bits."""
    return rpc.RpcResponseHeader(
        callId=call_id & 0xFFFFFFFF,
        status=status,
        serverIpcVersionNum=VERSION,
        clientId=client_id,
        retryCount=retry_count,
    )
