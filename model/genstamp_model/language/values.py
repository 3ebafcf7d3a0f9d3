"""Symbolic values: what a part's variables and an action's parameters are while a function is traced.

A value is an expression plus, where it can be assigned through, its place. Scalars are snapshots; arrays, records,
sets, sequences, bags and lifecycles are views of their place, as Python's own mutable objects are: they show what has
been assigned so far. Everything that needs a concrete truth value (`if`, `and`, `in`, chained comparisons) is an error
that says what to write instead.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from genstamp_model.language import ir
from genstamp_model.language.author import is_author
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.mismatch import apart, instead_of, shown, without_none
from genstamp_model.language.refusing import Refusing
from genstamp_model.language.registry import belongs, records, shown_through
from genstamp_model.language.trace import Trace, is_open, misuse, outermost, refuse_outside, scopes
from genstamp_model.language.types import (
    BOOL,
    INTEGER,
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    IndexSet,
    Nobody,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    describe,
    fits,
)
from genstamp_model.language.uses import Made, changes_now, made_now

Change = Callable[[Expr], Expr]
E = TypeVar("E", bound=enum.Enum)


class Place:
    """Where a value lives, so that it can be assigned through.

    Views of one place are not kept in step: one of them does not know what was assigned through another.
    """

    def __init__(
        self, read: Callable[[], Expr], write: Callable[[Change], None], name: str, seen: Expr | None = None
    ) -> None:
        self.read = read
        self.name = name
        self.seen = read() if seen is None else seen
        self._write = write

    def change(self, change: Change) -> None:
        """Assign what becomes of what lives here."""
        self._write(change)
        self.seen = change(self.seen)

    def view(self) -> Expr:
        """The value of this view, unless it was assigned elsewhere since the view was taken.

        An author may then mean what was there, as in TLA+, or what is there now, as in Python: neither is guessed.
        """
        if self.read() is not self.seen:
            raise misuse(
                f"'{self.name}' was assigned after it was read into a name; read it again for the new value, or "
                f"read the field before the assignment"
            )
        return self.seen


_KEPT: Final = (
    "a value of the state is used here that was read in another step or property, and kept in a list, a cache or a "
    "default of a parameter; read it again here"
)


class Value(Refusing):
    """Base of all symbolic values."""

    __slots__ = ("_expr", "_made_at", "_made_by", "_made_in", "_seen_at")

    _expr: Expr | None
    _made_at: Made | None
    _made_by: Trace | None
    _made_in: tuple[ir.Binder, ...]
    _seen_at: Place | None

    def __init__(self, expr: Expr | None = None, place: Place | None = None) -> None:
        if (expr is None) == (place is None) or not isinstance(expr, Expr | None):
            raise misuse(f"a value of {type(self).__name__} is read from the state, or a record made of named fields")
        # Our own __setattr__ is for authors.
        keep = super().__setattr__
        keep("_expr", expr)
        keep("_seen_at", place)
        keep("_made_in", scopes())
        keep("_made_by", None if expr is not None and expr.op is Op.CONST else outermost())
        # What a function is given need not be used, and a constant says nothing of the state.
        keep("_made_at", None if expr is not None and expr.op in (Op.PARAMETER, Op.CONST) else made_now())

    @property
    def expr(self) -> Expr:
        """The expression that this value stands for now.

        It is the language's own: for an author every comparison with it would be a constant.
        """
        if is_open() and is_author(sys._getframe(1)):
            raise misuse("'.expr' is the language's own; read the variable or field by its name")
        self._use()
        if self._made_by is not None and self._made_by is not outermost() and is_open():
            raise misuse(_KEPT)
        expr = self._expr
        if expr is None:
            assert self._place is not None
            expr = self._place.view()
        if self._made_in and self._made_in is not scopes():
            refuse_outside(expr, self._made_in)
        return expr

    def _use(self) -> None:
        """Note that something asks this value."""
        if self._made_at is not None and self._made_at.is_used_now():
            self._made_at = None

    @property
    def _place(self) -> Place | None:
        self._use()
        return self._seen_at

    @property
    def _type(self) -> Type:
        self._use()
        return self._expr.type if self._expr is not None else self._place.seen.type  # type: ignore[union-attr]

    def _change(self, change: Change) -> None:
        if self._place is None:
            raise misuse("this value is computed, not a variable of the state; assign to a variable")
        changes_now()
        self._place.change(change)

    def _assign(self, value: Expr) -> None:
        self._change(lambda _: value)

    def __eq__(self, other: object) -> Bool:  # type: ignore[override]
        own = self.expr
        return Bool(ir.equal(own, coerce(other, compared_with(own.type, other))))

    def __ne__(self, other: object) -> Bool:  # type: ignore[override]
        return ~(self == other)

    __hash__ = Refusing.__hash__

    def __setattr__(self, name: str, value: object) -> None:
        if not hasattr(getattr(type(self), name, None), "__set__"):
            raise misuse(
                f"'{name}' is not a field of {describe(self.expr.type)}; assign to a declared variable or field"
            )
        super().__setattr__(name, value)


def compared_with(kind: Type, other: object) -> Type:
    """The type of what a value of a type can be compared with: of a member any one of its root set, and none."""
    if not isinstance(kind, RefType):
        return kind
    is_nobody = isinstance(other, Nobody) or kind.index.root is None
    return RefType(kind.index if is_nobody else IndexSet(kind.index.root or ""), optional=True)


class Bool(Value):
    """A flag or condition."""

    def __and__(self, other: Bool | bool) -> Bool:
        return Bool(ir.make(Op.AND, (self.expr, _joined(other, "&")), BOOL))

    def __or__(self, other: Bool | bool) -> Bool:
        return Bool(ir.make(Op.OR, (self.expr, _joined(other, "|")), BOOL))

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> Bool:
        return Bool(ir.negation(self.expr))

    def implies(self, other: Bool | bool) -> Bool:
        """Where this holds, the other does."""
        return ~self | other


def _joined(other: object, operator: str) -> Expr:
    if isinstance(other, Value) and not isinstance(other, Bool):
        raise misuse(_PRECEDENCE.format(operator, f"{describe(other.expr.type)} ({ir.text(other.expr)})"))
    if type(other) is int:
        raise misuse(_PRECEDENCE.format(operator, other))
    return coerce(other, BOOL)


_PRECEDENCE: Final = (
    "'{0}' joins flags, not {1}; it binds more tightly than a comparison, so write (a < b) {0} (c == d)"
)


class Comparable(Value):
    """What both kinds of numbers share: comparisons."""

    def __lt__(self, other: Comparable | int) -> Bool:
        return Bool(ir.make(Op.LT, (self.expr, coerce(other, INTEGER)), BOOL))

    def __le__(self, other: Comparable | int) -> Bool:
        return Bool(ir.make(Op.LE, (self.expr, coerce(other, INTEGER)), BOOL))

    def __gt__(self, other: Comparable | int) -> Bool:
        return Bool(ir.make(Op.LT, (coerce(other, INTEGER), self.expr), BOOL))

    def __ge__(self, other: Comparable | int) -> Bool:
        return Bool(ir.make(Op.LE, (coerce(other, INTEGER), self.expr), BOOL))


class Number(Comparable):
    """A number with arithmetic."""

    def __add__(self, other: Number | int) -> Number:
        return Number(ir.make(Op.ADD, (self.expr, coerce(other, INTEGER)), INTEGER))

    def __sub__(self, other: Number | int) -> Number:
        return Number(ir.make(Op.SUB, (self.expr, coerce(other, INTEGER)), INTEGER))

    def __mul__(self, other: Number | int) -> Number:
        return Number(ir.make(Op.MUL, (self.expr, coerce(other, INTEGER)), INTEGER))

    def __floordiv__(self, other: Number | int) -> Number:
        return Number(ir.make(Op.DIV, (self.expr, _divisor(other, "//")), INTEGER))

    def __rfloordiv__(self, other: int) -> Number:
        return Number(ir.make(Op.DIV, (coerce(other, INTEGER), self.expr), INTEGER))

    def __mod__(self, other: Number | int) -> Number:
        return Number(ir.make(Op.MOD, (self.expr, _divisor(other, "%")), INTEGER))

    def __rmod__(self, other: int) -> Number:
        return Number(ir.make(Op.MOD, (coerce(other, INTEGER), self.expr), INTEGER))

    def __neg__(self) -> Number:
        return 0 - self

    def __radd__(self, other: int) -> Number:
        return self + other

    def __rsub__(self, other: int) -> Number:
        return Number(ir.make(Op.SUB, (coerce(other, INTEGER), self.expr), INTEGER))

    __rmul__ = __mul__


class Ordered(Comparable):
    """A number that is only compared and raised: a stamp, a recovery id. `+ 1` gives the next one."""

    def __add__(self, other: int) -> Ordered:
        _refuse_symbolic(other)
        return Ordered(ir.make(Op.ADD, (self.expr, ir.number(other)), NumberType(ordered=True)))


def _divisor(given: object, operator: str) -> Expr:
    if type(given) is int and given < 1:
        raise misuse(f"a number is divided by a whole number above 0, such as n {operator} 2, and not by {given!r}")
    return coerce(given, INTEGER)


def _refuse_symbolic(amount: object) -> None:
    if type(amount) is not int or amount < 1:
        raise misuse(f"an ordered number can only be raised by a constant above 0, not by {amount!r}")


class Enumerated(Value, Generic[E]):
    """One of the members of a Python enumeration."""

    def at(self, *members: E) -> Bool:
        """Whether it is one of these."""
        some(members, "label of the enumeration")
        return Bool(ir.disjunction([ir.equal(self.expr, coerce(member, self.expr.type)) for member in members]))

    def __lt__(self, other: Enumerated[E] | E) -> Bool:
        return self._compared(Op.LT, self.expr, self._label(other))

    def __le__(self, other: Enumerated[E] | E) -> Bool:
        return self._compared(Op.LE, self.expr, self._label(other))

    def __gt__(self, other: Enumerated[E] | E) -> Bool:
        return self._compared(Op.LT, self._label(other), self.expr)

    def __ge__(self, other: Enumerated[E] | E) -> Bool:
        return self._compared(Op.LE, self._label(other), self.expr)

    def _label(self, given: object) -> Expr:
        return coerce(given, self.expr.type)

    @staticmethod
    def _compared(op: Op, *labels: Expr) -> Bool:
        """Labels are compared by their places in the enumeration."""
        return Bool(ir.make(op, tuple(ir.make(Op.RANK, (label,), INTEGER) for label in labels), BOOL))


def enum_type(members: type[enum.Enum]) -> EnumType:
    """The type of a Python enumeration's members."""
    return EnumType(members.__name__, tuple(member.name for member in members))


def some(given: tuple[Any, ...], what: str) -> None:
    if not given:
        raise misuse(f"at() needs at least one {what}")


def wrap(expr: Expr) -> Value:
    """The symbolic value for an expression, without a place."""
    match expr.type:
        case NumberType(ordered=ordered):
            return Ordered(expr) if ordered else Number(expr)
        case EnumType(lifecycle=lifecycle):
            return shown_through[EnumType](expr) if lifecycle else Enumerated(expr)
        case RecordType() as kind:
            return records[kind](expr)
        case BoolType():
            return Bool(expr)
        case kind:
            return shown_through[type(kind)](expr)


def at_place(place: Place) -> Value:
    """The symbolic value of a place: a view of it, or a snapshot of a scalar."""
    match place.seen.type:
        case EnumType(lifecycle=lifecycle) if lifecycle:
            return shown_through[EnumType](place=place)
        case RecordType() as kind:
            return records[kind](None, place)
        case ArrayType() | SetType() | SequenceType() | BagType():
            return shown_through[type(place.seen.type)](place=place)
        case _:
            return wrap(place.view())


def coerce(value: object, type_: Type) -> Expr:
    """The expression of a value that should have a type; a `SpecError` says what does not fit."""
    if isinstance(value, Value):
        expr = value.expr
        if fits(expr.type, type_):
            return expr
        wanted, found = apart(type_, expr.type)
        raise misuse(f"expected {wanted}, not {found} ({ir.text(expr)}){without_none(type_, expr.type)}")
    match type_, value:
        case BoolType(), bool():
            return ir.TRUE if value else ir.FALSE
        case NumberType(), int() if not isinstance(value, bool):
            return ir.number(value)
        case RefType(optional=True), Nobody():
            return ir.const(None, type_)
        case EnumType(labels=labels), _:
            label = getattr(value, "id", None) or getattr(value, "name", None)
            if label in labels and belongs(value, type_):
                return ir.const(labels.index(label), type_)
    raise misuse(f"expected {describe(type_)}, not {shown(value)}{instead_of(value, type_)}")
