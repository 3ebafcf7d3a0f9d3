"""Three datanodes and a client that speaks the data transfer protocol with them, packet by packet."""

import random
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.impl.datanode.scripted_namenode import BLOCK, DATA, NODES, World

from genstamp_dfs.errors import EOFException
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockConstructionStage,
    BlockOpResponse,
    Packet,
    PipelineAck,
    Status,
    WriteBlock,
)
from genstamp_dfs.hdfs.protocol import ReplicaState
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.simulation.loop import Life
from genstamp_dfs.simulation.runtime import SimulatedRuntime

CREATE, STREAMING, APPEND, CLOSE = (
    BlockConstructionStage.PIPELINE_SETUP_CREATE,
    BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
    BlockConstructionStage.PIPELINE_SETUP_APPEND,
    BlockConstructionStage.PIPELINE_CLOSE_RECOVERY,
)
Story = Callable[[], Coroutine[Any, Any, None]]


class PipelineWorld(World):
    """Three datanodes, a namenode that only listens, and one client."""

    def __init__(self) -> None:
        super().__init__()
        self.client = SimulatedRuntime(self.loop, self.network, Life("client1"), random.Random(1))

    def play(self, story: Coroutine[Any, Any, None], seconds: int = 30) -> None:
        """Let the client do something, and then time pass."""
        task = self.client.spawn(story, "story")
        self.run(seconds)
        assert task.is_done

    def replicas_with_acks(self) -> list[tuple[ReplicaState, int, int, int] | None]:
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

    def nodes_of(self, event: str) -> list[str]:
        """The nodes with this event, in order."""
        return [each.node for each in self.log.events if each.event == event]

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
