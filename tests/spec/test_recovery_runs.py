"""hdfs.recovery, run by hand: one test for a promise of the facts or a case of Hadoop's own tests."""

import pytest
from tests.spec.recovery_runs import Run


def test_a_file_is_written_and_closed() -> None:
    run = Run()
    run.write(lengths=(2, 2, 2))
    assert run.do("hflush", client=0, file=0) == {"num_bytes": "2"}
    run.close_pipeline()
    run.do("block_received", file=0, datanode=1)
    assert run.do("complete", client=0, file=0)["closed"] == "true"
    assert "file1: closed" in run.shown("file")
    assert "file1: complete" in run.shown("block")
    assert "file1: 2" in run.shown("block_bytes")


def test_complete_is_false_until_a_replica_is_reported_and_true_when_called_again() -> None:
    run = Run()
    run.write()
    run.close_pipeline()
    assert run.do("complete", client=0, file=0)["closed"] == "false"
    assert run.do("complete", client=0, file=0)["closed"] == "false"
    assert run.do("block_received", file=0, datanode=0)["block_state"] == "complete"
    assert run.do("complete", client=0, file=0)["closed"] == "true"


def test_an_empty_file_is_closed_without_a_block() -> None:
    run = Run()
    run.do("create", client=0, file=0)
    assert run.do("complete", client=0, file=0)["closed"] == "true"


def test_create_is_refused_in_the_order_of_the_checks() -> None:
    run = Run()
    run.do("create", client=0, file=0)
    assert run.refusal("create", client=0, file=0) == "AlreadyBeingCreatedException"
    assert run.refusal("create", client=1, file=0) == "AlreadyBeingCreatedException"
    run.do("complete", client=0, file=0)
    assert run.refusal("create", client=1, file=0) == "FileAlreadyExistsException"


def test_soft_limit_takeover_starts_a_recovery_and_is_refused() -> None:
    run = Run()
    run.write()
    run.do("soft_limit_passes", holder=0)
    run.do("create", client=1, file=0, primary=2)
    assert run.refused_with == "RecoveryInProgressException"
    assert "file1: under_recovery" in run.shown("block")
    assert "file1: client1" in run.shown("client_name"), "on the soft-limit path the old writer stays the holder"
    assert run.refusal("create", client=1, file=0) == "RecoveryInProgressException"


def test_soft_limit_takeover_of_an_empty_file_closes_it() -> None:
    run = Run()
    run.do("create", client=0, file=0)
    run.do("soft_limit_passes", holder=0)
    run.do("create", client=1, file=0)
    assert run.refused_with == "FileAlreadyExistsException"
    assert "file1: closed" in run.shown("file")


def test_hard_limit_makes_the_namenode_the_holder() -> None:
    run = Run()
    run.write()
    run.do("soft_limit_passes", holder=0)
    run.do("hard_limit_passes", holder=0)
    assert run.do("release_expired_lease", holder=0, file=0, primary=0) == {"closed": "false", "recovery_id": "2"}
    assert "NAMENODE: {file1}" in run.shown("lease_files")
    assert run.refusal("complete", client=0, file=0) == "LeaseExpiredException"
    assert run.holds("one_lease_per_open_file")


def test_two_files_of_one_holder_are_taken_over_one_by_one() -> None:
    run = Run()
    run.do("create", client=0, file=0)
    run.do("create", client=0, file=1)
    assert run.do("recover_lease", client=1, file=0) == {"closed": "true"}
    assert "client1: {file2}" in run.shown("lease_files")
    assert "client1: held" in run.shown("lease")


# Hadoop's TestBlockRecovery, cases 02.8 to 02.13: which replicas take part, and with which length.


def finalized(run: Run) -> None:
    """Every replica becomes FINALIZED."""
    run.close_pipeline()


def restarted(run: Run, *datanodes: int, losing: bool = False) -> None:
    """Some replicas become RWR."""
    for datanode in datanodes:
        run.do("datanode_crash", datanode=datanode)
        run.do("datanode_restart_losing_bytes" if losing else "datanode_restart", datanode=datanode)


def test_02_8_finalized_replicas_of_one_length_all_take_part() -> None:
    run = Run()
    run.write(lengths=(2, 2, 2))
    finalized(run)
    run.recover()
    run.collect()
    assert run.synchronize() == {
        "delete": "false",
        "participants": "{datanode1, datanode2, datanode3}",
        "num_bytes": "2",
    }
    assert "file1: closed" in run.shown("file")


def test_02_9_rbw_of_the_finalized_length_joins() -> None:
    run = Run()
    run.write(lengths=(2, 2, 2))
    run.do("last_packet", client=0, file=0)
    run.do("finalize_replica", client=0, file=0, datanode=2)
    run.recover()
    run.collect()
    assert run.synchronize()["participants"] == "{datanode1, datanode2, datanode3}"


def test_02_10_rwr_never_joins_finalized_replicas() -> None:
    run = Run()
    run.write(lengths=(2, 2, 2))
    run.do("last_packet", client=0, file=0)
    run.do("finalize_replica", client=0, file=0, datanode=2)
    restarted(run, 0)
    run.recover()
    run.collect()
    assert run.synchronize()["participants"] == "{datanode2, datanode3}"


def test_02_11_rbw_replicas_take_their_minimum() -> None:
    run = Run()
    run.write(lengths=(3, 1, 2))
    run.recover()
    run.collect()
    assert run.synchronize() == {
        "delete": "false",
        "participants": "{datanode1, datanode2, datanode3}",
        "num_bytes": "1",
    }


def test_02_12_rwr_is_left_out_beside_rbw() -> None:
    run = Run()
    run.write(lengths=(3, 1, 2))
    restarted(run, 1)
    run.recover()
    run.collect()
    assert run.synchronize() == {"delete": "false", "participants": "{datanode1, datanode3}", "num_bytes": "2"}


def test_02_13_rwr_replicas_alone_take_their_minimum() -> None:
    run = Run()
    run.write(lengths=(3, 2, 2))
    restarted(run, 0, 1)
    restarted(run, 2, losing=True)
    run.recover()
    run.collect()
    assert run.synchronize()["num_bytes"] == "1"


def test_recovery_without_any_data_drops_the_block() -> None:
    run = Run()
    run.do("create", client=0, file=0)
    run.do("add_block", client=0, file=0)
    run.recover()
    run.collect()
    assert run.do("sync_block", primary=0, file=0) == {"delete": "true", "participants": "{}"}
    assert run.do("commit_block_synchronization", primary=0, file=0)["deleted"] == "true"
    assert "file1: removed" in run.shown("block")


@pytest.mark.parametrize(("semantics", "deletes"), [("hadoop-3.4", True), ("repaired", False)])
def test_a_location_that_failed_may_have_the_data(semantics: str, deletes: bool) -> None:
    run = Run(semantics)
    run.write(lengths=(0, 0, 1))
    run.do("datanode_crash", datanode=2)
    run.recover()
    run.do("init_replica_recovery", primary=0, file=0, datanode=0)
    run.do("init_replica_recovery", primary=0, file=0, datanode=1)
    run.do("init_replica_recovery_failed", primary=0, file=0, datanode=2)
    if deletes:
        assert run.do("sync_block", primary=0, file=0)["delete"] == "true"
    else:
        run.do("abandon_recovery", primary=0, file=0)


def test_a_younger_recovery_preempts_and_the_older_commit_has_no_effect() -> None:
    run = Run()
    run.write()
    run.recover(primary=0)
    run.collect(primary=0)
    run.do("sync_block", primary=0, file=0)
    for datanode in range(3):
        run.do("update_replica_under_recovery", primary=0, file=0, datanode=datanode)
    run.do("recovery_gate_opens", file=0)
    run.recover(primary=1)
    before = run.shown("block_stamp")
    run.do("commit_block_synchronization", primary=0, file=0)
    assert run.refused_with == "IOException"
    assert run.shown("block_stamp") == before
    run.collect(primary=1)
    run.synchronize(primary=1)
    assert "file1: 3" in run.shown("block_stamp")


def test_a_replica_under_a_younger_recovery_refuses_the_older_one() -> None:
    run = Run()
    run.write()
    run.recover(primary=0)
    run.do("recovery_gate_opens", file=0)
    run.recover(primary=1)
    run.collect(primary=1)
    run.do("init_replica_recovery", primary=0, file=0, datanode=0)
    assert run.refused_with == "RecoveryInProgressException"
    run.do("abandon_recovery", primary=0, file=0)


def test_no_attempt_is_started_before_the_gate_opens() -> None:
    run = Run()
    run.write()
    run.recover(primary=0)
    assert run.do("recover_lease", client=0, file=0) == {"closed": "false"}
    assert "file1: 2" in run.shown("recovery_id")
    assert "file1: client1" in run.shown("client_name"), "the caller becomes the holder all the same"


def test_the_late_complete_of_a_fenced_client_is_refused() -> None:
    run = Run()
    run.write()
    run.close_pipeline()
    run.do("soft_limit_passes", holder=0)
    run.do("create", client=1, file=0, primary=0)
    assert run.refusal("complete", client=0, file=0) == "IOException"


def test_a_stopped_writer_writes_no_more() -> None:
    run = Run()
    run.write()
    run.recover()
    run.do("init_replica_recovery", primary=0, file=0, datanode=0)
    with pytest.raises(AssertionError, match="the datanode takes the client's packets"):
        run.do("receive_packet", client=0, file=0, datanode=0)


def test_a_restarted_datanode_forgets_the_recovery() -> None:
    run = Run()
    run.write()
    run.close_pipeline()
    run.recover()
    run.collect()
    run.do("datanode_crash", datanode=2)
    run.do("datanode_restart", datanode=2)
    run.do("sync_block", primary=0, file=0)
    run.do("update_replica_under_recovery", primary=0, file=0, datanode=2)
    assert run.refused_with == "IOException"


def test_first_hflush_under_recovery_is_a_hole_of_hadoop() -> None:
    for semantics, possible in (("hadoop-3.4", True), ("repaired", False)):
        run = Run(semantics)
        run.do("create", client=0, file=0)
        run.do("add_block", client=0, file=0)
        run.do("soft_limit_passes", holder=0)
        run.do("create", client=1, file=0, primary=0)
        for datanode in range(3):
            run.do("create_rbw", client=0, file=0, datanode=datanode)
        for datanode in range(3):
            run.do("receive_packet", client=0, file=0, datanode=datanode)
        if possible:
            run.do("hflush", client=0, file=0)
        else:
            with pytest.raises(AssertionError, match="not under recovery at its first hflush"):
                run.do("hflush", client=0, file=0)


def test_nothing_is_sent_before_the_whole_pipeline_is_set_up() -> None:
    run = Run()
    run.do("create", client=0, file=0)
    run.do("add_block", client=0, file=0)
    run.do("create_rbw", client=0, file=0, datanode=0)
    with pytest.raises(AssertionError, match="every node of the pipeline is set up"):
        run.do("receive_packet", client=0, file=0, datanode=0)
