"""Conditions on sets and counts as conjunctions, negations and quantifiers, so that their parts can be distinguished.

`(a - b).is_empty()` is "no member is in a, and not in b"; `count(...) == 0` is "for none". Only the outermost form is
spelled out; what it is made of is for another call.

Not here: comparisons that are about more than one number (`count(...) <= 1`), and sets that steps have just changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from genstamp_model.language import ir
from genstamp_model.language.ir import FALSE, TRUE, Binder, Expr, Op
from genstamp_model.language.types import BOOL, RefType, SetType


def spelled_out(expr: Expr) -> Expr:
    """A condition that is true where the given one is; the same where there is nothing to spell out."""
    match expr.op:
        case Op.EQ:
            return _compared(expr)
        case Op.LE | Op.LT:
            return _counted(expr)
        case Op.ITE if expr.type == BOOL:
            return _chosen(*expr.args) or expr
        case Op.MEMBER:
            return _is_member(*expr.args) or expr
        case _:
            return expr


def members_of(junction: Expr) -> Iterator[Expr]:
    """The members of a conjunction or disjunction, spelled out, those of nested ones in their place."""
    for arg in junction.args:
        plain = spelled_out(arg)
        if plain.op is junction.op:
            yield from members_of(plain)
        else:
            yield plain


def _chosen(condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    """A choice of which one side is a constant."""
    for needed, side, other in ((condition, then, otherwise), (ir.negation(condition), otherwise, then)):
        if other is FALSE:
            return ir.conjunction([needed, side])
        if other is TRUE:
            return ir.disjunction([ir.negation(needed), side])
    return None


def for_each_member(subset: Expr) -> Expr:
    """The condition that a set is within another one, of each member."""
    return _for_members(subset, Op.FORALL)


def _compared(expr: Expr) -> Expr:
    left, right = expr.args
    for constant, other in ((left, right), (right, left)):
        if constant.op is not Op.CONST:
            continue
        if constant in (TRUE, FALSE):
            return other if constant is TRUE else ir.negation(other)
        if isinstance(constant.type, SetType) and not constant.data:
            return ir.negation(_for_members(other, Op.EXISTS))
        some = _some(other)
        if some is not None and constant.data == 0:
            return ir.negation(some)
    return expr


def _counted(expr: Expr) -> Expr:
    """A comparison of a number of members with none or one."""
    left, right = expr.args
    some, bound = _some(left), right
    if some is not None and bound.op is Op.CONST and bound.data == (0 if expr.op is Op.LE else 1):
        return ir.negation(some)
    some, bound = _some(right), left
    if some is not None and bound.op is Op.CONST and bound.data == (1 if expr.op is Op.LE else 0):
        return some
    return expr


def _some(number: Expr) -> Expr | None:
    """The condition that a number of members is above 0; None of other numbers."""
    match number.op:
        case Op.COUNT:
            return ir.make(Op.EXISTS, number.args, BOOL, number.data)
        case Op.CARDINALITY:
            return _for_members(number.args[0], Op.EXISTS)
        case _:
            return None


def _for_members(expr: Expr, op: Op) -> Expr:
    """The condition that a set has a member, or that each member of one is one of another."""
    kind = (expr.args[0] if expr.op is Op.SUBSET else expr).type
    assert isinstance(kind, SetType)
    name = kind.index.name.lower()
    used = {node.data for node in ir.walk(expr) if node.op is Op.PARAMETER}
    used |= {node.data.name for node in ir.walk(expr) if node.op in ir.BINDERS}
    free = next(found for i in range(len(used) + 1) if (found := f"{name}_{i}") not in used)
    member = ir.make(Op.PARAMETER, (), RefType(kind.index), free)
    sets = expr.args if expr.op is Op.SUBSET else (expr,)
    within = [ir.make(Op.MEMBER, (one, member), BOOL) for one in sets]
    body = within[0] if len(within) == 1 else ir.disjunction([ir.negation(within[0]), within[1]])
    return ir.make(op, (body,), BOOL, Binder(free, kind.index))


def _is_member(some: Expr, member: Expr) -> Expr | None:
    """The condition that a set made of others, or by a condition, has a member; None of other sets."""
    match some.op:
        case Op.UNION | Op.INTERSECTION | Op.DIFFERENCE:
            first, second = (ir.make(Op.MEMBER, (one, member), BOOL) for one in some.args)
            if some.op is Op.UNION:
                return ir.disjunction([first, second])
            return ir.conjunction([first, second if some.op is Op.INTERSECTION else ir.negation(second)])
        # Of nobody the condition may hold, and no set has nobody.
        case Op.MEMBERS if isinstance(member.type, RefType) and not member.type.optional:
            return _with(some.args[0], some.data.name, member)
        case _:
            return None


def _with(body: Expr, name: str, member: Expr) -> Expr | None:
    """The body of a quantifier for one member; None where the member's name means another one inside."""
    if any(node.data.name in {name, *member.free} for node in ir.walk(body) if node.op in ir.BINDERS):
        return None
    return ir.replaced(body, lambda node: member if node.op is Op.PARAMETER and node.data == name else None)
