"""hdfs.block_recovery, run by hand: what happens to its messages, cases of Hadoop's own tests, and what is refused."""

from dataclasses import replace

import pytest
from tests.spec.recovery_runs import Run

from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.bugs.block_recovery import EQUAL_ID_IS_ACCEPTED
from genstamp_spec.hdfs.bugs.block_recovery_holes import COMMAND_BELONGS_TO_ITS_ATTEMPT
from genstamp_spec.hdfs.systems.block_recovery import BLOCK_RECOVERY


class BlockRun(Run):
    """A run of one file that is written to three datanodes and then recovered."""

    def __init__(self, semantics: str = "repaired", bugs: tuple[str, ...] = ()) -> None:
        model = BLOCK_RECOVERY.model(semantics, bugs)
        limits = dict.fromkeys(model.limit_names, 100)
        sizes = {"Client": 1, "File": 1, "Datanode": 3}
        self.instance = Instance(model, Configuration("run", sizes=sizes, limits=limits))
        self.evaluator = Evaluator(self.instance)
        self.state = self.evaluator.initial()

    def start(self, primary: int = 0) -> None:
        """Somebody has the file recovered, and the primary gets its command."""
        self.do("release", primary=primary)
        self.do("receive_recovery_command", datanode=primary)

    def again(self, primary: int) -> None:
        """The next attempt."""
        self.do("recovery_gate_opens")
        self.start(primary)

    def ask(self, primary: int = 0, **answers: str) -> None:
        """The primary asks all three; of those that are named, the action says how it goes."""
        for datanode in range(3):
            action = answers.get(f"dn{datanode}")
            event = "init_replica_recovery" if action is None else action
            self.do(event, action=action, primary=primary, datanode=datanode)

    def update(self, primary: int, *datanodes: int) -> None:
        """The primary updates some participants."""
        for datanode in datanodes:
            self.do("update_replica_under_recovery", primary=primary, datanode=datanode)


LOST = "init_replica_recovery_times_out"


def test_a_lost_command_loses_the_attempt_and_the_next_one_is_given_to_another() -> None:
    run = BlockRun()
    run.write()
    run.do("release", primary=0)
    run.do("recovery_command_is_lost", datanode=0)
    with pytest.raises(AssertionError, match="a command waits for the datanode"):
        run.do("receive_recovery_command", datanode=0)
    run.do("recovery_gate_opens")
    with pytest.raises(AssertionError, match="the primary is a candidate"):
        run.do("release", primary=0)
    run.start(primary=1)
    run.ask(primary=1)
    run.do("sync_block", primary=1)
    run.update(1, 0, 1, 2)
    run.do("report_back", primary=1)
    run.do("commit_block_synchronization", action="commit_block_synchronization", primary=1)
    assert "file1: closed" in run.shown("file")


def test_a_report_that_comes_again_changes_nothing() -> None:
    run = BlockRun()
    run.write()
    run.start()
    run.ask()
    run.do("sync_block", primary=0)
    run.update(0, 0, 1, 2)
    run.do("report_back", primary=0)
    run.do("commit_block_synchronization", primary=0)
    before = run.state
    run.do("commit_block_synchronization", action="commit_block_synchronization_again", primary=0)
    assert run.state == before


def test_the_late_report_of_an_older_recovery_is_refused() -> None:
    run = BlockRun()
    run.write()
    run.start()
    run.ask()
    run.do("sync_block", primary=0)
    run.update(0, 0, 1, 2)
    run.do("report_back", primary=0)
    run.again(primary=1)
    run.do("commit_block_synchronization", primary=0)
    assert run.refused_with == "IOException"
    assert "file1: under_recovery" in run.shown("block")


def test_a_call_that_timed_out_is_carried_out_late() -> None:
    run = BlockRun()
    run.write()
    run.start()
    run.ask(dn1=LOST)
    run.do("sync_block", primary=0)
    run.update(0, 0, 2)
    assert "datanode2" in run.shown("calls")
    run.do("init_replica_recovery_late")
    assert run.shown("calls") == "[]"
    run.do("report_back", primary=0)
    run.do("commit_block_synchronization", primary=0)
    assert "file1: {datanode1, datanode3}" in run.shown("stored")


def test_a_late_update_leaves_a_replica_that_matches() -> None:
    run = BlockRun()
    run.write()
    run.start()
    run.ask()
    run.do("sync_block", primary=0)
    run.update(0, 0, 1)
    run.do("update_replica_times_out", primary=0, datanode=2)
    run.do("report_back", primary=0)
    run.do("commit_block_synchronization", primary=0)
    assert "file1: {datanode1, datanode2}" in run.shown("stored")
    assert not run.holds("late_update_is_not_needed")
    run.do("update_replica_late")
    assert run.holds("late_update_is_not_needed")
    run.do("block_received", datanode=2)
    assert "file1: {datanode1, datanode2, datanode3}" in run.shown("stored")


def test_the_update_of_an_older_recovery_that_comes_late_is_not_carried_out() -> None:
    run = BlockRun()
    run.write()
    run.start()
    run.ask()
    run.do("sync_block", primary=0)
    run.do("update_replica_times_out", primary=0, datanode=1)
    run.again(primary=1)
    run.ask(primary=1)
    with pytest.raises(AssertionError, match="the replica is under this recovery"):
        run.do("update_replica_late")


def test_a_deleted_file_refuses_the_report_until_its_block_is_gone() -> None:
    run = BlockRun()
    run.write()
    run.start()
    run.ask()
    run.do("sync_block", primary=0)
    run.update(0, 0, 1, 2)
    run.do("report_back", primary=0)
    run.do("delete")
    with pytest.raises(AssertionError, match="the file is not deleted"):
        run.do("commit_block_synchronization", primary=0)
    run.do("block_is_removed")
    run.do("commit_block_synchronization", primary=0)
    assert run.refused_with == "IOException"


def test_unknown_storages_are_skipped_and_the_block_completes_all_the_same() -> None:
    run = BlockRun()
    run.write()
    run.start()
    run.ask(dn0="init_replica_recovery", dn1=LOST, dn2=LOST)
    run.do("sync_block", primary=0)
    run.update(0, 0)
    run.do("report_back", primary=0)
    run.do("storage_is_forgotten", datanode=0)
    run.do("commit_block_synchronization", primary=0)
    assert "file1: complete" in run.shown("block")
    assert "file1: {}" in run.shown("stored")
    assert run.holds("complete_blocks_have_a_replica")


def test_a_dead_location_is_not_asked_and_a_stale_one_is() -> None:
    run = BlockRun()
    run.write()
    run.do("datanode_crash", datanode=2)
    run.do("datanode_becomes_stale", datanode=2)
    run.do("datanode_is_taken_for_dead", datanode=2)
    run.do("datanode_becomes_stale", datanode=1)
    run.start()
    assert "locations {datanode1, datanode2}," in run.shown("attempt")


@pytest.mark.parametrize(("semantics", "asked"), [("repaired", 3), ("hadoop-3.4", 2)])
def test_a_location_that_was_silent_for_a_moment(semantics: str, asked: int) -> None:
    """TestHeartbeatHandling.testHeartbeatBlockRecovery."""
    run = BlockRun(semantics)
    run.write()
    run.do("datanode_becomes_stale", datanode=2)
    run.start()
    named = [f"datanode{place + 1}" for place in range(asked)]
    assert f"locations {{{', '.join(named)}}}," in run.shown("attempt")


@pytest.mark.parametrize(("semantics", "decides"), [("repaired", False), ("hadoop-3.4", True)])
def test_restarted_replicas_and_a_location_that_gives_no_answer(semantics: str, decides: bool) -> None:
    run = BlockRun(semantics)
    run.write(lengths=(2, 2, 2))
    run.do("hflush", client=0)
    for datanode in (0, 1):
        run.do("datanode_crash", datanode=datanode)
        run.do("datanode_restart_losing_bytes", datanode=datanode)
    run.start()
    run.ask(dn2=LOST)
    if decides:
        assert run.do("sync_block", primary=0)["num_bytes"] == "1"
    else:
        run.do("abandon_recovery", primary=0)


def test_finalized_replicas_that_dead_recoveries_left_with_two_lengths() -> None:
    run = BlockRun()
    run.write(lengths=(2, 1, 1))
    run.start()
    run.ask(dn1=LOST, dn2=LOST)
    run.do("sync_block", primary=0)
    run.update(0, 0)
    run.do("datanode_crash", datanode=0)
    run.again(primary=1)
    run.ask(primary=1, dn0="init_replica_recovery_failed")
    run.do("sync_block", primary=1)
    run.update(1, 1)
    run.do("datanode_crash", datanode=1)
    run.do("datanode_restart", datanode=0)
    run.do("datanode_restart", datanode=1)
    run.again(primary=2)
    run.ask(primary=2)
    assert run.do("sync_block", primary=2) == {"delete": "false", "participants": "{datanode1}", "num_bytes": "2"}


@pytest.mark.slow
def test_equal_recovery_ids_of_two_primaries() -> None:
    """Facts L.5: a replica under recovery may accept a recovery of the same id; nothing more breaks."""
    hole = COMMAND_BELONGS_TO_ITS_ATTEMPT.name
    told_apart = {"one_primary_per_recovery_id", "no_recovery_drops_data"}
    sizes = {"Client": 1, "File": 1, "Datanode": 2}
    configuration = Configuration("equal", sizes=sizes, limits={**BLOCK_RECOVERY.limits, "stamps": 3, "reports": 2})
    system = replace(BLOCK_RECOVERY, bugs=(*BLOCK_RECOVERY.bugs, EQUAL_ID_IS_ACCEPTED))
    found = {}
    for bugs in ((hole,), (hole, EQUAL_ID_IS_ACCEPTED.name)):
        model = system.model(bugs=bugs)
        claims = tuple(claim for claim in model.properties if claim.name not in told_apart)
        found[bugs] = explore(Instance(replace(model, properties=claims), configuration))
    strict, lenient = found.values()
    assert strict.verdict is lenient.verdict is Verdict.HOLDS
    assert strict.states < lenient.states
