"""append() (facts E.2, E.3, A.4; TestFileAppend, TestFileAppend4)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    AlreadyBeingCreatedException,
    FileAlreadyExistsException,
    FileNotFoundException,
    HdfsIOException,
    RecoveryInProgressException,
)
from genstamp_dfs.hdfs.messages.client_protocol import Append, CreateFlag, Mkdirs
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, Semantics

NEW_BLOCK = CreateFlag.APPEND | CreateFlag.NEW_BLOCK


def append(bench: Any, client: str = "client2", flag: CreateFlag = CreateFlag.APPEND) -> Any:
    return bench.ask(Append("/f", client, flag), client)


def test_append_opens_the_last_block_with_its_old_stamp_and_length(bench: Any) -> None:
    block = bench.write_closed()
    answer = append(bench)
    assert (answer.block.block, sorted(answer.block.locations)) == (block, ["a", "b", "c"])
    assert (answer.status.length, bench.holders()) == (3, {"client2": ["/f"]})
    assert bench.last().state is BlockUCState.UNDER_CONSTRUCTION
    assert bench.blocks.block_ids.generation_stamp == 1001


def test_append_to_a_full_block_or_an_empty_file_gives_no_block(bench: Any) -> None:
    bench.write_closed(length=10)
    assert append(bench).block is None
    assert bench.last().is_complete
    bench.create("/g")
    bench.complete("/g")
    assert bench.ask(Append("/g", "client1")).block is None


def test_append_with_a_new_block_leaves_the_last_one_and_tells_no_locations(bench: Any) -> None:
    """TestFileAppend3#...ForAppend2: the next addBlock commits nothing, and adds."""
    block = bench.write_closed()
    answer = append(bench, flag=NEW_BLOCK)
    assert (answer.block.block, answer.block.locations) == (block, ())
    assert bench.last().is_complete
    assert bench.add_block(client="client2", previous=block).offset == 3


def test_append_to_what_is_no_closed_file_is_refused(bench: Any) -> None:
    with bench.refused(FileNotFoundException):
        append(bench)
    bench.ask(Mkdirs("/f"))
    with bench.refused(FileAlreadyExistsException, "directory"):
        append(bench)


@pytest.mark.parametrize("client", ["client1", "client2"])
def test_append_to_an_open_file_is_refused_to_its_holder_too(bench: Any, client: str) -> None:
    """TestFileAppend#testAppendTwice, #testAppend2Twice."""
    bench.write()
    with bench.refused(AlreadyBeingCreatedException, "Failed to APPEND_FILE"):
        append(bench, client)


def test_append_past_the_soft_limit_goes_on_if_there_is_nothing_to_recover(bench: Any) -> None:
    """HDFS-2994."""
    bench.create()
    bench.pass_ms(60_001)
    append(bench)
    assert bench.holders() == {"client2": ["/f"]}


def test_append_past_the_soft_limit_starts_a_recovery_and_succeeds_after_it(bench: Any) -> None:
    """TestFileAppend#testAppendAfterSoftLimit."""
    block = bench.write()
    bench.pass_ms(60_001)
    with pytest.raises(RecoveryInProgressException):
        append(bench)
    bench.commit(block, 1002, 3)
    assert append(bench).block.block.generation_stamp == 1002


def test_append_to_a_block_without_replicas_is_refused(bench: Any) -> None:
    """TestFileAppend4#testAppendInsufficientLocations (HDFS-6325): the file stays closed."""
    bench.write_closed(datanodes="a")
    remove_datanode(bench.namesystem, "a")
    with bench.refused(HdfsIOException, "not sufficiently replicated"):
        append(bench)


@pytest.mark.parametrize("semantics", Semantics)
def test_append_while_no_datanode_is_live(new_bench: Any, semantics: Semantics) -> None:
    """The hole append-needs-a-live-replica: the least replication is compared with the number of live datanodes."""
    bench = new_bench(semantics=semantics)
    bench.write_closed(datanodes="a")
    for datanode in list(bench.namesystem.datanode_manager.datanodes):
        remove_datanode(bench.namesystem, datanode)
    if semantics is Semantics.REPAIRED:
        with bench.refused(HdfsIOException, "not sufficiently replicated"):
            append(bench)
    else:
        assert append(bench).block.locations == ()


def test_append_takes_back_orders_to_delete_a_replica_of_the_block(bench: Any) -> None:
    block = bench.write_closed()
    bench.namesystem.datanode_manager.datanodes["a"].invalidate_blocks[block.block_id] = block
    append(bench)
    assert bench.namesystem.datanode_manager.datanodes["a"].invalidate_blocks == {}


@pytest.mark.parametrize("semantics", Semantics)
def test_an_excess_replica_that_becomes_part_of_the_pipeline(new_bench: Any, semantics: Semantics) -> None:
    """The hole excess-outlives-reopening: it never counts again, and the file cannot be closed."""
    bench = new_bench(semantics=semantics)
    block = bench.write_closed(datanodes="a")
    bench.last().excess.add("a")
    bench.last().stored["b"] = block.generation_stamp
    append(bench)
    assert bench.last().excess == (set() if semantics is Semantics.REPAIRED else {"a"})


@pytest.mark.parametrize("semantics", Semantics)
def test_a_replica_that_is_known_to_be_corrupt_is_no_location_of_what_is_appended(
    new_bench: Any, semantics: Semantics
) -> None:
    """Found by simulation (seed 4158): one that is stale refuses each recovery, and the file stays open."""
    bench = new_bench("abc", semantics=semantics)
    block = bench.write_closed(datanodes="ab")
    bench.received(Block(block.block_id, block.generation_stamp, 2), "c")
    assert "c" in bench.last().corrupt
    append(bench)
    expected = {"a", "b"} if semantics is Semantics.REPAIRED else {"a", "b", "c"}
    assert set(bench.last().expected_locations()) == expected
