"""Symbolic values that hold others: arrays, sets, sequences and message bags. Views of their place, like all such."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar, cast

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.lifecycles import refuse_lifecycle
from genstamp_model.language.members import Index, at_rank, member_of
from genstamp_model.language.quantifying import of_every, of_one
from genstamp_model.language.registry import container
from genstamp_model.language.trace import current, misuse
from genstamp_model.language.types import (
    BOOL,
    INTEGER,
    ArrayType,
    BagType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)
from genstamp_model.language.values import Bool, Number, Place, Value, at_place, coerce, wrap

IndexT = TypeVar("IndexT", bound=Index)
V = TypeVar("V")


@container(ArrayType)
class Array(Value, Generic[IndexT, V]):
    """One element for each member of an index set; of an ordered one it is found by its rank as well."""

    def _position(self, index: IndexT | Number | int) -> Expr:
        array = self._type
        assert isinstance(array, ArrayType)
        if isinstance(index, Number) or type(index) is int:
            return at_rank(array.index, index)
        return coerce(index, RefType(array.index, optional=True))

    def __getitem__(self, index: IndexT | Number | int) -> V:
        position = self._position(index)
        if self._place is None:
            return cast(V, wrap(ir.select(self.expr, position)))
        outer = self._place
        place = Place(
            lambda: ir.select(outer.read(), position),
            lambda change: outer.change(lambda whole: ir.store(whole, position, change(ir.select(whole, position)))),
            f"{outer.name}[{ir.text(position)}]",
            ir.select(outer.seen, position),
        )
        return cast(V, at_place(place))

    def __setitem__(self, index: IndexT | Number | int, value: object) -> None:
        array = self._type
        assert isinstance(array, ArrayType)
        refuse_lifecycle(self._place.name if self._place else "elements", array.element)
        position, element = self._position(index), coerce(value, array.element)
        self._change(lambda whole: ir.store(whole, position, element))

    def update(self, value: Callable[[IndexT], object]) -> None:
        """Assign every element at once: `s.age.update(lambda h: when(h == holder, 0, s.age[h]))`.

        Lifecycles move by events here too: `s.lamp.update(lambda h: s.lamp[h].after(Lamp.burn))`.
        """
        array = self._type
        assert isinstance(array, ArrayType)
        function = of_one(value, ".update()", "lambda n: s.age[n]")

        def assigned(bound: Expr) -> Expr:
            element = function(cast(IndexT, member_of(bound)))
            if not isinstance(element, Value):
                refuse_lifecycle("elements", array.element, "after")
            return coerce(element, array.element)

        binder, body = of_every(array.index, assigned)
        self._assign(ir.make(Op.TABULATE, (body,), array, binder))


@container(SetType)
class Members(Value, Generic[IndexT]):
    """A subset of an index set."""

    def _position(self, member: IndexT) -> Expr:
        kind = self._type
        assert isinstance(kind, SetType)
        return coerce(member, RefType(kind.index, optional=True))

    def _with(self, op: Op, other: Members[IndexT]) -> Members[IndexT]:
        return Members(ir.make(op, (self.expr, coerce(other, self.expr.type)), self.expr.type))

    def has(self, member: IndexT) -> Bool:
        """Whether it contains the member."""
        return Bool(ir.make(Op.MEMBER, (self.expr, self._position(member)), BOOL))

    def add(self, member: IndexT) -> None:
        """Assign: put the member in."""
        position = self._position(member)
        self._change(lambda whole: ir.make(Op.INSERT, (whole, position), whole.type))

    def remove(self, member: IndexT) -> None:
        """Assign: take the member out."""
        position = self._position(member)
        self._change(lambda whole: ir.make(Op.REMOVE, (whole, position), whole.type))

    def clear(self) -> None:
        """Assign: the empty set."""
        self._assign(ir.const(frozenset(), self._type))

    def size(self) -> Number:
        """How many members."""
        return Number(ir.make(Op.CARDINALITY, (self.expr,), INTEGER))

    def is_empty(self) -> Bool:
        """Whether it has no member."""
        return Bool(ir.equal(self.expr, ir.const(frozenset(), self.expr.type)))

    def __or__(self, other: Members[IndexT]) -> Members[IndexT]:
        return self._with(Op.UNION, other)

    def __and__(self, other: Members[IndexT]) -> Members[IndexT]:
        return self._with(Op.INTERSECTION, other)

    def __sub__(self, other: Members[IndexT]) -> Members[IndexT]:
        return self._with(Op.DIFFERENCE, other)

    def __le__(self, other: Members[IndexT]) -> Bool:
        return Bool(ir.make(Op.SUBSET, (self.expr, coerce(other, self.expr.type)), BOOL))


@container(SequenceType)
class Sequence(Value, Generic[V]):
    """A bounded sequence."""

    def _element(self) -> Type:
        kind = self._type
        assert isinstance(kind, SequenceType)
        return kind.element

    def size(self) -> Number:
        """How many elements."""
        return Number(ir.make(Op.LENGTH, (self.expr,), INTEGER))

    def at(self, position: Number | int) -> V:
        """The element at a position from 0; past the end, the zero of its type."""
        return cast(V, wrap(ir.make(Op.AT, (self.expr, _position(position)), self._element())))

    def first(self) -> V:
        """The first element."""
        return self.at(0)

    def has(self, element: object) -> Bool:
        """Whether some element is this one."""
        return self.some(self._equal(element))

    def _equal(self, element: object) -> Callable[[V], Bool]:
        wanted = coerce(element, self._element())
        return lambda one: Bool(ir.equal(cast(Value, one).expr, wanted))

    def index(self, element: object) -> Number:
        """The position of the first element that is this one; -1 where there is none."""
        found = ir.number(-1)
        for place, (here, said) in reversed([*enumerate(self._places(self._equal(element)))]):
            found = ir.choice(ir.conjunction([here, said]), ir.number(place), found)
        return Number(found)

    def where(self, claim: Callable[[V], Bool | bool]) -> Sequence[V]:
        """The elements for which the claim holds, in their order."""
        kept = self.expr
        for place, (here, said) in reversed([*enumerate(self._places(claim))]):
            # Behind it the positions are those of the whole sequence. At -1 there is nothing to take out.
            stays = ir.disjunction([ir.negation(here), said])
            kept = _without(kept, ir.choice(stays, ir.number(-1), ir.number(place)))
        return Sequence(kept)

    def appended(self, element: object) -> Sequence[V]:
        """The sequence with an element more at its end; the variable stays as it is."""
        return Sequence(ir.make(Op.APPEND, (self.expr, coerce(element, self._element())), self._type))

    def without(self, position: Number | int) -> Sequence[V]:
        """The sequence without the element at a position; the same where there is none. The variable stays as it is."""
        return Sequence(_without(self.expr, _position(position)))

    def every(self, claim: Callable[[V], Bool | bool]) -> Bool:
        """Whether the claim holds for every element."""
        return Bool(ir.conjunction([ir.disjunction([ir.negation(here), said]) for here, said in self._places(claim)]))

    def some(self, claim: Callable[[V], Bool | bool]) -> Bool:
        """Whether the claim holds for some element."""
        return Bool(ir.disjunction([ir.conjunction([here, said]) for here, said in self._places(claim)]))

    def _places(self, claim: Callable[[V], Bool | bool]) -> Iterator[tuple[Expr, Expr]]:
        """For each place that may be filled, whether it is, and the claim about its element."""
        kind, expr, size = self._type, self.expr, self.size().expr
        assert isinstance(kind, SequenceType)
        if kind.capacity is None:
            raise misuse(
                "only a sequence with a capacity can be quantified over; declare sequence(..., capacity=4) instead of "
                f"limit='{kind.limit}'"
            )
        # Within a step a sequence may be longer than a state lets it be.
        appended = sum(node.op is Op.APPEND and node.type == kind for node in ir.walk(expr))
        for place in range(kind.capacity + appended):
            here = ir.make(Op.LT, (ir.number(place), size), BOOL)
            yield here, coerce(claim(self.at(place)), BOOL)

    def append(self, element: object) -> None:
        """Assign: put an element at the end."""
        added = coerce(element, self._element())
        self._change(lambda whole: ir.make(Op.APPEND, (whole, added), whole.type))

    def drop_first(self) -> None:
        """Assign: drop the first element; an empty sequence stays empty."""
        self._change(lambda whole: ir.make(Op.DROP_FIRST, (whole,), whole.type))

    def remove_at(self, position: Number | int) -> None:
        """Assign: take out the element at a position from 0; where there is none, nothing changes."""
        place = _position(position)
        self._change(lambda whole: _without(whole, place))

    def remove(self, element: object) -> None:
        """Assign: take out the first element that is this one; where there is none, nothing changes."""
        self.remove_at(self.index(element))

    def clear(self) -> None:
        """Assign: the empty sequence."""
        self._assign(ir.const((), self._type))


def _position(given: object) -> Expr:
    if isinstance(given, int) and given < 0:
        raise misuse(f"a sequence has no position {given}; write one from 0, or .size() - {-given}")
    return coerce(given, INTEGER)


def _without(sequence: Expr, position: Expr) -> Expr:
    return ir.make(Op.WITHOUT, (sequence, position), sequence.type)


@container(BagType)
class Bag(Value, Generic[V]):
    """Messages on their way: any number of copies, or one where they are distinct, delivered in any order."""

    def _message(self) -> RecordType:
        return self._bag().message

    def _bag(self) -> BagType:
        kind = self._type
        assert isinstance(kind, BagType)
        return kind

    def receive(self) -> V:
        """Any message that is on its way: the step exists once for each distinct one. Does not remove it."""
        if self._place is None:
            raise misuse("only a bag of the state can be received from")
        return cast(V, wrap(current().choose_message(self._place.name)))

    def send(self, message: V) -> None:
        """Assign: add a copy; where messages are distinct, only if there is none."""
        copy, distinct = coerce(message, self._message()), self._bag().distinct

        def sent(whole: Expr) -> Expr:
            more = ir.make(Op.SEND, (whole, copy), whole.type)
            return ir.choice(ir.make(Op.HOLDS, (whole, copy), BOOL), whole, more) if distinct else more

        self._change(sent)

    def take(self, message: V) -> None:
        """Assign: remove a copy; where there is none, nothing changes."""
        copy = coerce(message, self._message())
        self._change(lambda whole: ir.make(Op.TAKE, (whole, copy), whole.type))

    def has(self, message: V) -> Bool:
        """Whether a copy of just this message is on its way."""
        return Bool(ir.make(Op.HOLDS, (self.expr, coerce(message, self._message())), BOOL))

    def size(self) -> Number:
        """How many copies of all messages."""
        return Number(ir.make(Op.LENGTH, (self.expr,), INTEGER))

    def every(self, claim: Callable[[V], Bool | bool]) -> Bool:
        """Whether the claim holds for every message."""
        return self._quantify(Op.FORALL_IN, claim)

    def some(self, claim: Callable[[V], Bool | bool]) -> Bool:
        """Whether the claim holds for some message."""
        return self._quantify(Op.EXISTS_IN, claim)

    def _quantify(self, op: Op, claim: Callable[[V], Bool | bool]) -> Bool:
        said = of_one(claim, example="lambda message: message.who == n")
        binder, body = of_every(self._message(), lambda bound: coerce(said(cast(V, wrap(bound))), BOOL))
        return Bool(ir.make(op, (self.expr, body), BOOL, binder))
