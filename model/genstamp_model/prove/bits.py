"""The scalars of `expand` as bit-vectors: flags are Bool, a number has the bits that its interval needs.

Intervals follow from the ranges of the cells, so nothing ever wraps around: what is computed is what `evaluate` does.
They also decide comparisons before Z3 sees them, above all the range checks of effects that cannot leave their range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import z3

from genstamp_model.prove.algebra import Term, Z3Algebra, same


@dataclass(frozen=True, eq=False)
class Bits:
    """A number that is not known: its vector, unsigned where `low` is not negative, and the interval it lies in."""

    term: Term
    low: int
    high: int

    @property
    def interval(self) -> tuple[int, int]:
        """The smallest and the largest value."""
        return self.low, self.high

    def resized(self, width: int) -> Term:
        """The vector with more or fewer bits; the value is kept where it fits."""
        extra = width - self.term.size()
        if extra < 0:
            return z3.Extract(width - 1, 0, self.term)
        if extra == 0:
            return self.term
        return z3.ZeroExt(extra, self.term) if self.low >= 0 else z3.SignExt(extra, self.term)


def width(low: int, high: int) -> int:
    """Bits that an interval needs: unsigned from 0 on, otherwise in two's complement."""
    if low >= 0:
        return max(1, high.bit_length())
    return max((-low - 1).bit_length(), high.bit_length() if high >= 0 else (-high - 1).bit_length()) + 1


def interval(number: Term) -> tuple[int, int]:
    """The interval of a number, known or not."""
    return (number, number) if isinstance(number, int) else number.interval


def as_bits(number: Term, bits: int) -> Term:
    """A number as a vector of some width."""
    return z3.BitVecVal(number, bits) if isinstance(number, int) else number.resized(bits)


def lifted(scalar: Term, low: int = 0, high: int = 1) -> Term:
    """A scalar as Z3 takes it: a flag as a Bool, a number as the vector of an interval that it fits."""
    if isinstance(scalar, bool):
        return z3.BoolVal(scalar)
    return as_bits(scalar, width(low, high)) if isinstance(scalar, int | Bits) else scalar


class BitAlgebra(Z3Algebra):
    """The operations that `expand` builds with; flags as in the proofs by induction."""

    def eq(self, a: Term, b: Term) -> Term:
        """Equality of two flags or two numbers."""
        if not _are_numbers(a, b):
            return super().eq(a, b)
        (low, high), (other_low, other_high) = interval(a), interval(b)
        if high < other_low or other_high < low:
            return False
        if a is b or low == high == other_low == other_high:
            return True
        left, right, _ = _alike(a, b)
        return True if left.eq(right) else left == right

    def lt(self, a: Term, b: Term) -> Term:
        """Less than."""
        (low, high), (other_low, other_high) = interval(a), interval(b)
        if a is b or low >= other_high:
            return False
        if high < other_low:
            return True
        left, right, signed = _alike(a, b)
        if left.eq(right):
            return False
        return left < right if signed else z3.ULT(left, right)

    def le(self, a: Term, b: Term) -> Term:
        """Less than or equal."""
        return self.not_(self.lt(b, a))

    def add(self, a: Term, b: Term) -> Term:
        """Sum."""
        (low, high), (other_low, other_high) = interval(a), interval(b)
        if low == high == 0:
            return b
        if other_low == other_high == 0:
            return a
        return _number(lambda x, y: x + y, a, b, low + other_low, high + other_high)

    def sub(self, a: Term, b: Term) -> Term:
        """Difference, which may be negative."""
        (low, high), (other_low, other_high) = interval(a), interval(b)
        if other_low == other_high == 0:
            return a
        return _number(lambda x, y: x - y, a, b, low - other_high, high - other_low)

    def mul(self, a: Term, b: Term) -> Term:
        """Product."""
        corners = [x * y for x in interval(a) for y in interval(b)]
        return _number(lambda x, y: x * y, a, b, min(corners), max(corners))

    def div(self, a: Term, by: int) -> Term:
        """Quotient by a number above 0, rounded down."""
        low, high = (bound // by for bound in interval(a))
        if low == high:
            return low
        if low < 0:
            return self.add(self.div(self.sub(a, low * by), by), low)
        return _unsigned(z3.UDiv, a, by, low, high)

    def mod(self, a: Term, by: int) -> Term:
        """The remaining elements, from 0."""
        low, high = (bound // by for bound in interval(a))
        if low == high or low < 0:
            return self.mod(self.sub(a, low * by), by) if low else a
        return _unsigned(z3.URem, a, by, 0, by - 1)

    def quotient(self, a: Term, by: Term) -> Term:
        """Quotient of a number from 0 by a number from 1."""
        (low, high), (least, most) = interval(a), interval(by)
        if least == most:
            return self.div(a, least)
        if low // most == high // least:
            return low // most
        bits = width(0, max(high, most))
        found = z3.UDiv(as_bits(a, bits), as_bits(by, bits))
        return _narrowed(Bits(found, 0, max(high, most)), low // most, high // least)

    def minimum(self, a: Term, b: Term) -> Term:
        """The smaller of two numbers."""
        (low, high), (other_low, other_high) = interval(a), interval(b)
        return _narrowed(self.ite(self.le(a, b), a, b), min(low, other_low), min(high, other_high))

    def maximum(self, a: Term, b: Term) -> Term:
        """The larger of two numbers."""
        (low, high), (other_low, other_high) = interval(a), interval(b)
        return _narrowed(self.ite(self.le(a, b), b, a), max(low, other_low), max(high, other_high))

    def ite(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """`then` where the condition holds, else `otherwise`."""
        if isinstance(condition, bool):
            return then if condition else otherwise
        if not _are_numbers(then, otherwise):
            return super().ite(condition, then, otherwise)
        if then is otherwise or (isinstance(then, int) and isinstance(otherwise, int) and then == otherwise):
            return then
        (low, high), (other_low, other_high) = interval(then), interval(otherwise)
        low, high = min(low, other_low), max(high, other_high)
        left, right = as_bits(then, width(low, high)), as_bits(otherwise, width(low, high))
        if same(left, right):
            return next((x for x in (then, otherwise) if interval(x) == (low, high)), Bits(left, low, high))
        return Bits(z3.If(condition, left, right), low, high)


def _are_numbers(a: Term, b: Term) -> bool:
    """Whether two scalars are numbers, not flags."""
    return all(isinstance(x, Bits) or (isinstance(x, int) and not isinstance(x, bool)) for x in (a, b))


def _alike(a: Term, b: Term) -> tuple[Term, Term, bool]:
    """Two numbers as vectors of one width, and whether these are signed."""
    (low, high), (other_low, other_high) = interval(a), interval(b)
    low, high = min(low, other_low), max(high, other_high)
    return as_bits(a, width(low, high)), as_bits(b, width(low, high)), low < 0


def _number(combine: Callable[[Term, Term], Term], a: Term, b: Term, low: int, high: int) -> Term:
    """An operation modulo two to the width of its result, in which it cannot wrap around."""
    if isinstance(a, int) and isinstance(b, int):
        return combine(a, b)
    if low == high:
        return low
    bits = width(low, high)
    return Bits(combine(as_bits(a, bits), as_bits(b, bits)), low, high)


def _unsigned(divide: Callable[[Term, Term], Term], a: Bits, by: int, low: int, high: int) -> Term:
    """A division of a number that is not below 0."""
    bits = width(0, a.high)
    found = divide(as_bits(a, bits), z3.BitVecVal(by, bits))
    return _narrowed(Bits(found, 0, a.high), low, high)


def _narrowed(number: Term, low: int, high: int) -> Term:
    """A number of which more is known than its parts tell."""
    if isinstance(number, int) or number.interval == (low, high):
        return number
    return low if low == high else Bits(number.resized(width(low, high)), low, high)
