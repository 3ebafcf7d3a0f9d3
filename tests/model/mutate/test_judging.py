"""Each judge notices what only it can notice, and a report counts them."""

from dataclasses import replace
from typing import Any, Self

import pytest
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import ModelError
from genstamp_model.explore import INTERRUPTED, Result, Search, Verdict
from genstamp_model.language import (
    Bool,
    Configuration,
    Part,
    System,
    action,
    flag,
    invariant,
    leads_to,
    number,
    require,
    transition,
    witness,
)
from genstamp_model.mutate import JUDGES, Outcome, Report, baseline, judge, mutants


class Pump(Part):
    """Water rises to the top of a tank and is let out again."""

    level = number(0, 3)
    open = flag()

    @action
    def fill(s) -> None:
        """One more."""
        require(s.level < 3, "there is room")
        require(~s.open, "the valve is closed")
        s.level = s.level + 1

    @action
    def turn(s) -> None:
        """The valve opens when the tank is full, and closes when it is empty."""
        require((~s.open & (s.level == 3)) | (s.open & (s.level == 0)), "it is time", refuses="NotYetException")
        s.open = ~s.open

    @action
    def drain(s) -> None:
        """All goes out."""
        require(s.open & (s.level > 0), "the valve is open")
        s.level = 0

    @invariant
    def closed_while_filling(s) -> Bool:
        """Between empty and full the valve is closed."""
        return ((s.level > 0) & (s.level < 3)).implies(~s.open)

    @transition
    def never_falls_with_a_closed_valve(s, t: Self) -> Bool:
        """Water leaves through the valve only."""
        return (t.level >= s.level) | s.open

    @witness
    def full(s) -> Bool:
        """The tank can be full."""
        return s.level == 3

    @leads_to(fair=("fill", "turn", "drain"))
    def empties(s) -> tuple[Bool, Bool]:
        """A full tank is emptied."""
        return s.level == 3, s.level == 0


PUMP = System(
    "pump", parts=[Pump], configurations=[Configuration("one", sizes={})], may_stop=lambda s: (s.level == 1) & s.open
)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    model = PUMP.model()
    bases = baseline(model, PUMP.configurations)
    return {str(mutant).rpartition(" (")[0]: judge(mutant, bases, every=True) for mutant in mutants(model)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mutant", "judges"),
    [
        ("fill: check 'there is room': dropped", {"ranges"}),
        ("fill: check 'the valve is closed': ~open becomes open", {"deadlock", "coverage", "lock"}),
        ("drain: effect on level: left out", {"liveness", "lock"}),
        ("drain: effect on level: 0 becomes 1", {"invariants", "liveness"}),
        ("turn: effect on open: left out", {"lock", "coverage", "liveness"}),
        ("drain: check 'the valve is open': (open & (0 < level)) becomes (open | (0 < level))", {"transitions"}),
        ("turn: check 'it is time': dropped", {"invariants", "lock"}),
    ],
)
def test_a_mutant_is_noticed_by(outcomes: dict[str, Outcome], mutant: str, judges: set[str]) -> None:
    assert judges <= set(outcomes[mutant].noticed), outcomes[mutant].noticed


class Door(Part):
    """Two fit into a room, and whom a third would push is never asked."""

    inside = number(0, 2)

    @action
    def enter(s) -> None:
        """One more."""
        require(s.inside <= 2, "nobody is pushed", refuses="PushedException")
        require(s.inside < 2, "there is room")
        s.inside = s.inside + 1

    @action
    def leave(s) -> None:
        """One less."""
        require(s.inside > 0, "somebody is inside")
        s.inside = s.inside - 1


def test_the_lock_notices_a_refusal_that_never_was() -> None:
    door = System("door", parts=[Door], configurations=[Configuration("one", sizes={})])
    model = door.model()
    (mutant,) = (
        one
        for one in mutants(model)
        if one.place == "check 'nobody is pushed'" and "<=" in one.change.split("becomes")[0]
    )
    assert judge(mutant, baseline(model, door.configurations), every=True).noticed == {
        "lock": "one: enter refused unless nobody is pushed, which it never was"
    }


@pytest.mark.slow
def test_every_judge_notices_something(outcomes: dict[str, Outcome]) -> None:
    """But those with tests of their own: a call is one action here, nothing is declared inductive, nobody refines."""
    report = Report(list(outcomes.values()), {}, True, 1.0)
    assert [name for name in JUDGES if not report.by_judge[name]] == ["lifecycles", "answers", "proofs", "refinement"]


def test_without_every_the_first_one_ends_it() -> None:
    model = PUMP.model()
    bases = baseline(model, PUMP.configurations)
    (mutant,) = (one for one in mutants(model) if str(one).startswith("fill: check 'there is room': dropped"))
    assert set(judge(mutant, bases).noticed) == {"ranges"}


def test_the_model_itself_is_the_same_program() -> None:
    model = PUMP.model()
    unchanged = replace(mutants(model)[0], model=model)
    outcome = judge(unchanged, baseline(model, PUMP.configurations), every=True)
    assert (outcome.same, outcome.noticed) == (True, {})


@pytest.mark.slow
def test_survivors_are_listed_with_their_line_and_their_review() -> None:
    model = TWO_PHASE.model()
    bases = baseline(model, [TWO_PHASE.configuration("three")])
    report = Report([judge(mutant, bases) for mutant in mutants(model)], {}, False, 1.0)
    (survivor,) = report.survivors
    assert (survivor.mutant.action, survivor.mutant.place) == ("tm_commit", "effect on tm")
    lines = list(report.lines())
    assert lines[:2] == [
        "43 of 46 mutants (93.5 %) are noticed by a claim",
        "45 of 46 (97.8 %) by a claim or by the numbers in the lock",
    ]
    assert "two_phase.py:" in lines[-1]
    reviewed = Report(report.outcomes, {survivor.mutant.name: "the manager's word is never read again"}, False, 1.0)
    assert reviewed.open == []
    assert "reviewed: the manager's word is never read again" in list(reviewed.lines())[-1]
    assert report.claimed < report.killed


def test_what_does_not_hold_is_not_mutated() -> None:
    (bug,) = TWO_PHASE.bugs
    with pytest.raises(ModelError, match="is violated without any mutation"):
        baseline(TWO_PHASE.model(bugs=[bug.name]), [TWO_PHASE.configuration("three")])


@pytest.mark.parametrize("searched", ["search", "liveness"])
@pytest.mark.parametrize(
    ("reason", "raised"), [(INTERRUPTED, KeyboardInterrupt), ("the memory is used up", ModelError)]
)
def test_a_mutant_that_could_not_be_judged_is_not_noticed(
    searched: str, reason: str, raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = PUMP.model()
    bases = baseline(model, PUMP.configurations)
    (mutant,) = (one for one in mutants(model) if str(one).startswith("drain: effect on level: left out"))
    run, times = Search.run, list[int]()

    def stopped(search: Search, *arguments: Any, **options: Any) -> Result:
        times.append(1)
        result = run(search, *arguments, **options)
        if searched == "liveness" and len(times) <= 2:
            return result
        return replace(result, verdict=Verdict.UNDETERMINED, undetermined=reason)

    monkeypatch.setattr(Search, "run", stopped)
    with pytest.raises(raised):
        judge(mutant, bases, every=True)
    assert len(times) == (3 if searched == "liveness" else 1)
