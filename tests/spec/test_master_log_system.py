"""gfs.master_log: proofs for any number of remote logs, and that each fault loses what a client has seen."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import Instance
from genstamp_model.parametric import prove_parametric
from genstamp_spec.gfs.systems.master_log import MASTER_LOG

PROMISE = "what_was_seen_survives"


def promise_alone(instance: Instance) -> Instance:
    """The instance without what the promise rests on, which breaks some steps earlier."""
    claims = tuple(claim for claim in instance.model.properties if claim.name == PROMISE)
    return replace(instance, model=replace(instance.model, properties=claims))


@pytest.mark.parametrize("bug", [bug.name for bug in MASTER_LOG.bugs])
def test_each_fault_loses_what_a_client_has_seen(bug: str) -> None:
    violation = explore(promise_alone(MASTER_LOG.instance("small", bugs=[bug]))).violation
    assert violation is not None
    assert violation.name == PROMISE


@pytest.mark.parametrize("configuration", [one.name for one in MASTER_LOG.configurations])
def test_the_promise_holds_without_the_faults(configuration: str) -> None:
    assert explore(promise_alone(MASTER_LOG.instance(configuration))).violation is None


@pytest.mark.slow
def test_what_is_proved_is_proved_for_any_number_of_remote_logs() -> None:
    model = MASTER_LOG.model()
    declared = {claim.name for claim in model.properties if claim.inductive}
    assert declared >= {PROMISE, "seen_is_on_every_disk", "shadow_shows_what_was_seen"}
    proofs = prove_parametric(model).proofs
    assert {proof.name for proof in proofs} >= declared
    assert {proof.name for proof in proofs if proof.verdict.value != "proved"} == set()
