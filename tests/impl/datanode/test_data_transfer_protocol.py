"""Pipelines packet by packet: data, faults and set-up.

Hadoop's TestDataTransferProtocol and others. Facts C.1 to C.5, W.4.4, W.4.5."""

import random

import pytest
from tests.impl.datanode.pipelines import APPEND, CLOSE, STREAMING, PipelineWorld, acks, ends, packet
from tests.impl.datanode.scripted_namenode import DATA, NODES, ONE, THREE, TWO

from genstamp_dfs.errors import EOFException
from genstamp_dfs.hdfs.checksums import checksums_of
from genstamp_dfs.hdfs.messages.data_transfer import (
    UNKNOWN_SEQNO,
    Packet,
    PipelineAck,
    Status,
)
from genstamp_dfs.hdfs.protocol import ReplicaState
from genstamp_dfs.world.times import SECOND_US

# -- a pipeline without faults --------------------------------------------------------------------------------------


def test_a_block_is_written_to_all_and_finalized_from_the_last_to_the_first() -> None:
    world = PipelineWorld()

    async def story() -> None:
        connection = await world.write(close=True)
        connection.close()

    world.play(story())
    assert world.replicas_with_acks() == [(ReplicaState.FINALIZED, 1001, 1500, 1500)] * 3
    assert [world.data(node) for node in NODES] == [DATA[:1500]] * 3
    assert world.nodes_of("finalize_replica") == list(reversed(NODES))
    assert world.nodes_of("create_rbw") == list(NODES)
    reports = [request for request in world.told if type(request).__name__ == "BlockReceivedAndDeleted"]
    assert len(reports) == 3


def test_acknowledged_bytes_are_visible_at_all_and_at_the_last_node_first() -> None:
    """TestPipelines#pipeline_01."""
    world = PipelineWorld()

    async def story() -> None:
        await world.write(length=1500)

    world.play(story())
    assert world.replicas_with_acks() == [(ReplicaState.RBW, 1001, 1500, 1500)] * 3
    assert world.nodes_of("receive_ack")[0] == THREE
    assert [event.num_bytes for event in world.log.events if event.event == "receive_ack" and event.node == ONE] == [
        1024,
        1500,
    ]


def test_heartbeats_are_acknowledged_and_sync_reaches_the_disk() -> None:
    world = PipelineWorld()

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
    assert world.replicas_with_acks() == [(ReplicaState.RWR, 1001, 0, 1500)] * 3


# -- faults while streaming (facts W.4.5) ---------------------------------------------------------------------------


@pytest.mark.parametrize(("dead", "replies"), [(THREE, 2), (TWO, 1)])
def test_a_node_whose_mirror_is_gone_says_that_it_is_fine_and_the_next_is_not(dead: str, replies: int) -> None:
    world = PipelineWorld()

    async def story() -> None:
        connection = await world.write()
        world.crash(dead)
        await connection.send(packet(2, 1024, 2000))
        (ack,) = await acks(connection, 1)
        assert ack == PipelineAck(UNKNOWN_SEQNO, (Status.SUCCESS,) * replies + (Status.ERROR,))
        connection.close()

    world.play(story())
    assert world.replicas_with_acks()[0] == (ReplicaState.RBW, 1001, 1500, 2000)


def test_corrupt_data_are_found_at_the_tail_and_the_node_before_blames_itself() -> None:
    """HDFS-3875."""
    world = PipelineWorld()

    async def story() -> None:
        connection = await world.write()
        good = packet(2, 1024, 2000)
        await connection.send(Packet(2, 1024, data=good.data[:-1] + b"x", checksums=good.checksums))
        (ack,) = await acks(connection, 1)
        assert ack == PipelineAck(UNKNOWN_SEQNO, (Status.SUCCESS, Status.ERROR))
        connection.close()

    world.play(story())
    assert world.data(THREE) == DATA[:1500]
    assert [replica[2] for replica in world.replicas_with_acks() if replica] == [1500] * 3


def test_a_single_node_answers_corrupt_data_itself() -> None:
    world = PipelineWorld()

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
    world = PipelineWorld()

    async def story() -> None:
        connection = await world.write()
        await connection.send(bad)
        await ends(connection)

    world.play(story())
    assert [world.data(node) for node in NODES] == [DATA[:1500]] * 3


def test_a_writer_that_is_gone_leaves_rbw_replicas() -> None:
    world = PipelineWorld()

    async def story() -> None:
        (await world.write()).close()

    world.play(story())
    assert world.replicas_with_acks() == [(ReplicaState.RBW, 1001, 1500, 1500)] * 3
    assert not any(world.datanodes[node].dataset.replicas[7].writer.is_alive for node in NODES)  # type: ignore[union-attr]


# -- set-up (facts W.4.4) -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dead", [TWO, THREE])
def test_a_set_up_that_fails_names_the_node_that_cannot_be_reached(dead: str) -> None:
    world = PipelineWorld()
    world.crash(dead)

    async def story() -> None:
        connection, answer = await world.open()
        assert (answer.status, answer.first_bad_link) == (Status.ERROR, dead)
        await ends(connection)

    world.play(story())


def test_a_node_that_refuses_closes_the_connection() -> None:
    world = PipelineWorld()

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
    world = PipelineWorld()

    async def story() -> None:
        connection = await world.write()
        world.crash(TWO)
        await connection.send(packet(2, 1024, 2000))
        assert (await acks(connection, 1))[0].replies == (Status.SUCCESS, Status.ERROR)
        connection.close()
        connection, answer = await world.open((ONE, THREE), STREAMING, 1002, 1500, 2000)
        assert answer.status is Status.SUCCESS
        assert world.replicas_with_acks()[0] == (ReplicaState.RBW, 1002, 1500, 1500)
        await connection.send(packet(2, 1024, 2000))
        await connection.send(Packet(3, 2000, is_last=True))
        assert [ack.seqno for ack in await acks(connection, 2)] == [2, 3]

    world.play(story())
    assert world.replicas_with_acks()[0] == world.replicas_with_acks()[2] == (ReplicaState.FINALIZED, 1002, 2000, 2000)
    assert world.data(ONE) == world.data(THREE) == DATA[:2000]


def test_a_new_pipeline_stops_the_writer_of_the_old_one() -> None:
    world = PipelineWorld()

    async def story() -> None:
        old = await world.write()
        _, answer = await world.open(NODES, STREAMING, 1002, 1500, 1500)
        assert answer.status is Status.SUCCESS
        await ends(old)

    world.play(story())
    assert world.replicas_with_acks() == [(ReplicaState.RBW, 1002, 1500, 1500)] * 3


@pytest.mark.parametrize("finalized", [False, True])
def test_close_recovery_finalizes_under_the_new_stamp_without_packets(finalized: bool) -> None:
    world = PipelineWorld()

    async def story() -> None:
        (await world.write(close=finalized)).close()
        connection, answer = await world.open(NODES, CLOSE, 1002, 1500, 1500)
        assert answer.status is Status.SUCCESS
        await ends(connection)

    world.play(story())
    assert world.replicas_with_acks() == [(ReplicaState.FINALIZED, 1002, 1500, 1500)] * 3


def test_append_goes_on_inside_a_chunk() -> None:
    world = PipelineWorld()

    async def story() -> None:
        (await world.write(close=True)).close()
        connection, answer = await world.open(NODES, APPEND, 1002, 1500, 1500)
        assert answer.status is Status.SUCCESS
        for each in (packet(0, 1500, 1536), packet(1, 1536, 2500), Packet(2, 2500, is_last=True)):
            await connection.send(each)
        await acks(connection, 3)

    world.play(story())
    assert world.replicas_with_acks() == [(ReplicaState.FINALIZED, 1002, 2500, 2500)] * 3
    assert [world.data(node) for node in NODES] == [DATA[:2500]] * 3


# -- planned restart (B12) ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("restarting", "replies"), [(ONE, 0), (TWO, 1), (THREE, 2)])
def test_a_planned_restart_is_announced_up_the_pipeline_and_keeps_the_replica(restarting: str, replies: int) -> None:
    """TestClientProtocolForPipelineRecovery#testPipelineRecoveryOnOOB."""
    world = PipelineWorld()

    async def story() -> None:
        connection = await world.write()
        await world.datanodes[restarting].stop(for_restart=True)
        assert await acks(connection, 1) == [PipelineAck(-2, (Status.SUCCESS,) * replies + (Status.OOB_RESTART,))]
        world.crash(restarting)
        world.datanodes[restarting] = world.start(restarting)

    world.play(story())
    assert world.replicas_with_acks()[NODES.index(restarting)] == (ReplicaState.RBW, 1001, 1500, 1500)
