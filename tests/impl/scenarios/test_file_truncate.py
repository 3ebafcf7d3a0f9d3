"""Hadoop's TestFileTruncate, over a whole simulated cluster (facts K.4).

Left out: snapshots (testSnapshot*, testTruncatewithRenameandSnapshot, testConcatOnInodeRefernce), quotas
(testQuota*), upgrades (testUpgradeAndRestart, testTruncateWithRollingUpgrade), the shell (testTruncateShellCommand*),
symbolic links (testTruncate4Symlink). The fields of a truncated block (testTruncateRecovery) are looked at in
tests/impl/namenode.
"""

import pytest

from genstamp_dfs.hdfs.messages.client_protocol import Truncate
from genstamp_dfs.hdfs.protocol import Limits, ReplicaState
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, small_options

PATH = "/file"
BLOCK_SIZE = 1_024
LIMITS = Limits(soft_limit_ms=60_000, hard_limit_ms=120_000, recovery_gate_ms=10_000)


def cluster(datanodes: int = 3, *, copies: bool = False) -> Scenario:
    """Small blocks; reports are full ones every minute."""
    options = small_options(
        limits=LIMITS,
        namenode={"copy_on_truncate": copies},
        datanode={"block_report_interval_ms": 60_000},
        client={"block_size": BLOCK_SIZE},
    )
    return Scenario(datanodes, options=options)


def write(scenario: Scenario, num_bytes: int) -> None:
    """A closed file of so many bytes."""
    client = scenario.cluster.clients.get("client") or scenario.client("client")

    async def story() -> None:
        stream = await client.create(PATH, overwrite=True)
        await stream.write(pattern(1, 0, num_bytes))
        await stream.close()

    scenario.run(client, story())


def truncate(scenario: Scenario, new_length: int, path: str = PATH) -> bool:
    """truncate() by the client that wrote."""
    client = scenario.cluster.clients["client"]
    return scenario.run(client, client.ask(Truncate(path, new_length, "client")))


def settle(scenario: Scenario) -> None:
    """Wait until the file is closed, and all replicas of its last block are as they should be."""

    def is_settled() -> bool:
        if not scenario.is_closed(PATH):
            return False
        block = scenario.last_block(PATH).as_block()
        replicas = scenario.replicas(PATH).values()
        return len(replicas) == 3 and all(
            replica.block() == block and replica.state is ReplicaState.FINALIZED for replica in replicas
        )

    scenario.until(is_settled)


@pytest.mark.parametrize("copies", [False, True])
def test_basic_truncate(*, copies: bool) -> None:
    """Done at once iff nothing is cut inside a block; the file has its new length in the end."""
    scenario = cluster(copies=copies)
    old_length = 2 * BLOCK_SIZE + 300
    for new_length in (0, 1, BLOCK_SIZE - 1, BLOCK_SIZE, BLOCK_SIZE + 513, 2 * BLOCK_SIZE, old_length - 1, old_length):
        write(scenario, old_length)
        ready = truncate(scenario, new_length)
        assert ready == (new_length == old_length or new_length % BLOCK_SIZE == 0)
        scenario.until(lambda: scenario.is_closed(PATH))
        assert scenario.read(PATH) == pattern(1, 0, new_length)


def test_truncate_with_other_operations() -> None:
    """Truncate and append in turn: what is read is what the operations left."""
    scenario = cluster()
    write(scenario, 1_500)
    client = scenario.cluster.clients["client"]
    expected = pattern(1, 0, 1_500)
    for cut in (1_300, 1_250, 700):
        truncate(scenario, cut)
        scenario.until(lambda: scenario.is_closed(PATH))

        async def append() -> None:
            stream = await client.append(PATH)
            await stream.write(b"x" * 300)
            await stream.close()

        scenario.run(client, append())
        expected = expected[:cut] + b"x" * 300
        assert scenario.read(PATH) == expected


@pytest.mark.parametrize("copies", [False, True], ids=["InPlace", "Copy"])
@pytest.mark.parametrize("when", ["down before", "restarts at once", "dies at once"])
def test_truncate_with_datanodes(when: str, *, copies: bool) -> None:
    """In place the block keeps its id, a copy has another; a node that was away gets its replica later.

    testTruncateWithDataNodesRestart, testCopyOnTruncateWithDataNodesRestart, -RestartImmediately, -ShutdownImmediately.
    """
    scenario = cluster(copies=copies)
    write(scenario, 1_000)
    old = scenario.last_block(PATH).as_block()
    victims = scenario.datanodes[:2] if when == "dies at once" else scenario.datanodes[:1]
    if when == "down before":
        scenario.crash(victims[0])
        truncate(scenario, 600)
        scenario.advance(5)
        scenario.restart_datanode(victims[0])
    else:
        truncate(scenario, 600)
        for node in victims:
            scenario.crash(node)
        if when == "dies at once":
            scenario.until(lambda: scenario.is_closed(PATH))
        for node in victims:
            scenario.restart_datanode(node)
    settle(scenario)
    new = scenario.last_block(PATH)
    assert (new.block_id == old.block_id) is not copies
    assert new.generation_stamp > old.generation_stamp
    assert scenario.read(PATH) == pattern(1, 0, 600)
