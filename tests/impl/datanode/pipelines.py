"""Three datanodes and a client that speaks the data transfer protocol with them, packet by packet."""

import random
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from genstamp_dfs.errors import EOFException
from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockConstructionStage,
    BlockOpResponse,
    Packet,
    PipelineAck,
    Status,
    WriteBlock,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo, VersionRequest
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, ReplicaState
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network, Node
from genstamp_dfs.simulation.runtime import SimulatedRuntime
from genstamp_dfs.world.request import Caller, Request
from genstamp_dfs.world.times import SECOND_US

BLOCK = Block(7, 1001, 0)
DATA = random.Random(1).randbytes(3000)
ONE, TWO, THREE = NODES = ("datanode1", "datanode2", "datanode3")
CREATE, STREAMING, APPEND, CLOSE = (
    BlockConstructionStage.PIPELINE_SETUP_CREATE,
    BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
    BlockConstructionStage.PIPELINE_SETUP_APPEND,
    BlockConstructionStage.PIPELINE_CLOSE_RECOVERY,
)
Story = Callable[[], Coroutine[Any, Any, None]]


class World:
    """Three datanodes, a namenode that only listens, and one client."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.network = Network(self.loop, random.Random(0))
        self.log = EventLog("BP-1")
        self.told: list[Request[Any]] = []
        self.network.join(Node(Life(NAMENODE), handler=self.listen))
        self.lives: dict[str, Life] = {}
        self.disks = {name: SimulatedDisk() for name in NODES}
        self.datanodes = {name: self.start(name) for name in NODES}
        self.client = SimulatedRuntime(self.loop, self.network, Life("client1"), random.Random(1))
        self.loop.run(until_us=SECOND_US)

    async def listen(self, request: Request[Any], caller: Caller) -> Any:
        del caller
        self.told.append(request)
        if isinstance(request, VersionRequest):
            return NamespaceInfo("BP-1", "CID-1", 1)
        return () if type(request).__name__ in ("SendHeartbeat", "BlockReport") else None

    def start(self, name: str) -> DataNode:
        life = self.lives[name] = Life(name)
        runtime = SimulatedRuntime(self.loop, self.network, life, random.Random(name))
        disk = DiskOfLife(self.disks[name], life, random.Random(0))
        datanode = DataNode(DataNodeConfiguration(), runtime, disk, self.log)
        self.network.join(Node(life, datanode.handle, datanode.serve))
        runtime.spawn(datanode.start(), "start")
        return datanode

    def crash(self, name: str) -> None:
        self.loop.kill(self.lives[name])
        self.network.leave(self.lives[name])

    def play(self, story: Coroutine[Any, Any, None], seconds: int = 30) -> None:
        """Let the client do something, and then time pass."""
        task = self.client.spawn(story, "story")
        self.loop.run(until_us=self.loop.now_us + seconds * SECOND_US)
        assert task.is_done

    def replicas(self) -> list[tuple[ReplicaState, int, int, int] | None]:
        """State, stamp, bytes acknowledged and bytes received at each datanode."""
        found = [datanode.dataset.get_replica(7) for datanode in self.datanodes.values()]
        return [
            None if one is None else (one.state, one.generation_stamp, one.bytes_acked, one.num_bytes) for one in found
        ]

    def data(self, name: str) -> bytes:
        dataset = self.datanodes[name].dataset
        replica = dataset.replicas[7]
        data = dataset.files.read(replica, 0, 10_000)
        assert dataset.files.read_checksums(replica, 0, len(data)) == checksums_of(data)
        return data

    def events(self, *names: str) -> list[tuple[str, str]]:
        """Node and name of the events with these names, in order."""
        return [(event.node, event.event) for event in self.log.events if event.event in names]

    # -- a client's moves ---------------------------------------------------------------------------------------

    async def open(
        self,
        nodes: tuple[str, ...] = NODES,
        stage: BlockConstructionStage = CREATE,
        stamp: int = 0,
        acked: int = 0,
        sent: int = 0,
    ) -> tuple[Connection, BlockOpResponse]:
        """Set a pipeline up; the answer."""
        request = WriteBlock(BLOCK, "client1", nodes[1:], stage, len(nodes), acked, sent, stamp)
        connection = await self.client.connect(nodes[0], request)
        answer = await connection.receive()
        assert isinstance(answer, BlockOpResponse)
        return connection, answer

    async def write(
        self, nodes: tuple[str, ...] = NODES, length: int = 1500, *, close: bool = False, sync: bool = False
    ) -> Connection:
        """Write the beginning of DATA in packets of two chunks, and wait for all acknowledgements."""
        connection, answer = await self.open(nodes)
        assert answer.status is Status.SUCCESS
        packets = [packet(number, start, min(length, start + 1024), sync) for number, start in steps(length)]
        if close:
            packets.append(Packet(len(packets), length, is_last=True))
        for each in packets:
            await connection.send(each)
        for each in packets:
            ack = await connection.receive()
            assert ack == PipelineAck(each.seqno, (Status.SUCCESS,) * len(nodes))
        return connection


def steps(length: int) -> list[tuple[int, int]]:
    return list(enumerate(range(0, length, 1024)))


def packet(seqno: int, start: int, end: int, sync: bool = False) -> Packet:
    return Packet(seqno, start, sync=sync, data=DATA[start:end], checksums=checksums_of(DATA[start:end]))


async def acks(connection: Connection, count: int) -> list[PipelineAck]:
    """So many acknowledgements."""
    received = [await connection.receive() for _ in range(count)]
    assert all(isinstance(ack, PipelineAck) for ack in received)
    return [ack for ack in received if isinstance(ack, PipelineAck)]


async def ends(connection: Connection) -> None:
    with pytest.raises(EOFException):
        await connection.receive()
