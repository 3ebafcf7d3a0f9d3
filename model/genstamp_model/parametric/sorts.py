"""Sorts of first-order logic: an index set of any size as an uninterpreted sort, labels and messages beside it.

A subset shares the sort of its root and is a condition on it: not to be one of the named members. What is left out:
how many members there are (but one unnamed member at least, as configurations demand), and their order, which is only
spoken of where a model chooses a *first* member.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from genstamp_model.language import ir
from genstamp_model.language.model import Model
from genstamp_model.language.types import EnumType, IndexSet, RecordType, RefType
from genstamp_model.prove.algebra import Term

_labels: dict[EnumType, tuple[Term, tuple[Term, ...]]] = {}


def labels_of(type_: EnumType) -> tuple[Term, tuple[Term, ...]]:
    """The finite sort of an enumeration or lifecycle, and its labels in order; made once in a process."""
    if type_ not in _labels:
        number = len(_labels)
        sort, found = z3.EnumSort(f"{type_.name}#{number}", [f"{label}#{number}" for label in type_.labels])
        _labels[type_] = sort, tuple(found)
    return _labels[type_]


class Sorts:
    """The sorts of one model, with their constants.

    Attributes:
        roots: the index sets whose sizes are left open, by the name of their sort. If a model uses only a subset, the
            subset stands for its root, and none of the members has a name.
        messages: the sorts of messages by the place of their bag.
    """

    def __init__(self, model: Model) -> None:
        indexes = {index.name: index for index in [*model.index_sets, *_spoken_of(model)]}
        self.roots = {name: index for name, index in indexes.items() if index.root is None}
        for index in indexes.values():
            if index.root is not None:
                self.roots.setdefault(index.root, index)
        self._sorts: dict[str, Term] = {name: z3.DeclareSort(name) for name in self.roots}
        self.messages: dict[str, Term] = {}
        self._ordered: set[str] = set()

    def of(self, index: IndexSet) -> Term:
        """The sort of an index set's members, which is that of its root."""
        return self._sorts[_root(index)]

    def message(self, place: str, type_: RecordType) -> Term:
        """The sort of the messages of one bag: each stands for one distinct message that may be on its way."""
        return self.messages.setdefault(place, z3.DeclareSort(f"{type_.name} in {place}"))

    def named(self, index: IndexSet) -> tuple[Term, ...]:
        """The members of an index set's sort that have names, in order."""
        return tuple(self.member(index, name) for name in self.roots[_root(index)].named)

    def member(self, index: IndexSet, name: str) -> Term:
        """A member by its name."""
        return z3.Const(f"member {name}", self.of(index))

    def first(self, index: IndexSet) -> Term:
        """The member at position 0, which has no name of its own where there are unnamed ones."""
        if index.only_named:
            return self.named(index)[0]
        return z3.Const(f"first {_root(index)}", self.of(index))

    def before(self, index: IndexSet) -> Term:
        """The relation in which members follow each other, reflexive; from now on the axioms mention it."""
        self._ordered.add(_root(index))
        sort = self.of(index)
        return z3.Function(f"{_root(index)} before", sort, sort, z3.BoolSort())

    def is_ordered(self, root: str) -> bool:
        """Whether anything depends on the order of a root's members."""
        return root in self._ordered

    def belongs(self, index: IndexSet, member: Term) -> list[Term]:
        """What makes a member of the sort one of the index set: nothing, or in a subset that it has no name."""
        return [] if index.root is None else [member != other for other in self.named(index)]

    def axioms(self) -> Iterator[Term]:
        """Axioms of every index set, for any number of members."""
        for name, root in self.roots.items():
            if root.only_named:
                yield z3.Distinct(*self.named(root))
                x = z3.Const("x", self.of(root))
                yield z3.ForAll([x], z3.Or([x == member for member in self.named(root)]))
            elif root.named:
                yield z3.Distinct(self.first(root), *self.named(root))
            if name in self._ordered:
                yield from self._order(root)

    def _order(self, root: IndexSet) -> Iterator[Term]:
        """A total order: the first member first, named members last and as they were declared."""
        sort, before, named = self.of(root), self.before(root), self.named(root)
        x, y, z = (z3.Const(name, sort) for name in "xyz")
        yield z3.ForAll([x, y], z3.Or(before(x, y), before(y, x)))
        yield z3.ForAll([x, y], z3.Implies(z3.And(before(x, y), before(y, x)), x == y))
        yield z3.ForAll([x, y, z], z3.Implies(z3.And(before(x, y), before(y, z)), before(x, z)))
        yield z3.ForAll([x], before(self.first(root), x))
        for i, member in enumerate(named):
            yield z3.ForAll([x], before(member, x) == z3.Or([x == later for later in named[i:]]))


def _root(index: IndexSet) -> str:
    return index.root or index.name


def _spoken_of(model: Model) -> Iterator[IndexSet]:
    """Index sets that only expressions mention."""
    roots = [claim.condition for claim in model.properties]
    for action in model.actions:
        roots += [check.condition for check in action.checks] + [effect.value for effect in action.effects]
    for root in roots:
        for node in ir.walk(root):
            if isinstance(node.type, RefType):
                yield node.type.index
            if node.op in ir.BINDERS and isinstance(node.data.over, IndexSet):
                yield node.data.over
