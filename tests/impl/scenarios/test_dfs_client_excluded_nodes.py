"""Hadoop's TestDFSClientExcludedNodes: a datanode that could not take a block is asked again later."""

import pytest

from genstamp_dfs.simulation.ledger import pattern
from genstamp_dfs.simulation.scenario import Scenario, small_options

PATH = "/forgiving"
BLOCK = 2 * 512


@pytest.mark.parametrize(
    ("wait_s", "nodes"), [(500, {"datanode1"}), (650, {"datanode1", "datanode2"})], ids=["too early", "forgiven"]
)
def test_excluded_nodes_forgiveness(wait_s: int, nodes: set[str]) -> None:
    """testExcludedNodesForgiveness: after ten minutes a datanode that was down is in a pipeline again."""
    scenario = Scenario(datanodes=2, options=small_options(client={"block_size": BLOCK, "replication": 2}))
    client = scenario.client("writer")
    stream = scenario.run(client, client.create(PATH))

    def write_block(number: int) -> set[str]:
        scenario.run(client, stream.write(pattern(1, number * BLOCK, BLOCK)))
        scenario.run(client, stream.hflush())
        return set(stream.streamer.pipeline.nodes)

    assert write_block(0) == {"datanode1", "datanode2"}
    scenario.crash("datanode2")
    assert write_block(1) == {"datanode1"}
    scenario.restart_datanode("datanode2")
    assert write_block(2) == {"datanode1"}
    scenario.advance(wait_s)
    assert write_block(3) == nodes
    scenario.run(client, stream.close())
    assert scenario.read(PATH) == pattern(1, 0, 4 * BLOCK)
