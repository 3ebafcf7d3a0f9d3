"""The compiled search finds what a plain search with `evaluate` finds, on random systems over every form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pytest
from tests.model.random_kinds import STANDARD, in_order
from tests.model.random_systems import RandomSystem

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.explore import Result, Verdict, explore
from genstamp_model.interest import Interest, interests
from genstamp_model.language import Instance, ir
from genstamp_model.language.ir import Op
from genstamp_model.language.model import Model, Property
from genstamp_model.language.trace import MessageOf, OptionalMember, Range, Subset
from genstamp_model.language.types import IndexSet, Type

SYSTEMS = 100
SYSTEMS_A_TEST = 50
# A plain search is slow; a system that is larger is compared only as far as the verdict goes, if it is found in time.
MOST_STATES = 250


@dataclass
class Plain:
    """What a search with `evaluate` finds.

    Attributes:
        depths: of every state, by breadth-first search.
        broken: for each violation, by kind and name, the steps of a shortest trace that shows it.
        idle: steps taken that change nothing, by action.
        critical: for each part of a property about one state the steps to the first state in which it could fail.
        critical_steps: in how many steps each part of a property about two states could.
        finished: every state was expanded.
        interests: in what state or step each part of a property could fail.
    """

    depths: dict[State, int]
    interests: tuple[Interest, ...] = ()
    generated: int = 1
    cuts: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)
    idle: Counter[str] = field(default_factory=Counter)
    critical: dict[Interest, int] = field(default_factory=dict)
    critical_steps: Counter[Interest] = field(default_factory=Counter)
    refused: set[tuple[str, str]] = field(default_factory=set)
    witnesses: dict[str, int] = field(default_factory=dict)
    broken: dict[tuple[str, str], int] = field(default_factory=dict)
    finished: bool = True

    def breaks(self, kind: str, name: str, steps: int) -> None:
        """Note a violation; the first one noted is a shortest one."""
        self.broken.setdefault((kind, name), steps)


def search(instance: Instance, most: int = MOST_STATES) -> Plain:
    """Every reachable state, one at a time; not finished with more than so many."""
    evaluator = Evaluator(instance)
    claims = {kind: [] for kind in ("invariant", "transition", "witness")}  # type: dict[str, list[Property]]
    for claim in instance.model.properties:
        claims[claim.kind].append(claim)
    queue = list(evaluator.initials)
    found = Plain(dict.fromkeys(queue, 0), tuple(interests(instance.model)), generated=len(queue))
    for state in queue:
        depth = found.depths[state]
        for claim in claims["invariant"]:
            if not evaluator.holds(claim, state):
                found.breaks("invariant", claim.name, depth)
        for claim in claims["witness"]:
            if evaluator.holds(claim, state):
                found.witnesses.setdefault(claim.name, depth)
        for interest in found.interests:
            if not interest.two_states and evaluator.value(interest.where, state):
                found.critical.setdefault(interest, depth)
        found.refused |= {(action.name, check.label) for action, _, check in evaluator.refusals(state)}
        for after in expand(evaluator, found, claims["transition"], state):
            if after not in found.depths:
                found.depths[after] = depth + 1
                queue.append(after)
        if len(queue) > most:
            found.finished = False
            break
    return found


def expand(evaluator: Evaluator, found: Plain, claims: Iterable[Property], state: State) -> list[State]:
    """The successors of a state within the limits; what is seen on the way is noted."""
    depth, moves, successors = found.depths[state], 0, []
    for action in evaluator.model.actions:
        for arguments in evaluator.choices(action, state):
            if evaluator.first_failing(action, arguments, state) is not None:
                continue
            moves += 1
            try:
                after = evaluator.apply(action, arguments, state)
            except EvaluationError:
                found.breaks("error", action.name, depth)
                continue
            beyond = evaluator.beyond(after)
            found.cuts.update(beyond)
            if beyond:
                continue
            for claim in claims:
                if not evaluator.holds(claim, state, after):
                    found.breaks("transition", claim.name, depth + 1)
            successors.append(after)
            found.taken[action.name] += 1
            found.idle[action.name] += after == state
            for interest in found.interests:
                if interest.two_states and evaluator.value(interest.where, state, after):
                    found.critical_steps[interest] += 1
            found.generated += 1
    may_stop = evaluator.model.may_stop
    if not moves and may_stop is not None and not evaluator.value(may_stop, state):
        found.breaks("deadlock", "", depth)
    return successors


def without_claims(instance: Instance) -> Instance:
    """The same system with nothing that could end a search early but errors."""
    witnesses = tuple(claim for claim in instance.model.properties if claim.kind == "witness")
    return Instance(replace(instance.model, properties=witnesses, may_stop=None), instance.configuration)


def agree_on_all(result: Result, plain: Plain) -> None:
    """Both have seen the whole, and the same."""
    assert result.verdict is Verdict.HOLDS
    assert (result.states, result.generated) == (len(plain.depths), plain.generated)
    assert result.depth == max(plain.depths.values())
    assert dict(result.cuts) == {name: plain.cuts[name] for name in result.cuts}
    assert dict(result.taken) == {name: plain.taken[name] for name in result.taken}
    assert dict(result.idle) == {name: plain.idle[name] for name in result.idle}
    for one in result.critical:
        times = plain.critical_steps[one.interest] if one.interest.two_states else one.interest in plain.critical
        assert (one.times, one.after) == (times, plain.critical.get(one.interest)), one.interest
    assert {(r.action, r.label) for r in result.refusals if r.seen} == plain.refused
    assert {name: depth for name, depth in result.witnesses.items() if depth is not None} == plain.witnesses


def agree_on_the_verdict(result: Result, plain: Plain) -> None:
    """Both find something broken, or neither does; what is broken comes with a shortest trace."""
    if not plain.broken:
        assert result.verdict is Verdict.HOLDS
        return
    assert result.violation is not None
    violation = result.violation
    assert len(violation.path) == plain.broken[violation.kind, violation.name]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SYSTEMS, SYSTEMS_A_TEST))
def test_explore_finds_what_evaluate_finds(first: int) -> None:
    kinds = Counter[str]()
    for seed in range(first, first + SYSTEMS_A_TEST):
        instance = RandomSystem(seed).instance()
        whole = search(instance)
        if whole.finished:
            result = explore(instance)
            agree_on_the_verdict(result, whole)
            kinds.update({kind for kind, _ in whole.broken} or {"holds"})
            kinds["several states"] += len(whole.depths) > 5
            if whole.broken:
                # A search ends with what breaks first: it goes on where nothing is claimed.
                instance = without_claims(instance)
                whole, result = search(instance), explore(instance)
            if whole.finished and not whole.broken:
                agree_on_all(result, whole)
                kinds["compared whole"] += 1
                kinds["idle"] += any(result.idle.values())
                kinds["critical"] += any(0 < one.times < len(whole.depths) for one in result.critical)
                kinds["vacuous"] += any(not one.times for one in result.critical)
    # So that the comparison is about something.
    assert kinds["compared whole"] >= SYSTEMS_A_TEST // 2
    assert kinds["several states"] >= SYSTEMS_A_TEST // 4
    assert kinds["idle"] and kinds["critical"] and kinds["vacuous"], kinds
    assert kinds["invariant"] and kinds["holds"] and kinds["transition"] + kinds["error"] + kinds["deadlock"], kinds


@pytest.mark.slow
def test_every_form_occurs_often() -> None:
    models = [RandomSystem(seed, in_order(seed) if seed % 2 else STANDARD).model() for seed in range(200)]
    ops = Counter(op for model in models for op in {node.op for root in roots(model) for node in ir.walk(root)})
    assert min(ops[op] for op in Op) >= 5, ops.most_common()[-5:]
    kinds = Counter(type(variable.type) for model in models for variable in model.variables)
    assert set(kinds) == set(Type.__args__)
    domains = {type(p.domain) for model in models for action in model.actions for p in action.parameters}
    assert domains == {IndexSet, OptionalMember, MessageOf, Range, Subset}


def roots(model: Model) -> Iterable[ir.Expr]:
    for action in model.actions:
        yield from (check.condition for check in action.checks)
        yield from (effect.value for effect in action.effects)
    yield from (claim.condition for claim in model.properties)
    yield from (one.where for one in interests(model))
    yield from (expr for _, expr in model.limits)


def test_a_seed_gives_the_same_system_again() -> None:
    assert RandomSystem(7).model().digest == RandomSystem(7).model().digest != RandomSystem(8).model().digest


@pytest.mark.slow
def test_the_comparison_notices_another_system() -> None:
    """The check of the check: what is searched does nothing in its first action that was seen to do something."""
    for seed in range(40):
        instance = without_claims(RandomSystem(seed).instance())
        plain = search(instance)
        idle = idling(instance, plain)
        if idle is None or plain.broken:
            continue
        with pytest.raises(AssertionError):
            agree_on_all(explore(idle), plain)


def idling(instance: Instance, plain: Plain) -> Instance | None:
    """The system with an action that no longer does what, without it, would not be reached; None where none matters."""
    for action in instance.model.actions:
        actions = tuple(replace(one, effects=()) if one is action else one for one in instance.model.actions)
        idle = Instance(replace(instance.model, actions=actions), instance.configuration)
        if search(idle).depths.keys() != plain.depths.keys():
            return idle
    return None
