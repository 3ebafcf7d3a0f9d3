"""hdfs.journal, run by hand: cases of Hadoop's own tests of restart, failover and retries."""

import pytest
from tests.spec.journal_runs import JournalRun


@pytest.mark.slow
def test_an_answer_waits_for_the_sync() -> None:
    run = JournalRun()
    run.do("create", 0, 0)
    assert run.why_not("answer_arrives", 0) == "what the call did is synced"
    run.do("log_sync")
    run.do("answer_arrives", 0)
    assert "client1: {file1}" in run.shown("opened")


def test_what_is_not_synced_is_lost_and_what_is_survives() -> None:
    run = JournalRun()
    run.do("create", 0, 0)
    run.fail_over()
    assert "file1: absent" in run.shown("file")
    run.do("create", 0, 0)
    run.do("log_sync")
    run.fail_over()
    assert "file1: under_construction" in run.shown("file")
    assert "file1: client1" in run.shown("client_name")


def test_retry_cache_with_ha_create_is_answered_the_same_after_failover() -> None:
    run = JournalRun()
    run.do("create", 0, 0)
    run.do("log_sync")
    run.fail_over()
    assert run.why_not("create", 0, 0) == "the retry cache does not know the call"
    run.do("retry_cache_answers", 0)
    run.do("answer_arrives", 0)
    assert "client1: {file1}" in run.shown("opened")


def test_pipelines_failover_add_block_is_repeated_at_the_new_active() -> None:
    run = JournalRun()
    run.call("create", 0, 0)
    run.do("add_block", 0, 0)
    run.do("log_sync")
    run.fail_over()
    run.do("add_block_again", 0, 0)
    run.do("answer_arrives", 0)
    assert run.shown("last_stamp") == "1", "one block was given, not two"
    run.close()
    assert run.holds("replay_never_fails")


def test_pipelines_failover_complete_is_repeated_at_the_new_active() -> None:
    run = JournalRun()
    run.write()
    run.do("complete_commits", 0, 0)
    run.do("block_received", 0, 0)
    run.do("complete_closes", 0, 0)
    run.do("log_sync")
    run.fail_over()
    assert "file1: closed" in run.shown("file")
    run.do("complete_again", 0, 0)
    run.do("answer_arrives", 0)
    assert "client1: {}" in run.shown("opened")


def test_add_block_uc_after_a_restart_the_last_block_is_under_construction_and_keeps_its_length() -> None:
    run = JournalRun()
    run.write()
    run.do("complete_commits", 0, 0)
    run.restart()
    assert "file1: under_construction" in run.shown("block")
    assert "file1: 1" in run.shown("block_bytes")
    assert "file1: {}" in run.shown("locations")
    run.do("report_replica_being_written", 0, 0)
    assert "file1: {datanode1}" in run.shown("locations")


def test_every_call_is_refused_in_safe_mode_and_where_nobody_is_active() -> None:
    run = JournalRun()
    run.write()
    run.do("namenode_stops")
    assert run.refusal("fsync", 0, 0) == "StandbyException"
    run.replay()
    run.do("restart_namenode")
    assert run.refusal("fsync", 0, 0) == "SafeModeException"
    assert run.refusal("recover_lease_starts", 1, 0, 0) == "SafeModeException"
    run.do("leave_safe_mode")
    run.call("fsync", 0, 0)


def test_safe_mode_waits_for_replicas_of_complete_blocks_only() -> None:
    run = JournalRun()
    run.write()
    run.close()
    run.restart()
    assert run.why_not("leave_safe_mode") == "every complete block has a replica"
    run.do("block_received", 0, 0)
    run.do("leave_safe_mode")


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


def test_failover_right_before_commit_synchronization() -> None:
    run = JournalRun()
    run.write()
    run.do("recover_lease_starts", 1, 0, 0)
    assert run.why_not("receive_recovery_command", 0, 0) == "the recovery id is synced"
    run.do("log_sync")
    run.do("receive_recovery_command", 0, 0)
    run.do("namenode_stops")
    assert run.refusal("commit_block_synchronization", 0, 0) == "StandbyException"
    run.replay()
    run.do("start_active_services")
    run.do("commit_block_synchronization_stale", 0, 0)
    assert "file1: client2" in run.shown("client_name")
    run.do("recover_lease_starts", 1, 0, 0)
    run.do("log_sync")
    run.do("receive_recovery_command", 0, 0)
    run.do("commit_block_synchronization", 0, 0)
    assert "file1: closed" in run.shown("file")
    assert "file1: 3" in run.shown("block_stamp")


def test_dn_fencing_a_former_active_has_no_command_that_is_obeyed() -> None:
    run = JournalRun()
    run.write()
    run.do("recover_lease_starts", 1, 0, 0)
    run.do("log_sync")
    run.do("namenode_stops")
    assert run.why_not("receive_recovery_command", 0, 0) == "the NameNode is active and not in safe mode"
    run.replay()
    run.do("start_active_services")
    assert run.why_not("receive_recovery_command", 0, 0) == "a command waits for the datanode"


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


def test_delete_race_every_call_on_a_deleted_file_is_refused() -> None:
    run = JournalRun()
    run.write()
    run.call("update_block_for_pipeline", 0, 0)
    run.do("recover_lease_starts", 1, 0, 0)
    run.do("log_sync")
    run.do("receive_recovery_command", 0, 0)
    run.call("delete", 1, 0)
    assert run.why_not("fsync", 0, 0) == "the file is not deleted"
    assert run.refusal("commit_block_synchronization", 0, 0) == "IOException"
    assert run.why_not("recover_lease_starts", 1, 0, 0) is not None
    run.replay()
    assert run.shown("edits") == "[]"
    run.do("remove_blocks", 0)
    run.do("commit_block_synchronization_unknown", 0, 0)


def test_delete_race_a_file_that_a_snapshot_keeps_leaves_its_lease_to_the_monitor() -> None:
    run = JournalRun()
    run.write()
    run.call("delete_under_snapshot", 0, 0)
    run.do("soft_limit_passes", 0)
    run.do("hard_limit_passes", 0)
    assert run.why_not("release_expired_lease_starts", 0, 0, 0) == "the file is not deleted"
    run.do("release_expired_lease_of_deleted_file", 0, 0)
    assert "client1: released" in run.shown("lease")
    run.replay()
    assert run.shown("edits") == "[]"


@pytest.mark.slow
def test_delete_race_the_edit_of_a_block_names_the_new_path() -> None:
    for bugs, replayed in ((), True), (("HDFS-6622",), False):
        run = JournalRun(bugs=bugs)
        run.call("create", 0, 0)
        run.call("rename", 1, 0, 1)
        run.call("add_block", 0, 0)
        run.replay()
        assert run.holds("replay_never_fails") is replayed


def test_an_append_is_logged_and_refused_over_quota_before_anything_changed() -> None:
    run = JournalRun()
    run.write()
    run.close()
    run.call("append", 1, 0)
    run.replay()
    assert "file1: client2" in run.shown("client_name")
    run.close(client=1)
    run.do("quota_is_lowered")
    assert run.refusal("append", 0, 0) == "DSQuotaExceededException"


def test_an_append_waits_for_a_live_replica_and_for_the_file_to_be_closed() -> None:
    """TestFileAppend#testAppendInsufficientLocations (HDFS-6325)."""
    run = JournalRun()
    run.write()
    assert run.refusal("append", 1, 0) == "AlreadyBeingCreatedException"
    run.close()
    run.do("datanode_crash", 0)
    assert "file1: {}" in run.shown("stored")
    assert run.refusal("append", 1, 0) == "IOException"


def test_a_repeated_add_block_gets_its_block_also_while_it_is_recovered() -> None:
    """What FSDirWriteFileOp#analyzeFileState compares is blocks and the length, not the state of the last block."""
    run = JournalRun()
    run.call("create", 0, 0)
    run.do("add_block", 0, 0)
    run.sync()
    run.do("answer_is_lost", 0)
    run.do("recover_lease_starts", 0, 0, 0)
    run.do("add_block_again", 0, 0)
    assert "file1: under_recovery" in run.shown("block")


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


def test_the_block_before_the_last_is_complete_after_a_restart() -> None:
    run = JournalRun()
    run.call("create", 0, 0)
    run.call("add_block", 0, 0)
    run.call("add_block", 0, 0)
    assert run.why_not("complete_commits", 0, 0) == "the block before is complete"
    run.replay()
    run.fail_over()
    assert "file1: (state complete, stamp 1" in run.shown("earlier")
    run.close()
    assert "file1: closed" in run.shown("file")


@pytest.mark.slow
def test_a_failover_does_not_wait_for_reports_of_a_removed_datanode() -> None:
    for bugs, label in ((), None), (("HDFS-6289",), "every queued report is that of a datanode that is known"):
        run = JournalRun(bugs=bugs)
        run.do("standby_queues_report", 0)
        run.do("datanode_crash", 0)
        run.do("namenode_stops")
        assert run.why_not("start_active_services") == label


def test_a_commit_may_leave_the_file_open() -> None:
    run = JournalRun()
    run.write()
    run.do("recover_lease_starts", 1, 0, 0)
    run.do("log_sync")
    run.do("receive_recovery_command", 0, 0)
    run.do("commit_block_synchronization_leaves_open", 0, 0)
    run.sync()
    run.fail_over()
    assert "file1: under_construction" in run.shown("file")
    assert "file1: 2" in run.shown("block_stamp")
