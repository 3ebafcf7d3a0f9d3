"""What the parameters of declared functions range over, from their annotations."""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Callable
from typing import Any, Final

from genstamp_model.errors import Source, SpecError
from genstamp_model.language.author import authored
from genstamp_model.language.containers import Members
from genstamp_model.language.members import OR_NONE, Index
from genstamp_model.language.trace import ActionParameter, Domain, OptionalMember, Range, Subset, misuse
from genstamp_model.language.types import EnumType, IndexSet, NumberType, RefType, SetType, Type
from genstamp_model.language.values import Enumerated, Number, Value, enum_type

_MOST_NUMBERS: Final = 1_000_000


def parameters_of(
    function: Callable[..., Any], skip: int, source: Source, *, members_only: bool = True
) -> tuple[ActionParameter, ...]:
    """The parameters of a declared function after its states.

    Args:
        function: the function.
        skip: how many states it takes.
        source: the line of its declaration.
        members_only: whether each must be a member; an action's may be what else `domain_of` knows.

    Raises:
        SpecError: an annotation is missing or another one, or there is no parameter for the state.
    """
    with authored(source):
        hints = typing.get_type_hints(function, include_extras=True)
    parameters = list(inspect.signature(function).parameters.values())
    if len(parameters) < skip or any(one.kind is not one.POSITIONAL_OR_KEYWORD for one in parameters):
        states = "the states s and t" if skip == 2 else "the state s"
        raise SpecError(f"{function.__name__} takes {states}, and then members of index sets, by position", source)
    given = next((one for one in parameters[skip:] if one.default is not one.empty), None)
    if given is not None:
        message = f"parameter '{given.name}' of {function.__name__} has a default, which nothing takes; leave it out"
        raise SpecError(
            message if members_only else f"{message}, or write Maybe[Node] for one that may be none", source
        )
    found = []
    for name in [one.name for one in parameters[skip:]]:
        known = domain_of(name, hints.get(name), source)
        if known is None:
            others = "" if members_only else f", {name}: Members[Node] for a subset or {name}: Annotated[Number, 0, 3]"
            message = (
                f"parameter '{name}' of {function.__name__} needs an index set as annotation, such as {name}: Node"
            )
            raise SpecError(message + others, source)
        if members_only and not isinstance(known[1], IndexSet):
            what = "may be none" if isinstance(known[1], OptionalMember) else "ranges over other values than members"
            raise SpecError(f"parameter '{name}' of {function.__name__} {what}, which only an action's can", source)
        found.append(ActionParameter(name, *known))
    return tuple(found)


def domain_of(name: str, annotation: object, source: Source | None = None) -> tuple[Type, Domain] | None:
    """Type and domain of a parameter; None where the annotation is none of a parameter.

    `Node` are the members, `Maybe[Node]` they and none, `Members[Node]` the subsets, `Mood` or `Enumerated[Mood]` the
    labels, `Annotated[Number, 1, 3]` the numbers from 1 to 3.

    Raises:
        SpecError: the numbers are no range, or too many.
    """
    if isinstance(annotation, Value):
        return None
    kind, *extras = typing.get_args(annotation) or (annotation,)
    match typing.get_origin(annotation):
        case typing.Annotated if kind is Number and len(extras) == 2:
            return numbers_from(name, extras[0], extras[1], source)
        case typing.Annotated if is_index(kind) and extras == [OR_NONE]:
            return RefType(kind.set, optional=True), OptionalMember(kind.set)
        case origin if origin is Members and is_index(kind):
            return SetType(kind.set), Subset(kind.set)
        case origin if origin in (None, Enumerated) and isinstance(kind, type) and issubclass(kind, enum.Enum):
            labels: EnumType = enum_type(kind)
            return labels, Range(0, len(labels.labels) - 1)
        case None if is_index(kind):
            return RefType(kind.set), kind.set
    return None


def is_index(kind: object) -> typing.TypeGuard[type[Index]]:
    """Whether it is an index set."""
    return isinstance(kind, type) and issubclass(kind, Index) and kind is not Index


def numbers_from(name: str, low: object, high: object, source: Source | None = None) -> tuple[Type, Domain]:
    """Type and domain of a number from `low` to `high`.

    Raises:
        SpecError: one of them is no number, there is none between them, or there are too many.
    """
    if type(low) is not int or type(high) is not int:
        raise _wrong(f"'{name}' is picked from a range of constants; write pick('{name}', 0, 3) and a check", source)
    if low > high:
        raise _wrong(f"nothing to pick for '{name}': {low} is above {high}", source)
    if high - low >= _MOST_NUMBERS:
        what = f"'{name}' is picked from {high - low + 1:,} numbers, each a step of its own"
        raise _wrong(f"{what}; pick from {_MOST_NUMBERS:,} at most", source)
    return NumberType(low, high), Range(low, high)


def _wrong(message: str, source: Source | None) -> SpecError:
    """An error at a declaration, or at the line that is being traced."""
    return misuse(message) if source is None else SpecError(message, source)
