"""A call has one outcome: the action that answers it, or the check that refuses it.

The actions of one event are one call with several outcomes. Arguments that all of them have are the call's, others are
part of the outcome. There are three claims:

    no two    where one action is possible, none of the others is
    refused   where one action is possible, no check of another one refuses with an exception
    answered  where a caller may call, some action is possible or some check refuses with an exception

Whether a caller may call is what the checks say that all actions of the event have, and that refuse with no exception.
A change of a check that lets nothing else happen shows in these alone.

Left out: actions with arguments that are no members of index sets, such as picked numbers; two exceptions for one call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.refinement import with_parameters
from genstamp_model.language.trace import ActionParameter, OptionalMember
from genstamp_model.language.types import BOOL, IndexSet


def contradictions(model: Model, action: str | None = None, before: Model | None = None) -> tuple[Property, ...]:
    """For each claim the witness that it does not hold.

    Args:
        action: only claims about the event of the action of this name, and only such that speak of it.
        before: the model that says where a caller may call; by default the same.
    """
    calls, own = _calls(model), _calls(before or model)
    found: list[Property] = []
    for event, actions in calls.items():
        if action is not None and all(one.name != action for one in actions):
            continue
        for one, other in combinations(actions, 2):
            if action in (None, one.name, other.name):
                found += _of_pair(one, other)
        if len(actions) > 1:
            found += _unanswered(event, actions, own[event])
    return tuple(found)


def _calls(model: Model) -> dict[str, list[Action]]:
    """The actions of each event, but for those with arguments that are no members."""
    found: defaultdict[str, list[Action]] = defaultdict(list)
    for action in model.actions:
        if all(isinstance(parameter.domain, IndexSet | OptionalMember) for parameter in action.parameters):
            found[action.event].append(action)
    return found


def _of_pair(one: Action, other: Action) -> Iterator[Property]:
    shared = _shared([one, other])
    answered, answered_too = (for_some(action, shared, _possible(action)) for action in (one, other))
    if not one.leaves_open(other):
        yield _witness(f"{one.name} and {other.name} answer one call", shared, [answered, answered_too], one)
    for refusing, name, answer in ((one, other.name, answered_too), (other, one.name, answered)):
        if any(check.refuses for check in refusing.checks):
            refused = for_some(refusing, shared, _refused(refusing))
            yield _witness(f"{refusing.name} refuses what {name} answers", shared, [answer, refused], refusing)


def _unanswered(event: str, actions: Sequence[Action], own: Sequence[Action]) -> Iterator[Property]:
    """A caller may call, and has no outcome."""
    shared = _shared(actions)
    names = {parameter.name for parameter in shared}
    common = [
        check.condition
        for check in own[0].checks
        if check.refuses is None
        and check.condition.free <= names
        and all(any(check.condition is one.condition for one in action.checks) for action in own)
    ]
    outcomes = [for_some(one, shared, ir.disjunction([_possible(one), _refused(one)])) for one in actions]
    yield _witness(f"{event} has no outcome", shared, [*common, *map(ir.negation, outcomes)], actions[0])


def _shared(actions: Sequence[Action]) -> tuple[ActionParameter, ...]:
    """The arguments of a call, which all of its actions have."""
    first, *others = actions
    return tuple(
        parameter
        for parameter in first.parameters
        if isinstance(parameter.domain, IndexSet) and all(parameter in other.parameters for other in others)
    )


def _possible(action: Action) -> Expr:
    return ir.conjunction([check.condition for check in action.checks])


def _refused(action: Action) -> Expr:
    passed = [ir.conjunction([check.condition for check in action.checks[:i]]) for i in range(len(action.checks))]
    return ir.disjunction(
        [
            ir.conjunction([before, ir.negation(check.condition)])
            for before, check in zip(passed, action.checks, strict=True)
            if check.refuses
        ]
    )


def for_some(action: Action, shared: Sequence[ActionParameter], condition: Expr) -> Expr:
    """The condition for some arguments of the action but these, all of which are members or none."""
    for parameter in reversed(action.parameters):
        if parameter in shared:
            continue
        match parameter.domain:
            case IndexSet() as index:
                condition = ir.make(Op.EXISTS, (condition,), BOOL, ir.Binder(parameter.name, index))
            case OptionalMember(index=index):
                nobody = with_parameters(condition, {parameter.name: ir.const(None, parameter.type)})
                some = ir.make(Op.EXISTS, (condition,), BOOL, ir.Binder(parameter.name, index))
                condition = ir.disjunction([some, nobody])
            case _:
                raise AssertionError(parameter)
    return condition


def _witness(name: str, shared: tuple[ActionParameter, ...], conditions: Sequence[Expr], about: Action) -> Property:
    return Property(
        name=name,
        kind="witness",
        parameters=shared,
        condition=ir.conjunction(list(conditions)),
        target=None,
        inductive=False,
        given=(),
        fair=(),
        doc="",
        source=about.source,
    )
