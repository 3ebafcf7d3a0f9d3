"""hdfs.recovery as a whole: each fault breaks what it is said to break, and the stamps are proved for any stamp.

That the configurations hold is the job of `genstamp verify`, which compares them with the lock.
"""

import pytest

from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Instance, System, Variation
from genstamp_model.prove import Verdict as Proved
from genstamp_model.prove import prove
from genstamp_spec.hdfs.systems.recovery import RECOVERY

FAULTS = [variation for variation in RECOVERY.variations if variation.breaks]


@pytest.mark.slow
@pytest.mark.parametrize("variation", FAULTS, ids=lambda variation: variation.name)
def test_variation_breaks_its_property_at_its_depth(variation: Variation) -> None:
    found = explore(RECOVERY.instance(variation.configuration, bugs=[variation.name]))
    assert found.violation is not None
    assert found.violation.name in variation.breaks
    assert len(found.violation.path.steps) == variation.depth


@pytest.mark.slow
def test_smallest_configuration_holds_and_nothing_is_left_unjudged() -> None:
    found = explore(RECOVERY.instance("takeover"))
    assert found.verdict is Verdict.HOLDS
    assert found.not_judged == ()


@pytest.mark.slow
def test_every_property_declared_inductive_is_proved() -> None:
    report = prove(RECOVERY.instance("three_datanodes"))
    assert report.assumptions == ()
    assert {proof.name: proof.verdict for proof in report.proofs} == {
        proof.name: Proved.PROVED for proof in report.proofs
    }


@pytest.mark.slow
def test_proof_of_the_leases_fails_where_the_monitor_drops_one() -> None:
    report = prove(RECOVERY.instance("takeover", bugs=["HDFS-11817"]))
    verdicts = {proof.name: proof.verdict for proof in report.proofs}
    assert verdicts["one_lease_per_open_file"] is Proved.VIOLATED


@pytest.mark.parametrize(
    ("system", "said"),
    [(RECOVERY, ("append", "restart", "delayed"))],
    ids=["hdfs.recovery"],
)
def test_system_says_what_it_omits(system: System, said: tuple[str, ...]) -> None:
    omits = " ".join(system.omits)
    assert all(word in omits for word in said)


def test_every_configuration_fits_the_system() -> None:
    for configuration in RECOVERY.configurations:
        Instance(RECOVERY.model(), configuration)
