"""Pipelines, packets and acknowledgements: Hadoop's TestDataTransferProtocol, TestPipelines, TestTransferRbw.

Real datanodes in virtual time; clients and the namenode are scripts. Facts C.1, C.2, C.5, hadoop-wire 4.4 to 4.8.
"""

import random
from collections.abc import Callable, Coroutine
from hashlib import md5
from typing import Any

import pytest

from genstamp_dfs.errors import EOFException
from genstamp_dfs.events import EventLog
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.datanode.configuration import DataNodeConfiguration
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.messages.base import Caller, Request
from genstamp_dfs.hdfs.messages.data_transfer import (
    UNKNOWN_SEQNO,
    BlockChecksum,
    BlockConstructionStage,
    BlockOpResponse,
    Packet,
    PipelineAck,
    ReadBlock,
    ReadStatus,
    Status,
    TransferReplica,
    WriteBlock,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import NamespaceInfo, ReportBadReplicas, VersionRequest
from genstamp_dfs.hdfs.protocol import NAMENODE, Block, ReplicaState
from genstamp_dfs.hdfs.runtime import Connection
from genstamp_dfs.simulation.disk import DiskOfLife, SimulatedDisk
from genstamp_dfs.simulation.loop import Life, Loop
from genstamp_dfs.simulation.network import Network, Node
from genstamp_dfs.simulation.runtime import SimulatedRuntime

BLOCK = Block(7, 1001, 0)
DATA = random.Random(1).randbytes(3000)
ONE, TWO, THREE = NODES = ("datanode1", "datanode2", "datanode3")
CREATE, STREAMING, APPEND, CLOSE = (
    BlockConstructionStage.PIPELINE_SETUP_CREATE,
    BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
    BlockConstructionStage.PIPELINE_SETUP_APPEND,
    BlockConstructionStage.PIPELINE_CLOSE_RECOVERY,
)
SECOND_US = 1_000_000
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


# -- a pipeline without faults --------------------------------------------------------------------------------------


def test_a_block_is_written_to_all_and_finalized_from_the_last_to_the_first() -> None:
    world = World()

    async def story() -> None:
        connection = await world.write(close=True)
        connection.close()

    world.play(story())
    assert world.replicas() == [(ReplicaState.FINALIZED, 1001, 1500, 1500)] * 3
    assert [world.data(node) for node in NODES] == [DATA[:1500]] * 3
    assert world.events("finalize_replica") == [(node, "finalize_replica") for node in reversed(NODES)]
    assert [node for node, _ in world.events("create_rbw")] == list(NODES)
    reports = [request for request in world.told if type(request).__name__ == "BlockReceivedAndDeleted"]
    assert len(reports) == 3


def test_acknowledged_bytes_are_visible_at_all_and_at_the_last_node_first() -> None:
    """TestPipelines#pipeline_01."""
    world = World()

    async def story() -> None:
        await world.write(length=1500)

    world.play(story())
    assert world.replicas() == [(ReplicaState.RBW, 1001, 1500, 1500)] * 3
    first_raised = [node for node, _ in world.events("receive_ack")][:3]
    assert first_raised[0] == THREE
    assert [event.num_bytes for event in world.log.events if event.event == "receive_ack" and event.node == ONE] == [
        1024,
        1500,
    ]


def test_heartbeats_are_acknowledged_and_sync_reaches_the_disk() -> None:
    world = World()

    async def story() -> None:
        connection = await world.write(length=1500, sync=True)
        await connection.send(Packet(-1, 0))
        assert await acks(connection, 1) == [PipelineAck(-1, (Status.SUCCESS,) * 3)]
        await connection.send(Packet(5, 1500, sync=True))
        assert await acks(connection, 1) == [PipelineAck(5, (Status.SUCCESS,) * 3)]

    world.play(story())
    for name in NODES:
        world.crash(name)
        world.disks[name].lose_power(random.Random(name))
        world.datanodes[name] = world.start(name)
    world.loop.run(until_us=world.loop.now_us + SECOND_US)
    assert world.replicas() == [(ReplicaState.RWR, 1001, 0, 1500)] * 3


# -- faults while streaming (hadoop-wire 4.5) -----------------------------------------------------------------------


@pytest.mark.parametrize(("dead", "replies"), [(THREE, 2), (TWO, 1)])
def test_a_node_whose_mirror_is_gone_says_that_it_is_fine_and_the_next_is_not(dead: str, replies: int) -> None:
    world = World()

    async def story() -> None:
        connection = await world.write()
        world.crash(dead)
        await connection.send(packet(2, 1024, 2000))
        (ack,) = await acks(connection, 1)
        assert ack == PipelineAck(UNKNOWN_SEQNO, (Status.SUCCESS,) * replies + (Status.ERROR,))
        connection.close()

    world.play(story())
    assert world.replicas()[0] == (ReplicaState.RBW, 1001, 1500, 2000)


def test_corrupt_data_are_found_at_the_tail_and_the_node_before_blames_itself() -> None:
    """HDFS-3875."""
    world = World()

    async def story() -> None:
        connection = await world.write()
        good = packet(2, 1024, 2000)
        await connection.send(Packet(2, 1024, data=good.data[:-1] + b"x", checksums=good.checksums))
        (ack,) = await acks(connection, 1)
        assert ack == PipelineAck(UNKNOWN_SEQNO, (Status.SUCCESS, Status.ERROR))
        connection.close()

    world.play(story())
    assert world.data(THREE) == DATA[:1500]
    assert [replica[2] for replica in world.replicas() if replica] == [1500] * 3


def test_a_single_node_answers_corrupt_data_itself() -> None:
    world = World()

    async def story() -> None:
        connection = await world.write((ONE,))
        await connection.send(Packet(2, 1024, data=DATA[1024:2000], checksums=bytes(8)))
        (ack,) = await acks(connection, 1)
        assert ack == PipelineAck(2, (Status.ERROR_CHECKSUM,))
        await ends(connection)

    world.play(story())
    assert world.data(ONE) == DATA[:1500]


@pytest.mark.parametrize(
    "bad",
    [
        packet(2, 2048, 2500),
        Packet(2, 1500, is_last=True, data=DATA[:1], checksums=checksums_of(DATA[:1])),
        Packet(2, 1500, data=DATA[:1]),
        packet(2, 1100, 2000),
    ],
    ids=["out of order", "last with data", "no checksums", "over a chunk"],
)
def test_a_packet_that_does_not_fit_ends_the_pipeline(bad: Packet) -> None:
    world = World()

    async def story() -> None:
        connection = await world.write()
        await connection.send(bad)
        await ends(connection)

    world.play(story())
    assert [world.data(node) for node in NODES] == [DATA[:1500]] * 3


def test_a_writer_that_is_gone_leaves_rbw_replicas() -> None:
    world = World()

    async def story() -> None:
        (await world.write()).close()

    world.play(story())
    assert world.replicas() == [(ReplicaState.RBW, 1001, 1500, 1500)] * 3
    assert not any(world.datanodes[node].dataset.replicas[7].writer.is_alive for node in NODES)  # type: ignore[union-attr]


# -- set-up (hadoop-wire 4.4) ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dead", [TWO, THREE])
def test_a_set_up_that_fails_names_the_node_that_cannot_be_reached(dead: str) -> None:
    world = World()
    world.crash(dead)

    async def story() -> None:
        connection, answer = await world.open()
        assert (answer.status, answer.first_bad_link) == (Status.ERROR, dead)
        await ends(connection)

    world.play(story())


def test_a_node_that_refuses_closes_the_connection() -> None:
    world = World()

    async def story() -> None:
        await world.write((TWO,))
        _, answer = await world.open()
        assert (answer.status, answer.first_bad_link) == (Status.ERROR, TWO)
        with pytest.raises(EOFException):
            await world.open((TWO,))

    world.play(story())
    refusals = {event.refused_with for event in world.log.events if event.event == "create_rbw"}
    assert refusals == {None, "ReplicaAlreadyExistsException"}


def test_streaming_recovery_cuts_what_was_not_acknowledged_and_takes_it_again() -> None:
    world = World()

    async def story() -> None:
        connection = await world.write()
        world.crash(TWO)
        await connection.send(packet(2, 1024, 2000))
        assert (await acks(connection, 1))[0].replies == (Status.SUCCESS, Status.ERROR)
        connection.close()
        connection, answer = await world.open((ONE, THREE), STREAMING, 1002, 1500, 2000)
        assert answer.status is Status.SUCCESS
        assert world.replicas()[0] == (ReplicaState.RBW, 1002, 1500, 1500)
        await connection.send(packet(2, 1024, 2000))
        await connection.send(Packet(3, 2000, is_last=True))
        assert [ack.seqno for ack in await acks(connection, 2)] == [2, 3]

    world.play(story())
    assert world.replicas()[0] == world.replicas()[2] == (ReplicaState.FINALIZED, 1002, 2000, 2000)
    assert world.data(ONE) == world.data(THREE) == DATA[:2000]


def test_a_new_pipeline_stops_the_writer_of_the_old_one() -> None:
    world = World()

    async def story() -> None:
        old = await world.write()
        _, answer = await world.open(NODES, STREAMING, 1002, 1500, 1500)
        assert answer.status is Status.SUCCESS
        await ends(old)

    world.play(story())
    assert world.replicas() == [(ReplicaState.RBW, 1002, 1500, 1500)] * 3


@pytest.mark.parametrize("finalized", [False, True])
def test_close_recovery_finalizes_under_the_new_stamp_without_packets(finalized: bool) -> None:
    world = World()

    async def story() -> None:
        (await world.write(close=finalized)).close()
        connection, answer = await world.open(NODES, CLOSE, 1002, 1500, 1500)
        assert answer.status is Status.SUCCESS
        await ends(connection)

    world.play(story())
    assert world.replicas() == [(ReplicaState.FINALIZED, 1002, 1500, 1500)] * 3


def test_append_goes_on_inside_a_chunk() -> None:
    world = World()

    async def story() -> None:
        (await world.write(close=True)).close()
        connection, answer = await world.open(NODES, APPEND, 1002, 1500, 1500)
        assert answer.status is Status.SUCCESS
        for each in (packet(0, 1500, 1536), packet(1, 1536, 2500), Packet(2, 2500, is_last=True)):
            await connection.send(each)
        await acks(connection, 3)

    world.play(story())
    assert world.replicas() == [(ReplicaState.FINALIZED, 1002, 2500, 2500)] * 3
    assert [world.data(node) for node in NODES] == [DATA[:2500]] * 3


# -- planned restart (B12) ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("restarting", "replies"), [(ONE, 0), (TWO, 1), (THREE, 2)])
def test_a_planned_restart_is_announced_up_the_pipeline_and_keeps_the_replica(restarting: str, replies: int) -> None:
    """TestClientProtocolForPipelineRecovery#testPipelineRecoveryOnOOB."""
    world = World()

    async def story() -> None:
        connection = await world.write()
        await world.datanodes[restarting].stop(for_restart=True)
        assert await acks(connection, 1) == [PipelineAck(-2, (Status.SUCCESS,) * replies + (Status.OOB_RESTART,))]
        world.crash(restarting)
        world.datanodes[restarting] = world.start(restarting)

    world.play(story())
    assert world.replicas()[NODES.index(restarting)] == (ReplicaState.RBW, 1001, 1500, 1500)


# -- copies (B.5) ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("acked", [0, 700, 1024, 1500])
def test_a_transfer_gives_a_new_node_what_is_visible(acked: int) -> None:
    """TestTransferRbw; testPipelineRecoveryWithTransferBlock; testZeroByteBlockRecovery."""
    world = World()

    async def story() -> None:
        (await world.write((ONE,))).close()
        world.datanodes[ONE].dataset.replicas[7].bytes_acked = acked
        connection = await world.client.connect(ONE, TransferReplica(BLOCK, "client1", (THREE,)))
        assert await connection.receive() == BlockOpResponse(Status.SUCCESS)

    world.play(story())
    assert world.replicas()[2] == (ReplicaState.RBW, 1001, acked, acked)
    assert world.data(THREE) == DATA[:acked]


def test_a_transfer_of_a_finalized_replica_is_finalized() -> None:
    world = World()

    async def story() -> None:
        (await world.write((ONE,), close=True)).close()
        connection = await world.client.connect(ONE, TransferReplica(BLOCK, "client1", (THREE,)))
        assert await connection.receive() == BlockOpResponse(Status.SUCCESS)

    world.play(story())
    assert world.replicas()[2] == (ReplicaState.FINALIZED, 1001, 1500, 1500)


def test_a_transfer_of_a_corrupt_replica_leaves_nothing_and_is_reported() -> None:
    world = World()

    async def story() -> None:
        (await world.write((ONE,), close=True)).close()
        dataset = world.datanodes[ONE].dataset
        dataset.files.disk.write(dataset.files.block_path(dataset.replicas[7]), 5, b"x")
        connection = await world.client.connect(ONE, TransferReplica(BLOCK, "client1", (THREE,)))
        answer = await connection.receive()
        assert isinstance(answer, BlockOpResponse)
        assert answer.status is Status.ERROR

    world.play(story())
    assert world.replicas()[2] is None
    assert [request for request in world.told if isinstance(request, ReportBadReplicas)] == [
        ReportBadReplicas(ONE, (Block(7, 1001, 1500),))
    ]


def test_a_copy_that_is_refused_leaves_one_that_arrives_already() -> None:
    world = World()

    async def story() -> None:
        first = await world.client.connect(ONE, WriteBlock(BLOCK, "", (), CREATE, 0))
        await first.send(packet(0, 0, 700))
        await world.client.sleep_us(SECOND_US)
        await ends(await world.client.connect(ONE, WriteBlock(BLOCK, "", (), CREATE, 0)))
        await first.send(Packet(1, 700, is_last=True))

    world.play(story())
    assert world.replicas()[0] == (ReplicaState.FINALIZED, 1001, 700, 700)


def test_a_copy_that_breaks_off_leaves_nothing() -> None:
    world = World()

    async def story() -> None:
        connection = await world.client.connect(ONE, WriteBlock(BLOCK, "", (), CREATE, 0))
        await connection.send(packet(0, 0, 700))
        connection.close()

    world.play(story())
    assert (world.replicas()[0], len(world.events("unfinalize_block"))) == (None, 1)


# -- reading (hadoop-wire 4.8) ----------------------------------------------------------------------------------------


async def read(world: World, offset: int, length: int, *, checksums: bool = True) -> tuple[int, bytes]:
    """Where the packets begin, and the bytes, verified."""
    connection = await world.client.connect(ONE, ReadBlock(BLOCK, "client1", offset, length, checksums))
    answer = await connection.receive()
    assert isinstance(answer, BlockOpResponse)
    assert answer.status is Status.SUCCESS
    data = b""
    for seqno in range(1000):
        piece = await connection.receive()
        assert isinstance(piece, Packet)
        assert (piece.seqno, piece.offset) == (seqno, answer.chunk_offset + len(data))
        assert piece.checksums == (checksums_of(piece.data) if checksums else b"")
        data += piece.data
        if piece.is_last:
            break
    await connection.send(ReadStatus(Status.CHECKSUM_OK))
    return answer.chunk_offset, data


@pytest.mark.parametrize("close", [False, True])
@pytest.mark.parametrize(
    ("offset", "length", "start", "end"),
    [(0, 1500, 0, 1500), (700, 10, 512, 1024), (1400, 100, 1024, 1500), (0, 0, 0, 0)],
)
def test_a_reader_gets_whole_chunks_with_checksums(offset: int, length: int, start: int, end: int, close: bool) -> None:
    world = World()

    async def story() -> None:
        await world.write((ONE,), close=close)
        assert await read(world, offset, length) == (start, DATA[start:end])
        assert await read(world, offset, length, checksums=False) == (start, DATA[start:end])

    world.play(story())


@pytest.mark.parametrize(
    ("block", "offset", "length"),
    [(BLOCK, 0, 1501), (BLOCK, 1501, 0), (Block(7, 1002, 0), 0, 1), (Block(8, 1001, 0), 0, 1)],
)
def test_a_read_outside_of_a_replica_is_refused(block: Block, offset: int, length: int) -> None:
    world = World()

    async def story() -> None:
        await world.write((ONE,), close=True)
        connection = await world.client.connect(ONE, ReadBlock(block, "client1", offset, length))
        answer = await connection.receive()
        assert isinstance(answer, BlockOpResponse)
        assert (answer.status, bool(answer.message)) == (Status.ERROR, True)

    world.play(story())


def test_a_replica_that_waits_for_a_recovery_is_not_read() -> None:
    world = World()

    async def story() -> None:
        await world.write((ONE,))
        world.datanodes[ONE].dataset.replicas[7].state = ReplicaState.RWR
        connection = await world.client.connect(ONE, ReadBlock(BLOCK, "client1", 0, 1))
        answer = await connection.receive()
        assert isinstance(answer, BlockOpResponse)
        assert "not readable" in answer.message

    world.play(story())


def test_a_read_waits_some_seconds_for_bytes_that_are_under_way() -> None:
    """Another node has acknowledged them already (facts C.3)."""
    world = World()

    async def story() -> None:
        writer = await world.write((ONE,), length=1024)

        async def go_on() -> None:
            await world.client.sleep_us(2 * SECOND_US)
            await writer.send(packet(1, 1024, 1500))

        world.client.spawn(go_on(), "writer")
        assert await read(world, 0, 1500) == (0, DATA[:1500])

    world.play(story())


@pytest.mark.parametrize("length", [0, 512, 700, 1500])
def test_the_checksum_of_a_block_is_the_digest_of_its_chunks(length: int) -> None:
    world = World()

    async def story() -> None:
        await world.write((ONE,), close=True)
        connection = await world.client.connect(ONE, BlockChecksum(Block(7, 1001, length)))
        digest = md5(checksums_of(DATA[:length])).digest()
        assert await connection.receive() == BlockOpResponse(Status.SUCCESS, checksum=digest)

    world.play(story())
