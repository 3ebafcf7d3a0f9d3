"""Servers in this process that tell what a client said to them, and fail once where a test has them fail.

They run in a thread of their own, so that a test can wait for a client.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.impl.running import LIMIT_S
from tests.impl.server.servers import ServerCluster, cluster

from genstamp_dfs.errors import EOFException
from genstamp_dfs.hdfs.messages.data_transfer import Message, Operation
from genstamp_dfs.server import rpc_server
from genstamp_dfs.server.connection import SocketConnection
from genstamp_dfs.server.datanode_server import DataNodeServer
from genstamp_dfs.server.namenode_server import NameNodeServer
from genstamp_dfs.server.protocols import Codec
from genstamp_dfs.server.wire import rpc_pb2 as rpc
from genstamp_dfs.world.request import Caller, Request

Match = Callable[[Operation, Message | None], bool]
"""Whether something is meant: an operation as it opens a connection (None), or a message after it."""


@dataclass
class Observed:
    """What was said.

    Attributes:
        directory: of the cluster.
        port: of the namenode.
        methods: how often each call came, by Hadoop's names, at whatever server.
        calls: requests that the namenode carried out or knew again, and who made them.
        operations: what connections for blocks were opened for, and by name of the datanode.
        messages: what came on them.
    """

    directory: Path
    port: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    calls: list[tuple[Request[Any], Caller]] = field(default_factory=list)
    operations: list[tuple[str, Operation]] = field(default_factory=list)
    messages: list[tuple[Operation, Message]] = field(default_factory=list)
    _fails: Match | None = None
    _unanswered: str = ""
    _loses_next: bool = False

    def fail_once(self, match: Match) -> None:
        """Have the datanode that hears this first close the connection, as if it had ended."""
        self._fails = match

    def lose_answer(self, method: str) -> None:
        """Have the namenode carry the next call of this name out, and break off before it answers."""
        self._unanswered = method

    @property
    def has_failed(self) -> bool:
        """Whether all that was to fail has failed."""
        return self._fails is None and not self._unanswered

    # -- what servers call --------------------------------------------------------------------------------------

    def hears(self, operation: Operation, message: Message | None) -> None:
        """Note it, or fail."""
        if message is not None:
            self.messages.append((operation, message))
        if self._fails is not None and self._fails(operation, message):
            self._fails = None
            raise EOFException("the test has the datanode end the connection here")

    def carried_out(self, request: Request[Any], caller: Caller) -> None:
        """A call has an answer."""
        self.calls.append((request, caller))
        if type(request).__name__ == self._unanswered:
            self._unanswered = ""
            self._loses_next = True

    def takes_answer(self) -> bool:
        """Whether the answer that is to be sent now is lost."""
        is_lost, self._loses_next = self._loses_next, False
        return is_lost


@contextmanager
def observed(directory: Path, datanodes: int) -> Iterator[Observed]:
    """Servers that run for as long as a block of code does."""
    told = Observed(directory)
    with pytest.MonkeyPatch.context() as patch:
        _tap(patch, told)
        started, ended = threading.Event(), threading.Event()
        thread = threading.Thread(target=lambda: asyncio.run(_serve(told, datanodes, started, ended)))
        thread.start()
        try:
            assert started.wait(LIMIT_S), "the servers did not start"
            yield told
        finally:
            ended.set()
            thread.join()


async def _serve(told: Observed, datanodes: int, started: threading.Event, ended: threading.Event) -> None:
    servers: ServerCluster
    async with cluster(told.directory, datanodes) as servers:
        told.port = servers.port
        started.set()
        await asyncio.to_thread(ended.wait)


def _tap(patch: pytest.MonkeyPatch, told: Observed) -> None:
    """Have all servers of this process tell what they hear."""
    serve, handle = DataNodeServer._serve, NameNodeServer._handle
    codec, send = rpc_server._ServedConnection._codec, rpc_server._ServedConnection._send

    async def tapped_serve(self: DataNodeServer, connection: SocketConnection, operation: Operation) -> None:
        really = connection.receive

        async def receive(timeout_us: int | None = None) -> Message:
            message = await really(timeout_us)
            told.hears(operation, message)
            return message

        connection.receive = receive  # type: ignore[method-assign]
        told.operations.append((self.name, operation))
        try:
            told.hears(operation, None)
        except EOFException:
            connection.close()
            return
        await serve(self, connection, operation)

    async def tapped_handle(self: NameNodeServer, request: Request[Any], caller: Caller) -> Any:
        answer = await handle(self, request, caller)
        told.carried_out(request, caller)
        return answer

    def tapped_codec(self: Any, call: rpc.RequestHeader, answer: rpc.RpcResponseHeader) -> Codec | None:
        told.methods[call.methodName] += 1
        return codec(self, call, answer)

    def tapped_send(self: Any, data: bytes) -> None:
        if told.takes_answer():
            self.cut_off()
        else:
            send(self, data)

    patch.setattr(DataNodeServer, "_serve", tapped_serve)
    patch.setattr(NameNodeServer, "_handle", tapped_handle)
    patch.setattr(rpc_server._ServedConnection, "_codec", tapped_codec)
    patch.setattr(rpc_server._ServedConnection, "_send", tapped_send)
