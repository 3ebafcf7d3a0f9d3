"""Where a property could fail: for each of its parts the states, or steps, in which it claims anything at all.

"If a block is under recovery, its recovery id is above its stamp" holds of every state without such a block, and says
nothing of them. A property of which no reached state is one where it could have failed is *vacuous*: it holds, and no
mistake in the part of the protocol that it is about would have been noticed. Replaced by `false`, its consequent would
hold as well, which is the usual definition (Beer et al. 2001; Kupferman and Vardi 2003).

A property is taken apart along its conjunctions, universal quantifiers and implications, however they are written:
`a.implies(b)`, `~a | b`, `~(a & ~b)`, `when(a, b, True)`. Of a disjunction the negated members are the antecedent, or
the first member where none is; of a disjunction of negations the last is the consequent. That some conditions never
hold together says something where all but one do, whichever that is. Claimed without a condition, that at most so many
members are somewhere says something where so many are, and that nothing ever falls where it changes.

Left out: whether such a state is reached, which is a search's to say (`explore`), and consequents that no value of the
state breaks (`prove.tautology`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from genstamp_model.language import ir
from genstamp_model.language.ir import FALSE, TRUE, Expr, Op
from genstamp_model.language.model import Model, Property
from genstamp_model.language.types import BOOL, INTEGER, IndexSet


@dataclass(frozen=True)
class Interest:
    """A part of a property, and where it could fail.

    Attributes:
        claim: the property.
        where: the condition under which the part could fail, closed; over a state, or over a state and its successor.
        parts: what is claimed there, each closed, with what it depends on.
        two_states: whether `where` is about a step.
    """

    claim: Property
    where: Expr
    parts: tuple[Expr, ...]
    two_states: bool

    @property
    def has_counter(self) -> bool:
        """Whether steps have to be looked at: any step would do for what could fail anywhere."""
        return self.two_states and self.where is not TRUE


def interests(model: Model) -> tuple[Interest, ...]:
    """Of every invariant, transition property and leads-to of a model, in their order.

    A refinement is left out: coverage asks for each step of the upper system.
    """
    refined = {refinement.claim.name for refinement in model.refinements}
    return tuple(
        interest
        for claim in model.properties
        if claim.kind != "witness" and claim.name not in refined
        for interest in of(claim)
    )


def of(claim: Property) -> Iterator[Interest]:
    """The parts of one property; those that could fail under the same condition are one."""
    if claim.kind == "leads_to":
        assert claim.target is not None
        owed = ir.conjunction([claim.condition, ir.negation(claim.target)])
        yield Interest(claim, _for_some(claim, owed), (), False)
        return
    found: dict[Expr, list[Expr]] = {}
    for part, where in _parts(claim.closed):
        found.setdefault(where, []).append(part)
    for where, parts in found.items():
        yield Interest(claim, where, tuple(parts), claim.kind == "transition")


def _for_some(claim: Property, condition: Expr) -> Expr:
    for parameter in reversed(claim.parameters):
        assert isinstance(parameter.domain, IndexSet)
        condition = ir.make(Op.EXISTS, (condition,), BOOL, ir.Binder(parameter.name, parameter.domain))
    return condition


def _parts(expr: Expr, *, given: bool = False) -> Iterator[tuple[Expr, Expr]]:
    """Each part that must hold for the expression to hold, and where it could fail.

    Args:
        given: the expression is a consequent. A disjunction without a negation in it, and a choice, are one part, and a
            comparison says something wherever the antecedent holds.
    """
    match expr.op:
        case Op.NOT:
            yield from _refuted(expr.args[0], given=given)
        case Op.AND:
            for arg in expr.args:
                yield from _parts(arg, given=given)
        case Op.OR if not given or any(member.op is Op.NOT for member in _members(expr)):
            yield from _alternatives(list(_members(expr)))
        case Op.ITE if not given or any(arg.op is Op.CONST for arg in expr.args[1:]):
            yield from _choice(*expr.args, given=given)
        case Op.FORALL:
            yield from _for_each(Op.EXISTS, (), expr.args[0], expr.data, given=given)
        case Op.FORALL_IN:
            yield from _for_each(Op.EXISTS_IN, expr.args[:1], expr.args[1], expr.data, given=given)
        case _ if expr is not TRUE:
            yield expr, TRUE if given else _edge(expr)


def _choice(condition: Expr, then: Expr, otherwise: Expr, *, given: bool) -> Iterator[tuple[Expr, Expr]]:
    """The parts of a choice: two implications, or a condition that must hold where the other side is false."""
    for needed, claimed, other in ((condition, then, otherwise), (ir.negation(condition), otherwise, then)):
        if other is FALSE:
            yield from _parts(needed, given=given)
            yield from _parts(claimed, given=given)
            return
    yield from _under([condition], then)
    yield from _under([ir.negation(condition)], otherwise)


def _refuted(expr: Expr, *, given: bool) -> Iterator[tuple[Expr, Expr]]:
    """The same of the negation of an expression."""
    match expr.op:
        case Op.NOT:
            yield from _parts(expr.args[0], given=given)
        case Op.OR:
            for arg in expr.args:
                yield from _refuted(arg, given=given)
        case Op.AND if not given:
            yield from _exclusion(list(_members(expr)))
        case Op.EXISTS:
            yield from _for_each(Op.EXISTS, (), ir.negation(expr.args[0]), expr.data, given=given)
        case Op.EXISTS_IN:
            yield from _for_each(Op.EXISTS_IN, expr.args[:1], ir.negation(expr.args[1]), expr.data, given=given)
        case Op.LT | Op.LE:
            opposite = Op.LE if expr.op is Op.LT else Op.LT
            yield from _parts(ir.make(opposite, (expr.args[1], expr.args[0]), BOOL), given=given)
        case _ if expr is not FALSE:
            yield ir.negation(expr), TRUE


def _exclusion(members: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """The parts of a claim that some conditions never hold together: each is one where all the others do."""
    denied = [ir.negation(member) for member in members]
    if any(member.op is Op.NOT for member in members):
        yield from _alternatives([member.args[0] if member.op is Op.NOT else ir.negation(member) for member in members])
        return
    for member in members:
        yield ir.disjunction(denied), ir.conjunction([other for other in members if other is not member])


def _members(junction: Expr) -> Iterator[Expr]:
    """The members of a conjunction or disjunction, those of nested ones in their place."""
    for arg in junction.args:
        if arg.op is junction.op:
            yield from _members(arg)
        else:
            yield arg


def _alternatives(members: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """The parts of a disjunction, read as an implication."""
    negated = [member for member in members if member.op is Op.NOT]
    if len(negated) == len(members):
        negated = negated[:-1]
    if negated:
        given = [member.args[0] for member in negated]
        rest = [member for member in members if member.op is not Op.NOT] or list(members[-1:])
    else:
        given, rest = [ir.negation(members[0])], list(members[1:])
    if len(rest) == 1:
        yield from _under(given, rest[0])
    else:
        yield ir.disjunction(list(members)), ir.conjunction(given)


def _under(given: list[Expr], claimed: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The parts of what is claimed under some conditions."""
    otherwise = [ir.negation(one) for one in given]
    if claimed is FALSE:
        yield ir.disjunction(otherwise), TRUE
    for part, where in _parts(claimed, given=True):
        yield ir.disjunction([*otherwise, part]), ir.conjunction([*given, *([] if where is TRUE else [where])])


def _for_each(
    some: Op, over: tuple[Expr, ...], claimed: Expr, binder: ir.Binder, *, given: bool
) -> Iterator[tuple[Expr, Expr]]:
    """The parts of what is claimed of each member, or of each message of a bag."""
    each = Op.FORALL if some is Op.EXISTS else Op.FORALL_IN
    for part, where in _parts(claimed, given=given):
        anywhere = where is TRUE and some is Op.EXISTS
        somewhere = TRUE if anywhere else ir.make(some, (*over, where), BOOL, binder)
        yield ir.make(each, (*over, part), BOOL, binder), somewhere


def _edge(expr: Expr) -> Expr:
    """Where a comparison that is claimed without a condition comes to the edge of what it claims."""
    if expr.op in (Op.LE, Op.SUBSET):
        left, right = expr.args
        if any(node.op is Op.NEXT for node in ir.walk(expr)) and _now(left) is _now(right):
            return ir.negation(ir.make(Op.EQ, (left, right), BOOL))
    if expr.op is Op.SUBSET:
        return ir.negation(ir.equal(ir.make(Op.CARDINALITY, expr.args[:1], INTEGER), ir.number(0)))
    if expr.op in (Op.LE, Op.LT) and expr.args[0].op in (Op.COUNT, Op.CARDINALITY) and expr.args[1].op is Op.CONST:
        most = expr.args[1].data - (expr.op is Op.LT)
        if most > 0:
            return ir.make(Op.LE, (ir.number(most), expr.args[0]), BOOL)
    return TRUE


def _now(expr: Expr) -> Expr:
    """The expression with the state before a step in the place of the one after it."""
    found: dict[Expr, Expr] = {}
    for node in ir.walk(expr):
        args = tuple(found[arg] for arg in node.args)
        op = Op.VARIABLE if node.op is Op.NEXT else node.op
        found[node] = ir.make(op, args, node.type, node.data)
    return found[expr]
