"""create(): its checks in Hadoop's order, overwriting, and what it does to the lease of another (facts E.1, F.1)."""

from typing import Any

import pytest

from genstamp_dfs.errors import (
    AlreadyBeingCreatedException,
    FileAlreadyExistsException,
    FileNotFoundException,
    HdfsIOException,
    IllegalArgumentException,
    InvalidPathException,
    ParentNotDirectoryException,
    PathComponentTooLongException,
    RecoveryInProgressException,
)
from genstamp_dfs.hdfs.messages.client_protocol import CreateFlag, Mkdirs
from genstamp_dfs.hdfs.protocol import BlockUCState, Semantics

SOFT_MS = 60_000


def test_create_opens_a_file_with_one_lease_of_its_client(bench: Any) -> None:
    status = bench.create()
    inode = bench.inode()
    assert (inode.client_name, inode.client_machine, status.file_id) == ("client1", "client1", inode.file_id)
    assert bench.holders() == {"client1": ["/f"]}


def test_create_makes_the_directories_that_are_missing(bench: Any) -> None:
    bench.create("/a/b/f")
    assert bench.inode("/a/b/f").path == "/a/b/f"
    with bench.refused(FileNotFoundException, "Parent directory doesn't exist"):
        bench.create("/c/f", create_parent=False)
    bench.create("/a/b/g", create_parent=False)


def test_create_of_what_is_no_path_is_refused(bench: Any) -> None:
    with bench.refused(InvalidPathException):
        bench.create("f")
    with bench.refused(InvalidPathException):
        bench.create("/a//f")
    with bench.refused(HdfsIOException, "Pathname too long"):
        bench.create("/" + "x" * 8_000)
    with bench.refused(IllegalArgumentException, "empty string"):
        bench.create("")


def test_directories_that_were_made_stay_if_a_name_below_them_is_refused(bench: Any) -> None:
    with pytest.raises(PathComponentTooLongException, match="256 bytes"):
        bench.create("/new/" + "x" * 256)
    assert bench.namesystem.directory.get("/new") is not None


def test_create_over_a_directory_or_below_a_file_is_refused(bench: Any) -> None:
    bench.ask(Mkdirs("/d"))
    bench.write_closed("/f")
    with bench.refused(FileAlreadyExistsException, "as a directory"):
        bench.create("/d", flag=CreateFlag.CREATE | CreateFlag.OVERWRITE)
    with bench.refused(ParentNotDirectoryException):
        bench.create("/f/g")


def test_create_without_the_flag_needs_a_file(bench: Any) -> None:
    with bench.refused(FileNotFoundException, "Can't overwrite non-existent"):
        bench.create(flag=CreateFlag.OVERWRITE)


def test_block_size_and_replication_have_limits(new_bench: Any) -> None:
    bench = new_bench(minimal_block_size=11, maximal_replication=3)
    with bench.refused(HdfsIOException, "10 < 11"):
        bench.create()
    bench = new_bench(maximal_replication=3)
    with bench.refused(HdfsIOException, "accepted: 1 to 3"):
        bench.create(replication=4)
    with bench.refused(HdfsIOException, "accepted: 1 to 3"):
        bench.create(replication=0)


def test_create_over_a_closed_file_is_refused(bench: Any) -> None:
    bench.create()
    assert bench.complete()
    with bench.refused(FileAlreadyExistsException):
        bench.create(client="client2")


def test_create_with_overwrite_takes_the_file_whoever_writes_it(bench: Any) -> None:
    """TestFileCreation#testOverwriteOpenForWrite (HDFS-3755)."""
    block = bench.write()
    old = bench.inode().file_id
    with bench.refused(AlreadyBeingCreatedException):
        bench.create(client="client2")
    bench.create(client="client2", flag=CreateFlag.CREATE | CreateFlag.OVERWRITE)
    assert bench.inode().file_id != old
    assert bench.holders() == {"client2": ["/f"]}
    assert bench.namesystem.directory.inodes.get(old) is None
    bench.pass_ms(1)
    assert bench.blocks.get_stored_block(block.block_id) is None


def test_create_over_ones_own_open_file_is_refused_whatever_its_age(bench: Any) -> None:
    bench.create()
    bench.pass_ms(SOFT_MS + 1)
    with bench.refused(AlreadyBeingCreatedException, "already the current lease holder"):
        bench.create()


def test_create_over_a_file_whose_lease_is_gone_is_refused(bench: Any) -> None:
    bench.create()
    bench.namesystem.lease_manager.remove_file(bench.inode().file_id)
    with bench.refused(AlreadyBeingCreatedException, "no leases found"):
        bench.create(client="client2")


def test_create_up_to_the_soft_limit_is_refused(bench: Any) -> None:
    bench.write()
    bench.pass_ms(SOFT_MS)
    with bench.refused(AlreadyBeingCreatedException, "currently owned by client1"):
        bench.create(client="client2")


@pytest.mark.parametrize(("semantics", "holder"), [(Semantics.HADOOP_3_4, "client1"), (Semantics.REPAIRED, "HDFS_")])
def test_create_past_the_soft_limit_starts_a_recovery_and_is_refused(
    new_bench: Any, semantics: Semantics, holder: str
) -> None:
    """In 3.4.1 the file stays with its old writer (hole soft-limit-takes-the-file)."""
    bench = new_bench(semantics=semantics)
    bench.write()
    bench.pass_ms(SOFT_MS + 1)
    with pytest.raises(RecoveryInProgressException, match="lease recovery is in progress"):
        bench.create(client="client2")
    assert (bench.last().state, bench.last().block_recovery_id) == (BlockUCState.UNDER_RECOVERY, 1002)
    assert bench.inode().client_name.startswith(holder)
    (lease,) = bench.namesystem.lease_manager.leases.values()
    assert (lease.holder, lease.last_update_us) == (bench.inode().client_name, bench.clock.us)


def test_create_while_a_recovery_runs_and_the_lease_is_fresh_is_refused(bench: Any) -> None:
    bench.write()
    bench.recover_lease()
    with bench.refused(RecoveryInProgressException, "another recovery"):
        bench.create(client="client3")


def test_create_past_the_soft_limit_closes_a_file_without_block_and_is_refused_all_the_same(bench: Any) -> None:
    bench.create()
    bench.pass_ms(SOFT_MS + 1)
    with pytest.raises(FileAlreadyExistsException):
        bench.create(client="client2")
    assert not bench.inode().is_under_construction
    assert bench.holders() == {}


def test_the_edit_of_a_recovery_that_a_refused_create_has_started_is_synced(bench: Any) -> None:
    bench.write()
    bench.pass_ms(SOFT_MS + 1)
    with pytest.raises(RecoveryInProgressException):
        bench.create(client="client2")
    assert not bench.namenode.edit_log.has_unsynced
    bench.start()
    assert bench.blocks.block_ids.generation_stamp == 1002
