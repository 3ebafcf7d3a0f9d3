"""gfs.chunk_lease: how far clocks may run apart, and proofs for any number of chunkservers."""

from dataclasses import replace

import pytest

from genstamp_model.explore import explore
from genstamp_model.language import System
from genstamp_model.parametric import prove_parametric
from genstamp_spec.gfs.parts.lease_master import LeaseMaster
from genstamp_spec.gfs.parts.lease_state import LEASE, MARGIN
from genstamp_spec.gfs.systems.chunk_lease import CHUNK_LEASE, ChunkLeaseProperties


def with_margin(margin: int) -> System:
    """The system whose master waits so many ticks longer than a lease lasts."""

    class Waits(LeaseMaster, lane="master"):
        def master_waits(s) -> int:
            """A lease and the margin."""
            return LEASE + margin

    return replace(CHUNK_LEASE, parts=[ChunkLeaseProperties, Waits])


@pytest.mark.parametrize("margin", [0, 1, 2])
@pytest.mark.parametrize("skew", [1, 2, 3])
def test_two_primaries_are_possible_where_clocks_run_apart_by_more_than_the_margin(skew: int, margin: int) -> None:
    instance = with_margin(margin).instance("two_chunkservers")
    limits = {**instance.configuration.limits, "skew": skew}
    configuration = replace(instance.configuration, limits=limits)
    claims = tuple(claim for claim in instance.model.properties if claim.name == "one_primary")
    found = explore(replace(instance, model=replace(instance.model, properties=claims), configuration=configuration))
    assert (found.violation is not None) == (skew > margin)


def test_the_margin_of_the_configurations_is_the_skew_that_they_allow() -> None:
    assert {configuration.limits["skew"] for configuration in CHUNK_LEASE.configurations} == {MARGIN}


@pytest.mark.slow
def test_what_is_proved_is_proved_for_any_number_of_chunkservers() -> None:
    model = CHUNK_LEASE.model()
    report = prove_parametric(model)
    declared = {claim.name for claim in model.properties if claim.inductive}
    assert declared >= {"one_primary_of_a_version", "version_never_decreases", "named_replicas_are_current"}
    assert {proof.name for proof in report.proofs} >= declared
    assert {proof.name for proof in report.proofs if proof.verdict.value != "proved"} == set()
