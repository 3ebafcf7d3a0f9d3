"""Scalars of the compiled search: an interned graph of machine operations, simplified while it is built.

A node is a flag or a number with the interval it lies in. Equal nodes are one object, so shared subexpressions are
found for free and identity is equality. Intervals decide comparisons at compile time, above all the range checks of
effects that cannot leave their range. Numbers are machine integers: an expression whose interval leaves 62 bits is
refused, so that the search computes exactly what `evaluate` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Any

from genstamp_model.errors import ConfigurationError

_LARGEST = 2**62


class Op(Enum):
    """Machine operations; a node's `value` is the constant, or the position of the cell."""

    CONST = auto()
    CELL = auto()
    NOT = auto()
    AND = auto()
    OR = auto()
    EQ = auto()
    LT = auto()
    LE = auto()
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()
    MOD = auto()
    MIN = auto()
    MAX = auto()
    ITE = auto()


class Scalar:
    """One node. Made only by a `Graph`; compare with `is`.

    Attributes:
        low, high: the interval that the value lies in; 0 and 1 for a flag.
        order: rises with every node made, so operands come before what uses them.
    """

    __slots__ = ("args", "flag", "high", "inverse", "low", "op", "order", "value")

    op: Op
    args: tuple[Scalar, ...]
    value: int
    flag: bool
    low: int
    high: int
    order: int
    inverse: Scalar | None

    def __repr__(self) -> str:
        if self.op is Op.CONST:
            return str(bool(self.value)) if self.flag else str(self.value)
        if self.op is Op.CELL:
            return f"cell{self.value}"
        return f"{self.op.name.lower()}({', '.join(map(repr, self.args))})"


class Graph:
    """Makes nodes; an `expand.Algebra` over them."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[Any, ...], Scalar] = {}
        self._count = 0
        self.false = self._node(Op.CONST, (), True, 0, 0, 0)
        self.true = self._node(Op.CONST, (), True, 1, 1, 1)

    def _node(self, op: Op, args: tuple[Scalar, ...], flag: bool, low: int, high: int, value: int = 0) -> Scalar:
        if low < -_LARGEST or high > _LARGEST:
            raise ConfigurationError(
                f"the model computes numbers from {low} to {high}, beyond the 62 bits of the compiled search; "
                "lower the limits"
            )
        key = (op, args, flag, value, low, high)
        node = self._nodes.get(key)
        if node is None:
            node = Scalar()
            node.op, node.args, node.flag, node.value, node.low, node.high = op, args, flag, value, low, high
            node.order, node.inverse = self._count, None
            self._count += 1
            self._nodes[key] = node
        return node

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return self._count

    def _flag(self, op: Op, args: tuple[Scalar, ...]) -> Scalar:
        return self._node(op, args, True, 0, 1)

    @staticmethod
    def is_flag(scalar: Scalar) -> bool:
        """Whether a scalar is a flag, not a number."""
        return scalar.flag

    def constant(self, value: int | bool) -> Scalar:
        """A flag or number known at compile time."""
        if isinstance(value, bool):
            return self.true if value else self.false
        return self._node(Op.CONST, (), False, value, value, value)

    def cell(self, position: int, flag: bool, low: int, high: int) -> Scalar:
        """A cell of the state by its position."""
        if low == high:
            return self.constant(bool(low) if flag else low)
        return self._node(Op.CELL, (), flag, low, high, position)

    def not_(self, a: Scalar) -> Scalar:
        if a.inverse is None:
            a.inverse = self._inverse(a)
            a.inverse.inverse = a
        return a.inverse

    def _inverse(self, a: Scalar) -> Scalar:
        match a.op:
            case Op.CONST:
                return self.constant(not a.value)
            case Op.LT:
                return self._flag(Op.LE, (a.args[1], a.args[0]))
            case Op.LE:
                return self._flag(Op.LT, (a.args[1], a.args[0]))
            case _:
                return self._flag(Op.NOT, (a,))

    def and_(self, parts: Sequence[Scalar]) -> Scalar:
        return self._junction(Op.AND, Op.OR, parts, self.true, self.false)

    def or_(self, parts: Sequence[Scalar]) -> Scalar:
        return self._junction(Op.OR, Op.AND, parts, self.false, self.true)

    def _junction(self, op: Op, dual: Op, parts: Sequence[Scalar], neutral: Scalar, absorbing: Scalar) -> Scalar:
        kept: dict[Scalar, None] = {}
        for part in parts:
            if part is absorbing or (part.inverse is not None and part.inverse in kept):
                return absorbing
            if part is not neutral:
                kept[part] = None
        if not kept:
            return neutral
        if len(kept) > 1:
            known = {literal for part in kept for literal in self.literals(op, part)}
            if self._contradict(op, known):
                return absorbing
            for part in list(kept):
                if any(literal in known for literal in self._alternatives(dual, part)):
                    del kept[part]
        if len(kept) == 1:
            return next(iter(kept))
        return self._flag(op, tuple(kept))

    def literals(self, op: Op, part: Scalar) -> Iterator[Scalar]:
        """A flag and, where it is a conjunction (or disjunction, if that is `op`), its parts."""
        yield part
        dual = Op.OR if op is Op.AND else Op.AND
        if part.op is op:
            yield from part.args
        elif part.op is Op.NOT and part.args[0].op is dual:
            yield from map(self.not_, part.args[0].args)

    def _alternatives(self, dual: Op, part: Scalar) -> Iterator[Scalar]:
        """The parts of a flag one of which makes the whole superfluous beside it."""
        found = self.literals(dual, part)
        next(found)
        return found

    def _contradict(self, op: Op, literals: set[Scalar]) -> bool:
        """Whether two literals exclude each other (or, in a disjunction, exhaust all there is)."""
        values: dict[Scalar, Scalar] = {}
        for literal in literals:
            if literal.inverse is not None and literal.inverse in literals:
                return True
            equation = literal if op is Op.AND else literal.inverse
            if equation is not None and equation.op is Op.EQ and equation.args[1].op is Op.CONST:
                left, right = equation.args
                if values.setdefault(left, right) is not right:
                    return True
        return False

    def eq(self, a: Scalar, b: Scalar) -> Scalar:
        if a is b:
            return self.true
        if a.high < b.low or b.high < a.low:
            return self.false
        if _base(a) is _base(b):
            return self.constant(a.low - b.low == 0)
        if a.op is Op.CONST or (b.op is not Op.CONST and a.order > b.order):
            a, b = b, a
        if b.op is Op.CONST:
            if a.op is Op.CONST:
                return self.constant(a.value == b.value)
            if a.flag:
                return a if b.value else self.not_(a)
            if _has_constant_branch(a):
                condition, then, otherwise = a.args
                return self.ite(condition, self.eq(then, b), self.eq(otherwise, b))
        return self._flag(Op.EQ, (a, b))

    def lt(self, a: Scalar, b: Scalar) -> Scalar:
        if a is b or a.low >= b.high:
            return self.false
        if a.high < b.low:
            return self.true
        if _base(a) is _base(b):
            return self.constant(a.low < b.low)
        if b.op is Op.CONST and _has_constant_branch(a):
            condition, then, otherwise = a.args
            return self.ite(condition, self.lt(then, b), self.lt(otherwise, b))
        if a.op is Op.CONST and _has_constant_branch(b):
            condition, then, otherwise = b.args
            return self.ite(condition, self.lt(a, then), self.lt(a, otherwise))
        return self._flag(Op.LT, (a, b))

    def le(self, a: Scalar, b: Scalar) -> Scalar:
        return self.not_(self.lt(b, a))

    def add(self, a: Scalar, b: Scalar) -> Scalar:
        if a.op is Op.CONST:
            a, b = b, a
        if b.op is Op.CONST:
            if a.op is Op.CONST:
                return self.constant(a.value + b.value)
            if b.value == 0:
                return a
            if a.op is Op.ADD and a.args[1].op is Op.CONST:
                return self.add(a.args[0], self.constant(a.args[1].value + b.value))
        elif a.order > b.order:
            a, b = b, a
        return self._node(Op.ADD, (a, b), False, a.low + b.low, a.high + b.high)

    def sub(self, a: Scalar, b: Scalar) -> Scalar:
        if a is b:
            return self.constant(0)
        if b.op is Op.CONST:
            return self.add(a, self.constant(-b.value))
        return self._node(Op.SUB, (a, b), False, a.low - b.high, a.high - b.low)

    def mul(self, a: Scalar, b: Scalar) -> Scalar:
        if a.op is Op.CONST or (b.op is not Op.CONST and a.order > b.order):
            a, b = b, a
        if b.op is Op.CONST:
            if a.op is Op.CONST or b.value == 0:
                return self.constant(a.low * b.value)
            if b.value == 1:
                return a
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return self._node(Op.MUL, (a, b), False, min(corners), max(corners))

    def div(self, a: Scalar, by: int) -> Scalar:
        low, high = a.low // by, a.high // by
        if low == high:
            return self.constant(low)
        if by == 1:
            return a
        if low < 0:
            # The machine divides what is not below 0, where rounding down and towards 0 is one.
            return self.add(self.div(self.add(a, self.constant(-low * by)), by), self.constant(low))
        return self._node(Op.DIV, (a, self.constant(by)), False, low, high)

    def mod(self, a: Scalar, by: int) -> Scalar:
        low, high = a.low // by, a.high // by
        if low == high:
            return self.add(a, self.constant(-low * by))
        if low < 0:
            return self.mod(self.add(a, self.constant(-low * by)), by)
        return self._node(Op.MOD, (a, self.constant(by)), False, 0, by - 1)

    def quotient(self, a: Scalar, by: Scalar) -> Scalar:
        if by.op is Op.CONST:
            return self.div(a, by.value)
        assert a.low >= 0 and by.low > 0, (a, by)
        low, high = a.low // by.high, a.high // by.low
        return self.constant(low) if low == high else self._node(Op.DIV, (a, by), False, low, high)

    def minimum(self, a: Scalar, b: Scalar) -> Scalar:
        if a.high <= b.low:
            return a
        if b.high <= a.low:
            return b
        return self._extreme(Op.MIN, a, b, min(a.low, b.low), min(a.high, b.high))

    def maximum(self, a: Scalar, b: Scalar) -> Scalar:
        if a.low >= b.high:
            return a
        if b.low >= a.high:
            return b
        return self._extreme(Op.MAX, a, b, max(a.low, b.low), max(a.high, b.high))

    def _extreme(self, op: Op, a: Scalar, b: Scalar, low: int, high: int) -> Scalar:
        if a is b:
            return a
        if a.order > b.order:
            a, b = b, a
        return self._node(op, (a, b), False, low, high)

    def ite(self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        if condition.op is Op.CONST:
            return then if condition.value else otherwise
        if condition.op is Op.NOT:
            condition, then, otherwise = condition.args[0], otherwise, then
        then = _under(then, condition, 1)
        otherwise = _under(otherwise, condition, 2)
        if then is otherwise:
            return then
        if then.flag:
            return self._flag_choice(condition, then, otherwise)
        if condition.op is Op.EQ:
            # Where a cell equals something, choosing either of the two is choosing the other.
            left, right = condition.args
            if then is left:
                then = right
            if then is right and otherwise is left:
                return otherwise
        if otherwise.op is Op.ITE and otherwise.args[1] is then:
            return self.ite(self.or_([condition, otherwise.args[0]]), then, otherwise.args[2])
        low, high = min(then.low, otherwise.low), max(then.high, otherwise.high)
        return self._node(Op.ITE, (condition, then, otherwise), False, low, high)

    def _flag_choice(self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        if then.op is Op.CONST:
            return self.or_([condition, otherwise]) if then.value else self.and_([self.not_(condition), otherwise])
        if otherwise.op is Op.CONST:
            return self.or_([self.not_(condition), then]) if otherwise.value else self.and_([condition, then])
        if then is condition:
            return self.or_([condition, otherwise])
        if otherwise is condition:
            return self.and_([condition, then])
        return self._node(Op.ITE, (condition, then, otherwise), True, 0, 1)


def _base(a: Scalar) -> Scalar:
    """A number without the constant that is added to it; two with one base differ as their intervals do."""
    return a.args[0] if a.op is Op.ADD and a.args[1].op is Op.CONST else a


def _has_constant_branch(a: Scalar) -> bool:
    """Whether a comparison with a constant is best made inside both branches of a choice."""
    return a.op is Op.ITE and (a.args[1].op is Op.CONST or a.args[2].op is Op.CONST)


def _under(branch: Scalar, condition: Scalar, side: int) -> Scalar:
    """What a branch is, given that it is chosen: a choice on the same condition is decided."""
    while branch.op is Op.ITE and branch.args[0] is condition:
        branch = branch.args[side]
    return branch
