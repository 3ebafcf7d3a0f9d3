"""hdfs.write_path, run by hand: pipelines that lose a node, second blocks, appends in turn."""

from typing import ClassVar

import pytest
from tests.spec.recovery_runs import Run

from genstamp_spec.hdfs.systems.write_path import WRITE_PATH


class WritePathRun(Run):
    """A run of hdfs.write_path."""

    system = WRITE_PATH
    limits: ClassVar = dict.fromkeys(("stamps", "bytes", "crashes", "appends", "further_blocks", "older"), 100)


def with_a_lost_node() -> WritePathRun:
    """Two bytes are flushed to three nodes, and the second one stops."""
    run = WritePathRun()
    run.write(lengths=(2, 2, 2))
    run.do("hflush", client=0, file=0)
    run.do("datanode_crash", datanode=1)
    return run


def set_up_again(run: WritePathRun, event: str = "recover_rbw") -> None:
    """The pipeline goes on with the first and the third node."""
    run.do("update_block_for_pipeline", client=0, file=0)
    for datanode in (0, 2):
        run.do(event, client=0, file=0, datanode=datanode)
    run.do("update_pipeline", client=0, file=0)


def test_a_writer_goes_on_without_the_node_that_failed() -> None:
    run = with_a_lost_node()
    assert run.do("update_block_for_pipeline", client=0, file=0) == {"generation_stamp": "2"}
    assert "file1: 1" in run.shown("block_stamp"), "the block as it is stored keeps its stamp"
    for datanode in (0, 2):
        run.do("recover_rbw", client=0, file=0, datanode=datanode)
    assert run.do("update_pipeline", client=0, file=0)["locations"] == "{datanode1, datanode3}"
    assert "file1: 2" in run.shown("block_stamp")
    run.do("receive_packet", client=0, file=0, datanode=0)
    run.do("receive_packet", client=0, file=0, datanode=2)
    assert run.do("hflush", client=0, file=0) == {"num_bytes": "3"}


def test_a_whole_pipeline_is_not_set_up_again() -> None:
    run = WritePathRun()
    run.write(lengths=(2, 2, 2))
    with pytest.raises(AssertionError, match="the client is to set up a pipeline"):
        run.do("update_block_for_pipeline", client=0, file=0)


def test_nothing_is_written_while_the_pipeline_is_set_up() -> None:
    run = with_a_lost_node()
    run.do("update_block_for_pipeline", client=0, file=0)
    with pytest.raises(AssertionError, match="the datanode takes the client's packets"):
        run.do("receive_packet", client=0, file=0, datanode=0)


def test_a_pipeline_is_closed_again_under_a_new_stamp() -> None:
    run = with_a_lost_node()
    set_up_again(run)
    run.do("last_packet", client=0, file=0)
    run.do("finalize_replica", client=0, file=0, datanode=0)
    run.do("datanode_crash", datanode=2)
    run.do("update_block_for_pipeline", client=0, file=0)
    run.do("recover_close", client=0, file=0, datanode=0)
    run.do("update_pipeline", client=0, file=0)
    run.do("block_received", file=0, datanode=0)
    assert run.do("complete", client=0, file=0)["closed"] == "true"
    assert "file1: 3" in run.shown("block_stamp")


def test_a_recovery_fences_a_pipeline_that_is_set_up_again() -> None:
    run = with_a_lost_node()
    run.do("update_block_for_pipeline", client=0, file=0)
    run.do("recover_rbw", client=0, file=0, datanode=0)
    run.do("recover_rbw", client=0, file=0, datanode=2)
    run.do("recover_lease", client=1, file=0, primary=0)
    assert run.refusal("update_pipeline", client=0, file=0) == "IOException"


def test_a_second_block_waits_for_no_report_of_the_first_but_a_third_does() -> None:
    run = WritePathRun()
    run.write()
    run.close_pipeline()
    run.do("add_block", client=0, file=0)
    for datanode in range(3):
        run.do("create_rbw", client=0, file=0, datanode=datanode)
    run.close_pipeline()
    assert run.refusal("add_block", client=0, file=0) == "NotReplicatedYetException"
    assert run.do("complete", client=0, file=0)["closed"] == "false"
    run.do("block_received", file=0, datanode=0, action="block_received_earlier")
    run.do("block_received", file=0, datanode=0, action="block_received")
    assert run.do("complete", client=0, file=0)["closed"] == "true"


def test_a_client_that_was_overtaken_gets_no_stamp_any_more() -> None:
    run = WritePathRun()
    run.write()
    run.close_pipeline()
    run.do("block_received", file=0, datanode=0)
    run.do("complete", client=0, file=0)
    run.do("append", client=0, file=0)
    assert run.refusal("append", client=1, file=0) == "AlreadyBeingCreatedException"
    assert run.refusal("update_block_for_pipeline", client=1, file=0) is None, "it has nothing open"


def appended_where_one_of_three_is_known(semantics: str) -> WritePathRun:
    """Only the first node has reported its byte when the file is appended to; it comes back without, and says so."""
    run = WritePathRun(semantics)
    run.write()
    run.close_pipeline()
    run.do("block_received", file=0, datanode=0)
    run.do("complete", client=0, file=0)
    assert run.do("append", client=0, file=0)["locations"] == "{datanode1}"
    run.do("update_block_for_pipeline", client=0, file=0)
    run.do("append_replica", client=0, file=0, datanode=0)
    run.do("datanode_crash", datanode=0)
    run.do("datanode_restart_losing_bytes", datanode=0)
    run.recover()
    run.do("init_replica_recovery", primary=0, file=0, datanode=0)
    assert run.do("sync_block", primary=0, file=0)["delete"] == "true"
    return run


def test_known_bytes_are_not_deleted() -> None:
    run = appended_where_one_of_three_is_known("repaired")
    assert run.refusal("commit_block_synchronization", primary=0, file=0) == "IOException"


@pytest.mark.slow
def test_known_bytes_are_deleted_by_3_4_though_two_nodes_have_them() -> None:
    run = appended_where_one_of_three_is_known("hadoop-3.4")
    assert run.do("commit_block_synchronization", primary=0, file=0)["deleted"] == "true"
    assert "file1: removed" in run.shown("block")


@pytest.mark.slow
@pytest.mark.parametrize("bug", ["HDFS-17850", "HDFS-17850-in-append-alone"])
def test_hdfs_17850_a_node_that_the_client_left_out_decides_the_length(bug: str) -> None:
    """Two bytes are acknowledged, one is left: as measured with HDFS 3.4.1, of which the unit was 1,000 bytes."""
    run = WritePathRun(bugs=(bug,))
    run.write()
    run.close_pipeline()
    for datanode in range(3):
        run.do("block_received", file=0, datanode=datanode)
    run.do("complete", client=0, file=0)
    run.do("datanode_crash", datanode=2)
    run.do("append", client=0, file=0)
    run.do("reuse_stamp", client=0, file=0)
    run.do("append_replica_failed", client=0, file=0, datanode=2)
    run.do("reuse_stamp", client=0, file=0)
    for datanode in (0, 1):
        run.do("recover_append", client=0, file=0, datanode=datanode)
    run.do("go_on_untold", client=0, file=0)
    for datanode in (0, 1):
        run.do("receive_packet", client=0, file=0, datanode=datanode)
    assert run.do("hflush", client=0, file=0) == {"num_bytes": "2"}
    run.do("datanode_restart", datanode=2)
    run.recover()
    for datanode in range(3):
        run.do("init_replica_recovery", primary=0, file=0, datanode=datanode)
    assert run.do("sync_block", primary=0, file=0)["num_bytes"] == "1"
