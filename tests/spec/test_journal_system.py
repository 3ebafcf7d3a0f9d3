"""hdfs.journal, run by hand: what bugs of Hadoop and its semantics change after a restart or failover."""

import pytest
from tests.spec.journal_runs import JournalRun


@pytest.mark.slow
def test_a_client_that_lost_its_file_does_not_get_it_back_by_a_restart() -> None:
    for bugs, holder in ((), "NAMENODE"), (("HDFS-1149",), "client1"):
        run = JournalRun(bugs=bugs)
        run.write()
        run.do("soft_limit_passes", 0)
        run.do("hard_limit_passes", 0)
        run.do("release_expired_lease_starts", 0, 0, 0)
        run.sync()
        run.fail_over()
        assert f"file1: {holder}" in run.shown("client_name")


@pytest.mark.slow
@pytest.mark.parametrize(("semantics", "given_twice"), [("hadoop-3.4", True), ("repaired", False)])
def test_a_recovery_id_that_was_not_synced_is_given_out_again(semantics: str, given_twice: bool) -> None:
    run = JournalRun(semantics)
    run.write()
    run.do("recover_lease_starts", 1, 0, 0)
    if not given_twice:
        assert run.why_not("receive_recovery_command", 0, 0) == "the recovery id is synced"
        return
    run.do("receive_recovery_command", 0, 0)
    assert "datanode1: {file1: 2" in run.shown("led")
    run.fail_over()
    run.call("update_block_for_pipeline", 0, 0)
    assert "client1: 2" in run.shown("new_stamp"), "the pipeline gets the stamp that a recovery has already"


@pytest.mark.slow
def test_delete_race_the_edit_of_a_block_names_the_new_path() -> None:
    for bugs, replayed in ((), True), (("HDFS-6622",), False):
        run = JournalRun(bugs=bugs)
        run.call("create", 0, 0)
        run.call("rename", 1, 0, 1)
        run.call("add_block", 0, 0)
        run.replay()
        assert run.holds("replay_never_fails") is replayed


@pytest.mark.slow
@pytest.mark.parametrize(("semantics", "same"), [("hadoop-3.4", False), ("repaired", True)])
def test_a_recovery_that_cannot_close_the_file(semantics: str, same: bool) -> None:
    run = JournalRun(semantics)
    run.call("create", 0, 0)
    run.call("add_block", 0, 0)
    run.call("add_block", 0, 0)
    run.do("recover_lease_starts", 1, 0, 0)
    run.do("log_sync")
    run.do("receive_recovery_command", 0, 0)
    run.do("commit_block_synchronization_too_early", 0, 0)
    run.replay()
    assert ("file1: 2" in run.shown("block_stamp")) is same, "Hadoop has dropped the last block, in memory only"
    assert (
        "file1: (state under_construction, path path1, holder client2, block under_construction, stamp 2"
        in run.shown("image")
    )


@pytest.mark.slow
def test_a_failover_does_not_wait_for_reports_of_a_removed_datanode() -> None:
    for bugs, label in ((), None), (("HDFS-6289",), "every queued report is that of a datanode that is known"):
        run = JournalRun(bugs=bugs)
        run.do("standby_queues_report", 0)
        run.do("datanode_crash", 0)
        run.do("namenode_stops")
        assert run.why_not("start_active_services") == label
