"""States of a model of open size: what a variable is in any state, what it is initially, and what fits its type.

What a state leaves out: sequences, of which nothing is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from genstamp_model.errors import SpecError
from genstamp_model.language.ir import Op
from genstamp_model.language.model import Model, Variable
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Sizes,
    Type,
    show,
)
from genstamp_model.parametric.symbolic import Bag, Reference, Symbolic, Table, Values
from genstamp_model.prove.algebra import Term

# Sizes at which initial values are compared: what begins alike in all of them is taken to begin so in any.
_TRIED = (1, 2, 3)


class States:
    """The variables of one model, each as functions of the members that lead to its scalars."""

    def __init__(self, model: Model, values: Values) -> None:
        self.model = model
        self.values = values
        self.any = {variable.name: self._reader(variable.type, variable.name, ())(()) for variable in model.variables}
        self.first = {variable.name: self._initial(variable) for variable in model.variables}

    def _reader(self, type_: Type, name: str, domain: tuple[Term, ...]) -> Callable[[tuple[Term, ...]], Symbolic]:
        """Declares the functions of a value, and gives what reads it at some members."""
        values = self.values
        match type_:
            case RefType(index=index, optional=optional):
                member = z3.Function(name, *domain, values.sorts.of(index))
                nobody = z3.Function(f"{name} is none", *domain, z3.BoolSort())
                return lambda at: Reference(nobody(*at) if optional else False, member(*at))
            case RecordType(fields=fields):
                parts = [self._reader(kind, f"{name}.{field}", domain) for field, kind in fields]
                return lambda at: tuple(part(at) for part in parts)
            case ArrayType(index=index, element=element):
                inner = self._reader(element, f"{name}[]", (*domain, values.sorts.of(index)))
                return lambda at: Table(lambda member: inner((*at, member)))
            case SetType(index=index):
                has = z3.Function(name, *domain, values.sorts.of(index), z3.BoolSort())
                return lambda at: Table(lambda member: has(*at, member))
            case BagType():
                return self._bag_reader(type_, name, domain)
            case SequenceType():
                return lambda at: None
            case _:
                scalar = z3.Function(name, *domain, values.scalar_sort(type_))
                return lambda at: scalar(*at)

    def _bag_reader(
        self, type_: BagType, name: str, domain: tuple[Term, ...]
    ) -> Callable[[tuple[Term, ...]], Symbolic]:
        a, sort = self.values.algebra, self.values.sorts.message(name, type_.message)
        on_its_way = z3.Function(f"{name} holds", *domain, sort, z3.BoolSort())
        content = self._reader(type_.message, f"message in {name}", (sort,))

        def bag(at: tuple[Term, ...]) -> Bag:
            def every(claim: Callable[[Symbolic], Term]) -> Term:
                def holds(message: Term) -> Term:
                    return a.or_([a.not_(on_its_way(*at, message)), claim(content((message,)))])

                return self.values.forall(sort, holds)

            return Bag(every, sort, lambda message: (on_its_way(*at, message), content((message,))))

        return bag

    def in_range(self, type_: Type, value: Symbolic) -> Term:
        """The condition that every number of a value lies in its declared range."""
        a = self.values.algebra
        match type_:
            case NumberType(low=low, high=high):
                above = [] if low is None else [a.le(low, value)]
                return a.and_(above if high is None else [*above, a.le(value, high)])
            case RecordType(fields=fields):
                parts = zip(fields, value, strict=True)
                return a.and_([self.in_range(kind, part) for (_, kind), part in parts])
            case ArrayType(index=index, element=element):
                return self.values.every(index, lambda member: self.in_range(element, value.at(member)))
            case BagType(message=message):
                found: Term = value.every(lambda one: self.in_range(message, one))
                return found
            case _:
                return True

    def is_typed(self, type_: Type, value: Symbolic) -> Term:
        """The condition that every reference of a value to a subset refers to one of its members."""
        a = self.values.algebra
        match type_:
            case RefType(index=index):
                return a.or_([value.nobody, a.and_(self.values.sorts.belongs(index, value.member))])
            case RecordType(fields=fields):
                parts = zip(fields, value, strict=True)
                return a.and_([self.is_typed(kind, part) for (_, kind), part in parts])
            case ArrayType(index=index, element=element):
                return self.values.every(index, lambda member: self.is_typed(element, value.at(member)))
            case BagType(message=message):
                found: Term = value.every(lambda one: self.is_typed(message, one))
                return found
            case _:
                return True

    def _initial(self, variable: Variable) -> Symbolic:
        if variable.choice is not None:
            raise SpecError(
                f"'{variable.name}' begins with any of several values, of which a proof for any size knows nothing; "
                "prove it at sizes, or let it begin with one value and choose in a first action",
                variable.source,
            )
        if any(start.op is not Op.CONST for start in variable.starts):
            raise SpecError(
                f"'{variable.name}' has an initial value that depends on the member, which a proof for any size "
                f"does not support; let "
                "all members begin alike",
                variable.source,
            )
        bases = {index.base for index in self.values.sorts.roots.values()}
        tried = [Sizes(dict.fromkeys(bases, size)) for size in _TRIED]
        return self._uniform(variable, variable.type, [(sizes, variable.initial(sizes)) for sizes in tried])

    def _uniform(self, variable: Variable, type_: Type, found: Sequence[tuple[Sizes, Any]]) -> Symbolic:
        """The one value that members have initially, whichever and however many they are."""
        match type_:
            case RecordType(fields=fields):
                return tuple(
                    self._uniform(variable, kind, [(sizes, value[i]) for sizes, value in found])
                    for i, (_, kind) in enumerate(fields)
                )
            case ArrayType(element=element):
                inner = self._uniform(variable, element, [(sizes, part) for sizes, value in found for part in value])
                return Table(lambda member: inner)
            case SetType(index=index):
                if all(len(value) == sizes.of(index) for sizes, value in found):
                    return Table(lambda member: True)
                alike = all(not value for _, value in found)
            case RefType():
                alike = all(value in (None, 0) and value == found[0][1] for _, value in found)
            case _:
                alike = all(value == found[0][1] for _, value in found)
        sizes, value = found[0]
        if not alike:
            example = show(value, type_, sizes)
            raise SpecError(
                f"'{variable.name}' has different initial values for different members (one is {example}), which a "
                f"proof for any size does not support; let all members begin alike",
                variable.source,
            )
        if isinstance(type_, SequenceType):
            return None
        if isinstance(type_, RefType) and value == 0:
            return Reference(False, self.values.sorts.first(type_.index))
        return self.values.constant(type_, value)
