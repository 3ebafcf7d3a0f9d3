"""Scenarios: the search for a run against one that follows every run step by step."""

import random
from collections.abc import Iterator

import pytest

from genstamp.templates.protocol import LOCK
from genstamp_model import scenario
from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.explore import Verdict, explore
from genstamp_model.language.model import Instance

SEEDS = range(60)
INSTANCE = LOCK.instance("two")
STEPS = ("acquire", "time_out", "write", "acquire(client=client1)", "write(client=client2)", "write(client=client1)")


def drawn(seed: int) -> str:
    """A scenario of at most four steps, some with steps that are excluded before them."""
    dice = random.Random(seed)
    items: list[str] = []
    for _ in range(dice.randint(1, 4)):
        items += [f"not {dice.choice(STEPS)}" for _ in range(dice.choice((0, 0, 1, 2)))]
        items.append(dice.choice(STEPS))
    return "; ".join(items)


def shortest(instance: Instance, text: str) -> int | None:
    """The length of a shortest run that shows a scenario, by following all that a run may have shown so far."""
    stages = scenario.read(text)
    evaluator = Evaluator(instance)
    level: set[tuple[State, int]] = {(state, 0) for state in evaluator.initials}
    known, length = set(level), 0
    while level:
        if any(shown == len(stages) for _, shown in level):
            return length
        level = {after for before in level for after in moves(evaluator, stages, *before)} - known
        known |= level
        length += 1
    return None


def moves(
    evaluator: Evaluator, stages: tuple[scenario.Stage, ...], state: State, shown: int
) -> Iterator[tuple[State, int]]:
    stage = stages[shown]
    for step in evaluator.steps(state):
        if evaluator.beyond(step.after):
            continue
        if not any(is_one(evaluator, step, wanted) for wanted in stage.excluded):
            yield step.after, shown
        if is_one(evaluator, step, stage.wanted):
            yield step.after, shown + 1


def is_one(evaluator: Evaluator, step: Step, wanted: scenario.Wanted) -> bool:
    """Whether a step is one that is wanted, by what a reader sees of it."""
    told = evaluator.call(step.action, step.arguments)
    return step.action.name == wanted.name and all(f"{name} {value}" in told for name, value in wanted.arguments)


@pytest.mark.parametrize("seed", SEEDS)
def test_shortest_run_is_as_short_as_by_following_every_run(seed: int) -> None:
    text = drawn(seed)
    expected = shortest(INSTANCE, text)
    result = explore(scenario.never(INSTANCE, scenario.read(text)))
    if expected is None:
        assert result.verdict is Verdict.HOLDS, text
        return
    assert result.violation is not None, text
    path = scenario.without_progress(result.violation.path, INSTANCE)
    assert len(path) == expected, text
    # It is a run of the system itself, as it was before.
    evaluator, state = Evaluator(INSTANCE), path.initial
    for step in path.steps:
        assert step in list(evaluator.steps(state)), text
        state = step.after


def test_some_scenarios_are_shown_and_some_are_not() -> None:
    found = [shortest(INSTANCE, drawn(seed)) for seed in SEEDS]
    assert found.count(None) > 5
    assert len(found) - found.count(None) > 20


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must end with a step that is taken"),
        ("write; not acquire", "must end with a step that is taken"),
        ("wriet", "lock has no action or event 'wriet'; did you mean 'write'?"),
        ("write(client=client3)", "its arguments are client: client1, client2"),
        ("write(node=client1)", "its arguments are client: client1, client2"),
        ("write(client)", "'client' in 'write(client)' is no argument; write parameter=value"),
        ("write acquire", "'write acquire' is no step"),
        ("write(client=client1", "'write(client=client1' is no step"),
    ],
)
def test_text_that_is_no_scenario_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        scenario.never(INSTANCE, scenario.read(text))
    assert message in str(refused.value)
