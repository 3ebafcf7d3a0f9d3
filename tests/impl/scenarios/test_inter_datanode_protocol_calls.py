"""Hadoop's TestInterDatanodeProtocol, as far as it goes over the network (facts K.2).

testInitReplicaRecovery and testUpdateReplicaUnderRecovery are in tests/impl/datanode/test_inter_datanode_protocol.py.

Left out: testBlockMetaDataInfoWithHostname (nodes have names only here).
"""

import pytest

from genstamp_dfs.errors import SocketTimeoutException
from genstamp_dfs.hdfs.datanode.datanode import DataNode
from genstamp_dfs.hdfs.messages.inter_datanode import InitReplicaRecovery, UpdateReplicaUnderRecovery
from genstamp_dfs.hdfs.protocol import RecoveringBlock, ReplicaRecoveryInfo, ReplicaState
from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, Work
from genstamp_dfs.world.times import SECOND_US

PATH = "/foo"
NUM_BYTES = 1_024


def cluster() -> tuple[Scenario, RecoveringBlock]:
    """A closed file, and the order to recover its block under the next stamp."""
    scenario = Scenario()
    client = scenario.client()

    async def write() -> None:
        stream = await client.create(PATH)
        await stream.write(pattern(1, 0, NUM_BYTES))
        await stream.close()

    scenario.run(client, write())
    scenario.until(lambda: {one.state for one in scenario.replicas(PATH).values()} == {ReplicaState.FINALIZED})
    block = scenario.last_block(PATH).as_block()
    return scenario, RecoveringBlock(block, scenario.datanodes, block.generation_stamp + 1)


def init(
    scenario: Scenario, caller: DataNode, to: str, order: RecoveringBlock, timeout_s: int = 60
) -> Work[ReplicaRecoveryInfo | None]:
    """A datanode asks another one to freeze its replica."""
    work: Work[ReplicaRecoveryInfo | None] = Work()
    call = caller.runtime.call(to, InitReplicaRecovery(order), timeout_us=timeout_s * SECOND_US)
    caller.runtime.spawn(work.follow(call), "init")
    scenario.until(lambda: work.is_done)
    return work


def test_block_meta_data_info() -> None:
    """Both calls, from one datanode to another: the replica is cut to half, under the new stamp."""
    scenario, order = cluster()
    caller = scenario.cluster.datanodes["datanode1"]
    info = init(scenario, caller, "datanode2", order).result()
    assert info is not None
    block = order.block
    assert (info.block_id, info.num_bytes, info.generation_stamp) == (block.block_id, NUM_BYTES, block.generation_stamp)
    assert scenario.replicas(PATH)["datanode2"].state is ReplicaState.RUR
    update: Work[str] = Work()
    request = UpdateReplicaUnderRecovery(block, order.recovery_id, block.block_id, NUM_BYTES // 2)
    caller.runtime.spawn(update.follow(caller.runtime.call("datanode2", request)), "update")
    scenario.until(lambda: update.is_done)
    assert update.result()
    cut = scenario.cluster.datanodes["datanode2"].dataset.replicas[block.block_id]
    assert (cut.state, cut.num_bytes) == (ReplicaState.FINALIZED, NUM_BYTES // 2)
    assert cut.generation_stamp == order.recovery_id
    assert scenario.replicas(PATH)["datanode1"].num_bytes == NUM_BYTES


def test_inter_dn_protocol_timeout() -> None:
    """A datanode that does not answer costs no more than the time that was given."""
    scenario, order = cluster()
    scenario.cluster.network.part("datanode1", "datanode2")
    began_s = scenario.now_s
    work = init(scenario, scenario.cluster.datanodes["datanode1"], "datanode2", order, timeout_s=2)
    with pytest.raises(SocketTimeoutException):
        work.result()
    # The runtime tries a call three times, with a pause of up to a second.
    assert 6 <= scenario.now_s - began_s <= 9
