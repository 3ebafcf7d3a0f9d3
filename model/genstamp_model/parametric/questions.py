"""Verification conditions: what a step must keep, as assertions that contradict each other where it does.

A question has nothing but what it needs: the variables that it reads are the only ones whose types and ranges are told.
Assertions about the state before the step are added once (`before`), those about the step for each step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import z3

from genstamp_model.language import ir
from genstamp_model.language.ir import Op
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.types import Type
from genstamp_model.parametric.before import Before, Guards, NotFirstOrderError
from genstamp_model.parametric.sorts import Sorts
from genstamp_model.parametric.state import States
from genstamp_model.parametric.symbolic import Symbolic, Values
from genstamp_model.parametric.translate import Taking, Translation, refusal
from genstamp_model.prove.algebra import Term, lift
from genstamp_model.ranges import has_range


@dataclass(frozen=True)
class Claim:
    """A property, or for None that every number stays in its range."""

    declared: Property | None

    @property
    def two_states(self) -> bool:
        """Whether it mentions a step, and not of a state."""
        return self.declared is not None and self.declared.kind == "transition"


@dataclass(frozen=True)
class Question:
    """Assertions that no state and step satisfies, if the claim is kept.

    Attributes:
        further: facts about steps that are seldom needed: they leave no range, because otherwise they were errors.
        values, states: the subjects of the assertions.
        arguments: the action's arguments by name.
        takings: copies that are taken off bags.
        exact: whether the assertions say all that there is to say of the step.
    """

    assertions: tuple[Term, ...]
    further: tuple[Term, ...]
    values: Values
    states: States
    arguments: dict[str, Symbolic]
    takings: tuple[Taking, ...]
    exact: bool


class Questions:
    """Makes the questions about one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sorts = Sorts(model)
        self.values = Values(self.sorts)
        self.states = States(model, self.values)
        self.before = Before(self.states, self.values)

    def initially(self, declared: Property | None) -> Question | None:
        """Whether the claim can fail in the initial state, at some size; None where it plainly cannot."""
        first = self.states.first.__getitem__
        if declared is None:
            parts = [self.states.in_range(variable.type, first(variable.name)) for variable in self.model.variables]
            return self.question([], self.values.algebra.and_(parts))
        translation = Translation(self.values, first, first)
        goal = translation.value(declared.closed, {})
        return self.question(translation.definitions, goal)

    def step(self, claim: Claim, action: Action, given: Sequence[Property]) -> Question | None:
        """Whether the action can break the claim where that and the given ones hold; None where it plainly cannot.

        Raises:
            NotFirstOrderError: a check, or an effect that matters, has no translation. The claims must have one.
        """
        return _Step(self, action).question(claim, given)

    def question(self, hypotheses: Sequence[Term], goal: Term) -> Question | None:
        """The question whether a goal fails, without a step; None where it plainly cannot."""
        if goal is True:
            return None
        assertions = tuple(_asserted([*self.sorts.axioms(), *hypotheses, z3.Not(lift(goal))]))
        return Question(assertions, (), self.values, self.states, {}, (), exact=True)


def _asserted(terms: Sequence[Term]) -> Iterator[Term]:
    return (lift(term) for term in terms if term is not True)


class _Step:
    """One action, for one question."""

    def __init__(self, questions: Questions, action: Action) -> None:
        self._questions = questions
        self._states = questions.states
        self._action = action
        self._effects = {effect.variable: effect for effect in action.effects}
        self._names = frozenset(parameter.name for parameter in action.parameters)
        self._guards: Guards | None = None
        self._read: dict[str, None] = {}
        self._here = Translation(questions.values, self._before, self._before)
        self._there = Translation(questions.values, self._after, self._after)
        self._across = Translation(questions.values, self._before, self._after)

    def question(self, claim: Claim, given: Sequence[Property]) -> Question | None:
        """The question of one claim."""
        states, a = self._states, self._questions.values.algebra
        changed = self._changed(claim)
        if not changed and not claim.two_states:
            return None
        self._guards = self._questions.before.guards(self._action)
        if claim.declared is None:
            goal = a.and_([states.in_range(self._types[name], self._after(name)) for name in changed])
        else:
            translation = self._across if claim.two_states else self._there
            goal = translation.value(claim.declared.closed, {})
        relied_on = [*given] if claim.declared is None or claim.two_states else [*given, claim.declared]
        told = [self._questions.before.invariant(other) for other in relied_on if other.kind == "invariant"]
        told.append(self._guards.told)
        across = [self._across.value(other.closed, {}) for other in relied_on if other.kind == "transition"]
        read = dict.fromkeys([*self._read, *(name for one in told for name in one.read)])
        shapes = [term for name in read for term in self._questions.before.shape(name)]
        conditions = [term for one in told for term in (*one.terms, *one.definitions)]
        found = self._questions.question([*shapes, *conditions, *across, *self._definitions()], goal)
        return None if found is None else self._with_step(found, claim, self._guards)

    def _definitions(self) -> list[Term]:
        return [term for one in (self._here, self._there, self._across) for term in one.definitions]

    def _with_step(self, question: Question, claim: Claim, guards: Guards) -> Question:
        """The question with what it needs to know of its step, to show it."""
        defined, told = {id(term) for term in self._definitions()}, dict.fromkeys(self._read)
        names = [name for name in self._effects if self._is_told(name)]
        ranged = [name for name in names if has_range(self._types[name])] if claim.declared is not None else []
        in_range = [self._states.in_range(self._types[name], self._after(name)) for name in ranged]
        shapes = [term for name in self._read if name not in told for term in self._questions.before.shape(name)]
        definitions = [term for term in self._definitions() if id(term) not in defined]
        return replace(
            question,
            further=tuple(_asserted([*in_range, *shapes, *definitions])),
            arguments=guards.arguments,
            takings=tuple(self._here.takings),
            exact=not self._here.takings and len(names) == len(self._effects),
        )

    def _is_told(self, name: str) -> bool:
        """Whether what becomes of a changed variable can be said."""
        return refusal(self._effects[name].value, self._names) is None

    @property
    def _types(self) -> dict[str, Type]:
        return self._questions.model.types

    def _changed(self, claim: Claim) -> list[str]:
        """The changed variables that the claim reads."""
        if claim.declared is None:
            return [name for name in self._effects if has_range(self._types[name])]
        read = {node.data for node in ir.walk(claim.declared.condition) if node.op in (Op.VARIABLE, Op.NEXT)}
        return [name for name in self._effects if name in read]

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
        assert self._guards is not None, "an action's arguments come before its effects"
        self._read[name] = None
        return self._here.value(effect.value, self._guards.arguments)
