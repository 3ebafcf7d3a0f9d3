"""An answer of Z3 at given sizes, as `evaluate` has it: an instance, a state near the initial one, and arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from genstamp_model.evaluate import Arguments, State
from genstamp_model.language.model import Action, Configuration, Instance, Model
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
    sort_key,
)
from genstamp_model.parametric.finite import Finite
from genstamp_model.parametric.questions import Question
from genstamp_model.parametric.sorts import labels_of
from genstamp_model.parametric.symbolic import Bag, Symbolic
from genstamp_model.prove.algebra import Term, lift

# How far from its initial value a number is looked for before any value will do.
_NEAR = 3

_HIGHEST_LIMIT = 2**31 - 1


class Answer:
    """The answer to a question at sizes where it has one, each scalar as initially wherever the question allows it."""

    def __init__(self, model: Model, question: Question, finite: Finite) -> None:
        self._model = model
        self._question = question
        self._finite = finite
        self._any, self._first = question.states.any, question.states.first
        cells = [cell for v in model.variables for cell in self._cells(v.type, self._any[v.name], self._first[v.name])]
        for kind, value, _ in cells:
            if isinstance(kind, RefType):
                finite.close(value.member)
        self._answer = self._settled([self._wishes(*cell) for cell in cells])

    def instance(self) -> Instance:
        """The model at these sizes; limits are as large as they can be."""
        roots = self._question.values.sorts.roots
        sizes = {root.base: self._finite.sizes[name] for name, root in roots.items() if root.base in self._model.sized}
        limits = dict.fromkeys(self._model.limit_names, _HIGHEST_LIMIT)
        return Instance(self._model, Configuration("counterexample", sizes, limits))

    def state(self) -> State:
        """The state before the step."""
        return tuple(self._plain(v.type, self._any[v.name]) for v in self._model.variables)

    def arguments(self, action: Action) -> Arguments:
        """The arguments of the step."""
        return tuple(self._plain(p.type, self._question.arguments[p.name]) for p in action.parameters)

    def _settled(self, wishes: list[tuple[Term, ...]]) -> Any:
        """An answer where of each choice of wishes the first comes true that can, after those before it."""
        solver = self._finite.solver
        assert solver.check() == z3.sat, "these sizes were tried"
        answer = solver.model()
        for choice in wishes:
            for wish in choice:
                if z3.is_true(answer.eval(wish, model_completion=True)):
                    solver.add(wish)
                    break
                solver.push()
                solver.add(wish)
                if solver.check() == z3.sat:
                    answer = solver.model()
                    break
                solver.pop()
        return answer

    def _cells(self, type_: Type, value: Symbolic, initial: Symbolic) -> Iterator[tuple[Type, Symbolic, Symbolic]]:
        """The scalars and bags of a value, each with its type and initial value."""
        match type_:
            case RecordType(fields=fields):
                for (_, kind), part, first in zip(fields, value, initial, strict=True):
                    yield from self._cells(kind, part, first)
            case ArrayType(index=index, element=element):
                for member in self._finite.of(index):
                    yield from self._cells(element, value.at(member), initial.at(member))
            case SetType(index=index):
                for member in self._finite.of(index):
                    yield BoolType(), value.at(member), initial.at(member)
            case BagType(message=message):
                yield type_, value, initial
                for content in (value.look(one)[1] for one in self._finite.messages(value.sort)):
                    yield from self._cells(message, content, content)
            case SequenceType():
                pass
            case _:
                yield type_, value, initial

    def _wishes(self, type_: Type, value: Symbolic, initial: Symbolic) -> tuple[Term, ...]:
        """The condition that a scalar is as initially, or else nearly so, and a bag empty, or else nearly so."""
        match type_:
            case NumberType():
                return tuple(lift(value == initial + distance) for distance in range(_NEAR + 1))
            case BagType():
                free = [z3.Not(value.look(message)[0]) for message in self._finite.messages(value.sort)]
                return tuple(z3.And(free[: len(free) - taken]) for taken in range(len(free)))
            case _:
                return (lift(self._question.values.equal(type_, value, initial)),)

    def _plain(self, type_: Type, value: Symbolic) -> Any:
        """A value as `evaluate` has it."""
        match type_:
            case BoolType():
                return z3.is_true(self._eval(value))
            case NumberType():
                return self._eval(value).as_long()
            case EnumType():
                found = self._eval(value)
                return next(i for i, label in enumerate(labels_of(type_)[1]) if label.eq(found))
            case RefType(index=index):
                return None if z3.is_true(self._eval(value.nobody)) else self._position(index, value.member)
            case RecordType(fields=fields):
                return tuple(self._plain(kind, part) for (_, kind), part in zip(fields, value, strict=True))
            case ArrayType(index=index, element=element):
                return tuple(self._plain(element, value.at(member)) for member in self._finite.of(index))
            case SetType(index=index):
                members = enumerate(self._finite.of(index))
                return frozenset(i for i, member in members if z3.is_true(self._eval(value.at(member))))
            case BagType():
                return self._bag(type_, value)
            case SequenceType():
                return ()

    def _bag(self, type_: BagType, bag: Bag) -> tuple[Any, ...]:
        """The messages on their way, each as often as the copies demand that the step leaves."""
        assert bag.look is not None, "only a bag of the state can be looked into"
        looked = [bag.look(message) for message in self._finite.messages(bag.sort)]
        found = {self._plain(type_.message, content) for held, content in looked if z3.is_true(self._eval(held))}
        copies: list[Any] = []
        for message in found:
            taken = [t for t in self._question.takings if self._plain(type_.message, t.message) == message]
            left = all(z3.is_true(self._eval(taking.left)) for taking in taken)
            copies += [message] * (len(taken) + 1 if left else 1)
        return tuple(sorted(copies, key=sort_key))

    def _eval(self, value: Term) -> Any:
        return self._answer.eval(lift(value), model_completion=True)

    def _position(self, index: IndexSet, member: Term) -> int:
        found = self._eval(member)
        return next(i for i, one in enumerate(self._finite.of(index)) if self._eval(one).eq(found))
