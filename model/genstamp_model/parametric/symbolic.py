"""Values as terms of first-order logic, structured ones taken apart.

Flags, numbers and labels are one term. A reference is a member and, if it is optional, a flag for none. Arrays and sets
are functions of a member: writing makes a new function, so what a step leaves is an expression over the state before it
and needs no symbol of its own. A message bag is what it says of all of its messages: only which messages are on their
way is kept, not how many copies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import z3

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
)
from genstamp_model.parametric.sorts import Sorts, labels_of
from genstamp_model.prove.algebra import Term, Z3Algebra, known, lift

# A term, a Reference, a tuple of the fields of a record, a Table or a Bag.
Symbolic: TypeAlias = Any


@dataclass(frozen=True)
class Reference:
    """A member, or nobody: then the member does not matter."""

    nobody: Term
    member: Term


@dataclass(frozen=True)
class Table:
    """An array or a set: the element, or whether it is in, as a function of a member."""

    at: Callable[[Term], Symbolic]


@dataclass(frozen=True)
class Bag:
    """Messages on their way.

    Attributes:
        every: what it means that a claim holds for each of them.
        sort: of the messages, in a state that no step has changed.
        look: whether a member of that sort is on its way, and its content.
    """

    every: Callable[[Callable[[Symbolic], Term]], Term]
    sort: Term = None
    look: Callable[[Term], tuple[Term, Symbolic]] | None = None


class Values:
    """Operations on the values of one model.

    Bound variables are named by how many quantifiers are open around them, so that no quantifier captures another's.
    """

    def __init__(self, sorts: Sorts) -> None:
        self.sorts = sorts
        self.algebra = Z3Algebra()
        self.open: list[Term] = []
        self._fresh = 0

    def fresh(self, name: str) -> str:
        """A name that nothing else has."""
        self._fresh += 1
        return f"{name} {self._fresh}"

    def forall(self, sort: Term, body: Callable[[Term], Term]) -> Term:
        """The condition that a body holds for every member of a sort."""
        bound = z3.Const(f"{sort}!{len(self.open)}", sort)
        self.open.append(bound)
        try:
            claim = body(bound)
        finally:
            self.open.pop()
        return claim if known(claim) else z3.ForAll([bound], claim)

    def every(self, index: IndexSet, body: Callable[[Term], Term]) -> Term:
        """The condition that a body holds for every member of an index set."""
        a = self.algebra

        def guarded(member: Term) -> Term:
            outside = [a.not_(condition) for condition in self.sorts.belongs(index, member)]
            return a.or_([*outside, body(member)])

        return self.forall(self.sorts.of(index), guarded)

    def scalar_sort(self, type_: Type) -> Term:
        """The sort of a flag, a number or a label."""
        match type_:
            case BoolType():
                return z3.BoolSort()
            case NumberType():
                return z3.IntSort()
            case _:
                assert isinstance(type_, EnumType), type_
                return labels_of(type_)[0]

    def constant(self, type_: Type, value: Any) -> Symbolic:
        """The value of a constant: a scalar, a reference, or an empty set or bag."""
        match type_:
            case RefType(index=index):
                if value is None:
                    return Reference(True, self.sorts.first(index))
                return Reference(False, self.sorts.member(index, value))
            case EnumType():
                return labels_of(type_)[1][value]
            case SetType() | BagType():
                assert not value, value
                return self.zero(type_)
            case _:
                return value

    def zero(self, type_: Type) -> Symbolic:
        """The value of a read through none, as `types.zero`."""
        match type_:
            case BoolType():
                return False
            case NumberType(low=low):
                return low or 0
            case EnumType():
                return labels_of(type_)[1][0]
            case RefType(index=index, optional=optional):
                return Reference(optional, self.sorts.first(index))
            case RecordType(fields=fields):
                return tuple(self.zero(kind) for _, kind in fields)
            case ArrayType(element=element):
                return Table(lambda member: self.zero(element))
            case SetType():
                return Table(lambda member: False)
            case BagType():
                return Bag(lambda claim: True)
            case SequenceType():
                # Nothing is known of sequences, and nothing that has one is asked what is in it.
                return None

    def choose(self, type_: Type, condition: Term, then: Symbolic, otherwise: Symbolic) -> Symbolic:
        """One of two values of one type."""
        a = self.algebra
        if known(condition):
            return then if condition else otherwise
        match type_:
            case RefType():
                if then.nobody is True:
                    return Reference(a.or_([condition, otherwise.nobody]), otherwise.member)
                if otherwise.nobody is True:
                    return Reference(a.or_([a.not_(condition), then.nobody]), then.member)
                nobody = a.ite(condition, then.nobody, otherwise.nobody)
                return Reference(nobody, a.ite(condition, then.member, otherwise.member))
            case RecordType(fields=fields):
                parts = zip(fields, then, otherwise, strict=True)
                return tuple(self.choose(kind, condition, x, y) for (_, kind), x, y in parts)
            case ArrayType(element=element):
                return Table(lambda member: self.choose(element, condition, then.at(member), otherwise.at(member)))
            case SetType():
                return Table(lambda member: a.ite(condition, then.at(member), otherwise.at(member)))
            case BagType():
                return Bag(lambda claim: a.ite(condition, then.every(claim), otherwise.every(claim)))
            case _:
                return a.ite(condition, then, otherwise)

    def equal(self, type_: Type, left: Symbolic, right: Symbolic) -> Term:
        """Whether two values of one type are the same."""
        a = self.algebra
        match type_:
            case RefType():
                both = a.and_([a.not_(left.nobody), a.not_(right.nobody), a.eq(left.member, right.member)])
                return a.or_([a.and_([left.nobody, right.nobody]), both])
            case RecordType(fields=fields):
                parts = zip(fields, left, right, strict=True)
                return a.and_([self.equal(kind, x, y) for (_, kind), x, y in parts])
            case ArrayType(index=index, element=element):
                return self.every(index, lambda member: self.equal(element, left.at(member), right.at(member)))
            case SetType(index=index):
                return self.every(index, lambda member: a.eq(left.at(member), right.at(member)))
            case BagType() | SequenceType():
                raise AssertionError("the equality of bags and sequences is refused before it is translated")
            case _:
                return a.eq(left, right)

    def select(self, type_: Type, array: Table, position: Reference) -> Symbolic:
        """The element of a type at a position; a read through none gives the zero of the type."""
        if position.nobody is True:
            return self.zero(type_)
        return self.choose(type_, position.nobody, self.zero(type_), array.at(position.member))

    def store(self, element: Type, array: Table, position: Reference, value: Symbolic) -> Table:
        """The array with one element replaced; a write through none leaves it unchanged."""
        return Table(lambda member: self.choose(element, self.is_at(position, member), value, array.at(member)))

    def is_at(self, position: Reference, member: Term) -> Term:
        """Whether a reference refers to a member."""
        return self.algebra.and_([self.algebra.not_(position.nobody), self.algebra.eq(position.member, member)])


def terms_in(value: Symbolic) -> list[Term]:
    """The terms that a reference, a record of scalars and references, or a scalar is made of, constants lifted."""
    if isinstance(value, Reference):
        return [lift(value.nobody), value.member]
    if isinstance(value, tuple):
        return [term for part in value for term in terms_in(part)]
    return [] if isinstance(value, Table | Bag) else [lift(value)]
