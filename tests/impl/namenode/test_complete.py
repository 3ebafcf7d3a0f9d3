"""complete() and fsync(): commit, completion, and what a late fsync may not do (facts A.3, A6, E.9, E.10)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    FileNotFoundException,
    HdfsIOException,
    LeaseExpiredException,
    RetriableException,
)
from genstamp_dfs.hdfs.messages.client_protocol import Append, Complete, Fsync
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, ReplicaState, Semantics

# -- complete -------------------------------------------------------------------------------------------------------


def test_complete_without_a_replica_commits_and_does_not_close(bench: Any) -> None:
    block = bench.write(datanodes="")
    assert not bench.complete(last=block)
    assert (bench.last().state, bench.last().num_bytes) == (BlockUCState.COMMITTED, 3)
    assert not bench.complete(last=block)


def test_complete_with_a_reported_replica_closes_the_file_and_ends_the_lease(bench: Any) -> None:
    block = bench.write(datanodes="a")
    assert bench.complete(last=block)
    assert bench.last().state is BlockUCState.COMPLETE
    assert not bench.inode().is_under_construction
    assert bench.holders() == {}


def test_minimal_replication_is_what_the_configuration_says(new_bench: Any) -> None:
    bench = new_bench(minimal_replication=2)
    block = bench.write(datanodes="a")
    assert not bench.complete(last=block)
    bench.received(block, "b")
    assert bench.complete(last=block)


def test_a_committed_block_completes_with_its_first_report_and_the_next_complete_closes(bench: Any) -> None:
    block = bench.write(datanodes="")
    bench.complete(last=block)
    bench.received(block, "a")
    assert bench.last().state is BlockUCState.COMPLETE
    assert bench.complete(last=block)


def test_complete_waits_for_the_block_before_the_last(bench: Any) -> None:
    first = bench.write(datanodes="")
    second = bench.add_block(previous=first).block
    assert not bench.complete(last=second)
    assert bench.last().state is BlockUCState.UNDER_CONSTRUCTION
    bench.received(first, "a")
    bench.received(second, "a")
    assert bench.complete(last=second)


def test_complete_repeated_after_the_close_is_true(bench: Any) -> None:
    """HDFS-3031; TestFileAppend4#testRecoverFinalizedBlock."""
    block = bench.write_closed()
    assert bench.complete(last=block)
    with bench.refused(LeaseExpiredException):
        bench.complete(last=Block(block.block_id, 1000, 3))


def test_complete_of_an_empty_file_that_was_closed_meanwhile_is_true(bench: Any) -> None:
    bench.create()
    assert bench.recover_lease()
    assert bench.complete()


@pytest.mark.parametrize("semantics", Semantics)
def test_after_an_append_to_a_full_block_a_repeated_complete_passes_none(new_bench: Any, semantics: Semantics) -> None:
    """The hole append-to-a-full-block-passes-none."""
    bench = new_bench(semantics=semantics)
    bench.write_closed(length=10)
    bench.ask(Append("/f", "client1"))
    assert bench.complete()
    if semantics is Semantics.REPAIRED:
        assert bench.complete()
    else:
        with bench.refused(LeaseExpiredException, "not open"):
            bench.complete()


def test_complete_of_another_holders_file_is_refused(bench: Any) -> None:
    """TestFileAppend4#testCompleteOtherLeaseHoldersFile."""
    block = bench.write_closed()
    bench.ask(Append("/f", "client2"))
    with bench.refused(LeaseExpiredException, "not the lease owner"):
        bench.complete(last=block)


def test_complete_with_the_wrong_inode_id_is_refused(bench: Any) -> None:
    """TestFileCreation#testFileIdMismatch."""
    bench.create()
    with bench.refused(FileNotFoundException):
        bench.ask(Complete("/f", "client1", None, file_id=5))


def test_complete_of_a_block_under_recovery_is_refused(bench: Any) -> None:
    """HDFS-10240; TestLeaseRecovery2#testCloseWhileRecoverLease."""
    block = bench.write()
    bench.recover_lease(client="client1")
    with bench.refused(HdfsIOException, "whereas it is under recovery"):
        bench.complete(last=block)


def test_complete_with_another_stamp_block_or_length_is_refused(bench: Any) -> None:
    """HDFS-9289, HDFS-8498."""
    block = bench.write()
    with bench.refused(HdfsIOException, "mismatching stamp"):
        bench.complete(last=Block(block.block_id, 1000, 3))
    with bench.refused(HdfsIOException, "the last block is"):
        bench.complete(last=Block(7, block.generation_stamp, 3))
    bench.ask(Fsync("/f", "client1", 3))
    with bench.refused(HdfsIOException, "below the stored length 3"):
        bench.complete(last=Block(block.block_id, block.generation_stamp, 2))


# -- fsync ----------------------------------------------------------------------------------------------------------


def test_fsync_is_for_the_owner_only(bench: Any) -> None:
    bench.write()
    bench.ask(Fsync("/f", "client1"))
    with bench.refused(FileNotFoundException):
        bench.ask(Fsync("/g", "client1"))
    with bench.refused(LeaseExpiredException):
        bench.ask(Fsync("/f", "client2"))


def test_fsync_tells_the_length_which_a_restart_keeps(bench: Any) -> None:
    """TestPersistBlocks#testRestartDfsWithFlush, HDFS-4516."""
    bench.write()
    bench.ask(Fsync("/f", "client1", -1))
    assert bench.last().num_bytes == 0
    bench.ask(Fsync("/f", "client1", 2))
    bench.start()
    assert bench.last().num_bytes == 2


@pytest.mark.parametrize("semantics", Semantics)
def test_fsync_of_a_block_under_recovery(new_bench: Any, semantics: Semantics) -> None:
    """The holes fsync-stops-for-a-recovery and hflush-sees-the-recovery."""
    bench = new_bench(semantics=semantics)
    bench.write()
    bench.recover_lease()
    if semantics is Semantics.REPAIRED:
        with bench.refused(HdfsIOException):
            bench.ask(Fsync("/f", "client2", 3))
    else:
        bench.ask(Fsync("/f", "client2", 3))
        assert bench.last().num_bytes == 3


@pytest.mark.parametrize("semantics", Semantics)
def test_fsync_before_all_of_the_pipeline_have_reported(new_bench: Any, semantics: Semantics) -> None:
    """The hole hflush-waits-for-reports: the writer is told that its bytes stay, and no recovery would ask `c`."""
    bench = new_bench(semantics=semantics)
    block = bench.write(datanodes="")
    bench.start()
    bench.leave_safe_mode()
    for datanode in "abc":
        bench.register(datanode)
    for datanode in "ab":
        bench.report(datanode, (block, ReplicaState.RBW))
    flush = Fsync("/f", "client1", 3, pipeline=("a", "b", "c"))
    if semantics is Semantics.REPAIRED:
        with bench.refused(RetriableException, "of /f: c did not report"):
            bench.ask(flush)
        bench.report("c", (block, ReplicaState.RBW))
    bench.ask(flush)
    assert bench.last().num_bytes == 3


@pytest.mark.parametrize("case", ["falls", "committed", "other block"])
@pytest.mark.parametrize("semantics", Semantics)
def test_a_late_fsync(new_bench: Any, semantics: Semantics, case: str) -> None:
    """The hole late-fsync-changes-nothing."""
    bench = new_bench(semantics=semantics)
    block = bench.write(datanodes="")
    bench.ask(Fsync("/f", "client1", 3))
    late = Fsync("/f", "client1", 2)
    if case == "committed":
        bench.complete(last=block)
        late = Fsync("/f", "client1", 4)
    if case == "other block":
        bench.add_block(previous=block)
        late = Fsync("/f", "client1", 3, block=block)
    if semantics is Semantics.REPAIRED:
        with bench.refused(HdfsIOException, "fsync of"):
            bench.ask(late)
    else:
        bench.ask(late)
        assert bench.last().num_bytes == late.last_block_length
