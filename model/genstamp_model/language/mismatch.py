"""Messages about a value that does not have the type that is expected: what was given, and what to write instead."""

from __future__ import annotations

from dataclasses import is_dataclass
from enum import Enum
from types import FunctionType
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.registry import records
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    describe,
    with_article,
)


def without_none(wanted: Type, found: Type) -> str:
    """What to write for a member that may be none where there must be one."""
    match wanted, found:
        case RefType(index=index, optional=False), RefType(index=same, optional=True) if index == same:
            return f"; declare optional({index.name}), or give a parameter such as x: {index.name} and require x == it"
        case _:
            return ""


def shown(value: object) -> str:
    """What an author has given, in an author's words."""
    # Here, as values need these messages themselves.
    from genstamp_model.language.values import Value

    match value:
        case Value():
            return ir.text(value.expr)
        case FunctionType():
            return "a function"
        case _ if isinstance(value, Type):
            return f"the type of {describe(value)}"
        case type():
            return f"the class {value.__name__}"
        case staticmethod() | classmethod() | property():
            return with_article(type(value).__name__)
        case list() if not all(isinstance(one, _PLAIN) for one in value):
            return f"[{', '.join(map(shown, value))}]"
        case tuple() if not all(isinstance(one, _PLAIN) for one in value):
            return f"({', '.join(map(shown, value))})"
        case _ if is_dataclass(value) and isinstance(name := getattr(value, "name", None), str):
            return f"{getattr(value, 'kind', type(value).__name__)} '{name}'"
        case _ if type(value).__repr__ is object.__repr__:
            return with_article(type(value).__name__)
        case _:
            return repr(value)


_PLAIN: Final = bool | int | float | str | None


def apart(one: Type, other: Type) -> tuple[str, str]:
    """Two types in an author's words; where these are the same, with what tells them apart."""
    words = describe(one), describe(other)
    if words[0] != words[1]:
        return words
    match one, other:
        case (ArrayType(index=index, element=first), ArrayType(index=same, element=second)) if index == same:
            parts = apart(first, second)
        case SequenceType(element=first), SequenceType(element=second) if first != second:
            parts = apart(first, second)
        case BagType(message=first), BagType(message=second) if first != second:
            parts = apart(first, second)
        case _:
            return f"{words[0]} {_declared_as(one)}", f"{words[1]} {_declared_as(other)}"
    return f"{words[0]} of {parts[0]}", f"{words[1]} of {parts[1]}"


def _declared_as(type_: Type) -> str:
    """Where a type is declared, or what it is made of where nothing else tells it from one of the same name."""
    match type_:
        case RecordType():
            class_ = records[type_]
            return f"declared as {class_.__module__}.{class_.__qualname__}"
        case RefType(index=index) | ArrayType(index=index) | SetType(index=index):
            return f"declared as {index.origin}"
        case EnumType(labels=labels):
            return f"with {', '.join(labels)}"
        case NumberType(low=low, high=high):
            return f"from {low} to {high}" if high is not None else "without a highest one"
        case SequenceType(capacity=capacity, limit=limit) if capacity is not None or limit:
            return f"with limit='{limit}'" if capacity is None else f"with capacity={capacity}"
        case BagType(limit=limit, distinct=distinct):
            return f"with limit='{limit}'{', distinct=True' * distinct}"
        case _:
            return "of another kind"


def instead_of(value: object, type_: Type) -> str:
    """The text to write for a plain value that does not have the type."""
    match type_, value:
        case RefType(optional=True), None:
            return "; write none"
        case RefType(index=index), _:
            return f"; write a parameter such as x: {index.name}, or quantify over {index.name}"
        case EnumType(name=name, labels=labels, lifecycle=lifecycle), _:
            shown = ", ".join(f"{name}.{label}" for label in labels)
            return f"; write one of {shown}" if not lifecycle else ""
        case BoolType(), int() | Enum() | None:
            return "; write a condition, such as (a == b), in parentheses, as & and | bind before =="
        case SetType(index=index), _:
            return f"; write .clear(), .add(x), or those({index.name}, lambda x: ...)"
        case NumberType(), bool():
            return "; write when(condition, 1, 0)"
        case RecordType(name=name, fields=fields), _:
            return f"; write {name}({', '.join(f'{field}=...' for field, _ in fields)})"
        case _:
            return ""
