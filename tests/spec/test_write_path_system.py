"""hdfs.write_path, run by hand: a pipeline that is closed again, and where semantics differ."""

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
