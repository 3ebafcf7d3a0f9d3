"""Calls at other nodes over Hadoop's RPC: one connection for each address, kept as long as it works.

Not here: repeating calls; whoever calls decides that, and gives the number of the call.

Source: org/apache/hadoop/ipc/Client, Hadoop 3.4.1; facts W.1.1, W.1.3.
"""

import asyncio
from typing import Any

from genstamp_dfs.errors import ConnectException, EOFException, HdfsIOException, SocketTimeoutException
from genstamp_dfs.server.lookup import open_connection
from genstamp_dfs.server.protocols import Protocol, protocol_of
from genstamp_dfs.server.wire import frames
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.server.wire.convert import Converter
from genstamp_dfs.server.wire.exceptions import exception_of
from genstamp_dfs.server.wire.frames import WireError
from genstamp_dfs.world.request import Caller, Request


class RpcConnection:
    """A connection to one server, for one protocol."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, protocol: Protocol, user: str
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._protocol = protocol
        self._waiting: dict[int, asyncio.Future[tuple[rpc.RpcResponseHeader, bytes]]] = {}
        context = rpc.IpcConnectionContext(userInfo=rpc.UserInformation(effectiveUser=user), protocol=protocol.name)
        header = frames.request_header(frames.CONTEXT_CALL_ID, b"", -1)
        writer.write(frames.preamble() + frames.frame(header, context))
        self._listener = asyncio.create_task(self._listen())

    @property
    def is_broken(self) -> bool:
        """Whether no more answers will come."""
        return self._listener.done()

    async def call(self, request: Request[Any], caller: Caller, converter: Converter) -> Any:
        """Ask, and wait for the answer."""
        future: asyncio.Future[tuple[rpc.RpcResponseHeader, bytes]] = asyncio.get_running_loop().create_future()
        call_id = caller.call_id if caller.call_id not in self._waiting else self._free_id()
        self._waiting[call_id] = future
        try:
            header = frames.request_header(call_id, caller.client_id)
            self._writer.write(self._protocol.frame(header, request, converter))
            await self._writer.drain()
            answer_header, body = await future
        finally:
            self._waiting.pop(call_id, None)
        if answer_header.status != rpc.RpcStatus.SUCCESS:
            raise exception_of(answer_header.exceptionClassName, answer_header.errorMsg)
        data = frames.FrameReader(body).next_bytes()
        return self._protocol.calls[type(request)].read_answer(data, converter)

    def close(self) -> None:
        """Close; who waits for an answer finds the connection broken."""
        self._listener.cancel()
        self._writer.close()

    def _free_id(self) -> int:
        """A call id for the same call made twice at once: both want an answer."""
        return max(self._waiting) + 1

    async def _listen(self) -> None:
        """Give answers to those who wait for them."""
        try:
            while True:
                length = frames.frame_length(await self._reader.readexactly(4))
                frame = frames.FrameReader(await self._reader.readexactly(length))
                header = frame.next(rpc.RpcResponseHeader)
                if header.status == rpc.RpcStatus.FATAL:
                    self._break(exception_of(header.exceptionClassName, header.errorMsg))
                    return
                future = self._waiting.get(header.callId)
                if future is not None and not future.done():
                    future.set_result((header, frame.rest()))
        except (OSError, asyncio.IncompleteReadError, WireError) as problem:
            self._break(EOFException(f"the connection is broken: {problem}"))
        finally:
            self._break(EOFException("the connection is closed"))
            self._writer.close()

    def _break(self, problem: HdfsIOException) -> None:
        """All who wait for an answer learn that none comes."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(problem)


class RpcClient:
    """All connections of one node.

    Args:
        converter: of the cluster.
        node: name of the node, which protocols of our own are opened with.
        user: whom Hadoop's protocols are opened for.
    """

    def __init__(self, converter: Converter, node: str, user: str) -> None:
        self._converter = converter
        self._node = node
        self._user = user
        self._connections: dict[tuple[str, int, str], RpcConnection] = {}
        self._opening: dict[tuple[str, int, str], asyncio.Lock] = {}

    async def call(self, host: str, port: int, request: Request[Any], caller: Caller, timeout_us: int) -> Any:
        """Ask a server.

        Raises:
            HdfsIOException: it refuses.
            ConnectException: it cannot be reached.
            SocketTimeoutException: it does not answer in time, in microseconds.
            EOFException: it closed the connection over the call.
        """
        try:
            async with asyncio.timeout(timeout_us / 1_000_000):
                connection = await self._connection(host, port, protocol_of(type(request)))
                return await connection.call(request, caller, self._converter)
        except TimeoutError as problem:
            raise SocketTimeoutException(f"no answer from {host}:{port} to {type(request).__name__}") from problem
        except WireError as problem:
            raise EOFException(f"{host}:{port} does not follow the protocol: {problem}") from problem
        except OSError as problem:
            raise ConnectException(f"{host}:{port} cannot be reached: {problem}") from problem

    def close(self) -> None:
        """Close all connections."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    async def _connection(self, host: str, port: int, protocol: Protocol) -> RpcConnection:
        key = (host, port, protocol.name)
        connection = self._connections.get(key)
        if connection is not None and not connection.is_broken:
            return connection
        async with self._opening.setdefault(key, asyncio.Lock()):
            connection = self._connections.get(key)
            if connection is None or connection.is_broken:
                reader, writer = await open_connection(host, port)
                user = self._node if protocol.is_own else self._user
                connection = self._connections[key] = RpcConnection(reader, writer, protocol, user)
            return connection
