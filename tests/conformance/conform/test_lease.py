"""The step-by-step namenode conforms to hdfs.lease, and twins of it with one thing broken each are caught."""

import pytest
from tests.conformance.patching import Patch, patched

from genstamp.adapters import Cluster, ReferenceAdapter
from genstamp.stateful import Failure, Figures, conform, driving_of
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, Run
from genstamp_dfs.hdfs.namenode import complete, lease_recovery
from genstamp_spec.hdfs.systems.lease import LEASE

pytestmark = pytest.mark.slow

SEED = 5


def test_a_seed_decides_when_a_recovery_may_follow_another() -> None:
    """The test knows as well as the implementation: 30 s after the first one, or 30 minutes."""
    for seed, is_over in ((0, True), (3, False)):
        bench = Bench(ReferenceAdapter(), LEASE.model("repaired"), driving_of("hdfs.lease"), 100)
        cluster = Cluster(("/a",), ("client1",), ("datanode1",), "repaired", seed, "hdfs.lease")
        run = Run(bench, cluster, Figures())
        run.start()
        for event in ("create", "add_block", "recover_lease"):
            run.request(Request(event, (("client", "client1"), ("file", "/a"))))
        run.request(Request(ms=30_001))
        [state] = run.tracker.states
        assert run.tracker.fit.evaluator.named(state)["attempt_is_young"] == (not is_over,)


def failure_with(*patches: Patch) -> Failure:
    with patched(patches):
        report = conform(ReferenceAdapter(), LEASE, examples=300, seed=SEED, shrink_seconds=10)
    assert report.verdict == "rejected"
    assert report.failure is not None
    assert report.is_deterministic
    return report.failure


@pytest.mark.parametrize("semantics", ["repaired", "hadoop-3.4"])
def test_the_reference_implementation_conforms(semantics: str) -> None:
    report = conform(ReferenceAdapter(), LEASE, semantics, examples=30, seed=SEED)
    assert report.failure is None, str(report.failure)
    assert report.verdict == "conforms"
    assert report.figures.refusals > 0
    assert len(report.never_seen) <= 6, report.never_seen


def test_a_twin_whose_fsync_minds_no_recovery_is_caught() -> None:
    found = failure_with(Patch(complete, "_check_fsync", lambda fsn, inode, last, request: None))
    assert found.event in ("fsync", "fsync_arrives_late")
    assert "refuses it with IOException" in str(found)


def test_a_twin_that_leaves_a_file_with_its_old_writer_is_caught() -> None:
    """The hole soft-limit-takes-the-file: the writer may go on, although somebody else has had the file taken over."""
    assert "tick" in str(failure_with(Patch(lease_recovery, "_soft_limit_holder", lambda fsn: None)))
