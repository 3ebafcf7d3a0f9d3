"""A network in one process: it delays, reorders, repeats, loses and parts.

Calls are single messages there and back: each takes its own time, so they overtake one another, and either way may be
lost; whoever waits learns of that by its time-out alone. A call that is repeated keeps its number, and so does the
copy of a request that the network makes by itself.

Connections keep the order of what is sent, and lose nothing until they break, as TCP does. While two nodes are
parted, what is under way between them waits for the end of the partition, or for the time-out of whoever listens.

Not here: bandwidth, and names of hosts: a node is reached by its name.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from genstamp_dfs.errors import ConnectException, EOFException, Refusal, SocketTimeoutException
from genstamp_dfs.simulation.loop import Future, Life, Loop, Timer
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND, SECOND_US

RPC_TIMEOUT_US: Final = 60 * SECOND_US
"""How long a caller waits that names no time (`ipc.client.rpc-timeout.ms` is 120 s in Hadoop)."""

WINDOW: Final = 64
"""Messages under way in one direction of a connection before its sender waits."""

_PARTED_AGAIN_US: Final = 200 * MICROSECONDS_A_MILLISECOND
"""How often what waits for the end of a partition is tried again."""

Handler = Callable[[Request[Any], Caller], Coroutine[Any, Any, Any]]
Server = Callable[["SimulatedConnection", Any], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class NetworkFaults:
    """How bad the network is; each a chance from 0 to 1 for one message, but for `slow_us`.

    Attributes:
        lose: a call or its answer is lost.
        repeat: a request arrives twice.
        slow: a message takes up to `slow_us` microseconds.
    """

    lose: float = 0.0
    repeat: float = 0.0
    slow: float = 0.0
    slow_us: int = 30 * SECOND_US


@dataclass
class Node:
    """What a life of a node offers to others."""

    life: Life
    handler: Handler | None = None
    server: Server | None = None


class Network:
    """Carries calls and connections between nodes.

    Attributes:
        faults: how bad it is now; may be changed while it runs.
        parted: pairs of nodes that do not hear each other, each pair both ways round, and by how many partitions.
    """

    def __init__(self, loop: Loop, chance: random.Random, faults: NetworkFaults | None = None) -> None:
        self.loop = loop
        self.chance = chance
        self.faults = faults or NetworkFaults()
        self.parted: Counter[tuple[str, str]] = Counter()
        self.nodes: dict[str, Node] = {}
        self._connections: dict[Life, dict[SimulatedConnection, None]] = {}
        self._unanswered: dict[Life, dict[Future[Any], Life]] = {}

    # -- nodes and partitions -----------------------------------------------------------------------------------

    def join(self, node: Node) -> None:
        """A node is there; it takes the place of a former life."""
        self.nodes[node.life.node] = node

    def leave(self, life: Life) -> None:
        """A node is gone: whoever is connected to it finds the connection broken, whoever calls it is refused."""
        if self.nodes.get(life.node) is not None and self.nodes[life.node].life is life:
            del self.nodes[life.node]
        for connection in list(self._connections.pop(life, {})):
            connection.break_off()
        for answer, caller in self._unanswered.pop(life, {}).items():
            self._break_call(caller, life.node, answer)

    def part(self, one: str, other: str) -> None:
        """From now on two nodes do not hear each other."""
        self.parted.update([(one, other), (other, one)])

    def rejoin(self, one: str, other: str) -> None:
        """A partition of two nodes ends; they hear each other unless another one parts them too."""
        self.parted -= Counter([(one, other), (other, one)])

    def heal(self) -> None:
        """All partitions end."""
        self.parted.clear()

    def delay_us(self) -> int:
        """How long a message takes: about half a millisecond, now and then much longer."""
        if self.faults.slow and self.chance.random() < self.faults.slow:
            return self.chance.randrange(self.faults.slow_us)
        return 100 + int(self.chance.random() * 900)

    # -- calls --------------------------------------------------------------------------------------------------

    async def call(self, life: Life, node: str, request: Request[Any], caller: Caller, timeout_us: int | None) -> Any:
        """Ask a node, as `Runtime.call` says."""
        answer: Future[Any] = self.loop.future()
        limit_us = self.loop.now_us + (RPC_TIMEOUT_US if timeout_us is None else timeout_us)
        timer = self.loop.at(limit_us, lambda: answer.fail(_no_answer(node, request)))
        try:
            for _ in range(2 if self._happens(self.faults.repeat) else 1):
                self._send_request(life, node, request, caller, answer)
            return await answer
        finally:
            timer.cancel()

    def _send_request(self, life: Life, node: str, request: Request[Any], caller: Caller, answer: Future[Any]) -> None:
        if self._happens(self.faults.lose) or (life.node, node) in self.parted:
            return
        self.loop.at(
            self.loop.now_us + self.delay_us(), lambda: self._deliver_request(life, node, request, caller, answer)
        )

    def _deliver_request(
        self, life: Life, node: str, request: Request[Any], caller: Caller, answer: Future[Any]
    ) -> None:
        there = self.nodes.get(node)
        if there is None or there.handler is None:
            self._answer(life, node, lambda: answer.fail(ConnectException(f"{node} is not there")))
        else:
            self._unanswered.setdefault(there.life, {})[answer] = life
            work = self._carry_out(there.handler(request, caller), there.life, life, node, answer)
            self.loop.spawn(there.life, work, f"{node} {type(request).__name__}")

    async def _carry_out(
        self, work: Coroutine[Any, Any, Any], there: Life, life: Life, node: str, answer: Future[Any]
    ) -> None:
        """Let the other node do it, and send what comes of it."""
        try:
            result = await work
        except Refusal as refusal:
            failure = refusal
            self._answer(life, node, lambda: answer.fail(failure))
        else:
            self._answer(life, node, lambda: answer.succeed(result))
        self._unanswered.get(there, {}).pop(answer, None)

    def _break_call(self, life: Life, node: str, answer: Future[Any]) -> None:
        """The node that works on a call is dead."""
        self._answer(life, node, lambda: answer.fail(EOFException(f"{node} closed the connection")))

    def _answer(self, life: Life, node: str, give: Callable[[], None]) -> None:
        if self._happens(self.faults.lose) or (node, life.node) in self.parted:
            return
        self.loop.at(self.loop.now_us + self.delay_us(), give)

    def _happens(self, probability: float) -> bool:
        return probability > 0 and self.chance.random() < probability

    # -- connections --------------------------------------------------------------------------------------------

    async def connect(self, life: Life, node: str, operation: Any, timeout_us: int | None) -> "SimulatedConnection":
        """Open a connection, as `Runtime.connect` says."""
        limit_us = self.loop.now_us + (RPC_TIMEOUT_US if timeout_us is None else timeout_us)
        await self.loop.sleep_us(self.delay_us())
        while (life.node, node) in self.parted:
            if self.loop.now_us >= limit_us:
                raise SocketTimeoutException(f"no answer from {node}")
            await self.loop.sleep_us(min(_PARTED_AGAIN_US, limit_us - self.loop.now_us))
        there = self.nodes.get(node)
        if there is None or there.server is None:
            raise ConnectException(f"{node} is not there")
        near, far = self.make_ends(life, there.life, operation)
        near.other, far.other = far, near
        for end in (near, far):
            self._connections.setdefault(end.life, {})[end] = None
        self.loop.spawn(there.life, self.serve(there.server, far, operation), f"{node} {type(operation).__name__}")
        return near

    def make_ends(
        self,
        client: Life,
        server: Life,
        operation: Any,  # noqa: ARG002 (faults depend on it)
    ) -> "tuple[SimulatedConnection, SimulatedConnection]":
        """The two ends of a new connection, that of whoever opens it first; faults of one connection begin here."""
        return SimulatedConnection(self, client, server.node), SimulatedConnection(self, server, client.node)

    async def serve(self, server: Server, connection: "SimulatedConnection", operation: Any) -> None:
        """Let a node do what the operation that opens a connection asks for."""
        await server(connection, operation)

    def forget(self, connection: "SimulatedConnection") -> None:
        """A connection has ended."""
        self._connections.get(connection.life, {}).pop(connection, None)


def _no_answer(node: str, request: Request[Any]) -> SocketTimeoutException:
    return SocketTimeoutException(f"no answer from {node} to {type(request).__name__}")


class SimulatedConnection:
    """One end of a connection (`genstamp_dfs.world.runtime.Connection`)."""

    def __init__(self, network: Network, life: Life, peer: str) -> None:
        self.life = life
        self.peer = peer
        self.other: SimulatedConnection
        self._network = network
        self._loop = network.loop
        self._inbox: deque[Any] = deque()
        self._under_way: deque[Any] = deque()
        self._arrives_us = 0
        self._receiver: Future[None] | None = None
        self._sender: Future[None] | None = None
        self._is_closed = False
        self._is_ended = False

    async def send(self, message: Any) -> None:
        """Send to the other end; waits while its window is full."""
        while not self._is_over() and len(self._under_way) >= WINDOW:
            self._sender = self._loop.future()
            await self._sender
        if self._is_over():
            raise EOFException(f"the connection to {self.peer} is closed")
        self._put(message)

    async def receive(self, timeout_us: int | None = None) -> Any:
        """The next message from the other end."""
        if not self._inbox and not self._is_over():
            await self._wait(timeout_us)
        if self._inbox:
            return self._inbox.popleft()
        raise EOFException(f"the connection to {self.peer} is closed")

    def close(self) -> None:
        """Close this end; the other learns of it after what was sent."""
        if not self._is_closed:
            self._is_closed = True
            self._put(None)
            self._wake()
            self._network.forget(self)

    def break_off(self) -> None:
        """The node of this end is dead: the other end learns of it."""
        self._is_closed = True
        self._put(None)

    # -- below --------------------------------------------------------------------------------------------------

    def _is_over(self) -> bool:
        return self._is_closed or self._is_ended

    async def _wait(self, timeout_us: int | None) -> None:
        """Wait for a message or the end."""
        future: Future[None] = self._loop.future()
        self._receiver = future
        timer: Timer | None = None
        if timeout_us is not None:
            late = SocketTimeoutException(f"nothing came from {self.peer}")
            timer = self._loop.at(self._loop.now_us + timeout_us, lambda: future.fail(late))
        try:
            await future
        finally:
            self._receiver = None
            if timer is not None:
                timer.cancel()

    def _put(self, message: Any) -> None:
        """Send a message, or the end, to the other side."""
        self._under_way.append(message)
        self._arrives_us = max(self._arrives_us, self._loop.now_us + self._network.delay_us())
        self._loop.at(self._arrives_us, self._arrive)

    def _arrive(self) -> None:
        """The oldest message under way reaches the other end, unless the two are parted now."""
        if (self.life.node, self.peer) in self._network.parted:
            self._loop.at(self._loop.now_us + _PARTED_AGAIN_US, self._arrive)
            return
        message = self._under_way.popleft()
        if self._sender is not None:
            self._sender.succeed(None)
            self._sender = None
        self.other.take(message)

    def take(self, message: Any) -> None:
        """A message, or the end, is there."""
        if message is None:
            self._is_ended = True
            self._network.forget(self)
        else:
            self._inbox.append(message)
        self._wake()

    def _wake(self) -> None:
        if self._receiver is not None:
            self._receiver.succeed(None)
        if self._is_over() and self._sender is not None:
            self._sender.succeed(None)
            self._sender = None
