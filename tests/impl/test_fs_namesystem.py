"""The namenode's calls: checks in Hadoop's order, and nothing changed by a refusal."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from genstamp_dfs.errors import (
    AlreadyBeingCreatedException,
    FileAlreadyExistsException,
    FileNotFoundException,
    HdfsIOException,
    LeaseExpiredException,
    RecoveryInProgressException,
)
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.fs_namesystem import FSNamesystem
from genstamp_dfs.hdfs.protocol import Block, BlockUCState, Limits, ReplicaState, ReportedReplica, Semantics

SOFT_US = 60_000_000
HARD_US = 1_200_000_000
GATE_US = 90_000_000
PIPELINE = ("a", "b")


def namesystem(semantics: Semantics = Semantics.REPAIRED) -> FSNamesystem:
    """A namenode with two datanodes and no file."""
    namenode = FSNamesystem(Limits(), semantics)
    for datanode in PIPELINE:
        namenode.register_datanode(datanode)
    return namenode


def with_block(namenode: FSNamesystem, holder: str = "client1") -> BlockInfo:
    """Create /f with a block."""
    namenode.start_file("/f", holder, 0)
    located = namenode.get_additional_block("/f", holder, lambda: PIPELINE)
    return namenode.block_manager.blocks[located.block.block_id]


def report(namenode: FSNamesystem, block: BlockInfo, datanode: str, num_bytes: int, stamp: int | None = None) -> None:
    reported = ReportedReplica(block.block_id, stamp or block.generation_stamp, num_bytes, ReplicaState.FINALIZED)
    namenode.process_incremental_block_report(datanode, reported)


def written(block: BlockInfo, num_bytes: int, stamp: int | None = None) -> Block:
    return Block(block.block_id, stamp or block.generation_stamp, num_bytes)


@contextmanager
def refused(namenode: FSNamesystem, exception: type[HdfsIOException], match: str | None = None) -> Iterator[None]:
    """The body must raise exactly this exception and leave the namenode as it was."""
    before = pickle.dumps(namenode)
    with pytest.raises(exception, match=match) as caught:
        yield
    assert type(caught.value) is exception
    assert pickle.dumps(namenode) == before


def holders(namenode: FSNamesystem) -> dict[str, set[int]]:
    return {lease.holder: lease.files for lease in namenode.lease_manager.leases.values()}


# -- create ---------------------------------------------------------------------------------------------------------


def test_create_opens_a_file_with_one_lease_of_its_client() -> None:
    namenode = namesystem()
    inode = namenode.start_file("/f", "client1", 0)
    assert inode.client_name == "client1"
    assert holders(namenode) == {"client1": {inode.file_id}}


def test_create_over_a_closed_file_is_refused() -> None:
    namenode = namesystem()
    namenode.start_file("/f", "client1", 0)
    assert namenode.complete_file("/f", "client1", None)
    with refused(namenode, FileAlreadyExistsException):
        namenode.start_file("/f", "client2", 0)


def test_create_over_ones_own_open_file_is_refused_whatever_its_age() -> None:
    namenode = namesystem()
    namenode.start_file("/f", "client1", 0)
    with refused(namenode, AlreadyBeingCreatedException, "already the current lease holder"):
        namenode.start_file("/f", "client1", SOFT_US + 1)


def test_create_over_a_file_whose_lease_is_gone_is_refused() -> None:
    namenode = namesystem()
    namenode.start_file("/f", "client1", 0)
    lease = namenode.lease_manager.leases["client1"]
    namenode.lease_manager.remove_lease(lease, next(iter(lease.files)))
    with refused(namenode, AlreadyBeingCreatedException, "no leases found"):
        namenode.start_file("/f", "client2", SOFT_US + 1)


def test_create_up_to_the_soft_limit_is_refused() -> None:
    namenode = namesystem()
    with_block(namenode)
    with refused(namenode, AlreadyBeingCreatedException, "currently owned by client1"):
        namenode.start_file("/f", "client2", SOFT_US)


def test_create_past_the_soft_limit_starts_a_recovery_and_leaves_the_file_with_its_holder() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    now_us = SOFT_US + 1
    with pytest.raises(RecoveryInProgressException, match="lease recovery is in progress"):
        namenode.start_file("/f", "client2", now_us)
    assert (block.state, block.block_recovery_id) == (BlockUCState.UNDER_RECOVERY, 1002)
    assert namenode.directory.files["/f"].client_name == "client1"
    assert namenode.lease_manager.leases["client1"].last_update_us == now_us


def test_create_while_a_recovery_runs_and_the_lease_is_fresh_is_refused() -> None:
    namenode = namesystem()
    with_block(namenode)
    namenode.recover_lease("/f", "client2", 0)
    with refused(namenode, RecoveryInProgressException, "another recovery"):
        namenode.start_file("/f", "client3", 1)


def test_create_past_the_soft_limit_closes_a_file_without_block_and_is_refused_all_the_same() -> None:
    namenode = namesystem()
    namenode.start_file("/f", "client1", 0)
    with pytest.raises(FileAlreadyExistsException):
        namenode.start_file("/f", "client2", SOFT_US + 1)
    assert not namenode.directory.files["/f"].is_under_construction
    assert holders(namenode) == {}


# -- addBlock -------------------------------------------------------------------------------------------------------


def test_add_block_repeated_gives_the_same_block() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    again = namenode.get_additional_block("/f", "client1", lambda: ())
    assert (again.block, again.locations) == (block.as_block(), PIPELINE)
    assert namenode.block_manager.block_ids.generation_stamp == 1001


def test_add_block_repeated_after_the_block_has_a_length_is_refused() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    namenode.complete_file("/f", "client1", written(block, 3))
    with refused(namenode, HdfsIOException, "retry"):
        namenode.get_additional_block("/f", "client1", lambda: PIPELINE)


def test_add_block_without_targets_is_refused() -> None:
    namenode = namesystem()
    namenode.start_file("/f", "client1", 0)
    with refused(namenode, HdfsIOException, "minReplication"):
        namenode.get_additional_block("/f", "client1", lambda: ())


@pytest.mark.parametrize("call", ["add_block", "complete"])
def test_a_call_on_a_missing_closed_or_foreign_file_is_refused(call: str) -> None:
    namenode = namesystem()

    def ask(path: str, holder: str) -> None:
        if call == "add_block":
            namenode.get_additional_block(path, holder, lambda: PIPELINE)
        else:
            namenode.complete_file(path, holder, Block(1, 1, 1))

    with refused(namenode, FileNotFoundException):
        ask("/f", "client1")
    namenode.start_file("/f", "client1", 0)
    with refused(namenode, LeaseExpiredException, "not the lease owner"):
        ask("/f", "client2")
    namenode.complete_file("/f", "client1", None)
    with refused(namenode, LeaseExpiredException, "not open for writing"):
        ask("/f", "client1")


# -- complete -------------------------------------------------------------------------------------------------------


def test_complete_without_a_replica_commits_and_does_not_close() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    assert not namenode.complete_file("/f", "client1", written(block, 3))
    assert (block.state, block.num_bytes) == (BlockUCState.COMMITTED, 3)
    assert not namenode.complete_file("/f", "client1", written(block, 3))


def test_complete_with_a_reported_replica_closes_the_file_and_ends_the_lease() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    report(namenode, block, "a", 3)
    assert namenode.complete_file("/f", "client1", written(block, 3))
    assert block.state is BlockUCState.COMPLETE
    assert not namenode.directory.files["/f"].is_under_construction
    assert holders(namenode) == {}


def test_a_committed_block_completes_with_its_first_report_and_the_next_complete_closes() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    namenode.complete_file("/f", "client1", written(block, 3))
    report(namenode, block, "a", 3)
    assert block.state is BlockUCState.COMPLETE
    assert namenode.complete_file("/f", "client1", written(block, 3))


def test_complete_repeated_after_the_close_is_true() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    report(namenode, block, "a", 3)
    namenode.complete_file("/f", "client1", written(block, 3))
    assert namenode.complete_file("/f", "client1", written(block, 3))
    with refused(namenode, LeaseExpiredException):
        namenode.complete_file("/f", "client1", written(block, 3, stamp=1000))


def test_complete_of_an_empty_file_that_was_closed_meanwhile_is_true() -> None:
    namenode = namesystem()
    namenode.start_file("/f", "client1", 0)
    assert namenode.recover_lease("/f", "client2", 0).closed
    assert namenode.complete_file("/f", "client1", None)


def test_complete_of_a_block_under_recovery_is_refused() -> None:
    """HDFS-10240."""
    namenode = namesystem()
    block = with_block(namenode)
    report(namenode, block, "a", 3)
    namenode.recover_lease("/f", "client1", 0)
    with refused(namenode, HdfsIOException, "whereas it is under recovery"):
        namenode.complete_file("/f", "client1", written(block, 3))


def test_complete_with_another_stamp_or_block_is_refused() -> None:
    """HDFS-9289."""
    namenode = namesystem()
    block = with_block(namenode)
    with refused(namenode, HdfsIOException, "mismatching stamp"):
        namenode.complete_file("/f", "client1", written(block, 3, stamp=1000))
    with refused(namenode, HdfsIOException, "the last block is"):
        namenode.complete_file("/f", "client1", Block(7, block.generation_stamp, 3))


# -- reports --------------------------------------------------------------------------------------------------------


def test_reports_never_complete_a_block_that_is_not_committed() -> None:
    """HDFS-800."""
    namenode = namesystem()
    block = with_block(namenode)
    for datanode in PIPELINE:
        report(namenode, block, datanode, 3)
    assert block.state is BlockUCState.UNDER_CONSTRUCTION


@pytest.mark.parametrize(("num_bytes", "stamp"), [(2, 1001), (3, 1000), (3, 1002)])
def test_a_committed_block_does_not_count_a_replica_of_another_length_or_stamp(num_bytes: int, stamp: int) -> None:
    namenode = namesystem()
    block = with_block(namenode)
    namenode.complete_file("/f", "client1", written(block, 3))
    report(namenode, block, "a", num_bytes, stamp)
    assert (block.state, block.stored) == (BlockUCState.COMMITTED, {})


def test_commit_forgets_replicas_of_another_stamp() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    report(namenode, block, "a", 3, stamp=1002)
    assert not namenode.complete_file("/f", "client1", written(block, 3))
    assert block.stored == {}


F, RBW, RWR, RUR, TMP = ReplicaState
UC, UR, COMMITTED, COMPLETE = BlockUCState


@pytest.mark.parametrize(
    ("replica", "stamp", "num_bytes", "corrupt_in"),
    [
        (F, 1001, 3, set()),
        (F, 1000, 3, {UC, COMMITTED, COMPLETE}),
        (F, 1002, 3, {COMMITTED, COMPLETE}),
        (F, 1001, 2, {COMMITTED, COMPLETE}),
        (RBW, 1001, 2, set()),
        (RBW, 1000, 3, {UC, UR, COMMITTED, COMPLETE}),
        (RBW, 1002, 3, {COMPLETE}),
        (RWR, 1001, 3, {COMPLETE}),
        (RWR, 1000, 3, {UC, UR, COMMITTED, COMPLETE}),
        (RWR, 1002, 3, {COMPLETE}),
        (RUR, 1001, 3, {UC, UR, COMMITTED, COMPLETE}),
        (TMP, 1001, 3, {UC, UR, COMMITTED, COMPLETE}),
    ],
)
def test_check_replica_corrupt(
    replica: ReplicaState, stamp: int, num_bytes: int, corrupt_in: set[BlockUCState]
) -> None:
    """The table of BlockManager#checkReplicaCorrupt, for a block of stamp 1001 and 3 bytes."""
    manager = namesystem().block_manager
    reported = ReportedReplica(1, stamp, num_bytes, replica)
    found = {
        state
        for state in BlockUCState
        if manager.check_replica_corrupt(reported, BlockInfo(1, 1001, 5, [], num_bytes=3, state=state))
    }
    assert found == corrupt_in


def test_a_stale_replica_is_deleted_only_while_a_good_one_is_alive() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    stale = ReportedReplica(block.block_id, 1000, 3, ReplicaState.RWR)
    assert not namenode.block_manager.is_to_be_invalidated(stale)
    report(namenode, block, "a", 3)
    assert namenode.block_manager.is_to_be_invalidated(stale)
    namenode.remove_datanode("a")
    assert not namenode.block_manager.is_to_be_invalidated(stale)


def test_a_replica_of_an_unknown_block_is_deleted() -> None:
    stray = ReportedReplica(7, 1001, 3, ReplicaState.FINALIZED)
    assert namesystem().block_manager.is_to_be_invalidated(stray)


# -- recoverLease and the monitor -----------------------------------------------------------------------------------


def test_recover_lease_of_a_missing_file_is_refused() -> None:
    namenode = namesystem()
    with refused(namenode, FileNotFoundException):
        namenode.recover_lease("/f", "client1", 0)


def test_recover_lease_works_against_a_fresh_lease_and_moves_the_file() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    released = namenode.recover_lease("/f", "client2", 5)
    assert (released.closed, released.recovery_id) == (False, 1002)
    assert namenode.directory.files["/f"].client_name == "client2"
    assert holders(namenode) == {"client2": {block.file_id}}


def test_recover_lease_within_the_gate_moves_the_file_but_starts_no_recovery() -> None:
    """HDFS-11576."""
    namenode = namesystem()
    block = with_block(namenode)
    namenode.recover_lease("/f", "client2", 0)
    assert namenode.recover_lease("/f", "client3", GATE_US).recovery_id is None
    assert (block.block_recovery_id, namenode.directory.files["/f"].client_name) == (1002, "client3")
    assert namenode.recover_lease("/f", "client3", GATE_US + 1).recovery_id == 1003


def test_recover_lease_closes_a_file_whose_block_is_complete() -> None:
    namenode = namesystem()
    block = with_block(namenode)
    namenode.complete_file("/f", "client1", written(block, 3))
    report(namenode, block, "a", 3)
    assert namenode.recover_lease("/f", "client2", 0).closed
    assert holders(namenode) == {}


def test_a_committed_block_that_was_never_finalized_goes_into_recovery() -> None:
    """HDFS-15725."""
    namenode = namesystem()
    block = with_block(namenode)
    namenode.complete_file("/f", "client1", written(block, 3))
    assert namenode.recover_lease("/f", "client2", 0).recovery_id == 1002
    assert block.state is BlockUCState.UNDER_RECOVERY


def test_the_monitor_takes_each_file_of_an_expired_lease_and_no_other() -> None:
    namenode = namesystem()
    with_block(namenode)
    namenode.start_file("/g", "client1", 0)
    namenode.start_file("/h", "client2", HARD_US)
    assert namenode.check_leases(HARD_US) == []
    expired = namenode.check_leases(HARD_US + 1)
    assert [(each.holder, each.path, each.released.closed) for each in expired] == [
        ("client1", "/f", False),
        ("client1", "/g", True),
    ]
    owner = namenode.directory.files["/f"].client_name
    assert owner is not None
    assert owner.startswith("HDFS_NameNode")
    assert sorted(holders(namenode)) == sorted([owner, "client2"])


def test_the_monitor_tries_again_when_its_own_lease_expires() -> None:
    namenode = namesystem()
    with_block(namenode)
    (first,) = namenode.check_leases(HARD_US + 1)
    assert namenode.check_leases(2 * HARD_US + 1) == []
    (second,) = namenode.check_leases(2 * HARD_US + 2)
    assert (first.released.recovery_id, second.released.recovery_id) == (1002, 1003)


# -- commands and commitBlockSynchronization ------------------------------------------------------------------------


def recovering(semantics: Semantics = Semantics.REPAIRED) -> tuple[FSNamesystem, BlockInfo]:
    """/f of client1 under recovery 1002, asked for by client2."""
    namenode = namesystem(semantics)
    block = with_block(namenode)
    namenode.recover_lease("/f", "client2", 0)
    return namenode, block


def test_a_command_carries_the_recovery_id_that_is_current_when_it_is_taken() -> None:
    namenode, block = recovering(Semantics.HADOOP_3_4)
    assert namenode.queued_recoveries("b") == [block.block_id]
    namenode.recover_lease("/f", "client2", GATE_US + 1)
    command = namenode.take_recovery_command("b", block.block_id)
    assert command is not None
    assert (command.recovery_id, command.block.generation_stamp, command.locations) == (1003, 1001, PIPELINE)
    assert namenode.queued_recoveries("b") == []
    assert namenode.queued_recoveries("a") == [block.block_id]


def test_a_command_that_waited_through_a_younger_attempt_is_not_given_out_by_a_repaired_namenode() -> None:
    namenode, block = recovering()
    namenode.recover_lease("/f", "client2", GATE_US + 1)
    assert namenode.take_recovery_command("b", block.block_id) is None
    command = namenode.take_recovery_command("a", block.block_id)
    assert command is not None
    assert command.recovery_id == 1003


def test_fsync_is_for_the_owner_only() -> None:
    namenode = namesystem()
    with_block(namenode)
    namenode.fsync("/f", "client1")
    with refused(namenode, FileNotFoundException):
        namenode.fsync("/g", "client1")
    with refused(namenode, LeaseExpiredException):
        namenode.fsync("/f", "client2")


@pytest.mark.parametrize("semantics", Semantics)
def test_fsync_is_refused_under_recovery_by_a_repaired_namenode(semantics: Semantics) -> None:
    namenode, _ = recovering(semantics)
    if semantics is Semantics.REPAIRED:
        with refused(namenode, RecoveryInProgressException):
            namenode.fsync("/f", "client2")
    else:
        namenode.fsync("/f", "client2")


def test_a_queued_command_for_a_completed_block_is_never_given_out() -> None:
    """HDFS-13758."""
    namenode, block = recovering()
    namenode.commit_block_synchronization(block.as_block(), 1002, 3, delete_block=False, targets=("a",))
    assert namenode.take_recovery_command("b", block.block_id) is None


def test_commit_installs_stamp_and_length_and_closes_the_file() -> None:
    namenode, block = recovering()
    report(namenode, block, "b", 9)
    namenode.commit_block_synchronization(block.as_block(), 1002, 3, delete_block=False, targets=("a",))
    assert (block.generation_stamp, block.num_bytes, block.state) == (1002, 3, BlockUCState.COMPLETE)
    assert block.stored == {"a": 1002}
    assert not namenode.directory.files["/f"].is_under_construction
    assert holders(namenode) == {}
    assert not namenode.block_manager.pending_recovery_blocks.is_under_recovery(block.block_id)


def test_commit_closes_the_file_even_if_all_targets_died_meanwhile() -> None:
    """HDFS-12886."""
    namenode, block = recovering()
    namenode.remove_datanode("a")
    namenode.commit_block_synchronization(block.as_block(), 1002, 3, delete_block=False, targets=("a",))
    assert (block.state, block.stored) == (BlockUCState.COMPLETE, {})
    assert not namenode.directory.files["/f"].is_under_construction


def test_commit_of_a_deletion_drops_the_block_and_closes_the_file() -> None:
    namenode, block = recovering()
    namenode.commit_block_synchronization(block.as_block(), 1002, 0, delete_block=True, targets=())
    inode = namenode.directory.files["/f"]
    assert (inode.blocks, inode.is_under_construction, namenode.block_manager.blocks) == ([], False, {})


def test_commit_with_a_stale_recovery_id_is_refused() -> None:
    namenode, block = recovering()
    namenode.recover_lease("/f", "client2", GATE_US + 1)
    with refused(namenode, HdfsIOException, "recovery id 1002 does not match current recovery id 1003"):
        namenode.commit_block_synchronization(block.as_block(), 1002, 3, delete_block=False, targets=("a",))
    with refused(namenode, HdfsIOException, "recovery id 1002 does not match"):
        namenode.commit_block_synchronization(block.as_block(), 1002, 0, delete_block=True, targets=())


def test_commit_repeated_is_accepted_and_changes_nothing() -> None:
    """HDFS-5024."""
    namenode, block = recovering()
    old_block = block.as_block()
    namenode.commit_block_synchronization(old_block, 1002, 3, delete_block=False, targets=("a",))
    before = pickle.dumps(namenode)
    namenode.commit_block_synchronization(old_block, 1002, 3, delete_block=False, targets=("a",))
    assert pickle.dumps(namenode) == before


def test_commit_of_an_unknown_block_is_refused_unless_it_deletes() -> None:
    namenode, block = recovering()
    old_block = block.as_block()
    namenode.commit_block_synchronization(old_block, 1002, 0, delete_block=True, targets=())
    namenode.commit_block_synchronization(old_block, 1002, 0, delete_block=True, targets=())
    with refused(namenode, HdfsIOException, "not found"):
        namenode.commit_block_synchronization(old_block, 1002, 3, delete_block=False, targets=("a",))


def test_commit_for_a_file_that_is_gone_is_refused() -> None:
    """HDFS-6825; no call removes a file yet, so the test does."""
    namenode, block = recovering()
    del namenode.directory.files_by_id[block.file_id]
    with refused(namenode, FileNotFoundException):
        namenode.commit_block_synchronization(block.as_block(), 1002, 3, delete_block=False, targets=("a",))
