"""hdfs.block_recovery, run by hand: where Hadoop's semantics differ, and recoveries that die."""

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
