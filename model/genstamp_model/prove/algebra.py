"""The scalars of `expand` as Z3 terms: flags are Bool, numbers are Int and so unbounded.

What is known is kept as a plain Python `bool` or `int` and folded at once, so that Z3 only sees what is open; most of
an action's text collapses that way when its parameters are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import z3

# z3 ships no types: a term is Any to mypy. Flags are BoolRef or bool, numbers ArithRef or int.
Term: TypeAlias = Any


def known(term: Term) -> bool:
    """Whether a term is a plain Python value."""
    return isinstance(term, int)


def lift(term: Term) -> Term:
    """The term as Z3 takes it, constants included."""
    if isinstance(term, bool):
        return z3.BoolVal(term)
    return z3.IntVal(term) if isinstance(term, int) else term


def same(left: Term, right: Term) -> bool:
    """Whether two terms are one: equal constants, or one node of Z3's graph."""
    if left is right:
        return True
    if known(left) or known(right):
        return known(left) and known(right) and bool(left == right)
    return bool(left.eq(right))


def literal(cell: Term, value: int) -> Term:
    """A value as a Z3 constant of the sort of a cell, flags from 0 and 1."""
    return z3.BoolVal(bool(value)) if z3.is_bool(cell) else z3.IntVal(value)


def plain(value: Term) -> int:
    """A Z3 constant as an integer, flags as 0 and 1."""
    assert z3.is_true(value) or z3.is_false(value) or z3.is_int_value(value), value
    return int(z3.is_true(value)) if z3.is_bool(value) else int(value.as_long())


class Z3Algebra:
    """The operations that `expand` builds with."""

    def constant(self, value: int | bool) -> Term:
        """A known value."""
        return value

    def not_(self, a: Term) -> Term:
        """Negation."""
        if known(a):
            return not a
        return a.arg(0) if z3.is_not(a) else z3.Not(a)

    def and_(self, parts: Sequence[Term]) -> Term:
        """Conjunction; true when empty."""
        return _junction(parts, False, z3.And)

    def or_(self, parts: Sequence[Term]) -> Term:
        """Disjunction; false when empty."""
        return _junction(parts, True, z3.Or)

    def eq(self, a: Term, b: Term) -> Term:
        """Equality of two flags or two numbers."""
        if same(a, b):
            return True
        if known(a) and known(b):
            return False
        if isinstance(a, bool):
            return b if a else self.not_(b)
        if isinstance(b, bool):
            return a if b else self.not_(a)
        return lift(a) == lift(b)

    def lt(self, a: Term, b: Term) -> Term:
        """Less than."""
        return False if same(a, b) else a < b

    def le(self, a: Term, b: Term) -> Term:
        """Less than or equal."""
        return True if same(a, b) else a <= b

    def add(self, a: Term, b: Term) -> Term:
        """Sum."""
        if known(a) and a == 0:
            return b
        return a if known(b) and b == 0 else a + b

    def sub(self, a: Term, b: Term) -> Term:
        """Difference, which may be negative."""
        return a if known(b) and b == 0 else a - b

    def mul(self, a: Term, b: Term) -> Term:
        """Product."""
        return a * b

    def div(self, a: Term, by: int) -> Term:
        """Quotient by a number above 0, rounded down, as Z3 does."""
        return a // by if known(a) else a / by

    def mod(self, a: Term, by: int) -> Term:
        """The remaining elements, from 0."""
        return a % by

    def quotient(self, a: Term, by: Term) -> Term:
        """Quotient by a number that may be unknown and is above 0."""
        return a // by if known(a) and known(by) else lift(a) / lift(by)

    def minimum(self, a: Term, b: Term) -> Term:
        """The smaller of two numbers."""
        return min(a, b) if known(a) and known(b) else self.ite(self.le(a, b), a, b)

    def maximum(self, a: Term, b: Term) -> Term:
        """The larger of two numbers."""
        return max(a, b) if known(a) and known(b) else self.ite(self.le(a, b), b, a)

    def ite(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """`then` where the condition holds, else `otherwise`."""
        if known(condition):
            return then if condition else otherwise
        if same(then, otherwise):
            return then
        if isinstance(then, bool):
            return self.or_([condition, otherwise]) if then else self.and_([self.not_(condition), otherwise])
        if isinstance(otherwise, bool):
            return self.or_([self.not_(condition), then]) if otherwise else self.and_([condition, then])
        return z3.If(condition, then, otherwise)


def _junction(parts: Sequence[Term], absorbing: bool, make: Any) -> Term:
    kept: dict[int, Term] = {}
    for part in parts:
        if isinstance(part, bool):
            if part is absorbing:
                return absorbing
        else:
            kept[part.get_id()] = part
    if not kept:
        return not absorbing
    return next(iter(kept.values())) if len(kept) == 1 else make(list(kept.values()))
