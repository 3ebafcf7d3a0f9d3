"""Bounds of the value of an expression, so that ranges are checked only where a number may leave them."""

from __future__ import annotations

from itertools import product
from math import inf, isinf
from typing import TypeAlias

from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Instance
from genstamp_model.language.trace import ActionParameter, Range
from genstamp_model.language.types import EnumType, IndexSet, NumberType, RefType, SetType

Span: TypeAlias = tuple[float, float]

_UNKNOWN: Span = (-inf, inf)
_READS = frozenset({Op.VARIABLE, Op.SELECT, Op.FIELD, Op.AT, Op.PARAMETER})


class Bounds:
    """Bounds of numbers in the state before a step of one action."""

    def __init__(self, instance: Instance, parameters: tuple[ActionParameter, ...]) -> None:
        self._instance = instance
        self._ranges = {p.name: p.domain for p in parameters if isinstance(p.domain, Range)}

    def may_leave(self, expr: Expr | None, low: int, high: int) -> tuple[bool, bool]:
        """Whether a number (None: any) may fall below one bound, and whether it may rise above the other."""
        least, most = _UNKNOWN if expr is None else self._span(expr)
        return least < low, most > high

    def _span(self, expr: Expr) -> Span:
        match expr.op:
            case Op.CONST:
                return expr.data, expr.data
            case Op.PARAMETER if expr.data in self._ranges:
                return self._ranges[expr.data].low, self._ranges[expr.data].high
            case Op.ITE:
                return _around(self._span(expr.args[1]), self._span(expr.args[2]))
            case Op.ADD:
                (a, b), (c, d) = map(self._span, expr.args)
                return a + c, b + d
            case Op.SUB:
                (a, b), (c, d) = map(self._span, expr.args)
                return a - d, b - c
            case Op.MUL:
                ends = [0 if 0 in pair else pair[0] * pair[1] for pair in product(*map(self._span, expr.args))]
                return min(ends), max(ends)
            case Op.DIV if expr.args[1].op is Op.CONST and expr.args[1].data > 0:
                least, most = (end if isinf(end) else end // expr.args[1].data for end in self._span(expr.args[0]))
                return least, most
            case Op.DIV:
                least, most = self._span(expr.args[0])
                return min(least, 0), max(most, 0)
            case Op.MOD:
                return 0, max(self._span(expr.args[1])[1] - 1, 0)
            case Op.MIN | Op.MAX:
                pick = min if expr.op is Op.MIN else max
                (a, b), (c, d) = map(self._span, expr.args)
                return pick(a, c), pick(b, d)
            case Op.MINIMUM | Op.MAXIMUM:
                return _around(self._span(expr.args[1]), self._span(expr.args[2]))
            case Op.COUNT:
                return 0, self._members(expr.data.over)
            case Op.RANK:
                kind = expr.args[0].type
                assert isinstance(kind, RefType | EnumType)
                return 0, (self._members(kind.index) if isinstance(kind, RefType) else len(kind.labels)) - 1
            case Op.CARDINALITY:
                assert isinstance(expr.args[0].type, SetType)
                return 0, self._members(expr.args[0].type.index)
            case _:
                return self._read(expr) if _is_read(expr) else _UNKNOWN

    def _members(self, index: IndexSet) -> int:
        return self._instance.sizes.of(index)

    def _read(self, expr: Expr) -> Span:
        """The declared range of a number in the state."""
        kind = expr.type
        if not isinstance(kind, NumberType) or kind.low is None:
            return _UNKNOWN
        high = self._instance.limits[kind.limit] if kind.limit is not None else kind.high
        return kind.low, inf if high is None else high


def _around(left: Span, right: Span) -> Span:
    return min(left[0], right[0]), max(left[1], right[1])


def _is_read(expr: Expr) -> bool:
    """Whether a value is read from the state before the step, not from a new value."""
    while expr.op in _READS:
        if not expr.args:
            return True
        expr = expr.args[0]
    return False
