"""hdfs.reports, run by hand after cases of Hadoop's own tests; and the table of corrupt replicas (I.2).

That the configurations hold and that each fault breaks its promise is the job of `genstamp verify`.
"""

import pytest
from tests.spec.reports_runs import ReportsRun

from genstamp.tables.corruption import BLOCK_STATES, rows
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Bool, Enumerated, System
from genstamp_spec.hdfs.parts.namenode_reports import NamenodeReports
from genstamp_spec.hdfs.parts.reports_state import CorruptReason, ReportedState
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.systems.report_effects import ReportEffects
from genstamp_spec.hdfs.systems.reports import REPORTS
from genstamp_spec.hdfs.systems.reports_promises import ReportsPromises, ReportsReached


def test_replicas_enough_do_not_complete_a_block_that_its_client_has_not_committed() -> None:
    run = ReportsRun()
    run.write_file(0, 1)
    assert run.report(0)["block_state"] == "under_construction"
    assert run.report(1)["block_state"] == "under_construction"
    run.do("complete", action="complete", client=0, file=0)
    assert "file1: complete" in run.shown("block")


def test_a_report_completes_a_committed_block() -> None:
    run = ReportsRun(minimal=2)
    run.write_file(0, 1)
    run.report(0)
    run.do("complete", action="complete", client=0, file=0)
    assert "file1: committed" in run.shown("block")
    assert run.report(1)["block_state"] == "complete"


def left_behind(run: ReportsRun) -> None:
    """The second node of a pipeline fails after a byte; the first one goes on alone and is closed."""
    run.do("add_block", client=0, file=0, left_out=None)
    for datanode in (0, 1):
        run.do("create_rbw", client=0, file=0, datanode=datanode)
    run.do("datanode_crash", datanode=1)
    run.do("update_block_for_pipeline", client=0, file=0, left_out=None)
    run.do("recover_rbw", client=0, file=0, datanode=0)
    run.do("update_pipeline", client=0, file=0)


def test_an_old_rwr_is_no_location_after_a_restart() -> None:
    """TestRBWBlockInvalidation#testRWRShouldNotAddedOnDNRestart (HDFS-13840)."""
    run = ReportsRun()
    left_behind(run)
    run.do("datanode_restart", datanode=1)
    run.full_report(1)
    assert "file1: {datanode1}" in run.shown("locations")
    assert "datanode2: GENSTAMP_MISMATCH" in run.shown("corrupt")


def test_an_old_rwr_is_deleted_and_the_good_replica_kept() -> None:
    """TestRBWBlockInvalidation#testRWRInvalidation (HDFS-4799)."""
    run = ReportsRun()
    left_behind(run)
    run.do("last_packet", client=0, file=0)
    run.do("finalize_replica", client=0, file=0, datanode=0)
    run.report(0)
    run.close()
    run.do("datanode_restart", datanode=1)
    run.full_report(1)
    run.do("invalidate_replica", action="invalidate_replica", file=0, datanode=1)
    run.report(1)
    assert "file1: {datanode1}" in run.shown("stored")
    assert "datanode1: {file1: (state finalized" in run.shown("replica")
    assert "datanode2: {file1: (state absent" in run.shown("replica")


@pytest.mark.slow
def test_an_order_for_an_old_generation_deletes_nothing_newer() -> None:
    run = ReportsRun(wanted=1)
    run.write_file(0, 1)
    run.do("send_full_report", datanode=0, file=0)
    run.do("update_block_for_pipeline", client=0, file=0, left_out=1)
    run.do("recover_close", client=0, file=0, datanode=0)
    run.do("update_pipeline", client=0, file=0)
    run.do("block_report", file=0, datanode=0)
    assert "datanode1: GENSTAMP_MISMATCH" in run.shown("corrupt"), "the report was made before the stamp was raised"
    run.report(0)
    assert "datanode1: NONE" in run.shown("corrupt"), "a report that matches takes the mark away (HDFS-5438)"
    run.close()
    assert run.holds("heard_replicas_complete_a_block")


def test_a_replica_that_missed_an_append_does_not_count() -> None:
    """TestFileAppend#testFailedAppendBlockRejection (HDFS-5723)."""
    run = ReportsRun(wanted=2)
    run.write_file(0, 1)
    run.report(0)
    run.report(1)
    run.close()
    run.do("datanode_crash", datanode=1)
    run.do("append", client=0, file=0)
    run.do("update_block_for_pipeline", client=0, file=0, left_out=None)
    run.do("append_to_replica", client=0, file=0, datanode=0)
    run.do("update_pipeline", client=0, file=0)
    run.do("datanode_restart", datanode=1)
    run.full_report(1)
    assert "datanode2: GENSTAMP_MISMATCH" in run.shown("corrupt")
    assert "file1: {datanode1}" in run.shown("locations")


def test_a_recovery_closes_its_file_without_minimal_replication() -> None:
    """TestBlockRecovery#testRecoveryWillIgnoreMinReplication (HDFS-12886)."""
    run = ReportsRun(minimal=2)
    run.write_file(0, 1)
    run.do("start_recovery_after_client_crash", client=0, file=0)
    run.do("recover_replicas", file=0, left_out=1)
    run.do("commit_block_synchronization", file=0)
    assert "file1: closed" in run.shown("file")
    assert "file1: complete" in run.shown("block")
    assert "file1: true" in run.shown("needed"), "then it is replicated"


def test_a_deletion_waits_for_full_reports_after_a_restart() -> None:
    run = ReportsRun(wanted=1)
    left_behind(run)
    run.do("last_packet", client=0, file=0)
    run.do("finalize_replica", client=0, file=0, datanode=0)
    run.report(0)
    run.close()
    run.do("namenode_restart")
    run.full_report(0)
    run.do("leave_safe_mode")
    run.do("datanode_restart", datanode=1)
    run.full_report(1)
    assert "file1: true" in run.shown("postponed")
    assert "datanode2: GENSTAMP_MISMATCH" in run.shown("corrupt")
    run.full_report(1)
    assert "datanode2: NONE" in run.shown("corrupt"), "now it is to be deleted"
    assert "datanode2: {file1: 1}" in run.shown("to_invalidate")


def test_a_copy_is_counted_when_it_is_reported() -> None:
    run = ReportsRun(wanted=2)
    run.write_file(0, left_out=1)
    run.report(0)
    run.close()
    run.do("schedule_copy", file=0, datanode=1)
    run.do("create_temporary", file=0, datanode=1)
    run.full_report(1)
    assert "file1: {datanode1}" in run.shown("stored"), "a TEMPORARY replica is not reported"
    run.do("finalize_copy", file=0, datanode=1, source=0)
    run.report(1)
    assert "file1: {datanode1, datanode2}" in run.shown("stored")


def test_calls_are_refused_with_what_hadoop_throws() -> None:
    run = ReportsRun()
    run.write_file(0, 1)
    run.report(0)
    run.close()
    run.do("namenode_restart")
    assert run.refusal("append", client=0, file=0) == "SafeModeException"
    assert run.refusal("delete", file=0) == "SafeModeException"


# I.2 of the facts, cell by cell: blank where the replica is not corrupt.


@pytest.fixture(scope="module")
def table() -> dict[str, tuple[str, ...]]:
    """The table of Hadoop 3.4.1; the specification's own differs by one repair."""
    return rows(REPORTS, bugs=("stale-replica-joins-a-recovery",))


MISMATCH, SIZE, STATE = "GENSTAMP_MISMATCH", "SIZE_MISMATCH", "INVALID_STATE"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("FINALIZED, lower stamp", (MISMATCH, MISMATCH, MISMATCH, "")),
        ("FINALIZED, higher stamp", (MISMATCH, MISMATCH, "", "")),
        ("FINALIZED, same stamp, other length", (SIZE, SIZE, "", "")),
        ("FINALIZED, same stamp, same length", ("", "", "", "")),
        ("RBW, lower stamp", (MISMATCH, MISMATCH, MISMATCH, MISMATCH)),
        ("RBW, higher stamp", (MISMATCH, "", "", "")),
        ("RBW, same stamp, other length", ("", "", "", "")),
        ("RBW, same stamp, same length", ("", "", "", "")),
        ("RWR, lower stamp", (MISMATCH, MISMATCH, MISMATCH, MISMATCH)),
        ("RWR, higher stamp", (MISMATCH, "", "", "")),
        ("RWR, same stamp, other length", (STATE, "", "", "")),
        ("RWR, same stamp, same length", (STATE, "", "", "")),
        ("RUR, same stamp, same length", (STATE, STATE, STATE, STATE)),
        ("TEMPORARY, same stamp, same length", (STATE, STATE, STATE, STATE)),
    ],
)
def test_table_of_corrupt_replicas_is_that_of_the_facts(
    table: dict[str, tuple[str, ...]], row: str, cells: tuple[str, ...]
) -> None:
    assert BLOCK_STATES == ("COMPLETE", "COMMITTED", "UNDER_CONSTRUCTION", "UNDER_RECOVERY")
    assert table[row] == cells


@pytest.mark.slow
def test_an_old_finalized_replica_is_corrupt_during_a_recovery_too(table: dict[str, tuple[str, ...]]) -> None:
    repaired = rows(REPORTS)
    changed = {row: cells for row, cells in repaired.items() if cells != table[row]}
    assert changed == {"FINALIZED, lower stamp": (MISMATCH, MISMATCH, MISMATCH, MISMATCH)}


@pytest.mark.slow
def test_an_rbw_of_a_complete_block_was_corrupt_once() -> None:
    assert rows(REPORTS, bugs=("HDFS-2791",))["RBW, same stamp, same length"] == (STATE, "", "", "")


class AnyReportUnmarks(NamenodeReports, lane="namenode"):
    """The condition of addStoredBlockUnderConstruction in 3.4.1, read as (FINALIZED and not known) or corrupt."""

    def counts_at_once(s, file: File, datanode: Datanode, state: Enumerated[ReportedState]) -> Bool:
        """A report of an RBW or RWR of a replica that was corrupt counts, too."""
        new = state.at(ReportedState.FINALIZED) & ~s.stored[file].has(datanode)
        return new | ~s.corrupt[file][datanode].at(CorruptReason.NONE)


@pytest.mark.slow
@pytest.mark.parametrize("configuration", ["pipeline", "reopened"])
def test_missing_parentheses_in_hadoop_break_no_promise_here(configuration: str) -> None:
    """Facts L.4.1: more states are reached, and none of them breaks a promise."""
    # What a system reaches, and what its steps change, is asked of the text as it is.
    parts = [part for part in REPORTS.parts if part not in (ReportEffects, ReportsReached)]
    system = System("lenient", parts=[*parts, ReportsPromises, AnyReportUnmarks], configurations=REPORTS.configurations)
    found, text = explore(system.instance(configuration)), explore(REPORTS.instance(configuration))
    assert found.verdict is Verdict.HOLDS
    assert found.states > text.states
