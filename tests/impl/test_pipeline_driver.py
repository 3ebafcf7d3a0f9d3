"""One block's pipeline under somebody's hand, over the real cores."""

from collections.abc import Callable, Iterator

import pytest

from genstamp_dfs.errors import ConfigurationError, StepNotPossibleError, UnknownNameError, WrongArgumentsError
from genstamp_dfs.events import Event
from genstamp_dfs.stepwise.pipeline.driver import PipelineDriver

ONE, TWO, THREE = "datanode1", "datanode2", "datanode3"


@pytest.fixture
def driver_of() -> Iterator[Callable[..., PipelineDriver]]:
    """Makes a driver of some datanodes, and ends it."""
    made: list[PipelineDriver] = []

    def driver(*datanodes: str, semantics: str = "repaired") -> PipelineDriver:
        made.append(PipelineDriver(["/a"], ["client1"], datanodes, semantics))
        return made[-1]

    yield driver
    for one in made:
        one.close()


def play(driver: PipelineDriver, *story: str) -> list[Event]:
    """Make the steps; each is its event and the words of its arguments, `add_block last=datanode1`."""
    events: list[Event] = []
    for line in story:
        event, *said = line.split()
        events += driver.call(event, dict(word.split("=") for word in said))
    return events


def set_up(driver: PipelineDriver, *datanodes: str) -> None:
    play(driver, f"add_block last={datanodes[-1]}")
    play(driver, *(f"set_up_create datanode={datanode}" for datanode in datanodes), "start_streaming")


def test_an_outdated_replica_is_not_reported_as_the_namenode_would_get_it_deleted(
    driver_of: Callable[..., PipelineDriver],
) -> None:
    driver = driver_of(ONE, TWO)
    set_up(driver, ONE, TWO)
    play(driver, "send_packet", "receive_packet datanode=datanode1", "receive_packet datanode=datanode2")
    play(driver, "datanode_crash datanode=datanode1", "connection_fails bad=datanode1", "update_block_for_pipeline")
    play(driver, "set_up_streaming_recovery datanode=datanode2", "update_pipeline")
    through = ["receive_packet datanode=datanode2", "send_ack datanode=datanode2", "receive_ack"]
    play(driver, "send_packet", *through, "send_last_packet", *through, "end_block")
    closing = play(driver, "complete", "block_received datanode=datanode2", "complete")
    assert closing[-1].observed["block_state"] == "COMPLETE"
    with pytest.raises(StepNotPossibleError, match="the outdated replica of datanode1"):
        play(driver, "datanode_restart datanode=datanode1", "block_received datanode=datanode1")


def test_a_step_that_does_not_come_about_is_taken_back(driver_of: Callable[..., PipelineDriver]) -> None:
    driver = driver_of(ONE, TWO)
    set_up(driver, ONE, TWO)
    with pytest.raises(StepNotPossibleError, match="no packet is under way to datanode2"):
        play(driver, "receive_packet datanode=datanode2")
    with pytest.raises(StepNotPossibleError, match="nothing would come of it"):
        play(driver, "end_block")
    assert [event.event for event in play(driver, "send_packet")] == ["send_packet"]


def test_an_application_that_has_said_nothing_yet_may_have_closed_the_file(
    driver_of: Callable[..., PipelineDriver],
) -> None:
    """Between writing and closing nobody sees a difference before the first packet."""
    driver = driver_of(ONE)
    set_up(driver, ONE)
    assert [event.event for event in play(driver, "send_last_packet")] == ["send_last_packet"]
    with pytest.raises(StepNotPossibleError):
        play(driver, "send_packet")


REUSED = ("datanode_crash datanode=datanode1", "connection_fails bad=datanode1", "reuse_stamp")


def test_a_repaired_datanode_refuses_a_client_that_reuses_the_stamp(driver_of: Callable[..., PipelineDriver]) -> None:
    """HDFS-17850."""
    driver = driver_of(ONE, TWO)
    set_up(driver, ONE, TWO)
    play(driver, *REUSED)
    with pytest.raises(StepNotPossibleError, match="nothing would come of it"):
        play(driver, "set_up_streaming_recovery datanode=datanode2")
    assert [event.event for event in play(driver, "set_up_fails bad=datanode2")] == ["set_up_fails"]


def test_a_datanode_of_hadoop_serves_it_and_the_namenode_is_told_of_nothing(
    driver_of: Callable[..., PipelineDriver],
) -> None:
    driver = driver_of(ONE, TWO, semantics="hadoop-3.4")
    set_up(driver, ONE, TWO)
    play(driver, *REUSED)
    [taken] = play(driver, "set_up_streaming_recovery datanode=datanode2")
    assert taken.generation_stamp == 1001
    assert [event.event for event in play(driver, "start_streaming")] == ["start_streaming"]
    block = driver.cluster.block()
    assert block is not None
    assert sorted(block.expected_locations()) == [ONE, TWO]


def test_a_client_that_asks_for_a_stamp_tells_the_namenode_of_it(driver_of: Callable[..., PipelineDriver]) -> None:
    driver = driver_of(ONE, TWO)
    set_up(driver, ONE, TWO)
    play(driver, *REUSED[:2], "update_block_for_pipeline", "set_up_streaming_recovery datanode=datanode2")
    with pytest.raises(StepNotPossibleError, match="the namenode is told of the new stamp"):
        play(driver, "start_streaming")
    with pytest.raises(StepNotPossibleError, match="the writer needs no stamp"):
        play(driver, "reuse_stamp")


def test_an_application_writes_on_whatever_is_acknowledged(driver_of: Callable[..., PipelineDriver]) -> None:
    driver = driver_of(ONE)
    set_up(driver, ONE)
    assert len(play(driver, *["send_packet"] * 100)) == 100


def test_wrong_requests_are_refused(driver_of: Callable[..., PipelineDriver]) -> None:
    driver = driver_of(ONE)
    with pytest.raises(UnknownNameError):
        driver.call("zap", {})
    with pytest.raises(UnknownNameError):
        driver.call("add_block", {"last": "datanode9"})
    with pytest.raises(WrongArgumentsError):
        driver.call("add_block", {})
    with pytest.raises(UnknownNameError):
        driver.fault("send_packet", {})
    with pytest.raises(ConfigurationError):
        driver.tick(0)
    with pytest.raises(ConfigurationError):
        PipelineDriver([], [], [])
    with pytest.raises(ConfigurationError):
        PipelineDriver([], [], [ONE], "hadoop-1")


RESTART = (
    "datanode_stops_to_restart datanode=datanode1",
    "client_waits_for_restart datanode=datanode1",
    "datanode_comes_back datanode=datanode1",
    "update_block_for_pipeline",
)


@pytest.mark.parametrize("semantics", ["repaired", "hadoop-3.4"])
def test_a_replica_whose_last_packet_came_before_a_planned_restart(
    driver_of: Callable[..., PipelineDriver], semantics: str
) -> None:
    driver = driver_of(ONE, semantics=semantics)
    set_up(driver, ONE)
    play(driver, "send_packet", "receive_packet datanode=datanode1", "send_ack datanode=datanode1", "receive_ack")
    play(driver, "send_last_packet", "receive_packet datanode=datanode1", *RESTART)
    ends, other = ("set_up_close_recovery datanode=datanode1", "set_up_fails bad=datanode1")
    if semantics == "hadoop-3.4":
        ends, other = other, ends
    with pytest.raises(StepNotPossibleError):
        play(driver, other)
    assert play(driver, ends)[-1].event == ends.split()[0]


@pytest.mark.parametrize("semantics", ["repaired", "hadoop-3.4"])
def test_a_copy_that_its_target_does_not_take(driver_of: Callable[..., PipelineDriver], semantics: str) -> None:
    driver = driver_of(ONE, TWO, THREE, semantics=semantics)
    play(driver, f"add_block last={TWO} always=1", f"set_up_create datanode={ONE}", f"set_up_create datanode={TWO}")
    play(driver, "start_streaming", f"datanode_crash datanode={THREE}", f"datanode_crash datanode={ONE}")
    play(driver, f"connection_fails bad={ONE}")
    told, other = "transfer_fails", "add_datanode"
    if semantics == "hadoop-3.4":
        told, other = other, told
    with pytest.raises(StepNotPossibleError):
        play(driver, f"{other} source={TWO} target={THREE}")
    assert play(driver, f"{told} source={TWO} target={THREE}")[-1].event == told


def test_a_writer_that_has_lost_its_lease_is_named_no_other_datanode(
    driver_of: Callable[..., PipelineDriver],
) -> None:
    driver = driver_of(ONE, TWO, THREE)
    play(driver, f"add_block last={TWO} always=1", f"set_up_create datanode={ONE}", f"set_up_create datanode={TWO}")
    play(driver, "start_streaming", "recovery_starts", f"receiver_fails datanode={ONE}", f"connection_fails bad={ONE}")
    with pytest.raises(StepNotPossibleError):
        play(driver, f"add_datanode source={TWO} target={THREE}")
    assert play(driver, "no_datanode_to_add")[-1].refused_with == "IOException"
