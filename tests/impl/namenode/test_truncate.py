"""truncate(): at a border, in place, by a copy (facts E.4, A.6; TestFileTruncate)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    AlreadyBeingCreatedException,
    FileNotFoundException,
    HadoopIllegalArgumentException,
    HdfsIOException,
    IllegalStateException,
)
from genstamp_dfs.hdfs.messages.client_protocol import Append, Delete, Truncate
from genstamp_dfs.hdfs.messages.datanode_protocol import InvalidateBlocks, RecoverBlocks
from genstamp_dfs.hdfs.namenode.datanode_calls import remove_datanode
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, Semantics

FIRST = 2**30 + 1


def truncate(bench: Any, length: int, client: str = "client2", call_id: int = -1) -> Any:
    client_id = b"client2 of 16 b." if call_id >= 0 else b""
    return bench.ask(Truncate("/f", length, client), client, client_id, call_id)


def write_two_blocks(bench: Any) -> None:
    """A closed file of 10 and 7 bytes."""
    first = bench.write(length=10)
    second = bench.add_block(previous=first).block
    second = Block(second.block_id, second.generation_stamp, 7)
    for datanode in "abc":
        bench.received(second, datanode)
    assert bench.complete(last=second)


def command(bench: Any) -> tuple[str, Any]:
    """The recovery command that waits, and who gets it."""
    for datanode in "abc":
        for each in bench.heartbeat(datanode):
            if isinstance(each, RecoverBlocks):
                return datanode, each.blocks[0]
    raise AssertionError("no recovery command waits")


@pytest.mark.parametrize("length", range(18))
def test_truncate_is_done_at_once_iff_nothing_is_cut_inside_a_block(bench: Any, length: int) -> None:
    """TestFileTruncate#testBasicTruncate."""
    write_two_blocks(bench)
    assert truncate(bench, length) == (length in (0, 10, 17))
    assert bench.inode().is_under_construction == (length not in (0, 10, 17))
    assert bench.holders() == ({"client2": ["/f"]} if bench.inode().is_under_construction else {})


def test_blocks_beyond_the_new_length_are_deleted(bench: Any) -> None:
    write_two_blocks(bench)
    assert truncate(bench, 10)
    bench.pass_ms(1)
    assert list(bench.blocks.blocks) == [FIRST]
    (order,) = bench.heartbeat("a")
    assert order == InvalidateBlocks((Block(FIRST + 1, 1002, 7),))


def test_a_block_that_was_cut_off_is_nobodys_while_it_waits_for_its_removal(bench: Any) -> None:
    """Facts G.6 row 4, I.1 step 3."""
    write_two_blocks(bench)
    truncate(bench, 4)
    cut_off = Block(FIRST + 1, 1002, 7)
    bench.received(cut_off, "a")
    with bench.refused(HdfsIOException, "delayed block removal"):
        bench.commit(cut_off, 1003, 7)
    bench.last().stored.clear()
    before = bench.state()
    bench.report("b", (cut_off, ReplicaState.RWR))
    assert bench.state() == before


def test_truncate_in_place_keeps_the_id_and_orders_a_recovery(bench: Any) -> None:
    """TestFileTruncate#testTruncateRecovery, in place."""
    block = bench.write_closed(length=7)
    assert not truncate(bench, 4)
    assert (bench.last().as_block(), bench.last().state) == (block, BlockUCState.UNDER_RECOVERY)
    assert bench.last().truncate_block == Block(FIRST, 1002, 4)
    _, order = command(bench)
    assert (order.block, order.recovery_id, order.new_block) == (block, 1002, Block(FIRST, 1002, 4))
    bench.commit(block, 1002, 4, "abc")
    assert bench.last().as_block() == Block(FIRST, 1002, 4)
    assert not bench.inode().is_under_construction


def test_truncate_by_a_copy_takes_a_new_block_and_drops_the_old_one_at_the_end(new_bench: Any) -> None:
    """TestFileTruncate#testTruncateRecovery, copy on truncate."""
    bench = new_bench(copy_on_truncate=True)
    block = bench.write_closed(length=7)
    assert not truncate(bench, 4)
    assert bench.last().as_block() == Block(FIRST + 1, 1002, 4)
    assert sorted(bench.last().expected_locations()) == ["a", "b", "c"]
    _, order = command(bench)
    assert (order.block, order.recovery_id, order.new_block) == (block, 1002, Block(FIRST + 1, 1002, 4))
    bench.commit(block, 1002, 4, "abc")
    assert list(bench.blocks.blocks) == [FIRST + 1]
    assert (bench.inode().size(), bench.inode().is_under_construction) == (4, False)
    assert bench.heartbeat("a") == (InvalidateBlocks((block,)),)


def test_a_truncated_copy_and_its_source_go_with_the_file(new_bench: Any) -> None:
    """HDFS-12638."""
    bench = new_bench(copy_on_truncate=True)
    bench.write_closed(length=7)
    truncate(bench, 4)
    bench.ask(Delete("/f"))
    bench.pass_ms(1)
    assert bench.blocks.blocks == {}


@pytest.mark.parametrize("copy", [False, True])
def test_truncate_repeated_while_it_runs(new_bench: Any, copy: bool) -> None:
    """HDFS-7926; TestFileTruncate#testTruncateTwiceTogether (HDFS-15875)."""
    bench = new_bench(copy_on_truncate=copy)
    write_two_blocks(bench)
    truncate(bench, 14)
    before = bench.state()
    assert not truncate(bench, 14, "client3")
    assert bench.state() == before
    with bench.refused(AlreadyBeingCreatedException, "truncated to 14 bytes"):
        truncate(bench, 12)


@pytest.mark.parametrize("copy", [False, True])
def test_a_recovery_of_a_truncate_that_is_repeated_has_a_new_id_for_the_same_length(new_bench: Any, copy: bool) -> None:
    """Facts F.4 step 2."""
    bench = new_bench(copy_on_truncate=copy)
    block = bench.write_closed(length=7)
    truncate(bench, 4)
    assert not bench.recover_lease(client="client3")
    new_block = Block(FIRST + 1 if copy else FIRST, 1003, 4)
    primary, order = command(bench)
    assert (order.block, order.recovery_id, order.new_block) == (block, 1003, new_block)
    with bench.refused(HdfsIOException, "recovery id 1002 does not match"):
        bench.commit(block, 1002, 4)
    bench.commit(block, 1003, 4, primary)
    assert bench.last().as_block() == new_block


@pytest.mark.parametrize("semantics", Semantics)
def test_a_copy_that_an_earlier_attempt_has_made(new_bench: Any, semantics: Semantics) -> None:
    """The hole copies-of-earlier-attempts: it counts, under a stamp that is not the block's."""
    bench = new_bench(copy_on_truncate=True, semantics=semantics)
    block = bench.write_closed(length=7)
    truncate(bench, 4)
    bench.received(Block(FIRST + 1, 1002, 4), "b")
    bench.recover_lease(client="client3")
    bench.last().state = BlockUCState.UNDER_RECOVERY
    bench.commit(block, 1003, 4, "a")
    assert ("b" in bench.last().corrupt or "b" not in bench.last().stored) is (semantics is Semantics.REPAIRED)


def test_truncate_of_what_cannot_be_cut_is_refused(bench: Any) -> None:
    """TestFileTruncate#testTruncateFailure."""
    with bench.refused(HadoopIllegalArgumentException, "negative"):
        truncate(bench, -1)
    with bench.refused(FileNotFoundException):
        truncate(bench, 1)
    block = bench.write()
    with bench.refused(AlreadyBeingCreatedException, "Failed to TRUNCATE_FILE"):
        truncate(bench, 1)
    bench.complete(last=block)
    with bench.refused(HadoopIllegalArgumentException, "larger file size"):
        truncate(bench, 4)


def test_a_truncate_whose_datanodes_are_gone_is_ended_by_the_monitor(bench: Any) -> None:
    """TestFileTruncate#testTruncateFailure, its end."""
    block = bench.write_closed(length=7)
    for datanode in "abc":
        remove_datanode(bench.namesystem, datanode)
    assert not truncate(bench, 4)
    assert bench.last().primary is None
    bench.pass_ms(1_200_001)
    assert bench.inode().client_name.startswith("HDFS_NameNode")
    for datanode in "abc":
        bench.register(datanode)
        bench.received(block, datanode)
    bench.pass_ms(90_001)
    bench.recover_lease()
    primary, order = command(bench)
    assert order.new_block.num_bytes == 4
    bench.commit(block, order.recovery_id, 4, primary)
    assert (bench.inode().size(), bench.inode().is_under_construction) == (4, False)


@pytest.mark.parametrize("semantics", Semantics)
def test_a_truncate_whose_datanodes_die_before_its_commit(new_bench: Any, semantics: Semantics) -> None:
    """Facts G.5: the first recovery of a truncate is not in the table, so that nothing forces the block complete."""
    bench = new_bench(semantics=semantics)
    block = bench.write_closed(length=7)
    truncate(bench, 4)
    for datanode in "abc":
        remove_datanode(bench.namesystem, datanode)
    before = bench.state()
    with pytest.raises(IllegalStateException):
        bench.commit(block, 1002, 4)
    assert (bench.state() == before) is (semantics is Semantics.REPAIRED)
    bench.recover_lease(client="client3")
    bench.commit(block, 1003, 4)
    assert (bench.inode().size(), bench.inode().is_under_construction) == (4, False)


@pytest.mark.parametrize("saves", [False, True])
@pytest.mark.parametrize("copy", [False, True])
def test_a_truncate_that_a_restart_interrupts_is_ended_by_recover_lease(
    new_bench: Any, copy: bool, saves: bool
) -> None:
    """TestFileTruncate#testTruncateEditLogLoad; from the edits, and from an image."""
    bench = new_bench(copy_on_truncate=copy)
    block = bench.write_closed(length=7)
    truncate(bench, 4)
    if saves:
        bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache)
    bench.start()
    assert bench.last().state is BlockUCState.UNDER_RECOVERY
    for datanode in "abc":
        bench.register(datanode)
        bench.report(datanode, (block, ReplicaState.FINALIZED))
    bench.pass_ms(30_000)
    assert not bench.recover_lease(client="client3")
    primary, order = command(bench)
    assert (order.block, order.new_block.num_bytes, len(order.locations)) == (block, 4, 3)
    bench.commit(block, order.recovery_id, 4, primary)
    assert (bench.inode().size(), bench.inode().is_under_construction) == (4, False)


@pytest.mark.parametrize("semantics", Semantics)
def test_a_truncate_that_is_asked_for_again_after_an_append(new_bench: Any, semantics: Semantics) -> None:
    """The hole answers-are-kept: in 3.4.1 the repeated call cuts what others have appended."""
    bench = new_bench(semantics=semantics)
    write_two_blocks(bench)
    assert truncate(bench, 10, call_id=5)
    assert bench.ask(Append("/f", "client3")).block is None
    block = bench.add_block(client="client3").block
    block = Block(block.block_id, block.generation_stamp, 4)
    bench.received(block, "a")
    assert bench.complete(client="client3", last=block)
    assert truncate(bench, 10, call_id=5)
    assert bench.inode().size() == (14 if semantics is Semantics.REPAIRED else 10)
