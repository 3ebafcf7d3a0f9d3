"""Expressions as first-order logic.

Every form means what `evaluate` computes, with one exception: a bag is the set of messages of which at least one copy
is on its way. Taking a copy leaves others behind or does not, and either must be reckoned with. That is sound for
everything that does not count copies; `refusal` tells what does, and what else has no place in first-order logic.

The smallest number and the first member of some are told by axioms about a witness: it is one of them, and no other
is before it. There is such a witness, for index sets are finite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import z3

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    EnumType,
    IndexSet,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)
from genstamp_model.parametric.counting import COUNTING, Counted, compared
from genstamp_model.parametric.sorts import labels_of
from genstamp_model.parametric.symbolic import Bag, Reference, Symbolic, Table, Values, terms_in
from genstamp_model.prove.algebra import Term, Z3Algebra, lift

Bound = Mapping[str, Symbolic]

_SCALAR: dict[Op, Callable[..., Term]] = {
    Op.NOT: Z3Algebra.not_,
    Op.AND: lambda a, *parts: a.and_(parts),
    Op.OR: lambda a, *parts: a.or_(parts),
    Op.LT: Z3Algebra.lt,
    Op.LE: Z3Algebra.le,
    Op.ADD: Z3Algebra.add,
    Op.SUB: Z3Algebra.sub,
    Op.MUL: Z3Algebra.mul,
    Op.DIV: lambda a, x, by: a.ite(a.lt(0, by), a.quotient(x, by), 0),
    Op.MOD: lambda a, x, by: a.ite(a.lt(0, by), a.sub(x, a.mul(a.quotient(x, by), by)), 0),
    Op.MIN: Z3Algebra.minimum,
    Op.MAX: Z3Algebra.maximum,
}


def refusal(expr: Expr, parameters: AbstractSet[str] = frozenset()) -> str | None:
    """Why an expression has no translation, as text; None where it has one.

    Args:
        parameters: names that are bound outside of all quantifiers: those of an action.
    """
    if expr.op in COUNTING:
        return _refused_count(expr)
    return next((reason for node in ir.walk(expr) if (reason := _refused(node, parameters)) is not None), None)


def _refused_count(node: Expr) -> str:
    return (
        f"it counts ({ir.text(node)}), which can only be compared with a small constant (of messages: with 0); "
        "it could say forall or exists"
    )


def _refused(node: Expr, parameters: AbstractSet[str]) -> str | None:
    if isinstance(node.type, SequenceType) or any(isinstance(arg.type, SequenceType) for arg in node.args):
        return "it uses a sequence, which is not first-order; it could be a bag or a number"
    for counted in node.args:
        if counted.op in COUNTING and compared(node) is None:
            return _refused_count(counted)
    if node.op is Op.EQ and _uncomparable(node.args[0].type):
        return f"it compares all messages or elements of two values ({ir.text(node)}); it could say every or some"
    if node.op is Op.MUL and all(arg.op is not Op.CONST for arg in node.args):
        return f"it multiplies two variables ({ir.text(node)}), which is undecidable"
    is_first = node.op is Op.CONST and isinstance(node.type, RefType) and type(node.data) is int
    is_of_members = node.op in (Op.RANK, Op.SUCCESSOR, Op.PREDECESSOR) and isinstance(node.args[0].type, RefType)
    if is_first or is_of_members:
        return f"it asks for the order of members ({ir.text(node)}), which is supported for fixed sizes only"
    if node.op is Op.TAKE and not node.free <= parameters:
        return f"it takes many messages at once ({ir.text(node)}); it could take one that was received"
    return None


def _uncomparable(type_: Type) -> bool:
    """Whether a value of the type holds a bag or a sequence."""
    match type_:
        case BagType() | SequenceType():
            return True
        case ArrayType(element=element):
            return _uncomparable(element)
        case RecordType(fields=fields):
            return any(_uncomparable(kind) for _, kind in fields)
        case _:
            return False


@dataclass(frozen=True)
class Taking:
    """A copy of a message is taken off a bag.

    Attributes:
        message: which.
        left: whether another copy stays.
    """

    message: Symbolic
    left: Term


@dataclass
class Translation:
    """Translates over one pair of states.

    Attributes:
        before, after: a variable's value in the state, and in the next one.
        definitions: axioms of the witnesses introduced so far.
        takings: copies taken so far.
    """

    values: Values
    before: Callable[[str], Symbolic]
    after: Callable[[str], Symbolic]
    definitions: list[Term] = field(default_factory=list)
    takings: list[Taking] = field(default_factory=list)
    _done: dict[tuple[object, ...], tuple[Symbolic, list[Symbolic]]] = field(default_factory=dict)

    def value(self, expr: Expr, bound: Bound) -> Symbolic:
        """The value of an expression that `refusal` does not refuse."""
        given = [bound[name] for name in sorted(expr.free)]
        key = (id(expr), *(part for value in given for part in _identity(value)))
        if key not in self._done:
            # What was given is kept beside the result, so that its identity stays its own.
            self._done[key] = self._translate(expr, bound), given
        return self._done[key][0]

    def _translate(self, expr: Expr, bound: Bound) -> Symbolic:
        match expr.op:
            case Op.CONST:
                return self.values.constant(expr.type, expr.data)
            case Op.VARIABLE:
                return self.before(expr.data)
            case Op.NEXT:
                return self.after(expr.data)
            case Op.PARAMETER:
                return bound[expr.data]
            case Op.FORALL | Op.EXISTS | Op.TABULATE | Op.MEMBERS:
                return self._over_members(expr, bound)
            case Op.MINIMUM | Op.MAXIMUM:
                return self._optimum(expr, bound)
            case Op.CHOOSE:
                return self._first(expr, bound)
            case Op.FORALL_IN | Op.EXISTS_IN:
                return self._over_messages(expr, bound)
            case _:
                counted = compared(expr)
                if counted is not None:
                    return self._counted(counted, bound)
                args = [self.value(arg, bound) for arg in expr.args]
                kind = expr.args[0].type
                match kind:
                    case SetType() | BagType() if expr.op not in (Op.ITE, Op.EQ):
                        return self._of_set(expr, args) if isinstance(kind, SetType) else self._of_bag(expr, args)
                    case _:
                        return self._plain(expr, args)

    def _over_members(self, expr: Expr, bound: Bound) -> Symbolic:
        name, over, [body] = expr.data.name, expr.data.over, expr.args
        a = self.values.algebra

        def at(member: Term) -> Symbolic:
            return self.value(body, {**bound, name: Reference(False, member)})

        match expr.op:
            case Op.FORALL:
                return self.values.every(over, at)
            case Op.EXISTS:
                return a.not_(self.values.every(over, lambda member: a.not_(at(member))))
            case Op.MEMBERS:
                return Table(lambda member: a.and_([*self.values.sorts.belongs(over, member), at(member)]))
            case _:
                return Table(at)

    def _over_messages(self, expr: Expr, bound: Bound) -> Term:
        bag, body = self.value(expr.args[0], bound), expr.args[1]
        a = self.values.algebra

        def at(message: Symbolic) -> Term:
            return self.value(body, {**bound, expr.data.name: message})

        if expr.op is Op.FORALL_IN:
            return bag.every(at)
        return a.not_(bag.every(lambda message: a.not_(at(message))))

    def _counted(self, counted: Counted, bound: Bound) -> Term:
        """Whether a count is at least one number and below another."""
        a, count = self.values.algebra, counted.count
        if isinstance(count.args[0].type, BagType):
            some = a.not_(self.value(count.args[0], bound).every(lambda message: False))

            def at_least(least: int) -> Term:
                return True if least <= 0 else some

        else:
            over, holds = self._what_counts(count, bound)

            def at_least(least: int) -> Term:
                return self._at_least(least, over, holds, ())

        below = [] if counted.below is None else [a.not_(at_least(counted.below))]
        return a.and_([at_least(counted.least), *below])

    def _what_counts(self, count: Expr, bound: Bound) -> tuple[IndexSet, Callable[[Term], Term]]:
        """The index set that a count is over, and whether a member counts."""
        if count.op is Op.COUNT:
            name = count.data.name
            return count.data.over, lambda member: self.value(count.args[0], {**bound, name: Reference(False, member)})
        kind = count.args[0].type
        assert isinstance(kind, SetType)
        return kind.index, self.value(count.args[0], bound).at

    def _at_least(self, least: int, over: IndexSet, holds: Callable[[Term], Term], others: tuple[Term, ...]) -> Term:
        """The condition that this many different members hold, other than some."""
        a = self.values.algebra
        if least <= 0:
            return True

        def fails(member: Term) -> Term:
            different = [a.not_(a.eq(member, other)) for other in others]
            more = self._at_least(least - 1, over, holds, (*others, member))
            return a.not_(a.and_([*different, holds(member), more]))

        return a.not_(self.values.every(over, fails))

    def _optimum(self, expr: Expr, bound: Bound) -> Term:
        where, measure, default = expr.args
        a, smallest = self.values.algebra, expr.op is Op.MINIMUM

        def no_better(best: Symbolic, other: Symbolic) -> Term:
            left, right = (self.value(measure, {**bound, expr.data.name: one}) for one in (best, other))
            return a.le(left, right) if smallest else a.le(right, left)

        some, best = self._witness(expr, where, bound, no_better)
        value = self.value(measure, {**bound, expr.data.name: best})
        return a.ite(some, value, self.value(default, bound))

    def _first(self, expr: Expr, bound: Bound) -> Reference:
        before = self.values.sorts.before(expr.data.over)

        def no_later(first: Reference, other: Reference) -> Term:
            return before(first.member, other.member)

        some, first = self._witness(expr, expr.args[0], bound, no_later)
        return Reference(self.values.algebra.not_(some), first.member)

    def _witness(
        self, expr: Expr, where: Expr, bound: Bound, no_worse: Callable[[Reference, Reference], Term]
    ) -> tuple[Term, Reference]:
        """Whether the condition holds for some member, and then the one that is no worse than any other.

        The witness is a function of the quantified members that the expression depends on.
        """
        values, over = self.values, expr.data.over
        assert isinstance(over, IndexSet)
        arguments = self._open_in([bound[name] for name in expr.free])
        sorts = [argument.sort() for argument in arguments]
        member = z3.Function(values.fresh(f"{expr.op} {over.name}"), *sorts, values.sorts.of(over))(*arguments)
        witness = Reference(False, member)

        def holds(one: Reference) -> Term:
            return self.value(where, {**bound, expr.data.name: one})

        a = values.algebra
        some = a.and_([*values.sorts.belongs(over, member), holds(witness)])

        def bounded(other: Term) -> Term:
            one = Reference(False, other)
            return a.or_([a.not_(holds(one)), a.and_([some, no_worse(witness, one)])])

        axiom = lift(values.every(over, bounded))
        self.definitions.append(z3.ForAll(arguments, axiom) if arguments else axiom)
        return some, witness

    def _open_in(self, given: Sequence[Symbolic]) -> list[Term]:
        """The quantified members, of those whose quantifiers are open, that occur in some values."""
        if any(isinstance(part, Table | Bag) for value in given for part in _parts(value)):
            return list(self.values.open)
        found = {term.get_id() for value in given for root in terms_in(value) for term in _subterms(root)}
        return [bound for bound in self.values.open if bound.get_id() in found]

    def _of_set(self, expr: Expr, args: list[Symbolic]) -> Symbolic:
        a, values, (group, *others) = self.values.algebra, self.values, args
        match expr.op:
            case Op.MEMBER:
                [position] = others
                return a.and_([a.not_(position.nobody), group.at(position.member)])
            case Op.INSERT:
                [position] = others
                return Table(lambda member: a.or_([values.is_at(position, member), group.at(member)]))
            case Op.REMOVE:
                [position] = others
                return Table(lambda member: a.and_([a.not_(values.is_at(position, member)), group.at(member)]))
        [other] = others
        match expr.op:
            case Op.UNION:
                return Table(lambda member: a.or_([group.at(member), other.at(member)]))
            case Op.INTERSECTION:
                return Table(lambda member: a.and_([group.at(member), other.at(member)]))
            case Op.DIFFERENCE:
                return Table(lambda member: a.and_([group.at(member), a.not_(other.at(member))]))
        assert expr.op is Op.SUBSET, expr.op
        kind = expr.args[0].type
        assert isinstance(kind, SetType)
        return values.every(kind.index, lambda member: a.or_([a.not_(group.at(member)), other.at(member)]))

    def _of_bag(self, expr: Expr, args: list[Symbolic]) -> Symbolic:
        a, (bag, message), kind = self.values.algebra, args, expr.args[0].type
        assert isinstance(kind, BagType)

        def same(other: Symbolic) -> Term:
            return self.values.equal(kind.message, other, message)

        if expr.op is Op.SEND:
            return Bag(lambda claim: a.and_([claim(message), bag.every(claim)]))
        if expr.op is Op.HOLDS:
            return a.not_(bag.every(lambda other: a.not_(same(other))))
        assert expr.op is Op.TAKE, expr.op
        taking = Taking(message, z3.Bool(self.values.fresh("a copy is left")))
        self.takings.append(taking)
        gone = a.not_(taking.left)
        return Bag(lambda claim: bag.every(lambda other: a.or_([a.and_([gone, same(other)]), claim(other)])))

    def _plain(self, expr: Expr, args: list[Symbolic]) -> Symbolic:
        """The operations on scalars, arrays and records, all operands given."""
        a, values = self.values.algebra, self.values
        if expr.op in _SCALAR:
            return _SCALAR[expr.op](a, *args)
        match expr.op:
            case Op.EQ:
                return values.equal(expr.args[0].type, *args)
            case Op.ITE:
                return values.choose(expr.type, *args)
            case Op.SELECT:
                return values.select(expr.type, *args)
            case Op.STORE:
                assert isinstance(expr.type, ArrayType)
                return values.store(expr.type.element, *args)
            case Op.RANK:
                kind = expr.args[0].type
                assert isinstance(kind, EnumType)
                place: Term = 0
                for other, label in list(enumerate(labels_of(kind)[1]))[1:]:
                    place = a.ite(a.eq(args[0], label), other, place)
                return place
            case _:
                return self._of_record(expr, args)

    def _of_record(self, expr: Expr, args: list[Symbolic]) -> Symbolic:
        match expr.op:
            case Op.FIELD:
                return args[0][expr.data]
            case Op.WITH_FIELD:
                return (*args[0][: expr.data], args[1], *args[0][expr.data + 1 :])
        assert expr.op is Op.RECORD, expr.op
        return tuple(args)


def _identity(value: Symbolic) -> tuple[object, ...]:
    """The values that distinguish two values while both live."""
    return tuple(
        id(part) if isinstance(part, Table | Bag) else (type(part), part) if isinstance(part, int) else part.get_id()
        for part in _parts(value)
    )


def _parts(value: Symbolic) -> list[Symbolic]:
    if isinstance(value, Reference):
        return [value.nobody, value.member]
    return [part for inner in value for part in _parts(inner)] if isinstance(value, tuple) else [value]


def _subterms(root: Term) -> list[Term]:
    found: dict[int, Term] = {}
    open_ = [root]
    for term in open_:
        if term.get_id() not in found:
            found[term.get_id()] = term
            open_.extend(term.children())
    return list(found.values())
