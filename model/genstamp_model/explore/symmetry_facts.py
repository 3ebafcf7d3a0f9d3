"""What is known where an expression is computed: consequences of the conditions that hold there.

`symmetry_static` asks of a read whether it reads something: whether a reference names a member, and whether a sequence
has an element at a position. The answer is "known" or "not known"; everything that is known follows from conditions in
the text, in any state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import NumberType, RefType

T = TypeVar("T", bound=tuple[Any, ...])

# A literal: an expression with the truth value that it has.
Literal = tuple[Expr, bool]

_BOUND = re.compile(r"_\d+$")
"""How the name of a quantifier's member ends; it may be a message that was sent during the step."""


@dataclass(frozen=True)
class Facts:
    """Facts that follow from some conditions.

    Attributes:
        literals: conditions, each with its truth value.
        members: references that name a member.
        constants: expressions that equal a constant, with it.
        lengths: sequences, each with a number of elements that it has at least.
        inside: numbers, each with a sequence that is longer by an amount at least, or as long for 0.
        natural: numbers that are not below 0.
    """

    literals: frozenset[Literal] = frozenset()
    members: frozenset[Expr] = frozenset()
    constants: frozenset[tuple[Expr, Expr]] = frozenset()
    lengths: frozenset[tuple[Expr, int]] = frozenset()
    inside: frozenset[tuple[Expr, Expr, int]] = frozenset()
    natural: frozenset[Expr] = frozenset()

    def given(self, condition: Expr, holds: bool = True) -> Facts:
        """These facts and what follows where a condition holds, or where it does not."""
        draft = _Draft(self)
        draft.learn(condition, holds)
        return draft.facts()

    def named(self, reference: Expr) -> Facts:
        """These facts, and that a reference names a member."""
        draft = _Draft(self)
        draft.is_member(reference)
        return draft.facts()

    def without(self, name: str) -> Facts:
        """The facts that do not mention a parameter: for the inside of a quantifier that binds its name."""
        return Facts(*(frozenset(fact for fact in facts if not _mentions(fact, name)) for facts in self.parts()))

    def parts(self) -> tuple[frozenset[Any], ...]:
        """Every kind of fact, in the order of the attributes."""
        return self.literals, self.members, self.constants, self.lengths, self.inside, self.natural

    def include(self, other: Facts) -> bool:
        """Whether everything that others know is known here."""
        return all(theirs <= ours for ours, theirs in zip(self.parts(), other.parts(), strict=True))

    def both(self, other: Facts) -> Facts:
        """The facts that hold in both cases."""
        both = (ours & theirs for ours, theirs in zip(self.parts(), other.parts(), strict=True))
        lengths, inside = _smaller(self.lengths, other.lengths), _smaller(self.inside, other.inside)
        return replace(Facts(*both), lengths=lengths, inside=inside)

    def value(self, condition: Expr) -> bool | None:
        """The truth value of a condition; None where it is not known."""
        for value in (True, False):
            if (condition, value) in self.literals:
                return value
        match condition.op:
            case Op.CONST:
                return bool(condition.data)
            case Op.NOT:
                inner = self.value(condition.args[0])
                return None if inner is None else not inner
            case Op.AND | Op.OR:
                decides = condition.op is Op.OR
                values = [self.value(arg) for arg in condition.args]
                return decides if decides in values else None if None in values else not decides
            case Op.EQ:
                return self._equal(*condition.args)
            case _:
                return None

    def _equal(self, left: Expr, right: Expr) -> bool | None:
        """Whether two expressions are equal, where one is a constant."""
        if left.op is Op.CONST:
            left, right = right, left
        if right.op is not Op.CONST:
            return None
        if right.data is None and self.is_member(left):
            return False
        found = next((constant for expr, constant in self.constants if expr is left), None)
        return None if found is None else found.data == right.data

    def is_member(self, reference: Expr) -> bool:
        """Whether a reference is known to name a member."""
        assert isinstance(reference.type, RefType), reference
        if not reference.type.optional or reference in self.members:
            return True
        if reference.op is Op.ITE:
            condition, then, otherwise = reference.args
            return all(
                self.value(condition) is (not value) or self.given(condition, value).is_member(chosen)
                for chosen, value in ((then, True), (otherwise, False))
            )
        return False

    def is_inside(self, sequence: Expr, position: Expr) -> bool:
        """Whether a sequence is known to have an element at a position."""
        base, offset = _sum(position)
        if base is None:
            return 0 <= offset < self.least_length(sequence)
        if base.op is Op.LENGTH and base.args[0] is sequence:
            return offset < 0 <= self.least_length(sequence) + offset
        longer = any(one is base and other is sequence and offset < least for one, other, least in self.inside)
        return longer and self.is_natural(position)

    def least_length(self, sequence: Expr) -> int:
        """A number of elements that a sequence is known to have at least."""
        known = max([0, *(least for other, least in self.lengths if other is sequence)])
        match sequence.op:
            case Op.CONST:
                return len(sequence.data)
            case Op.APPEND:
                return max(known, self.least_length(sequence.args[0]) + 1)
            case Op.DROP_FIRST | Op.WITHOUT:
                return max(known, self.least_length(sequence.args[0]) - 1)
            case Op.ITE:
                condition, then, otherwise = sequence.args
                ways = (self.given(condition).least_length(then), self.given(condition, False).least_length(otherwise))
                return max(known, min(ways))
            case _:
                return known

    def is_natural(self, number: Expr) -> bool:
        """Whether a number is known not to be below 0."""
        match number.op:
            case Op.CONST:
                return bool(number.data >= 0)
            case Op.LENGTH | Op.CARDINALITY | Op.COUNT | Op.RANK | Op.MOD:
                return True
            case Op.DIV:
                return self.is_natural(number.args[0])
            case Op.ADD | Op.MUL | Op.MIN:
                return all(self.is_natural(arg) for arg in number.args)
            case Op.MAX:
                return any(self.is_natural(arg) for arg in number.args)
            case Op.VARIABLE | Op.NEXT | Op.PARAMETER | Op.FIELD | Op.SELECT | Op.AT if _is_kept(number):
                declared = isinstance(number.type, NumberType) and number.type.low is not None and number.type.low >= 0
                return declared or number in self.natural
            case _:
                return number in self.natural


class _Draft:
    """Facts that grow as conditions are learned."""

    def __init__(self, base: Facts) -> None:
        self._parts: tuple[set[Any], ...] = tuple(set(part) for part in base.parts())
        self._literals, self._members, self._constants, self._lengths, self._inside, self._natural = self._parts

    def known(self) -> Facts:
        """The consequences of each condition alone."""
        return Facts(*map(frozenset, self._parts))

    def facts(self) -> Facts:
        """The known facts, with the consequences of alternatives of which one must hold."""
        found, before = self.known(), None
        while found != before:
            before = found
            for condition, holds in before.literals:
                if condition.op is (Op.OR if holds else Op.AND):
                    found = _either(found, condition, holds)
        return found

    def learn(self, condition: Expr, holds: bool) -> None:
        """A condition holds, or does not."""
        if (condition, holds) in self._literals:
            return
        self._literals.add((condition, holds))
        match condition.op:
            case Op.NOT:
                self.learn(condition.args[0], not holds)
            case Op.AND | Op.OR if holds is (condition.op is Op.AND):
                for arg in condition.args:
                    self.learn(arg, holds)
            case Op.EQ:
                left, right = condition.args
                self._learn_equal(left, right, holds)
            case Op.LT | Op.LE:
                smaller, larger = condition.args if holds else reversed(condition.args)
                self._learn_order(smaller, larger, strict=holds is (condition.op is Op.LT))
            case Op.MEMBER if holds:
                self.is_member(condition.args[1])
            case Op.EXISTS | Op.EXISTS_IN if holds:
                self._learn_of_some(condition, holds)
            case Op.FORALL | Op.FORALL_IN if not holds:
                self._learn_of_some(condition, holds)

    def is_member(self, reference: Expr) -> None:
        """A reference names a member."""
        self._members.add(reference)

    def _learn_equal(self, left: Expr, right: Expr, holds: bool) -> None:
        if left.op is Op.CONST:
            left, right = right, left
        if right.op is Op.CONST and holds:
            self._constants.add((left, right))
        if isinstance(left.type, RefType):
            self._learn_same_member(left, right, holds)
        elif isinstance(left.type, NumberType):
            if holds:
                self._learn_order(left, right, strict=False)
                self._learn_order(right, left, strict=False)
            elif left.op is Op.LENGTH and right.op is Op.CONST and right.data == 0:
                self._lengths.add((left.args[0], 1))
        elif right.op is Op.CONST and right.data == () and not holds:
            self._lengths.add((left, 1))

    def _learn_same_member(self, left: Expr, right: Expr, holds: bool) -> None:
        if not holds:
            if right.op is Op.CONST and right.data is None:
                self._members.add(left)
            return
        for one, other in ((left, right), (right, left)):
            assert isinstance(other.type, RefType)
            if not other.type.optional or other in self._members:
                self._members.add(one)

    def _learn_order(self, smaller: Expr, larger: Expr, *, strict: bool) -> None:
        """One number is at most, or with `strict` less than, another."""
        (low, low_offset), (high, high_offset) = _sum(smaller), _sum(larger)
        least = low_offset - high_offset + strict
        if low is None and high is not None:
            if high.op is Op.LENGTH:
                self._lengths.add((high.args[0], least))
            if least >= 0:
                self._natural.add(high)
        elif low is not None and high is not None and high.op is Op.LENGTH:
            self._inside.add((low, high.args[0], least))

    def _learn_of_some(self, condition: Expr, holds: bool) -> None:
        """The consequences of a body that holds for some member, as far as they do not mention the member."""
        inside = _Draft(Facts())
        inside.learn(condition.args[-1], holds)
        for ours, theirs in zip(self._parts, inside.facts().without(condition.data.name).parts(), strict=True):
            ours.update(theirs)


def _smaller(ours: frozenset[T], theirs: frozenset[T]) -> frozenset[T]:
    """The smaller of two amounts, the last of each fact, where both have facts of the same expressions."""
    return frozenset(min(one, other, key=_amount) for one in ours for other in theirs if one[:-1] == other[:-1])


def _amount(fact: tuple[Any, ...]) -> int:
    amount: int = fact[-1]
    return amount


def _either(facts: Facts, condition: Expr, holds: bool) -> Facts:
    """The facts, and what those alternatives have in common that may hold."""
    found: Facts | None = None
    for arg in condition.args:
        if facts.value(arg) is not (not holds):
            draft = _Draft(facts)
            draft.learn(arg, holds)
            found = draft.known() if found is None else found.both(draft.known())
    return facts if found is None else found


def _sum(number: Expr) -> tuple[Expr | None, int]:
    """A number as an expression and a constant that is added to it; None for the constant alone."""
    if number.op is Op.CONST:
        return None, number.data
    if number.op in (Op.ADD, Op.SUB):
        left, right = number.args
        if right.op is Op.CONST:
            base, offset = _sum(left)
            return base, offset + (right.data if number.op is Op.ADD else -right.data)
        if left.op is Op.CONST and number.op is Op.ADD:
            base, offset = _sum(right)
            return base, offset + left.data
    return number, 0


def _is_kept(number: Expr) -> bool:
    """Whether a number is read from a state or an argument as it is: during a step others may leave their range."""
    while number.op in (Op.FIELD, Op.SELECT, Op.AT):
        number = number.args[0]
    return number.op in (Op.VARIABLE, Op.NEXT) or (number.op is Op.PARAMETER and not _BOUND.search(number.data))


def _mentions(fact: Any, name: str) -> bool:
    parts = fact if isinstance(fact, tuple) else (fact,)
    return any(isinstance(part, Expr) and name in part.free for part in parts)
