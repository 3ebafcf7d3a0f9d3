"""Cells: the scalars of a state, in the order of the variables, and the way between them and plain values.

flag, number, enumeration   one cell
reference                   one cell: the position; none is the number of members of the root set
record, array               the cells of the parts
set                         a flag for each member
sequence                    the length, then the cells of each place, all zero from the length on
message bag                 for each place a flag (taken?) and the message; sorted as `types.sort_key` says,
                            the empty places (all zero) last
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language.model import Instance
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
)


@dataclass(frozen=True)
class Cell:
    """One scalar of the state.

    Attributes:
        name: as `replica[datanode1].stamp`.
        kind: "flag", "label" (enumeration or reference: cannot leave its range), or "number".
        low, high: smallest and largest value in a state of this configuration. A step that takes a number above
            `high` is cut off where `limit` names a limit, otherwise it is an error; below `low` it is an error.
        variable: name of the variable that the cell belongs to.
        in_place: it is in a place of a sequence or bag; while that is free it is 0, for any range.
    """

    name: str
    kind: str
    low: int
    high: int
    limit: str | None
    variable: str
    in_place: bool = False


def cells(instance: Instance) -> list[Cell]:
    """All cells of a state."""
    return [cell for v in instance.model.variables for cell in _cells(instance, v.type, v.name, v.name)]


def _cells(instance: Instance, type_: Type, name: str, variable: str) -> Iterator[Cell]:
    sizes = instance.sizes
    match type_:
        case BoolType():
            yield Cell(name, "flag", 0, 1, None, variable)
        case NumberType(low=low, high=high, limit=limit):
            top = instance.limits[limit] if limit is not None else high
            assert low is not None and top is not None, f"{name} is a declared number"
            yield Cell(name, "number", low, top, limit, variable)
        case EnumType(labels=labels):
            yield Cell(name, "label", 0, len(labels) - 1, None, variable)
        case RefType(index=index, optional=optional):
            yield Cell(name, "label", 0, nobody(instance, index) if optional else sizes.of(index) - 1, None, variable)
        case RecordType(fields=fields):
            for field, kind in fields:
                yield from _cells(instance, kind, f"{name}.{field}", variable)
        case ArrayType(index=index, element=element):
            for i in range(sizes.of(index)):
                yield from _cells(instance, element, f"{name}[{sizes.member_name(index, i)}]", variable)
        case SetType(index=index):
            for i in range(sizes.of(index)):
                yield Cell(f"{name}[{sizes.member_name(index, i)}]", "flag", 0, 1, None, variable)
        case SequenceType(element=element, limit=limit):
            yield Cell(f"{name}.length", "number", 0, places(instance, type_), limit, variable)
            for i in range(places(instance, type_)):
                yield from _in_place(_cells(instance, element, f"{name}[{i}]", variable))
        case BagType(message=message):
            for i in range(places(instance, type_)):
                yield Cell(f"{name}[{i}].present", "flag", 0, 1, None, variable)
                yield from _in_place(_cells(instance, message, f"{name}[{i}]", variable))


def _in_place(found: Iterator[Cell]) -> Iterator[Cell]:
    return (replace(cell, in_place=True) for cell in found)


def nobody(instance: Instance, index: IndexSet) -> int:
    """The cell value of "no member": the number of members of the root set, so that subsets agree."""
    root = next((other for other in instance.model.index_sets if other.name == index.root), index)
    return instance.sizes.of(root)


def places(instance: Instance, type_: SequenceType | BagType) -> int:
    """How many elements or messages a state of this configuration holds at most."""
    if isinstance(type_, SequenceType) and type_.capacity is not None:
        return type_.capacity
    assert type_.limit is not None
    return instance.limits[type_.limit]


def initial_cells(instance: Instance) -> list[int]:
    """Cell values of the initial state."""
    return to_cells(instance, Evaluator(instance).initial())


def to_cells(instance: Instance, state: State) -> list[int]:
    """The cell values of a plain state.

    Raises:
        ValueError: the state has more elements or messages than this configuration has places.
    """
    found: list[int] = []
    for variable, value in zip(instance.model.variables, state, strict=True):
        _flatten(instance, variable.type, value, found)
    return found


def _flatten(instance: Instance, type_: Type, value: Any, out: list[int]) -> None:
    match type_:
        case RefType(index=index):
            out.append(nobody(instance, index) if value is None else value)
        case RecordType(fields=fields):
            for part, (_, kind) in zip(value, fields, strict=True):
                _flatten(instance, kind, part, out)
        case ArrayType(element=element):
            for part in value:
                _flatten(instance, element, part, out)
        case SetType(index=index):
            out.extend(int(i in value) for i in range(instance.sizes.of(index)))
        case SequenceType(element=element):
            out.append(len(value))
            for i in range(_room(instance, type_, value)):
                _flatten_place(instance, element, value[i : i + 1], out)
        case BagType(message=message):
            for i in range(_room(instance, type_, value)):
                out.append(int(i < len(value)))
                _flatten_place(instance, message, value[i : i + 1], out)
        case _:
            out.append(int(value))


def _room(instance: Instance, type_: SequenceType | BagType, value: Sequence[Value]) -> int:
    room = places(instance, type_)
    if len(value) > room:
        raise ValueError(f"{len(value)} elements exceed the capacity of {room} in this configuration")
    return room


def _flatten_place(instance: Instance, kind: Type, value: Sequence[Value], out: list[int]) -> None:
    if value:
        _flatten(instance, kind, value[0], out)
    else:
        out.extend(0 for _ in _cells(instance, kind, "", ""))


def from_cells(instance: Instance, values: Sequence[int]) -> State:
    """The plain state of cell values."""
    source = iter(values)
    return tuple(_gather(instance, variable.type, source) for variable in instance.model.variables)


def _gather(instance: Instance, type_: Type, source: Iterator[int]) -> Value:
    match type_:
        case BoolType():
            return bool(next(source))
        case RefType(index=index):
            value = next(source)
            return None if value == nobody(instance, index) else value
        case RecordType(fields=fields):
            return tuple(_gather(instance, kind, source) for _, kind in fields)
        case ArrayType(index=index, element=element):
            return tuple(_gather(instance, element, source) for _ in range(instance.sizes.of(index)))
        case SetType(index=index):
            return frozenset([i for i in range(instance.sizes.of(index)) if next(source)])
        case SequenceType(element=element):
            length = next(source)
            return tuple([_gather(instance, element, source) for _ in range(places(instance, type_))][:length])
        case BagType(message=message):
            slots = [(next(source), _gather(instance, message, source)) for _ in range(places(instance, type_))]
            return tuple(part for present, part in slots if present)
        case _:
            return next(source)
