"""An upper action without the hidden variables of its system.

A projection maps some variables of the upper system and leaves the others out. A step is then one of an upper action if
there are values of the hidden variables with which it is. That is not decided but bounded from above: a check, or an
effect on a variable that is mapped, says what it says for the values that the mapping gives, and a part that rests on a
hidden one holds for any. Where a check or an effect says that a hidden variable equals something that is mapped, it has
that value in the whole action (`told`).

So nothing that is a step of the upper system is refused. What is accepted may be none, for two reasons: two parts may
need different values of one hidden variable, and the origin of its value is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import BOOL, ArrayType, IndexSet, RecordType, RefType


def told(
    checks: Iterable[Expr],
    effects: Mapping[str, Expr],
    after: Mapping[str, Expr],
    hidden: frozenset[str],
    here: Callable[[Expr], Expr],
) -> dict[str, Expr]:
    """The values of hidden variables that an action's checks and effects tell, by name, over the lower state.

    Args:
        checks: the conditions of its checks, over the upper state.
        effects: what variables become, likewise.
        after: each mapped variable over the next lower state.
        hidden: names of the hidden variables.
        here: takes an upper expression without hidden variables to the lower one.
    """
    found: dict[str, Expr] = {}
    for variable, effect in effects.items():
        if variable in after and effect.op is Op.VARIABLE and effect.data in hidden:
            found.setdefault(effect.data, after[variable])
    for part in (part for check in checks for part in (check.args if check.op is Op.AND else (check,))):
        if part.op is Op.EQ:
            for one, other in (part.args, part.args[::-1]):
                if one.op is Op.VARIABLE and one.data in hidden and not rests_on(other, hidden) and not other.free:
                    found.setdefault(one.data, here(other))
    return found


def rests_on(expr: Expr, hidden: frozenset[str]) -> bool:
    """Whether a hidden variable occurs in an expression."""
    return any(node.op is Op.VARIABLE and node.data in hidden for node in ir.walk(expr))


class Projected:
    """Conditions of an upper action with some variables hidden, over the lower state.

    Args:
        hidden: variables that cannot be determined.
        unknown: parameters, likewise: messages out of hidden bags.
        here: takes an upper expression without hidden names to the lower one.
        same: equality of two lower expressions.
    """

    def __init__(
        self,
        hidden: frozenset[str],
        unknown: frozenset[str],
        here: Callable[[Expr], Expr],
        same: Callable[[Expr, Expr], Expr],
    ) -> None:
        self._hidden = hidden
        self._unknown = unknown
        self._here = here
        self._same = same
        self._blind: dict[Expr, bool] = {}
        self._binders = 0

    def possible(self, condition: Expr) -> Expr:
        """True at least wherever the condition holds for some values of what is hidden."""
        return self._bound(condition, above=True)

    def _bound(self, condition: Expr, *, above: bool) -> Expr:
        """From above, or from below: false at least wherever the condition fails for some values."""
        if not self._is_blind(condition):
            return self._here(condition)
        nothing = ir.TRUE if above else ir.FALSE
        match condition.op:
            case Op.NOT:
                return ir.negation(self._bound(condition.args[0], above=not above))
            case Op.AND | Op.OR:
                parts = [self._bound(part, above=above) for part in condition.args]
                return _joined(condition.op, parts)
            case Op.ITE:
                test, *branches = condition.args
                then, otherwise = (self._bound(branch, above=above) for branch in branches)
                if self._is_blind(test):
                    return _joined(Op.OR if above else Op.AND, [then, otherwise])
                return then if then is otherwise else ir.make(Op.ITE, (self._here(test), then, otherwise), BOOL)
            case Op.FORALL | Op.EXISTS:
                body = self._bound(condition.args[0], above=above)
                return body if body.op is Op.CONST else ir.make(condition.op, (body,), BOOL, condition.data)
            case _:
                return nothing

    def becomes(self, after: Expr, effect: Expr) -> Expr:
        """True at least wherever a lower value may be what an upper effect gives.

        Args:
            after: the mapped variable, or a part of it, over the next lower state.
            effect: its new value under the action, over the upper state.
        """
        if not self._is_blind(effect):
            return self._same(after, self._here(effect))
        match effect.type:
            case _ if effect.op is Op.ITE:
                return self._either(after, *effect.args)
            case ArrayType(index=index):
                return self._everywhere(after, effect, index)
            case RecordType(fields=fields):
                every = [self.becomes(ir.field(after, i), _field(effect, i)) for i in range(len(fields))]
                return _joined(Op.AND, every)
            case _:
                return ir.TRUE

    def _either(self, after: Expr, test: Expr, then: Expr, otherwise: Expr) -> Expr:
        """One branch or the other, by the test where that can be told."""
        first, second = self.becomes(after, then), self.becomes(after, otherwise)
        if first is second:
            return first
        if self._is_blind(test):
            return _joined(Op.OR, [first, second])
        return ir.make(Op.ITE, (self._here(test), first, second), BOOL)

    def _everywhere(self, after: Expr, effect: Expr, index: IndexSet) -> Expr:
        """Each element gets the value of the effect."""
        self._binders += 1
        binder = ir.Binder(f"at_{self._binders}", index)
        position = ir.make(Op.PARAMETER, (), RefType(index), binder.name)
        body = self.becomes(ir.select(after, position), _element(effect, position))
        return body if body.op is Op.CONST else ir.make(Op.FORALL, (body,), BOOL, binder)

    def _is_blind(self, expr: Expr) -> bool:
        found = self._blind.get(expr)
        if found is None:
            found = self._blind[expr] = rests_on(expr, self._hidden) or bool(expr.free & self._unknown)
        return found


def _joined(op: Op, parts: list[Expr]) -> Expr:
    """All of the parts, or any, without what decides nothing."""
    whole, nothing = (ir.FALSE, ir.TRUE) if op is Op.AND else (ir.TRUE, ir.FALSE)
    left = [part for part in dict.fromkeys(parts) if part is not nothing]
    if whole in left:
        return whole
    return ir.conjunction(left) if op is Op.AND else ir.disjunction(left)


def _element(array: Expr, position: Expr) -> Expr:
    """An element of an array, found within what makes the array."""
    match array.op:
        case Op.STORE:
            before, where, element = array.args
            here = ir.equal(position, where)
            return ir.make(Op.ITE, (here, element, _element(before, position)), element.type)
        case Op.ITE:
            test, then, otherwise = array.args
            first, second = _element(then, position), _element(otherwise, position)
            return ir.make(Op.ITE, (test, first, second), first.type)
        case Op.TABULATE:
            return _with(array.args[0], array.data.name, position)
        case _:
            return ir.select(array, position)


def _field(record: Expr, number: int) -> Expr:
    """A field of a record, likewise."""
    if record.op is Op.ITE:
        test, then, otherwise = record.args
        first, second = _field(then, number), _field(otherwise, number)
        return ir.make(Op.ITE, (test, first, second), first.type)
    return ir.field(record, number)


def _with(expr: Expr, name: str, value: Expr) -> Expr:
    """The expression with a value for a bound parameter. No name is captured: bound variables are numbered."""
    return ir.replaced(expr, lambda node: value if node.op is Op.PARAMETER and node.data == name else None)
