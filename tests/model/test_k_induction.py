"""k-induction: what it proves that plain induction does not, and that it proves nothing that `explore` refutes."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Self

import pytest
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE, Rm, RmState, TwoPhase
from tests.model.systems.two_phase_proof import TWO_PHASE_PROOF

from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Verdict as Found
from genstamp_model.explore import explore
from genstamp_model.language import (
    Bool,
    Configuration,
    Instance,
    Number,
    Part,
    System,
    action,
    exists,
    invariant,
    number,
    ordered,
    require,
    transition,
    when,
)
from genstamp_model.prove import Proof, Verdict, prove
from genstamp_model.prove.reliance import RANGES
from genstamp_spec.hdfs.systems.recovery import RECOVERY


def instance_of(part: type[Part], sizes: dict[str, int] | None = None, **limits: int) -> Instance:
    """One part as a system in one configuration."""
    return Instance(
        System("tried", parts=[part], configurations=[]).model(), Configuration("small", sizes or {}, limits)
    )


class Ring(Part):
    """Three numbers that change places."""

    a = number(0, 9)
    b = number(0, 9, initially=1)
    c = number(0, 9, initially=2)

    @action
    def turn(s) -> None:
        first = s.a + 0
        s.a = s.b
        s.b = s.c
        s.c = first

    @invariant(inductive=True)
    def never_five(s) -> Bool:
        return s.a != 5


def test_property_gets_the_smallest_k_that_proves_it() -> None:
    verdicts = {k: prove(instance_of(Ring), k=k).proof("never_five") for k in (1, 2, 3, 5)}
    assert {k: (proof.verdict, proof.k) for k, proof in verdicts.items()} == {
        1: (Verdict.VIOLATED, 1),
        2: (Verdict.VIOLATED, 2),
        3: (Verdict.PROVED, 3),
        5: (Verdict.PROVED, 3),
    }
    lines = prove(instance_of(Ring), k=3).lines()
    assert "proved by 3-induction: never_five" in lines
    assert any(line.endswith("holds within the first 2 steps") for line in lines)


def test_steps_in_a_row_that_break_a_property_are_shown() -> None:
    proof = prove(instance_of(Ring), k=2).proof("never_five")
    assert proof.broken_by is not None
    assert proof.broken_by.lines() == [
        "before: c is 5",
        "step: turn()",
        "a: 0 -> 1",
        "b: 1 -> 5",
        "c: 5 -> 0",
        "step: turn()",
        "a: 1 -> 5",
        "b: 5 -> 0",
        "c: 0 -> 1",
        "fails: never_five: ~(a == 5) is false, where a = 5",
    ]


def test_violation_within_the_first_steps_is_a_path_from_the_initial_state() -> None:
    class Claims(Ring):
        @invariant(inductive=True)
        def never_two(s) -> Bool:
            return s.a != 2

        @transition(inductive=True)
        def never_down_to_nothing(s, t: Self) -> Bool:
            return (s.a == 0) | (t.a != 0)

    report = prove(instance_of(Claims), k=4)
    proof = report.proof("never_two")
    assert_reachable(proof, 3, 2)
    assert proof.broken_by is not None
    assert proof.broken_by.lines()[:2] == ["before: everything as in the initial state", "step: turn()"]
    assert_reachable(report.proof("never_down_to_nothing"), 4, 3)


def assert_reachable(proof: Proof, k: int, steps: int) -> None:
    """That a property is refuted by a path of so many steps from the initial state."""
    assert (proof.verdict, proof.k) == (Verdict.VIOLATED, k)
    assert (proof.obligations[0].action, proof.obligations[0].verdict) == (None, Verdict.VIOLATED)
    assert proof.broken_by is not None
    assert len(proof.broken_by.earlier) == steps - 1


class Detour(Part):
    """From 0 one stays at 0; from 5 and 6, which are never reached, one can go round and round, or to 7."""

    x = number(0, 7)

    @action
    def go(s) -> None:
        s.x = when(s.x == 5, 6, when(s.x == 6, 5, s.x))

    @action
    def leave(s) -> None:
        require(s.x == 6, "on the detour")
        s.x = 7

    @invariant(inductive=True)
    def never_seven(s) -> Bool:
        return s.x != 7


def test_states_that_must_be_distinct_prove_more() -> None:
    assert prove(instance_of(Detour), k=6).verdict is Verdict.VIOLATED
    proof = prove(instance_of(Detour), k=6, distinct=True).proof("never_seven")
    assert (proof.verdict, proof.k) == (Verdict.PROVED, 3)


def test_what_is_relied_on_holds_in_all_of_the_steps() -> None:
    class Claims(Part):
        ticks = ordered(limit="ticks")
        seen = ordered(limit="ticks")
        shown = ordered(limit="ticks")

        @action
        def tick(s) -> None:
            s.ticks = s.ticks + 1

        @action
        def look(s) -> None:
            s.shown = s.seen
            s.seen = s.ticks

        @invariant(inductive=True)
        def seen_is_past(s) -> Bool:
            return s.seen <= s.ticks

        @invariant(inductive=True, given=("seen_is_past",))
        def shown_is_past(s) -> Bool:
            return s.shown <= s.ticks

    assert prove(instance_of(Claims, ticks=3), k=3).verdict is Verdict.PROVED


def test_numbers_are_unbounded_and_limits_ignored() -> None:
    class Claims(Part):
        one = number(limit="n")
        two = number(limit="n")

        @action
        def rise(s) -> None:
            s.two = s.one
            s.one = s.one + 1

        @invariant(inductive=True)
        def close(s) -> Bool:
            return s.one <= s.two + 1

        @invariant(inductive=True)
        def small(s) -> Bool:
            return s.one <= 2

    report = prove(instance_of(Claims, n=1), k=4)
    assert (report.proof("close").verdict, report.proof("close").k) == (Verdict.PROVED, 1)
    assert_reachable(report.proof("small"), 4, 3)


def test_property_that_is_not_declared_inductive_is_listed_with_its_k() -> None:
    class Claims(Ring):
        @invariant
        def never_six(s) -> Bool:
            return s.b != 6

    report = prove(instance_of(Claims), k=3)
    assert [(proof.name, proof.k) for proof in report.others] == [("never_six", 3)]
    assert "not declared inductive, but is 3-inductive: never_six" in report.lines()


def test_property_that_no_k_proves_stays_open() -> None:
    class Alone(TwoPhase):
        @invariant(inductive=True)
        def consistent(s) -> Bool:
            committed = exists(Rm, lambda rm: s.rm[rm].at(RmState.COMMITTED))
            return ~(committed & exists(Rm, lambda rm: s.rm[rm].at(RmState.ABORTED)))

    proof = prove(instance_of(Alone, {"Rm": 2}), k=3, distinct=True).proof("consistent")
    assert (proof.verdict, proof.k, proof.obligations[0].verdict) == (Verdict.VIOLATED, 3, Verdict.PROVED)


# Against explore, on the systems that the judges are tried on: what is proved is not violated, with and without bugs.


@pytest.mark.slow
@pytest.mark.parametrize(
    "instance",
    [
        lambda: TWO_PHASE_PROOF.instance("three"),
        lambda: TWO_PHASE.instance("three", bugs=["eager-commit"]),
        lambda: EVERY_FORM.instance("tiny"),
        lambda: EVERY_FORM.instance("tiny", bugs=["overpaid"]),
        lambda: SMALL_RECOVERY.instance("three", bugs=["keeps-old-length"]),
        lambda: RECOVERY.instance("takeover", semantics="hadoop-3.4"),
    ],
)
def test_what_is_proved_is_not_what_explore_finds_violated(instance: Callable[[], Instance]) -> None:
    report = prove(instance(), k=2)
    proved = {proof.name for proof in (*report.proofs, *report.others) if proof.verdict is Verdict.PROVED}
    violation = explore(instance()).violation
    if violation is not None:
        assert violation.name not in proved
        assert violation.kind != "error" or RANGES not in proved
    assert proved or violation is not None


# Against explore: with states that must be distinct, and as many steps as there are states, nothing is left open.

TOP = 6


def random_walk(seed: int) -> type[Part]:
    """A number that two steps move about at random, which one value and one step between values must never take."""
    draw = random.Random(seed)
    first, second = ([draw.randint(0, TOP) for _ in range(TOP + 1)] for _ in range(2))
    closed, bad = {draw.randint(0, TOP) for _ in range(3)}, draw.randint(1, TOP)

    def looked_up(s: "Walk", table: list[int]) -> Number:
        found: Number = s.x + 0
        for i, value in enumerate(table):
            found = when(s.x == i, found - found + value, found)
        return found

    class Walk(Part):
        x = number(0, TOP)

        @action
        def go(s) -> None:
            s.x = looked_up(s, first)

        @action
        def jump(s) -> None:
            for i in sorted(closed):
                require(s.x != i, f"not at {i}")
            s.x = looked_up(s, second)

        @invariant(inductive=True)
        def never_there(s) -> Bool:
            return s.x != bad

        @transition(inductive=True)
        def never_straight(s, t: Self) -> Bool:
            return (s.x != TOP - bad) | (t.x != bad)

    return Walk


@pytest.mark.parametrize("seed", range(12))
def test_proved_is_what_explore_finds_to_hold(seed: int) -> None:
    instance = instance_of(random_walk(seed))
    report = prove(instance, k=TOP + 2, distinct=True)
    evaluator = Evaluator(instance)
    for claim in instance.model.properties:
        alone = Instance(replace(instance.model, properties=(claim,)), instance.configuration)
        searched = explore(alone)
        proof = report.proof(claim.name)
        assert proof.verdict is (Verdict.PROVED if searched.verdict is Found.HOLDS else Verdict.VIOLATED)
        if searched.violation is not None:
            assert proof.broken_by is not None
            assert proof.obligations[0].verdict is Verdict.VIOLATED
            assert len(proof.broken_by.earlier) + (proof.broken_by.action is not None) == len(searched.violation.path)
            if claim.kind == "invariant" and proof.broken_by.after is not None:
                assert not evaluator.holds(claim, proof.broken_by.after)
