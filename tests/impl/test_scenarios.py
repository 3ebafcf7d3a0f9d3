"""Whole stories, step by step: what each leaves in the namenode, in the replicas, and in the record."""

from collections.abc import Callable

import pytest

from genstamp_dfs.errors import StepNotPossibleError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.driver import Driver
from genstamp_dfs.hdfs.namenode.namespace import INodeFile
from genstamp_dfs.hdfs.protocol import BlockUCState, ReplicaState, Semantics
from genstamp_dfs.hdfs.scenarios import (
    DATANODES,
    FILE,
    SCENARIOS,
    ask_all,
    do,
    late_complete_is_refused,
    lead_recovery,
    new_driver,
    older_recovery_is_preempted,
    open_file,
    queued_primaries,
    receive_command,
    recovered_by_hard_limit,
    recovered_by_recover_lease,
    recovered_by_soft_limit,
    send_packet,
    stale_replica_is_deleted,
    update_all,
    write_and_close,
    write_file,
)


def story(driver: Driver, *events: str) -> list[tuple[str, str | None]]:
    """Name and refusal of the events with these names, in order."""
    return [(event.event, event.refused_with) for event in driver.cluster.log.events if event.event in events]


def inode(driver: Driver) -> INodeFile:
    return driver.cluster.namesystem.directory.file_at(FILE)


def replicas(driver: Driver) -> dict[str, tuple[ReplicaState, int, int]]:
    """datanode -> state, stamp and length of its replica."""
    found = {dn: process.dataset.get_replica(2**30 + 1) for dn, process in driver.cluster.datanodes.items()}
    return {dn: (each.state, each.generation_stamp, each.num_bytes) for dn, each in found.items() if each is not None}


def closed_with(driver: Driver) -> tuple[int, int]:
    """Stamp and length of the block of the file, which must be closed and free of leases."""
    block = inode(driver).last_block()
    assert not inode(driver).is_under_construction
    assert block is not None
    assert block.state is BlockUCState.COMPLETE
    assert driver.cluster.namesystem.lease_manager.leases == {}
    return block.generation_stamp, block.num_bytes


# -- the stories ----------------------------------------------------------------------------------------------------


def test_a_written_file_is_closed_with_equal_finalized_replicas() -> None:
    driver = write_and_close()
    assert closed_with(driver) == (1001, 2)
    assert replicas(driver) == dict.fromkeys(DATANODES, (ReplicaState.FINALIZED, 1001, 2))
    completes = [event.observed for event in driver.cluster.log.events if event.event == "complete"]
    assert completes == [
        {"closed": "false", "block_state": "COMMITTED"},
        {"closed": "true", "block_state": "COMPLETE"},
    ]


@pytest.mark.parametrize("make", [recovered_by_recover_lease, recovered_by_soft_limit, recovered_by_hard_limit])
def test_a_dead_clients_file_is_closed_with_its_flushed_bytes_under_a_new_stamp(
    make: Callable[[], Driver],
) -> None:
    driver = make()
    assert closed_with(driver) == (1002, 2)
    assert replicas(driver) == dict.fromkeys(DATANODES, (ReplicaState.FINALIZED, 1002, 2))


def test_create_is_refused_in_three_ways_on_the_way_to_a_soft_limit_recovery() -> None:
    assert story(recovered_by_soft_limit(), "create") == [
        ("create", None),
        ("create", "AlreadyBeingCreatedException"),
        ("create", "RecoveryInProgressException"),
        ("create", "FileAlreadyExistsException"),
    ]


def test_a_late_complete_is_refused_during_the_recovery_and_after_it() -> None:
    """HDFS-10240: before it, the first of the two went through."""
    driver = late_complete_is_refused()
    assert story(driver, "complete") == [("complete", "IOException"), ("complete", "LeaseExpiredException")]
    assert closed_with(driver) == (1002, 2)


def test_the_younger_of_two_recoveries_wins() -> None:
    driver = older_recovery_is_preempted()
    assert story(driver, "update_replica_under_recovery", "commit_block_synchronization") == [
        ("update_replica_under_recovery", None),
        ("update_replica_under_recovery", "IOException"),
        ("update_replica_under_recovery", "IOException"),
        ("commit_block_synchronization", "IOException"),
        ("update_replica_under_recovery", None),
        ("update_replica_under_recovery", None),
        ("update_replica_under_recovery", None),
        ("commit_block_synchronization", None),
    ]
    assert closed_with(driver) == (1003, 2)


def test_a_stale_replica_is_left_out_and_deleted() -> None:
    driver = stale_replica_is_deleted()
    assert closed_with(driver) == (1002, 2)
    assert sorted(replicas(driver).values()) == [(ReplicaState.FINALIZED, 1002, 2)] * 2


@pytest.mark.parametrize("name", SCENARIOS)
def test_stamps_and_recovery_ids_rise_by_one_from_1001(name: str) -> None:
    drawn = [
        event.recovery_id or event.generation_stamp
        for event in SCENARIOS[name]().cluster.log.events
        if event.event in ("add_block", "recover_lease", "release_expired_lease")
        and (event.recovery_id or event.generation_stamp)
    ]
    assert drawn == list(range(1001, 1001 + len(drawn)))


# -- lengths --------------------------------------------------------------------------------------------------------


def test_a_finalized_replica_decides_over_an_rbw_of_its_length_and_an_rwr() -> None:
    driver = new_driver()
    first, second, last = write_file(driver)
    do(driver, "last_packet", client="client1", file=FILE)
    do(driver, "finalize_replica", client="client1", file=FILE, datanode=last)
    do(driver, "datanode_crash", datanode=second)
    do(driver, "datanode_restart", datanode=second)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    ask_all(driver, primary)
    agreed = do(driver, "sync_block", primary=primary, file=FILE)
    assert agreed.observed == {"participants": ",".join(sorted([first, last])), "delete": "false"}
    states = {
        event.arguments["datanode"]: event.observed["replica_state"]
        for event in driver.cluster.log.events
        if event.event == "init_replica_recovery"
    }
    assert states == {first: "RBW", second: "RWR", last: "FINALIZED"}


def test_a_block_without_data_is_deleted_and_its_replicas_with_it() -> None:
    driver = new_driver()
    pipeline = open_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    ask_all(driver, primary)
    agreed = do(driver, "sync_block", primary=primary, file=FILE)
    assert (agreed.num_bytes, agreed.observed) == (0, {"participants": "", "delete": "true"})
    committed = do(driver, "commit_block_synchronization", primary=primary, file=FILE)
    assert committed.observed == {"closed": "true", "deleted": "true"}
    assert inode(driver).blocks == []
    for datanode in pipeline:
        do(driver, "invalidate_replica", file=FILE, datanode=datanode)
    assert replicas(driver) == {}


# -- nodes that are down --------------------------------------------------------------------------------------------


def test_recovery_goes_on_without_a_datanode_that_is_down() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    (primary,) = queued_primaries(driver)
    down = next(dn for dn in DATANODES if dn != primary)
    do(driver, "datanode_crash", datanode=down)
    lead_recovery(driver, receive_command(driver))
    assert closed_with(driver) == (1002, 2)
    assert replicas(driver)[down] == (ReplicaState.RBW, 1001, 2)


def test_recovery_goes_on_without_a_participant_that_dies_before_its_update() -> None:
    """HDFS-12070."""
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    ask_all(driver, primary)
    do(driver, "sync_block", primary=primary, file=FILE)
    down = next(dn for dn in DATANODES if dn != primary)
    do(driver, "datanode_crash", datanode=down)
    update_all(driver, primary)
    do(driver, "commit_block_synchronization", primary=primary, file=FILE)
    assert ("update_replica_failed", None) in story(driver, "update_replica_failed")
    assert closed_with(driver) == (1002, 2)
    do(driver, "datanode_restart", datanode=down)
    assert replicas(driver)[down] == (ReplicaState.RWR, 1001, 2)
    do(driver, "invalidate_replica", file=FILE, datanode=down)


def test_a_primary_that_dies_before_the_commit_leaves_a_file_that_the_next_recovery_closes() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    ask_all(driver, primary)
    do(driver, "sync_block", primary=primary, file=FILE)
    update_all(driver, primary)
    do(driver, "datanode_crash", datanode=primary)
    driver.tick(90_001)
    do(driver, "recover_lease", client="client2", file=FILE)
    assert receive_and_lead(driver).num_bytes == 2
    assert closed_with(driver) == (1003, 2)


def receive_and_lead(driver: Driver) -> Event:
    """The one datanode that is up and has a command leads its recovery."""
    (primary,) = [dn for dn in queued_primaries(driver) if driver.cluster.datanodes[dn].is_up]
    do(driver, "receive_recovery_command", file=FILE, datanode=primary)
    return lead_recovery(driver, primary)


def test_a_preempted_attempt_is_abandoned_without_asking_on() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    older = receive_command(driver)
    driver.tick(90_001)
    do(driver, "recover_lease", client="client2", file=FILE)
    (younger,) = queued_primaries(driver)
    do(driver, "receive_recovery_command", file=FILE, datanode=younger)
    ask_all(driver, younger)
    refused = do(driver, "init_replica_recovery", primary=older, file=FILE, datanode=older)
    assert (refused.refused_with, refused.recovery_id) == ("RecoveryInProgressException", 1002)
    with pytest.raises(StepNotPossibleError, match="abandon_recovery is the step"):
        do(driver, "sync_block", primary=older, file=FILE)
    do(driver, "abandon_recovery", primary=older, file=FILE)


def flushed_byte_only_at_a_datanode_that_is_down(semantics: Semantics) -> tuple[Driver, str]:
    """One acknowledged byte: one datanode lost it by a restart, the other has it and is down; gives the primary."""
    driver = Driver([FILE], ["client1", "client2"], ["datanode1", "datanode2"], semantics)
    loser, keeper = write_file(driver, packets=1)
    do(driver, "datanode_crash", datanode=loser)
    do(driver, "datanode_restart_losing_bytes", datanode=loser)
    do(driver, "datanode_crash", datanode=keeper)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    ask_all(driver, primary)
    return driver, primary


def test_hadoop_deletes_a_block_whose_data_is_at_a_datanode_that_is_down() -> None:
    """The hole against S18, open in 3.4.1."""
    driver, primary = flushed_byte_only_at_a_datanode_that_is_down(Semantics.HADOOP_3_4)
    assert do(driver, "sync_block", primary=primary, file=FILE).observed["delete"] == "true"


def test_repaired_waits_for_the_datanode_that_is_down() -> None:
    driver, primary = flushed_byte_only_at_a_datanode_that_is_down(Semantics.REPAIRED)
    with pytest.raises(StepNotPossibleError, match="did not answer and may have some"):
        do(driver, "sync_block", primary=primary, file=FILE)
    do(driver, "abandon_recovery", primary=primary, file=FILE)
    (keeper,) = [dn for dn, process in driver.cluster.datanodes.items() if not process.is_up]
    do(driver, "datanode_restart", datanode=keeper)
    driver.tick(90_001)
    do(driver, "recover_lease", client="client2", file=FILE)
    assert receive_and_lead(driver).num_bytes == 1


@pytest.mark.parametrize("semantics", Semantics)
def test_two_unfinished_recoveries_can_leave_finalized_replicas_that_no_recovery_reconciles(
    semantics: Semantics,
) -> None:
    """A known hole of Hadoop's syncBlock, not repaired: it compares lengths of FINALIZED replicas but not their stamps.

    Each of two primaries in turn is alone, finalizes its own replica under its own id, and dies before the commit.
    """
    driver = Driver([FILE], ["client1", "client2"], ["datanode1", "datanode2"], semantics)
    longer, shorter = open_file(driver)
    send_packet(driver)
    send_packet(driver, reach=1)
    for alone, away in ((longer, shorter), (shorter, longer)):
        if driver.cluster.datanodes[away].is_up:
            do(driver, "datanode_crash", datanode=away)
        if not driver.cluster.datanodes[alone].is_up:
            do(driver, "datanode_restart", datanode=alone)
        do(driver, "recover_lease", client="client2", file=FILE)
        do(driver, "receive_recovery_command", file=FILE, datanode=alone)
        ask_all(driver, alone)
        do(driver, "sync_block", primary=alone, file=FILE)
        update_all(driver, alone)
        do(driver, "datanode_crash", datanode=alone)
        driver.tick(90_001)
    for datanode in (longer, shorter):
        do(driver, "datanode_restart", datanode=datanode)
    assert replicas(driver) == {
        longer: (ReplicaState.FINALIZED, 1002, 2),
        shorter: (ReplicaState.FINALIZED, 1003, 1),
    }
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    ask_all(driver, primary)
    with pytest.raises(StepNotPossibleError, match="inconsistent size of finalized replicas"):
        do(driver, "sync_block", primary=primary, file=FILE)
    do(driver, "abandon_recovery", primary=primary, file=FILE)
