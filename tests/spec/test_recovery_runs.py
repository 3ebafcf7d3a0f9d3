"""hdfs.recovery, run by hand: where Hadoop's semantics differ from the repaired ones."""

import pytest
from tests.spec.recovery_runs import Run


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
