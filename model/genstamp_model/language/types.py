"""Types of the intermediate representation, and the plain Python values that inhabit them.

A state of a model is built from these values (`evaluate` computes with nothing else):

    flag                        bool
    number, ordered number      int, unbounded
    enumeration, lifecycle      int, position of the label
    reference                   int, position in the index set; None for "none"
    record                      tuple of the fields' values
    array over an index set     tuple, one element a member
    set over an index set       frozenset of positions
    sequence                    tuple
    message bag                 tuple of records, sorted by `sort_key`

Sizes of index sets are not part of a type: they are in configurations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias


class Nobody:
    """How an author writes the value of an optional reference that refers to no member: the constant `none`."""

    def __repr__(self) -> str:
        return "none"


Value: TypeAlias = bool | int | frozenset[int] | tuple["Value", ...] | None


@dataclass(frozen=True)
class IndexSet:
    """An index set by name: unnamed members first, then the named ones.

    A subset (of its `root`) shares the positions of its root but has only the unnamed members. `base` is the name under
    which configurations size the unnamed members and reports count them: `Client` for holders and for clients.
    `origin` is where the set is declared, so that sets of two specifications are never taken for one another.
    `ordered` sets have a first and a last member and neighbours; only expressions that ask for these depend on it.
    A set of `only_named` members has no size in configurations.
    """

    name: str
    named: tuple[str, ...] = ()
    symmetric: bool = False
    root: str | None = None
    unnamed: str | None = None
    origin: str = field(default="", repr=False)
    ordered: bool = field(default=False, repr=False)
    only_named: bool = field(default=False, repr=False)

    @property
    def base(self) -> str:
        """Name of the unnamed members."""
        return self.unnamed or self.name


@dataclass(frozen=True)
class BoolType:
    """A flag."""


@dataclass(frozen=True)
class NumberType:
    """A number from `low` upwards.

    With `high` it is hard bounded: to leave the range is an error. With `limit` it is unbounded in the protocol and
    a configuration says where a finite search cuts it off. `ordered` numbers are only compared and raised.
    """

    low: int | None = None
    high: int | None = None
    limit: str | None = None
    ordered: bool = False


@dataclass(frozen=True)
class EnumType:
    """One of some labels. `lifecycle` carries the transitions as (source, event, target) labels."""

    name: str
    labels: tuple[str, ...]
    lifecycle: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class RefType:
    """A member of an index set, or none where `optional`."""

    index: IndexSet
    optional: bool = False


@dataclass(frozen=True)
class RecordType:
    """Named fields."""

    name: str
    fields: tuple[tuple[str, Type], ...]

    def position(self, field: str) -> int:
        """Position of a field by name."""
        return [name for name, _ in self.fields].index(field)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Kept, as every node of a record asks for it, and its fields' types are hashed for it."""
        return hash((self.name, self.fields))


@dataclass(frozen=True)
class ArrayType:
    """One element for each member of an index set."""

    index: IndexSet
    element: Type


@dataclass(frozen=True)
class SetType:
    """A subset of an index set."""

    index: IndexSet


@dataclass(frozen=True)
class SequenceType:
    """A sequence; `capacity` is a hard bound (more is an error), `limit` a configured cut-off."""

    element: Type
    capacity: int | None = None
    limit: str | None = None


@dataclass(frozen=True)
class BagType:
    """A multiset of messages whose number a configuration limits; a set if they are `distinct`."""

    message: RecordType
    limit: str
    distinct: bool = field(default=False, repr=False)


Type: TypeAlias = BoolType | NumberType | EnumType | RefType | RecordType | ArrayType | SetType | SequenceType | BagType

BOOL = BoolType()
INTEGER = NumberType()


class Sizes:
    """How many members each index set has in one configuration."""

    def __init__(self, unnamed: Mapping[str, int]) -> None:
        self._unnamed = dict(unnamed)

    def __contains__(self, index: IndexSet) -> bool:
        return index.only_named or index.base in self._unnamed

    def of(self, index: IndexSet) -> int:
        """Number of members of an index set, named ones included where it has them."""
        return self._unnamed_of(index) + len(index.named)

    def member_name(self, index: IndexSet, position: int) -> str:
        """Name of a member as reports show it: `datanode1`, or the name of a named member."""
        unnamed = self._unnamed_of(index)
        if position < unnamed:
            return f"{index.base.lower()}{position + 1}"
        return index.named[position - unnamed]

    def _unnamed_of(self, index: IndexSet) -> int:
        return 0 if index.only_named else self._unnamed[index.base]


def zero(type_: Type, sizes: Sizes) -> Value:
    """The value that a read through nothing gives: false, 0, the first label, none, empty.

    Reads are total so that all judges agree without a notion of undefinedness.
    """
    match type_:
        case BoolType():
            return False
        case NumberType(low=low):
            return low or 0
        case EnumType():
            return 0
        case RefType(optional=optional):
            return None if optional else 0
        case RecordType(fields=fields):
            return tuple(zero(field, sizes) for _, field in fields)
        case ArrayType(index=index, element=element):
            return tuple(zero(element, sizes) for _ in range(sizes.of(index)))
        case SetType():
            return frozenset()
        case SequenceType() | BagType():
            return ()


def sort_key(value: Value) -> tuple[object, ...]:
    """A total order of values of one type; message bags are kept sorted by it.

    None (no member) sorts after every member, flags as 0 and 1, records field by field, sets as the row of flags that
    says of each member whether it is in.
    """
    if value is None:
        return (1, 0)
    if isinstance(value, tuple):
        return (0, tuple(sort_key(part) for part in value))
    if isinstance(value, frozenset):
        return (0, sum(1 << (63 - member) for member in value))
    return (0, int(value))


def show(value: Value, type_: Type, sizes: Sizes) -> str:
    """The value as reports show it."""
    match type_:
        case BoolType():
            return "true" if value else "false"
        case NumberType():
            return str(value)
        case EnumType(labels=labels):
            assert isinstance(value, int)
            return labels[value]
        case RefType(index=index):
            return "none" if value is None else sizes.member_name(index, int(value))  # type: ignore[arg-type]
        case RecordType(fields=fields):
            assert isinstance(value, tuple)
            shown = (f"{name} {show(part, field, sizes)}" for (name, field), part in zip(fields, value, strict=True))
            return "(" + ", ".join(shown) + ")"
        case ArrayType(index=index, element=element):
            assert isinstance(value, tuple)
            items = (f"{sizes.member_name(index, i)}: {show(part, element, sizes)}" for i, part in enumerate(value))
            return "{" + ", ".join(items) + "}"
        case SetType(index=index):
            assert isinstance(value, frozenset)
            return "{" + ", ".join(sizes.member_name(index, i) for i in sorted(value)) + "}"
        case SequenceType(element=element) | BagType(message=element):
            assert isinstance(value, tuple)
            return "[" + ", ".join(show(part, element, sizes) for part in value) + "]"


def nested(type_: Type) -> Iterator[Type]:
    """A type and all types inside it, outer ones first."""
    yield type_
    match type_:
        case RecordType(fields=fields):
            for _, part in fields:
                yield from nested(part)
        case ArrayType(element=element) | SequenceType(element=element) | BagType(message=element):
            yield from nested(element)


def has_ordered_number(type_: Type) -> bool:
    """Whether a value of this type holds an ordered number."""
    return any(isinstance(one, NumberType) and one.ordered for one in nested(type_))


def misfit(value: Value, type_: Type, sizes: Sizes, limits: Mapping[str, int]) -> str:
    """Why a plain value cannot be one of a type within the limits, as text; empty if it can."""

    def inner(part: Value, kind: Type) -> str:
        return misfit(part, kind, sizes, limits)

    match type_:
        case BoolType():
            return "" if isinstance(value, bool) else f"{value!r}, which is not a flag,"
        case NumberType(low=low, high=high, limit=limit):
            if type(value) is not int:
                return f"{value!r}, which is not a number,"
            most = high if limit is None else limits.get(limit)
            if (low is not None and value < low) or (limit is None and high is not None and value > high):
                return f"{value}, outside {low}..{high},"
            return f"{value}, above limit {limit}={most}," if most is not None and value > most else ""
        case RefType(index=index, optional=optional):
            if value is None and optional:
                return ""
            known = type(value) is int and 0 <= value < sizes.of(index)
            return "" if known else f"{value!r}, which is no {index.name},"
        case RecordType(fields=fields):
            assert isinstance(value, tuple)
            return next(filter(None, map(inner, value, (kind for _, kind in fields))), "")
        case ArrayType(element=element):
            assert isinstance(value, tuple)
            return next(filter(None, (inner(part, element) for part in value)), "")
        case _:
            return ""


def fits(given: Type, wanted: Type) -> bool:
    """Whether a value of one type may be where the other is expected."""
    match given, wanted:
        case NumberType(), NumberType():
            return True
        case RefType(), RefType():
            return _within(given.index, wanted.index) and (wanted.optional or not given.optional)
        case ArrayType(), ArrayType():
            return given.index == wanted.index and fits(given.element, wanted.element)
        case _:
            return given == wanted


def _within(given: IndexSet, wanted: IndexSet) -> bool:
    """Whether every member of one set is a member of the other."""
    return given.name == wanted.name or given.root == wanted.name


def with_article(name: str) -> str:
    """A name behind `a` or `an`, by how it is said: letter by letter where no small letter follows the first.

    >>> with_article("Event"), with_article("R1"), with_article("UUID"), with_article("Rack")
    ('an Event', 'an R1', 'a UUID', 'a Rack')
    """
    vowels = "AEIOUaeiou" if name[1:2].islower() else "AEFHILMNORSXaeiou"
    return f"{'an' if name[:1] in vowels else 'a'} {name}"


def describe(type_: Type) -> str:
    """A type in an author's words."""
    match type_:
        case BoolType():
            return "a flag"
        case NumberType(ordered=ordered):
            return "an ordered number" if ordered else "a number"
        case EnumType(name=name):
            return f"a state of {name}"
        case RefType(index=index, optional=optional):
            return with_article(index.name) + (" or none" if optional else "")
        case RecordType(name=name):
            return with_article(name)
        case ArrayType(index=index):
            return f"an array over {index.name}"
        case SetType(index=index):
            return f"a set of {index.name}"
        case SequenceType():
            return "a sequence"
        case BagType():
            return "a message bag"
