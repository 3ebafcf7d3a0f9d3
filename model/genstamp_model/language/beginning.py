"""Choices of where a variable begins: each of its values is that of an initial state.

A choice is written with `any_of` where a variable is declared. Elements of an array and fields of a record choose
independently of each other, and so do variables: the initial states are all combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Final, Protocol, TypeAlias

from genstamp_model.language import ir
from genstamp_model.language.ir import Binder, Expr, Op
from genstamp_model.language.members import Index
from genstamp_model.language.mismatch import shown
from genstamp_model.language.trace import misuse
from genstamp_model.language.types import ArrayType, IndexSet, RefType, Sizes, Type, Value, fits
from genstamp_model.language.values import coerce

MOST: Final = 1 << 16
"""As many combinations are looked at."""

Alternative: TypeAlias = Expr | IndexSet
Worded: TypeAlias = Callable[[Expr], str]
Weaker: TypeAlias = Iterator[tuple[str, "Choice"]]


class TooManyError(Exception):
    """There are more than `MOST` combinations."""

    def __init__(self, count: int) -> None:
        super().__init__(f"begins in {count:,} ways; at most {MOST:,} are searched")


class Choice(Protocol):
    """The values that one may begin with."""

    def values(self, sizes: Sizes) -> tuple[Value, ...]:
        """All of them, each once.

        Raises:
            TooManyError: there are too many.
        """

    def first(self, sizes: Sizes) -> Value:
        """One of them."""

    def text(self, worded: Worded = ir.text) -> str:
        """What may be chosen, in words; `worded` says how an expression stands there."""

    def weaker(self) -> Weaker:
        """Choices among fewer values, each with what it leaves out."""


@dataclass(frozen=True)
class Chosen:
    """What `any_of` gives to a declaration."""

    values: tuple[object, ...]

    def __repr__(self) -> str:
        return f"any_of({', '.join(map(shown, self.values))})"

    def alternatives(self, type_: Type) -> tuple[Alternative, ...]:
        """The values as those of a type; an index set stands for each of its members."""
        found = [_alternative(value, type_) for value in self.values]
        twice = next((i for i, one in enumerate(found) if one in found[:i]), None)
        if twice is not None:
            raise misuse(f"any_of() takes each value once; {shown(self.values[twice])} stands in it twice")
        return tuple(found)


def any_of(*values: object) -> Chosen:
    """Where one begins with any of some values: the system has an initial state for each.

    Given as `initially=`, or returned by the function of a member that is given so. In `per` and in a record each
    element and each field chooses for itself, whatever the others choose. An index set stands for each of its members.

    Raises:
        SpecError: there is no value, or one stands in it twice.
    """
    if not values:
        raise misuse("any_of() takes the values to choose from, such as any_of(0, 1), or an index set")
    return Chosen(values)


def _alternative(value: object, type_: Type) -> Alternative:
    if isinstance(value, type) and issubclass(value, Index) and value is not Index:
        if not isinstance(type_, RefType) or not fits(RefType(value.set), type_):
            raise misuse(f"any_of() takes an index set where one of its members can stand, not {value.__name__} here")
        return value.set
    return coerce(value, type_)


def computed(expr: Expr, sizes: Sizes) -> Value:
    """The value of an expression that sizes decide."""
    # Here, because what evaluates expressions is built on this.
    from genstamp_model.evaluate import Computing

    return Computing(sizes).plain(expr)


def combined(parts: Sequence[Sequence[Value]]) -> tuple[tuple[Value, ...], ...]:
    """All combinations of a value of each part.

    Raises:
        TooManyError: there are too many.
    """
    count = prod(map(len, parts))
    if count > MOST:
        raise TooManyError(count)
    return tuple(product(*parts))


def _worded(one: Alternative, worded: Worded) -> str:
    return f"any {one.name}" if isinstance(one, IndexSet) else worded(one)


def _fewer(alternatives: tuple[Alternative, ...]) -> Iterator[tuple[str, tuple[Alternative, ...]]]:
    """Without one alternative, and with the first member of a set in place of all."""
    for i, one in enumerate(alternatives):
        before, after = alternatives[:i], alternatives[i + 1 :]
        if isinstance(one, IndexSet):
            yield f"any {one.name} but the first", (*before, ir.const(0, RefType(one)), *after)
        if before or after:
            yield _worded(one, ir.text), (*before, *after)


@dataclass(frozen=True)
class OneOf:
    """Any one of some values."""

    alternatives: tuple[Alternative, ...]

    def values(self, sizes: Sizes) -> tuple[Value, ...]:
        """All of them."""
        found: dict[Value, None] = {}
        for one in self.alternatives:
            found |= dict.fromkeys(range(sizes.of(one)) if isinstance(one, IndexSet) else [computed(one, sizes)])
        return tuple(found)

    def first(self, sizes: Sizes) -> Value:
        """The first one."""
        return self.values(sizes)[0]

    def text(self, worded: Worded = ir.text) -> str:
        """All of them in words."""
        return f"any of ({', '.join(_worded(one, worded) for one in self.alternatives)})"

    def weaker(self) -> Weaker:
        """Without one of them."""
        for told, fewer in _fewer(self.alternatives):
            yield told, OneOf(fewer)


@dataclass(frozen=True)
class OneOfByMember:
    """For each member any one of some values that depend on it; of flags, the set of the members where it is true."""

    binder: Binder
    alternatives: tuple[Alternative, ...]
    element: Type
    is_set: bool

    def values(self, sizes: Sizes) -> tuple[Value, ...]:
        """All combinations."""
        rows = combined([tuple(column) for column in self._columns(sizes)])
        return tuple(map(self._whole, rows))

    def first(self, sizes: Sizes) -> Value:
        """The first value of each."""
        return self._whole(tuple(next(iter(column)) for column in self._columns(sizes)))

    def _whole(self, row: tuple[Value, ...]) -> Value:
        return frozenset(i for i, holds in enumerate(row) if holds) if self.is_set else row

    def _columns(self, sizes: Sizes) -> list[dict[Value, None]]:
        """For each member what it may begin with."""
        index = self.binder.over
        assert isinstance(index, IndexSet)
        found: list[dict[Value, None]] = [{} for _ in range(sizes.of(index))]
        for one in self.alternatives:
            if isinstance(one, IndexSet):
                for column in found:
                    column.update(dict.fromkeys(range(sizes.of(one))))
            else:
                each = computed(ir.make(Op.TABULATE, (one,), ArrayType(index, self.element), self.binder), sizes)
                assert isinstance(each, tuple)
                for column, value in zip(found, each, strict=True):
                    column[value] = None
        return found

    def text(self, worded: Worded = ir.text) -> str:
        """All of them in words."""
        inner = OneOf(self.alternatives).text(worded)
        return f"for each {self.binder.name} in {self.binder.over.name} {inner}"

    def weaker(self) -> Weaker:
        """Without one value of each member."""
        for told, fewer in _fewer(self.alternatives):
            yield told, replace(self, alternatives=fewer)


@dataclass(frozen=True)
class Each:
    """The elements of an array, each of which chooses for itself."""

    index: IndexSet
    element: Choice

    def values(self, sizes: Sizes) -> tuple[Value, ...]:
        """All combinations."""
        return combined([self.element.values(sizes)] * sizes.of(self.index))

    def first(self, sizes: Sizes) -> Value:
        """The first value of each."""
        return (self.element.first(sizes),) * sizes.of(self.index)

    def text(self, worded: Worded = ir.text) -> str:
        """What each may be."""
        return f"for each {self.index.name} {self.element.text(worded)}"

    def weaker(self) -> Weaker:
        """Without one value of each element."""
        for told, fewer in self.element.weaker():
            yield told, Each(self.index, fewer)


@dataclass(frozen=True)
class Settled:
    """A field that begins in one way."""

    only: Callable[[Sizes], Value]

    def values(self, sizes: Sizes) -> tuple[Value, ...]:
        """The one value."""
        return (self.only(sizes),)

    def first(self, sizes: Sizes) -> Value:
        """The one value."""
        return self.only(sizes)

    def text(self, worded: Worded = ir.text) -> str:  # noqa: ARG002 - it is said with the variable's first value
        """Nothing is chosen."""
        return "one value"

    def weaker(self) -> Weaker:
        """Nothing can be left out."""
        yield from ()


@dataclass(frozen=True)
class Fields:
    """The fields of a record, each of which chooses for itself."""

    names: tuple[str, ...]
    parts: tuple[Choice, ...]

    def values(self, sizes: Sizes) -> tuple[Value, ...]:
        """All combinations."""
        return combined([part.values(sizes) for part in self.parts])

    def first(self, sizes: Sizes) -> Value:
        """The first value of each."""
        return tuple(part.first(sizes) for part in self.parts)

    def text(self, worded: Worded = ir.text) -> str:
        """What each may be."""
        return ", ".join(f"{name} {part.text(worded)}" for name, part in zip(self.names, self.parts, strict=True))

    def weaker(self) -> Weaker:
        """Without one value of one field."""
        for i, (name, part) in enumerate(zip(self.names, self.parts, strict=True)):
            for told, fewer in part.weaker():
                yield f"{name} {told}", Fields(self.names, (*self.parts[:i], fewer, *self.parts[i + 1 :]))
