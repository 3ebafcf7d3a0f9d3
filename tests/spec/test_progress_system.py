"""gfs.progress: what each fault keeps waiting, and that success cannot be promised before faults cease."""

from dataclasses import replace

import pytest

from genstamp_model.explore import Verdict, explore
from genstamp_model.language import System, action, require
from genstamp_model.liveness import judge
from genstamp_model.parametric import prove_parametric
from genstamp_spec.gfs.parts.lease_state import Chunkserver
from genstamp_spec.gfs.parts.progress_steps import WrittenReplicas
from genstamp_spec.gfs.systems.progress import PROGRESS, ProgressProperties

OWED = {
    "revoked-lease-is-extended": {"revocation_ends", "retried_write_succeeds"},
    "dead-secondary-is-waited-for": {"write_ends"},
    "lease-lost-in-silence": {"write_ends", "retried_write_succeeds"},
    "lease-of-a-dead-primary-never-expires": {"revocation_ends", "retried_write_succeeds"},
    "dead-secondary-keeps-its-lease": {"retried_write_succeeds"},
    "write-answered-before-all-have-it": set(),
}


def never_done(system: System, configuration: str, bugs: list[str]) -> set[str]:
    """What is owed and never done."""
    judged = judge(system.instance(configuration, bugs=bugs))
    return {one.claim.name for one in judged if one.verdict is not Verdict.HOLDS}


def test_what_is_proved_is_proved_for_any_number_of_chunkservers() -> None:
    model = PROGRESS.model()
    declared = {claim.name for claim in model.properties if claim.inductive}
    assert declared == {"success_means_everywhere", "master_knows_the_primary", "extended_leases_last"}
    proofs = prove_parametric(model).proofs
    assert {proof.name for proof in proofs} >= declared
    assert {proof.name for proof in proofs if proof.verdict.value != "proved"} == set()


@pytest.mark.parametrize("bug", OWED)
def test_what_is_owed_is_not_done(bug: str) -> None:
    assert set(OWED) == {one.name for one in PROGRESS.bugs}
    assert never_done(PROGRESS, PROGRESS.bug(bug).configuration, [bug]) == OWED[bug]


def test_everything_that_is_owed_is_done_without_the_faults() -> None:
    assert never_done(PROGRESS, "two_chunkservers", []) == set()


def test_a_write_that_is_answered_too_early_is_not_everywhere() -> None:
    bug = "write-answered-before-all-have-it"
    violation = explore(PROGRESS.instance("two_chunkservers", bugs=[bug])).violation
    assert violation is not None
    assert violation.name == "success_means_everywhere"


class CrashesForEver(WrittenReplicas, lane=Chunkserver):
    """Nothing is ever calm."""

    @action
    def crash(s, chunkserver: Chunkserver) -> None:
        """Another replica is left."""
        require(s.up.has(chunkserver), "the chunkserver is up")
        require((s.up & s.current).size() > 1, "another current replica is up")
        s.dies(chunkserver)


def test_success_cannot_be_promised_while_chunkservers_go_on_to_die() -> None:
    system = replace(PROGRESS, parts=[ProgressProperties, CrashesForEver])
    assert never_done(system, "two_chunkservers", []) == {"retried_write_succeeds"}
