"""Whether a question is in a decidable fragment: a syntactic test of what is handed to Z3.

Quantifiers range over index sets and messages only, never over numbers, and arithmetic is linear (`translate` refuses
the rest). Then one thing can make a question undecidable: that members lead to ever new members. A function from one
sort to another leads there where it is applied to something quantified, and so does an existential quantifier below
universal ones (Skolem's function). Where these leads have no circle, finitely many members can be named, all
quantifiers can be replaced by these, and what is left is a question without quantifiers about functions and linear
arithmetic. So the question is decidable, and where it is satisfiable it is so with finitely many members.

This is many-sorted effectively propositional logic, stratified (Padon, McMillan, Panda, Sagiv, Shoham: "Ivy: safety
verification by interactive generalization", PLDI 2016, section 3), with numbers that nothing leads away from (Ge, de
Moura: "Complete instantiation for quantified formulas in satisfiability modulo theories", CAV 2009, section 3).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import z3

from genstamp_model.prove.algebra import Term

# Below which universal quantifiers a formula stands, by the names of their sorts.
_Scope = frozenset[str]

_BOTH = (True, False)


class Fragment:
    """Tests questions; what it has found of an assertion it keeps, for questions have many in common."""

    def __init__(self) -> None:
        # Each assertion is kept beside what was found of it, so that its id stays its own.
        self._known: dict[int, tuple[Term, _Leads]] = {}

    def circle(self, assertions: Sequence[Term]) -> tuple[str, ...]:
        """The sorts of a circle of leads, the first one again at the end; empty where the question is decidable."""
        leads: dict[str, set[str]] = {}
        for assertion in assertions:
            for source, targets in self._leads(assertion).found.items():
                leads.setdefault(source, set()).update(targets)
        return _circle(leads)

    def _leads(self, assertion: Term) -> _Leads:
        key = assertion.get_id()
        if key not in self._known:
            found = _Leads()
            found.read(assertion, True, frozenset())
            self._known[key] = assertion, found
        return self._known[key][1]


class _Leads:
    """From which sort something leads to which other one."""

    def __init__(self) -> None:
        self.found: dict[str, set[str]] = {}
        self._read: set[tuple[int, bool, _Scope]] = set()
        self._bound: dict[int, bool] = {}

    def read(self, term: Term, positive: bool, scope: _Scope) -> None:
        """Collect the leads of a formula that is asserted, or whose negation is."""
        key = (term.get_id(), positive, scope)
        if key in self._read:
            return
        self._read.add(key)
        if z3.is_quantifier(term):
            sorts = [term.var_sort(i).name() for i in range(term.num_vars())]
            if term.is_forall() == positive:
                scope = scope | frozenset(sorts)
            else:
                self._lead(scope, sorts)
            self.read(term.body(), positive, scope)
            return
        kind = term.decl().kind() if z3.is_app(term) else None
        if kind == z3.Z3_OP_NOT:
            self.read(term.arg(0), not positive, scope)
        elif kind == z3.Z3_OP_IMPLIES:
            self.read(term.arg(0), not positive, scope)
            self.read(term.arg(1), positive, scope)
        elif kind in (z3.Z3_OP_AND, z3.Z3_OP_OR):
            for part in term.children():
                self.read(part, positive, scope)
        elif kind is not None:
            self._read_otherwise(term, kind, positive, scope)

    def _read_otherwise(self, term: Term, kind: int, positive: bool, scope: _Scope) -> None:
        """An atom, an application, a choice: what is below may count either way."""
        parts = term.children()
        choice = kind == z3.Z3_OP_ITE and z3.is_bool(term)
        for i, part in enumerate(parts):
            for polarity in (positive,) if choice and i else _BOTH:
                self.read(part, polarity, scope)
        if parts and kind == z3.Z3_OP_UNINTERPRETED and _is_open(term.sort()):
            self._lead((part.sort().name() for part in parts if self._is_quantified(part)), [term.sort().name()])

    def _lead(self, sources: Iterable[str], targets: Sequence[str]) -> None:
        for source in sources:
            self.found.setdefault(source, set()).update(targets)

    def _is_quantified(self, term: Term) -> bool:
        """Whether a bound variable occurs in a term."""
        if z3.is_var(term):
            return True
        found = self._bound.get(term.get_id())
        if found is None:
            found = z3.is_quantifier(term) or any(self._is_quantified(part) for part in term.children())
            self._bound[term.get_id()] = found
        return found


def _is_open(sort: Term) -> bool:
    return bool(sort.kind() == z3.Z3_UNINTERPRETED_SORT)


def _circle(leads: dict[str, set[str]]) -> tuple[str, ...]:
    """A circle of the graph, found depth first."""
    done: set[str] = set()

    def search(path: tuple[str, ...]) -> tuple[str, ...]:
        here = path[-1]
        if here in path[:-1]:
            return path[path.index(here) :]
        if here in done:
            return ()
        for target in sorted(leads.get(here, ())):
            found = search((*path, target))
            if found:
                return found
        done.add(here)
        return ()

    return next((found for start in sorted(leads) if (found := search((start,)))), ())
