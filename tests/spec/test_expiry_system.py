"""hdfs.expiry: what is owed follows, and stays owed where a fault keeps it from following."""

from typing import ClassVar

import pytest
from tests.spec.recovery_runs import Run

from genstamp_model.liveness import judge
from genstamp_spec.hdfs.systems.expiry import EXPIRY


class ExpiryRun(Run):
    """A run of two clients and one file."""

    system = EXPIRY
    sizes: ClassVar = {"Client": 2, "File": 1, "Datanode": 1}
    limits: ClassVar = dict.fromkeys(EXPIRY.configurations[0].limits, 100)


OWED = (
    "silent_owner_loses_the_file",
    "recover_lease_returns_true",
    "append_succeeds_after_the_soft_limit",
    "committed_block_becomes_complete",
)


@pytest.mark.slow
def test_what_is_owed_follows() -> None:
    found = {one.claim.name: one.verdict.value for one in judge(EXPIRY.instance("one_client"), renumber=True)}
    assert found == dict.fromkeys(OWED, "holds")


@pytest.mark.slow
def test_hadoop_2_7_leaves_files_open_for_ever() -> None:
    instance = EXPIRY.instance("one_client", semantics="hadoop-2.7")
    found = {one.claim.name: one.verdict.value for one in judge(instance, renumber=True)}
    assert found["silent_owner_loses_the_file"] == "violated"
    assert found["recover_lease_returns_true"] == "violated"


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
