"""Which part of a condition is false in a state, or over a step, with the values that this part reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Property
from genstamp_model.language.types import BagType, Value, show

_READS = frozenset({Op.VARIABLE, Op.NEXT, Op.SELECT, Op.FIELD, Op.AT})


@dataclass(frozen=True)
class FalsePart:
    """Why a condition is false.

    Attributes:
        members: the members, and the messages of bags, for which it is, as (name, member).
        although: conditions that hold, and under which one of `claimed` should.
        claimed: conditions of which none holds; at least one.
        values: what `claimed` reads, as (expression, value), each once.
    """

    members: tuple[tuple[str, str], ...]
    although: tuple[str, ...]
    claimed: tuple[str, ...]
    values: tuple[tuple[str, str], ...]

    def lines(self) -> Iterator[str]:
        """The part as a reader sees it below a path."""
        which = "none of these holds" if len(self.claimed) > 1 else "this does not hold"
        is_of_step = any("'" in text for text in (*self.although, *self.claimed))
        primes = " (x' is the value of x after the step)" if is_of_step else ""
        yield f"{which}{self._for_whom}{primes}:"
        yield from (f"  {text}" for text in self.claimed)
        yield from (f"  {text}" for text in (self._where, self._although) if text)

    def __str__(self) -> str:
        found = (f"{' or '.join(self.claimed)} is false{self._for_whom}", self._where, self._although)
        return ", ".join(filter(None, found))

    @property
    def _for_whom(self) -> str:
        members = ", ".join(f"{name} {member}" for name, member in self.members)
        return f" for {members}" if members else ""

    @property
    def _where(self) -> str:
        values = ", ".join(f"{text} = {value}" for text, value in self.values)
        return f"where {values}" if values else ""

    @property
    def _although(self) -> str:
        return f"although {' and '.join(self.although)}" if self.although else ""


def false_part(evaluator: Evaluator, claim: Property, state: State, after: State | None = None) -> FalsePart | None:
    """The part of a property that is false, for the first members for which it is; None if the property holds.

    Args:
        after: the state after a step, for a transition property.
    """
    if evaluator.holds(claim, state, after):
        return None
    return _Descent(evaluator, state, after).part(claim.closed, {})


def failing(evaluator: Evaluator, claim: Property, before: State, after: State | None = None) -> str:
    """The name of a property that fails after a step, or of it, and the part that is false.

    Args:
        after: the state after the step; None where the property fails in the state `before`.
    """
    states = (before, after) if claim.kind == "transition" else (after or before,)
    return f"{claim.name}: {false_part(evaluator, claim, *states)}"


class _Descent:
    """Descends from a false condition to its smallest false parts."""

    def __init__(self, evaluator: Evaluator, state: State, after: State | None) -> None:
        self._evaluator, self._state, self._after = evaluator, state, after

    def part(self, expr: Expr, bound: Mapping[str, Value]) -> FalsePart:
        """The false part of a false condition."""
        match expr.op:
            case Op.FORALL:
                return self._for_member(expr, expr.args[0], bound)
            case Op.NOT if expr.args[0].op is Op.EXISTS:
                return self._for_member(expr.args[0], ir.negation(expr.args[0].args[0]), bound)
            case Op.FORALL_IN:
                return self._for_message(expr, expr.args[1], bound)
            case Op.NOT if expr.args[0].op is Op.EXISTS_IN:
                return self._for_message(expr.args[0], ir.negation(expr.args[0].args[1]), bound)
            case Op.NOT if expr.args[0].op is Op.AND:
                *although, last = _members(expr.args[0], Op.AND)
                return self._under(although, [ir.negation(last)], bound)
            case Op.AND:
                return self.part(self._smallest(expr, bound), bound)
            case Op.OR:
                members = list(_members(expr, Op.OR))
                # Of negations alone, the last is what is claimed: `a.implies(~b)`.
                claimed = [arg for arg in members if arg.op is not Op.NOT] or members[-1:]
                return self._under([arg.args[0] for arg in members if arg not in claimed], claimed, bound)
            case Op.ITE:
                condition, then, otherwise = expr.args
                if self._holds(condition, bound):
                    return self._under([condition], [then], bound)
                return self._under([ir.negation(condition)], [otherwise], bound)
            case _:
                return FalsePart((), (), (_plain_text(expr),), self._values([expr], bound))

    def _for_member(self, binder: Expr, claimed: Expr, bound: Mapping[str, Value]) -> FalsePart:
        name, index = binder.data.name, binder.data.over
        sizes = self._evaluator.sizes
        member = next(i for i in range(sizes.of(index)) if not self._holds(claimed, {**bound, name: i}))
        inner = self.part(claimed, {**bound, name: member})
        return replace(inner, members=((name, sizes.member_name(index, member)), *inner.members))

    def _for_message(self, binder: Expr, claimed: Expr, bound: Mapping[str, Value]) -> FalsePart:
        name, bag = binder.data.name, binder.args[0]
        messages = self._evaluator.value(bag, self._state, self._after, bound)
        assert isinstance(bag.type, BagType) and isinstance(messages, tuple), bag.type
        message = next(one for one in messages if not self._holds(claimed, {**bound, name: one}))
        inner = self.part(claimed, {**bound, name: message})
        shown = show(message, bag.type.message, self._evaluator.sizes)
        return replace(inner, members=((name, shown), *inner.members))

    def _under(self, although: list[Expr], claimed: list[Expr], bound: Mapping[str, Value]) -> FalsePart:
        """The false part where conditions hold, and none of what is claimed under them does."""
        if len(claimed) == 1:
            inner = self.part(claimed[0], bound)
        else:
            smallest = [self._smallest(one, bound) for one in claimed]
            inner = FalsePart((), (), tuple(map(_plain_text, smallest)), self._values(smallest, bound))
        holding = (member for one in although for member in _members(one, Op.AND))
        texts = dict.fromkeys((*map(_plain_text, holding), *inner.although))
        return replace(inner, although=tuple(texts))

    def _values(self, read: Iterable[Expr], bound: Mapping[str, Value]) -> tuple[tuple[str, str], ...]:
        """What expressions read of the state, each once."""
        found: dict[str, str] = {}
        for place in (place for one in read for place in reads(one, frozenset(bound))):
            value = self._evaluator.value(place, self._state, self._after, bound)
            found[ir.text(place)] = show(value, place.type, self._evaluator.sizes)
        return tuple(found.items())

    def _smallest(self, expr: Expr, bound: Mapping[str, Value]) -> Expr:
        """The first false member of a conjunction, and of that again."""
        while expr.op is Op.AND:
            expr = next(arg for arg in expr.args if not self._holds(arg, bound))
        return expr

    def _holds(self, expr: Expr, bound: Mapping[str, Value]) -> bool:
        return bool(self._evaluator.value(expr, self._state, self._after, bound))


def _members(expr: Expr, op: Op) -> Iterator[Expr]:
    """The members of a disjunction or conjunction, also of those within it."""
    if expr.op is not op:
        yield expr
        return
    for arg in expr.args:
        yield from _members(arg, op)


def _plain_text(expr: Expr) -> str:
    """An expression without the parentheses around the whole of it."""
    text = ir.text(expr)
    return text[1:-1] if len(expr.args) > 1 and text.startswith("(") else text


def reads(node: Expr, known: frozenset[str]) -> Iterator[Expr]:
    """The outermost reads of the state in an expression that need no bound variable beside the known ones."""
    if node.op in _READS and node.free <= known and not _is_constant(node):
        yield node
        return
    for arg in node.args:
        yield from reads(arg, known)


def _is_constant(node: Expr) -> bool:
    return bool(node.args) and node.args[0].op is Op.CONST
