"""Verification conditions: what a step must keep, as assertions that contradict each other where it does.

Each question is put together anew, of nothing but what it needs: the variables that it reads are the only ones whose
types and ranges are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import z3

from genstamp_model.errors import Source
from genstamp_model.language import ir
from genstamp_model.language.ir import Op
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.trace import ActionParameter, MessageOf, OptionalMember, Range
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    IndexSet,
    NumberType,
    RecordType,
    SequenceType,
    Type,
)
from genstamp_model.parametric.sorts import Sorts
from genstamp_model.parametric.state import States
from genstamp_model.parametric.symbolic import Reference, Symbolic, Values
from genstamp_model.parametric.translate import Taking, Translation, refusal
from genstamp_model.prove.algebra import Term, lift


@dataclass(frozen=True)
class Claim:
    """A property, or for None that every number stays in its range."""

    declared: Property | None

    @property
    def two_states(self) -> bool:
        """Whether it speaks of a step, and not of a state."""
        return self.declared is not None and self.declared.kind == "transition"


@dataclass(frozen=True)
class Question:
    """Assertions that no state and step satisfies, if the claim is kept.

    Attributes:
        values, states: what the assertions speak of.
        arguments: the action's arguments by name.
        takings: copies that are taken off bags.
    """

    assertions: tuple[Term, ...]
    values: Values
    states: States
    arguments: dict[str, Symbolic]
    takings: tuple[Taking, ...]


class NotFirstOrderError(Exception):
    """Something that a step does has no translation."""

    def __init__(self, reason: str, source: Source) -> None:
        super().__init__(f"{source}: {reason}")


class Questions:
    """Makes the questions about one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sorts = Sorts(model)
        self.values = Values(self.sorts)
        self.states = States(model, self.values)

    def initially(self, declared: Property | None) -> Question | None:
        """Whether the claim can fail in the initial state, at some size; None where it plainly cannot."""
        first = self.states.first.__getitem__
        if declared is None:
            parts = [self.states.in_range(variable.type, first(variable.name)) for variable in self.model.variables]
            return self.question([], self.values.algebra.and_(parts), [])
        translation = Translation(self.values, first, first)
        return self.question([], translation.value(declared.closed, {}), [translation])

    def step(self, claim: Claim, action: Action, given: Sequence[Property]) -> Question | None:
        """Whether the action can break the claim where that and the given ones hold; None where it plainly cannot.

        Raises:
            NotFirstOrderError: a check, or an effect that matters, has no translation. The claims must have one.
        """
        return _Step(self, action).question(claim, given)

    def question(
        self,
        hypotheses: list[Term],
        goal: Term,
        translations: Sequence[Translation],
        arguments: dict[str, Symbolic] | None = None,
    ) -> Question | None:
        """The assertions of a goal that is to fail; None where it plainly cannot."""
        if goal is True:
            return None
        definitions = [term for translation in translations for term in translation.definitions]
        takings = [taking for translation in translations for taking in translation.takings]
        assertions = [*self.sorts.axioms(), *hypotheses, *definitions, z3.Not(lift(goal))]
        kept = tuple(lift(term) for term in assertions if term is not True)
        return Question(kept, self.values, self.states, arguments or {}, tuple(takings))


class _Step:
    """One action, for one question."""

    def __init__(self, questions: Questions, action: Action) -> None:
        self._questions = questions
        self._values, self._states = questions.values, questions.states
        self._action = action
        self._effects = {effect.variable: effect for effect in action.effects}
        self._names = frozenset(parameter.name for parameter in action.parameters)
        self._read: dict[str, None] = {}
        self._here = Translation(self._values, self._before, self._before)
        self._there = Translation(self._values, self._after, self._after)
        self._across = Translation(self._values, self._before, self._after)
        self._domains: list[Term] = []
        self._arguments = {parameter.name: self._argument(parameter) for parameter in action.parameters}

    def question(self, claim: Claim, given: Sequence[Property]) -> Question | None:
        """The question of one claim."""
        states, a = self._states, self._values.algebra
        changed = self._changed(claim)
        if not changed and not claim.two_states:
            return None
        checks = [self._check(i) for i in range(len(self._action.checks))]
        if claim.declared is None:
            goal = a.and_([states.in_range(self._types[name], self._after(name)) for name in changed])
            in_range = []
        else:
            goal = self._truth(claim.declared, before=False)
            ranged = [name for name in self._effects if name in self._read and _numbers(self._types[name])]
            in_range = [states.in_range(self._types[name], self._after(name)) for name in ranged]
        relied_on = [*given] if claim.declared is None or claim.two_states else [*given, claim.declared]
        assumed = [self._truth(other, before=other.kind == "invariant") for other in relied_on]
        shapes = [
            shape(self._types[name], states.any[name])
            for name in list(self._read)
            for shape in (states.in_range, states.is_typed)
        ]
        hypotheses = [*shapes, *self._domains, *checks, *assumed, *in_range]
        translations = [self._here, self._there, self._across]
        return self._questions.question(hypotheses, goal, translations, self._arguments)

    @property
    def _types(self) -> dict[str, Type]:
        return self._questions.model.types

    def _changed(self, claim: Claim) -> list[str]:
        """The changed variables that the claim reads."""
        if claim.declared is None:
            return [name for name in self._effects if _numbers(self._types[name])]
        read = {node.data for node in ir.walk(claim.declared.condition) if node.op in (Op.VARIABLE, Op.NEXT)}
        return [name for name in self._effects if name in read]

    def _truth(self, declared: Property, *, before: bool) -> Term:
        """That a property holds: an invariant before or after the step, a transition property of it."""
        if declared.kind == "transition":
            return self._across.value(declared.closed, {})
        return (self._here if before else self._there).value(declared.closed, {})

    def _check(self, position: int) -> Term:
        check = self._action.checks[position]
        reason = refusal(check.condition, self._names)
        if reason is not None:
            raise NotFirstOrderError(f"{self._action.name} cannot be reasoned about: {reason}", check.source)
        return self._here.value(check.condition, self._arguments)

    def _before(self, name: str) -> Symbolic:
        self._read[name] = None
        return self._states.any[name]

    def _after(self, name: str) -> Symbolic:
        effect = self._effects.get(name)
        if effect is None:
            return self._before(name)
        reason = refusal(effect.value, self._names)
        if reason is not None:
            raise NotFirstOrderError(f"{self._action.name} cannot be reasoned about: {reason}", effect.source)
        self._read[name] = None
        return self._here.value(effect.value, self._arguments)

    def _argument(self, parameter: ActionParameter) -> Symbolic:
        """A value of which no more is known than that the parameter ranges over it."""
        name = f"{parameter.name}?"
        match parameter.domain:
            case IndexSet() as index:
                member = z3.Const(name, self._values.sorts.of(index))
                self._domains += self._values.sorts.belongs(index, member)
                return Reference(False, member)
            case OptionalMember(index=index):
                member, nobody = z3.Const(name, self._values.sorts.of(index)), z3.Bool(f"{name} is none")
                self._domains += [z3.Or(nobody, other) for other in self._values.sorts.belongs(index, member)]
                return Reference(nobody, member)
            case Range(low=low, high=high):
                number = z3.Int(name)
                self._domains += [low <= number, number <= high]
                return number
            case MessageOf(bag=bag):
                symbolic = self._before(bag)
                assert symbolic.look is not None, "a step receives from the state before it"
                on_its_way, content = symbolic.look(z3.Const(name, symbolic.sort))
                self._domains.append(on_its_way)
                return content


def _numbers(type_: Type) -> bool:
    """Whether a value of the type can leave a declared range."""
    match type_:
        case NumberType(low=low, high=high):
            return low is not None or high is not None
        case ArrayType(element=element) | SequenceType(element=element, capacity=None):
            return _numbers(element)
        case RecordType(fields=fields):
            return any(_numbers(kind) for _, kind in fields)
        case BagType(message=message):
            return _numbers(message)
        case SequenceType():
            return True
        case _:
            return False
