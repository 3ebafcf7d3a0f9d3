"""Hadoop's TestPipelines and TestFiPipelines: pipeline_01 and 04 to 06 (facts X.7)."""

import pytest

from genstamp_dfs.hdfs.protocol import ReplicaState
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.pipeline_faults import FaultAction, FaultPoint, PipelineFault
from genstamp_dfs.simulation.scenario import Scenario, small_options

PATH = "/pipeline"
OPTIONS = small_options(client={"block_size": 4 * 512, "packet_size": 33 + 2 * 516})
LIMIT = 80
"""`dfs.client.write.max-packets-in-flight`."""


def test_pipeline_01() -> None:
    """After an append and an hflush the last block's replica is RBW at all three nodes."""
    scenario = Scenario(options=OPTIONS)
    client = scenario.client("writer")

    async def write() -> None:
        stream = await client.create(PATH)
        await stream.write(pattern(1, 0, 10_000))
        await stream.close()
        stream = await client.append(PATH)
        await stream.write(pattern(1, 10_000, 24))
        await stream.hflush()

    scenario.run(client, write())
    replicas = scenario.replicas(PATH)
    assert sorted(replicas) == sorted(scenario.datanodes)
    assert {replica.state for replica in replicas.values()} == {ReplicaState.RBW}
    assert {replica.bytes_acked for replica in replicas.values()} == {10_024 % 2_048}
    assert scenario.read(PATH) == pattern(1, 0, 10_024)


@pytest.mark.parametrize("num_bytes", [2, 391, 2_000], ids=["pipeline_04", "pipeline_05", "several packets"])
@pytest.mark.parametrize("seed", range(3))
def test_acknowledged_bytes_are_received_bytes(num_bytes: int, seed: int) -> None:
    """At each node BA takes only values that BR has taken, and at the client none that a node has not acknowledged."""
    scenario = Scenario(options=OPTIONS, seed=seed)
    client = scenario.client("writer")

    async def write() -> None:
        stream = await client.create(PATH)
        for start in range(0, num_bytes, 23):
            await stream.write(pattern(1, start, min(23, num_bytes - start)))
        await stream.close()

    scenario.run(client, write())
    received: dict[str, set[int]] = {node: set() for node in scenario.datanodes}
    acknowledged = dict.fromkeys(scenario.datanodes, 0)
    for event in scenario.cluster.log.events:
        if event.event == "receive_packet":
            received[event.node].add(event.num_bytes or 0)
        elif event.event == "receive_ack" and event.kind == "replica":
            # A node in between may have the bytes in memory alone when it acknowledges; the last one has them on disk.
            acknowledged[event.node] = event.num_bytes or 0
        elif event.event == "receive_ack":
            assert min(acknowledged.values()) >= (event.num_bytes or 0)
    for node in scenario.datanodes:
        assert acknowledged[node] == num_bytes
        assert acknowledged[node] in received[node]


def test_pipeline_06() -> None:
    """No acknowledgement comes: the writer waits, with one packet more than the limit on its way; then it goes on."""
    silent = PipelineFault(FaultPoint.ACK_SEND, 0, FaultAction.HANG)
    options = small_options(client={"packet_size": 33 + 2 * 516, "max_packets_in_flight": LIMIT})
    scenario = Scenario(options=options, faults=[silent])
    client = scenario.client("writer")
    stream = scenario.run(client, client.create(PATH))
    outstanding: list[int] = []

    async def write() -> None:
        for number in range(100):
            await stream.write(pattern(1, number * 1_024, 1_024))
            outstanding.append(len(stream.streamer.queues))
        await stream.close()

    work = scenario.start(client, write())
    scenario.advance(20)
    assert not work.is_done
    assert len(outstanding) == LIMIT + 1
    scenario.faults.wake()
    scenario.until(lambda: work.is_done)
    work.result()
    assert max(outstanding) == LIMIT + 1
    assert scenario.read(PATH) == pattern(1, 0, 100 * 1_024)
