"""hdfs.pipeline, run by hand: where Hadoop's semantics differ from the repaired ones."""

import pytest
from tests.spec.pipeline_runs import PipelineRun


def test_a_reader_is_shown_what_every_location_shows() -> None:
    run = PipelineRun(2)
    run.stream(1)
    run.packet(0, 1)
    run.do("raise_bytes_acked", 1)
    assert run.why_not("read", 0, 1) == "no location shows less"
    hole = PipelineRun(2, "hadoop-3.4")
    hole.stream(1)
    hole.packet(0, 1)
    hole.do("raise_bytes_acked", 1)
    hole.do("read", 0, 1)
    assert hole.shown("shown") == "{client1: 1}"


def test_pipeline_fi_34_a_node_that_hangs_is_noticed_and_blamed() -> None:
    run = PipelineRun(2)
    run.stream(1)
    run.packet(0, 1)
    run.do("receiver_hangs", 1)
    assert run.why_not("raise_bytes_acked", 1) == "the datanode's receiver works"
    run.do("mirror_fails", 0)
    run.do("error_ack_comes", 1)
    hang = PipelineRun(2, bugs=("HDFS-101",))
    hang.stream(1)
    hang.do("receiver_hangs", 1)
    hang.do("mirror_fails", 0)
    hang.do("connection_fails", 0)
    assert not hang.holds("only_failed_nodes_are_given_up")


def opened_for_append(run: PipelineRun, *datanodes: int) -> None:
    """A file of a byte is written to these nodes, closed and opened again."""
    run.stream(len(datanodes) - 1)
    run.packet(*datanodes)
    run.acked(*datanodes)
    run.do("send_last_packet")
    for datanode in datanodes:
        run.do("receive_packet_without_news", datanode)
    for datanode in reversed(datanodes):
        run.do("finalize_replica", datanode)
        run.do("send_ack", datanode)
    for step in ("receive_ack", "end_block", "complete"):
        run.do(step)
    for datanode in datanodes:
        run.do("block_received", datanode)
    run.do("complete_closes")
    run.do("append_file")


def test_hdfs_17850_a_location_is_left_that_is_short() -> None:
    """A datanode that is down when the client appends under the old stamp is a location still, of the same stamp."""
    run = PipelineRun(2, bugs=("pipelines-bring-a-new-stamp",))
    opened_for_append(run, 0, 1)
    run.do("datanode_crash", 0)
    run.do("reuse_stamp")
    run.do("set_up_fails", 0)
    run.do("reuse_stamp")
    run.do("set_up_append_recovery", 1)
    run.do("start_streaming")
    run.packet(1)
    run.acked(1)
    run.do("hflush")
    assert (run.shown("block_stamp"), run.shown("locations")) == ("1", "{datanode1, datanode2}")
    assert not run.holds("namenode_knows_the_pipeline")
    run.do("send_last_packet")
    run.do("receive_packet_without_news", 1)
    run.do("finalize_replica", 1)
    run.do("send_ack", 1)
    for step in ("receive_ack", "end_block", "complete"):
        run.do(step)
    assert run.shown("block_bytes") == "2"
    assert not run.holds("committed_length_is_acknowledged"), "one of its replicas has a byte only"


def closing_after_a_restart(*bugs: str) -> PipelineRun:
    """The only datanode stops for an upgrade once it has the last packet, and is back; the writer sets it up again."""
    run = PipelineRun(1, bugs=bugs)
    run.stream(0)
    run.packet(0)
    run.acked(0)
    run.do("hflush")
    run.do("send_last_packet")
    run.do("receive_packet_without_news", 0)
    run.do("datanode_stops_to_restart", 0)
    run.do("client_waits_for_restart", 0)
    run.do("datanode_comes_back", 0)
    run.do("update_block_for_pipeline")
    return run


def test_a_datanode_that_restarts_after_the_last_packet_closes_its_replica() -> None:
    run = closing_after_a_restart()
    assert run.why_not("set_up_fails", 0) == "the node does not do what it is asked for"
    run.do("set_up_close_recovery", 0)
    run.do("update_pipeline")
    assert run.shown("stage") == "ENDED"


def test_in_hadoop_its_replica_waits_to_be_recovered_and_the_write_fails() -> None:
    run = closing_after_a_restart("restart-keeps-a-closing-replica")
    assert run.why_not("set_up_close_recovery", 0) == "the datanode does not refuse"
    assert not run.holds("hflushed_bytes_survive")
    run.do("set_up_fails", 0)
    assert run.shown("stage") == "FAILED"
    assert not run.holds("write_fails_only_with_cause")


def test_a_copy_that_fails_is_a_success_in_hadoop_and_its_target_is_given_up_at_the_set_up() -> None:
    run = PipelineRun(3, bugs=("failed-transfer-is-a-success",))
    run.do("add_block", 1, 1)
    for datanode in (0, 1):
        run.do("set_up_create", datanode)
    run.do("start_streaming")
    run.do("datanode_crash", 2)
    run.do("datanode_crash", 0)
    run.do("connection_fails", 0)
    assert run.why_not("transfer_fails", 1, 2) == "source or target does not work"
    run.do("add_datanode_without_a_copy", 1, 2)
    assert run.shown("pipeline") == "{datanode2, datanode3}"
    run.do("update_block_for_pipeline")
    run.do("set_up_streaming_recovery", 1)
    run.do("datanode_restart", 2)
    run.do("set_up_fails", 2)
    assert run.shown("excluded") == "{datanode1, datanode3}"


@pytest.mark.parametrize("bugs", [(), ("unknown-storage-names-no-other",)])
def test_a_node_that_registered_anew_costs_a_write_its_replacement_in_hadoop(bugs: tuple[str, ...]) -> None:
    run = PipelineRun(3, bugs=bugs)
    run.do("add_block", 1, 1)
    for datanode in (0, 1):
        run.do("set_up_create", datanode)
    run.do("start_streaming")
    run.do("datanode_registers_again", 1)
    run.do("receiver_fails", 0)
    run.do("connection_fails", 0)
    unknown = "the NameNode knows the storages of the pipeline"
    assert run.why_not("add_datanode", 1, 2) == (unknown if bugs else None)


def test_a_block_that_is_appended_to_under_its_own_stamp_is_complete_at_once() -> None:
    """What was reported before the append counts, be it as short as it was (facts A.4.9)."""
    run = PipelineRun(2, bugs=("pipelines-bring-a-new-stamp",))
    opened_for_append(run, 0, 1)
    assert run.shown("stored") == "{datanode1, datanode2}"
    run.do("datanode_crash", 1)
    run.do("reuse_stamp")
    run.do("set_up_append", 0)
    run.do("set_up_fails", 1)
    run.do("reuse_stamp")
    run.do("set_up_append_recovery", 0)
    run.do("start_streaming")
    run.packet(0)
    run.acked(0)
    run.do("send_last_packet")
    run.do("receive_packet_without_news", 0)
    run.do("finalize_replica", 0)
    run.do("send_ack", 0)
    for step in ("receive_ack", "end_block", "complete"):
        run.do(step)
    assert (run.shown("block"), run.shown("stage")) == ("complete", "CLOSED")
    assert run.shown("stored") == "{datanode1, datanode2}"
    assert not run.holds("complete_block_has_matching_replicas"), "datanode2 has a byte less, and counts"
