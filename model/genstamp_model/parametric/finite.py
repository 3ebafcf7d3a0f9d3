"""A question at given sizes: every quantifier written out, so that Z3 decides what is left and gives a small answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product

import z3

from genstamp_model.language.types import IndexSet
from genstamp_model.parametric.sorts import Sorts
from genstamp_model.prove.algebra import Term


class Finite:
    """A question with finitely many members.

    Attributes:
        solver: holds the question.
        sizes: how many members without a name each sort has.
    """

    def __init__(self, assertions: Sequence[Term], sorts: Sorts, sizes: Mapping[str, int], timeout_ms: int) -> None:
        self.sizes = dict(sizes)
        self._sorts = sorts
        self._members = {name: _members(sorts, name, size) for name, size in sizes.items()}
        self.solver = z3.Solver()
        self.solver.set("timeout", timeout_ms)
        for name, members in self._members.items():
            self.solver.add(z3.Distinct(*members))
            if sorts.is_ordered(name):
                before = sorts.before(sorts.roots[name])
                self.solver.add(*(before(a, b) for a, b in pairwise(members)))
        written_out = [self._written_out(assertion) for assertion in assertions]
        self.solver.add(*written_out)
        for term in _open_terms(written_out):
            self.close(term)

    def close(self, term: Term) -> None:
        """Assert that a term of an open sort is one of its members."""
        self.solver.add(z3.Or([term == member for member in self._members[term.sort().name()]]))

    def of(self, index: IndexSet) -> list[Term]:
        """The members of an index set in the order of their positions."""
        members = self._members[index.root or index.name]
        return members[: len(members) - len(self._sorts.named(index))] if index.root is not None else members

    def messages(self, sort: Term) -> list[Term]:
        """The members of a sort of messages."""
        return self._members[sort.name()]

    def _written_out(self, term: Term) -> Term:
        """A closed formula with each quantifier replaced by what it says of every member."""
        pairs = []
        for quantifier in _outermost(term):
            assert quantifier.is_forall(), quantifier
            bound = range(quantifier.num_vars())
            choices = product(*(self._members[quantifier.var_sort(i).name()] for i in bound))
            # The last variable has index 0.
            cases = [z3.substitute_vars(quantifier.body(), *reversed(choice)) for choice in choices]
            pairs.append((quantifier, z3.And([self._written_out(case) for case in cases])))
        return z3.substitute(term, *pairs) if pairs else term


def smallest(assertions: Sequence[Term], sorts: Sorts, timeout_ms: int, most: int) -> Finite | None:
    """The question at sizes where it has an answer and no single size can be smaller; None where none is found.

    Args:
        timeout_ms: time for each choice of sizes, in milliseconds.
        most: as many members of one sort are tried.
    """
    names = [*sorts.roots, *(sort.name() for sort in sorts.messages.values())]
    enough = next(
        (size for size in range(1, most + 1) if _answered(assertions, sorts, dict.fromkeys(names, size), timeout_ms)),
        None,
    )
    if enough is None:
        return None
    sizes = dict.fromkeys(names, enough)
    for name in names:
        tried = ({**sizes, name: size} for size in range(1, enough))
        sizes = next((one for one in tried if _answered(assertions, sorts, one, timeout_ms)), sizes)
    return _answered(assertions, sorts, sizes, timeout_ms)


def _answered(assertions: Sequence[Term], sorts: Sorts, sizes: Mapping[str, int], timeout_ms: int) -> Finite | None:
    found = Finite(assertions, sorts, sizes, timeout_ms)
    return found if found.solver.check() == z3.sat else None


def _members(sorts: Sorts, name: str, size: int) -> list[Term]:
    """The members of a sort in the order of their positions: unnamed ones, then named ones."""
    root = sorts.roots.get(name)
    if root is None:
        sort = next(sort for sort in sorts.messages.values() if sort.name() == name)
        return [z3.Const(f"{name} {i + 1}", sort) for i in range(size)]
    if root.only_named:
        return list(sorts.named(root))
    fresh = [z3.Const(f"{name} {i + 1}", sorts.of(root)) for i in range(1, size)]
    return [sorts.first(root), *fresh, *sorts.named(root)]


def _outermost(root: Term) -> Iterator[Term]:
    """The quantifiers of a formula that are in no other one."""
    seen, open_ = {root.get_id()}, [root]
    while open_:
        term = open_.pop()
        if z3.is_quantifier(term):
            yield term
            continue
        for part in term.children():
            if part.get_id() not in seen:
                seen.add(part.get_id())
                open_.append(part)


def _open_terms(roots: Sequence[Term]) -> Iterator[Term]:
    """The terms in some formulas without quantifiers that stand for members."""
    seen: set[int] = set()
    open_ = list(roots)
    while open_:
        term = open_.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        open_.extend(term.children())
        if term.sort().kind() == z3.Z3_UNINTERPRETED_SORT and not z3.is_app_of(term, z3.Z3_OP_ITE):
            yield term
