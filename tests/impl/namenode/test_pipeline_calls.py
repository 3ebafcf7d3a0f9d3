"""updateBlockForPipeline() and updatePipeline() (facts E.6, E.7; TestClientProtocolForPipelineRecovery)."""

from typing import Any

import pytest

from genstamp_dfs.errors import HdfsIOException, LeaseExpiredException
from genstamp_dfs.hdfs.messages.client_protocol import (
    Delete,
    UpdateBlockForPipeline,
    UpdatePipeline,
)
from genstamp_dfs.hdfs.messages.datanode_protocol import ReceivedStatus
from genstamp_dfs.hdfs.protocol import Block


def new_stamp(bench: Any, block: Block, client: str = "client1") -> Block:
    answer: Block = bench.ask(UpdateBlockForPipeline(block, client)).block
    return answer


def update(bench: Any, old: Block, new: Block, nodes: str = "ab", client: str = "client1") -> None:
    bench.ask(UpdatePipeline(client, old, new, tuple(nodes)))


def opened(bench: Any) -> Block:
    """/f with a block that is being written."""
    bench.create()
    block: Block = bench.add_block().block
    return block


def test_a_new_stamp_is_given_out_each_time_and_the_stored_block_keeps_its_own(bench: Any) -> None:
    """TestClientProtocolForPipelineRecovery#testGetNewStamp."""
    block = opened(bench)
    assert new_stamp(bench, block) == Block(block.block_id, 1002, 0)
    assert new_stamp(bench, block) == Block(block.block_id, 1003, 0)
    assert bench.last().generation_stamp == 1001


def same_pipeline(bench: Any, block: Block, client: str = "client1") -> None:
    update(bench, block, block, "ab", client)


@pytest.mark.parametrize("ask", [new_stamp, same_pipeline])
def test_check_uc_block(bench: Any, ask: Any) -> None:
    """Facts E.6: its checks in order."""
    block = opened(bench)
    with bench.refused(HdfsIOException, "does not exist"):
        ask(bench, Block(7, 1001, 0))
    with bench.refused(LeaseExpiredException, "non lease holder client2"):
        ask(bench, block, client="client2")


@pytest.mark.parametrize("state", ["COMMITTED", "COMPLETE", "UNDER_RECOVERY"])
def test_only_a_block_under_construction_gets_a_new_stamp(bench: Any, state: str) -> None:
    """HDFS-1555."""
    block = bench.write(datanodes="" if state == "COMMITTED" else "a")
    if state == "UNDER_RECOVERY":
        bench.recover_lease(client="client1")
    else:
        bench.complete(last=block)
    assert bench.last().state == state
    with bench.refused(HdfsIOException, f"Unexpected BlockUCState: .* {state}"):
        new_stamp(bench, block)


def test_a_block_of_a_deleted_file_gets_no_new_stamp(bench: Any) -> None:
    """HDFS-6647; the block is still in the map."""
    block = opened(bench)
    bench.ask(Delete("/f"))
    assert block.block_id in bench.blocks.blocks
    with bench.refused(HdfsIOException, "does not exist or is not under construction"):
        new_stamp(bench, block)


def test_update_pipeline_installs_stamp_length_and_locations(bench: Any) -> None:
    block = opened(bench)
    update(bench, block, Block(block.block_id, 1002, 5), "ca")
    assert (bench.last().as_block(), bench.last().expected_locations()) == (
        Block(block.block_id, 1002, 5),
        ("c", "a"),
    )
    bench.start()
    assert bench.last().as_block() == Block(block.block_id, 1002, 5)


def test_update_pipeline_drops_replicas_of_another_stamp_and_skips_unknown_nodes(bench: Any) -> None:
    """HDFS-12299."""
    block = opened(bench)
    bench.received(Block(block.block_id, 1001, 5), "b")
    bench.received(Block(block.block_id, 1002, 5), "c")
    update(bench, block, Block(block.block_id, 1002, 5), "cx")
    assert (bench.last().stored, bench.last().expected_locations()) == ({"c": 1002}, ("c",))


@pytest.mark.parametrize(("stamp", "num_bytes"), [(1001, 5), (1000, 5), (1002, 4)])
def test_update_pipeline_to_an_older_or_shorter_block_is_refused(bench: Any, stamp: int, num_bytes: int) -> None:
    block = opened(bench)
    bench.last().num_bytes = 5
    with bench.refused(HdfsIOException, "to an older block"):
        update(bench, block, Block(block.block_id, stamp, num_bytes))


def test_a_repeated_update_pipeline_is_answered_from_the_cache(bench: Any) -> None:
    """HDFS-5299; without the client's id it is refused."""
    block = opened(bench)
    request = UpdatePipeline("client1", block, Block(block.block_id, 1002, 5), ("a",))
    bench.ask(request, "client1", b"c", 3)
    bench.ask(request, "client1", b"c", 3)
    with bench.refused(HdfsIOException, "to an older block"):
        bench.ask(request)


def test_a_replica_that_registers_again_in_the_middle_is_expected(bench: Any) -> None:
    """TestClientProtocolForPipelineRecovery#testUpdatePipeLineAfterDNReg."""
    block = opened(bench)
    bench.register("a")
    update(bench, block, Block(block.block_id, 1002, 0), "ab")
    bench.received(Block(block.block_id, 1002, 0), "a", ReceivedStatus.RECEIVING)
    assert bench.last().expected_locations() == ("a", "b")


def test_a_pipeline_without_datanodes_leaves_the_locations_as_they_are(bench: Any) -> None:
    block = opened(bench)
    before = bench.last().expected_locations()
    fresh = new_stamp(bench, block)
    update(bench, block, fresh, "")
    assert (bench.last().expected_locations(), bench.last().generation_stamp) == (before, fresh.generation_stamp)


def test_an_answer_about_a_block_alone_does_not_say_where_it_is_in_the_file(bench: Any) -> None:
    answer = bench.ask(UpdateBlockForPipeline(opened(bench), "client1"))
    assert answer.offset == -1
