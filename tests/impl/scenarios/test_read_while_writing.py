"""Hadoop's TestReadWhileWriting: readers of a file that is written, and that another writer takes over (facts K.3)."""

from genstamp_dfs.errors import AlreadyBeingCreatedException, RecoveryInProgressException
from genstamp_dfs.hdfs.client import DFSClient, DFSOutputStream
from genstamp_dfs.hdfs.protocol import NAMENODE, Limits
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, small_options

PATH = "/foo"
BLOCK_SIZE = 8_192
HALF = BLOCK_SIZE // 2


def append(scenario: Scenario, client: DFSClient) -> DFSOutputStream:
    """Append as soon as the recovery is over: at most ten tries, a second apart."""
    for _ in range(10):
        try:
            return scenario.run(client, client.append(PATH))
        except (RecoveryInProgressException, AlreadyBeingCreatedException):
            scenario.advance(1)
    raise AssertionError(f"{PATH} could not be appended to")


def test_pipeline_02_03() -> None:
    options = small_options(
        limits=Limits(soft_limit_ms=500, hard_limit_ms=600_000),
        namenode={"heartbeat_interval_ms": 1_000},
        datanode={"heartbeat_interval_ms": 1_000},
        client={"block_size": BLOCK_SIZE},
    )
    scenario = Scenario(4, options=options)
    writer = scenario.client("writer")

    async def write_half() -> None:
        stream = await writer.create(PATH)
        await stream.write(pattern(1, 0, HALF))
        await stream.hflush()
        await stream.write(b"not flushed")

    scenario.run(writer, write_half())
    assert scenario.read(PATH) == pattern(1, 0, HALF)

    scenario.cluster.network.part("writer", NAMENODE)
    scenario.advance(1)
    other = scenario.client("other")
    stream = append(scenario, other)

    async def write_rest() -> None:
        await stream.write(pattern(1, HALF, HALF))
        await stream.close()

    scenario.run(other, write_rest())
    assert scenario.read(PATH) == pattern(1, 0, BLOCK_SIZE)
    assert len(scenario.file(PATH).blocks) == 1
