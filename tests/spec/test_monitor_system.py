"""hdfs.monitor: a pass ends, but not where it begins at the first lease again and again."""

import pytest

from genstamp_model.liveness import judge
from genstamp_spec.hdfs.systems.monitor import MONITOR


@pytest.mark.parametrize(("bug", "verdict"), [("HDFS-15704", "holds"), ("HDFS-4882", "violated")])
def test_pass_ends_unless_no_time_is_set(bug: str, verdict: str) -> None:
    found = {one.claim.name: one.verdict.value for one in judge(MONITOR.instance("three_leases", bugs=[bug]))}
    assert found["lock_is_free_again"] == verdict
