"""Steps that are written out as Python functions are those of `evaluate`, on random systems over every form."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.model.random_systems import RandomSystem

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language import Instance, ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action
from genstamp_model.language.types import BOOL
from genstamp_model.written_out import WrittenOutEvaluator

SYSTEMS = 200
STATES = 12

NEVER = 10**9
"""Nothing is sampled: what is written out is compared here."""


def states(evaluator: Evaluator, chance: random.Random) -> Iterator[State]:
    """Some states on a walk; it begins anew where nothing can happen, and ends where something leaves its range."""
    state = evaluator.initial()
    for _ in range(STATES):
        yield state
        try:
            steps = list(evaluator.steps(state))
        except EvaluationError:
            return
        state = chance.choice(steps).after if steps else evaluator.initial()


def after(evaluator: Evaluator, action: Action, arguments: Arguments, state: State) -> State | str:
    """The state after a step, or why there is none."""
    try:
        return evaluator.apply(action, arguments, state)
    except EvaluationError as problem:
        return str(problem)


@pytest.mark.parametrize("first", range(0, SYSTEMS, 50))
def test_written_out_steps_are_the_same(first: int) -> None:
    taken = 0
    for seed in range(first, first + 50):
        instance = RandomSystem(seed).instance()
        plain, written = Evaluator(instance), WrittenOutEvaluator(instance, sampled_every=NEVER)
        for state in states(plain, random.Random(seed)):
            for action in instance.model.actions:
                for arguments in plain.choices(action, state):
                    failing = plain.first_failing(action, arguments, state)
                    assert written.first_failing(action, arguments, state) is failing, (seed, action.name, arguments)
                    if failing is None:
                        taken += 1
                        expected = after(plain, action, arguments, state)
                        assert after(written, action, arguments, state) == expected, (seed, action.name, arguments)
    assert taken > 100


def with_check(instance: Instance, condition: Expr) -> Instance:
    """The same with one more check before the first action."""
    action, *others = instance.model.actions
    check = replace(action.checks[0], condition=condition)
    changed = replace(action, checks=(check, *action.checks))
    return Instance(replace(instance.model, actions=(changed, *others)), instance.configuration)


def test_samples_notice_a_step_that_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = next(one for one in (RandomSystem(seed).instance() for seed in range(50)) if one.model.actions[0].checks)
    never = ir.make(Op.NOT, (ir.make(Op.CONST, (), BOOL, True),), BOOL)
    changed = with_check(instance, never)
    evaluator = WrittenOutEvaluator(changed, sampled_every=1)
    action = changed.model.actions[0]
    arguments = next(iter(evaluator.choices(action, evaluator.initial())))
    assert evaluator.first_failing(action, arguments, evaluator.initial()) is action.checks[0]
    monkeypatch.setitem(evaluator._checks, action.name, lambda *_: -1)
    with pytest.raises(EvaluationError, match="fails another check when it is written out"):
        evaluator.first_failing(action, arguments, evaluator.initial())
