"""Compares values in a trace with plain values of a known type.

A value may be written in several ways: a message bag is a list in any order, an array is a map from member names, a set
is a set or a list of names. A value written in any other way does not match.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    NumberType,
    RecordType,
    SequenceType,
    SetType,
    Sizes,
    Type,
    show,
)


def matches(told: Any, value: Any, type_: Type, sizes: Sizes) -> bool:
    """Whether a value in a trace is this plain value."""
    match type_:
        case BoolType():
            return isinstance(told, bool) and told == value
        case NumberType():
            return isinstance(told, int) and not isinstance(told, bool) and told == value
        case RecordType(fields=fields):
            parts = _fields(told)
            return set(parts) == {name for name, _ in fields} and all(
                matches(parts[name], part, kind, sizes) for (name, kind), part in zip(fields, value, strict=True)
            )
        case ArrayType(index=index, element=element):
            names = [sizes.member_name(index, i) for i in range(len(value))]
            return (
                isinstance(told, Mapping)
                and set(told) == set(names)
                and all(matches(told[name], part, element, sizes) for name, part in zip(names, value, strict=True))
            )
        case SetType(index=index):
            names = [sizes.member_name(index, i) for i in sorted(value)]
            return isinstance(told, frozenset | list | tuple) and sorted(map(str, told)) == sorted(names)
        case SequenceType(element=element):
            same_length = isinstance(told, list | tuple) and len(told) == len(value)
            return same_length and all(matches(x, y, element, sizes) for x, y in zip(told, value, strict=True))
        case BagType(message=message):
            return isinstance(told, list | tuple) and _same_messages(list(told), list(value), message, sizes)
        case _:
            return isinstance(told, str) and told == show(value, type_, sizes)


def _same_messages(told: list[Any], value: list[Any], message: RecordType, sizes: Sizes) -> bool:
    left = list(value)
    for one in told:
        found = next((i for i, other in enumerate(left) if matches(one, other, message, sizes)), None)
        if found is None:
            return False
        del left[found]
    return not left


def _fields(told: Any) -> Mapping[str, Any]:
    if isinstance(told, Mapping):
        return {str(name): part for name, part in told.items()}
    return told._asdict() if hasattr(told, "_asdict") else {}


def tell(value: Any, type_: Type, sizes: Sizes) -> Any:
    """A plain value as JSON for a trace, which `matches` accepts."""
    match type_:
        case BoolType() | NumberType():
            return value
        case RecordType(fields=fields):
            return {name: tell(part, kind, sizes) for (name, kind), part in zip(fields, value, strict=True)}
        case ArrayType(index=index, element=element):
            return {sizes.member_name(index, i): tell(part, element, sizes) for i, part in enumerate(value)}
        case SetType(index=index):
            return [sizes.member_name(index, i) for i in sorted(value)]
        case SequenceType(element=element) | BagType(message=element):
            return [tell(part, element, sizes) for part in value]
        case _:
            return show(value, type_, sizes)


def text(told: Any) -> str:
    """A value in a trace, as reports show values."""
    if isinstance(told, bool):
        return "true" if told else "false"
    if isinstance(told, Mapping):
        return "{" + ", ".join(f"{name}: {text(part)}" for name, part in told.items()) + "}"
    if hasattr(told, "_asdict"):
        return "(" + ", ".join(f"{name} {text(part)}" for name, part in told._asdict().items()) + ")"
    if isinstance(told, frozenset):
        return "{" + ", ".join(sorted(map(text, told))) + "}"
    if isinstance(told, list | tuple):
        return "[" + ", ".join(map(text, told)) + "]"
    return str(told)
