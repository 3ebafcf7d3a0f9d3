"""Numbers that are divided, below and above 0, also by each other, and labels that are compared."""

import enum
from typing import Self

from genstamp_model.language import *


class Size(enum.Enum):
    """How far away from 0 a number is."""

    NONE = enum.auto()
    SOME = enum.auto()
    MUCH = enum.auto()


class Division(Part):
    """A number that wanders about, and what is made of it."""

    n = number(-8, 8)
    half = number(-4, 4)
    rest = number(0, 4)
    size = enumeration(Size)

    @action
    def collatz(s) -> None:
        """Half of an even number; of an odd one, a smaller odd one turned round."""
        s.n = when(s.n % 2 == 0, s.n // 2, -(s.n // 3))
        s.half = s.n // 2

    @action
    def step(s) -> None:
        """One way or the other, round the ends."""
        by = pick("by", -1, 1)
        require(by != 0, "it moves")
        s.n = (s.n + by + 8) % 17 - 8
        s.rest = (-s.n) % 5
        far = when((s.n > 4) | (s.n < -4), Size.MUCH, Size.SOME)
        s.size = when((s.n == 0) | (s.size > far), Size.NONE, far)

    @invariant(inductive=True)
    def quotients_round_down(s) -> Bool:
        """What is left is never below 0."""
        return ((s.n // 3) * 3 + s.n % 3 == s.n) & (s.n % 3 < 3) & (s.n % 3 >= 0) & (-s.n == 0 - s.n)

    @transition
    def the_rest_is_small(s, t: Self) -> Bool:
        """It is what is left of some number."""
        return t.rest % 5 == t.rest

    @transition(inductive=True)
    def sizes_do_not_shrink_by_halving(s, t: Self) -> Bool:
        """Only to nothing."""
        return (t.size >= s.size) | (t.size <= Size.NONE) | ~(t.size < Size.MUCH)

    @witness
    def a_negative_half(s) -> Bool:
        """Halves of odd numbers below 0 are rounded down."""
        return (s.n == -7) & (s.half == -4)


DIVISION = System("division", parts=[Division], configurations=[Configuration("one", sizes={})])


class Euclid(Part):
    """The largest common divisor, and quotients by numbers that may be 0 or below."""

    a = number(-3, 6, initially=any_of(*range(-3, 7)))
    b = number(-3, 6, initially=any_of(*range(-3, 7)))
    quotient = number(-3, 6, initially=0)
    inverse = number(0, 17)

    @action
    def divide(s) -> None:
        """One division."""
        require(s.b != 0, "it goes on")
        rest = s.a % s.b
        s.quotient = s.a // s.b
        s.inverse = 12 // s.b + 12 % s.a
        s.a = s.b
        s.b = rest

    @invariant(inductive=True)
    def quotient_and_rest_are_the_number(s) -> Bool:
        """By a number above 0; by others both are 0."""
        whole = (s.a // s.b) * s.b + s.a % s.b
        return (whole == when(s.b > 0, s.a, 0)) & (s.a % s.b >= 0)

    @witness
    def it_was_not_divided(s) -> Bool:
        """A number below 0 divides nothing."""
        return (s.a < 0) & (s.b == 0) & (s.quotient == 0)


EUCLID = System("euclid", parts=[Euclid], configurations=[Configuration("one", sizes={})])
