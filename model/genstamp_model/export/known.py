"""Simplifies effects under the condition that the step's checks hold.

The effect of a lifecycle's event has a case for every state; if a check determines the state, one case is enough.
"""

from collections.abc import Iterable

from genstamp_model.language import ir
from genstamp_model.language.ir import BINDERS, Expr, Op


class Known:
    """Some conditions are known to hold.

    Args:
        conditions: of a step's checks.
    """

    def __init__(self, conditions: Iterable[Expr]) -> None:
        self._choices = {frozenset(_flat(Op.OR, part)) for one in conditions for part in _flat(Op.AND, one)}
        self._plain: dict[Expr, Expr] = {}

    def plain(self, expr: Expr) -> Expr:
        """An expression that is equal where the conditions hold."""
        # What a quantifier binds might be called like a parameter that the conditions speak of.
        if not expr.args or expr.op in BINDERS:
            return expr
        if expr not in self._plain:
            args = tuple(self.plain(arg) for arg in expr.args)
            if expr.op is Op.ITE and self._holds(expr):
                self._plain[expr] = args[1]
            else:
                self._plain[expr] = ir.make(expr.op, args, expr.type, expr.data)
        return self._plain[expr]

    def _holds(self, expr: Expr) -> bool:
        """Whether some known choice leads to the first value of a conditional, through those in its last value too."""
        found: set[Expr] = set()
        then, rest = expr.args[1], expr
        while rest.op is Op.ITE and rest.args[1] is then:
            found.update(_flat(Op.OR, rest.args[0]))
            rest = rest.args[2]
        return any(choice <= found for choice in self._choices)


def _flat(op: Op, expr: Expr) -> list[Expr]:
    return [part for arg in expr.args for part in _flat(op, arg)] if expr.op is op else [expr]
