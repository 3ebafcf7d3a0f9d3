"""Bytes that no well-meaning client sends: valid conversations changed, requests with hostile values, and noise.

Everything is drawn from one `random.Random`, so the seed tells it all.
"""

import random
import struct
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockChecksum,
    BlockConstructionStage,
    Operation,
    Packet,
    ReadBlock,
    TransferReplica,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.server.addresses import Address, AddressBook
from genstamp_dfs.server.protocols import (
    CLIENT_DATANODE_PROTOCOL,
    CLIENT_PROTOCOL,
    DATANODE_PROTOCOL,
    INTER_DATANODE_PROTOCOL,
)
from genstamp_dfs.server.wire import client_calls, foreign_calls, frames, transfer
from genstamp_dfs.server.wire import datanode_pb2 as datanode
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter

CLIENT_ID = bytes(range(16))
MAX_CHANGED = 50_000
"""Bytes of a recorded conversation that are changed; a write of a block has more."""

SENTINEL = 0x7FFFFFF0
"""Call id of the call that has to be answered at the end of each conversation that is whole."""

PATHS = (
    "", "/", "//", "/.", "/..", "/../../escape", "/a/../../escape", "/a/./b", "/a\0b", "escape", "../escape", "/fuzz",
    "/fuzz/file", "/fuzz/file/below", "/fuzz/" + "x" * 255, "/fuzz/" + "x" * 256, "/fuzz/" + "y/" * 500,
    "/fuzz/" + "z/" * 5000, "/" + "long" * 5000, "/.reserved/.inodes/16385", "/.reserved/raw/fuzz",
    "/fuzz/\u00e9\ud7ff", "/fuzz/\U0001f40d", "/fuzz/a:b", "/fuzz/\n", "/fuzz/%2e%2e/escape", "C:\\escape", "hdfs://elsewhere/fuzz",
    "fuzz",
)  # fmt: skip
NUMBERS = (0, 1, 2, 511, 512, 1001, 1 << 20, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1, -1, -2, -(2**31), -(2**63))
POOLS = ("", "..", "../escape", "/escape", "BP-\0", "BP-" + "x" * 5000, ".", "current/../../escape")
LENGTHS = (-1, 0, 1, 2**31 - 1, -(2**31), 64 * 1024, 64 * 1024 + 1, frames.MAX_FRAME_BYTES, frames.MAX_FRAME_BYTES + 1)

LEFT_OUT = frozenset({"setSafeMode"})
"""Calls that any client may make, and that change what all others can do."""

_REQUESTS: dict[str, type[Message]] = {call.method: call.request for call in client_calls.CALLS.values()}
_REQUESTS.update({call.method: call.request for call in foreign_calls.FOREIGN})
_INTEGERS = {
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.TYPE_FIXED64: (0, 2**64 - 1),
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_SINT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SINT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SFIXED64: (-(2**63), 2**63 - 1),
}


class Attacker:
    """Draws conversations, each from a chance of its own, as long as `draw` is set before it.

    Args:
        pool: the block pool of the cluster.
        nodes: datanodes that a write may go on to, and where they are.
        blocks: blocks that may be read.
        recorded: conversations with either listener.
    """

    def __init__(
        self,
        pool: str,
        nodes: dict[str, Address],
        blocks: Sequence[Block],
        recorded: dict[str, list[bytes]],
    ) -> None:
        self.draw = random.Random()
        self.pool = pool
        self.nodes = nodes
        self.blocks = blocks
        self.recorded = recorded

    # -- calls --------------------------------------------------------------------------------------------------

    def rpc(self, server: str) -> tuple[str, bytes]:
        """A conversation with a server of calls, and what kind it is."""
        kinds: tuple[tuple[str, Callable[[], bytes]], ...] = (
            ("noise", lambda: self._noise(b"hrpc\x09\0\0")),
            ("changed", lambda: self._changed(self.draw.choice(self.recorded[server]))),
            ("frames", self._frames),
            ("opening", self._opening),
            ("values", lambda: self._values(server)),
            ("values", lambda: self._values(server)),
            ("values", lambda: self._values(server)),
        )
        kind, make = self.draw.choice(kinds)
        return kind, make()

    def _opening(self) -> bytes:
        draw = self.draw
        magic = draw.choice((b"hrpc", b"hrpd", b"GET ", b"\0\0\0\0"))
        head = magic + bytes([draw.choice((9, 9, 9, 0, 8, 10, 255)), 0, draw.choice((0, 0xDF, 1, 255))])
        context = self._context(draw.choice((*PATHS, "someone")))
        return head + draw.choice((b"", context, context * 2)) + self._call("getFileInfo", b"")

    def _context(self, user: str = "fuzz") -> bytes:
        message = rpc.IpcConnectionContext(userInfo=rpc.UserInformation(effectiveUser=user), protocol="any")
        return frames.frame(frames.request_header(frames.CONTEXT_CALL_ID, b"", -1), message)

    def _frames(self) -> bytes:
        """Frames whose lengths, headers or bodies are wrong."""
        draw = self.draw
        body = draw.randbytes(draw.randrange(200))
        header = frames.delimited(
            rpc.RpcRequestHeader(
                rpcKind=draw.choice((0, 1, 2)),  # type: ignore[arg-type]
                rpcOp=draw.choice((0, 1, 2)),  # type: ignore[arg-type]
                callId=draw.choice((0, 1, -1, -2, -3, -4, -33, 2**31 - 1, -(2**31))),
                clientId=draw.randbytes(draw.choice((0, 1, 16, 5000))),
                retryCount=draw.choice((-1, 0, 2**31 - 1)),
            )
        )
        bodies = (body, header, header + body, header + b"\xff" * 5, header + b"\xff\xff\xff\xff\x0f", b"")
        out = frames.preamble() + draw.choice((b"", self._context()))
        for _ in range(draw.randrange(1, 5)):
            one = draw.choice(bodies)
            length = draw.choice((len(one), len(one), len(one), *LENGTHS))
            out += struct.pack(">i", length) + one
        return out

    def _values(self, server: str) -> bytes:
        """Well-formed calls with hostile values."""
        calls = b"".join(self._hostile_call(server, number) for number in range(self.draw.randrange(1, 9)))
        return frames.preamble() + self._context(self.draw.choice(("fuzz", "fuzz", *PATHS))) + calls

    def _hostile_call(self, server: str, number: int) -> bytes:
        draw = self.draw
        client_id = draw.choice((CLIENT_ID, b"", draw.randbytes(16)))
        if server == "namenode":
            if draw.random() < 0.7:
                method = draw.choice(sorted(set(_REQUESTS) - LEFT_OUT))
                body = self._fill(_REQUESTS[method]).SerializePartialToString()
                return self._call(method, body, number, client_id)
            protocol = DATANODE_PROTOCOL
        elif draw.random() < 0.4:
            body = self._fill(datanode.GetReplicaVisibleLengthRequest).SerializePartialToString()
            return self._call("getReplicaVisibleLength", body, number, client_id, CLIENT_DATANODE_PROTOCOL.name)
        else:
            protocol = INTER_DATANODE_PROTOCOL
        method = draw.choice(sorted(request.__name__ for request in protocol.calls))
        fields = [self._value() for _ in range(draw.randrange(8))]
        body = msgspec.msgpack.encode(draw.choice((fields, dict(zip("abcdefgh", fields, strict=False)), None, "text")))
        return self._call(draw.choice((method, method, "none", "")), body, number, client_id, protocol.name)

    def _value(self, depth: int = 2) -> Any:
        draw = self.draw
        plain = (*PATHS[:12], 0, -1, 2**63 - 1, 2**64 - 1, -(2**63), 1.5, True, None, b"\0\xff", "stranger")
        if depth and draw.random() < 0.3:
            return [self._value(depth - 1) for _ in range(draw.randrange(4))]
        return draw.choice(plain)

    def _call(
        self, method: str, body: bytes, number: int = 0, client_id: bytes = CLIENT_ID, protocol: str = ""
    ) -> bytes:
        call = rpc.RequestHeader(
            methodName=method, declaringClassProtocolName=protocol or CLIENT_PROTOCOL.name, clientProtocolVersion=1
        )
        whole = frames.delimited(frames.request_header(number, client_id)) + frames.delimited(call)
        whole += frames.delimited_bytes(body)
        return len(whole).to_bytes(4, "big") + whole

    def _fill(self, kind: type[Message], depth: int = 4) -> Message:
        """A message whose fields have hostile values; now and then one is missing."""
        message, draw = kind(), self.draw
        for field in kind.DESCRIPTOR.fields:
            if draw.random() < 0.08 or depth == 0:
                continue
            if not field.is_required and draw.random() < 0.3:
                continue
            values = [
                self._field(field, depth) for _ in range(draw.choice((0, 1, 1, 2, 9)) if field.is_repeated else 1)
            ]
            if field.message_type is not None:
                for value in values:
                    target = getattr(message, field.name)
                    (target.add() if field.is_repeated else target).CopyFrom(value)
            elif field.is_repeated:
                getattr(message, field.name).extend(values)
            else:
                setattr(message, field.name, values[0])
        return message

    def _field(self, field: Any, depth: int) -> Any:
        draw = self.draw
        if field.message_type is not None:
            return self._fill(GetMessageClass(field.message_type), depth - 1)
        if field.type == FieldDescriptor.TYPE_STRING:
            if field.name == "poolId":
                return draw.choice((self.pool, self.pool, *POOLS))
            return draw.choice((*PATHS, "fuzz", "stranger"))
        if field.type == FieldDescriptor.TYPE_BYTES:
            return draw.choice((b"", b"\0", b"\xff\xfe", b"x" * 5000))
        if field.type == FieldDescriptor.TYPE_ENUM:
            return draw.choice(field.enum_type.values).number
        if field.type == FieldDescriptor.TYPE_BOOL:
            return draw.random() < 0.5
        if field.type in (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT):
            return draw.choice((0.0, float("inf"), float("nan"), -1.0))
        low, high = _INTEGERS[field.type]
        return draw.choice([one for one in (*NUMBERS, 2**64 - 1) if low <= one <= high])

    # -- blocks -------------------------------------------------------------------------------------------------

    def transfer(self) -> tuple[str, bytes]:
        """A conversation with a server of blocks, and what kind it is."""
        kinds: tuple[tuple[str, Callable[[], bytes]], ...] = (
            ("noise", lambda: self._noise(struct.pack(">hB", 28, 80))),
            ("changed", lambda: self._changed(self.draw.choice(self.recorded["transfer"]))),
            ("frames", self._operation_frames),
            ("values", self._operation_values),
            ("values", self._operation_values),
            ("packets", self._packets),
            ("packets", self._packets),
        )
        kind, make = self.draw.choice(kinds)
        return kind, make()

    def _operation_frames(self) -> bytes:
        """Other versions and operations, and messages that are none."""
        draw = self.draw
        head = struct.pack(">hB", draw.choice((28, 28, 28, 27, 29, 0, -1)), draw.choice((80, 81, 85, 86, 82, 0, 255)))
        body = draw.randbytes(draw.randrange(200))
        length = draw.choice((len(body), len(body), 0, 2**16, 2**16 + 1, 2**31 - 1))
        return head + draw.choice((_varint(length), _varint(length), b"\xff" * 6)) + body

    def _block(self) -> Block:
        """One that is not there, or one that is, as it is or under another stamp or length."""
        draw = self.draw
        if draw.random() < 0.4:
            known = draw.choice(self.blocks)
            stamp = draw.choice((known.generation_stamp, known.generation_stamp - 1, 0))
            return Block(known.block_id, stamp, draw.choice((known.num_bytes, 0, 1)))
        return Block(draw.randrange(2**61, 2**62), draw.choice((1001, 0, 2**62)), draw.choice((0, 1, 2**62)))

    def _operation_values(self) -> bytes:
        """Operations with hostile values."""
        draw, unsigned = self.draw, [number for number in NUMBERS if number >= 0]
        operation: Operation
        targets = tuple(draw.sample(sorted(self.nodes), draw.randrange(len(self.nodes) + 1)))
        match draw.randrange(4):
            case 0:
                block = self._block()
                operation = ReadBlock(block, "fuzz", draw.choice(unsigned), draw.choice(unsigned), draw.random() < 0.5)
            case 1:
                operation = BlockChecksum(self._block())
            case 2:
                operation = TransferReplica(Block(draw.randrange(2**62), 1001, 0), "fuzz", targets)
            case _:
                return self._write_opening(Block(draw.choice(unsigned), 1001, draw.choice(unsigned)), targets)
        converter = Converter(draw.choice((self.pool, self.pool, self.pool, *POOLS)), self._book())
        return transfer.write_operation(operation, converter) + draw.randbytes(draw.choice((0, 3)))

    def _book(self) -> AddressBook:
        book = AddressBook()
        for name, address in self.nodes.items():
            book.note(name, address)
        return book

    def _write_opening(self, block: Block, targets: tuple[str, ...] = ()) -> bytes:
        draw, unsigned = self.draw, [number for number in NUMBERS if number >= 0]
        operation = WriteBlock(
            block=block,
            client_name=draw.choice(("fuzz", "fuzz", "fuzz", "", "/../escape")),
            targets=targets,
            stage=draw.choice([BlockConstructionStage.PIPELINE_SETUP_CREATE] * 5 + list(BlockConstructionStage)),
            pipeline_size=draw.choice((0, 1, 3, 2**32 - 1)),
            min_bytes_received=draw.choice((0, 0, *unsigned)),
            max_bytes_received=draw.choice((0, 0, *unsigned)),
            latest_generation_stamp=draw.choice((1001, 1001, *unsigned)),
        )
        pool = draw.choice((self.pool, self.pool, self.pool, self.pool, *POOLS))
        return transfer.write_operation(operation, Converter(pool, self._book()))

    def _packets(self) -> bytes:
        """A write of a block that nobody has, and packets of which one is wrong."""
        draw = self.draw
        targets = tuple(draw.sample(sorted(self.nodes), draw.choice((0, 0, 1, 2))))
        out, at = self._write_opening(Block(draw.randrange(2**61, 2**62), 1001, 0), targets), 0
        wrong = draw.randrange(6)
        for seqno in range(draw.randrange(1, 6)):
            data = draw.randbytes(draw.choice((0, 1, 512, 5000)))
            packet = Packet(seqno, at, data=data, checksums=checksums_of(data), sync=draw.random() < 0.2)
            at += len(data)
            out += transfer.write_packet(packet) if seqno != wrong else self._wrong_packet(packet)
        return out + draw.choice((b"", transfer.write_packet(Packet(99, at, is_last=True))))

    def _wrong_packet(self, packet: Packet) -> bytes:
        draw = self.draw
        encoded = transfer.write_packet(packet)
        match draw.randrange(6):
            case 0:
                return struct.pack(">ih", draw.choice((*LENGTHS, 16 * 1024 * 1024)), draw.choice((-1, 0, 1, 31, 513)))
            case 1:
                return transfer.write_packet(Packet(packet.seqno, draw.choice(NUMBERS), data=packet.data))
            case 2:
                return transfer.write_packet(
                    Packet(draw.choice(NUMBERS), packet.offset, data=packet.data, checksums=packet.checksums)
                )
            case 3:
                return transfer.write_packet(Packet(-1, 0)) * draw.choice((1, 5000))
            case 4:
                return transfer.write_packet(
                    Packet(packet.seqno, packet.offset, is_last=True, data=b"last", checksums=checksums_of(b"last"))
                )
            case _:
                return encoded[:-1] + bytes([encoded[-1] ^ 1])

    # -- bytes --------------------------------------------------------------------------------------------------

    def _noise(self, head: bytes) -> bytes:
        draw = self.draw
        return draw.choice((b"", head)) + draw.randbytes(draw.choice((0, 1, 3, 7, 64, 1000, 100_000)))

    def _changed(self, data: bytes) -> bytes:
        """A valid conversation with some bytes changed, cut, doubled or left out."""
        draw = self.draw
        out = bytearray(data[: draw.choice((500, 5000, MAX_CHANGED))])
        for _ in range(draw.choice((0, 1, 1, 2, 5, 40))):
            at = draw.randrange(len(out) or 1)
            match draw.randrange(6):
                case 0 | 1 if out:
                    out[at] ^= 1 << draw.randrange(8)
                case 2 if out:
                    out[at] = draw.choice((0, 0x7F, 0x80, 0xFF))
                case 3:
                    del out[at : at + draw.choice((1, 4, 100))]
                case 4:
                    out[at:at] = out[at : at + draw.choice((1, 4, 100))]
                case _:
                    out[at:at] = draw.randbytes(draw.choice((1, 4, 100)))
        return bytes(out[: draw.randrange(len(out) + 1)] if draw.random() < 0.3 else out)


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])
