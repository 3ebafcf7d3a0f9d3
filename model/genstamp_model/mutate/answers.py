"""Each call has one outcome: the action that answers it, or the check that refuses it.

The actions of one event are the outcomes of one call. The call's arguments are those that all its actions have,
including a message that they receive; other arguments belong to the outcome. There are three claims:

    no two    where one action is possible, no other action of the call is
    refused   where one action is possible, no check of another one refuses with an exception
    answered  where a caller may call, some action is possible or some check refuses with an exception

A caller may call where all checks hold that all actions of the event share, and that refuse without an exception. Some
changes of checks allow no new step; only these claims notice them.

Not here: actions that pick from many numbers; two exceptions for one call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod
from typing import Final

from genstamp_model.errors import Source
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.refinement import with_parameters
from genstamp_model.language.trace import ActionParameter, MessageOf, OptionalMember, Range, Subset
from genstamp_model.language.types import BOOL, IndexSet, RecordType

_MOST_NUMBERS: Final = 16


def contradictions(model: Model, action: str | None = None, before: Model | None = None) -> tuple[Property, ...]:
    """For each claim, the witness that it does not hold.

    Args:
        model: the model whose actions are compared.
        action: only claims that concern the action of this name; by default all.
        before: the model whose checks say where a caller may call; by default the same model.
    """
    calls, own = _calls(model), _calls(before or model)
    found: list[Property] = []
    for event, actions in calls.items():
        if action is not None and all(one.name != action for one in actions):
            continue
        for one, other in combinations(actions, 2):
            if action in (None, one.name, other.name):
                found += _of_pair(model, one, other)
        if len(actions) > 1:
            found += _unanswered(model, event, actions, own[event])
    return tuple(found)


def _calls(model: Model) -> dict[str, list[Action]]:
    """The actions of each event, without those that have too many choices of arguments."""
    found: defaultdict[str, list[Action]] = defaultdict(list)
    for action in model.actions:
        if has_few_choices(action):
            found[action.event].append(action)
    return found


def has_few_choices(action: Action) -> bool:
    """Whether the choices of the action's arguments are few enough to write a condition for each."""
    ranges = [one.domain for one in action.parameters if isinstance(one.domain, Range)]
    has_subsets = any(isinstance(one.domain, Subset) for one in action.parameters)
    return not has_subsets and prod(one.high - one.low + 1 for one in ranges) <= _MOST_NUMBERS


def _of_pair(model: Model, one: Action, other: Action) -> Iterator[Property]:
    shared = _shared([one, other])
    answered, answered_too = (for_some(model, action, shared, is_possible(action)) for action in (one, other))
    if not one.leaves_open(other):
        name = f"{one.name} and {other.name} answer one call"
        yield _witness(model, name, shared, [answered, answered_too], one)
    for refusing, answering, answer in ((one, other, answered_too), (other, one, answered)):
        if any(check.refuses for check in refusing.checks):
            refused = for_some(model, refusing, shared, _refused(refusing))
            name = f"{refusing.name} refuses what {answering.name} answers"
            yield _witness(model, name, shared, [answer, refused], refusing)


def _unanswered(model: Model, event: str, actions: Sequence[Action], own: Sequence[Action]) -> Iterator[Property]:
    """The witness that a caller may call, and no outcome is possible."""
    shared = _shared(actions)
    names = {parameter.name for parameter in shared}
    common = [
        check.condition
        for check in own[0].checks
        if check.refuses is None
        and check.condition.free <= names
        and all(any(check.condition is one.condition for one in action.checks) for action in own)
    ]
    outcomes = [for_some(model, one, shared, ir.disjunction([is_possible(one), _refused(one)])) for one in actions]
    conditions = [*common, *map(ir.negation, outcomes)]
    yield _witness(model, f"{event} has no outcome", shared, conditions, actions[0])


def _shared(actions: Sequence[Action]) -> tuple[ActionParameter, ...]:
    """The arguments of a call: those that all its actions have."""
    first, *others = actions
    return tuple(
        parameter
        for parameter in first.parameters
        if not isinstance(parameter.domain, OptionalMember) and all(parameter in other.parameters for other in others)
    )


def is_possible(action: Action) -> Expr:
    """The condition that a step of the action is possible."""
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


def for_some(model: Model, action: Action, shared: Sequence[ActionParameter], condition: Expr) -> Expr:
    """A condition for some values of the action's arguments, apart from those that are shared."""
    return _some(model, [one for one in action.parameters if one not in shared], condition)


def _some(model: Model, parameters: Sequence[ActionParameter], condition: Expr) -> Expr:
    for parameter in reversed(parameters):
        match parameter.domain:
            case IndexSet() as index:
                condition = ir.make(Op.EXISTS, (condition,), BOOL, ir.Binder(parameter.name, index))
            case OptionalMember(index=index):
                nobody = with_parameters(condition, {parameter.name: ir.const(None, parameter.type)})
                some = ir.make(Op.EXISTS, (condition,), BOOL, ir.Binder(parameter.name, index))
                condition = ir.disjunction([some, nobody])
            case MessageOf(bag=bag):
                assert isinstance(parameter.type, RecordType)
                messages = ir.make(Op.VARIABLE, (), model.types[bag], bag)
                binder = ir.Binder(parameter.name, parameter.type)
                condition = ir.make(Op.EXISTS_IN, (messages, condition), BOOL, binder)
            case Range():
                values = parameter.constants
                condition = ir.disjunction([with_parameters(condition, {parameter.name: one}) for one in values])
            case Subset():
                raise AssertionError("has_few_choices leaves such an action out")
    return condition


def _witness(
    model: Model, name: str, shared: tuple[ActionParameter, ...], conditions: Sequence[Expr], about: Action
) -> Property:
    return witness(model, name, shared, ir.conjunction(list(conditions)), about.source)


def witness(
    model: Model, name: str, parameters: Sequence[ActionParameter], condition: Expr, source: Source
) -> Property:
    """The witness that a condition holds in some state, for some values of the parameters.

    Args:
        model: the model of the condition.
        name: the name of the witness.
        parameters: the parameters of the condition.
        condition: the condition.
        source: the line that the witness is about.
    """
    members = tuple(one for one in parameters if isinstance(one.domain, IndexSet))
    return Property(
        name=name,
        kind="witness",
        parameters=members,
        condition=_some(model, [one for one in parameters if one not in members], condition),
        target=None,
        inductive=False,
        given=(),
        fair=(),
        doc="",
        source=source,
    )
