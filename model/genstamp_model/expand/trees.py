"""Trees of scalars: what a structured value becomes, and the operations on them, over any algebra of scalars.

Scalars, references and labels are one scalar; records and arrays tuples of trees; sets tuples of flags; a sequence is
`Items`, a message bag a tuple of `Slot`. Sequences and bags may have more places within a step than in a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from genstamp_model.expand.cells import cells, initial_cells, nobody, places
from genstamp_model.language.model import Instance
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)

S = TypeVar("S")


class Algebra(Protocol[S]):
    """Operations on scalars; flags and integers are both scalars."""

    def constant(self, value: int | bool) -> S:
        """A constant."""

    def not_(self, a: S) -> S:
        """Negation of a flag."""

    def and_(self, parts: Sequence[S]) -> S:
        """All flags; true for none."""

    def or_(self, parts: Sequence[S]) -> S:
        """Any flag; false for none."""

    def eq(self, a: S, b: S) -> S:
        """Equality of two flags or of two integers."""

    def lt(self, a: S, b: S) -> S:
        """Less than."""

    def le(self, a: S, b: S) -> S:
        """Less than or equal."""

    def add(self, a: S, b: S) -> S:
        """Sum."""

    def sub(self, a: S, b: S) -> S:
        """Difference."""

    def mul(self, a: S, b: S) -> S:
        """Product."""

    def div(self, a: S, by: int) -> S:
        """Quotient by a number above 0, rounded down."""

    def mod(self, a: S, by: int) -> S:
        """The remaining elements, from 0."""

    def quotient(self, a: S, by: S) -> S:
        """Quotient of a number from 0 by a number from 1, rounded down."""

    def minimum(self, a: S, b: S) -> S:
        """The smaller."""

    def maximum(self, a: S, b: S) -> S:
        """The larger."""

    def ite(self, condition: S, then: S, otherwise: S) -> S:
        """One of two flags or of two integers."""


Tree: TypeAlias = Any


@dataclass(frozen=True)
class Items:
    """A sequence: its length and its elements, zero from the length on."""

    length: Any
    elements: tuple[Tree, ...]


@dataclass(frozen=True)
class Slot:
    """A place of a message bag: whether it is taken, and the message (all zero where it is not)."""

    present: Any
    message: Tree


class Trees(Generic[S]):
    """Operations on trees of one instance over one algebra."""

    def __init__(self, instance: Instance, algebra: Algebra[S]) -> None:
        self.instance = instance
        self.algebra = algebra

    def read(self, type_: Type, source: Iterator[S]) -> Tree:
        """The tree of a type from its cells in order."""
        match type_:
            case RecordType(fields=fields):
                return tuple(self.read(kind, source) for _, kind in fields)
            case ArrayType(index=index, element=element):
                return tuple(self.read(element, source) for _ in range(self.instance.sizes.of(index)))
            case SetType(index=index):
                return tuple(next(source) for _ in range(self.instance.sizes.of(index)))
            case SequenceType(element=element):
                length = next(source)
                return Items(length, tuple(self.read(element, source) for _ in range(places(self.instance, type_))))
            case BagType(message=message):
                room = places(self.instance, type_)
                return tuple(Slot(next(source), self.read(message, source)) for _ in range(room))
            case _:
                return next(source)

    def write(self, type_: Type, tree: Tree, out: list[S], overflow: list[tuple[str, S]]) -> None:
        """The cells of a tree; bags with more messages than places are noted in `overflow` by limit."""
        match type_:
            case RecordType(fields=fields):
                for part, (_, kind) in zip(tree, fields, strict=True):
                    self.write(kind, part, out, overflow)
            case ArrayType(element=element):
                for part in tree:
                    self.write(element, part, out, overflow)
            case SetType():
                out.extend(tree)
            case SequenceType(element=element):
                out.append(tree.length)
                for part in self._filled(tree.elements, places(self.instance, type_), self.zero(element)):
                    self.write(element, part, out, overflow)
            case BagType(message=message, limit=limit):
                room = places(self.instance, type_)
                for slot in self._filled(tree, room, self.free_slot(type_)):
                    out.append(slot.present)
                    self.write(message, slot.message, out, overflow)
                overflow.extend((limit, slot.present) for slot in tree[room:])
            case _:
                out.append(tree)

    def taken(self, type_: Type, tree: Tree, here: S) -> Iterator[S]:
        """For each cell of a tree whether its place is taken; `here` says so of the tree itself."""
        a = self.algebra
        match type_:
            case RecordType(fields=fields):
                for part, (_, kind) in zip(tree, fields, strict=True):
                    yield from self.taken(kind, part, here)
            case ArrayType(element=element):
                for part in tree:
                    yield from self.taken(element, part, here)
            case SetType():
                yield from [here] * len(tree)
            case SequenceType(element=element):
                yield here
                elements = self._filled(tree.elements, places(self.instance, type_), self.zero(element))
                for i, part in enumerate(elements):
                    yield from self.taken(element, part, a.lt(a.constant(i), tree.length))
            case BagType(message=message):
                for slot in self._filled(tree, places(self.instance, type_), self.free_slot(type_)):
                    yield here
                    yield from self.taken(message, slot.message, slot.present)
            case _:
                yield here

    @staticmethod
    def _filled(trees: tuple[Tree, ...], room: int, filler: Tree) -> tuple[Tree, ...]:
        return (*trees[:room], *[filler] * (room - len(trees)))

    @cached_property
    def initial(self) -> dict[str, Tree]:
        """The variables of the initial state."""
        kinds = zip(cells(self.instance), initial_cells(self.instance), strict=True)
        source = iter([self.algebra.constant(bool(value) if cell.kind == "flag" else value) for cell, value in kinds])
        return {variable.name: self.read(variable.type, source) for variable in self.instance.model.variables}

    def constant(self, type_: Type, value: Any) -> Tree:
        """The tree of a constant: a scalar, a reference, or an empty set, sequence or bag."""
        match type_:
            case RefType(index=index):
                return self.algebra.constant(nobody(self.instance, index) if value is None else value)
            case SetType(index=index):
                return tuple(self.algebra.constant(i in value) for i in range(self.instance.sizes.of(index)))
            case SequenceType() | BagType():
                assert not value
                return self.default(type_)
            case _:
                return self.algebra.constant(value)

    def zero(self, type_: Type) -> Tree:
        """The values of unused places: every scalar 0."""
        match type_:
            case BoolType():
                return self.algebra.constant(False)
            case RecordType(fields=fields):
                return tuple(self.zero(kind) for _, kind in fields)
            case ArrayType(index=index, element=element):
                return tuple(self.zero(element) for _ in range(self.instance.sizes.of(index)))
            case SetType(index=index):
                return tuple(self.algebra.constant(False) for _ in range(self.instance.sizes.of(index)))
            case SequenceType() | BagType():
                return self.default(type_)
            case _:
                return self.algebra.constant(0)

    def default(self, type_: Type) -> Tree:
        """What a read through nothing gives, as `types.zero`."""
        match type_:
            case RefType(index=index, optional=True):
                return self.algebra.constant(nobody(self.instance, index))
            case NumberType(low=low):
                return self.algebra.constant(low or 0)
            case RecordType(fields=fields):
                return tuple(self.default(kind) for _, kind in fields)
            case ArrayType(index=index, element=element):
                return tuple(self.default(element) for _ in range(self.instance.sizes.of(index)))
            case SequenceType(element=element):
                return Items(self.algebra.constant(0), (self.zero(element),) * places(self.instance, type_))
            case BagType():
                return (self.free_slot(type_),) * places(self.instance, type_)
            case _:
                return self.zero(type_)

    def free_slot(self, type_: BagType) -> Slot:
        """A place of a bag that is not taken."""
        return Slot(self.algebra.constant(False), self.zero(type_.message))

    def choose(self, type_: Type, condition: S, then: Tree, otherwise: Tree) -> Tree:
        """One of two trees of one type."""
        if then is otherwise:
            return then
        a = self.algebra
        match type_:
            case RecordType() | ArrayType() | SetType():
                parts = self._parts(type_, then, otherwise)
                return tuple(self.choose(kind, condition, x, y) for kind, x, y in parts)
            case SequenceType(element=element):
                parts = self._elements(element, then, otherwise)
                elements = tuple(self.choose(kind, condition, x, y) for kind, x, y in parts)
                return Items(a.ite(condition, then.length, otherwise.length), elements)
            case BagType(message=message):
                return tuple(
                    Slot(a.ite(condition, x.present, y.present), self.choose(message, condition, x.message, y.message))
                    for x, y in self._slots(type_, then, otherwise)
                )
            case _:
                return a.ite(condition, then, otherwise)

    def equal(self, type_: Type, left: Tree, right: Tree) -> S:
        """Whether two trees of one type are the same value."""
        a = self.algebra
        match type_:
            case RecordType() | ArrayType() | SetType():
                return a.and_([self.equal(kind, x, y) for kind, x, y in self._parts(type_, left, right)])
            case SequenceType(element=element):
                parts = [self.equal(kind, x, y) for kind, x, y in self._elements(element, left, right)]
                return a.and_([a.eq(left.length, right.length), *parts])
            case BagType(message=message):
                pairs = self._slots(type_, left, right)
                same = [(a.eq(x.present, y.present), self.equal(message, x.message, y.message)) for x, y in pairs]
                return a.and_([flag for pair in same for flag in pair])
            case _:
                return a.eq(left, right)

    def before(self, type_: Type, left: Tree, right: Tree) -> S:
        """Whether a message sorts before another: scalar by scalar, flags as 0 and 1; as `types.sort_key`."""
        a = self.algebra
        result = a.constant(False)
        pairs = list(zip(self._scalars(type_, left), self._scalars(type_, right), strict=True))
        for (is_flag, x), (_, y) in reversed(pairs):
            less = a.and_([a.not_(x), y]) if is_flag else a.lt(x, y)
            result = a.or_([less, a.and_([a.eq(x, y), result])])
        return result

    def _scalars(self, type_: Type, tree: Tree) -> Iterator[tuple[bool, S]]:
        match type_:
            case RecordType() | ArrayType() | SetType():
                for kind, part, _ in self._parts(type_, tree, tree):
                    yield from self._scalars(kind, part)
            case _:
                yield isinstance(type_, BoolType), tree

    def _parts(
        self, type_: RecordType | ArrayType | SetType, left: Tree, right: Tree
    ) -> Iterator[tuple[Type, Tree, Tree]]:
        match type_:
            case RecordType(fields=fields):
                kinds: Sequence[Type] = [kind for _, kind in fields]
            case ArrayType(element=element):
                kinds = [element] * len(left)
            case _:
                kinds = [BoolType()] * len(left)
        return iter(zip(kinds, left, right, strict=True))

    def _elements(self, element: Type, left: Items, right: Items) -> Iterator[tuple[Type, Tree, Tree]]:
        room = max(len(left.elements), len(right.elements))
        zero = self.zero(element)
        padded = (self._filled(items.elements, room, zero) for items in (left, right))
        return ((element, x, y) for x, y in zip(*padded, strict=True))

    def _slots(self, type_: BagType, left: tuple[Slot, ...], right: tuple[Slot, ...]) -> Iterator[tuple[Slot, Slot]]:
        room = max(len(left), len(right))
        free = self.free_slot(type_)
        return iter(zip(self._filled(left, room, free), self._filled(right, room, free), strict=True))

    def select(self, type_: Type, trees: tuple[Tree, ...], position: S) -> Tree:
        """The tree at a position; the default of the type outside."""
        result = self.default(type_)
        for i in reversed(range(len(trees))):
            result = self.choose(type_, self.algebra.eq(position, self.algebra.constant(i)), trees[i], result)
        return result

    def count(self, flags: Sequence[S]) -> S:
        """How many flags are set."""
        a = self.algebra
        total = a.constant(0)
        for flag in flags:
            total = a.add(total, a.ite(flag, a.constant(1), a.constant(0)))
        return total

    def append(self, type_: SequenceType, items: Items, element: Tree) -> Items:
        """The sequence with an element at its end, and a place more."""
        a = self.algebra
        old = (*items.elements, self.zero(type_.element))
        here = [a.eq(items.length, a.constant(i)) for i in range(len(old))]
        elements = (self.choose(type_.element, at, element, x) for at, x in zip(here, old, strict=True))
        return Items(a.add(items.length, a.constant(1)), tuple(elements))

    def drop_first(self, type_: SequenceType, items: Items) -> Items:
        """The sequence without its first element; the empty one stays."""
        a = self.algebra
        length = a.maximum(a.sub(items.length, a.constant(1)), a.constant(0))
        return Items(length, (*items.elements[1:], self.zero(type_.element)) if items.elements else ())

    def without(self, type_: SequenceType, items: Items, position: S) -> Items:
        """The sequence without the element at a position; the same where it has none there."""
        a = self.algebra
        there = a.and_([a.le(a.constant(0), position), a.lt(position, items.length)])
        gone = [a.and_([there, a.le(position, a.constant(i))]) for i in range(len(items.elements))]
        beside = (*items.elements[1:], self.zero(type_.element))
        pairs = zip(gone, beside, items.elements, strict=False)
        elements = tuple(self.choose(type_.element, at, later, here) for at, later, here in pairs)
        return Items(a.ite(there, a.sub(items.length, a.constant(1)), items.length), elements)

    def send(self, type_: BagType, slots: tuple[Slot, ...], message: Tree) -> tuple[Slot, ...]:
        """The bag with a message more, still sorted, and a place more."""
        a, kind = self.algebra, type_.message
        free = self.free_slot(type_)
        pending, previous, result = a.constant(True), free, []
        for slot in (*slots, free):
            here = a.and_([pending, a.or_([a.not_(slot.present), self.before(kind, message, slot.message)])])
            present = a.or_([here, a.ite(pending, slot.present, previous.present)])
            kept = self.choose(kind, pending, slot.message, previous.message)
            result.append(Slot(present, self.choose(kind, here, message, kept)))
            pending, previous = a.and_([pending, a.not_(here)]), slot
        return tuple(result)

    def take(self, type_: BagType, slots: tuple[Slot, ...], message: Tree) -> tuple[Slot, ...]:
        """The bag with one copy of a message less, if it has one."""
        a, kind = self.algebra, type_.message
        found, result = a.constant(False), []
        for slot, following in zip(slots, [*slots, self.free_slot(type_)][1:], strict=True):
            found = a.or_([found, a.and_([slot.present, self.equal(kind, slot.message, message)])])
            present = a.ite(found, following.present, slot.present)
            result.append(Slot(present, self.choose(kind, found, following.message, slot.message)))
        return tuple(result)

    def holds(self, type_: BagType, slots: tuple[Slot, ...], message: Tree) -> S:
        """Whether the bag has a copy of a message."""
        a = self.algebra
        return a.or_([a.and_([s.present, self.equal(type_.message, s.message, message)]) for s in slots])
