"""The terms that `prove` reasons about mean what `evaluate` computes, action by action, on random states."""

import contextlib
import random
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import z3
from tests.model.random_values import random_state
from tests.model.systems.compared import COMPARED

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.expand import Step, from_cells, plain_arguments, to_cells
from genstamp_model.language.model import Action
from genstamp_model.language.types import BagType, sort_key
from genstamp_model.prove.algebra import lift, literal, plain
from genstamp_model.prove.encoding import Encoding

STATES = 12


class At:
    """One encoding with all of its cells fixed to values, those after the step too where given."""

    def __init__(self, encoding: Encoding, values: list[int], after: list[int] | None = None) -> None:
        self._pairs = self._fixed(encoding.before, values)
        if after is not None:
            self._pairs += self._fixed(encoding.after, after)

    @staticmethod
    def _fixed(cells: list[Any], values: list[int]) -> list[tuple[Any, Any]]:
        return [(cell, literal(cell, value)) for cell, value in zip(cells, values, strict=True)]

    def values(self, terms: Iterable[Any]) -> list[int]:
        """What the terms are in this state, flags as 0 and 1; in one question, for Z3 shares what they share."""
        lifted = [lift(term) for term in terms]
        if not lifted:
            return []
        bundle = z3.Function("bundle", *(term.sort() for term in lifted), z3.BoolSort())(*lifted)
        return [plain(value) for value in z3.simplify(z3.substitute(bundle, *self._pairs)).children()]

    def value(self, term: Any) -> int:
        """What one term is."""
        return self.values([term])[0]


@cache
def steps_of(encoding: Encoding) -> list[Step[Any]]:
    """The expansion's steps, made once."""
    return list(encoding.expansion.steps())


@pytest.fixture(params=COMPARED, scope="module")
def encoding(request: pytest.FixtureRequest) -> Encoding:
    return Encoding(COMPARED[request.param]())


@pytest.fixture(scope="module")
def states(encoding: Encoding) -> list[State]:
    """Random states, and for each action one more where it is enabled; numbers may lie beyond their limits."""
    draw, evaluator = random.Random(1), Evaluator(encoding.instance)
    found = [random_state(encoding.instance, draw, beyond=1000) for _ in range(STATES)]
    missing = set(encoding.instance.model.actions)
    for _ in range(2000):
        state = random_state(encoding.instance, draw)
        enabled = {action for action in missing if is_enabled(evaluator, action, state)}
        if enabled:
            found.append(state)
            missing -= enabled
    return found + [
        state_that_enables(encoding, action) for action in encoding.instance.model.actions if action in missing
    ]


def state_that_enables(encoding: Encoding, action: Action) -> State:
    """A state that the terms say enables an action which no random state does."""
    solver = z3.Solver()
    solver.add([conjunct.term for conjunct in encoding.well_formed("in range").conjuncts])
    solver.add(z3.Or([lift(step.enabled) for step in encoding.steps if step.action is action]))
    assert solver.check() == z3.sat, f"no state enables {action.name}"
    model = solver.model()
    values = [plain(model.eval(cell, model_completion=True)) for cell in encoding.before]
    return from_cells(encoding.instance, values)


def is_enabled(evaluator: Evaluator, action: Action, state: State) -> bool:
    """Whether some choice of arguments takes the action to a state with room in all places."""
    for arguments in evaluator.choices(action, state):
        if evaluator.first_failing(action, arguments, state) is None:
            with contextlib.suppress(EvaluationError, ValueError):
                to_cells(evaluator.instance, evaluator.apply(action, arguments, state))
                return True
    return False


@pytest.mark.slow
def test_possible_steps_are_those_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state in states:
        possible = At(encoding, to_cells(encoding.instance, state)).values(s.possible for s in steps_of(encoding))
        found = [
            (step.action.name, arguments)
            for step, is_possible in zip(steps_of(encoding), possible, strict=True)
            if (arguments := plain_arguments(encoding.instance, step.action, step.arguments, state)) is not None
            and is_possible
        ]
        wanted = [(a.name, choice) for a in encoding.instance.model.actions for choice in evaluator.choices(a, state)]
        assert sorted(found, key=str) == sorted(wanted, key=str)


def test_first_failing_check_is_that_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state in states:
        at = At(encoding, to_cells(encoding.instance, state))
        outcomes = iter(at.values(check for step in steps_of(encoding) for check in step.checks))
        for step in steps_of(encoding):
            holds = [next(outcomes) for _ in step.checks]
            arguments = plain_arguments(encoding.instance, step.action, step.arguments, state)
            if arguments is None:
                continue
            first = step.action.checks[holds.index(0)] if 0 in holds else None
            assert first is evaluator.first_failing(step.action, arguments, state), (step.action.name, arguments)


@pytest.mark.slow
def test_next_state_is_that_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    instance = encoding.instance
    evaluator, well_formed = Evaluator(instance), encoding.well_formed("in range")
    steps = {(step.action.name, step.arguments): step for step in encoding.steps}
    taken: set[str] = set()
    for state in states:
        at = At(encoding, to_cells(instance, state))
        possible = at.values(raw.possible for raw in steps_of(encoding))
        allowed = dict(zip(steps, at.values(step.enabled for step in steps.values()), strict=True))
        for raw, is_possible in zip(steps_of(encoding), possible, strict=True):
            name = (raw.action.name, raw.arguments)
            arguments = plain_arguments(instance, raw.action, raw.arguments, state)
            if (
                arguments is None
                or not is_possible
                or evaluator.first_failing(raw.action, arguments, state) is not None
            ):
                assert not allowed.get(name, False)
                continue
            assert name in steps, "only steps that no state enables are left out"
            step, cells = steps[name], to_cells(instance, state)
            *new, in_error = at.values([*step.changed.values(), z3.Or([lift(beyond) for _, beyond in raw.errors])])
            for position, value in zip(step.changed, new, strict=True):
                cells[position] = value
            in_range = At(encoding, cells).value(z3.And([conjunct.term for conjunct in well_formed.conjuncts]))
            try:
                after = evaluator.apply(step.action, arguments, state)
            except EvaluationError:
                assert in_error, name
                assert not in_range, name
                continue
            try:
                wanted = to_cells(instance, after)
            except ValueError:
                assert not allowed[name], "a state without room is cut off"
                continue
            assert allowed[name]
            assert cells == wanted, name
            taken.add(step.action.name)
            assert in_range
            assert not in_error
    assert taken == {action.name for action in instance.model.actions}, "every action was compared"


def test_properties_hold_where_evaluate_says(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state, after in pairwise(states):
        at = At(encoding, to_cells(encoding.instance, state), to_cells(encoding.instance, after))
        for declared in encoding.instance.model.properties:
            found = all(at.values(conjunct.term for conjunct in encoding.claim(declared).conjuncts))
            assert found == evaluator.holds(declared, state, after), declared.name


def test_every_state_is_well_formed(encoding: Encoding, states: list[State]) -> None:
    conjuncts = encoding.well_formed("in range").conjuncts
    for state in states:
        at = At(encoding, to_cells(encoding.instance, state))
        assert all(at.values(conjunct.term for conjunct in conjuncts))


def test_well_formed_cells_are_the_cells_of_a_state(encoding: Encoding) -> None:
    """What is well formed is no more than what states are: reading the cells back and forth changes nothing."""
    draw = random.Random(2)
    solver = z3.SolverFor("QF_LIA")
    solver.add([conjunct.term for conjunct in encoding.well_formed("in range").conjuncts])
    for _ in range(STATES):
        solver.push()
        for cell in encoding.before:
            wish = cell if z3.is_bool(cell) else cell == draw.randint(0, 3)
            if draw.random() < 0.5 and solver.check(wish) == z3.sat:
                solver.add(wish)
        assert solver.check() == z3.sat
        model = solver.model()
        values = [plain(model.eval(cell, model_completion=True)) for cell in encoding.before]
        state = from_cells(encoding.instance, values)
        assert to_cells(encoding.instance, state) == values
        for variable, value in zip(encoding.instance.model.variables, state, strict=True):
            if isinstance(variable.type, BagType):
                assert isinstance(value, tuple)
                assert value == tuple(sorted(value, key=sort_key))
        solver.pop()
