"""The step-by-step namenode: one call, one step; what clients and datanodes know decides what can be asked for.

That each step does what the specification says is tested by conformance.
"""

from collections.abc import Mapping

import pytest

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.events import Event, encode_lines
from genstamp_dfs.hdfs.leases.driver import LeaseDriver

WRITER = {"client": "client1", "file": "/a"}
OTHER = {"client": "client2", "file": "/a"}
REPORT = {"file": "/a", "datanode": "datanode1"}
SOFT_LIMIT_MS, HARD_LIMIT_MS = 60_000, 1_200_000


def a_driver(semantics: str = "repaired", seed: int = 0) -> LeaseDriver:
    return LeaseDriver(["/a", "/b"], ["client1", "client2"], ["datanode1"], semantics, seed)


def do(driver: LeaseDriver, event: str, arguments: Mapping[str, str] | None = None) -> Event:
    """Ask for a step that leaves one event."""
    (told,) = driver.call(event, arguments or {})
    return told


def unseen(driver: LeaseDriver, event: str, arguments: Mapping[str, str] | None = None) -> None:
    """Ask for what nobody is told of."""
    assert driver.fault(event, arguments or {}) == []


def refuses_now(driver: LeaseDriver, event: str, arguments: Mapping[str, str]) -> str:
    """Ask for a step that must not be possible; gives the reason."""
    before = encode_lines(driver.cluster.log.events)
    with pytest.raises(StepNotPossibleError) as caught:
        driver.call(event, arguments)
    assert encode_lines(driver.cluster.log.events) == before
    return caught.value.why


def writing(driver: LeaseDriver, num_bytes: int = 1) -> None:
    """A file with a block to which something is written."""
    do(driver, "create", WRITER)
    do(driver, "add_block", WRITER)
    for _ in range(num_bytes):
        do(driver, "write", WRITER)


def closed(driver: LeaseDriver) -> None:
    """A closed file of one block, with a replica."""
    writing(driver)
    do(driver, "last_packet", WRITER)
    unseen(driver, "finalize_replicas", {"file": "/a"})
    do(driver, "block_received", REPORT)
    assert do(driver, "complete", WRITER).observed == {"closed": "true", "block_state": "COMPLETE"}


def test_no_block_is_dropped_before_which_stands_one_that_is_only_counted() -> None:
    driver = a_driver()
    do(driver, "create", WRITER)
    for earlier in range(3):
        do(driver, "add_block", WRITER)
        if earlier:
            do(driver, "block_received_earlier", REPORT)
        if earlier < 2:
            do(driver, "last_packet", WRITER)
    synchronization = {"primary": "datanode1", "file": "/a"}
    do(driver, "recover_lease", OTHER)
    assert do(driver, "commit_block_synchronization", synchronization).observed == {"closed": "true", "deleted": "true"}
    do(driver, "append", WRITER)
    driver.tick(SOFT_LIMIT_MS + 1)
    assert do(driver, "create", OTHER).refused_with == "RecoveryInProgressException"
    why = refuses_now(driver, "commit_block_synchronization", synchronization)
    assert why == "of the block before the last one of /a nothing is told any more"


@pytest.mark.parametrize(
    ("event", "arguments", "error", "match"),
    [
        ("creat", {}, UnknownNameError, "unknown event 'creat', accepted: create, create_over"),
        ("create", {"client": "client1"}, WrongArgumentsError, r"accepted: \(client, file\)"),
        ("create", {"client": "client9", "file": "/a"}, UnknownNameError, "unknown client 'client9'"),
        ("rename", {"client": "client1", "source": "/a", "target": "/c"}, UnknownNameError, "unknown target '/c'"),
        ("release_expired_lease", {"holder": "datanode1", "file": "/a"}, UnknownNameError, "accepted: client1"),
    ],
)
def test_a_call_with_wrong_words_is_a_mistake(
    event: str, arguments: Mapping[str, str], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        a_driver().call(event, arguments)


@pytest.mark.parametrize(
    ("files", "clients", "datanodes", "semantics"),
    [
        ([], ["c"], ["d"], "repaired"),
        (["/a", "/a"], ["c"], ["d"], "repaired"),
        (["/a"], ["c"], [], "repaired"),
        (["/a"], ["c"], ["c"], "repaired"),
        (["/a"], ["c"], ["d"], "hadoop-1"),
    ],
)
def test_a_run_that_is_none_is_refused(
    files: list[str], clients: list[str], datanodes: list[str], semantics: str
) -> None:
    with pytest.raises(ConfigurationError):
        LeaseDriver(files, clients, datanodes, semantics)


def test_a_fault_is_no_call_of_a_client() -> None:
    with pytest.raises(UnknownNameError):
        a_driver().fault("create", WRITER)


def test_a_client_calls_only_what_it_would() -> None:
    driver = a_driver()
    do(driver, "create", WRITER)
    do(driver, "add_block", WRITER)
    assert "has written nothing" in refuses_now(driver, "fsync", WRITER)
    assert "no call is under way" in refuses_now(driver, "late_call_ends", {})
    assert "wants no block" in refuses_now(driver, "add_block", WRITER)
    assert "is not done" in refuses_now(driver, "complete", WRITER)
    do(driver, "client_crash", {"client": "client1"})
    assert refuses_now(driver, "complete", WRITER) == "client1 is down"


def test_an_event_names_who_leads_the_recovery_that_it_has_begun() -> None:
    driver = a_driver()
    writing(driver)
    told = do(driver, "recover_lease", OTHER)
    assert told.arguments["primary"] == "datanode1"
    assert told.observed == {"closed": "false"}
    ended = do(driver, "commit_block_synchronization", {"primary": "datanode1", "file": "/a"})
    assert (ended.recovery_id, ended.num_bytes) == (told.recovery_id, 1)
    assert ended.observed == {"closed": "true", "deleted": "false"}
    assert "leads no recovery" in refuses_now(
        driver, "commit_block_synchronization", {"primary": "datanode1", "file": "/a"}
    )


def test_the_monitor_takes_a_file_past_the_hard_limit_when_it_is_asked_to() -> None:
    driver = a_driver()
    writing(driver)
    pass_ = {"holder": "client1", "file": "/a"}
    driver.tick(HARD_LIMIT_MS)
    assert "not past its hard limit" in refuses_now(driver, "release_expired_lease", pass_)
    driver.tick(1)
    told = do(driver, "release_expired_lease", pass_)
    assert told.observed == {"closed": "false"}
    assert "not in the lease of client1" in refuses_now(driver, "release_expired_lease", pass_)


def test_an_append_is_to_a_full_block_or_to_one_that_has_room_by_the_seed() -> None:
    for seed, possible, other in ((0, "append", "append_at_block_boundary"), (1, "append_at_block_boundary", "append")):
        driver = a_driver(seed=seed)
        closed(driver)
        assert "full" in refuses_now(driver, other, WRITER)
        assert do(driver, possible, WRITER).refused_with is None


def test_a_client_asks_for_further_datanodes_beside_those_that_are_left() -> None:
    driver = a_driver()
    do(driver, "create", WRITER)
    assert "no datanode is left" in refuses_now(driver, "get_additional_datanode", WRITER)
    do(driver, "add_block", WRITER)
    assert do(driver, "get_additional_datanode", WRITER).observed == {"locations": "datanode1"}
    do(driver, "datanode_stops", {"datanode": "datanode1"})
    assert "no datanode is left" in refuses_now(driver, "get_additional_datanode", WRITER)


def test_a_file_that_is_overwritten_is_gone_for_its_writer() -> None:
    driver = a_driver()
    assert "does not exist" in refuses_now(driver, "create_over", OTHER)
    writing(driver)
    do(driver, "create_over", OTHER)
    assert do(driver, "complete", WRITER).refused_with == "FileNotFoundException"


def test_a_datanode_that_is_down_neither_takes_blocks_nor_leads_recoveries() -> None:
    driver = a_driver()
    writing(driver)
    do(driver, "recover_lease", OTHER)
    do(driver, "datanode_stops", {"datanode": "datanode1"})
    assert "is down" in refuses_now(driver, "commit_block_synchronization", {"primary": "datanode1", "file": "/a"})
    do(driver, "datanode_returns", {"datanode": "datanode1"})
    assert "leads no recovery" in refuses_now(
        driver, "commit_block_synchronization", {"primary": "datanode1", "file": "/a"}
    )


def test_the_same_requests_leave_the_same_events() -> None:
    lines = []
    for _ in range(2):
        driver = a_driver(seed=3)
        closed(driver)
        lines.append(encode_lines(driver.cluster.log.events))
    assert lines[0] == lines[1]
