"""hdfs.write_path_restarts, run by hand: what a restarted NameNode knows, what it is told, and who goes on."""

from typing import ClassVar

import pytest
from tests.spec.recovery_runs import Run

from genstamp_spec.hdfs.systems.write_path_restarts import (
    WRITE_PATH_RESTARTS,
)

LIMITS = ("stamps", "bytes", "crashes", "appends", "further_blocks", "older", "restarts")


class RestartsRun(Run):
    """A run of hdfs.write_path_restarts."""

    system = WRITE_PATH_RESTARTS
    limits: ClassVar = dict.fromkeys(LIMITS, 100)

    def start_again(self, reports: tuple[int, ...] = (0, 1, 2)) -> None:
        """The NameNode starts again, hears these datanodes, and leaves safe mode."""
        self.do("namenode_restart")
        for datanode in reports:
            self.do("block_report", datanode=datanode)
        self.do("safe_mode_ends")


def flushed() -> RestartsRun:
    """A byte is flushed to three nodes."""
    run = RestartsRun()
    run.write()
    run.do("hflush", client=0, file=0)
    return run


def test_a_writer_goes_on_when_its_replicas_were_reported() -> None:
    run = flushed()
    run.do("namenode_restart")
    assert run.shown("locations") == "{file1: {}, file2: {}}"
    assert run.refusal("recover_lease", client=1, file=0) == "SafeModeException"
    for datanode in range(3):
        run.do("block_report", datanode=datanode)
    run.do("safe_mode_ends")
    assert "file1: {datanode1, datanode2, datanode3}" in run.shown("locations")
    assert run.holds("replicas_are_known_again")
    run.close_pipeline()
    run.do("block_received", file=0, datanode=0)
    assert run.do("complete", client=0, file=0)["closed"] == "true"


def test_the_length_at_the_first_hflush_outlives_a_restart() -> None:
    """HDFS-4516: what was flushed once is not taken for empty."""
    run = flushed()
    run.do("receive_packet", client=0, file=0, datanode=0)
    for datanode in range(3):
        run.do("datanode_crash", datanode=datanode)
    run.start_again(reports=())
    assert "file1: 1" in run.shown("block_bytes")
    run.do("recover_lease", client=1, file=0, primary=None)
    assert "file1: under_recovery" in run.shown("block"), "no primary is known, but the block is not dropped"


def test_a_committed_length_is_forgotten() -> None:
    run = flushed()
    for datanode in range(3):
        run.do("receive_packet", client=0, file=0, datanode=datanode)
    run.close_pipeline()
    assert run.do("complete", client=0, file=0)["closed"] == "false"
    assert "file1: 2" in run.shown("block_bytes")
    run.start_again()
    assert "file1: under_construction" in run.shown("block")
    assert "file1: 1" in run.shown("block_bytes"), "a commit is in memory only"


def test_a_report_of_another_stamp_makes_no_location() -> None:
    run = flushed()
    run.do("datanode_crash", datanode=1)
    run.do("update_block_for_pipeline", client=0, file=0)
    for datanode in (0, 2):
        run.do("recover_rbw", client=0, file=0, datanode=datanode)
    run.do("update_pipeline", client=0, file=0)
    run.do("datanode_restart", datanode=1)
    run.start_again()
    assert "file1: {datanode1, datanode3}" in run.shown("locations")


def test_safe_mode_waits_for_every_datanode_that_is_up() -> None:
    run = flushed()
    run.do("datanode_crash", datanode=2)
    run.do("namenode_restart")
    run.do("block_report", datanode=0)
    with pytest.raises(AssertionError, match="every datanode that is up has reported"):
        run.do("safe_mode_ends")
    run.do("block_report", datanode=1)
    run.do("safe_mode_ends")


@pytest.mark.slow
def test_safe_mode_of_3_4_waits_for_complete_blocks_only() -> None:
    run = RestartsRun("hadoop-3.4")
    run.write()
    run.do("namenode_restart")
    run.do("safe_mode_ends")
    assert "file1: under_construction" in run.shown("block")


def test_the_first_hflush_is_refused_in_safe_mode_and_before_reports() -> None:
    run = RestartsRun()
    run.do("namenode_restart")
    for datanode in range(3):
        run.do("block_report", datanode=datanode)
    run.do("safe_mode_ends")
    run.write()
    run.do("namenode_restart")
    with pytest.raises(AssertionError, match="not in safe mode at the block's first hflush"):
        run.do("hflush", client=0, file=0)
    for datanode in range(3):
        run.do("block_report", datanode=datanode)
    run.do("safe_mode_ends")
    run.do("hflush", client=0, file=0)


def test_a_replica_that_begins_after_the_report_is_told_by_itself() -> None:
    run = RestartsRun()
    run.do("create", client=0, file=0)
    run.do("add_block", client=0, file=0)
    run.start_again()
    for datanode in range(3):
        run.do("create_rbw", client=0, file=0, datanode=datanode)
        run.do("receive_packet", client=0, file=0, datanode=datanode)
    for datanode in (0, 1):
        run.do("replica_reported", file=0, datanode=datanode)
    with pytest.raises(AssertionError, match="knows of every replica at the block's first hflush"):
        run.do("hflush", client=0, file=0)
    run.do("replica_reported", file=0, datanode=2)
    run.do("hflush", client=0, file=0)


def under_recovery(semantics: str) -> RestartsRun:
    """A primary has its command when the NameNode starts again, and the block is closed by its writer then."""
    run = RestartsRun(semantics)
    run.write()
    run.recover(client=0)
    run.start_again()
    run.close_pipeline()
    run.do("block_received", file=0, datanode=0)
    assert run.do("complete", client=0, file=0)["closed"] == "true"
    return run


def test_a_recovery_ends_when_its_primary_registers_anew() -> None:
    run = under_recovery("repaired")
    with pytest.raises(AssertionError, match="the primary is collecting"):
        run.do("init_replica_recovery", primary=0, file=0, datanode=0)


@pytest.mark.slow
def test_a_recovery_of_3_4_goes_on_and_restamps_a_closed_block() -> None:
    run = under_recovery("hadoop-3.4")
    run.collect()
    run.do("sync_block", primary=0, file=0)
    for datanode in range(3):
        run.do("update_replica_under_recovery", primary=0, file=0, datanode=datanode)
    run.do("commit_block_synchronization", primary=0, file=0)
    assert "file1: 1" in run.shown("block_stamp"), "the NameNode takes the report for one that came twice"
    assert "stamp 2" in run.shown("replica")


def test_a_recovery_whose_report_finds_safe_mode_was_for_nothing() -> None:
    run = flushed()
    run.recover()
    run.collect()
    run.do("sync_block", primary=0, file=0)
    for datanode in range(3):
        run.do("update_replica_under_recovery", primary=0, file=0, datanode=datanode)
    run.do("namenode_restart")
    assert run.holds("primary_outlives_its_namenode")
    run.do("commit_block_synchronization", primary=0, file=0)
    assert run.refused_with == "SafeModeException"
