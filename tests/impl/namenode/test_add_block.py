"""addBlock(), abandonBlock(), getAdditionalDatanode() (facts E.5, E.8, E.13; TestAddBlockRetry, TestAbandonBlock)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    FileNotFoundException,
    HdfsIOException,
    LeaseExpiredException,
    NotReplicatedYetException,
    UnsupportedOperationException,
)
from genstamp_dfs.hdfs.messages.client_protocol import (
    AbandonBlock,
    AddBlock,
    Append,
    Delete,
    GetAdditionalDatanode,
    Mkdirs,
    Rename,
)
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, Semantics


def test_add_block_gives_a_new_id_a_new_stamp_and_a_pipeline(bench: Any) -> None:
    bench.create()
    located = bench.add_block()
    assert located.block == Block(2**30 + 1, 1001, 0)
    assert sorted(located.locations) == ["a", "b", "c"]
    assert bench.last().state is BlockUCState.UNDER_CONSTRUCTION


def test_the_writers_own_datanode_comes_first(bench: Any) -> None:
    for number in range(5):
        bench.create(f"/{number}", "b")
        assert bench.add_block(f"/{number}", "b").locations[0] == "b"


def test_excluded_datanodes_are_not_chosen(bench: Any) -> None:
    bench.create()
    located = bench.ask(AddBlock("/f", "client1", excluded=("a", "c")))
    assert located.locations == ("b",)


def test_no_more_datanodes_than_replicas_are_chosen(bench: Any) -> None:
    bench.create(replication=2)
    assert len(bench.add_block().locations) == 2


def test_add_block_without_targets_is_refused(new_bench: Any) -> None:
    bench = new_bench(datanodes="")
    bench.create()
    with bench.refused(HdfsIOException, "0 of the 1 minReplication nodes. There are 0 datanode"):
        bench.add_block()


def test_add_block_repeated_gives_the_same_block(bench: Any) -> None:
    """HDFS-4452."""
    bench.create()
    first = bench.add_block()
    assert bench.add_block() == first
    second = bench.add_block(previous=first.block)
    assert bench.add_block(previous=first.block) == second
    assert bench.blocks.block_ids.generation_stamp == 1002


def test_add_block_repeated_is_answered_although_the_previous_block_is_only_committed(bench: Any) -> None:
    """HDFS-9690."""
    bench.create()
    first = bench.add_block()
    bench.add_block(previous=first.block)
    assert bench.inode().blocks[0].state is BlockUCState.COMMITTED
    bench.add_block(previous=first.block)


def test_add_block_repeated_after_a_restart_gives_the_block_locations(bench: Any) -> None:
    """TestAddBlockRetry#testAddBlockRetryShouldReturnBlockWithLocations (HDFS-5257)."""
    bench.create()
    first = bench.add_block()
    bench.start()
    bench.leave_safe_mode()
    bench.register("b")
    again = bench.add_block()
    assert (again.block, again.locations) == (first.block, ("b",))


def test_add_block_repeated_after_the_block_has_bytes_is_refused(bench: Any) -> None:
    block = bench.write(datanodes="")
    bench.complete(last=block)
    with bench.refused(HdfsIOException, "looked like a retry"):
        bench.add_block()


def test_add_block_with_another_previous_block_is_refused(bench: Any) -> None:
    block = bench.write()
    with bench.refused(HdfsIOException, "does not match the actual last block"):
        bench.add_block(previous=Block(block.block_id, 1, 3))
    with bench.refused(HdfsIOException, "does not match the actual last block"):
        bench.add_block(previous=Block(7, block.generation_stamp, 3))


def test_add_block_commits_the_previous_one_and_waits_for_the_one_before(bench: Any) -> None:
    """HDFS-5558."""
    first = bench.write(datanodes="")
    second = bench.add_block(previous=first).block
    assert [block.state for block in bench.inode().blocks] == ["COMMITTED", "UNDER_CONSTRUCTION"]
    with bench.refused(NotReplicatedYetException, "Not replicated yet"):
        bench.add_block(previous=second)
    bench.received(first, "a")
    third = bench.add_block(previous=second)
    assert third.offset == 3
    assert [block.state for block in bench.inode().blocks] == ["COMPLETE", "COMMITTED", "UNDER_CONSTRUCTION"]


def test_a_file_has_so_many_blocks_and_no_more(new_bench: Any) -> None:
    bench = new_bench(max_blocks_per_file=1)
    block = bench.write()
    with bench.refused(HdfsIOException, "accepted: up to 1"):
        bench.add_block(previous=block)


@pytest.mark.parametrize("call", ["add_block", "complete"])
def test_a_call_on_a_missing_closed_or_foreign_file_is_refused(bench: Any, call: str) -> None:
    ask = getattr(bench, call)
    with bench.refused(FileNotFoundException):
        ask("/f", "client1")
    bench.create()
    with bench.refused(LeaseExpiredException, "not the lease owner"):
        ask("/f", "client2")
    bench.complete()
    with bench.refused(LeaseExpiredException, "not open for writing"):
        bench.add_block()
    bench.ask(Mkdirs("/d"))
    with bench.refused(LeaseExpiredException, "not a file"):
        ask("/d", "client1")


def test_add_block_by_inode_id_finds_a_renamed_file_and_not_a_deleted_one(bench: Any) -> None:
    """HDFS-6294; TestDeleteRace#testRenameRace, #testDeleteAddBlockRace."""
    file_id = bench.create().file_id
    bench.ask(Rename("/f", "/g"))
    bench.ask(AddBlock("/f", "client1", file_id=file_id))
    bench.ask(Delete("/g"))
    with bench.refused(FileNotFoundException):
        bench.ask(AddBlock("/g", "client1", file_id=file_id))


@pytest.mark.parametrize("semantics", Semantics)
def test_after_an_append_to_a_full_block_a_repeated_add_block_passes_none(new_bench: Any, semantics: Semantics) -> None:
    """The hole append-to-a-full-block-passes-none."""
    bench = new_bench(semantics=semantics)
    bench.write_closed(length=10)
    assert bench.ask(Append("/f", "client1")).block is None
    added = bench.add_block()
    if semantics is Semantics.REPAIRED:
        assert bench.add_block() == added
    else:
        with bench.refused(HdfsIOException, "does not match the actual last block"):
            bench.add_block()


# -- abandonBlock ---------------------------------------------------------------------------------------------------


def abandon(bench: Any, block: Block) -> None:
    bench.ask(AbandonBlock(block, "/f", "client1"))


def test_abandon_block_drops_the_last_block_and_may_be_repeated(bench: Any) -> None:
    bench.create()
    block = bench.add_block().block
    abandon(bench, block)
    assert (bench.inode().blocks, bench.blocks.blocks) == ([], {})
    before = bench.state()
    abandon(bench, block)
    assert bench.state() == before


def test_abandon_block_compares_ids_only(bench: Any) -> None:
    bench.create()
    abandon(bench, Block(bench.add_block().block.block_id, 5, 5))
    assert bench.inode().blocks == []


@pytest.mark.parametrize("semantics", Semantics)
@pytest.mark.parametrize("state", ["COMMITTED", "UNDER_RECOVERY"])
def test_abandon_block_of_a_committed_or_recovering_block(new_bench: Any, semantics: Semantics, state: str) -> None:
    """The hole abandon-looks-at-the-block."""
    bench = new_bench(semantics=semantics)
    block = bench.write(datanodes="")
    if state == "COMMITTED":
        bench.complete(last=block)
    else:
        bench.recover_lease(client="client1")
    assert bench.last().state == state
    if semantics is Semantics.REPAIRED:
        with bench.refused(HdfsIOException, "cannot be abandoned"):
            abandon(bench, block)
    else:
        abandon(bench, block)
        assert bench.inode().blocks == []


# -- getAdditionalDatanode ------------------------------------------------------------------------------------------


def additional(bench: Any, block: Block, client: str = "client1") -> Any:
    return bench.ask(GetAdditionalDatanode("/f", block, ("a",), ("b",), 1, client))


def test_an_additional_datanode_is_neither_present_nor_excluded(bench: Any) -> None:
    block = bench.write()
    before = bench.state()
    assert additional(bench, block).locations == ("a", "c")
    assert bench.state() == before


def test_an_additional_datanode_is_refused(new_bench: Any) -> None:
    bench = new_bench(replace_datanode_on_failure=False)
    block = bench.write()
    with bench.refused(UnsupportedOperationException):
        additional(bench, block)
    bench = new_bench()
    block = bench.write()
    with bench.refused(LeaseExpiredException):
        additional(bench, block, "client2")


def test_no_datanodes_are_given_where_none_is_asked_for(bench: Any) -> None:
    bench.create()
    block = bench.add_block().block
    located = bench.ask(GetAdditionalDatanode("/f", block, ("a", "b"), (), 0, "client1"))
    assert (located.locations, located.offset) == ((), -1)
