"""An instance as Z3 terms: its cells, what it means that they are well formed, its steps and its claims.

A claim is kept as a list of conjuncts over the cells before a step (and after it, in transition properties), each with
the cells that it reads: a step that changes none of them keeps the conjunct, without a question to the solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import z3

from genstamp_model.expand import Cell, Expansion, Items, cells
from genstamp_model.expand.cells import nobody
from genstamp_model.expand.trees import Tree, Trees
from genstamp_model.language.model import Action, Instance, Property
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    EnumType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    Type,
)
from genstamp_model.prove.algebra import Term, Z3Algebra, known, lift, same


@dataclass(frozen=True)
class Conjunct:
    """A condition with the positions of the cells that it reads: `before` the step, and `after` it."""

    term: Term
    before: frozenset[int]
    after: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Claim:
    """A property as conjuncts; `two_states` where it mentions a state and its successor."""

    name: str
    conjuncts: tuple[Conjunct, ...]
    two_states: bool = False


@dataclass(frozen=True)
class EncodedStep:
    """An action with one choice of its arguments.

    Attributes:
        enabled: its checks hold, and the new state has room for all messages and elements.
        changed: new value by position of the cell, for the cells that it may change.
    """

    action: Action
    arguments: tuple[int, ...]
    enabled: Term
    changed: dict[int, Term]


def rooms(instance: Instance) -> dict[str, int]:
    """The limits that give bags and sequences their places, which no proof can do without."""
    found = {name for v in instance.model.variables for name in _rooms(v.type)}
    return {name: instance.limits[name] for name in sorted(found)}


class Encoding:
    """The terms of one instance, shared by all that is asked of it."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.algebra = Z3Algebra()
        self.cells: list[Cell] = cells(instance)
        self.before = [_constant(cell, cell.name) for cell in self.cells]
        self.after = [_constant(cell, f"{cell.name}'") for cell in self.cells]
        self.expansion = Expansion(instance, self.algebra, self.before)
        self._trees = Trees(instance, self.algebra)
        self._position = {term.get_id(): i for i, term in enumerate(self.before)}
        self._position_after = {term.get_id(): i for i, term in enumerate(self.after)}
        self._reads: dict[int, tuple[Term, frozenset[int], frozenset[int]]] = {}

    @cached_property
    def rooms(self) -> dict[str, int]:
        """As the function."""
        return rooms(self.instance)

    @cached_property
    def steps(self) -> list[EncodedStep]:
        """Every action with every choice of its arguments, except for those that no state enables."""
        return [step for action in self.instance.model.actions for step in self.steps_of(action)]

    def steps_of(self, action: Action) -> Iterator[EncodedStep]:
        """The same of one action; it may be another one than the instance's of its name."""
        for step in self.expansion.steps_of(action):
            overflows = [self.algebra.not_(beyond) for name, beyond in step.cuts if name in self.rooms]
            enabled = self.algebra.and_([step.possible, *step.checks, *overflows])
            pairs = zip(self.before, step.next_cells, strict=True)
            changed = {i: after for i, (before, after) in enumerate(pairs) if not same(before, after)}
            if enabled is not False:
                yield EncodedStep(step.action, step.arguments, enabled, changed)

    def claim(self, declared: Property) -> Claim:
        """A declared property, for all of its parameters."""
        two_states = declared.kind == "transition"
        term = self.expansion.condition(declared.closed, self.after if two_states else None)
        return Claim(declared.name, tuple(self._conjuncts([term])), two_states)

    def well_formed(self, name: str) -> Claim:
        """The condition that every cell has a value of its type, limits aside, and that bags and sequences are
        stored in order.
        """
        source = iter(self.before)
        trees = [(v.type, self._trees.read(v.type, source)) for v in self.instance.model.variables]
        return Claim(name, tuple(self._conjuncts(t for type_, tree in trees for t in self._shape(type_, tree))))

    def _conjuncts(self, terms: Iterator[Term] | Sequence[Term]) -> Iterator[Conjunct]:
        for term in terms:
            if known(term):
                if not term:
                    yield Conjunct(z3.BoolVal(False), frozenset(), frozenset())
            elif z3.is_and(term):
                yield from self._conjuncts(term.children())
            else:
                yield Conjunct(term, *self.reads(term))

    def reads(self, term: Term) -> tuple[frozenset[int], frozenset[int]]:
        """Positions of the cells in a term, before and after; each node of the graph is visited once."""
        found = self._reads.get(term.get_id())
        if found is None:
            here = self._position.get(term.get_id())
            there = self._position_after.get(term.get_id())
            before = frozenset() if here is None else frozenset([here])
            after = frozenset() if there is None else frozenset([there])
            parts = [self.reads(child) for child in term.children()]
            # The term is kept beside its cells, so that its id stays its own.
            found = (term, before.union(*(b for b, _ in parts)), after.union(*(a for _, a in parts)))
            self._reads[term.get_id()] = found
        return found[1], found[2]

    def _shape(self, type_: Type, tree: Tree) -> Iterator[Term]:
        """What well-formedness says of one value."""
        a = self.algebra
        match type_:
            case NumberType(low=low, high=high):
                yield a.le(low, tree)
                if high is not None:
                    yield a.le(tree, high)
            case EnumType(labels=labels):
                yield a.and_([a.le(0, tree), a.le(tree, len(labels) - 1)])
            case RefType(index=index, optional=optional):
                member = a.and_([a.le(0, tree), a.lt(tree, self.instance.sizes.of(index))])
                yield a.or_([member, a.eq(tree, nobody(self.instance, index))]) if optional else member
            case RecordType(fields=fields):
                for part, (_, kind) in zip(tree, fields, strict=True):
                    yield from self._shape(kind, part)
            case ArrayType(element=element):
                for part in tree:
                    yield from self._shape(element, part)
            case SequenceType(element=element):
                yield from self._shape_of_sequence(element, tree)
            case BagType():
                yield from self._shape_of_bag(type_, tree)

    def _shape_of_sequence(self, element: Type, items: Items) -> Iterator[Term]:
        a = self.algebra
        yield a.and_([a.le(0, items.length), a.le(items.length, len(items.elements))])
        for i, part in enumerate(items.elements):
            yield self._place(a.lt(i, items.length), element, part)

    def _shape_of_bag(self, type_: BagType, slots: tuple[Tree, ...]) -> Iterator[Term]:
        a, kind = self.algebra, type_.message
        for slot in slots:
            yield self._place(slot.present, kind, slot.message)
        for slot, following in pairwise(slots):
            disorder = self._trees.before(kind, following.message, slot.message)
            yield a.or_([a.not_(following.present), a.and_([slot.present, a.not_(disorder)])])

    def _place(self, taken: Term, kind: Type, tree: Tree) -> Term:
        """A place holds a value of its type where it is taken, and zeros where it is not."""
        a = self.algebra
        used = a.and_(list(self._shape(kind, tree)))
        empty = self._trees.equal(kind, tree, self._trees.zero(kind))
        return a.and_([a.or_([a.not_(taken), used]), a.or_([taken, empty])])

    def after_step(self, conjunct: Conjunct, step: EncodedStep, *, two_states: bool) -> Term | None:
        """The conjunct about the state after a step, over the cells before it; None where it is trivially kept."""
        if two_states:
            pairs = [(self.after[i], lift(step.changed.get(i, self.before[i]))) for i in sorted(conjunct.after)]
        else:
            pairs = [(self.before[i], lift(step.changed[i])) for i in sorted(conjunct.before & step.changed.keys())]
            if not pairs:
                return None
        term = z3.simplify(z3.substitute(conjunct.term, *pairs))
        return None if z3.is_true(term) else term


def _constant(cell: Cell, name: str) -> Term:
    return z3.Bool(name) if cell.kind == "flag" else z3.Int(name)


def _rooms(type_: Type) -> Iterator[str]:
    """Names of the limits of all bags and sequences in a type."""
    match type_:
        case ArrayType(element=element):
            yield from _rooms(element)
        case RecordType(fields=fields):
            for _, kind in fields:
                yield from _rooms(kind)
        case SequenceType(element=element, limit=limit):
            if limit is not None:
                yield limit
            yield from _rooms(element)
        case BagType(message=message, limit=limit):
            yield limit
            yield from _rooms(message)
