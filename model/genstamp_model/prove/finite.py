"""An instance within its limits as bit-vectors: cells, steps with what cuts them off, one step as a relation.

Other than `encoding`, whose numbers have no bounds, this describes exactly the states and steps that `explore` visits:
a step beyond a limit is not there, and one that takes a number out of its range is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import z3

from genstamp_model.evaluate import State
from genstamp_model.expand import Cell, Expansion, beginnings, cells, from_cells
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Instance
from genstamp_model.prove.algebra import Term, lift
from genstamp_model.prove.bits import BitAlgebra, Bits, as_bits, lifted, width


@dataclass(frozen=True)
class FiniteStep:
    """An action with one choice of its arguments.

    Attributes:
        enabled: its checks hold.
        cut: the new state lies beyond a limit; such a step is not taken.
        wrong: a number leaves its range; then it does not matter whether the step is cut off.
        changed: new value by position of the cell, for the cells that it may change.
    """

    action: Action
    arguments: tuple[int, ...]
    enabled: Term
    cut: Term
    wrong: Term
    changed: dict[int, Term]

    @property
    def allowed(self) -> Term:
        """The step leads to a state within the limits."""
        algebra = BitAlgebra()
        return algebra.and_([self.enabled, algebra.not_(self.cut), algebra.not_(self.wrong)])


class Finite:
    """The terms of one instance, over its cells before a step and after it."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.algebra = BitAlgebra()
        self.cells: list[Cell] = cells(instance)
        self._before = [_scalar(cell, cell.name) for cell in self.cells]
        self._after = [_scalar(cell, f"{cell.name}'") for cell in self.cells]
        self.expansion = Expansion(instance, self.algebra, self._before)
        self.before = self._terms(self._before)
        self.after = self._terms(self._after)

    def _terms(self, scalars: Sequence[Term]) -> list[Term]:
        return [lifted(scalar, *_span(cell)) for scalar, cell in zip(scalars, self.cells, strict=True)]

    @cached_property
    def steps(self) -> list[FiniteStep]:
        """Every action with every choice of its arguments, except for those that no state enables."""
        a = self.algebra
        found = []
        for step in self.expansion.steps():
            enabled = a.and_([step.possible, *step.checks])
            pairs = zip(self._before, step.next_cells, strict=True)
            changed = {i: after for i, (before, after) in enumerate(pairs) if after is not before}
            cut, wrong = (a.or_([condition for _, condition in group]) for group in (step.cuts, step.errors))
            if enabled is not False:
                found.append(FiniteStep(step.action, step.arguments, enabled, cut, wrong, changed))
        return found

    def value_after(self, step: FiniteStep, position: int) -> Term:
        """The vector or flag of a cell after a step, as wide as the cell."""
        if position not in step.changed:
            return self.before[position]
        return lifted_to(step.changed[position], self.before[position])

    def condition(self, closed: Expr, *, two_states: bool = False) -> Term:
        """A closed condition over the cells before a step, or over those before and after it."""
        return lift(self.expansion.condition(closed, self._after if two_states else None))

    @cached_property
    def choice(self) -> Term:
        """The number of the step that is taken."""
        return z3.BitVec("step", width(0, max(1, len(self.steps) - 1)))

    def relation(self) -> Iterator[Term]:
        """The condition that the chosen step leads from the cells before it to those after it, as conjuncts.

        Selecting the step by a number, and each cell's new value by that number, was measured faster than a
        disjunction of all steps.
        """
        chosen = [self.choice == z3.BitVecVal(i, self.choice.size()) for i in range(len(self.steps))]
        yield z3.Or(chosen)
        for here, step in zip(chosen, self.steps, strict=True):
            yield z3.Implies(here, lift(step.allowed))
        for i, (before, after) in enumerate(zip(self.before, self.after, strict=True)):
            value = before
            for here, step in zip(chosen, self.steps, strict=True):
                if i in step.changed:
                    value = z3.If(here, self.value_after(step, i), value)
            yield after == value

    def somewhere_wrong(self) -> Term:
        """A step that is enabled takes a number out of its range."""
        a = self.algebra
        return lift(a.or_([a.and_([step.enabled, step.wrong]) for step in self.steps]))

    def stuck(self) -> Term:
        """No step is possible, not even one that a limit cuts off, and the system may not stop; False where it may."""
        may_stop = self.instance.model.may_stop
        if may_stop is None:
            return z3.BoolVal(False)
        a = self.algebra
        halted = a.and_([a.not_(step.enabled) for step in self.steps])
        return lift(a.and_([halted, a.not_(self.expansion.condition(may_stop))]))

    def beginning(self, terms: Sequence[Term]) -> Iterator[Term]:
        """That the terms of the cells are an initial state, as conjuncts."""
        for group in beginnings(self.instance):
            here = [terms[i] for i in group.cells]
            yield z3.Or([z3.And([term == value for term, value in self.fixed(here, row)]) for row in group.rows])

    def fixed(self, terms: Sequence[Term], values: Sequence[int]) -> list[tuple[Term, Term]]:
        """Each of the terms of some cells that are open with its value."""
        pairs = zip(terms, values, strict=True)
        return [(term, lifted_to(_plain(term, value), term)) for term, value in pairs if is_open(term)]

    def named(self, terms: Sequence[Term], suffix: str) -> list[Term]:
        """The cells once more, under other names; those that can have one value only stay as they are."""
        return [z3.Const(f"{term}{suffix}", term.sort()) if is_open(term) else term for term in terms]

    def state(self, model: Term, terms: Sequence[Term]) -> State:
        """The state that Z3's model gives to some terms of the cells."""
        return from_cells(self.instance, [self._value(model, term, i) for i, term in enumerate(terms)])

    def _value(self, model: Term, term: Term, position: int) -> int:
        value = model.eval(term, model_completion=True)
        if z3.is_bool(value):
            return int(z3.is_true(value))
        low, _ = _span(self.cells[position])
        return int(value.as_long() if low >= 0 else value.as_signed_long())


def is_open(term: Term) -> bool:
    """Whether a cell's term is a variable, not a constant."""
    return bool(term.decl().kind() == z3.Z3_OP_UNINTERPRETED)


def lifted_to(scalar: Term, like: Term) -> Term:
    """A scalar as a term of the sort of another."""
    return lift(scalar) if z3.is_bool(like) else as_bits(scalar, like.size())


def _plain(term: Term, value: int) -> int:
    return bool(value) if z3.is_bool(term) else value


def _span(cell: Cell) -> tuple[int, int]:
    """Smallest and largest value that a cell may have to hold, the 0 of a free place included."""
    return (min(cell.low, 0), max(cell.high, 0)) if cell.in_place else (cell.low, cell.high)


def _scalar(cell: Cell, name: str) -> Term:
    """A cell as a scalar; one that can have one value only is known."""
    low, high = _span(cell)
    if cell.kind == "flag":
        return z3.Bool(name)
    return low if low == high else Bits(z3.BitVec(name, width(low, high)), low, high)
