"""hdfs.truncate, run by hand: snapshots, copies, and attempts that end half way."""

from tests.spec.recovery_runs import Run

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.systems.truncate import TRUNCATE


class TruncateRun(Run):
    """A run of one file on three datanodes; a block of three bytes is written and closed first."""

    def __init__(self, semantics: str = "repaired", bugs: tuple[str, ...] = ()) -> None:
        model = TRUNCATE.model(semantics, bugs)
        limits = dict.fromkeys(model.limit_names, 100)
        sizes = {"Client": 2, "File": 1, "Datanode": 3}
        self.instance = Instance(model, Configuration("run", sizes=sizes, limits=limits))
        self.evaluator = Evaluator(self.instance)
        self.state = self.evaluator.initial()
        self.write(lengths=(3, 3, 3))
        self.finish()

    def finish(self, client: int = 0) -> None:
        """The client closes the file, and every datanode reports its replica."""
        self.close_pipeline(client=client)
        for datanode in range(3):
            self.do("block_received", file=0, datanode=datanode)
        self.do("complete", client=client, file=0)

    def truncate(self, new_bytes: int, client: int = 0, primary: int = 0, lost_answer: int = 0) -> dict[str, str]:
        """Cut the file, and bring the command to the primary."""
        answer = self.do(
            "truncate", client=client, file=0, primary=primary, new_bytes=new_bytes, lost_answer=lost_answer
        )
        self.do("receive_recovery_command", file=0, datanode=primary)
        return answer

    def end_truncate(self, primary: int = 0) -> None:
        """The primary carries the recovery through."""
        self.collect(primary=primary)
        self.synchronize(primary=primary)

    def append(self, client: int = 0) -> None:
        """Open the file and set the pipeline up."""
        self.do("append", client=client, file=0)
        self.do("update_block_for_pipeline", client=client, file=0)
        for datanode in range(3):
            self.do("append_replica", client=client, file=0, datanode=datanode)
        self.do("update_pipeline", client=client, file=0)


def test_a_node_that_is_down_is_left_out_and_the_others_recover_their_append() -> None:
    run = TruncateRun()
    run.do("append", client=0, file=0)
    run.do("update_block_for_pipeline", client=0, file=0)
    run.do("append_replica", client=0, file=0, datanode=0)
    run.do("datanode_crash", datanode=2)
    run.do("append_replica_failed", client=0, file=0, datanode=2)
    run.do("update_block_for_pipeline", client=0, file=0)
    run.do("recover_append", client=0, file=0, datanode=0)
    run.do("recover_append", client=0, file=0, datanode=1)
    assert run.do("update_pipeline", client=0, file=0)["locations"] == "{datanode1, datanode2}"


def test_copy_on_truncate_leaves_the_snapshots_block_as_it_was() -> None:
    """TestFileTruncate.testTruncateRecovery, testSnapshotWithTruncates."""
    run = TruncateRun()
    run.do("create_snapshot", file=0)
    run.truncate(1)
    assert "file1: complete" in run.shown("former_block")
    assert "file1: 2" in run.shown("block_stamp"), "the new block has a stamp of its own"
    run.end_truncate()
    assert "file1: 1" in run.shown("block_bytes")
    for datanode in range(3):
        assert run.do("read_snapshot", file=0, datanode=datanode) == {"num_bytes": "3"}
    run.do("delete_snapshot", file=0)
    assert "file1: removed" in run.shown("former_block")
    run.do("invalidate_replica", action="invalidate_other_replica", file=0, datanode=0)


def test_a_snapshot_shows_what_was_there_when_it_was_taken() -> None:
    """TestFileTruncate.testSnapshotWithAppendTruncate."""
    run = TruncateRun()
    run.do("create_snapshot", file=0)
    run.append()
    for datanode in range(3):
        run.do("receive_packet", client=0, file=0, datanode=datanode)
    run.finish()
    assert run.do("read_snapshot", file=0, datanode=0) == {"num_bytes": "3"}


def test_copies_of_a_failed_attempt_are_made_again_and_do_not_count() -> None:
    run = TruncateRun()
    run.do("create_snapshot", file=0)
    run.truncate(1)
    run.collect()
    run.do("sync_block", primary=0, file=0)
    run.do("update_replica_under_recovery", primary=0, file=0, datanode=1)
    run.do("recover_lease", client=1, file=0, primary=2)
    assert "file1: 3" in run.shown("block_stamp"), "the copy gets the new recovery id"
    run.do("receive_recovery_command", file=0, datanode=2)
    run.do("datanode_crash", datanode=1)
    run.do("init_replica_recovery", primary=2, file=0, datanode=0)
    run.do("init_replica_recovery_failed", primary=2, file=0, datanode=1)
    run.do("init_replica_recovery", primary=2, file=0, datanode=2)
    run.do("sync_block", primary=2, file=0)
    run.do("update_replica_under_recovery", primary=2, file=0, datanode=0)
    run.do("update_replica_under_recovery", primary=2, file=0, datanode=2)
    run.do("commit_block_synchronization", primary=2, file=0)
    assert "file1: {datanode1, datanode3}" in run.shown("stored")
    run.do("datanode_restart", datanode=1)
    run.do("invalidate_replica", action="invalidate_other_replica", file=0, datanode=1)
    assert run.do("read_snapshot", file=0, datanode=1) == {"num_bytes": "3"}


def test_an_upgrade_makes_truncate_copy_and_deletion_leaves_no_block() -> None:
    """TestFileTruncate.testTruncateWithRollingUpgrade."""
    run = TruncateRun()
    run.do("upgrade_begins")
    run.truncate(1)
    run.do("delete", action="delete_open_file", client=0, file=0)
    assert "file1: removed" in run.shown("block")
    assert "file1: removed" in run.shown("former_block")


def test_a_truncate_that_was_carried_out_by_half_ends_in_the_next_attempt() -> None:
    """One of three replicas is cut before the attempt is over; Hadoop finds their lengths to differ, and gives up."""
    run = TruncateRun()
    run.truncate(1)
    run.collect()
    run.do("sync_block", primary=0, file=0)
    run.do("update_replica_under_recovery", primary=0, file=0, datanode=1)
    run.do("recover_lease", client=1, file=0, primary=2)
    run.do("receive_recovery_command", file=0, datanode=2)
    run.collect(primary=2)
    run.synchronize(primary=2)
    assert "file1: closed" in run.shown("file")
    assert "file1: 1" in run.shown("block_bytes")
