"""Bounded model checking: its bit-vectors mean what `evaluate` computes, and it finds what `explore` finds."""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import z3
from tests.model.random_values import random_state
from tests.model.systems.compared import COMPARED
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.expand import plain_arguments, to_cells
from genstamp_model.explore import Verdict, explore
from genstamp_model.language import Instance
from genstamp_model.language.model import Action
from genstamp_model.prove import Within, bmc, reach
from genstamp_model.prove.algebra import lift, plain
from genstamp_model.prove.finite import Finite, FiniteStep
from genstamp_spec.hdfs.systems.recovery import RECOVERY

STATES = 12


@pytest.fixture(params=COMPARED, scope="module")
def finite(request: pytest.FixtureRequest) -> Finite:
    return Finite(COMPARED[request.param]())


@pytest.fixture(scope="module")
def states(finite: Finite) -> list[State]:
    """Random states within the limits, and one more for each action that none of those so far takes."""
    draw, evaluator = random.Random(3), Evaluator(finite.instance)
    drawn = [random_state(finite.instance, draw) for _ in range(100 * STATES)]
    found = [state for state in drawn if not evaluator.beyond(state)][:STATES]
    for action in finite.instance.model.actions:
        if any(is_taken(evaluator, action, state) for state in found):
            continue
        for state in (allowing(finite, action), *drawn):
            if state is not None and not evaluator.beyond(state) and is_taken(evaluator, action, state):
                found.append(state)
                break
    return found


def is_taken(evaluator: Evaluator, action: Action, state: State) -> bool:
    """Whether some choice of arguments leads to a state within the limits."""
    choices = evaluator.choices(action, state)
    return any(not isinstance(outcome(evaluator, action, arguments, state), str) for arguments in choices)


def allowing(finite: Finite, action: Action) -> State | None:
    """A state in which the terms allow an action; None where there is none, or it is not stored as states are."""
    solver = z3.SolverFor("QF_FD")
    for cell, term in zip(finite.cells, finite.before, strict=True):
        if not z3.is_bool(term) and cell.low >= 0:
            solver.add(z3.UGE(term, cell.low), z3.ULE(term, cell.high))
    solver.add(z3.Or([lift(step.allowed) for step in finite.steps if step.action is action]))
    if solver.check() != z3.sat:
        return None
    state = finite.state(solver.model(), finite.before)
    stored = z3.And([term == value for term, value in finite.fixed(finite.before, to_cells(finite.instance, state))])
    return state if solver.check(stored) == z3.sat else None


class At:
    """The terms with all cells fixed to a state, those after the step too where given."""

    def __init__(self, finite: Finite, state: State, after: State | None = None) -> None:
        self._pairs = finite.fixed(finite.before, to_cells(finite.instance, state))
        if after is not None:
            self._pairs += finite.fixed(finite.after, to_cells(finite.instance, after))

    def flags(self, terms: list[Any]) -> list[bool]:
        """Which of some conditions hold; in one question, for Z3 shares what they share."""
        lifted = [lift(term) for term in terms]
        bundle = z3.Function("bundle", *(term.sort() for term in lifted), z3.BoolSort())(*lifted)
        return [bool(plain(value)) for value in z3.simplify(z3.substitute(bundle, *self._pairs)).children()]


def outcome(evaluator: Evaluator, action: Action, arguments: Arguments, state: State) -> State | str:
    """What evaluate makes of a call: the state after it, or why there is none."""
    if evaluator.first_failing(action, arguments, state) is not None:
        return "disabled"
    try:
        after = evaluator.apply(action, arguments, state)
    except EvaluationError:
        return "wrong"
    return "cut" if evaluator.beyond(after) else after


@pytest.mark.slow
def test_step_is_that_of_evaluate(finite: Finite, states: list[State]) -> None:
    """For each choice of arguments: enabled, cut off, wrong, or the same state after it."""
    evaluator, taken = Evaluator(finite.instance), set[str]()
    position = {str(term): i for i, term in enumerate(finite.after)}
    for state in states:
        at, calls, same = At(finite, state), [], []
        found = at.flags([flag for step in finite.steps for flag in (step.enabled, step.cut, step.wrong)])
        told: dict[tuple[str, Arguments], tuple[FiniteStep, str]] = {}
        for i, step in enumerate(finite.steps):
            enabled, cut, wrong = found[3 * i : 3 * i + 3]
            arguments = plain_arguments(finite.instance, step.action, step.arguments, state)
            assert arguments is not None or not enabled
            if arguments is not None and enabled:
                told[step.action.name, arguments] = (step, "wrong" if wrong else "cut" if cut else "")
        for action in finite.instance.model.actions:
            for arguments in evaluator.choices(action, state):
                wanted = outcome(evaluator, action, arguments, state)
                found_step = told.pop((action.name, arguments), None)
                why = "disabled" if found_step is None else found_step[1]
                assert why == (wanted if isinstance(wanted, str) else ""), (action.name, arguments, state)
                if found_step is not None and not isinstance(wanted, str):
                    step = found_step[0]
                    calls.append((action.name, arguments))
                    same.append(z3.And([finite.value_after(step, position[x]) == y for x, y in fixed(finite, wanted)]))
        assert not told, "every step is one of evaluate"
        assert [call for call, is_same in zip(calls, at.flags(same), strict=True) if not is_same] == []
        taken.update(name for name, _ in calls)
    assert taken == {action.name for action in finite.instance.model.actions}


def fixed(finite: Finite, after: State) -> list[tuple[str, Any]]:
    """Each open cell after the step by its name, with its value."""
    return [(str(term), value) for term, value in finite.fixed(finite.after, to_cells(finite.instance, after))]


@pytest.mark.slow
def test_relation_is_the_chosen_step(finite: Finite, states: list[State]) -> None:
    """The relation allows exactly the successors of a state that evaluate finds within the limits."""
    evaluator = Evaluator(finite.instance)
    solver = z3.SolverFor("QF_FD")
    solver.add(list(finite.relation()))
    for state in states[:4]:
        wanted = set()
        for action in finite.instance.model.actions:
            for arguments in evaluator.choices(action, state):
                after = outcome(evaluator, action, arguments, state)
                if not isinstance(after, str):
                    wanted.add(after)
        solver.push()
        solver.add([term == value for term, value in finite.fixed(finite.before, to_cells(finite.instance, state))])
        found = set()
        while solver.check() == z3.sat:
            after = finite.state(solver.model(), finite.after)
            assert after not in found
            found.add(after)
            solver.add(
                z3.Or([term != value for term, value in finite.fixed(finite.after, to_cells(finite.instance, after))])
            )
        assert found == wanted
        solver.pop()


@pytest.mark.slow
def test_conditions_hold_where_evaluate_says(finite: Finite, states: list[State]) -> None:
    evaluator, may_stop = Evaluator(finite.instance), finite.instance.model.may_stop
    declared = [claim for claim in finite.instance.model.properties if claim.kind != "leads_to"]
    for state, after in pairwise(states):
        terms = [finite.condition(claim.closed, two_states=claim.kind == "transition") for claim in declared]
        *found, stuck, wrong = At(finite, state, after).flags([*terms, finite.stuck(), finite.somewhere_wrong()])
        assert found == [evaluator.holds(claim, state, after) for claim in declared]
        outcomes = [
            outcome(evaluator, action, arguments, state)
            for action in finite.instance.model.actions
            for arguments in evaluator.choices(action, state)
        ]
        assert wrong == ("wrong" in outcomes)
        ended = may_stop is not None and not evaluator.value(may_stop, state)
        assert stuck == (ended and all(found == "disabled" for found in outcomes))


# Against explore.

HOLDS = [
    (lambda: TWO_PHASE.instance("three"), 11),
    (lambda: EVERY_FORM.instance("tiny"), 6),
    pytest.param(lambda: SMALL_RECOVERY.instance("two"), 12, marks=pytest.mark.slow),
    pytest.param(lambda: RECOVERY.instance("takeover"), 8, marks=pytest.mark.slow),
]
BROKEN = [
    lambda: TWO_PHASE.instance("three", bugs=["eager-commit"]),
    lambda: EVERY_FORM.instance("tiny", bugs=["overpaid"]),
    lambda: EVERY_FORM.instance("small", bugs=["overpaid"]),
    pytest.param(lambda: SMALL_RECOVERY.instance("three", bugs=["keeps-old-length"]), marks=pytest.mark.slow),
    pytest.param(lambda: RECOVERY.instance("takeover", semantics="hadoop-3.4"), marks=pytest.mark.slow),
    pytest.param(lambda: RECOVERY.instance("takeover", bugs=["HDFS-10240"]), marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize(("instance", "steps"), HOLDS)
def test_nothing_is_found_where_explore_finds_nothing(instance: Callable[[], Instance], steps: int) -> None:
    assert explore(instance()).verdict is Verdict.HOLDS
    found = bmc(instance(), steps)
    assert (found.verdict, found.settled) == (Within.NO_VIOLATION, steps)


@pytest.mark.parametrize("instance", BROKEN)
def test_shortest_violation_is_as_long_as_that_of_explore(instance: Callable[[], Instance]) -> None:
    searched = explore(instance()).violation
    assert searched is not None
    length = len(searched.path) + (searched.kind == "error")
    found = bmc(instance(), length)
    assert found.violation is not None
    # What explore meets first among violations of one length depends on its order.
    assert (found.violation.steps, found.settled) == (length, length - 1)
    if searched.kind in ("invariant", "transition"):
        alone = bmc(instance(), length, properties=[searched.name])
        assert alone.violation is not None
        assert (alone.violation.kind, alone.violation.name) == (searched.kind, searched.name)
        assert len(alone.violation.path) == length
    else:
        assert (found.violation.kind, found.violation.name) == (searched.kind, searched.name)


@pytest.mark.parametrize(
    "instance",
    [
        lambda: TWO_PHASE.instance("three"),
        lambda: EVERY_FORM.instance("tiny"),
        pytest.param(lambda: SMALL_RECOVERY.instance("two"), marks=pytest.mark.slow),
    ],
)
def test_witness_is_as_near_as_explore_says(instance: Callable[[], Instance]) -> None:
    nearest = explore(instance()).witnesses
    for name, length in nearest.items():
        found = reach(instance(), name, 10 if length is None else length)
        assert (None if found.path is None else len(found.path)) == length
        if length:
            assert reach(instance(), name, length - 1).path is None
