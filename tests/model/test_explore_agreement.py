"""The compiled functions compute what `evaluate` does, step by step, on reachable states and on arbitrary ones."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from tests.model.machine import Machine
from tests.model.random_values import random_state
from tests.model.systems.compared import COMPARED
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.small_recovery import SMALL_RECOVERY
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.expand import from_cells, plain_arguments
from genstamp_model.language import Instance
from genstamp_model.language.model import Action
from genstamp_spec.hdfs.systems.recovery import RECOVERY

INSTANCES: dict[str, Callable[[], Instance]] = {
    "two_phase": lambda: TWO_PHASE.instance("nine"),
    "small_recovery": lambda: SMALL_RECOVERY.instance("large"),
    "every_form_overpaid": lambda: EVERY_FORM.instance("small", semantics="strict", bugs=["overpaid"]),
    **{name: COMPARED[name] for name in ("every_form", "choices", "deck", "division", "euclid", "readers", "table")},
    "hdfs_recovery": lambda: RECOVERY.instance(),
}
SLOW = {"two_phase", "small_recovery", "every_form", "every_form_overpaid", "hdfs_recovery"}
# Actions of which no step is compared: the configuration has none, or they are too far for a walk.
NOT_COMPARED: dict[str, set[str]] = {
    "two_phase": {"rm_receive_commit", "tm_commit"},
    "every_form_overpaid": {"exchange_orders", "think_again"},
    "hdfs_recovery": {
        "abandon_recovery",
        "commit_block_synchronization_again",
        "commit_block_synchronization_unknown",
        "complete",
        "init_replica_recovery_failed",
        "init_replica_recovery_preempted",
        "init_replica_recovery_refused",
        "recovery_command_is_dropped",
        "update_replica_failed",
        "update_replica_under_recovery_gone",
        "update_replica_under_recovery_refused",
    },
}
SEED = 20
WALKS, STEPS_A_WALK, ARBITRARY = 2, 12, 12
CURIOUS_WALKS, STEPS_A_CURIOUS_WALK = 30, 70
CURIOUS_WALKS_OF_HDFS = 170


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in INSTANCES],
    scope="module",
)
def machine(request: pytest.FixtureRequest) -> Machine:
    return Machine(INSTANCES[request.param]())


@pytest.fixture(scope="module")
def states(machine: Machine) -> list[State]:
    """States on random walks, and arbitrary ones; all of them within the limits, as every state that is searched."""
    draw = random.Random(SEED)
    evaluator = Evaluator(machine.instance)
    walked = [state for _ in range(WALKS) for state in walk(evaluator, draw)]
    walked += curious(evaluator, random.Random(SEED))
    drawn = (random_state(machine.instance, draw) for _ in range(100 * ARBITRARY))
    return walked + list(islice((state for state in drawn if not evaluator.beyond(state)), ARBITRARY))


def walk(evaluator: Evaluator, draw: random.Random) -> Iterator[State]:
    state = evaluator.initial()
    for _ in range(STEPS_A_WALK):
        yield state
        after = [then for _, then in within_limits(evaluator, state)]
        if not after:
            return
        state = draw.choice(after)


def curious(evaluator: Evaluator, draw: random.Random) -> Iterator[State]:
    """States that are the first ones met to enable some action, on walks that prefer actions seldom taken."""
    times, met = Counter[str](), set[str]()
    for _ in range(CURIOUS_WALKS_OF_HDFS if evaluator.model.system == "hdfs.recovery" else CURIOUS_WALKS):
        state = evaluator.initial()
        for _ in range(STEPS_A_CURIOUS_WALK):
            steps = list(within_limits(evaluator, state))
            if not {name for name, _ in steps} <= met:
                yield state
                met.update(name for name, _ in steps)
            if not steps or len(met) == len(evaluator.model.actions):
                break
            [(name, state)] = draw.choices(steps, [(1 + times[name]) ** -2 for name, _ in steps])
            times[name] += 1


def within_limits(evaluator: Evaluator, state: State) -> Iterator[tuple[str, State]]:
    """The steps that a search would take, by the action's name."""
    for action in evaluator.model.actions:
        for arguments in evaluator.choices(action, state):
            if evaluator.first_failing(action, arguments, state) is None:
                after = taken(evaluator, action, arguments, state)
                if after is not None and not evaluator.beyond(after):
                    yield action.name, after


def taken(evaluator: Evaluator, action: Action, arguments: Arguments, state: State) -> State | None:
    """The state after an enabled step; None where the step goes wrong."""
    try:
        return evaluator.apply(action, arguments, state)
    except EvaluationError:
        return None


def enabled(machine: Machine, evaluator: Evaluator, state: State) -> Iterator[tuple[int, Action, Arguments]]:
    """Each enabled step by its number; of copies of one message, the first one stands for all."""
    offered = {action: set(evaluator.choices(action, state)) for action in evaluator.model.actions}
    for number, (action, places) in enumerate(machine.program.steps):
        arguments = plain_arguments(machine.instance, action, places, state)
        if arguments not in offered[action]:
            continue
        assert arguments is not None
        offered[action].remove(arguments)
        if evaluator.first_failing(action, arguments, state) is None:
            yield number, action, arguments
    assert not any(offered.values()), "every choice of arguments has a step"


@pytest.mark.slow
def test_successors_cuts_and_alarms_are_those_of_evaluate(machine: Machine, states: list[State]) -> None:
    evaluator = Evaluator(machine.instance)
    transitions = [claim for claim in evaluator.model.properties if claim.kind == "transition"]
    for state in states:
        successors: dict[int, tuple[int, ...]] = {}
        cuts: Counter[str] = Counter(dict.fromkeys(machine.program.limits, 0))
        alarms = cut = 0
        for number, action, arguments in enabled(machine, evaluator, state):
            after = taken(evaluator, action, arguments, state)
            if after is None:
                alarms += 1
                continue
            beyond = evaluator.beyond(after)
            if beyond:
                cut += 1
                cuts.update(beyond)
                continue
            alarms += not all(evaluator.holds(claim, state, after) for claim in transitions)
            successors[number] = machine.packed(after)
        found = machine.expand(state)
        assert found.successors == successors, state
        assert (found.alarms, found.cut, found.cuts) == (alarms, cut, cuts), state


@pytest.mark.slow
def test_invariants_fail_where_evaluate_says(machine: Machine, states: list[State]) -> None:
    evaluator = Evaluator(machine.instance)
    for state in states:
        invariants = (claim for claim in evaluator.model.properties if claim.kind == "invariant")
        assert machine.failing(state) == {claim.name for claim in invariants if not evaluator.holds(claim, state)}


def test_coverage_sees_what_evaluate_sees(machine: Machine, states: list[State]) -> None:
    """Which refusals a state shows is decided by the first check that fails."""
    evaluator = Evaluator(machine.instance)
    for state in states:
        refused = {(action.name, check.label) for action, _, check in evaluator.refusals(state)}
        for target, shown in zip(machine.program.targets, machine.shown(state), strict=True):
            if target.witness is not None:
                assert shown == evaluator.holds(target.witness, state), target.witness.name
            elif target.interest is not None:
                assert shown == evaluator.value(target.interest.where, state), target.interest
            else:
                assert target.action is not None and target.check is not None
                assert shown == ((target.action.name, target.check.label) in refused), (target.action.name, state)


def test_may_stop_where_evaluate_says(machine: Machine, states: list[State]) -> None:
    evaluator = Evaluator(machine.instance)
    may_stop = evaluator.model.may_stop
    for state in states:
        assert machine.may_stop(state) == (may_stop is None or evaluator.value(may_stop, state))


def test_packing_is_undone_by_unpacking(machine: Machine, states: list[State]) -> None:
    for state in states:
        words = machine.packed(state)
        assert all(0 <= word < 2**63 for word in words)
        assert from_cells(machine.instance, machine.program.layout.unpack(words)) == state


def test_the_states_compared_have_successors_and_cuts(states: list[State], machine: Machine) -> None:
    """So that the comparison above is about something."""
    kinds = Counter[str]()
    for state in states:
        found = machine.expand(state)
        kinds.update(
            successors=bool(found.successors),
            cut=found.cut > 0,
            alarms=found.alarms > 0,
            broken=bool(machine.failing(state)),
        )
    assert kinds["successors"] >= len(states) // 2
    if machine.program.limits:
        assert kinds["cut"]


def test_every_action_is_compared_but_for_those_named(
    states: list[State], machine: Machine, request: pytest.FixtureRequest
) -> None:
    compared = {
        machine.program.steps[number][0].name for state in states for number in machine.expand(state).successors
    }
    never = {action.name for action in machine.instance.model.actions} - compared
    assert never <= NOT_COMPARED.get(request.node.callspec.params["machine"], set())
