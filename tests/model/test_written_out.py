"""Steps that are written out as Python functions are those of `evaluate`, on random systems over every form."""

import random
from collections.abc import Callable, Iterator

import pytest
from tests.model.random_kinds import STANDARD, in_order
from tests.model.random_systems import RandomSystem

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language.model import Action
from genstamp_model.written_out import ENABLED, Answers, WrittenOutEvaluator

SEEDS = range(100, 200)
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


def answers(evaluator: Evaluator, action: Action, state: State) -> Answers:
    """The calls of an action that are performed or refused, one after the other."""
    found = []
    for arguments in evaluator.choices(action, state):
        check = evaluator.first_failing(action, arguments, state)
        if check is None or check.refuses is not None:
            found.append((arguments, ENABLED if check is None else action.checks.index(check)))
    return found


@pytest.mark.slow
def test_written_out_steps_are_the_same() -> None:
    taken = refused = 0
    for seed in SEEDS:
        instance = RandomSystem(seed, in_order(seed) if seed % 2 else STANDARD).instance()
        plain, written = Evaluator(instance), WrittenOutEvaluator(instance, sampled_every=NEVER)
        for state in states(plain, random.Random(seed)):
            for action in instance.model.actions:
                found = written.answers(action, state)
                assert found == answers(plain, action, state), (seed, action.name)
                refused += sum(position != ENABLED for _, position in found)
                for arguments in (arguments for arguments, position in found if position == ENABLED):
                    taken += 1
                    expected = after(plain, action, arguments, state)
                    assert after(written, action, arguments, state) == expected, (seed, action.name, arguments)
    assert taken > 100
    assert refused > 100


@pytest.mark.parametrize("wrong", [lambda found: found[:-1], lambda found: [(found[0][0], 0), *found[1:]]])
def test_samples_notice_answers_that_are_others(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Answers], Answers]
) -> None:
    instance = RandomSystem(0).instance()
    evaluator, sampled = (WrittenOutEvaluator(instance, sampled_every) for sampled_every in (NEVER, 1))
    state = evaluator.initial()
    action = next(a for a in instance.model.actions if (found := evaluator.answers(a, state)) and found[0][1] != 0)
    found = sampled.answers(action, state)
    for one in (evaluator, sampled):
        monkeypatch.setitem(one._answers, action.name, lambda _: wrong(found))
    assert evaluator.answers(action, state) == wrong(found)
    with pytest.raises(EvaluationError, match="answers other calls when it is written out"):
        sampled.answers(action, state)
