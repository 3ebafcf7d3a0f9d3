"""The facts before a step that follow from its passed checks, and expressions that they simplify.

Not here: how an expression is written: `wording`.
"""

from collections.abc import Container, Iterable
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import BoolType, EnumType

_DEEPEST: Final = 3
"""A choice within more choices than these is not examined under the conditions of all of them."""


class Known:
    """Conditions that hold.

    Args:
        conditions: they.
        kept: expressions that are written by a name, and so left as they are.
    """

    def __init__(self, conditions: Iterable[Expr], kept: Container[Expr] = ()) -> None:
        self._truths: dict[Expr, bool] = {}
        self._labels: dict[Expr, frozenset[int]] = {}
        self._kept = kept
        self._simplified: dict[Expr, Expr] = {}
        self._depth = 0
        for condition in conditions:
            self._learn(condition, True)

    def _under(self, condition: Expr, value: bool) -> "Known":
        """What is known where a condition holds too, or does not."""
        more = Known((), self._kept)
        more._truths, more._labels, more._depth = dict(self._truths), dict(self._labels), self._depth + 1
        more._learn(condition, value)
        return more

    def _learn(self, condition: Expr, value: bool) -> None:
        self._truths[condition] = value
        if condition.op is Op.NOT:
            self._learn(condition.args[0], not value)
        elif condition.op is (Op.AND if value else Op.OR):
            for part in condition.args:
                self._learn(part, value)
        place, labels = one_of(condition)
        if place is not None:
            before = self.labels(place)
            self._labels[place] = before & labels if value else before - labels

    def labels(self, place: Expr) -> frozenset[int]:
        """The labels that a value of an enumeration may have."""
        assert isinstance(place.type, EnumType)
        return self._labels.get(place, frozenset(range(len(place.type.labels))))

    def truth(self, condition: Expr) -> bool | None:
        """Whether a condition holds, where that is known."""
        if condition in self._truths:
            return self._truths[condition]
        if condition.op is Op.CONST:
            return bool(condition.data)
        if condition.op is Op.NOT:
            inner = self.truth(condition.args[0])
            return None if inner is None else not inner
        if condition.op in (Op.AND, Op.OR):
            decisive = condition.op is Op.OR
            parts = [self.truth(part) for part in condition.args]
            return decisive if decisive in parts else not decisive if None not in parts else None
        place, labels = one_of(condition)
        if place is not None:
            may_be = self.labels(place)
            return True if may_be <= labels else False if not may_be & labels else None
        return None

    def simplified(self, expr: Expr) -> Expr:
        """The expression without what is known."""
        found = self._simplified.get(expr)
        if found is None:
            found = self._simplified[expr] = self._shorter(expr)
        return found

    def _shorter(self, expr: Expr) -> Expr:
        truth = self.truth(expr) if isinstance(expr.type, BoolType) else None
        if truth is not None:
            return ir.TRUE if truth else ir.FALSE
        if expr in self._kept or not expr.args:
            return expr
        if expr.op is Op.ITE:
            truth = self.truth(self.simplified(expr.args[0]))
            if truth is not None:
                return self.simplified(expr.args[1 if truth else 2])
            if self._depth < _DEEPEST:
                condition = self.simplified(expr.args[0])
                sides = [self._under(condition, holds).simplified(expr.args[2 - holds]) for holds in (True, False)]
                return _chosen(condition, *sides)
        args = tuple(self.simplified(arg) for arg in expr.args)
        if expr.op is Op.ITE:
            return _chosen(*args)
        if expr.op is Op.MEMBER and (only := _only(args[0])) is not None:
            return self._equal(args[1], only)
        if expr.op is Op.NOT and args[0].op is Op.NOT:
            return args[0].args[0]
        if expr.op in (Op.AND, Op.OR):
            return self._joined(expr.op, args)
        if expr.op is Op.EQ:
            return self._equal(*args)
        if expr.op in (Op.ADD, Op.SUB) and args[1].op is Op.CONST and args[1].data == 0:
            return args[0]
        if expr.op is Op.TABULATE and (copied := _copied(expr, args[0])) is not None:
            return copied
        if expr.op is Op.SELECT:
            return ir.select(*args)
        if expr.op is Op.FIELD:
            return ir.field(args[0], expr.data)
        return ir.make(expr.op, args, expr.type, expr.data)

    def _joined(self, op: Op, args: tuple[Expr, ...]) -> Expr:
        neutral = op is Op.AND
        left = [arg for arg in dict.fromkeys(args) if self.truth(arg) is not neutral]
        if any(self.truth(arg) is (not neutral) for arg in left):
            return ir.FALSE if neutral else ir.TRUE
        return ir.conjunction(left) if neutral else ir.disjunction(left)

    def _equal(self, left: Expr, right: Expr) -> Expr:
        """The result of an equality if one side was just chosen between constants."""
        if left is right:
            return ir.TRUE
        if left.op is Op.CONST and right.op is Op.CONST:
            return ir.FALSE
        if left.op is Op.ITE and right.op is Op.CONST:
            ways = [self._equal(side, right) for side in left.args[1:]]
            if ways[0] is ways[1]:
                return ways[0]
            if ways == [ir.TRUE, ir.FALSE]:
                return left.args[0]
            if ways == [ir.FALSE, ir.TRUE]:
                return self.simplified(ir.negation(left.args[0]))
        condition = ir.equal(left, right)
        truth = self.truth(condition)
        return condition if truth is None else ir.TRUE if truth else ir.FALSE


def _chosen(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """A choice without what is asked for twice."""
    if then.op is Op.ITE and then.args[0] is condition:
        then = then.args[1]
    if otherwise.op is Op.ITE and otherwise.args[0] is condition:
        otherwise = otherwise.args[2]
    if condition.op is Op.EQ and otherwise.op is Op.SELECT and otherwise.args[0].op is Op.STORE:
        array, position = otherwise.args
        if {position, array.args[1]} == set(condition.args):
            otherwise = ir.select(array.args[0], position)
    return then if then is otherwise else ir.choice(condition, then, otherwise)


def _copied(array: Expr, body: Expr) -> Expr | None:
    """The array that another one copies, element by element."""
    if body.op is not Op.SELECT or body.args[0].type != array.type or body.args[1].op is not Op.PARAMETER:
        return None
    source, position = body.args
    return source if position.data == array.data.name and position.data not in source.free else None


def _only(members: Expr) -> Expr | None:
    """The only member of a set that is written as the set of those that are equal to it."""
    if members.op is not Op.MEMBERS or members.args[0].op is not Op.EQ:
        return None
    bound, only = members.args[0].args
    is_bound = bound.op is Op.PARAMETER and bound.data == members.data.name
    return only if is_bound and bound.data not in only.free else None


def one_of(condition: Expr) -> tuple[Expr | None, frozenset[int]]:
    """The value of an enumeration, and the labels of which a condition says that it is one."""
    parts = condition.args if condition.op is Op.OR else (condition,)
    places = {part.args[0] for part in parts if part.op is Op.EQ}
    if len(places) != 1 or any(part.op is not Op.EQ or part.args[1].op is not Op.CONST for part in parts):
        return None, frozenset()
    place = places.pop()
    if not isinstance(place.type, EnumType) or place.op is Op.CONST:
        return None, frozenset()
    return place, frozenset(part.args[1].data for part in parts)
