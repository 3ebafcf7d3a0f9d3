"""hdfs.block_recovery_ends: what may go wrong, and how often."""

import pytest
from tests.spec.recovery_runs import Run

from genstamp_model.evaluate import Evaluator
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.systems.block_recovery_ends import BLOCK_RECOVERY_ENDS


class EndsRun(Run):
    """A run of one file on two datanodes, with one mishap ahead."""

    def __init__(self, bugs: tuple[str, ...] = ()) -> None:
        model = BLOCK_RECOVERY_ENDS.model(bugs=bugs)
        sizes = {"Client": 1, "File": 1, "Datanode": 2, "Mishap": 1}
        self.instance = Instance(model, Configuration("run", sizes, dict.fromkeys(model.limit_names, 100)))
        self.evaluator = Evaluator(self.instance)
        self.state = self.evaluator.initial()
        self.do("create", client=0)
        self.do("add_block", client=0)


@pytest.mark.slow
def test_what_goes_wrong_goes_wrong_once() -> None:
    run = EndsRun()
    run.do("datanode_crash", datanode=1)
    run.do("datanode_restart", datanode=1)
    with pytest.raises(AssertionError, match="something may still go wrong"):
        run.do("datanode_crash", datanode=1)


def test_a_disk_breaks_only_where_another_datanode_has_the_same_bytes() -> None:
    run = EndsRun()
    for datanode in (0, 1):
        run.do("create_rbw", client=0, datanode=datanode)
    run.do("receive_packet", client=0, datanode=0)
    with pytest.raises(AssertionError, match="every datanode has what this one has"):
        run.do("disk_breaks", datanode=0)
    run.do("receive_packet", client=0, datanode=1)
    run.do("disk_breaks", datanode=0)


def test_the_gate_waits_for_an_attempt_that_is_under_way() -> None:
    run = EndsRun()
    run.do("release", primary=0)
    with pytest.raises(AssertionError, match="no attempt is under way"):
        run.do("recovery_gate_opens")
    run.do("recovery_command_is_lost", datanode=0)
    run.do("recovery_gate_opens")


def test_a_lost_report_is_followed_by_another_attempt() -> None:
    run = EndsRun()
    run.do("release", primary=0)
    run.do("receive_recovery_command", datanode=0)
    for datanode in (0, 1):
        run.do("init_replica_recovery", primary=0, datanode=datanode)
    run.do("sync_block", primary=0)
    run.do("report_back", primary=0)
    run.do("report_is_lost")
    run.do("recovery_gate_opens")
    run.do("release", primary=1)
    assert "file1: 3" in run.shown("recovery_id")
