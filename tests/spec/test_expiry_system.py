"""hdfs.expiry, run by hand: who gets a file whose lease has expired."""

from typing import ClassVar

import pytest
from tests.spec.recovery_runs import Run

from genstamp_spec.hdfs.systems.expiry import EXPIRY


class ExpiryRun(Run):
    """A run of two clients and one file."""

    system = EXPIRY
    sizes: ClassVar = {"Client": 2, "File": 1, "Datanode": 1}
    limits: ClassVar = dict.fromkeys(EXPIRY.configurations[0].limits, 100)


@pytest.mark.slow
@pytest.mark.parametrize(("bugs", "refusal"), [((), None), (("HDFS-3848",), "AlreadyBeingCreatedException")])
def test_who_has_another_file_open_gets_an_expired_one_since_2_5(bugs: tuple[str, ...], refusal: str | None) -> None:
    """HDFS-3848."""
    run = ExpiryRun(bugs=bugs)
    run.do("create", client=0, file=0)
    if bugs:
        run.do("open_another_file", client=1)
    run.do("soft_limit_passes", holder=0)
    assert run.refusal("append", client=1, file=0) == refusal
