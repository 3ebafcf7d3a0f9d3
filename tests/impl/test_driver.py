"""The step-by-step face: one call, one step, one event; otherwise nothing."""

import contextlib
import itertools
import random
from collections import Counter
from collections.abc import Callable, Mapping

import pytest

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.cluster import FAULTS, STEPS, TIMED
from genstamp_dfs.hdfs.driver import Driver
from genstamp_dfs.hdfs.protocol import Limits
from genstamp_dfs.hdfs.scenarios import (
    FILE,
    do,
    finalize_all,
    lead_recovery,
    new_driver,
    open_file,
    pipeline_of,
    queued_primaries,
    receive_command,
    send_packet,
    write_file,
)

Snapshot = Callable[[Driver], bytes]


def refuses_now(driver: Driver, event: str, **arguments: str) -> str:
    """Ask for a step that must not be possible; gives the reason."""
    with pytest.raises(StepNotPossibleError) as caught:
        driver.call(event, arguments)
    return caught.value.why


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
def test_a_call_with_wrong_words_is_a_mistake_and_changes_nothing(
    event: str, arguments: Mapping[str, str], error: type[Exception], match: str, snapshot: Snapshot
) -> None:
    driver = new_driver()
    before = snapshot(driver)
    with pytest.raises(error, match=match):
        driver.call(event, arguments)
    assert (snapshot(driver), driver.events()) == (before, [])


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
        Driver(files, clients, datanodes, semantics)


def test_limits_that_make_no_sense_are_a_mistake() -> None:
    with pytest.raises(ConfigurationError, match="hard_limit_ms is 5"):
        Limits(soft_limit_ms=5, hard_limit_ms=5)
    with pytest.raises(ConfigurationError, match="lease_recheck_ms is 0"):
        Limits(lease_recheck_ms=0)


# -- what is not possible now ---------------------------------------------------------------------------------------


def test_a_dead_client_does_nothing() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "client_crash", client="client1")
    dn = "datanode1"
    for event in ("create", "add_block", "hflush", "last_packet", "complete", "recover_lease"):
        assert refuses_now(driver, event, client="client1", file=FILE) == "client1 is down"
    assert refuses_now(driver, "renew_lease", client="client1") == "client1 is down"
    assert refuses_now(driver, "receive_packet", client="client1", file=FILE, datanode=dn) == "client1 is down"


def test_a_dead_datanode_receives_nothing() -> None:
    driver = new_driver()
    first = write_file(driver)[0]
    do(driver, "datanode_crash", datanode=first)
    assert refuses_now(driver, "receive_packet", client="client1", file=FILE, datanode=first) == f"{first} is down"
    assert refuses_now(driver, "block_received", file=FILE, datanode=first) == f"{first} is down"
    assert refuses_now(driver, "datanode_crash", datanode=first) == f"{first} is down"


def test_a_restarted_datanode_has_no_writer() -> None:
    driver = new_driver()
    first = write_file(driver)[0]
    do(driver, "datanode_crash", datanode=first)
    do(driver, "datanode_restart", datanode=first)
    assert "is stopped" in refuses_now(driver, "receive_packet", client="client1", file=FILE, datanode=first)
    assert "is stopped" in refuses_now(driver, "hflush", client="client1", file=FILE)
    assert "is stopped" in refuses_now(driver, "last_packet", client="client1", file=FILE)


def test_a_replica_taken_by_a_recovery_has_no_writer() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    do(driver, "init_replica_recovery", primary=primary, file=FILE, datanode=primary)
    assert "is stopped" in refuses_now(driver, "receive_packet", client="client1", file=FILE, datanode=primary)


def test_data_does_not_flow_before_the_pipeline_is_set_up() -> None:
    driver = new_driver()
    do(driver, "create", client="client1", file=FILE)
    do(driver, "add_block", client="client1", file=FILE)
    first = pipeline_of(driver, "client1")[0]
    do(driver, "create_rbw", client="client1", file=FILE, datanode=first)
    assert "pipeline set-up" in refuses_now(driver, "receive_packet", client="client1", file=FILE, datanode=first)


def test_hflush_promises_what_the_last_datanode_has_and_waits_for_what_is_under_way() -> None:
    driver = new_driver()
    open_file(driver)
    assert do(driver, "hflush", client="client1", file=FILE).num_bytes == 0
    send_packet(driver)
    send_packet(driver, reach=2)
    assert do(driver, "hflush", client="client1", file=FILE).num_bytes == 1
    assert "beyond 1 bytes" in refuses_now(driver, "hflush", client="client1", file=FILE)


def test_the_last_packet_waits_for_all_acknowledgements() -> None:
    driver = new_driver()
    open_file(driver)
    send_packet(driver, reach=1)
    assert "of 1 bytes sent" in refuses_now(driver, "last_packet", client="client1", file=FILE)


def test_a_block_may_end_empty() -> None:
    driver = new_driver()
    open_file(driver)
    finalize_all(driver)
    assert do(driver, "complete", client="client1", file=FILE).observed == {
        "closed": "false",
        "block_state": "COMMITTED",
    }


def test_a_datanode_finalizes_after_its_downstream() -> None:
    driver = new_driver()
    first, second, last = write_file(driver)
    do(driver, "last_packet", client="client1", file=FILE)
    why = refuses_now(driver, "finalize_replica", client="client1", file=FILE, datanode=first)
    assert why == f"{second}, downstream of {first}, has not acknowledged the last packet"
    assert do(driver, "finalize_replica", client="client1", file=FILE, datanode=last).num_bytes == 2


def test_a_datanode_finalizes_without_a_downstream_that_is_lost() -> None:
    driver = new_driver()
    first, second, last = write_file(driver)
    do(driver, "last_packet", client="client1", file=FILE)
    do(driver, "datanode_crash", datanode=last)
    assert do(driver, "finalize_replica", client="client1", file=FILE, datanode=second).num_bytes == 2
    assert do(driver, "finalize_replica", client="client1", file=FILE, datanode=first).num_bytes == 2
    assert "not acknowledged by all" in refuses_now(driver, "complete", client="client1", file=FILE)


def test_a_closed_stream_does_nothing_more() -> None:
    driver = new_driver()
    do(driver, "create", client="client1", file=FILE)
    assert do(driver, "complete", client="client1", file=FILE).observed == {"closed": "true"}
    assert "is closed" in refuses_now(driver, "complete", client="client1", file=FILE)


def test_a_report_may_come_again() -> None:
    driver = new_driver()
    first = write_file(driver)[0]
    assert "no report" in refuses_now(driver, "block_received", file=FILE, datanode=first)
    finalize_all(driver)
    reported = do(driver, "block_received", file=FILE, datanode=first)
    again = do(driver, "block_received", file=FILE, datanode=first)
    assert (again.observed, again.num_bytes) == (reported.observed, reported.num_bytes)


def test_a_pipeline_is_set_up_once_at_each_datanode() -> None:
    driver = new_driver()
    first = open_file(driver)[0]
    again = do(driver, "create_rbw", client="client1", file=FILE, datanode=first)
    assert again.refused_with == "ReplicaAlreadyExistsException"


def test_who_writes_no_more_may_still_call_and_is_refused() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    for event in ("add_block", "complete"):
        assert do(driver, event, client="client1", file=FILE).refused_with == "LeaseExpiredException"


def test_who_asked_for_a_recovery_adds_nothing_and_is_refused_the_end_of_the_block() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    assert "does not write it" in refuses_now(driver, "add_block", client="client2", file=FILE)
    assert do(driver, "complete", client="client2", file=FILE).refused_with == "IOException"


def test_who_closed_a_file_may_call_again_and_is_refused_as_its_stream_is_forgotten() -> None:
    driver = new_driver()
    write_file(driver)
    finalize_all(driver)
    for datanode in pipeline_of(driver, "client1"):
        do(driver, "block_received", file=FILE, datanode=datanode)
    assert do(driver, "complete", client="client1", file=FILE).observed["closed"] == "true"
    for event in ("add_block", "complete"):
        assert do(driver, event, client="client1", file=FILE).refused_with == "LeaseExpiredException"


def test_add_block_needs_a_datanode_but_is_refused_first_if_the_caller_may_not() -> None:
    driver = new_driver()
    do(driver, "create", client="client1", file=FILE)
    for datanode in list(driver.cluster.datanodes):
        do(driver, "datanode_crash", datanode=datanode)
    assert do(driver, "add_block", client="client1", file=FILE).refused_with == "IOException"
    assert do(driver, "add_block", client="client2", file=FILE).refused_with == "LeaseExpiredException"


def test_a_command_is_received_by_the_chosen_primary_only_and_once() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    (primary,) = queued_primaries(driver)
    for other in set(driver.cluster.datanodes) - {primary}:
        assert "no recovery" in refuses_now(driver, "receive_recovery_command", file=FILE, datanode=other)
    command = do(driver, "receive_recovery_command", file=FILE, datanode=primary)
    assert (command.generation_stamp, command.recovery_id) == (1001, 1002)
    assert "no recovery" in refuses_now(driver, "receive_recovery_command", file=FILE, datanode=primary)


def test_a_command_waits_for_its_primary_to_restart() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    (primary,) = queued_primaries(driver)
    do(driver, "datanode_crash", datanode=primary)
    assert refuses_now(driver, "receive_recovery_command", file=FILE, datanode=primary) == f"{primary} is down"
    do(driver, "datanode_restart", datanode=primary)
    assert queued_primaries(driver) == [primary]
    assert do(driver, "receive_recovery_command", file=FILE, datanode=primary).recovery_id == 1002


def test_a_younger_command_replaces_the_attempt_that_its_primary_leads() -> None:
    driver = Driver([FILE], ["client1"], ["datanode1"])
    write_file(driver)
    for recovery_id in (1002, 1003):
        assert do(driver, "recover_lease", client="client1", file=FILE).recovery_id == recovery_id
        command = do(driver, "receive_recovery_command", file=FILE, datanode="datanode1")
        assert command.recovery_id == recovery_id
        asked = do(driver, "init_replica_recovery", primary="datanode1", file=FILE, datanode="datanode1")
        assert (asked.recovery_id, asked.refused_with) == (recovery_id, None)
        driver.tick(90_001)


def test_a_location_that_is_up_does_not_fail_to_answer() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    why = refuses_now(driver, "init_replica_recovery_failed", primary=primary, file=FILE, datanode=primary)
    assert why == f"{primary} is up and would answer"


def test_the_steps_of_a_recovery_come_in_their_order() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    assert "has not been asked" in refuses_now(driver, "sync_block", primary=primary, file=FILE)
    assert "no reason" in refuses_now(driver, "abandon_recovery", primary=primary, file=FILE)
    assert "no updated replica" in refuses_now(driver, "commit_block_synchronization", primary=primary, file=FILE)
    assert "has still to update []" in refuses_now(
        driver, "update_replica_under_recovery", primary=primary, file=FILE, datanode=primary
    )
    (other, _) = sorted(set(driver.cluster.datanodes) - {primary})
    assert "leads no recovery" in refuses_now(driver, "sync_block", primary=other, file=FILE)


def test_an_attempt_dies_with_its_primary() -> None:
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    primary = receive_command(driver)
    do(driver, "datanode_crash", datanode=primary)
    do(driver, "datanode_restart", datanode=primary)
    why = refuses_now(driver, "init_replica_recovery", primary=primary, file=FILE, datanode=primary)
    assert why == f"{primary} leads no recovery of {FILE}"


def test_a_command_for_a_block_that_was_completed_meanwhile_is_never_delivered() -> None:
    """HDFS-13758."""
    driver = new_driver()
    write_file(driver)
    do(driver, "recover_lease", client="client2", file=FILE)
    (waiting,) = queued_primaries(driver)
    driver.tick(90_001)
    do(driver, "recover_lease", client="client2", file=FILE)
    (other,) = set(queued_primaries(driver)) - {waiting}
    do(driver, "receive_recovery_command", file=FILE, datanode=other)
    lead_recovery(driver, other)
    why = refuses_now(driver, "receive_recovery_command", file=FILE, datanode=waiting)
    assert "out of date" in why


def test_a_good_replica_is_not_invalidated() -> None:
    driver = new_driver()
    first = write_file(driver)[0]
    assert "orders no deletion" in refuses_now(driver, "invalidate_replica", file=FILE, datanode=first)


@pytest.mark.parametrize("event", TIMED)
def test_what_time_does_cannot_be_called(event: str) -> None:
    assert "tick" in refuses_now(new_driver(), event, holder="client1", file=FILE)


# -- time -----------------------------------------------------------------------------------------------------------


def test_the_monitor_takes_a_file_at_its_first_pass_past_the_hard_limit() -> None:
    driver = new_driver()
    do(driver, "create", client="client1", file=FILE)
    assert driver.tick(1_200_000) == []
    assert driver.tick(1_999) == []
    (released,) = driver.tick(1)
    assert (released.event, released.arguments) == ("release_expired_lease", {"holder": "client1", "file": FILE})
    assert (released.observed, released.time_us) == ({"closed": "true"}, 1_202_000_000)


def test_a_lease_that_is_renewed_never_expires() -> None:
    driver = new_driver()
    write_file(driver)
    for _ in range(50):
        driver.tick(60_000)
        do(driver, "renew_lease", client="client1")
    assert do(driver, "create", client="client2", file=FILE).refused_with == "AlreadyBeingCreatedException"


def test_the_namenodes_own_lease_is_named_in_events_as_the_namenodes() -> None:
    driver = new_driver()
    write_file(driver)
    driver.tick(1_202_000)
    (released,) = driver.tick(1_202_000)
    assert released.arguments == {"holder": "namenode", "file": FILE}


def test_the_seed_decides_pipeline_and_primary() -> None:
    seen = set()
    for seed in range(30):
        driver = new_driver(seed=seed)
        pipeline = write_file(driver)
        driver.tick(1)
        do(driver, "recover_lease", client="client2", file=FILE)
        seen.add((pipeline[0], *queued_primaries(driver)))
    assert len(seen) == 9


# -- any sequence of calls ------------------------------------------------------------------------------------------


def random_calls(driver: Driver, rng: random.Random) -> list[tuple[str, dict[str, str]]]:
    """All calls of the run in random order; those that end a story come first, but rarely, or not at all."""
    names = {
        "client": tuple(driver.cluster.clients),
        "file": driver.files,
        "datanode": tuple(driver.cluster.datanodes),
        "primary": tuple(driver.cluster.datanodes),
    }
    ending = [*FAULTS, "recover_lease", "complete"]
    vocabulary = {**STEPS, **FAULTS}
    events = ending if rng.random() < 0.15 else [event for event in STEPS if event not in ending]
    calls = [
        (event, dict(zip(vocabulary[event], chosen, strict=True)))
        for event in events
        for chosen in itertools.product(*(names[name] for name in vocabulary[event]))
    ]
    rng.shuffle(calls)
    return calls


def small_driver(seed: int) -> Driver:
    return Driver(["/a", "/b"], ["client1", "client2"], ["datanode1", "datanode2"], seed=seed)


@pytest.mark.slow
def test_a_step_leaves_one_event_or_changes_nothing(snapshot: Snapshot) -> None:
    seen: Counter[str] = Counter()
    for seed in range(16):
        driver, rng = small_driver(seed), random.Random(seed)
        for turn in range(80):
            if turn % 20 == 19:
                driver.tick(91_000)
            before = snapshot(driver)
            for event, arguments in random_calls(driver, rng):
                try:
                    (recorded,) = driver.call(event, arguments)
                except StepNotPossibleError:
                    if rng.random() < 0.1:
                        assert snapshot(driver) == before
                    continue
                assert (recorded.event, recorded.arguments) == (event, arguments)
                seen[event] += 1
                break
    # Chance hardly ever kills a datanode between agreement and update; test_scenarios does.
    assert {*STEPS, *FAULTS} - set(seen) <= {"update_replica_failed"}


def test_a_refused_step_changes_nothing_at_the_node_that_refused_unless_it_is_create(snapshot: Snapshot) -> None:
    refusals: Counter[tuple[str, str]] = Counter()
    for seed in range(4):
        driver = Driver(["/a", "/b"], ["client1", "client2"], ["datanode1", "datanode2"], seed=seed)
        rng = random.Random(seed)
        names = {"client": tuple(driver.cluster.clients), "file": driver.files}
        for _ in range(300):
            event = rng.choice(["create", "add_block", "complete", "recover_lease", "renew_lease"])
            before = snapshot(driver)
            try:
                (recorded,) = driver.call(event, {name: rng.choice(names[name]) for name in STEPS[event]})
            except StepNotPossibleError:
                continue
            if recorded.refused_with is not None and event != "create":
                refusals[event, recorded.refused_with] += 1
                assert snapshot(driver) == before
    assert {("add_block", "FileNotFoundException"), ("complete", "LeaseExpiredException")} <= set(refusals)


def test_the_same_calls_under_the_same_seed_leave_the_same_bytes() -> None:
    def run() -> bytes:
        driver, rng = small_driver(5), random.Random(5)
        for _ in range(20):
            for event, arguments in random_calls(driver, rng):
                with contextlib.suppress(StepNotPossibleError):
                    driver.call(event, arguments)
        return encode_lines(driver.cluster.log.events)

    assert run() == run()
