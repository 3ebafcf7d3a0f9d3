"""gfs.replicas: what each fault breaks, and what has to be assumed."""

from dataclasses import replace

import pytest

from genstamp_model.explore import Verdict, explore
from genstamp_model.liveness import judge
from genstamp_spec.gfs.systems.replicas import REPLICAS

OWED = {
    "versions-compared-of-named-replicas-alone": "stale_replica_is_removed missing_replicas_are_cloned",
    "damaged-orphan-waits-for-its-clone": "orphan_is_reclaimed",
    "damaged-replica-takes-the-room-of-its-clone": "missing_replicas_are_cloned",
    "clone-that-was-overtaken-stays": "missing_replicas_are_cloned",
}
SERVED = {bug.name for bug in REPLICAS.bugs} - set(OWED)


def never_done(configuration: str, bugs: list[str]) -> set[str]:
    """What is owed and never done."""
    judged = judge(REPLICAS.instance(configuration, bugs=bugs))
    return {one.claim.name for one in judged if one.verdict is not Verdict.HOLDS}


@pytest.mark.parametrize("bug", OWED)
def test_what_is_owed_is_not_done(bug: str) -> None:
    assert never_done(REPLICAS.bug(bug).configuration, [bug]) == set(OWED[bug].split())


@pytest.mark.parametrize("bug", sorted(SERVED))
def test_what_is_read_or_named_is_wrong(bug: str) -> None:
    instance = REPLICAS.instance(REPLICAS.bug(bug).configuration, bugs=[bug])
    promised = {"named_replicas_are_complete", "reads_are_whole"}
    claims = tuple(claim for claim in instance.model.properties if claim.name in promised)
    assert len(claims) == len(promised)
    assert explore(replace(instance, model=replace(instance.model, properties=claims))).violation is not None


@pytest.mark.parametrize("assumed", ["report_stale", "delete_replica", "report_current", "begin_clone", "finish_clone"])
def test_a_chunkserver_that_dies_again_and_again_has_to_be_heard_in_between(assumed: str) -> None:
    instance = REPLICAS.instance("two_chunkservers")
    weaker = tuple(
        replace(
            claim,
            fair=(*claim.fair, *(name for name in claim.strongly_fair if name == assumed)),
            strongly_fair=tuple(name for name in claim.strongly_fair if name != assumed),
        )
        for claim in instance.model.properties
    )
    judged = judge(replace(instance, model=replace(instance.model, properties=weaker)))
    assert Verdict.VIOLATED in {one.verdict for one in judged}
