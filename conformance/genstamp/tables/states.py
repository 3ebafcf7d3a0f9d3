"""States that are made by hand, and what a call comes to in one: what derived tables are computed from.

Leaves out whether a state can be reached: a table says what the text does in every state that its rows describe.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from genstamp.errors import GenstampError
from genstamp_model.evaluate import Evaluator, State
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
    state = list(evaluator.initial())
    names = list(evaluator.named(evaluator.initial()))
    for place, value in changes.items():
        name = re.split(r"[.\[]", place, maxsplit=1)[0]
        if name not in names:
            raise UnknownPlaceError(place, f"there is no variable '{name}'")
        position = names.index(name)
        steps = [(match["member"], match["field"]) for match in _STEP.finditer(place)]
        type_ = evaluator.model.variables[position].type
        state[position] = _changed(evaluator, place, state[position], type_, steps, value)
    return tuple(state)


def outcome(evaluator: Evaluator, state: State, event: str, arguments: Mapping[str, str]) -> str:
    """What a call comes to: the action that is taken, the exception, or that neither happens.

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
    for action in (one for one in evaluator.model.actions if one.event == event):
        for chosen in evaluator.choices(action, state):
            if not _as_named(evaluator, action, chosen, arguments):
                continue
            failing = evaluator.first_failing(action, chosen, state)
            if failing is None:
                return f"{action.refuses} after {action.name}" if action.refuses else action.name
            if failing.refuses is not None:
                refused = refused or failing.refuses
    return refused or NOTHING


def _as_named(evaluator: Evaluator, action: Action, chosen: tuple[Value, ...], wanted: Mapping[str, str]) -> bool:
    for parameter, value in zip(action.parameters, chosen, strict=True):
        domain = parameter.domain.index if isinstance(parameter.domain, OptionalMember) else parameter.domain
        if parameter.name in wanted and isinstance(domain, IndexSet):
            shown = "none" if value is None else evaluator.sizes.member_name(domain, int(value))  # type: ignore[arg-type]
            if shown != wanted[parameter.name]:
                return False
    return True


def _changed(
    evaluator: Evaluator,
    place: str,
    old: Value,
    type_: Type,
    steps: list[tuple[str | None, str | None]],
    value: Change,
) -> Value:
    if not steps:
        return _value(evaluator, place, type_, value)
    (member, field), *rest = steps
    match type_:
        case ArrayType(index=index, element=element) if member is not None:
            position = _member(evaluator, place, index, member)
        case RecordType(fields=fields) if field is not None:
            names = [name for name, _ in fields]
            if field not in names:
                raise UnknownPlaceError(place, f"there is no field '{field}'; there is {', '.join(names)}")
            position = names.index(field)
            element = fields[position][1]
        case _:
            raise UnknownPlaceError(place, f"a {type(type_).__name__} has no '{member or field}'")
    assert isinstance(old, tuple)
    part = _changed(evaluator, place, old[position], element, rest, value)
    return (*old[:position], part, *old[position + 1 :])


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
            raise UnknownPlaceError(place, f"{value!r} is no value of it")
