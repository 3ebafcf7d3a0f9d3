"""hdfs.recovery on the real cores: one call, one step; otherwise nothing.

That each step does what the specification says is tested by conformance.
"""

from collections.abc import Iterator, Mapping

import pytest

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.events import Event
from genstamp_dfs.hdfs.protocol import Limits, ReplicaState
from genstamp_dfs.stepwise.recovery.driver import RecoveryDriver

FINALIZED, RBW, RWR, RUR, _ = ReplicaState
TWO = ("datanode1", "datanode2")
FILE = "/a"
DATANODES = ("datanode1", "datanode2", "datanode3")
BLOCK_ID = 2**30 + 1


MADE: list[RecoveryDriver] = []
"""Drivers that a test has made and not closed."""


def new_driver(semantics: str = "repaired", datanodes: tuple[str, ...] = DATANODES) -> RecoveryDriver:
    """A driver for one file and two clients."""
    MADE.append(RecoveryDriver([FILE], ["client1", "client2"], datanodes, semantics))
    return MADE[-1]


def do(driver: RecoveryDriver, event: str, **arguments: str) -> Event:
    """Make one step, and give its event."""
    (recorded,) = driver.call(event, arguments)
    return recorded


def open_file(driver: RecoveryDriver) -> None:
    """client1 creates the file, gets a block, and sets the pipeline up."""
    do(driver, "create", client="client1", file=FILE)
    do(driver, "add_block", client="client1", file=FILE)
    for datanode in driver.datanodes:
        do(driver, "create_rbw", client="client1", file=FILE, datanode=datanode)


def send_packet(driver: RecoveryDriver, reach: int | None = None) -> None:
    """One packet down the pipeline, to its end or only to its first `reach` datanodes."""
    for datanode in driver.datanodes[:reach]:
        do(driver, "receive_packet", client="client1", file=FILE, datanode=datanode)


def write_file(driver: RecoveryDriver, packets: int = 2) -> None:
    """Open the file, write some packets, hflush."""
    open_file(driver)
    for _ in range(packets):
        send_packet(driver)
    do(driver, "hflush", client="client1", file=FILE)


def is_up(driver: RecoveryDriver, datanode: str) -> bool:
    """Whether a datanode lives."""
    return driver.cluster.cluster.is_up(datanode)


def begin_recovery(driver: RecoveryDriver, primary: str = "datanode1") -> None:
    """client2 has the file recovered, and a datanode gets the order."""
    do(driver, "recover_lease", client="client2", file=FILE)
    driver.call("receive_recovery_command", {"file": FILE, "datanode": primary})


def replicas(driver: RecoveryDriver) -> dict[str, tuple[ReplicaState, int, int]]:
    """By datanode that is up: state, stamp and length in packets of its replica."""
    found = {name: driver.cluster.replica(name, BLOCK_ID) for name in driver.datanodes if is_up(driver, name)}
    return {
        name: (replica.state, replica.generation_stamp, replica.num_bytes // 512)
        for name, replica in found.items()
        if replica is not None
    }


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


# -- the run itself -------------------------------------------------------------------------------------------------


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
