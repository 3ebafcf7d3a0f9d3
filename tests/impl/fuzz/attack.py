"""Sends hostile conversations to servers, and counts what they say to them."""

import asyncio
import contextlib
import random
import struct
from collections import Counter
from dataclasses import dataclass, field

from tests.impl.fuzz.hostile import CLIENT_ID, SENTINEL, Attacker

from genstamp_dfs.hdfs.messages.client_protocol import GetServerDefaults
from genstamp_dfs.hdfs.messages.data_transfer import Status
from genstamp_dfs.server.addresses import AddressBook
from genstamp_dfs.server.protocols import CLIENT_PROTOCOL
from genstamp_dfs.server.wire import frames, transfer_pb2
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.frames import WireError

HOST = "127.0.0.1"
ANSWER_S = 30.0
"""Longest wait for an answer or a close: who gets neither was forgotten."""

TOGETHER = 8
"""Connections at a time."""


@dataclass
class Totals:
    """What came of an attack.

    Attributes:
        connections: by listener and kind of conversation.
        ends: by listener and what the server said: names of exceptions, statuses, or that it closed.
        sent, received: bytes.
    """

    connections: Counter[tuple[str, str]] = field(default_factory=Counter)
    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    sent: int = 0
    received: int = 0

    def lines(self) -> list[str]:
        """A table of them."""
        total = self.connections.total()
        head = f"{total:,} connections, {self.sent:,} bytes sent, {self.received:,} received"
        counted = [*self.connections.items(), *self.ends.items()]
        return [head, *(f"  {listener:14} {name:50} {count:>9,}" for (listener, name), count in sorted(counted))]


@dataclass(frozen=True)
class Target:
    """A listener: what it is called, where it is, and whether it takes calls or blocks."""

    name: str
    port: int
    takes_calls: bool


async def attack(targets: list[Target], attacker: Attacker, seed: int, numbers: range, totals: Totals) -> None:
    """Open these connections, some at a time, and have each answered or closed.

    What is recorded differs a little from run to run, so each connection has a chance of its own, by seed and number.

    Raises:
        AssertionError: a server neither answers nor closes, or says what is no answer.
    """
    for first in numbers[::TOGETHER]:
        conversations = []
        for number in numbers[first - numbers[0] :][:TOGETHER]:
            draw = attacker.draw = random.Random(f"{seed}/{number}")
            target = draw.choice(targets)
            kind, data = attacker.rpc(target.name) if target.takes_calls else attacker.transfer()
            totals.connections[target.name, kind] += 1
            conversations.append(converse(target, data, draw.choice((0, 0, 0, 1, 7)), totals))
        await asyncio.gather(*conversations)


async def converse(target: Target, data: bytes, piece: int, totals: Totals) -> None:
    """Say something to a listener, in pieces if `piece` is not 0, and count what it says until it closes."""
    is_whole = target.takes_calls and are_frames(data)
    if is_whole:
        header = frames.request_header(SENTINEL, CLIENT_ID)
        data += CLIENT_PROTOCOL.frame(header, GetServerDefaults(), Converter("", AddressBook()))
    reader, writer = await asyncio.open_connection(HOST, target.port)
    totals.sent += len(data)
    said = b""
    try:
        async with asyncio.timeout(ANSWER_S):
            if piece:
                for at in range(0, min(len(data), 300), piece):
                    writer.write(data[at : at + piece])
                    await asyncio.sleep(0)
                    if writer.transport.is_closing():
                        raise ConnectionResetError
                data = data[:0] if len(data) <= 300 else data[at + piece :]
            writer.write(data)
            if not is_whole:
                writer.write_eof()
            while part := await reader.read(1 << 16):
                said += part
                if is_whole and _has_answer(said, SENTINEL):
                    break
    except OSError:
        # Closed by the server with bytes that it did not read: nothing more is learned from it.
        pass
    except TimeoutError as problem:
        raise AssertionError(f"{target.name} neither answers nor closes: {data[:200]!r}") from problem
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
    totals.received += len(said)
    names = rpc_answers(said) if target.takes_calls else transfer_answers(said)
    for name in names:
        totals.ends[target.name, f"answer: {name}"] += 1
    if not names:
        totals.ends[target.name, "closed without a word"] += 1


def are_frames(data: bytes) -> bool:
    """Whether these bytes are a preamble and whole frames, so that a server waits for nothing."""
    if data[:4] != frames.MAGIC or len(data) < frames.PREAMBLE_BYTES:
        return False
    at = frames.PREAMBLE_BYTES
    while at < len(data):
        if at + 4 > len(data):
            return False
        (length,) = struct.unpack_from(">i", data, at)
        if not 0 <= length <= frames.MAX_FRAME_BYTES:
            return False
        at += 4 + length
    return at == len(data)


def _frames_of(said: bytes) -> list[tuple[rpc.RpcResponseHeader, bytes]]:
    found, at = [], 0
    while at + 4 <= len(said):
        end = at + 4 + frames.frame_length(said[at : at + 4])
        if end > len(said):
            break
        frame = frames.FrameReader(said[at + 4 : end])
        found.append((frame.next(rpc.RpcResponseHeader), frame.rest()))
        at = end
    return found


def _has_answer(said: bytes, call_id: int) -> bool:
    if said[:5] == b"HTTP/":
        return False
    return any(header.callId == call_id or header.status == rpc.RpcStatus.FATAL for header, _ in _frames_of(said))


def rpc_answers(said: bytes) -> list[str]:
    """What a server of calls says, by name."""
    if said[:5] == b"HTTP/":
        return ["HTTP 404"]
    names = []
    for header, _ in _frames_of(said):
        if header.status == rpc.RpcStatus.SUCCESS:
            names.append("success")
        else:
            fatal = "fatal " if header.status == rpc.RpcStatus.FATAL else ""
            names.append(f"{fatal}{header.exceptionClassName.rpartition('.')[2]}")
            assert "internal error" not in header.errorMsg, header.errorMsg
    return names


def transfer_answers(said: bytes) -> list[str]:
    """What a server of blocks says first, by name."""
    if not said:
        return []
    try:
        answer = frames.FrameReader(said).next(transfer_pb2.BlockOpResponse)
    except WireError:
        return ["acknowledgements"]
    return [Status(answer.status).name]


def without_registrations(conversation: bytes) -> bytes:
    """A conversation without the calls that make a new datanode known: whom anybody may be, nobody can be told from."""
    if not are_frames(conversation):
        return conversation
    out, at = conversation[: frames.PREAMBLE_BYTES], frames.PREAMBLE_BYTES
    while at < len(conversation):
        end = at + 4 + frames.frame_length(conversation[at : at + 4])
        if b"RegisterDatanode" not in conversation[at:end]:
            out += conversation[at:end]
        at = end
    return out
