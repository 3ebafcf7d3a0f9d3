"""Copies from datanode to datanode, and what readers get (facts B.5, W.4.8)."""

from hashlib import md5

import pytest
from tests.impl.datanode.pipelines import CREATE, PipelineWorld, ends, packet
from tests.impl.datanode.scripted_namenode import BLOCK, DATA, ONE, THREE

from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.data_transfer import (
    BlockChecksum,
    BlockOpResponse,
    Packet,
    ReadBlock,
    ReadStatus,
    Status,
    TransferReplica,
    WriteBlock,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import ReportBadReplicas
from genstamp_dfs.hdfs.protocol import Block, ReplicaState
from genstamp_dfs.world.times import SECOND_US

# -- copies (B.5) ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("acked", [0, 700, 1024, 1500])
def test_a_transfer_gives_a_new_node_what_is_visible(acked: int) -> None:
    """TestTransferRbw; testPipelineRecoveryWithTransferBlock; testZeroByteBlockRecovery."""
    world = PipelineWorld()

    async def story() -> None:
        (await world.write((ONE,))).close()
        world.datanodes[ONE].dataset.replicas[7].bytes_acked = acked
        connection = await world.client.connect(ONE, TransferReplica(BLOCK, "client1", (THREE,)))
        assert await connection.receive() == BlockOpResponse(Status.SUCCESS)

    world.play(story())
    assert world.replicas_with_acks()[2] == (ReplicaState.RBW, 1001, acked, acked)
    assert world.data(THREE) == DATA[:acked]


def test_a_transfer_of_a_finalized_replica_is_finalized() -> None:
    world = PipelineWorld()

    async def story() -> None:
        (await world.write((ONE,), close=True)).close()
        connection = await world.client.connect(ONE, TransferReplica(BLOCK, "client1", (THREE,)))
        assert await connection.receive() == BlockOpResponse(Status.SUCCESS)

    world.play(story())
    assert world.replicas_with_acks()[2] == (ReplicaState.FINALIZED, 1001, 1500, 1500)


def test_a_transfer_of_a_corrupt_replica_leaves_nothing_and_is_reported() -> None:
    world = PipelineWorld()

    async def story() -> None:
        (await world.write((ONE,), close=True)).close()
        dataset = world.datanodes[ONE].dataset
        dataset.files.disk.write(dataset.files.block_path(dataset.replicas[7]), 5, b"x")
        connection = await world.client.connect(ONE, TransferReplica(BLOCK, "client1", (THREE,)))
        answer = await connection.receive()
        assert isinstance(answer, BlockOpResponse)
        assert answer.status is Status.ERROR

    world.play(story())
    assert world.replicas_with_acks()[2] is None
    assert [request for request in world.told if isinstance(request, ReportBadReplicas)] == [
        ReportBadReplicas(ONE, (Block(7, 1001, 1500),))
    ]


def test_a_copy_that_is_refused_leaves_one_that_arrives_already() -> None:
    world = PipelineWorld()

    async def story() -> None:
        first = await world.client.connect(ONE, WriteBlock(BLOCK, "", (), CREATE, 0))
        await first.send(packet(0, 0, 700))
        await world.client.sleep_us(SECOND_US)
        await ends(await world.client.connect(ONE, WriteBlock(BLOCK, "", (), CREATE, 0)))
        await first.send(Packet(1, 700, is_last=True))

    world.play(story())
    assert world.replicas_with_acks()[0] == (ReplicaState.FINALIZED, 1001, 700, 700)


def test_a_copy_that_breaks_off_leaves_nothing() -> None:
    world = PipelineWorld()

    async def story() -> None:
        connection = await world.client.connect(ONE, WriteBlock(BLOCK, "", (), CREATE, 0))
        await connection.send(packet(0, 0, 700))
        connection.close()

    world.play(story())
    assert (world.replicas_with_acks()[0], len(world.events("unfinalize_block"))) == (None, 1)


# -- reading (facts W.4.8) --------------------------------------------------------------------------------------------


async def read(world: PipelineWorld, offset: int, length: int, *, checksums: bool = True) -> tuple[int, bytes]:
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
    world = PipelineWorld()

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
    world = PipelineWorld()

    async def story() -> None:
        await world.write((ONE,), close=True)
        connection = await world.client.connect(ONE, ReadBlock(block, "client1", offset, length))
        answer = await connection.receive()
        assert isinstance(answer, BlockOpResponse)
        assert (answer.status, bool(answer.message)) == (Status.ERROR, True)

    world.play(story())


def test_a_replica_that_waits_for_a_recovery_is_not_read() -> None:
    world = PipelineWorld()

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
    world = PipelineWorld()

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
    world = PipelineWorld()

    async def story() -> None:
        await world.write((ONE,), close=True)
        connection = await world.client.connect(ONE, BlockChecksum(Block(7, 1001, length)))
        digest = md5(checksums_of(DATA[:length])).digest()
        assert await connection.receive() == BlockOpResponse(Status.SUCCESS, checksum=digest)

    world.play(story())
