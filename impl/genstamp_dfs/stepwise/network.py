"""A network that delivers nothing by itself, but for what no step of the protocol is about.

A message of a pipeline waits with its sender, arrives when it is let through, and is taken when its receiver is let go
on. A call waits before it is carried out; its answer is there at once. When a node dies, or its end of a connection
breaks, what was under way is lost, and the other end learns of it when it is told.

Not here: which message comes next.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from genstamp_dfs.errors import ConnectException, EOFException, SocketTimeoutException
from genstamp_dfs.hdfs.messages.data_transfer import (
    UNKNOWN_SEQNO,
    Message,
    Operation,
    PipelineAck,
    WriteBlock,
)
from genstamp_dfs.simulation.loop import Future, Life, Task
from genstamp_dfs.simulation.network import Network, SimulatedConnection
from genstamp_dfs.stepwise.loop import HeldLoop
from genstamp_dfs.world.request import Caller, Request


def is_of_pipeline(operation: Operation) -> bool:
    """Whether the operation sets up a part of a client's pipeline."""
    return isinstance(operation, WriteBlock) and bool(operation.client_name) and not operation.stage.is_transfer


class HeldConnection(SimulatedConnection):
    """One end of a connection.

    Attributes:
        other: the other end.
        waits: whether it is one of a pipeline, so that messages wait.
        stalls: whether a sender waits before each message (the writer's thread).
        under_way: what this end has sent and the other end has not got.
        arrived: what has reached this end, and its process does not know of yet.
        is_broken: the other end is gone, which this one has not been told yet.
        is_cut: whoever serves it has failed.
    """

    other: "HeldConnection"

    def __init__(self, network: "HeldNetwork", life: Life, peer: str, *, waits: bool) -> None:
        super().__init__(network, life, peer)
        self.waits = waits
        self.stalls = False
        self.under_way: deque[Message] = deque()
        self.arrived: deque[Message] = deque()
        self.is_broken = False
        self.is_cut = False
        self._held_network = network
        self._stalled: Future[bool] | None = None

    @property
    def is_over(self) -> bool:
        """Whether this end is closed, or knows that the other one is."""
        return self._is_closed or self._is_ended

    @property
    def is_stalled(self) -> bool:
        """Whether somebody waits to send."""
        return self._stalled is not None

    async def send(self, message: Message) -> None:
        """Send; the message waits to be let through, and whoever acknowledges waits with it."""
        if self.stalls and not self.is_over:
            await self._stall()
        if self.is_over:
            raise EOFException(f"the connection to {self.peer} is closed")
        if not self.waits:
            self.other.take(message)
            return
        self.under_way.append(message)
        if isinstance(message, PipelineAck) and message.seqno != UNKNOWN_SEQNO:
            await self._stall()

    async def _stall(self) -> None:
        self._stalled = self._loop.future()
        goes_on = await self._stalled
        self._stalled = None
        if not goes_on:
            raise EOFException(f"the connection to {self.peer} is broken")

    def let_send(self, *, goes_on: bool = True) -> None:
        """Whoever waits to send does, or finds the connection broken."""
        if self._stalled is not None:
            self._stalled.succeed(goes_on)

    async def receive(self, timeout_us: int | None = None) -> Message:  # noqa: ARG002
        """The next message that was let through; time passes only by hand."""
        message: Message = await super().receive(None)
        return message

    def time_out(self) -> None:
        """Nothing has come for too long."""
        if self._receiver is not None:
            self._receiver.fail(SocketTimeoutException(f"nothing came from {self.peer}"))

    def let_arrive(self) -> None:
        """The oldest message that this end has sent reaches the other one."""
        self.other.arrived.append(self.under_way.popleft())
        if not self.stalls:
            self.let_send()

    def let_take(self) -> None:
        """This end's process is told of the oldest message that has arrived."""
        self.take(self.arrived.popleft())

    def learn_of_end(self) -> None:
        """This end is told that the other one is gone."""
        if not self._is_ended:
            self.take(None)
            self.let_send(goes_on=False)

    def close(self) -> None:
        """Close this end; the other one learns of it after what was sent."""
        if not self._is_closed:
            self._is_closed = True
            self._held_network.closed(self)
            self._wake()
            self.let_send(goes_on=False)

    def break_off(self) -> None:
        """This end is gone, and what was under way with it."""
        self._is_closed = True
        self._held_network.broken(self)

    def lose(self, keeps: Callable[[Message], bool] = lambda message: False) -> None:
        """What was under way either way is lost, and what has arrived at the other end and nobody knows of."""
        self.under_way = deque(filter(keeps, self.under_way))
        self.other.arrived = deque(filter(keeps, self.other.arrived))
        self.other.under_way.clear()


@dataclass(eq=False)
class HeldCall:
    """A call that waits to be carried out, and the process that waits for its answer."""

    life: Life
    node: str
    request: Request[Any]
    caller: Caller
    answer: Future[Any]
    task: Task | None = None


@dataclass(eq=False)
class Opening:
    """A connection of a pipeline that waits to be opened."""

    life: Life
    node: str
    operation: WriteBlock
    connection: Future[HeldConnection]


class HeldNetwork(Network):
    """Carries calls and connections when it is told to.

    Attributes:
        held: classes of requests that wait; only those of a client do.
        calls: the calls that wait, oldest first.
        openings: the connections that wait to be opened, by `key`.
        links: the connections of the pipeline that is set up, by `key`: the end of who opened it.
        opened: the nodes to which connections went that do not wait, in order; for whoever wants to know.
        answered: the last call of each class that was carried out.
    """

    held: frozenset[type[Request[Any]]] = frozenset()

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.calls: list[HeldCall] = []
        self.openings: dict[str, Opening] = {}
        self.links: dict[str, HeldConnection] = {}
        self.opened: list[tuple[str, Operation]] = []
        self.answered: dict[type[Request[Any]], HeldCall] = {}

    # -- calls --------------------------------------------------------------------------------------------------

    async def call(self, life: Life, node: str, request: Request[Any], caller: Caller, timeout_us: int | None) -> Any:
        """Ask a node; a call that is held waits, however long that takes."""
        del timeout_us
        assert isinstance(self.loop, HeldLoop)
        waiting = HeldCall(life, node, request, caller, self.loop.future(), self.loop.current)
        if type(request) in self.held:
            self.calls.append(waiting)
        else:
            self.carry_out(waiting)
        return await waiting.answer

    def waiting(self, kind: type[Request[Any]]) -> HeldCall | None:
        """The oldest call of a class that waits, of a caller that lives."""
        return next((call for call in self.calls if isinstance(call.request, kind) and call.life.is_on), None)

    def carry_out(self, call: HeldCall) -> None:
        """Have a call carried out; the caller knows the answer when it is let go on."""
        if call in self.calls:
            self.calls.remove(call)
        self.answered[type(call.request)] = call
        self._deliver_request(call.life, call.node, call.request, call.caller, call.answer)

    def answer_for(self, call: HeldCall, answer: Any) -> None:
        """Answer a call in the place of the node that it goes to, which never gets it."""
        self.calls.remove(call)
        call.answer.succeed(answer)

    def _answer(self, life: Life, node: str, give: Callable[[], None]) -> None:
        del life, node
        give()

    # -- connections --------------------------------------------------------------------------------------------

    def key(self, node: str, operation: WriteBlock) -> str:  # noqa: ARG002
        """By what a connection of a pipeline is known: the node that it goes to, as there is one pipeline."""
        return node

    async def connect(self, life: Life, node: str, operation: Operation, timeout_us: int | None) -> HeldConnection:
        """Open a connection; one of a pipeline waits."""
        del timeout_us
        if isinstance(operation, WriteBlock) and is_of_pipeline(operation):
            opening = Opening(life, node, operation, self.loop.future())
            self.openings[self.key(node, operation)] = opening
            return await opening.connection
        self.opened.append((node, operation))
        return self.connect_apart(life, node, operation)

    def connect_apart(self, life: Life, node: str, operation: Operation) -> HeldConnection:
        """Open a connection at once, over which nothing waits."""
        return self._open(life, node, operation, waits=False)

    def open(self, key: str) -> None:
        """Let a connection of a pipeline be opened, if the node is there."""
        opening = self.openings.pop(key)
        try:
            near = self._open(opening.life, opening.node, opening.operation, waits=True)
        except ConnectException as refused:
            opening.connection.fail(refused)
            return
        # Whoever serves nobody is a client: it sends a packet when it is let.
        near.stalls = opening.life.node in self.nodes and self.nodes[opening.life.node].server is None
        self.links[key] = near
        opening.connection.succeed(near)

    def _open(self, life: Life, node: str, operation: Operation, *, waits: bool) -> HeldConnection:
        there = self.nodes.get(node)
        if there is None or there.server is None:
            raise ConnectException(f"{node} is not there")
        near = HeldConnection(self, life, node, waits=waits)
        far = HeldConnection(self, there.life, life.node, waits=waits)
        near.other, far.other = far, near
        for end in (near, far):
            self._connections.setdefault(end.life, {})[end] = None
        self.loop.spawn(there.life, self.serve(there.server, far, operation), f"{node} {type(operation).__name__}")
        return near

    def closed(self, end: HeldConnection) -> None:
        """A process has closed its end."""
        self.forget(end)
        if end.waits:
            end.other.is_broken = True
        else:
            end.other.learn_of_end()

    def broken(self, end: HeldConnection) -> None:
        """The node of an end is dead."""
        self.closed(end)
