"""Where a property could fail: for each of its parts the states, or steps, in which it claims anything at all.

"If a block is under recovery, its recovery id is above its stamp" holds of every state without such a block, and says
nothing of them. A property is *vacuous* if it could not have failed in any reached state: it holds, and no mistake in
the part of the protocol that it is about would have been noticed. Replaced by `false`, its consequent would hold as
well, which is the usual definition (Beer et al. 2001; Kupferman and Vardi 2003).

A property is taken apart along its conjunctions, universal quantifiers and implications, however they are written:
`a.implies(b)`, `~a | b`, `~(a & ~b)`, `when(a, b, True)`. Of a disjunction the negated members are the antecedent, or
the first member where none is; of a disjunction of negations the last is the consequent. That some conditions never
hold together says something where all but one do, whichever that is. Claimed without a condition, that at most this
many members are somewhere says something where so many are, and that nothing ever falls where it changes.

The inner parts of a property must have mattered as well (`mattering`): a part that is never true makes the property
hold in the same way as an antecedent that is never true.

Not here: whether such a state is reached, which is a search's to say (`explore`), and consequents that no value of the
state breaks (`prove.tautology`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from genstamp_model.language import ir
from genstamp_model.language.ir import FALSE, TRUE, Expr, Op
from genstamp_model.language.model import Model, Property
from genstamp_model.language.types import BOOL, IndexSet
from genstamp_model.mattering import before, inside
from genstamp_model.spelled_out import for_each_member, members_of, spelled_out
from genstamp_model.unused import never_set


@dataclass(frozen=True)
class Interest:
    """A part of a property, and where it could fail.

    Attributes:
        claim: the property.
        where: the condition under which the part could fail, closed; over a state, or over a state and its successor.
        parts: what is claimed there, each closed, with what it depends on; empty where it is about what the claim is
            made of.
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
    # That no step sets a variable is a finding of its own, and that no step sets a label is declared.
    fixed = frozenset(
        [*(variable.name for variable in never_set(model)), *(name for name in model.idle if "." in name)]
    )
    return tuple(
        interest
        for claim in model.properties
        if claim.kind != "witness" and claim.name not in refined
        for interest in _of(claim, fixed)
    )


def _of(claim: Property, fixed: Collection[str]) -> Iterator[Interest]:
    """The parts of one property; those that could fail under the same condition are one."""
    found: dict[Expr, list[Expr]] = {}
    if claim.kind == "leads_to":
        assert claim.target is not None
        owed = [] if claim.target is ir.FALSE else [ir.conjunction([claim.condition, ir.negation(claim.target)])]
        found = {_for_some(claim, where): [] for where in (*owed, *claim.again)}
        promise = ir.disjunction([ir.negation(claim.condition), claim.target])
        others = [_for_some(claim, where) for where in inside(promise, fixed)]
    else:
        for part, where in _parts(claim.closed):
            found.setdefault(where, []).append(part)
        others = list(inside(claim.closed, fixed))
    for where, parts in found.items():
        yield Interest(claim, where, tuple(parts), claim.kind == "transition")
    for where in dict.fromkeys(others):
        if where not in found:
            yield Interest(claim, where, (), any(node.op is Op.NEXT for node in ir.walk(where)))


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
    edge = TRUE if given else _edge(expr)
    plain = expr if edge is not TRUE else spelled_out(expr)
    match plain.op:
        case Op.NOT:
            yield from _refuted(plain.args[0], given=given)
        case Op.AND:
            for arg in plain.args:
                yield from _parts(arg, given=given)
        case Op.OR if not given or any(member.op is Op.NOT for member in members_of(plain)):
            yield from _alternatives(list(members_of(plain)))
        case Op.ITE if not given:
            yield from _choice(*plain.args)
        case Op.SUBSET if not given and edge is TRUE:
            yield from _parts(for_each_member(plain))
        case Op.FORALL:
            yield from _for_each(Op.EXISTS, (), plain.args[0], plain.data, given=given)
        case Op.FORALL_IN:
            yield from _for_each(Op.EXISTS_IN, plain.args[:1], plain.args[1], plain.data, given=given)
        case _ if plain is not TRUE:
            yield plain, edge


def _choice(condition: Expr, then: Expr, otherwise: Expr) -> Iterator[tuple[Expr, Expr]]:
    """The parts of a choice: two implications."""
    yield from _under([condition], then)
    yield from _under([ir.negation(condition)], otherwise)


def _refuted(expr: Expr, *, given: bool) -> Iterator[tuple[Expr, Expr]]:
    """The same of the negation of an expression."""
    plain = spelled_out(expr)
    match plain.op:
        case Op.NOT:
            yield from _parts(plain.args[0], given=given)
        case Op.OR:
            for arg in plain.args:
                yield from _refuted(arg, given=given)
        case Op.AND if not given:
            yield from _exclusion(list(members_of(plain)))
        case Op.EXISTS:
            yield from _for_each(Op.EXISTS, (), ir.negation(plain.args[0]), plain.data, given=given)
        case Op.EXISTS_IN:
            yield from _for_each(Op.EXISTS_IN, plain.args[:1], ir.negation(plain.args[1]), plain.data, given=given)
        case Op.LT | Op.LE:
            opposite = Op.LE if plain.op is Op.LT else Op.LT
            yield from _parts(ir.make(opposite, (plain.args[1], plain.args[0]), BOOL), given=given)
        case _ if plain is not FALSE:
            yield ir.negation(plain), TRUE


def _exclusion(members: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """The parts of a claim that some conditions never hold together: each is one where all the others do."""
    exist = [member for member in members if _lets_compare(member, members)]
    if exist and len(exist) < len(members):
        rest = [member for member in members if member not in exist]
        yield from _under(exist, ir.negation(ir.conjunction(rest)))
        return
    denied = [ir.negation(member) for member in members]
    if any(member.op is Op.NOT for member in members):
        yield from _alternatives([member.args[0] if member.op is Op.NOT else ir.negation(member) for member in members])
        return
    for member in members:
        yield ir.disjunction(denied), ir.conjunction([other for other in members if other is not member])


def _lets_compare(condition: Expr, others: Sequence[Expr]) -> bool:
    """Whether a condition says that the first one of `one.before(other)` is not none."""
    if condition.op is not Op.NOT or condition.args[0].op is not Op.EQ:
        return False
    ranks = [other.args[0] for other in others if other.op is Op.LT and other.args[0].op is Op.RANK]
    return any(rank.args[0] in condition.args[0].args for rank in ranks)


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
    if claimed is FALSE:
        yield from _refuted(ir.conjunction(given), given=False)
        return
    otherwise = [ir.negation(one) for one in given]
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
        if any(node.op is Op.NEXT for node in ir.walk(expr)) and before(left) is before(right):
            return ir.negation(ir.make(Op.EQ, (left, right), BOOL))
    if expr.op in (Op.LE, Op.LT) and expr.args[0].op in (Op.COUNT, Op.CARDINALITY) and expr.args[1].op is Op.CONST:
        most = expr.args[1].data - (expr.op is Op.LT)
        if most > 0:
            return spelled_out(ir.make(Op.LE, (ir.number(most), expr.args[0]), BOOL))
    return TRUE
