"""The terms that `prove` reasons about mean what `evaluate` computes, action by action, on random states."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
import z3
from tests.model.random_values import random_state
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.expand import Step, from_cells, to_cells
from genstamp_model.language.trace import MessageOf
from genstamp_model.language.types import Value
from genstamp_model.prove.algebra import lift, literal, plain
from genstamp_model.prove.encoding import Encoding

SYSTEMS = {"two_phase": lambda: TWO_PHASE.instance("three")}
STATES = 25


class At:
    """One encoding with all of its cells fixed to one state."""

    def __init__(self, encoding: Encoding, state: State, after: State | None = None) -> None:
        self._pairs = list(zip(encoding.before, self._literals(encoding, state), strict=True))
        if after is not None:
            self._pairs += zip(encoding.after, self._literals(encoding, after), strict=True)

    @staticmethod
    def _literals(encoding: Encoding, state: State) -> list[Any]:
        values = to_cells(encoding.instance, state)
        return [literal(cell, value) for cell, value in zip(encoding.before, values, strict=True)]

    def value(self, term: Any) -> int:
        """What the term is in this state, flags as 0 and 1."""
        return plain(z3.simplify(z3.substitute(lift(term), *self._pairs)))


@pytest.fixture(params=SYSTEMS, scope="module")
def encoding(request: pytest.FixtureRequest) -> Encoding:
    return Encoding(SYSTEMS[request.param]())


@pytest.fixture
def states(encoding: Encoding) -> list[State]:
    """Random states; those with numbers beyond the limits must agree as well."""
    draw = random.Random(1)
    return [random_state(encoding.instance, draw, beyond=1000) for _ in range(STATES)]


def arguments_of(evaluator: Evaluator, step: Step[Any], state: State) -> Arguments | None:
    """The plain arguments of a step; None where the place of a message is free, or holds a copy of the one before."""
    found: list[Value] = []
    for parameter, position in zip(step.action.parameters, step.arguments, strict=True):
        if isinstance(parameter.domain, MessageOf):
            messages: Any = evaluator.named(state)[parameter.domain.bag]
            if position >= len(messages) or (position and messages[position] == messages[position - 1]):
                return None
            found.append(messages[position])
        else:
            found.append(position)
    return tuple(found)


def test_possible_steps_are_those_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state in states:
        at = At(encoding, state)
        found = [
            (step.action.name, arguments)
            for step in encoding.expansion.steps()
            if (arguments := arguments_of(evaluator, step, state)) is not None and at.value(step.possible)
        ]
        wanted = [(a.name, choice) for a in encoding.instance.model.actions for choice in evaluator.choices(a, state)]
        assert sorted(found, key=str) == sorted(wanted, key=str)


def test_first_failing_check_is_that_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state in states:
        at = At(encoding, state)
        for step in encoding.expansion.steps():
            arguments = arguments_of(evaluator, step, state)
            if arguments is None:
                continue
            failing = [i for i, check in enumerate(step.checks) if not at.value(check)]
            first = step.action.checks[failing[0]] if failing else None
            assert first is evaluator.first_failing(step.action, arguments, state), (step.action.name, arguments)


def test_next_state_is_that_of_evaluate(encoding: Encoding, states: list[State]) -> None:
    instance = encoding.instance
    evaluator, well_formed = Evaluator(instance), encoding.well_formed("in range")
    for state in states:
        at = At(encoding, state)
        steps = {(step.action.name, step.arguments): step for step in encoding.steps}
        for raw in encoding.expansion.steps():
            arguments = arguments_of(evaluator, raw, state)
            step = steps.get((raw.action.name, raw.arguments))
            if arguments is None or step is None or evaluator.first_failing(raw.action, arguments, state) is not None:
                assert step is None or not at.value(step.enabled)
                continue
            in_range = all(
                at.value(term)
                for conjunct in well_formed.conjuncts
                if (term := encoding.after_step(conjunct, step, two_states=False)) is not None
            )
            try:
                after = evaluator.apply(step.action, arguments, state)
            except EvaluationError:
                assert not in_range, (step.action.name, arguments)
                continue
            try:
                wanted = to_cells(instance, after)
            except ValueError:
                assert not at.value(step.enabled), "a state without room is cut off"
                continue
            assert at.value(step.enabled)
            found = [at.value(step.changed.get(i, cell)) for i, cell in enumerate(encoding.before)]
            assert found == wanted, (step.action.name, arguments)
            assert in_range


def test_properties_hold_where_evaluate_says(encoding: Encoding, states: list[State]) -> None:
    evaluator = Evaluator(encoding.instance)
    for state, after in pairwise(states):
        at = At(encoding, state, after)
        for declared in encoding.instance.model.properties:
            found = all(at.value(conjunct.term) for conjunct in encoding.claim(declared).conjuncts)
            assert found == evaluator.holds(declared, state, after), declared.name


def test_every_state_is_well_formed(encoding: Encoding, states: list[State]) -> None:
    conjuncts = encoding.well_formed("in range").conjuncts
    for state in states:
        assert all(At(encoding, state).value(conjunct.term) for conjunct in conjuncts)


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
        assert to_cells(encoding.instance, from_cells(encoding.instance, values)) == values
        solver.pop()
