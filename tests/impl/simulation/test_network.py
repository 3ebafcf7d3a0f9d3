"""The simulated network: calls that are lost, repeated, and answered late; connections that keep their order."""

import random
from collections.abc import Coroutine
from typing import Any

from genstamp_dfs.errors import ConnectException, EOFException, FileNotFoundException, SocketTimeoutException
from genstamp_dfs.hdfs.messages.client_protocol import IsFileClosed
from genstamp_dfs.hdfs.messages.data_transfer import Message, Operation, Packet, ReadBlock
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network, NetworkFaults, Node
from genstamp_dfs.simulation.runtime import Clock, SimulatedRuntime
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US

READ = ReadBlock(Block(1, 1001, 0), "client1", 0, 10)


class World:
    """A namenode that counts, a datanode that echoes or is silent, and a client."""

    def __init__(self, faults: NetworkFaults | None = None, *, attempts: int = 1) -> None:
        self.loop = Loop()
        self.network = Network(self.loop, random.Random(0), faults)
        self.asked: list[int] = []
        self.namenode, self.datanode, self.client = Life("namenode"), Life("datanode1"), Life("client1")
        self.network.join(Node(self.namenode, handler=self.count))
        self.network.join(Node(self.datanode, server=self.echo))
        self.runtime = SimulatedRuntime(self.loop, self.network, self.client, random.Random(1), call_attempts=attempts)
        self.came_of_it: list[object] = []

    async def count(self, request: Request[Any], caller: Caller) -> bool:
        self.asked.append(caller.call_id)
        assert isinstance(request, IsFileClosed)
        if request.path == "/missing":
            raise FileNotFoundException("/missing")
        if request.path == "/slow":
            await self.loop.sleep_us(30 * SECOND_US)
        return True

    async def echo(self, connection: Connection, _: Operation) -> None:
        try:
            while True:
                await connection.send(await connection.receive())
        except EOFException:
            connection.close()

    def run(self, work: Coroutine[Any, Any, Any], for_us: int = 1_000 * SECOND_US) -> object:
        """What comes of some work of the client: its result, or the exception."""

        async def note() -> None:
            try:
                self.came_of_it.append(await work)
            except Exception as problem:
                self.came_of_it.append(problem)

        self.loop.spawn(self.client, note(), "work")
        self.loop.run(self.loop.now_us + for_us)
        return self.came_of_it[-1] if self.came_of_it else None


def test_a_call_is_answered_or_refused() -> None:
    world = World()
    assert world.run(world.runtime.call("namenode", IsFileClosed("/a"))) is True
    assert isinstance(world.run(world.runtime.call("namenode", IsFileClosed("/missing"))), FileNotFoundException)
    assert isinstance(world.run(world.runtime.call("nobody", IsFileClosed("/a"))), ConnectException)


def test_a_lost_call_is_noticed_by_its_time_out_alone() -> None:
    world = World(NetworkFaults(lose=1.0))
    failure = world.run(world.runtime.call("namenode", IsFileClosed("/a"), timeout_us=5 * SECOND_US))
    assert isinstance(failure, SocketTimeoutException)
    assert world.loop.now_us >= 5 * SECOND_US
    assert world.asked == []


def test_a_repeated_request_has_the_number_of_the_first() -> None:
    world = World(NetworkFaults(repeat=1.0))
    world.run(world.runtime.call("namenode", IsFileClosed("/a")))
    world.run(world.runtime.call("namenode", IsFileClosed("/a")))
    assert world.asked == [0, 0, 1, 1]


def test_a_call_whose_answer_is_lost_is_made_again_under_its_number() -> None:
    world = World(attempts=3)
    world.network.part("namenode", "client1")
    world.loop.at(70 * SECOND_US, world.network.heal)
    assert world.run(world.runtime.call("namenode", IsFileClosed("/a"))) is True
    assert world.asked == [0]


def test_a_caller_learns_that_the_node_died_over_its_call() -> None:
    world = World()

    def die() -> None:
        world.loop.kill(world.namenode)
        world.network.leave(world.namenode)

    world.loop.at(10 * SECOND_US, die)
    assert isinstance(world.run(world.runtime.call("namenode", IsFileClosed("/slow"))), EOFException)


async def echoed(world: World, count: int) -> list[Message]:
    connection = await world.runtime.connect("datanode1", READ)
    for seqno in range(count):
        await connection.send(Packet(seqno, 0))
    heard = [await connection.receive() for _ in range(count)]
    connection.close()
    return heard


def test_a_connection_keeps_order_however_slow_single_messages_are() -> None:
    world = World(NetworkFaults(slow=0.3, slow_us=5 * SECOND_US))
    assert world.run(echoed(world, 50)) == [Packet(seqno, 0) for seqno in range(50)]


def test_what_is_under_way_waits_for_the_end_of_a_partition() -> None:
    world = World()
    world.loop.at(1, lambda: world.network.part("client1", "datanode1"))
    world.loop.at(9 * SECOND_US, world.network.heal)
    assert world.run(echoed(world, 3)) == [Packet(seqno, 0) for seqno in range(3)]
    assert isinstance(world.came_of_it[-1], list)


def test_a_connection_ends_when_the_other_node_dies() -> None:
    world = World()

    async def wait() -> object:
        connection = await world.runtime.connect("datanode1", READ)
        return await connection.receive()

    def die() -> None:
        world.loop.kill(world.datanode)
        world.network.leave(world.datanode)

    world.loop.at(SECOND_US, die)
    assert isinstance(world.run(wait()), EOFException)


def test_a_receiver_waits_no_longer_than_it_says() -> None:
    world = World()

    async def wait() -> object:
        connection = await world.runtime.connect("datanode1", READ)
        return await connection.receive(timeout_us=3 * SECOND_US)

    assert isinstance(world.run(wait()), SocketTimeoutException)


def test_a_sender_waits_while_too_much_is_under_way() -> None:
    world = World()
    sent: list[int] = []

    async def flood() -> object:
        connection = await world.runtime.connect("datanode1", READ)
        world.network.part("client1", "datanode1")
        for seqno in range(200):
            await connection.send(Packet(seqno, 0))
            sent.append(seqno)
        return None

    world.run(flood(), for_us=20 * SECOND_US)
    assert len(sent) == 64
    world.network.heal()
    world.loop.run(40 * SECOND_US)
    assert len(sent) == 200


def test_clocks_differ() -> None:
    loop = Loop()
    network = Network(loop, random.Random(0))
    fast = SimulatedRuntime(loop, network, Life("fast"), random.Random(0), Clock(start_us=5, rate=2.0))
    loop.spawn(fast.life, fast.sleep_us(100), "sleep")
    loop.run()
    assert (loop.now_us, fast.now_us()) == (50, 105)


def test_a_condition_wakes_all_that_wait_and_lets_the_others_give_up() -> None:
    world = World()
    condition = world.runtime.condition()
    heard: list[bool] = []

    async def wait(timeout_us: int | None) -> None:
        heard.append(await condition.wait(timeout_us))

    world.runtime.spawn(wait(None), "for ever")
    world.runtime.spawn(wait(5), "not long")
    world.runtime.spawn(wait(50), "long")
    world.loop.at(10, condition.notify_all)
    world.loop.run()
    assert heard == [False, True, True]
