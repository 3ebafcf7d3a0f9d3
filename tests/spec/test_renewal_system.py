"""hdfs.renewal: how far clocks may differ until a client that renews in time loses its file."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_spec.hdfs.systems.renewal import RENEWAL


@pytest.mark.parametrize(("skew", "broken"), [(1, None), (2, "renewing_client_keeps_its_lease")])
def test_renewing_client_keeps_its_lease_within_a_quarter_of_the_soft_limit(skew: int, broken: str | None) -> None:
    instance = RENEWAL.instance("one_client")
    configuration = replace(instance.configuration, limits={"skew": skew})
    violation = explore(replace(instance, configuration=configuration)).violation
    assert (None if violation is None else violation.name) == broken
