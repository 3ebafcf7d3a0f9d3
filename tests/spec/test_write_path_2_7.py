"""hdfs.write_path as Hadoop 2.7 has it: what it does otherwise is seen in the configuration that is said."""

import pytest

from genstamp import coverage
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Difference, Variation
from genstamp_spec.hdfs.systems.write_path import HADOOP_2_7, WRITE_PATH

DIFFERENCES = [one for one in HADOOP_2_7 if isinstance(one, Difference)]
FAULTS = [one for one in HADOOP_2_7 if one.breaks and one.configuration in ("two_blocks", "appenders")]


@pytest.mark.slow
@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda one: one.name)
def test_difference_is_seen_and_breaks_nothing(difference: Difference) -> None:
    found = explore(WRITE_PATH.instance(difference.configuration, bugs=[difference.name]))
    assert found.verdict is Verdict.HOLDS
    assert coverage.reached(coverage.of(found))[difference.shows]
    assert not coverage.has(WRITE_PATH.model(), difference.shows)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda one: one.name)
def test_fault_breaks_its_promise_at_its_depth(fault: Variation) -> None:
    violation = explore(WRITE_PATH.instance(fault.configuration, bugs=[fault.name])).violation
    assert violation is not None
    assert (violation.name in fault.breaks, len(violation.path)) == (True, fault.depth)
