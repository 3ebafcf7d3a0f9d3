"""Ordered numbers by rank: the search over ranks reaches the ranks of what a search over numbers reaches."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.model.machine import Machine
from tests.model.random_systems import RandomSystem
from tests.model.random_values import random_state
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.fencing import COUNTED, FENCING
from tests.model.systems.small_recovery import SMALL_RECOVERY

from genstamp_model.errors import ConfigurationError, EvaluationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Compiled, Verdict, explore
from genstamp_model.explore.renumber import Renumbering
from genstamp_model.explore.renumber_classes import classes
from genstamp_model.language import Configuration, Instance
from genstamp_spec.hdfs.systems.recovery import RECOVERY

Level = set[tuple[int, ...]]


def levels_of_ranks(instance: Instance) -> Iterator[Level]:
    """The levels of the search over ranks, as rows, made by the compiled `expand` alone."""
    machine = Machine(instance, renumber=True)
    level = {machine.compiled.canonical.row(Evaluator(instance).initial())}
    seen = set(level)
    while level:
        yield level
        level = {row for state in level for row in machine.expand_row(state).successors.values()} - seen
        seen |= level


def levels_of_numbers(instance: Instance, ranked: Renumbering) -> Iterator[Level]:
    """The levels of a search over the numbers themselves, by `evaluate`, as rows of their ranks; no limit on numbers.

    Only a state whose ranks are beyond a limit is left out.
    """
    evaluator, compiled = Evaluator(instance), Compiled(instance, renumber=True)
    level = {evaluator.initial()}
    seen, known = set(level), Level()
    while level:
        ranks = {compiled.canonical.row(state) for state in level}
        yield ranks - known
        known |= ranks
        after = {step.after for state in level for step in evaluator.steps(state)}
        level = {state for state in after if not evaluator.beyond(ranked.renumbered(state))} - seen
        seen |= level


@pytest.mark.slow
def test_ranks_of_all_reachable_states_are_the_states_of_the_search_over_ranks() -> None:
    """Exact where another limit ends the numbers: here the count of rounds."""
    instance = COUNTED.instance("small")
    numbers = list(levels_of_numbers(instance, Renumbering(instance)))
    ranks = list(levels_of_ranks(instance))
    assert [level for level in numbers if level] == ranks
    found = explore(instance, renumber=True)
    assert (found.states, found.levels) == (sum(map(len, ranks)), len(ranks))
    assert found.states < explore(instance).states


@pytest.mark.slow
@pytest.mark.parametrize("configuration", ["small", "stores"])
def test_levels_are_the_same_where_a_limit_cuts_off_ranks(configuration: str) -> None:
    """Without an end to the numbers level by level: a state is first reached on the level of its ranks."""
    instance = Instance(
        FENCING.model(),
        Configuration("few", FENCING.configuration(configuration).sizes, limits={"tokens": 2, "posts": 1}),
    )
    numbers, ranks = levels_of_numbers(instance, Renumbering(instance)), levels_of_ranks(instance)
    for _ in range(10):
        assert next(numbers) == next(ranks)


def test_endless_retries_become_cycles() -> None:
    """Without a step cut off for its tokens: all of them were seen, however many are given out."""
    result = explore(FENCING.instance("endless"), renumber=True)
    assert result.verdict is Verdict.HOLDS
    assert result.cuts["tokens"] == 0
    assert explore(FENCING.instance("endless")).cuts["tokens"] > 0


def test_a_counterexample_shows_the_real_numbers() -> None:
    """The shortest way over three tokens, of which two are alive at a time."""
    instance = FENCING.instance("small", bugs=["unfenced"])
    real, ranked = explore(instance).violation, explore(instance, renumber=True).violation
    assert real is not None and ranked is not None
    assert (ranked.kind, ranked.name) == (real.kind, real.name) == ("transition", "seen_never_goes_back")
    assert len(ranked.path) == len(real.path)
    evaluator = Evaluator(instance)
    for before, step in zip(ranked.path.states, ranked.path.steps, strict=False):
        assert step in list(evaluator.steps(before))


def test_a_path_goes_beyond_the_limit_that_bounds_ranks() -> None:
    """A long path, over rows that came back to low ranks again and again."""
    machine = Machine(FENCING.instance("endless"), renumber=True)
    evaluator = Evaluator(machine.instance)
    rows = [machine.compiled.canonical.row(evaluator.initial())]
    draw = random.Random(2)
    for _ in range(150):
        rows.append(draw.choice(list(machine.expand_row(rows[-1]).successors.values())))
    path = machine.compiled.path(rows)
    assert [machine.compiled.canonical.row(state) for state in path.states] == rows
    assert max(evaluator.named(state)["last"] for state in path.states) > 5  # type: ignore[type-var,operator]


@pytest.mark.parametrize(
    ("bug", "message"),
    [
        ("own-counter", "raises 0 although its class of ordered numbers holds 1"),
        ("differences", "invariant tokens_are_close raises the ordered number"),
        ("sums", "action give_up relates the ordered number"),
    ],
)
def test_what_needs_more_than_order_is_refused(bug: str, message: str) -> None:
    instance = FENCING.instance("small", bugs=[bug])
    assert explore(instance).states > 1
    with pytest.raises(ConfigurationError, match=rf"fencing\.py:\d+: .*{message}"):
        explore(instance, renumber=True)


@pytest.mark.parametrize(
    "instance",
    [
        pytest.param(SMALL_RECOVERY.instance("three"), marks=pytest.mark.slow),
        pytest.param(EVERY_FORM.instance("wide"), marks=pytest.mark.slow),
        FENCING.instance("both"),
        pytest.param(RECOVERY.instance(), marks=pytest.mark.slow),
    ],
    ids=lambda instance: instance.model.system,
)
def test_steps_over_ranks_are_those_of_evaluate(instance: Instance) -> None:
    """From arbitrary states: the successors, what is cut off, and where a number is raised that is not the largest."""
    compared, faults = compare(instance, 60)
    assert compared > 5 or faults > 5


@pytest.mark.slow
def test_steps_over_ranks_of_random_systems_are_those_of_evaluate() -> None:
    compared, faults, refused = 0, 0, 0
    for seed in range(24):
        instance = RandomSystem(seed).instance()
        try:
            more, wrong = compare(replace(instance, model=replace(instance.model, properties=())), 10)
        except ConfigurationError:
            refused += 1
            continue
        compared, faults = compared + more, faults + wrong
    assert compared > 120
    assert faults > 5
    assert refused < 5


def compare(instance: Instance, states: int) -> tuple[int, int]:
    """Compare the steps from arbitrary states: how many were compared, and how many raise what is not the largest."""
    machine, evaluator, ranked = Machine(instance, renumber=True), Evaluator(instance), Renumbering(instance)
    draw, compared, faults = random.Random(3), 0, 0
    for _ in range(states):
        state = ranked.renumbered(random_state(instance, draw))
        if evaluator.beyond(state):
            continue
        try:
            steps = list(evaluator.steps(state))
        except EvaluationError:
            continue
        if any(ranked.fault(evaluator, step.action, step.arguments, state) for step in steps):
            faults += 1
            assert machine.expand(state).alarms > 0
            continue
        within = [after for step in steps if not evaluator.beyond(after := ranked.renumbered(step.after))]
        found = machine.expand(state)
        assert sorted(found.successors.values()) == sorted(machine.packed(after) for after in within)
        assert found.cut == len(steps) - len(within)
        compared += 1
    return compared, faults


def test_a_class_is_what_is_compared_and_constants_are_fixed() -> None:
    found = classes(SMALL_RECOVERY.instance("three"))
    assert found.fixed == (0,)
    assert {len(found.raises[name]) for name in ("drop_from_pipeline", "recover_lease")} == {2}
    assert len(classes(EVERY_FORM.instance("tiny")).fixed) == 1


def test_ranks_leave_small_numbers_and_all_else_alone() -> None:
    instance = FENCING.instance("both")
    ranked = Renumbering(instance)
    draw = random.Random(1)
    for _ in range(20):
        state = random_state(instance, draw, beyond=50)
        once = ranked.renumbered(state)
        assert ranked.renumbered(once) == once
        assert Evaluator(instance).named(once)["holder"] == Evaluator(instance).named(state)["holder"]
