"""A restart brings back what the edits say, op by op, and what an image says (facts A.7, I.5; TestPersistBlocks)."""

from collections.abc import Callable
from typing import Any

import pytest

from genstamp_dfs.hdfs.messages import client_protocol as client
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState

CREATE = client.CreateFlag.CREATE


def several_blocks(bench: Any) -> None:
    first = bench.write(length=10)
    second = bench.add_block(previous=first).block
    bench.received(Block(second.block_id, second.generation_stamp, 4), "a")
    bench.complete(last=Block(second.block_id, second.generation_stamp, 4))


def pipeline_recovery(bench: Any) -> None:
    bench.create()
    block = bench.add_block().block
    new = bench.ask(client.UpdateBlockForPipeline(block, "client1")).block
    bench.ask(client.UpdatePipeline("client1", block, Block(new.block_id, new.generation_stamp, 2), ("a",)))


def abandoned(bench: Any) -> None:
    """TestPersistBlocks#testRestartDfsWithAbandonedBlock, TestAbandonBlock."""
    first = bench.write(length=10)
    second = bench.add_block(previous=first).block
    bench.ask(client.AbandonBlock(second, "/f", "client1"))


def recovered(bench: Any) -> None:
    bench.write()
    bench.recover_lease()
    bench.commit(bench.last().as_block(), 1002, 3)


def recovered_as_empty(bench: Any) -> None:
    bench.write()
    bench.recover_lease()
    bench.commit(bench.last().as_block(), 1002, 0, "", delete_block=True)


def appended(bench: Any) -> None:
    """TestFileAppendRestart, TestPersistBlocks#testRestartWithAppend."""
    bench.write_closed()
    bench.ask(client.Append("/f", "client2"))


def appended_at_a_border(bench: Any) -> None:
    """HDFS-2991."""
    bench.write_closed(length=10)
    bench.ask(client.Append("/f", "client2"))
    bench.add_block(client="client2")


def truncated(bench: Any) -> None:
    several_blocks(bench)
    bench.ask(client.Truncate("/f", 10, "client2"))


def moved_about(bench: Any) -> None:
    bench.write_closed("/a/f")
    bench.create("/a/g")
    bench.ask(client.Rename("/a", "/b"))
    bench.ask(client.Rename2("/b/g", "/b/f", overwrite=True))
    bench.ask(client.Mkdirs("/c"))
    bench.ask(client.Rename("/b/f", "/c"))


def joined(bench: Any) -> None:
    for path in ("/f", "/g", "/h"):
        bench.write_closed(path)
    bench.ask(client.Concat("/f", ("/g", "/h")))


def overwritten(bench: Any) -> None:
    bench.write()
    bench.ask(client.Create("/f", "client2", CREATE | client.CreateFlag.OVERWRITE, block_size=10))


def deleted(bench: Any) -> None:
    bench.write("/d/f")
    bench.ask(client.Delete("/d", recursive=True))


STORIES: list[Callable[[Any], Any]] = [
    lambda bench: bench.create("/d/e/f"),
    lambda bench: bench.write_closed(),
    several_blocks,
    pipeline_recovery,
    abandoned,
    recovered,
    recovered_as_empty,
    appended,
    appended_at_a_border,
    truncated,
    moved_about,
    joined,
    overwritten,
    deleted,
]


@pytest.mark.parametrize("saves", [False, True], ids=["edits", "image"])
@pytest.mark.parametrize("story", STORIES)
def test_a_restart_brings_all_back(bench: Any, story: Callable[[Any], Any], saves: bool) -> None:
    story(bench)
    before, holders = bench.durable(), bench.holders()
    if saves:
        bench.namenode.checkpointer.finish(bench.namesystem, bench.namenode.retry_cache)
    bench.start()
    assert bench.durable() == before
    assert bench.holders() == holders
    assert all(block.file_id in bench.namesystem.directory.inodes for block in bench.blocks.blocks.values()), (
        "blocks of deleted files are gone"
    )
    bench.start()
    assert bench.durable() == before


def test_only_the_last_block_of_an_open_file_is_under_construction_and_has_no_location(bench: Any) -> None:
    """A18, A19; TestAddBlock#testAddBlockUC."""
    first = bench.write(datanodes="")
    bench.add_block(previous=first)
    bench.recover_lease()
    bench.start()
    assert [block.state for block in bench.inode().blocks] == [BlockUCState.COMPLETE, BlockUCState.UNDER_CONSTRUCTION]
    assert (bench.last().expected_locations(), bench.last().block_recovery_id) == ((), 0)


def test_leases_are_fresh_after_a_restart(bench: Any) -> None:
    """A.7: nobody loses a file because the namenode was down."""
    bench.write()
    bench.clock.us += 5_000_000_000
    bench.start()
    bench.pass_ms(2_000)
    assert bench.holders() == {"client1": ["/f"]}


def test_stamps_and_ids_are_given_out_once(bench: Any) -> None:
    """S9, HDFS-5590: also those whose call came to nothing else."""
    bench.create()
    block = bench.add_block().block
    bench.ask(client.UpdateBlockForPipeline(block, "client1"))
    bench.ask(client.Delete("/f"))
    bench.start()
    bench.register("a")
    file_id = bench.create().file_id
    assert file_id == 16_387
    assert bench.add_block().block == Block(block.block_id + 1, 1003, 0)


def test_the_writer_goes_on_after_a_restart(bench: Any) -> None:
    """TestPersistBlocks, TestFileCreation#testFileCreationNamenodeRestart."""
    block = bench.write()
    bench.start()
    for datanode in "abc":
        bench.register(datanode)
        bench.report(datanode, (block, ReplicaState.FINALIZED))
    bench.pass_ms(30_000)
    assert bench.complete(last=block)
