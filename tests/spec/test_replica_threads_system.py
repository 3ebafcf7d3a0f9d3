"""hdfs.replica_threads: nobody waits for ever, and each fault makes somebody do so."""

import pytest

from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Bug
from genstamp_model.liveness import judge
from genstamp_spec.hdfs.systems.replica_threads import REPLICA_THREADS


@pytest.mark.parametrize("configuration", [one.name for one in REPLICA_THREADS.configurations])
def test_nobody_waits_for_ever(configuration: str) -> None:
    instance = REPLICA_THREADS.instance(configuration)
    assert explore(instance).verdict is Verdict.HOLDS
    assert {found.verdict for found in judge(instance)} == {Verdict.HOLDS}


@pytest.mark.parametrize("bug", REPLICA_THREADS.bugs, ids=lambda bug: bug.name)
def test_each_fault_makes_somebody_wait_for_ever(bug: Bug) -> None:
    found = judge(REPLICA_THREADS.instance(bug.configuration, bugs=[bug.name]))
    assert set(bug.breaks) <= {one.claim.name for one in found if one.verdict is Verdict.VIOLATED}
