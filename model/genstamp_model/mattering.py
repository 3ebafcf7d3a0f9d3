"""The conditions that must have held inside a condition, in some reached state or step, so that each part of it
mattered.

A condition that a value depends on (what `count` counts, `where` of a minimum, the condition of a choice) was true, and
that of a choice false as well; so was each alternative of an antecedent. Each of two values that are compared has left
its initial value, and has changed in a step where it is compared with itself.

Not here: where the condition as a whole could fail (`interest`), and that conditions that are claimed, or that only
weaken a claim, were ever needed: what holds without them could be claimed without them, which is no fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum, auto

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.labels import name_of
from genstamp_model.language.types import BOOL, INTEGER
from genstamp_model.spelled_out import for_each_member, members_of, spelled_out

_READS = (Op.VARIABLE, Op.NEXT)
_ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MOD, Op.MIN, Op.MAX, Op.RANK})
_BY_CONDITION = frozenset({Op.COUNT, Op.MEMBERS, Op.CHOOSE, Op.MINIMUM, Op.MAXIMUM})
_SIZES = frozenset({Op.CARDINALITY, Op.LENGTH})


def inside(claim: Expr, fixed: Collection[str]) -> Iterator[Expr]:
    """The conditions that must have held inside a claim, each for some of the members that are bound around it.

    Args:
        claim: what must hold; closed, or with the free parameters of a property.
        fixed: variables that count as constants, and labels that no step sets: what asks for one is left out.
    """
    found = _Inside(fixed).of(claim, _Role.CLAIMED, given=False)
    return (one for one in found if _reads(one, fixed) and not _asks_for(one, fixed))


class _Role(Enum):
    """What is claimed of a condition: that it is true, that it is false, or something else where it is true."""

    CLAIMED = auto()
    DENIED = auto()
    ASKED = auto()


_OPPOSITE = {_Role.CLAIMED: _Role.DENIED, _Role.DENIED: _Role.CLAIMED, _Role.ASKED: _Role.CLAIMED}


class _Inside:
    """Looks into conditions and values.

    Args:
        fixed: as of `inside`.
    """

    def __init__(self, fixed: Collection[str]) -> None:
        self._fixed = fixed

    def of(self, expr: Expr, role: _Role, *, given: bool) -> Iterator[Expr]:
        """Of a condition.

        Args:
            role: what is claimed of it.
            given: something is claimed of it under other conditions.
        """
        plain = spelled_out(expr)
        match plain.op:
            case Op.SUBSET:
                yield from self._contained(*plain.args) if given else ()
                yield from self.of(for_each_member(plain), role, given=given)
            case Op.NOT:
                yield from self.of(plain.args[0], _OPPOSITE[role], given=given)
            case Op.AND | Op.OR:
                yield from self._of_junction(plain, role, given=given)
            case Op.ITE:
                condition, *sides = plain.args
                yield from (condition, ir.negation(condition), *self.of(condition, _Role.ASKED, given=True))
                for side in sides:
                    yield from self.of(side, role, given=True)
            case Op.FORALL | Op.EXISTS | Op.FORALL_IN | Op.EXISTS_IN:
                yield from _for_some(plain, self.of(plain.args[-1], role, given=given))
            case Op.EQ | Op.LE | Op.LT:
                yield from self._compared(plain, role, given=given)
                yield from self._values(plain)
            case _:
                yield from self._values(plain)

    def _of_junction(self, junction: Expr, role: _Role, *, given: bool) -> Iterator[Expr]:
        members = list(members_of(junction))
        if junction.op is Op.OR and role is _Role.ASKED and not _is_one_of(members):
            yield from members
        if (junction.op, role) in ((Op.OR, _Role.CLAIMED), (Op.AND, _Role.DENIED)):
            negated = [member for member in members if member.op is Op.NOT]
            if role is _Role.CLAIMED and len(negated) == len(members):
                negated.pop()
            for member in members:
                yield from self._of_alternative(member, role, is_negated=member in negated)
            return
        for member in members:
            yield from self.of(member, role, given=given or role is _Role.ASKED)

    def _of_alternative(self, member: Expr, role: _Role, *, is_negated: bool) -> Iterator[Expr]:
        """Of a member of an implication, or of what never holds together."""
        is_asked = is_negated is (role is _Role.CLAIMED)
        inner = member.args[0] if is_negated else member
        yield from self.of(inner, _Role.ASKED if is_asked else _Role.CLAIMED, given=True)

    def _values(self, expr: Expr) -> Iterator[Expr]:
        """Of the values in a comparison, or in another condition that is not made of conditions."""
        for value in expr.args:
            yield from self._value(value)

    def _value(self, value: Expr) -> Iterator[Expr]:
        if value.type == BOOL:
            yield from self.of(value, _Role.ASKED, given=True)
            return
        yield from _for_some(value, self._conditions(value))
        yield from _for_some(value, self._values(value))

    def _conditions(self, value: Expr) -> Iterator[Expr]:
        """The conditions that a value depends on."""
        if value.op is Op.ITE:
            yield ir.negation(value.args[0])
        if value.op is Op.ITE or value.op in _BY_CONDITION:
            yield value.args[0]
        elif value.op in _SIZES and value.args[0].op is not Op.MEMBERS:
            yield _is_above_zero(value)

    def _contained(self, some: Expr, others: Expr) -> Iterator[Expr]:
        """The condition that a set which is within another one has members, or one that only grows has grown."""
        is_same = before(some) is before(others)
        yield _unlike(some, others) if is_same else _is_above_zero(ir.make(Op.CARDINALITY, (some,), INTEGER))

    def _compared(self, comparison: Expr, role: _Role, *, given: bool) -> Iterator[Expr]:
        """The condition that two values have left their initial ones, and that one which is compared with itself has
        changed.

        What is compared with a constant may well stay: that is what is claimed. So may a value before and after a step,
        unless that is claimed under a condition.
        """
        left, right = comparison.args
        if _asks_for(comparison, self._fixed):
            return
        if before(left) is before(right):
            if given and role is not _Role.ASKED and _reads(left, self._fixed):
                yield from self._moved(before(left)) if comparison.op is Op.EQ else [_unlike(left, right)]
            return
        if _reads(left, self._fixed) and _reads(right, self._fixed):
            yield from (*self._moved(left), *self._moved(right))
        places = [operand for side in comparison.args for operand in _operands(side) if _reads(operand, self._fixed)]
        changes = [_unlike(one, now) for one in places if (now := before(one)) is not one and now in places]
        if changes:
            yield ir.disjunction(changes)

    def _moved(self, side: Expr) -> Iterator[Expr]:
        """The condition that each value in a side is not the initial one, except for those that depend on
        conditions.
        """
        for part in _operands(side):
            if _reads(part, self._fixed) and part.op not in (Op.ITE, *_BY_CONDITION, *_SIZES):
                yield _unlike(part, _replaced(part, dict.fromkeys(_READS, Op.INITIAL)))


def _for_some(binding: Expr, conditions: Iterable[Expr]) -> Iterator[Expr]:
    """Conditions below an expression, for some of the members that it binds."""
    if binding.op not in ir.BINDERS:
        yield from conditions
        return
    over_messages = binding.op in (Op.FORALL_IN, Op.EXISTS_IN)
    some, over = (Op.EXISTS_IN, binding.args[:1]) if over_messages else (Op.EXISTS, ())
    for condition in conditions:
        is_bound = binding.data.name in condition.free
        yield ir.make(some, (*over, condition), BOOL, binding.data) if is_bound else condition


def _reads(expr: Expr, fixed: Collection[str]) -> bool:
    return any(node.op in _READS and node.data not in fixed for node in ir.walk(expr))


def _asks_for(expr: Expr, labels: Collection[str]) -> bool:
    return any(name_of(node) in labels for node in ir.walk(expr) if node.op is Op.CONST)


def _operands(side: Expr) -> Iterator[Expr]:
    """The compared expressions, without arithmetic."""
    if side.op not in _ARITHMETIC:
        yield side
        return
    for arg in side.args:
        yield from _operands(arg)


def _is_above_zero(size: Expr) -> Expr:
    return spelled_out(ir.make(Op.LT, (ir.number(0), size), BOOL))


def _unlike(one: Expr, other: Expr) -> Expr:
    return ir.negation(ir.equal(one, other))


def _is_one_of(members: Sequence[Expr]) -> bool:
    """Whether alternatives compare one value with constants."""
    if not all(member.op is Op.EQ and any(side.op is Op.CONST for side in member.args) for member in members):
        return False
    return len({side for member in members for side in member.args if side.op is not Op.CONST}) == 1


def before(expr: Expr) -> Expr:
    """The expression with the state before a step in the place of the one after it."""
    return _replaced(expr, {Op.NEXT: Op.VARIABLE})


def _replaced(expr: Expr, leaves: dict[Op, Op]) -> Expr:
    """The expression with the variables of another state."""
    return ir.replaced(
        expr, lambda node: ir.make(leaves[node.op], (), node.type, node.data) if node.op in leaves else None
    )
