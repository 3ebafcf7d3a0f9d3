"""Answers calls over Hadoop's RPC, version 9, with SIMPLE authentication.

One task a connection reads, one task a call answers; answers go out in the order in which they are ready. Whoever does
not follow the protocol is told so where Hadoop tells it, and the connection is closed.

Not here: Kerberos and tokens. A client that opens with SASL is told that SIMPLE will do.

Source: org/apache/hadoop/ipc/Server, Hadoop 3.4.1; facts W.1.1, W.1.3, W.1.4.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from genstamp_dfs.errors import HdfsIOException
from genstamp_dfs.server.connection import OPENING_S
from genstamp_dfs.server.connections import Connections, NoRoomError, Room, close, tell_of_fault
from genstamp_dfs.server.protocols import Codec, Protocol
from genstamp_dfs.server.wire import frames
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.exceptions import java_name
from genstamp_dfs.server.wire.frames import FrameReader, WireError
from genstamp_dfs.world.request import Caller, Request

Handler = Callable[[Request[Any], Caller], Awaitable[Any]]

MAX_OPENING_BYTES: Final = 64 * 1024
"""Largest frame of a connection that has not said who it is."""

IDLE_S: Final = 600.0
FRAME_S: Final = 60.0
"""How long a frame may take from its length to its last byte."""

ANSWER_S: Final = 60.0
"""How long a client may read nothing of what it is answered; its next calls wait meanwhile."""

MAX_CALL_BYTES: Final = 1 << 20
"""Frames of one connection that are worked on at a time, unless one alone is larger."""

MAX_LARGE_BYTES: Final = 256 << 20
"""Frames of more than `MAX_OPENING_BYTES`, of all connections at a time."""

MAX_UNREAD_BYTES: Final = 64 << 20
"""Answers that clients have not read, at a time; beyond, the connection that has the most of them is cut off."""

MAX_CALLS: Final = 256
"""Calls of one connection that are worked on at a time; the next ones are not read before."""

CLIENT_ID_BYTES: Final = 16
"""Of a client that can be told from others; it is remembered with what it was answered."""

MAX_CONNECTIONS: Final = 1024
"""Connections at a time; for one more, one that is idle is closed."""

_HTTP: Final = b"GET "
_HTTP_ANSWER: Final = (
    b"HTTP/1.1 404 Not Found\r\nContent-type: text/plain\r\n\r\n"
    b"It looks like you are making an HTTP request to a Hadoop IPC port. This is not the correct port.\r\n"
)


class RpcServer:
    """Listens for calls of some protocols.

    Args:
        protocols: those that are answered.
        handler: carries a call out; it raises `HdfsIOException` to refuse.
        converter: of the cluster.
        handshake_s: how long a connection may take to say who it is.
        max_connections: at a time; for one more, one that is idle is closed.
    """

    def __init__(
        self,
        protocols: Sequence[Protocol],
        handler: Handler,
        converter: Converter,
        *,
        handshake_s: float = OPENING_S,
        max_connections: int = MAX_CONNECTIONS,
    ) -> None:
        self._protocols = {protocol.name: protocol.by_method() for protocol in protocols}
        self._handler = handler
        self._converter = converter
        self._handshake_s = handshake_s
        self._server: asyncio.Server | None = None
        self._connections = Connections(max_connections)
        self._large = Room(MAX_LARGE_BYTES)
        self._served: set[_ServedConnection] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen; gives the port, which the system chooses where 0 is asked for."""
        self._server = await asyncio.start_server(self._accept, host, port)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Listen no more, and close all connections."""
        if self._server is not None:
            self._server.close()
        await self._connections.end_all()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a connection is served by a task"
        if not self._connections.admit(task):
            writer.close()
            return
        connection = _ServedConnection(
            reader, writer, self._protocols, self._handler, self._converter, self._connections, self._large
        )
        connection.on_unread = self._bound_unread
        self._served.add(connection)
        try:
            await connection.serve(self._handshake_s)
            await close(writer)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, WireError):
            # The other end went away, or does not follow the protocol: it was told what Hadoop tells.
            pass
        except asyncio.CancelledError:
            # The server stops, or needs the place for another; the loop would complain of a task that ends so.
            pass
        except Exception as fault:
            tell_of_fault("a connection for calls", fault)
        finally:
            self._served.discard(connection)
            self._connections.leave(task)
            writer.close()

    def _bound_unread(self) -> None:
        """Cut off whoever has left the most unread, if all together have left too much."""
        if sum(one.unread for one in self._served) > MAX_UNREAD_BYTES:
            max(self._served, key=lambda one: one.unread).cut_off()


class _ServedConnection:
    """One connection of a client."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        protocols: dict[str, dict[str, Codec]],
        handler: Handler,
        converter: Converter,
        connections: Connections,
        large: Room,
    ) -> None:
        self.on_unread: Callable[[], None] = lambda: None
        self._reader = reader
        self._writer = writer
        self._protocols = protocols
        self._handler = handler
        self._converter = converter
        self._user = ""
        self._has_context = False
        self._connections = connections
        self._large = large
        self._task: asyncio.Task[None] | None = None
        self._calls: dict[asyncio.Task[None], int] = {}
        self._reading = asyncio.Lock()

    @property
    def unread(self) -> int:
        """Bytes of answers that the client has not taken."""
        return int(self._writer.transport.get_write_buffer_size())

    def cut_off(self) -> None:
        """Close, whatever was to be sent."""
        self._writer.transport.abort()

    async def serve(self, handshake_s: float) -> None:
        """Serve until the client goes."""
        self._task = asyncio.current_task()
        try:
            async with asyncio.timeout(handshake_s):
                if not await self._open():
                    return
                while not self._has_context:
                    if not await self._take(await self._next_frame()):
                        return
            # A call that cannot be read ends the connection, with what was said after it.
            while not self._writer.is_closing():
                if not await self._take(await self._next_frame()):
                    return
        except (WireError, NoRoomError) as problem:
            self._fatal(-1, b"", _RPC_SERVER_EXCEPTION, str(problem), _FATAL_DESERIALIZING)
        finally:
            for call in self._calls:
                call.cancel()

    async def _next_frame(self) -> bytes:
        async with asyncio.timeout(IDLE_S):
            length = frames.frame_length(await self._reader.readexactly(4))
        if length <= MAX_OPENING_BYTES:
            async with asyncio.timeout(FRAME_S):
                return await self._reader.readexactly(length)
        if not self._has_context:
            raise WireError(f"frame of {length} bytes before the context, accepted: at most {MAX_OPENING_BYTES}")
        self._large.take(length)
        try:
            async with asyncio.timeout(FRAME_S):
                return await self._reader.readexactly(length)
        except BaseException:
            self._large.give_back(length)
            raise

    # -- opening ------------------------------------------------------------------------------------------------

    async def _open(self) -> bool:
        """Read the preamble; False if there is nobody to talk to."""
        start = await self._reader.readexactly(4)
        if start == _HTTP:
            self._send(_HTTP_ANSWER)
            return False
        if start != frames.MAGIC:
            return False
        version, _, auth = await self._reader.readexactly(frames.PREAMBLE_BYTES - 4)
        if version != frames.VERSION:
            message = f"Server IPC version {frames.VERSION} cannot communicate with client version {version}"
            self._fatal(-1, b"", "org.apache.hadoop.ipc.RPC$VersionMismatch", message, _FATAL_VERSION)
            return False
        if auth not in (frames.AUTH_NONE, frames.AUTH_SASL):
            access = "org.apache.hadoop.security.AccessControlException"
            self._fatal(-1, b"", access, f"unknown authentication {auth}", _FATAL_UNAUTHORIZED)
            return False
        return True

    async def _take(self, data: bytes) -> bool:
        """Take one frame; False if the connection is to be closed."""
        call = None
        try:
            call = await self._begin(data)
        finally:
            if not isinstance(call, asyncio.Task):
                self._let_go(len(data))
        return call is not False

    def _let_go(self, length: int) -> None:
        """A frame of that length is not needed any more."""
        if length > MAX_OPENING_BYTES:
            self._large.give_back(length)

    async def _begin(self, data: bytes) -> "asyncio.Task[None] | bool":
        """What a frame comes to: a call that is answered, nothing more (True), or the end (False)."""
        frame = FrameReader(data)
        header = frame.next(rpc.RpcRequestHeader)
        if header.rpcKind != rpc.RpcKind.RPC_PROTOCOL_BUFFER or header.rpcOp != rpc.Operation.RPC_FINAL_PACKET:
            self._fatal(header.callId, header.clientId, _RPC_SERVER_EXCEPTION, "not a protobuf call", _FATAL_HEADER)
            return False
        if len(header.clientId) not in (0, CLIENT_ID_BYTES):
            message = f"client id of {len(header.clientId)} bytes, accepted: 0 or {CLIENT_ID_BYTES}"
            self._fatal(header.callId, b"", _RPC_SERVER_EXCEPTION, message, _FATAL_HEADER)
            return False
        match header.callId:
            case frames.PING_CALL_ID:
                return True
            case frames.SASL_CALL_ID:
                return self._answer_sasl(header, frame)
            case frames.CONTEXT_CALL_ID:
                return self._take_context(header, frame)
        if header.callId < 0 or not self._has_context:
            message = "unknown call id" if header.callId < 0 else "a call before the connection context"
            self._fatal(header.callId, header.clientId, _RPC_SERVER_EXCEPTION, message, _FATAL_HEADER)
            return False
        while self._is_full(len(data)):
            await asyncio.wait(self._calls, return_when=asyncio.FIRST_COMPLETED)
        assert self._task is not None, "frames are taken by the task that serves"
        self._connections.works(self._task)
        call = asyncio.create_task(self._answer(header, frame))
        self._calls[call] = len(data)
        call.add_done_callback(self._call_ended)
        return call

    def _is_full(self, length: int) -> bool:
        """Whether a frame of that length has to wait for calls before it."""
        if not self._calls:
            return False
        return len(self._calls) >= MAX_CALLS or sum(self._calls.values()) + length > MAX_CALL_BYTES

    def _call_ended(self, call: asyncio.Task[None]) -> None:
        self._let_go(self._calls.pop(call))
        assert self._task is not None, "calls are made by a connection that is served"
        if not self._calls:
            self._connections.rests(self._task)

    def _answer_sasl(self, header: rpc.RpcRequestHeader, frame: FrameReader) -> bool:
        """SIMPLE will do: the only answer that a client without Kerberos needs."""
        if frame.next(rpc.RpcSasl).state != rpc.SaslState.NEGOTIATE:
            return True
        answer = frames.response_header(header.callId, header.clientId, header.retryCount)
        self._send(frames.frame(answer, rpc.RpcSasl(state=rpc.SaslState.SUCCESS)))
        return True

    def _take_context(self, header: rpc.RpcRequestHeader, frame: FrameReader) -> bool:
        if self._has_context:
            self._fatal(header.callId, header.clientId, _RPC_SERVER_EXCEPTION, "a second context", _FATAL_HEADER)
            return False
        self._user = frame.next(rpc.IpcConnectionContext).userInfo.effectiveUser
        self._has_context = True
        assert self._task is not None, "a context is taken by the task that serves"
        self._connections.rests(self._task)
        return True

    # -- calls --------------------------------------------------------------------------------------------------

    async def _answer(self, header: rpc.RpcRequestHeader, frame: FrameReader) -> None:
        """Carry a call out, and send what comes of it."""
        if not await self._is_read():
            return
        answer = frames.response_header(header.callId, header.clientId, header.retryCount)
        body = b""
        try:
            codec = self._codec(frame.next(rpc.RequestHeader), answer)
            if codec is not None:
                request = codec.read_request(frame.next_bytes(), self._converter)
                caller = Caller(self._machine(codec), header.clientId, header.callId, self._user)
                result = None if request is None else await self._handler(request, caller)
                body = frames.delimited_bytes(codec.write_answer(result, self._converter))
        except HdfsIOException as refusal:
            _fail(answer, java_name(refusal), str(refusal), rpc.RpcErrorCode.ERROR_APPLICATION)
        except WireError as problem:
            self._fatal(header.callId, header.clientId, _RPC_SERVER_EXCEPTION, str(problem), _FATAL_DESERIALIZING)
            self._writer.close()
            return
        except Exception as fault:
            # One call that fails by our fault must not end those of others; the operator sees why.
            tell_of_fault("a call", fault)
            _fail(answer, "java.io.IOException", f"internal error: {fault}", rpc.RpcErrorCode.ERROR_APPLICATION)
        head = frames.delimited(answer)
        self._send((len(head) + len(body)).to_bytes(4, "big") + head + body)
        self.on_unread()
        await self._is_read()

    async def _is_read(self) -> bool:
        """Wait until the client reads its answers; False if it has gone, or is cut off because it reads none.

        Calls wait one by one: otherwise all would be worked on as soon as there is room for one answer.
        """
        try:
            async with asyncio.timeout(ANSWER_S), self._reading:
                await self._writer.drain()
        except OSError:
            return False
        except TimeoutError:
            self.cut_off()
            return False
        return not self._writer.is_closing()

    def _send(self, data: bytes) -> None:
        """Send, unless the connection has ended meanwhile."""
        if not self._writer.is_closing():
            self._writer.write(data)

    def _machine(self, codec: Codec) -> str:
        """Who calls: nodes of this implementation say their names, of others only the address is known."""
        return self._user if codec.names_caller else str(self._writer.get_extra_info("peername")[0])

    def _codec(self, call: rpc.RequestHeader, answer: rpc.RpcResponseHeader) -> Codec | None:
        """The call that is meant; None, and the answer says why, if there is none."""
        methods = self._protocols.get(call.declaringClassProtocolName)
        if methods is None:
            name, message = "RpcNoSuchProtocolException", f"Unknown protocol: {call.declaringClassProtocolName}"
            _fail(answer, f"org.apache.hadoop.ipc.{name}", message, rpc.RpcErrorCode.ERROR_NO_SUCH_PROTOCOL)
            return None
        if call.methodName not in methods:
            message = f"Unknown method {call.methodName} called on {call.declaringClassProtocolName} protocol."
            name = "org.apache.hadoop.ipc.RpcNoSuchMethodException"
            _fail(answer, name, message, rpc.RpcErrorCode.ERROR_NO_SUCH_METHOD)
            return None
        return methods[call.methodName]

    def _fatal(
        self, call_id: int, client_id: bytes, java_class: str, message: str, code: rpc.RpcErrorCode.Value
    ) -> None:
        """Tell the client that the connection is over."""
        answer = frames.response_header(call_id, client_id)
        _fail(answer, java_class, message, code)
        answer.status = rpc.RpcStatus.FATAL
        self._send(frames.frame(answer))


_RPC_SERVER_EXCEPTION: Final = "org.apache.hadoop.ipc.RpcServerException"
_FATAL_VERSION: Final = rpc.RpcErrorCode.FATAL_VERSION_MISMATCH
_FATAL_UNAUTHORIZED: Final = rpc.RpcErrorCode.FATAL_UNAUTHORIZED
_FATAL_HEADER: Final = rpc.RpcErrorCode.FATAL_INVALID_RPC_HEADER
_FATAL_DESERIALIZING: Final = rpc.RpcErrorCode.FATAL_DESERIALIZING_REQUEST


def _fail(answer: rpc.RpcResponseHeader, java_class: str, message: str, code: rpc.RpcErrorCode.Value) -> None:
    """Make an answer an error."""
    answer.status = rpc.RpcStatus.ERROR
    answer.exceptionClassName = java_class
    answer.errorMsg = message
    answer.errorDetail = code
