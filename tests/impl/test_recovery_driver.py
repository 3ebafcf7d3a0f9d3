"""hdfs.recovery on the real cores: one call, one step; otherwise nothing. And whole stories, step by step."""

from collections.abc import Callable, Iterator, Mapping

import pytest
from tests.impl.recovery_steps import (
    DATANODES,
    FILE,
    MADE,
    agree,
    ask_all,
    begin_recovery,
    closed_with,
    do,
    finalize_all,
    lead_recovery,
    new_driver,
    open_file,
    replicas,
    send_packet,
    update,
    write_file,
)

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.hdfs.protocol import Limits, ReplicaState, Semantics
from genstamp_dfs.stepwise.recovery.driver import RecoveryDriver

FINALIZED, RBW, RWR, RUR, _ = ReplicaState
TWO = ("datanode1", "datanode2")


@pytest.fixture(autouse=True)
def closes_its_drivers() -> Iterator[None]:
    """What a test leaves waiting is let go of."""
    yield
    while MADE:
        MADE.pop().close()


def refuses_now(driver: RecoveryDriver, event: str, **arguments: str) -> str:
    """Ask for a step that must not be possible, and must leave everything as it was; gives the reason."""
    before = (replicas(driver), driver.cluster.log.events[:])
    with pytest.raises(StepNotPossibleError) as caught:
        driver.call(event, arguments)
    assert (replicas(driver), driver.cluster.log.events) == before
    return caught.value.why


def refusals(driver: RecoveryDriver, event: str) -> list[str | None]:
    """How the calls of this name were answered, in order."""
    return [one.refused_with for one in driver.cluster.log.events if one.event == event]


# -- mistakes of the caller -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "arguments", "error", "match"),
    [
        ("creat", {}, UnknownNameError, "unknown event 'creat', accepted: create, add_block"),
        ("soft_limit_passes", {"holder": "client1"}, UnknownNameError, "unknown event"),
        ("create", {"client": "client1"}, WrongArgumentsError, r"accepted: \(client, file\)"),
        ("create", {"client": "client1", "file": "/a", "x": "y"}, WrongArgumentsError, "accepted"),
        ("create", {"client": "client9", "file": "/a"}, UnknownNameError, "unknown client 'client9'"),
        ("create", {"client": "client1", "file": "/b"}, UnknownNameError, "unknown file '/b', accepted: /a"),
        ("datanode_crash", {"datanode": "namenode"}, UnknownNameError, "unknown datanode 'namenode'"),
        ("sync_block", {"primary": "client1", "file": "/a"}, UnknownNameError, "unknown primary"),
    ],
)
def test_a_call_with_wrong_words_is_a_mistake(
    event: str, arguments: Mapping[str, str], error: type[Exception], match: str
) -> None:
    driver = new_driver()
    with pytest.raises(error, match=match):
        driver.call(event, arguments)
    assert driver.events() == []


def test_fault_takes_faults_only() -> None:
    driver = new_driver()
    with pytest.raises(UnknownNameError, match="accepted: client_crash, datanode_crash"):
        driver.fault("create", {"client": "client1", "file": FILE})
    assert [event.event for event in driver.fault("client_crash", {"client": "client1"})] == ["client_crash"]


@pytest.mark.parametrize("ms", [0, -1])
def test_time_does_not_stand_or_run_backwards(ms: int) -> None:
    with pytest.raises(ConfigurationError, match="accepted: 1 or more"):
        new_driver().tick(ms)


@pytest.mark.parametrize(
    ("files", "clients", "datanodes", "semantics"),
    [
        ([], ["c"], ["d"], "repaired"),
        (["/a", "/a"], ["c"], ["d"], "repaired"),
        (["/a"], [], ["d"], "repaired"),
        (["/a"], ["c"], [], "repaired"),
        (["/a"], ["c"], ["c"], "repaired"),
        (["/a"], ["namenode"], ["d"], "repaired"),
        (["/a"], ["c"], ["d"], "hadoop-2.7"),
    ],
)
def test_a_driver_that_makes_no_run_is_a_mistake(
    files: list[str], clients: list[str], datanodes: list[str], semantics: str
) -> None:
    with pytest.raises(ConfigurationError, match="accepted"):
        RecoveryDriver(files, clients, datanodes, semantics)


def test_limits_that_make_no_sense_are_a_mistake() -> None:
    with pytest.raises(ConfigurationError, match="hard_limit_ms is 5"):
        Limits(soft_limit_ms=5, hard_limit_ms=5)
    with pytest.raises(ConfigurationError, match="lease_recheck_ms is 0"):
        Limits(lease_recheck_ms=0)


# -- what is not possible now ---------------------------------------------------------------------------------------


def test_nodes_that_are_down_do_nothing() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "datanode_crash", datanode="datanode1")
    here = {"file": FILE, "datanode": "datanode1"}
    assert refuses_now(driver, "receive_packet", client="client1", **here) == "datanode1 is down"
    assert refuses_now(driver, "block_received", **here) == "datanode1 is down"
    assert refuses_now(driver, "datanode_crash", datanode="datanode1") == "datanode1 is down"
    do(driver, "client_crash", client="client1")
    for event in ("create", "add_block", "hflush", "last_packet", "complete", "recover_lease"):
        assert refuses_now(driver, event, client="client1", file=FILE) == "client1 is down"
    assert refuses_now(driver, "renew_lease", client="client1") == "client1 is down"


def test_a_restarted_datanode_has_no_writer() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "datanode_crash", datanode="datanode1")
    do(driver, "datanode_restart", datanode="datanode1")
    for event in ("hflush", "last_packet"):
        assert "takes no packets" in refuses_now(driver, event, client="client1", file=FILE)
    assert replicas(driver)["datanode1"] == (RWR, 1001, 2)


def test_a_recovery_stops_the_writer() -> None:
    driver = new_driver()
    write_file(driver)
    begin_recovery(driver)
    do(driver, "init_replica_recovery", primary="datanode1", file=FILE, datanode="datanode1")
    reason = refuses_now(driver, "receive_packet", client="client1", file=FILE, datanode="datanode1")
    assert reason == "datanode1 takes no packets of client1"


def test_data_flows_along_the_pipeline_once_it_is_set_up() -> None:
    driver = new_driver(datanodes=TWO)
    do(driver, "create", client="client1", file=FILE)
    do(driver, "add_block", client="client1", file=FILE)
    first, second = ({"client": "client1", "file": FILE, "datanode": name} for name in reversed(TWO))
    do(driver, "create_rbw", **first)
    assert refuses_now(driver, "receive_packet", **first) == "no data is sent now"
    do(driver, "create_rbw", **second)
    assert "no packet of data is on its way" in refuses_now(driver, "receive_packet", **second)
    do(driver, "receive_packet", **first)
    assert "hflush waits" in refuses_now(driver, "hflush", client="client1", file=FILE)
    do(driver, "receive_packet", **second)
    assert do(driver, "hflush", client="client1", file=FILE).num_bytes == 1


def test_a_step_that_nobody_asks_for_comes_with_time() -> None:
    driver = new_driver()
    write_file(driver)
    with pytest.raises(StepNotPossibleError, match="tick"):
        driver.call("release_expired_lease", {"holder": "client1", "file": FILE})
    assert [event.event for event in driver.tick(1_202_000)] == ["release_expired_lease"]


# -- whole stories --------------------------------------------------------------------------------------------------


def test_a_written_file_is_closed_with_equal_finalized_replicas() -> None:
    driver = new_driver()
    write_file(driver)
    finalize_all(driver)
    assert do(driver, "complete", client="client1", file=FILE).observed["block_state"] == "COMMITTED"
    for datanode in DATANODES:
        do(driver, "block_received", file=FILE, datanode=datanode)
    assert do(driver, "complete", client="client1", file=FILE).observed == {"closed": "true", "block_state": "COMPLETE"}
    assert closed_with(driver) == (1001, 2)
    assert replicas(driver) == dict.fromkeys(DATANODES, (FINALIZED, 1001, 2))


def _asked(driver: RecoveryDriver) -> None:
    do(driver, "recover_lease", client="client2", file=FILE)


def _past_soft_limit(driver: RecoveryDriver) -> None:
    do(driver, "create", client="client2", file=FILE)
    driver.tick(60_001)
    do(driver, "create", client="client2", file=FILE)
    assert refusals(driver, "create")[1:] == ["AlreadyBeingCreatedException", "RecoveryInProgressException"]


def _past_hard_limit(driver: RecoveryDriver) -> None:
    driver.tick(1_202_000)


@pytest.mark.parametrize("begin", [_asked, _past_soft_limit, _past_hard_limit])
def test_a_dead_clients_file_is_closed_with_its_flushed_bytes_under_a_new_stamp(
    begin: Callable[[RecoveryDriver], None],
) -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "client_crash", client="client1")
    begin(driver)
    do(driver, "receive_recovery_command", file=FILE, datanode="datanode2")
    lead_recovery(driver, "datanode2")
    assert closed_with(driver) == (1002, 2)
    assert replicas(driver) == dict.fromkeys(DATANODES, (FINALIZED, 1002, 2))


def test_a_late_complete_is_refused_during_the_recovery_and_after_it() -> None:
    """HDFS-10240: before it, the first of the two went through."""
    driver = new_driver()
    write_file(driver)
    finalize_all(driver)
    driver.tick(60_001)
    do(driver, "create", client="client2", file=FILE)
    do(driver, "complete", client="client1", file=FILE)
    do(driver, "receive_recovery_command", file=FILE, datanode="datanode1")
    lead_recovery(driver)
    do(driver, "complete", client="client1", file=FILE)
    assert refusals(driver, "complete") == ["IOException", "LeaseExpiredException"]
    assert closed_with(driver) == (1002, 2)


def test_the_younger_of_two_recoveries_wins() -> None:
    driver = new_driver(datanodes=TWO)
    write_file(driver)
    begin_recovery(driver)
    agreed = agree(driver)
    do(driver, "update_replica_under_recovery", primary="datanode1", file=FILE, datanode="datanode1")
    driver.tick(90_001)
    begin_recovery(driver, "datanode2")
    ask_all(driver, "datanode2")
    do(driver, "update_replica_under_recovery", primary="datanode1", file=FILE, datanode="datanode2")
    do(driver, "commit_block_synchronization", primary="datanode1", file=FILE)
    assert agreed.observed["participants"] == ",".join(TWO)
    younger = do(driver, "sync_block", primary="datanode2", file=FILE)
    update(driver, "datanode2", younger)
    do(driver, "commit_block_synchronization", primary="datanode2", file=FILE)
    assert refusals(driver, "update_replica_under_recovery") == [None, "IOException", None, None]
    assert refusals(driver, "commit_block_synchronization") == ["IOException", None]
    assert closed_with(driver) == (1003, 2)


def test_a_preempted_attempt_is_abandoned_without_asking_on() -> None:
    driver = new_driver()
    write_file(driver)
    begin_recovery(driver)
    driver.tick(90_001)
    begin_recovery(driver, "datanode2")
    ask_all(driver, "datanode2")
    refused = do(driver, "init_replica_recovery", primary="datanode1", file=FILE, datanode="datanode3")
    assert (refused.refused_with, refused.recovery_id) == ("RecoveryInProgressException", 1002)
    reason = refuses_now(driver, "sync_block", primary="datanode1", file=FILE)
    assert reason == "abandon_recovery would come of it"
    do(driver, "abandon_recovery", primary="datanode1", file=FILE)


# -- lengths --------------------------------------------------------------------------------------------------------


def test_a_stale_replica_is_left_out_and_deleted() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "datanode_crash", datanode="datanode2")
    do(driver, "datanode_restart_losing_bytes", datanode="datanode2")
    assert replicas(driver)["datanode2"] == (RWR, 1001, 1)
    begin_recovery(driver)
    lead_recovery(driver)
    do(driver, "invalidate_replica", file=FILE, datanode="datanode2")
    assert closed_with(driver) == (1002, 2)
    assert replicas(driver) == dict.fromkeys(("datanode1", "datanode3"), (FINALIZED, 1002, 2))


def test_a_finalized_replica_decides_over_an_rbw_of_its_length_and_an_rwr() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "last_packet", client="client1", file=FILE)
    do(driver, "finalize_replica", client="client1", file=FILE, datanode="datanode3")
    do(driver, "datanode_crash", datanode="datanode2")
    do(driver, "datanode_restart", datanode="datanode2")
    begin_recovery(driver)
    assert agree(driver).observed == {"participants": "datanode1,datanode3", "delete": "false"}
    states = [e.observed["replica_state"] for e in driver.cluster.log.events if e.event == "init_replica_recovery"]
    assert states == ["RBW", "RWR", "FINALIZED"]


def test_a_block_without_data_is_deleted_and_its_replicas_with_it() -> None:
    driver = new_driver()
    open_file(driver)
    begin_recovery(driver)
    agreed = agree(driver)
    assert (agreed.num_bytes, agreed.observed) == (0, {"participants": "", "delete": "true"})
    committed = do(driver, "commit_block_synchronization", primary="datanode1", file=FILE)
    assert committed.observed == {"closed": "true", "deleted": "true"}
    for datanode in DATANODES:
        do(driver, "invalidate_replica", file=FILE, datanode=datanode)
    assert replicas(driver) == {}


# -- nodes that are down --------------------------------------------------------------------------------------------


def test_recovery_goes_on_without_a_participant_that_dies_before_its_update() -> None:
    """HDFS-12070."""
    driver = new_driver()
    write_file(driver)
    begin_recovery(driver)
    agreed = agree(driver)
    do(driver, "datanode_crash", datanode="datanode3")
    update(driver, "datanode1", agreed)
    do(driver, "commit_block_synchronization", primary="datanode1", file=FILE)
    assert closed_with(driver) == (1002, 2)
    do(driver, "datanode_restart", datanode="datanode3")
    assert replicas(driver)["datanode3"] == (RWR, 1001, 2)
    do(driver, "invalidate_replica", file=FILE, datanode="datanode3")


def test_a_primary_that_dies_before_the_commit_leaves_a_file_that_the_next_recovery_closes() -> None:
    driver = new_driver()
    write_file(driver)
    begin_recovery(driver)
    update(driver, "datanode1", agree(driver))
    do(driver, "datanode_crash", datanode="datanode1")
    driver.tick(90_001)
    do(driver, "recover_lease", client="client2", file=FILE)
    driver.call("receive_recovery_command", {"file": FILE, "datanode": "datanode2"})
    for datanode in ("datanode2", "datanode3"):
        do(driver, "init_replica_recovery", primary="datanode2", file=FILE, datanode=datanode)
    update(driver, "datanode2", do(driver, "sync_block", primary="datanode2", file=FILE))
    assert do(driver, "commit_block_synchronization", primary="datanode2", file=FILE).num_bytes == 2
    assert closed_with(driver) == (1003, 2)


def _only_at_a_datanode_that_is_down(semantics: Semantics, *, dies_first: bool) -> RecoveryDriver:
    """One acknowledged packet: datanode1 has lost it by a restart, datanode2 has it and is down.

    Args:
        dies_first: the namenode takes datanode2 for dead before it orders the recovery; else datanode2 dies later.
    """
    driver = new_driver(semantics, TWO)
    write_file(driver, packets=1)
    do(driver, "datanode_crash", datanode="datanode1")
    do(driver, "datanode_restart_losing_bytes", datanode="datanode1")
    if dies_first:
        do(driver, "datanode_crash", datanode="datanode2")
    begin_recovery(driver)
    if not dies_first:
        do(driver, "datanode_crash", datanode="datanode2")
        do(driver, "init_replica_recovery_failed", primary="datanode1", file=FILE, datanode="datanode2")
    do(driver, "init_replica_recovery", primary="datanode1", file=FILE, datanode="datanode1")
    return driver


def test_hadoop_deletes_a_block_whose_data_is_at_a_datanode_that_is_down() -> None:
    """The hole unreachable-is-not-empty, open in 3.4.1."""
    driver = _only_at_a_datanode_that_is_down(Semantics.HADOOP_3_4, dies_first=False)
    assert do(driver, "sync_block", primary="datanode1", file=FILE).observed["delete"] == "true"


@pytest.mark.parametrize("dies_first", [False, True])
def test_repaired_waits_for_the_datanode_that_is_down(dies_first: bool) -> None:
    """The holes unreachable-is-not-empty and dead-are-asked."""
    driver = _only_at_a_datanode_that_is_down(Semantics.REPAIRED, dies_first=dies_first)
    assert "abandon_recovery" in refuses_now(driver, "sync_block", primary="datanode1", file=FILE)
    do(driver, "abandon_recovery", primary="datanode1", file=FILE)
    do(driver, "datanode_restart", datanode="datanode2")
    driver.tick(90_001)
    begin_recovery(driver, "datanode2")
    assert lead_recovery(driver, "datanode2").num_bytes == 1


# -- the run itself -------------------------------------------------------------------------------------------------


def test_the_same_calls_give_the_same_events() -> None:
    def events() -> list[object]:
        driver = new_driver()
        write_file(driver)
        begin_recovery(driver)
        lead_recovery(driver)
        return list(driver.cluster.log.events)

    assert events() == events()


def test_an_order_that_nobody_has_seen_is_chosen_afterwards() -> None:
    """Three datanodes are set up in the order in which they are asked for, whatever the namenode's was."""
    driver = new_driver()
    do(driver, "create", client="client1", file=FILE)
    do(driver, "add_block", client="client1", file=FILE)
    for datanode in ("datanode3", "datanode1", "datanode2"):
        do(driver, "create_rbw", client="client1", file=FILE, datanode=datanode)
    send_packet_to = [event.node for event in driver.cluster.log.events if event.event == "create_rbw"]
    assert send_packet_to == ["datanode3", "datanode1", "datanode2"]


def test_a_length_is_a_number_of_packets() -> None:
    driver = new_driver(datanodes=TWO)
    open_file(driver)
    send_packet(driver)
    send_packet(driver, reach=1)
    lengths = {name: length for name, (_, _, length) in replicas(driver).items()}
    assert lengths == {"datanode1": 2, "datanode2": 1}
