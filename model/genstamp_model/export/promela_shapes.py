"""The representation of a model's values in Promela: types, declarations, and the text of a place.

flag                        bool
number                      as few bits as its range in this configuration needs
enumeration, lifecycle      the label's position, as `#define`d names
reference                   the member's position; none is the number of members of the root set
set                         a bit for each member
record                      a typedef
array over an index set     an array; the inner one of two is wrapped in a typedef with the field `at`
sequence, message bag       a typedef of `size` and `at`; what lies past the size is 0, a bag is sorted

So a value has exactly one representation, and Spin's states are the model's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from genstamp_model.errors import ConfigurationError
from genstamp_model.expand.cells import nobody, places
from genstamp_model.export.promela_names import Names
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
    zero,
)

# Spin computes with 32 bits and a sign.
_LARGEST = 2**31 - 1
_MOST_MEMBERS = 31


@dataclass(frozen=True)
class Field:
    """A step of a path: a field of a record, by position."""

    position: int


@dataclass(frozen=True)
class At:
    """A step of a path: an element of an array over an index set."""

    text: str


@dataclass(frozen=True)
class Place:
    """A step of a path: a place of a sequence or bag; a number where it is known."""

    where: str | int


@dataclass(frozen=True)
class Size:
    """The last step of a path: how many elements a sequence or bag has."""


Path: TypeAlias = tuple[Field | At | Place | Size, ...]


def is_scalar(type_: Type) -> bool:
    """Whether one Promela variable keeps a value of the type."""
    return not isinstance(type_, RecordType | ArrayType | SequenceType | BagType)


class UnlikeElementsError(Exception):
    """Structured elements of an array begin differently, which Promela cannot declare."""


class Shapes:
    """Types and constants of one instance."""

    def __init__(self, instance: Instance, names: Names) -> None:
        self.instance = instance
        self.names = names
        self.typedefs: list[str] = []
        self.defines: list[str] = []
        self._typedef_names: dict[Any, str] = {}
        self._constants: dict[tuple[str, Any], str] = {}
        self._field_names: dict[str, str] = {}
        model = instance.model
        self.variables = {variable.name: names.unique(variable.name) for variable in model.variables}
        for variable in model.variables:
            for label in _labels(variable.type):
                self._field_names[label] = names.word(label)
        for index in model.index_sets:
            self.members(index)
        for variable in model.variables:
            for kind in _enumerations(variable.type):
                for value in range(len(kind.labels)):
                    self.constant(kind, value)

    # Constants.

    def members(self, index: IndexSet) -> list[str]:
        """Names of the members of an index set, by position."""
        sizes = self.instance.sizes
        if sizes.of(index) > _MOST_MEMBERS:
            raise ConfigurationError(
                f"the Promela export keeps a set in one number of {_MOST_MEMBERS} bits; {index.name} has "
                f"{sizes.of(index)} members"
            )
        return [self._define(index.base, i, sizes.member_name(index, i)) for i in range(sizes.of(index))]

    def _define(self, owner: str, value: int, wanted: str) -> str:
        key = (owner, value)
        if key not in self._constants:
            self._constants[key] = self.names.unique(wanted)
            self.defines.append(f"#define {self._constants[key]} {value}")
        return self._constants[key]

    def none(self, index: IndexSet) -> str:
        """Name of no member."""
        root = index.root or index.name
        return self._define(f"no {root}", nobody(self.instance, index), f"NO_{root}")

    def constant(self, type_: Type, value: Value) -> str:
        """A scalar constant."""
        match type_:
            case BoolType():
                return "true" if value else "false"
            case EnumType(name=name, labels=labels):
                assert isinstance(value, int)
                return self._define(f"enumeration {name} {labels}", value, f"{name}_{labels[value]}")
            case RefType(index=index):
                if value is None:
                    return self.none(index)
                assert isinstance(value, int)
                return self.members(index)[value]
            case SetType():
                assert isinstance(value, frozenset)
                return str(sum(1 << member for member in value))
            case _:
                assert isinstance(value, int)
                return str(value) if value >= 0 else f"({value})"

    def limit(self, name: str) -> str:
        """Name of a limit of the configuration."""
        return self._define(f"limit {name}", self.instance.limits[name], f"LIMIT_{name}")

    def zero(self, type_: Type, path: Path) -> str:
        """The scalar at a path into the zero of a type."""
        value: Any = zero(type_, self.instance.sizes)
        for step in path:
            match step:
                case Field(position):
                    assert isinstance(type_, RecordType)
                    type_, value = type_.fields[position][1], value[position]
                case At():
                    assert isinstance(type_, ArrayType)
                    type_, value = type_.element, value[0]
                case _:
                    return "0"
        return self.constant(type_, value)

    # Places.

    def field(self, label: str) -> str:
        """The name of a record's field; it may be that of a variable or of another record's field."""
        return self._field_names[label]

    def place(self, name: str, type_: Type, path: Path) -> str:
        """The text of the place at a path into a variable."""
        text, wrapped = name, False
        for step in path:
            match step:
                case Field(position):
                    assert isinstance(type_, RecordType)
                    label, type_ = type_.fields[position]
                    text, wrapped = f"{text}.{self.field(label)}", False
                case At(index):
                    assert isinstance(type_, ArrayType)
                    type_ = type_.element
                    text, wrapped = f"{text}{'.at' if wrapped else ''}[{index}]", True
                case Place(where):
                    assert isinstance(type_, SequenceType | BagType)
                    type_ = type_.element if isinstance(type_, SequenceType) else type_.message
                    text, wrapped = f"{text}.at[{where}]", True
                case Size():
                    text = f"{text}.size"
        return text

    def scalars(self, type_: Type) -> Iterator[tuple[Path, Type]]:
        """The path to each scalar of a value, and its type."""
        match type_:
            case RecordType(fields=fields):
                for i, (_, kind) in enumerate(fields):
                    yield from (((Field(i), *path), leaf) for path, leaf in self.scalars(kind))
            case ArrayType(index=index, element=element):
                for member in self.members(index):
                    yield from (((At(member), *path), leaf) for path, leaf in self.scalars(element))
            case SequenceType() | BagType():
                yield (Size(),), NumberType(0, self.room(type_))
                element = type_.element if isinstance(type_, SequenceType) else type_.message
                for i in range(self.room(type_)):
                    yield from (((Place(i), *path), leaf) for path, leaf in self.scalars(element))
            case _:
                yield (), type_

    def beginning(self, name: str, type_: Type, value: Any) -> Iterator[str]:
        """Assignments that make a variable begin with a value; sequences and bags are empty."""
        for path, leaf, scalar in self._valued(type_, value):
            yield f"{self.place(name, type_, path)} = {self.constant(leaf, scalar)}"

    def _valued(self, type_: Type, value: Any) -> Iterator[tuple[Path, Type, Value]]:
        match type_:
            case RecordType(fields=fields):
                for i, (_, kind) in enumerate(fields):
                    for path, leaf, scalar in self._valued(kind, value[i]):
                        yield (Field(i), *path), leaf, scalar
            case ArrayType(index=index, element=element):
                for i, member in enumerate(self.members(index)):
                    for path, leaf, scalar in self._valued(element, value[i]):
                        yield (At(member), *path), leaf, scalar
            case SequenceType() | BagType():
                pass
            case _:
                yield (), type_, value

    def room(self, type_: SequenceType | BagType) -> int:
        """How many elements a state holds at most."""
        return places(self.instance, type_)

    def span(self, type_: Type) -> tuple[int, int]:
        """Smallest and largest value of a scalar in a state of this configuration."""
        match type_:
            case BoolType():
                return 0, 1
            case EnumType(labels=labels):
                return 0, len(labels) - 1
            case RefType(index=index, optional=optional):
                return 0, nobody(self.instance, index) if optional else self.instance.sizes.of(index) - 1
            case SetType(index=index):
                return 0, (1 << self.instance.sizes.of(index)) - 1
            case NumberType(low=low, high=high, limit=limit):
                top = self.instance.limits[limit] if limit is not None else high
                assert low is not None and top is not None, "a declared number has bounds"
                return low, top
            case _:
                raise AssertionError(f"{type_} is no scalar")

    # Declarations.

    def hidden(self, name: str, type_: Type, initial: Value, hint: str, *, raw: bool = False) -> str:
        """The declaration of a hidden variable; Promela hides no single bits, but records of them."""
        if is_scalar(type_):
            return f"hidden int {name}"
        if isinstance(type_, ArrayType) and isinstance(type_.element, BoolType):
            return f"hidden byte {name}[{self.instance.sizes.of(type_.index)}]"
        return f"hidden {self.declaration(name, type_, initial, hint=hint, raw=raw)}"

    def declaration(
        self, name: str, type_: Type, initial: Value, *, spare: int = 0, raw: bool = False, hint: str | None = None
    ) -> str:
        """The declaration of a variable.

        Args:
            name: of the variable.
            hint: what a typedef is named after, if it needs one and is no record; the name by default.
            type_: of the variable.
            initial: its value at the beginning.
            spare: so many places more than a state needs, for a sequence or bag.
            raw: every scalar is 0 at the beginning, regardless of `initial`.
        """
        if is_scalar(type_):
            return self._scalar(name, type_, "0" if raw else self.constant(type_, initial))
        hint = hint or name
        if isinstance(type_, ArrayType):
            if is_scalar(type_.element):
                start = "" if raw else f" = {self._elements(type_.element, initial)}"
                return f"{self._cell(type_.element)} {name}[{self.instance.sizes.of(type_.index)}]{start}"
            wrapped = self._typedef(hint, type_.element, None if raw else self._first(initial), 0, raw)
            return f"{wrapped} {name}[{self.instance.sizes.of(type_.index)}]"
        return f"{self._typedef(hint, type_, initial, spare, raw)} {name}"

    def _elements(self, type_: Type, elements: Value) -> str:
        """What the scalars of an array are at the beginning."""
        assert isinstance(elements, tuple)
        shown = [self.constant(type_, element) for element in elements]
        return shown[0] if len(set(shown)) == 1 else "{" + ", ".join(shown) + "}"

    @staticmethod
    def _first(elements: Value) -> Any:
        """The one value that all structured elements of an array have at the beginning."""
        assert isinstance(elements, tuple)
        if len(set(elements)) > 1:
            raise UnlikeElementsError
        return elements[0]

    def _scalar(self, name: str, type_: Type, initial: str) -> str:
        low, high = self.span(type_)
        bits = high.bit_length()
        if isinstance(type_, BoolType):
            return f"bool {name} = {initial.replace('0', 'false')}"
        if low < 0 or bits > 16:
            return f"{self._cell(type_)} {name} = {initial}"
        return f"unsigned {name} : {max(1, bits)} = {initial}"

    def _cell(self, type_: Type) -> str:
        """The Promela type of a scalar in an array, which cannot have single bits."""
        low, high = self.span(type_)
        if high > _LARGEST or low < -_LARGEST:
            raise ConfigurationError(
                f"the Promela export needs numbers of at most 31 bits; one ranges over {low}..{high}"
            )
        if isinstance(type_, BoolType):
            return "bool"
        if low >= 0 and high <= 255:
            return "byte"
        return "short" if low >= -(2**15) and high < 2**15 else "int"

    def _typedef(self, hint: str, type_: Type, initial: Value, spare: int, raw: bool) -> str:
        """Name of the typedef of a structured value that begins in a certain way."""
        key = (type_, "raw" if raw else repr(initial), spare)
        if key in self._typedef_names:
            return self._typedef_names[key]
        fields = "; ".join(self._fields(hint, type_, initial, spare, raw))
        wanted = type_.name if isinstance(type_, RecordType) else f"{hint}_{_KINDS[type(type_)]}"
        name = self.names.unique(wanted)
        self._typedef_names[key] = name
        self.typedefs.append(f"typedef {name} {{ {fields} }}")
        return name

    def _fields(self, hint: str, type_: Type, initial: Value, spare: int, raw: bool) -> Iterator[str]:
        match type_:
            case RecordType(fields=fields):
                for i, (label, kind) in enumerate(fields):
                    start: Any = None if raw else initial[i]  # type: ignore[index]
                    yield self.declaration(self.field(label), kind, start, raw=raw)
            case ArrayType():
                yield self.declaration("at", type_, initial, raw=raw, hint=hint)
            case SequenceType() | BagType():
                assert not initial, f"the language lets sequences and bags begin empty: {initial}"
                element = type_.element if isinstance(type_, SequenceType) else type_.message
                room = self.room(type_) + spare
                yield f"unsigned size : {max(1, room.bit_length())}"
                # Promela has no empty arrays: where there is no room, one place stays unused.
                if is_scalar(element):
                    yield f"{self._cell(element)} at[{max(1, room)}]"
                else:
                    yield f"{self._typedef(hint, element, None, 0, True)} at[{max(1, room)}]"
            case _:
                raise AssertionError(f"{type_} is no structure")


def _labels(type_: Type) -> Iterator[str]:
    """Labels of all fields within a type."""
    match type_:
        case RecordType(fields=fields):
            for label, kind in fields:
                yield label
                yield from _labels(kind)
        case ArrayType(element=element) | SequenceType(element=element) | BagType(message=element):
            yield from _labels(element)


def _enumerations(type_: Type) -> Iterator[EnumType]:
    """All enumerations within a type."""
    match type_:
        case EnumType():
            yield type_
        case RecordType(fields=fields):
            for _, kind in fields:
                yield from _enumerations(kind)
        case ArrayType(element=element) | SequenceType(element=element) | BagType(message=element):
            yield from _enumerations(element)


_KINDS = {ArrayType: "row", SequenceType: "sequence", BagType: "bag"}
