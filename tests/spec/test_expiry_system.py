"""hdfs.expiry: what is owed follows, and stays owed where a fault keeps it from following."""

import pytest

from genstamp_model.liveness import judge
from genstamp_spec.hdfs.systems.expiry import EXPIRY

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
