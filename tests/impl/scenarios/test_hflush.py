"""Hadoop's TestHFlush: what a reader sees after each flush (facts K.3; HF-a, HF-b: facts X.2).

Left out: HF-c (chunks of 400 bytes: chunks are of 512 here), hSyncEndBlock_* and hSyncEndBlockAndUpdateLength (there is
no flag that ends a block with a sync), testHFlushInterrupted (a coroutine is not interrupted).
"""

import pytest

from genstamp_dfs.errors import RetriableException
from genstamp_dfs.hdfs.client import DFSClient
from genstamp_dfs.hdfs.protocol import NAMENODE, Semantics
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, small_options

PATH = "/hflush.dat"
SECTION = 1_024
SECTIONS = 10


def read_beginning(scenario: Scenario, length: int) -> bytes:
    """What a new reader sees, as far as the writer has flushed."""
    data = scenario.read(PATH)
    assert len(data) >= length
    return data[:length]


@pytest.mark.parametrize("block_size", [1_024, 1_536, 4_096], ids=["hFlush_01", "hFlush_02", "hFlush_03"])
@pytest.mark.parametrize("sync", [False, True])
def test_each_section_is_visible_once_it_is_flushed(block_size: int, *, sync: bool) -> None:
    scenario = Scenario(2, options=small_options(client={"block_size": block_size, "replication": 2}))
    writer = scenario.client("writer")
    stream = scenario.run(writer, writer.create(PATH))
    for section in range(SECTIONS):
        scenario.run(writer, stream.write(pattern(1, section * SECTION, SECTION)))
        scenario.run(writer, stream.hsync() if sync else stream.hflush())
        length = (section + 1) * SECTION
        assert read_beginning(scenario, length) == pattern(1, 0, length)
    scenario.run(writer, stream.write(pattern(1, SECTIONS * SECTION, 1)))
    scenario.run(writer, stream.close())
    assert scenario.read(PATH) == pattern(1, 0, SECTIONS * SECTION + 1)
    assert len(scenario.file(PATH).blocks) == -(-(SECTIONS * SECTION + 1) // block_size)


@pytest.mark.parametrize(
    ("update_length", "known"),
    [(False, [100, 100, 100]), (True, [100, 300, 600])],
    ids=["hSync_00", "hSyncUpdateLength"],
)
def test_hsync_updates_the_length_at_the_namenode(*, update_length: bool, known: list[int]) -> None:
    """The first flush of a block tells its length anyway; later ones only if they are asked to."""
    scenario = Scenario()
    writer = scenario.client("writer")
    stream = scenario.run(writer, writer.create(PATH))
    lengths = []
    for num_bytes in (100, 200, 300):
        scenario.run(writer, stream.write(bytes(num_bytes)))
        scenario.run(writer, stream.hsync(update_length=update_length))
        lengths.append(scenario.file(PATH).size())
    assert lengths == known


@pytest.mark.parametrize("semantics", Semantics)
def test_after_a_restart_a_flush_waits_for_all_replicas_to_be_known_in_repaired_only(semantics: Semantics) -> None:
    """The hole hflush-waits-for-reports: a recovery would ask the two datanodes alone that the namenode has heard."""
    scenario = Scenario(options=small_options(semantics, datanode={"call_timeout_ms": 1_000}))
    writer = scenario.client("writer")
    stream = scenario.run(writer, writer.create(PATH))
    scenario.run(writer, stream.write(bytes(100_000)))
    scenario.until(lambda: stream.acknowledged > 0)
    scenario.crash(NAMENODE)
    scenario.cluster.network.part("datanode3", NAMENODE)
    scenario.cluster.start_namenode()
    scenario.advance(6)
    flush = scenario.start(writer, stream.hflush())
    scenario.advance(2)
    assert flush.is_done == (semantics is Semantics.HADOOP_3_4)
    assert len(scenario.last_block(PATH).expected_locations()) == 2
    scenario.cluster.network.heal()
    scenario.until(lambda: flush.is_done)
    flush.result()
    if semantics is Semantics.REPAIRED:
        assert len(scenario.last_block(PATH).expected_locations()) == 3


def test_a_flush_that_waits_too_long_fails_and_the_next_one_tells_the_length() -> None:
    scenario = Scenario()
    writer = scenario.client("writer")
    stream = scenario.run(writer, writer.create(PATH))
    scenario.run(writer, stream.write(bytes(100_000)))
    scenario.until(lambda: stream.acknowledged > 0)
    scenario.crash(NAMENODE)
    scenario.cluster.network.part("datanode3", NAMENODE)
    scenario.cluster.start_namenode()
    scenario.advance(6)
    with pytest.raises(RetriableException, match="datanode3 did not report"):
        scenario.run(writer, stream.hflush())
    scenario.cluster.network.heal()
    scenario.advance(60)
    scenario.run(writer, stream.hflush())
    assert scenario.file(PATH).size() == 100_000


def test_pipeline_heartbeat() -> None:
    """A writer that does nothing for many time-outs keeps its pipeline."""
    silence = {"socket_timeout_ms": 2_000}
    scenario = Scenario(2, options=small_options(datanode=silence, client={"replication": 2, **silence}))
    writer = scenario.client("writer")

    async def story(client: DFSClient) -> None:
        stream = await client.create(PATH)
        for number in range(3):
            await stream.write(pattern(1, number, 1))
            await stream.hflush()
            await client.runtime.sleep_us(30_000_000)
        await stream.close()

    scenario.run(writer, story(writer))
    assert scenario.read(PATH) == pattern(1, 0, 3)
    assert len(scenario.faults.attempts) == 1
