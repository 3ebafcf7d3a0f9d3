"""Values and types of a model in TLA+: constants, the sets that variables range over, and what limits demand.

flag                    BOOLEAN                  record          record
number                  Int                      array           function
enumeration, lifecycle  string                   set             set
reference               model value, or None     sequence        sequence
message bag             function from messages to how many copies there are, as in the module Bags
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Final

from genstamp_model.export.tla_layout import Level, Piece, listed
from genstamp_model.export.tla_names import Names, binder_names
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    Value,
    nested,
)

EMPTY_BAG: Final = "EmptyBag"

Demands = Callable[[str, Type, Names], Iterator[str]]


def literal(value: Value, type_: Type, names: Names) -> Piece:
    """A constant value."""
    match type_:
        case BoolType():
            return Piece("TRUE" if value else "FALSE")
        case NumberType():
            assert isinstance(value, int)
            return Piece(str(value), Level.ATOM if value >= 0 else Level.OPERATOR)
        case EnumType(labels=labels):
            assert isinstance(value, int)
            return Piece(quoted(labels[value]))
        case RefType(index=index):
            assert value is None or isinstance(value, int)
            return Piece(names.none() if value is None else names.member(index, value))
        case SetType(index=index):
            assert isinstance(value, frozenset)
            if value and len(value) == names.sizes.of(index):
                return Piece(names.set(index))
            return Piece("{" + ", ".join(names.member(index, member) for member in sorted(value)) + "}")
    assert isinstance(value, tuple)
    match type_:
        case RecordType(fields=fields):
            parts = zip(names.fields(type_), fields, value, strict=True)
            return listed("[", [(f"{name} |-> ", literal(part, kind, names)) for name, (_, kind), part in parts], "]")
        case ArrayType(index=index, element=element):
            return _function(value, index, element, names)
        case SequenceType(element=element):
            return (
                listed("<<", [("", literal(part, element, names)) for part in value], ">>") if value else Piece("<<>>")
            )
        case BagType():
            assert not value, "a bag is empty initially"
            return Piece(EMPTY_BAG)


def choices(values: Sequence[Value], type_: Type, names: Names) -> Piece:
    """The set of some values; by the sets of their parts where they are all combinations of these."""
    match type_:
        case BoolType() if len(values) == 2:
            return Piece("BOOLEAN")
        case SetType(index=index) if len(values) == 2 ** names.sizes.of(index):
            return Piece(f"SUBSET {names.set(index)}", Level.OPERATOR)
        case RecordType(fields=fields) if (columns := _independent(values)) is not None:
            kinds = zip(names.fields(type_), fields, columns, strict=True)
            inside = [f"{name} : {choices(column, kind, names).inline}" for name, (_, kind), column in kinds]
            return Piece(f"[{', '.join(inside)}]")
        case ArrayType(index=index, element=element):
            columns = _independent(values)
            if columns is not None and len({frozenset(column) for column in columns}) == 1:
                return Piece(f"[{names.set(index)} -> {choices(columns[0], element, names).inline}]")
    return listed("{", [("", literal(value, type_, names)) for value in values], "}")


def _independent(values: Sequence[Value]) -> list[tuple[Value, ...]] | None:
    """What each part of some tuples may be, if they are all combinations of that."""
    rows = [value for value in values if isinstance(value, tuple)]
    columns = [tuple(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    return columns if prod(map(len, columns)) == len(values) else None


def _function(value: tuple[Value, ...], index: IndexSet, element: Type, names: Names) -> Piece:
    with names.binding([("", binder_names(index))]) as [bound]:
        head = f"[{bound} \\in {names.set(index)} |-> "
        if len(set(value)) == 1:
            return listed(head, [("", literal(value[0], element, names))], "]")
        cases = [
            (f"{'CASE' if i == 0 else '[]'} {bound} = {names.member(index, i)} -> ", literal(part, element, names))
            for i, part in enumerate(value)
        ]
        inline = head + " ".join(label + part.inline for label, part in cases) + "]"
        return Piece(inline)


def quoted(text: str) -> str:
    """A string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def type_set(type_: Type, names: Names) -> Piece:
    """The set of a type's values; numbers within their hard range."""
    match type_:
        case BoolType():
            return Piece("BOOLEAN")
        case NumberType(low=low, high=high):
            return _numbers(low, high)
        case EnumType():
            return Piece(names.type(type_))
        case RecordType():
            return Piece(names.type(type_))
        case RefType(index=index, optional=optional):
            members = names.set(index)
            return Piece(f"{members} \\cup {{{names.none()}}}", Level.OPERATOR) if optional else Piece(members)
        case SetType(index=index):
            return Piece(f"SUBSET {names.set(index)}", Level.OPERATOR)
        case ArrayType(index=index, element=element):
            return Piece(f"[{names.set(index)} -> {type_set(element, names).inline}]")
        case SequenceType(element=element):
            return Piece(f"Seq({type_set(element, names).inline})")
        case BagType():
            raise AssertionError("the set of all bags is not needed")


def named_types(type_: Type) -> Iterator[EnumType | RecordType]:
    """The enumerations and records that are in the set of a type's values."""
    match type_:
        case EnumType() | RecordType():
            yield type_
        case ArrayType(element=element) | SequenceType(element=element):
            yield from named_types(element)


def _numbers(low: int | None, high: int | None) -> Piece:
    if low is None:
        return Piece("Int")
    if high is not None:
        return Piece(f"{low}..{high}", Level.OPERATOR)
    return Piece("Nat") if low == 0 else Piece(f"{{n \\in Int : n >= {low}}}")


def ranges(place: str, type_: Type, names: Names) -> Iterator[str]:
    """What must hold of a variable: it is of its type, with numbers in their range and sequences within capacity."""
    match type_:
        case BagType(message=message):
            yield f"IsABag({place})"
            yield f"BagToSet({place}) \\subseteq {names.type(message)}"
        case ArrayType(index=index, element=element) if _has_bag(element):
            yield from _within(names.set(index), binder_names(index), place, element, names, ranges)
        case RecordType(fields=fields) if _has_bag(type_):
            for name, (_, kind) in zip(names.fields(type_), fields, strict=True):
                yield from ranges(f"{place}.{name}", kind, names)
        case _:
            yield f"{place} \\in {type_set(type_, names).inline}"
            yield from _sequences(place, type_, names)


def _has_bag(type_: Type) -> bool:
    return any(isinstance(one, BagType) for one in nested(type_))


def _sequences(place: str, type_: Type, names: Names) -> Iterator[str]:
    """Capacities of the sequences inside a value."""
    match type_:
        case SequenceType(element=element, capacity=capacity):
            if capacity is not None:
                yield f"Len({place}) <= {capacity}"
            yield from _within(f"DOMAIN {place}", ("i",), place, element, names, _sequences)
        case ArrayType(index=index, element=element):
            yield from _within(names.set(index), binder_names(index), place, element, names, _sequences)
        case RecordType(fields=fields):
            for name, (_, kind) in zip(names.fields(type_), fields, strict=True):
                yield from _sequences(f"{place}.{name}", kind, names)


def limits(place: str, type_: Type, names: Names) -> Iterator[str]:
    """The conditions that the configuration's limits set for a variable."""
    match type_:
        case NumberType(limit=str(name)):
            yield f"{place} <= {names.limits[name]}"
        case ArrayType(index=index, element=element):
            yield from _within(names.set(index), binder_names(index), place, element, names, limits)
        case RecordType(fields=fields):
            for name, (_, kind) in zip(names.fields(type_), fields, strict=True):
                yield from limits(f"{place}.{name}", kind, names)
        case SequenceType(element=element, limit=bound):
            if bound is not None:
                yield f"Len({place}) <= {names.limits[bound]}"
            yield from _within(f"DOMAIN {place}", ("i",), place, element, names, limits)
        case BagType(message=message, limit=bound):
            yield f"BagCardinality({place}) <= {names.limits[bound]}"
            with names.binding([("", ("m",))]) as [m]:
                for demand in limits(m, message, names):
                    yield f"\\A {m} \\in BagToSet({place}) : {demand}"


def _within(
    over: str, candidates: tuple[str, ...], place: str, element: Type, names: Names, demands: Demands
) -> Iterator[str]:
    """The condition on each element of an array or sequence."""
    with names.binding([("", candidates)]) as [bound]:
        found = list(demands(f"{place}[{bound}]", element, names))
    yield from (f"\\A {bound} \\in {over} : {demand}" for demand in found)
