"""Constructed states, and the result of a call in one: what derived tables are computed from.

Not here: whether a state can be reached: a table says what the text does in every state that its rows describe.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from genstamp.errors import GenstampError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language.model import Action
from genstamp_model.language.trace import OptionalMember
from genstamp_model.language.types import (
    ArrayType,
    BoolType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SetType,
    Type,
    Value,
    show,
)

Change: TypeAlias = bool | int | str | frozenset[str] | set[str] | None
"""A value as reports show it: a label, a member's name, a number, a flag, a set of names, None for no member."""

NOTHING: Final = "not possible"
"""The outcome of a call that no action makes in a state."""

_STEP: Final = re.compile(r"\[(?P<member>\w+)\]|\.(?P<field>\w+)")


class UnknownPlaceError(GenstampError):
    """A state has no such place, or the place no such value.

    Attributes:
        place: as it was written.
    """

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"'{place}' cannot be set: {reason}")
        self.place = place


def state_with(evaluator: Evaluator, changes: Mapping[str, Change]) -> State:
    """The initial state with some places changed.

    Args:
        evaluator: of the instance.
        changes: by place, such as `block[file1]` or `replica[datanode1][file1].stamp`.

    Raises:
        UnknownPlaceError: there is no such variable, member or field, or the value does not fit.
    """
    state: Value = evaluator.initial()
    for place, value in changes.items():
        positions, type_ = _resolved(evaluator, place)
        state = _replaced(state, positions, _value(evaluator, place, type_, value))
    assert isinstance(state, tuple)
    return state


def shown_at(evaluator: Evaluator, state: State, place: str) -> str:
    """The value of a place of a state, as reports show it.

    Raises:
        UnknownPlaceError: there is no such variable, member or field.
    """
    positions, type_ = _resolved(evaluator, place)
    value: Value = state
    for position in positions:
        assert isinstance(value, tuple)
        value = value[position]
    return show(value, type_, evaluator.sizes)


def outcome(evaluator: Evaluator, state: State, event: str, arguments: Mapping[str, str]) -> str:
    """The result of a call: the action that is taken, the exception, or that neither happens.

    Args:
        evaluator: of the instance.
        state: before the call.
        event: name of the event; each of its actions is one of its outcomes.
        arguments: members by name of the parameter; a parameter that is not named may have any.

    Returns:
        `ExceptionName`, or `ExceptionName after ACTION` where the refused call changes the state all the same, or the
        name of the action, or `NOTHING`.
    """
    refused = None
    for action, chosen in calls(evaluator, state, event, arguments):
        failing = evaluator.first_failing(action, chosen, state)
        if failing is None:
            return f"{action.refuses} after {action.name}" if action.refuses else action.name
        if failing.refuses is not None:
            refused = refused or failing.refuses
    return refused or NOTHING


def calls(
    evaluator: Evaluator, state: State, event: str, arguments: Mapping[str, str]
) -> Iterator[tuple[Action, Arguments]]:
    """Every action of an event with every choice of arguments that are as they are named, possible or not."""
    for action in (one for one in evaluator.model.actions if one.event == event):
        for chosen in evaluator.choices(action, state):
            if _as_named(evaluator, action, chosen, arguments):
                yield action, chosen


def _as_named(evaluator: Evaluator, action: Action, chosen: Arguments, wanted: Mapping[str, str]) -> bool:
    named = (
        (show(value, parameter.expr.type, evaluator.sizes), wanted[parameter.name])
        for parameter, value in zip(action.parameters, chosen, strict=True)
        if parameter.name in wanted and isinstance(parameter.domain, IndexSet | OptionalMember)
    )
    return all(shown == name for shown, name in named)


def _resolved(evaluator: Evaluator, place: str) -> tuple[list[int], Type]:
    """Where a place is, as positions from the outside in, and what type it has."""
    name = re.split(r"[.\[]", place, maxsplit=1)[0]
    variables = [variable.name for variable in evaluator.model.variables]
    if name not in variables:
        raise UnknownPlaceError(place, f"there is no variable '{name}'")
    positions = [variables.index(name)]
    type_ = evaluator.model.types[name]
    for step in _STEP.finditer(place):
        member, field = step["member"], step["field"]
        match type_:
            case ArrayType(index=index, element=element) if member is not None:
                positions.append(_member(evaluator, place, index, member))
                type_ = element
            case RecordType(fields=fields) if field is not None:
                names = [name for name, _ in fields]
                if field not in names:
                    raise UnknownPlaceError(place, f"there is no field '{field}'; there is {', '.join(names)}")
                positions.append(names.index(field))
                type_ = fields[positions[-1]][1]
            case _:
                raise UnknownPlaceError(place, f"a {type(type_).__name__} has no '{member or field}'")
    return positions, type_


def _replaced(old: Value, positions: Sequence[int], value: Value) -> Value:
    """The same except for the value at some positions, one in the other."""
    if not positions:
        return value
    assert isinstance(old, tuple)
    position, *rest = positions
    return (*old[:position], _replaced(old[position], rest, value), *old[position + 1 :])


def _member(evaluator: Evaluator, place: str, index: IndexSet, name: str) -> int:
    names = [evaluator.sizes.member_name(index, i) for i in range(evaluator.sizes.of(index))]
    if name not in names:
        raise UnknownPlaceError(place, f"there is no member '{name}'; there is {', '.join(names)}")
    return names.index(name)


def _value(evaluator: Evaluator, place: str, type_: Type, value: Any) -> Value:
    match type_:
        case BoolType() if isinstance(value, bool):
            return value
        case NumberType() if isinstance(value, int):
            return value
        case EnumType(labels=labels) if value in labels:
            return labels.index(value)
        case RefType(index=index):
            return None if value is None else _member(evaluator, place, index, value)
        case SetType(index=index) if isinstance(value, set | frozenset):
            return frozenset(_member(evaluator, place, index, name) for name in value)
        case _:
            raise UnknownPlaceError(place, f"{value!r} is not one of its values")
