"""TLC finds in the export what our own search finds in the model, and in models written by hand as well."""

from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest
from tests.model.random_kinds import choosing, in_order
from tests.model.random_systems import RandomSystem
from tests.model.systems.awkward_names import AWKWARD_NAMES
from tests.model.systems.choices import CHOICES
from tests.model.systems.deck import DECK
from tests.model.systems.division import DIVISION, EUCLID
from tests.model.systems.endless_recovery import RELATIVE
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.ewd840 import EWD840
from tests.model.systems.odd_names import NO_VARIABLES, ODD_NAMES
from tests.model.systems.readers import READERS
from tests.model.systems.rings import DINING, RING, TABLE
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE
from tests.model.test_any_of import TOKENS

from genstamp.agree import tlc
from genstamp.agree.compare import Outcome
from genstamp.agree.ours import found_here
from genstamp.agree.peer import RANGES, STOPS, Found, Verdict
from genstamp.agree.run import agreement
from genstamp.agree.tlc import Output, Tlc, ran
from genstamp.errors import PeerError
from genstamp_model.explore import explore
from genstamp_model.export import tla
from genstamp_model.language import (
    Bool,
    Configuration,
    Instance,
    Part,
    System,
    action,
    flag,
    invariant,
    leads_to,
    number,
    require,
    smallest,
    transition,
    when,
)
from genstamp_spec.gfs.systems.replicas import REPLICAS

pytestmark = pytest.mark.slow
ENOUGH_S = 300.0
# Each leaves something out, so that they stay small; together they take every step.
EVERY_STEP = (
    {"tickets": 2, "parcels": 0, "deliveries": 0},
    {"tickets": 1, "parcels": 0, "deliveries": 0, "orders": 2},
    {"tickets": 1, "orders": 0},
    {"tickets": 1, "orders": 1, "deliveries": 0},
)
ANCHORS = Path(__file__).resolve().parents[2] / "model" / "anchors"


@pytest.fixture(autouse=True)
def quick_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Java compiles little: the searches here are over before more would pay."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")


def every_form(**limits: int) -> Instance:
    """Every form of the language, in a small configuration."""
    small = {"tickets": 2, "journal": 1, "orders": 1, "deliveries": 1, "parcels": 1} | limits
    return Instance(EVERY_FORM.model(), Configuration("tests", sizes={"Clerk": 1, "Shelf": 1}, limits=small))


def _named(value: object) -> str:
    return value.name if isinstance(value, System) else str(value)


def agrees(instance: Instance) -> Found:
    """Check that TLC agrees, and in something; gives what our search found."""
    result = agreement(instance, [Tlc()], ENOUGH_S)
    [comparison] = result.comparisons
    assert comparison.outcome is Outcome.AGREE, (comparison.differences, comparison.reason)
    assert RANGES in comparison.compared
    return result.ours


@pytest.mark.parametrize("limits", EVERY_STEP, ids=str)
def test_every_form_means_the_same(limits: dict[str, int]) -> None:
    ours = agrees(every_form(**limits))
    assert ours.distinct is not None
    assert ours.distinct > 500
    assert ours.verdicts[STOPS] is Verdict.HOLDS


def test_every_step_is_taken_somewhere() -> None:
    taken: set[str] = set()
    for limits in EVERY_STEP:
        taken |= {name for name, steps in explore(every_form(**limits)).taken.items() if steps}
    assert taken == {action.name for action in EVERY_FORM.model().actions}


@pytest.mark.parametrize("seed", [15, 19])
def test_random_systems_mean_the_same(seed: int) -> None:
    agrees(RandomSystem(seed).instance())


@pytest.mark.parametrize(("system", "distinct"), [(EUCLID, 163), (EWD840, 302), (TOKENS, 22)], ids=_named)
def test_systems_with_several_initial_states_mean_the_same(system: System, distinct: int) -> None:
    assert agrees(system.instance()).distinct == distinct


def test_a_random_system_with_several_initial_states_means_the_same() -> None:
    agrees(RandomSystem(1, choosing(1)).instance())


def test_a_random_system_with_members_in_order_means_the_same() -> None:
    agrees(RandomSystem(5, in_order(5)).instance())


@pytest.mark.parametrize(
    ("system", "configuration", "states"),
    [
        (RING, "n4", 92),
        (TABLE, "g2", 1604),
        (DINING, "p5", 67),
        (CHOICES, "g2", 192),
        (DECK, "p1", 146),
        (DIVISION, "one", 175),
        (READERS, "a2", 390),
    ],
)
def test_order_division_elements_and_choices_mean_the_same(system: System, configuration: str, states: int) -> None:
    assert agrees(system.instance(configuration)).distinct == states


def test_names_that_mean_something_elsewhere() -> None:
    assert agrees(AWKWARD_NAMES.instance()).distinct == 4


def test_names_that_the_export_would_give_out_itself() -> None:
    ours = agrees(ODD_NAMES.instance())
    assert ours.distinct is not None
    assert ours.distinct > 100
    assert ours.verdicts["w"] is Verdict.SEEN


def test_a_system_without_variables() -> None:
    assert agrees(NO_VARIABLES.instance()).distinct == 1


def test_a_model_without_actions_can_be_read(tmp_path: Path) -> None:
    instance = RandomSystem(4).instance()
    # Nothing is judged of it, so no such instance is made but here.
    object.__setattr__(instance, "model", replace(instance.model, actions=(), properties=()))
    module = tla.tla(instance)
    (tmp_path / f"{module.name}.tla").write_text(module.text, encoding="utf-8")
    output = ran(module.name, module.config(tla.Claims()), tmp_path, ENOUGH_S, "500m")
    assert output is not None
    assert (output.is_done, output.distinct) == (True, 1)


def test_what_a_fault_breaks_is_found_and_nothing_else() -> None:
    ours = agrees(TWO_PHASE.instance("three", bugs=["eager-commit"]))
    assert ours.verdicts["consistent"] is Verdict.VIOLATED
    assert ours.verdicts["everybody_commits"] is Verdict.SEEN


def test_a_number_that_leaves_its_range() -> None:
    fault = replace(EVERY_FORM.instance("tiny", bugs=["overpaid"]), configuration=every_form().configuration)
    assert agrees(fault).verdicts[RANGES] is Verdict.VIOLATED


@pytest.mark.parametrize(("bugs", "verdict"), [((), Verdict.HOLDS), (("HDFS-11576",), Verdict.VIOLATED)])
def test_leads_to_properties_under_fairness(bugs: tuple[str, ...], verdict: Verdict) -> None:
    assert agrees(RELATIVE.instance("two", bugs=bugs)).verdicts["closes"] is verdict


class Stutters(Part):
    """Some steps change nothing, and break a claim about steps."""

    level = number(0, 2)
    raised = number(limit="raised")

    @action
    def climb(s) -> None:
        """The last step of it changes nothing."""
        s.raised = s.raised + when(s.level < 2, 1, 0)
        s.level = smallest(s.level + 1, 2)

    @transition
    def rises(s, t: Self) -> Bool:
        """Only a step that changes nothing breaks it."""
        return s.level < t.level

    @transition
    def never_falls(s, t: Self) -> Bool:
        """No step that changes nothing can break it."""
        return s.level <= t.level

    @transition
    def rises_again(s, t: Self) -> Bool:
        """Some state would break it in which no step changes nothing."""
        return (s.level != 1) | (t.level == 2)


@pytest.mark.parametrize(("most", "verdict"), [(1, Verdict.HOLDS), (2, Verdict.VIOLATED)])
def test_steps_that_change_nothing_are_judged_alike(most: int, verdict: Verdict) -> None:
    configuration = Configuration("one", sizes={}, limits={"raised": most})
    instance = Instance(System("stutters", parts=[Stutters], configurations=[configuration]).model(), configuration)
    found = agrees(instance).verdicts
    assert [found[name] for name in ("rises", "never_falls", "rises_again")] == [verdict, Verdict.HOLDS, Verdict.HOLDS]


class Lamp(Part):
    """A lamp that somebody may switch on, and nobody off."""

    on = flag()

    @action
    def switch(s) -> None:
        """On."""
        s.on = True

    @leads_to(fair=("switch",))
    def shines(s) -> tuple[Bool, Bool]:
        """It is switched on in the end."""
        return ~s.on, s.on

    @leads_to(fair=("switch",))
    def goes_out(s) -> tuple[Bool, Bool]:
        """It is not switched off, of course."""
        return s.on, ~s.on

    @leads_to(fair=("switch",))
    def stays(s) -> tuple[Bool, Bool]:
        """Nor need it be."""
        return s.on, s.on


def test_of_leads_to_properties_under_the_same_fairness_the_broken_one_is_found() -> None:
    lamp = System("lamp", parts=[Lamp], configurations=[Configuration("one", sizes={})])
    verdicts = agrees(lamp.instance()).verdicts
    assert {name: str(verdicts[name]) for name in ("shines", "goes_out", "stays")} == {
        "shines": "holds",
        "goes_out": "violated",
        "stays": "holds",
    }


class Counter(Part):
    """Counts to its limit, and has properties that hold within it only."""

    count = number(limit="count")

    @action
    def rise(s) -> None:
        """One more."""
        require(s.count < 5, "there is more")
        s.count = s.count + 1

    @invariant
    def at_most_three(s) -> Bool:
        """Broken one step beyond the limit."""
        return s.count <= 3

    @transition
    def from_below_three(s, t: Self) -> Bool:
        """Broken by the step beyond the limit."""
        return (s.count < 3) | (t.count == s.count)


def counter(limit: int) -> Instance:
    configuration = Configuration("some", sizes={}, limits={"count": limit})
    counts = System("counter", parts=[Counter], configurations=[configuration], may_stop=lambda s: s.count == 4)
    return counts.instance()


def test_what_needs_too_many_strong_fairnesses_is_not_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    instance = REPLICAS.instance("two_chunkservers")
    fair = {claim.name: bool(claim.strongly_fair) for claim in instance.model.properties if claim.kind == "leads_to"}
    assert set(fair.values()) == {True, False}
    monkeypatch.setattr(tlc, "_MOST_STRONG", 3)
    result = agreement(instance, [Tlc()], ENOUGH_S)
    [comparison] = result.comparisons
    assert comparison.found is not None
    assert set(fair) - set(comparison.found.verdicts) == {name for name, strongly in fair.items() if strongly}
    assert set(comparison.unknown) == {name for name, strongly in fair.items() if strongly}
    assert comparison.outcome is Outcome.AGREE


def test_properties_are_judged_within_the_limits_only() -> None:
    ours = agrees(counter(3))
    assert set(ours.verdicts.values()) == {Verdict.HOLDS}
    assert ours.distinct == 4


def test_beyond_them_each_is_judged_though_others_break() -> None:
    ours = agrees(counter(9))
    assert {name for name, verdict in ours.verdicts.items() if verdict is Verdict.VIOLATED} == {
        "at_most_three",
        "from_below_three",
        STOPS,
    }
    assert ours.distinct == 6


def test_a_wrong_export_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    # TLC is given a model with one check less than ours.
    right = tla.tla
    monkeypatch.setattr(tla, "tla", lambda instance: right(TWO_PHASE.instance("three", bugs=["eager-commit"])))
    result = agreement(TWO_PHASE.instance("three"), [Tlc()], ENOUGH_S)
    [comparison] = result.comparisons
    assert comparison.outcome is Outcome.DISAGREE
    assert comparison.differences == (
        "distinct states: 288 here, 623 by tlc",
        "consistent: holds here, violated by tlc",
    )


def test_a_module_that_tlc_does_not_understand_is_no_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right = tla.tla
    broken = lambda instance: replace(right(instance), text=right(instance).text.replace("Next ==", "Next = "))  # noqa: E731
    monkeypatch.setattr(tla, "tla", broken)
    with pytest.raises(PeerError, match="tlc failed on the exported model"):
        Tlc().run(TWO_PHASE.instance("three"), tmp_path, ENOUGH_S)


class Multiplying(Part):
    """Computes a number that TLC does not have, and does not keep it."""

    count = number(0, 2_000_000_000)

    @action
    def jump(s) -> None:
        """Far."""
        require(s.count * 3 < 9_000_000, "there is room")
        s.count = 2_000_000_000


def test_a_number_that_tlc_cannot_compute_is_told_and_no_finding() -> None:
    far = System("far", parts=[Multiplying], configurations=[Configuration("one", sizes={})])
    result = agreement(far.instance("one"), [Tlc()], ENOUGH_S)
    [comparison] = result.comparisons
    assert comparison.outcome is Outcome.UNDETERMINED
    assert comparison.reason == "TLC has no numbers above 2147483647; jump computes 2000000000*3"


def test_what_takes_too_long_is_undetermined(tmp_path: Path) -> None:
    found = Tlc().run(TWO_PHASE.instance("nine"), tmp_path, 1.0)
    assert found.distinct is None
    assert found.undetermined == "1 seconds were not enough"
    assert set(found.verdicts.values()) == {Verdict.UNDETERMINED}


# Models written by hand, in the way TLA+ is written.


def by_hand(module: str, constants: str, claims: str, directory: Path) -> Output:
    """What TLC says of a module that nobody exported."""
    (directory / f"{module}.tla").write_bytes((ANCHORS / f"{module}.tla").read_bytes())
    config = f"SPECIFICATION Spec\nCONSTANTS {constants}\n{claims}\n"
    output = ran(module, config, directory, ENOUGH_S)
    assert output is not None
    return output


def test_published_two_phase_commit(tmp_path: Path) -> None:
    output = by_hand("TwoPhase", "RM = {r0, r1, r2}", "INVARIANTS TypeOK Consistent", tmp_path)
    ours = explore(TWO_PHASE.instance("three"))
    assert output.is_done
    assert (output.distinct, output.depth) == (ours.states, ours.depth)
    assert ours.states == 288


def test_block_recovery_by_hand(tmp_path: Path) -> None:
    constants = "Datanode = {d1, d2} Nobody = Nobody MaxStamp = 3 MaxBytes = 1 MaxCrashes = 1"
    claims = "INVARIANTS TypeOK CompleteMeansMatching\nPROPERTY StampsRise"
    output = by_hand("BlockRecovery", constants, claims, tmp_path)
    ours = explore(SMALL_RECOVERY.instance("two"))
    assert output.is_done
    assert (output.distinct, output.depth) == (ours.states, ours.depth)


def test_our_search_goes_on_after_a_violation() -> None:
    found = found_here(counter(9))
    assert (found.distinct, found.depth) == (6, 5)
