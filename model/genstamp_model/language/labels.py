"""Labels of enumerations and lifecycles that no step sets: in every state what is one of them is another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from genstamp_model.language.beginning import TooManyError
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Variable
from genstamp_model.language.types import (
    BOOL,
    ArrayType,
    BagType,
    EnumType,
    RecordType,
    SequenceType,
    Sizes,
    Type,
    nested,
)


def name_of(expr: Expr) -> str:
    """A label by its name, as `ReplicaState.RBW`; empty for any other expression."""
    if expr.op is not Op.CONST or not isinstance(expr.type, EnumType):
        return ""
    return _name(expr.type, expr.data)


def never_taken(variables: Iterable[Variable], actions: Iterable[Action], sizes: Sizes) -> frozenset[str]:
    """The labels, by their names, that no variable has initially and no step sets."""
    declared = list(variables)
    known = {
        _name(kind, i)
        for one in declared
        for kind in nested(one.type)
        if isinstance(kind, EnumType)
        for i in range(len(kind.labels))
    }
    first = {name for one in declared for name in _initially(one, sizes)}
    given = {name for action in actions for effect in action.effects for name in _given_in(effect.value)}
    return frozenset(known - first - given)


def _initially(variable: Variable, sizes: Sizes) -> Iterator[str]:
    try:
        values = variable.initials(sizes)
    except TooManyError:
        # Each may be one of them: a label is called never taken only where that is known.
        kinds = (kind for kind in nested(variable.type) if isinstance(kind, EnumType))
        yield from (_name(kind, i) for kind in kinds for i in range(len(kind.labels)))
        return
    for value in values:
        yield from _in_value(value, variable.type)


def _given_in(value: Expr) -> Iterator[str]:
    """The labels that a value can hold: what only a condition in it asks for is none."""
    seen, waiting = set[Expr](), [value]
    while waiting:
        node = waiting.pop()
        if node not in seen and node.type != BOOL:
            seen.add(node)
            waiting.extend(node.args)
            yield name_of(node)


def _name(kind: EnumType, position: int) -> str:
    return f"{kind.name}.{kind.labels[position]}"


def _in_value(value: Any, type_: Type) -> Iterator[str]:
    match type_:
        case EnumType():
            yield _name(type_, value)
        case RecordType(fields=fields):
            for part, (_, kind) in zip(value, fields, strict=True):
                yield from _in_value(part, kind)
        case ArrayType(element=element) | SequenceType(element=element) | BagType(message=element):
            for part in value:
                yield from _in_value(part, element)
