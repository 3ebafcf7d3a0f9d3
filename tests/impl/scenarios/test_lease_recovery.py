"""Hadoop's TestLeaseRecovery, over a whole simulated cluster (facts K.1).

Left out: testLeaseRecoveryAndAppendWithViewDFS (no mount tables).
"""

import random

import pytest
from tests.impl.scenarios.stories import begin, recover_lease

from genstamp_dfs.errors import AlreadyBeingCreatedException
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.client_protocol import AddBlock, Complete
from genstamp_dfs.hdfs.protocol import NAMENODE, Limits, ReplicaState
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, small_options

PATH = "/foo"
HARD_EXPIRY = Limits(soft_limit_ms=1_000, hard_limit_ms=5_000)


def check_replicas(scenario: Scenario) -> list[Replica]:
    """All replicas of the last block are finalized and as the namenode knows them; gives them."""
    block = scenario.last_block(PATH).as_block()
    replicas = list(scenario.replicas(PATH).values())
    assert {replica.block() for replica in replicas} == {block}
    assert {replica.state for replica in replicas} == {ReplicaState.FINALIZED}
    return replicas


@pytest.mark.parametrize("seed", range(3))
def test_block_synchronization(seed: int) -> None:
    """Replicas of an open block have lost bytes at their nodes: all end with one stamp and one length."""
    scenario = Scenario(options=small_options(limits=HARD_EXPIRY), seed=seed)
    begin(scenario, PATH, 3_000, closes=True)
    appender = scenario.client("appender")
    scenario.run(appender, appender.append(PATH))
    scenario.crash("appender")
    lengths = []
    dice = random.Random(seed)
    for node in scenario.datanodes:
        dataset = scenario.cluster.datanodes[node].dataset
        replica = dataset.replicas[scenario.last_block(PATH).block_id]
        length = dice.randrange(1, replica.num_bytes)
        lengths.append(length)
        dataset.files.cut(replica, length)
        scenario.crash(node)
        scenario.restart_datanode(node)
    scenario.until(lambda: scenario.is_closed(PATH))
    scenario.advance(60)
    block = scenario.last_block(PATH)
    replicas = check_replicas(scenario)
    assert {replica.num_bytes for replica in replicas} == {block.num_bytes}
    assert scenario.read(PATH) == pattern(1, 0, block.num_bytes)


def test_block_recovery_with_less_metafile() -> None:
    """The last checksum of the only replica is missing: the file closes with what the others cover."""
    scenario = Scenario(1, options=small_options(client={"replication": 1}))
    begin(scenario, PATH, 4 * 512 + 100)
    scenario.crash("writer")
    replica = scenario.replicas(PATH)["datanode1"]
    files = scenario.cluster.datanodes["datanode1"].dataset.files
    meta = files.meta_path(replica)
    scenario.crash("datanode1")
    disk = scenario.cluster.machines["datanode1"].disk
    del disk.files[meta].data[-4:]
    scenario.restart_datanode("datanode1")
    assert scenario.replicas(PATH)["datanode1"].state is ReplicaState.RWR
    recover_lease(scenario, PATH, 15)
    assert scenario.last_block(PATH).num_bytes == 4 * 512
    assert scenario.read(PATH) == pattern(1, 0, 4 * 512)


def test_block_recovery_retry_after_failed_recovery() -> None:
    """One replica has lost its meta file, and fails each recovery: the others do without it (HDFS-12070)."""
    scenario = Scenario(options=small_options(limits=Limits(recovery_gate_ms=3_000)))
    begin(scenario, PATH, 1_000)
    scenario.crash("writer")
    broken = scenario.cluster.datanodes["datanode2"].dataset
    replica = broken.replicas[scenario.last_block(PATH).block_id]
    broken.finalize_block(replica.block())
    broken.files.disk.remove(broken.files.meta_path(replica))
    recover_lease(scenario, PATH, 15, pause_s=4)
    assert scenario.read(PATH) == pattern(1, 0, 1_000)
    good = {node: one for node, one in scenario.replicas(PATH).items() if node != "datanode2"}
    assert {one.block() for one in good.values()} == {scenario.last_block(PATH).as_block()}


def test_lease_recovery_and_append() -> None:
    """A writer stops without close; another client takes the file and appends."""
    scenario = Scenario()
    begin(scenario, PATH, 1_000)
    recover_lease(scenario, PATH, 10)
    other = scenario.client("other")

    async def append() -> None:
        stream = await other.append(PATH)
        await stream.write(pattern(1, 1_000, 500))
        await stream.close()

    scenario.run(other, append())
    assert scenario.read(PATH) == pattern(1, 0, 1_500)


def commit_empty_block(scenario: Scenario) -> None:
    """A block is allocated, nothing is written, and complete() commits it (HDFS-14498); its client is gone."""
    writer = scenario.client("writer")

    async def story() -> None:
        stream = await writer.create(PATH)
        located = await writer.ask(AddBlock(PATH, "writer", file_id=stream.file_id))
        assert not await writer.ask(Complete(PATH, "writer", located.block, stream.file_id))

    scenario.run(writer, story())
    scenario.crash("writer")


def test_lease_recovery_empty_committed_last_block() -> None:
    scenario = Scenario()
    commit_empty_block(scenario)
    other = scenario.client("other")
    with pytest.raises(AlreadyBeingCreatedException, match="currently owned by writer"):
        scenario.run(other, other.append(PATH))
    assert recover_lease(scenario, PATH, 10) > 1
    assert scenario.file(PATH).blocks == []
    stream = scenario.run(other, other.append(PATH))
    scenario.run(other, stream.close())


def test_lease_manager_recovers_committed_last_block_with_content() -> None:
    """Committed with one byte, and all its nodes out of reach until the lease has expired (HDFS-15725)."""
    scenario = Scenario(options=small_options(limits=HARD_EXPIRY))
    stream = begin(scenario, PATH, 1)
    for node in scenario.datanodes:
        scenario.cluster.network.part(node, NAMENODE)
    writer = stream.client
    work = scenario.start(writer, stream.close())
    scenario.until(lambda: all(one.state is ReplicaState.FINALIZED for one in scenario.replicas(PATH).values()))
    scenario.crash("writer")
    assert not work.is_done
    scenario.advance(10)
    assert not scenario.is_closed(PATH)
    scenario.cluster.network.heal()
    scenario.until(lambda: scenario.is_closed(PATH))
    # The first primary that registers again leads the recovery; the append needs the others as well.
    scenario.until(lambda: len(scenario.last_block(PATH).stored) == len(scenario.datanodes))
    other = scenario.client("other")

    async def append() -> None:
        appended = await other.append(PATH)
        await appended.write(pattern(1, 1, 1))
        await appended.close()

    scenario.run(other, append())
    assert scenario.read(PATH) == pattern(1, 0, 2)
