"""What is proved to change nothing changes nothing, and what is noticed is never proved."""

from dataclasses import replace

import pytest
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.language import (
    Bool,
    Configuration,
    Instance,
    Part,
    System,
    action,
    flag,
    invariant,
    number,
    require,
)
from genstamp_model.mutate import Equivalence, Report, baseline, equivalences, judge, judged, mutants


class Cellar(Part):
    """Bottles are laid down and drunk."""

    bottles = number(limit="bottles")
    locked = flag()

    @action
    def lay_down(s) -> None:
        """One more."""
        require(~s.locked, "the door is open", refuses="LockedException")
        require(s.bottles >= 0, "there is no debt", refuses="DebtException", defensive=True)
        s.bottles = s.bottles + 1

    @action
    def lock(s) -> None:
        """The door is locked while something is in there."""
        require(s.bottles > 0, "there is something to lock up")
        s.locked = True

    @action
    def unlock(s) -> None:
        """The door is opened again."""
        require(s.locked, "the door is locked")
        require(s.bottles > 0, "it was locked for a reason")
        s.locked = False

    @action
    def drink(s) -> None:
        """One less, of an open cellar."""
        require(~s.locked, "the door is open")
        require(s.bottles > 0, "there is a bottle")
        s.bottles = s.bottles - 1

    @invariant(inductive=True)
    def only_what_is_there_is_locked(s) -> Bool:
        """An empty cellar is open."""
        return (s.bottles == 0).implies(~s.locked)


CELLAR = System("cellar", parts=[Cellar], configurations=[Configuration("two", sizes={}, limits={"bottles": 2})])


@pytest.fixture(scope="module")
def proved() -> dict[str, bool]:
    equivalence = Equivalence(CELLAR.instance())
    return {str(one).rpartition(" (")[0]: equivalence.proves(one) for one in mutants(CELLAR.model())}


def test_a_check_that_always_holds_can_be_dropped(proved: dict[str, bool]) -> None:
    assert proved["lay_down: check 'there is no debt': dropped"]


@pytest.mark.parametrize(
    "mutant",
    [
        "lay_down: check 'the door is open': dropped",
        "drink: check 'there is a bottle': dropped",
        "drink: effect on bottles: left out",
        "lay_down: effect on bottles: 1 becomes 2",
    ],
)
def test_what_changes_something_is_not_proved(proved: dict[str, bool], mutant: str) -> None:
    assert not proved[mutant]


def test_what_follows_from_an_invariant_can_be_dropped() -> None:
    bare = replace(CELLAR.model(), properties=())
    dropped = {"unlock: check 'it was locked for a reason': dropped"}
    for model, proofs in ((CELLAR.model(), {True}), (bare, {False})):
        equivalence = Equivalence(Instance(model, CELLAR.configuration()))
        assert {equivalence.proves(one) for one in mutants(model) if str(one).rpartition(" (")[0] in dropped} == proofs


@pytest.mark.slow
@pytest.mark.parametrize("system", [CELLAR, TWO_PHASE], ids=lambda system: str(system.name))
def test_nothing_that_a_judge_notices_is_proved_to_change_nothing(system: System) -> None:
    model, configurations = system.model(), [system.configurations[0]]
    bases, [equivalence] = baseline(model, configurations), equivalences([system.instance()])
    outcomes = [judge(one, bases) for one in mutants(model)]
    assert any(outcome.noticed for outcome in outcomes)
    assert not [one.mutant.name for one in outcomes if one.noticed and equivalence.proves(one.mutant)]
    report = Report(judged(model, mutants(model), configurations), {}, False, 1.0)
    assert report.killed == sum(bool(one.noticed) for one in outcomes)
    assert not {one.mutant.name for one in report.proved} & {one.mutant.name for one in report.survivors}


@pytest.mark.slow
def test_what_is_proved_does_not_lower_the_rate() -> None:
    model = CELLAR.model()
    bases = baseline(model, CELLAR.configurations)
    proved = Report(judged(model, mutants(model), CELLAR.configurations), {}, False, 1.0)
    unproved = Report([judge(one, bases) for one in mutants(model)], {}, False, 1.0)
    assert proved.proved
    assert proved.kill_rate is not None and unproved.kill_rate is not None
    assert proved.kill_rate > unproved.kill_rate
