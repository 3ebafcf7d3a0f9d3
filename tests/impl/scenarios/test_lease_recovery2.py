"""Hadoop's TestLeaseRecovery2, over a whole simulated cluster (facts K.1).

A writer whose renewer has stopped is one that is parted from the namenode: it lives, and does not know.
"""

import pytest
from tests.impl.scenarios.stories import begin

from genstamp_dfs.errors import AlreadyBeingCreatedException, HdfsIOException, RecoveryInProgressException
from genstamp_dfs.hdfs.client import DFSClient, DFSOutputStream
from genstamp_dfs.hdfs.messages.client_protocol import Mkdirs, Rename
from genstamp_dfs.hdfs.protocol import INTERNAL_LEASE_HOLDER, NAMENODE, Limits
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, small_options

PATH = "/foo"
SHORT_SOFT = Limits(soft_limit_ms=1_000, hard_limit_ms=3_600_000)
SHORT_HARD = Limits(soft_limit_ms=1_000, hard_limit_ms=5_000)
NUM_BYTES = 1_535


def stop_renewing(scenario: Scenario) -> None:
    """The writer does not reach the namenode any more."""
    scenario.cluster.network.part("writer", NAMENODE)


def create_again(scenario: Scenario, other: DFSClient) -> DFSOutputStream:
    """Another client creates the file anew as often as it takes; only two refusals are accepted meanwhile."""
    for _ in range(30):
        try:
            return scenario.run(other, other.create(PATH, overwrite=False))
        except (AlreadyBeingCreatedException, RecoveryInProgressException):
            scenario.advance(1)
        except HdfsIOException as refusal:
            if refusal.hadoop_name == "FileAlreadyExistsException":
                raise
            raise AssertionError(f"create was refused with {refusal.hadoop_name}") from refusal
    raise AssertionError(f"{PATH} was not recovered")


def test_immediate_recovery_of_lease_by_create_past_the_soft_limit() -> None:
    scenario = Scenario(options=small_options(limits=SHORT_SOFT))
    begin(scenario, PATH, NUM_BYTES)
    stop_renewing(scenario)
    scenario.advance(2)
    other = scenario.client("other")
    with pytest.raises(HdfsIOException, match="exists"):
        create_again(scenario, other)
    assert scenario.is_closed(PATH)
    assert scenario.read(PATH) == pattern(1, 0, NUM_BYTES)


@pytest.mark.parametrize("by_writer", [False, True])
def test_immediate_recovery_of_lease_by_recover_lease(*, by_writer: bool) -> None:
    """With long limits; the second file of the same writer is not touched."""
    scenario = Scenario()
    begin(scenario, PATH, NUM_BYTES)
    second = begin(scenario, "/bar", NUM_BYTES)
    asking = second.client if by_writer else scenario.client("other")

    def recover() -> bool:
        return scenario.run(asking, asking.recover_lease(PATH))

    assert not recover()
    scenario.until(lambda: scenario.is_closed(PATH), limit_s=30)
    assert recover()
    assert scenario.read(PATH) == pattern(1, 0, NUM_BYTES)

    async def go_on() -> None:
        await second.write(pattern(1, NUM_BYTES, 100))
        await second.close()

    scenario.run(second.client, go_on())
    assert scenario.read("/bar") == pattern(1, 0, NUM_BYTES + 100)


def test_close_while_recover_lease() -> None:
    """close() meets the recovery, and fails; no byte that was flushed is missing (HDFS-10240)."""
    scenario = Scenario()
    stream = begin(scenario, PATH, NUM_BYTES)
    other = scenario.client("other")
    assert not scenario.run(other, other.recover_lease(PATH))
    with pytest.raises(HdfsIOException):
        scenario.run(stream.client, stream.close())
    scenario.until(lambda: scenario.is_closed(PATH))
    assert scenario.read(PATH) == pattern(1, 0, NUM_BYTES)


def test_hard_lease_recovery() -> None:
    """The monitor closes the file with what was flushed; the old writer, back again, cannot go on."""
    scenario = Scenario(options=small_options(limits=SHORT_HARD))
    stream = begin(scenario, PATH, NUM_BYTES)
    stop_renewing(scenario)
    scenario.until(lambda: scenario.is_closed(PATH), limit_s=30)
    assert scenario.file(PATH).size() == NUM_BYTES
    scenario.cluster.network.heal()

    async def go_on() -> None:
        await stream.write(b"more")
        await stream.hflush()

    with pytest.raises(HdfsIOException):
        scenario.run(stream.client, go_on())
    assert scenario.read(PATH) == pattern(1, 0, NUM_BYTES)


@pytest.mark.parametrize("renames", [False, True], ids=["", "WithRename"])
@pytest.mark.parametrize("num_bytes", [512 * 2, NUM_BYTES])
def test_hard_lease_recovery_after_namenode_restart(num_bytes: int, *, renames: bool) -> None:
    """The namenode holds the file and restarts before the datanodes have recovered it: it goes on holding it."""
    scenario = Scenario(options=small_options(limits=SHORT_HARD))
    stream = begin(scenario, PATH, num_bytes)
    path = PATH
    if renames:
        path = "/dir/foo"
        scenario.run(stream.client, stream.client.ask(Mkdirs("/dir")))
        scenario.run(stream.client, stream.client.ask(Rename(PATH, path)))
    for node in scenario.datanodes:
        for other in (NAMENODE, *scenario.datanodes):
            if other != node:
                scenario.cluster.network.part(node, other)
    stop_renewing(scenario)
    scenario.until(lambda: (scenario.file(path).client_name or "").startswith(INTERNAL_LEASE_HOLDER))
    scenario.crash(NAMENODE)
    scenario.cluster.start_namenode()
    holder = scenario.file(path).client_name
    assert holder is not None
    assert holder.startswith(INTERNAL_LEASE_HOLDER)
    scenario.cluster.network.heal()
    with pytest.raises(HdfsIOException):
        scenario.run(stream.client, stream.close())
    scenario.until(lambda: scenario.is_closed(path))
    assert scenario.read(path) == pattern(1, 0, num_bytes)
