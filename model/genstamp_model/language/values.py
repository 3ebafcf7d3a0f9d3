"""Symbolic values: what a part's variables and an action's parameters are while a function is traced.

A value is an expression plus, where it can be assigned through, its place. Scalars are snapshots; arrays, records,
sets, sequences, bags and lifecycles are views of their place, as Python's own mutable objects are: they show what has
been assigned so far. Everything that needs a concrete truth value (`if`, `and`, `in`, chained comparisons) is an error
that says what to write instead.
"""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from types import FunctionType
from typing import Annotated, Any, ClassVar, Final, Generic, NoReturn, TypeVar, cast

from genstamp_model.language import ir
from genstamp_model.language.author import is_author
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.refusing import Refusing
from genstamp_model.language.trace import binding, current, is_open, misuse, refuse_outside, scopes
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
    with_article,
)
from genstamp_model.language.uses import changes_now, made_now

IndexT = TypeVar("IndexT", bound="Index")
C = TypeVar("C", bound="Value")
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


class Value(Refusing):
    """Base of all symbolic values."""

    __slots__ = ("_expr", "_made_at", "_made_in", "_seen_at")

    def __init__(self, expr: Expr | None = None, place: Place | None = None) -> None:
        if (expr is None) == (place is None) or not isinstance(expr, Expr | None):
            raise misuse(f"a value of {type(self).__name__} is read from the state, or a record made of named fields")
        self._expr = expr
        self._seen_at = place
        self._made_in = scopes()
        # What a function is given need not be used, and a constant says nothing of the state.
        self._made_at = None if expr is not None and expr.op in (Op.PARAMETER, Op.CONST) else made_now()

    @property
    def expr(self) -> Expr:
        """The expression that this value stands for now.

        It is the language's own: for an author every comparison with it would be a constant.
        """
        if is_open() and is_author(sys._getframe(1)):
            raise misuse("'.expr' is the language's own; read the variable or field by its name")
        self._use()
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

    def _alike(self, other: object) -> Expr:
        """Another value as one that this can be compared with: of a member any one of its root set, and none."""
        kind = self.expr.type
        if isinstance(kind, RefType):
            is_nobody = isinstance(other, Nobody) or kind.index.root is None
            kind = RefType(kind.index if is_nobody else IndexSet(kind.index.root or ""), optional=True)
        return coerce(other, kind)

    def __eq__(self, other: object) -> Bool:  # type: ignore[override]
        return Bool(ir.equal(self.expr, self._alike(other)))

    def __ne__(self, other: object) -> Bool:  # type: ignore[override]
        return ~(self == other)

    __hash__ = Refusing.__hash__

    def __setattr__(self, name: str, value: object) -> None:
        if not hasattr(getattr(type(self), name, None), "__set__"):
            raise misuse(
                f"'{name}' is not a field of {describe(self.expr.type)}; assign to a declared variable or field"
            )
        super().__setattr__(name, value)


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
        _some(members, "label of the enumeration")
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


def _some(given: tuple[Any, ...], what: str) -> None:
    if not given:
        raise misuse(f"at() needs at least one {what}")


class _IndexType(type):
    """The class of index sets, whose members are not known while a function is traced."""

    def _refuse(cls, *_: object) -> NoReturn:
        raise misuse(
            f"the members of {cls.__name__} are not known during tracing; write forall, exists, count or each over "
            f"{cls.__name__}, or a parameter such as x: {cls.__name__}"
        )

    __iter__ = __len__ = __contains__ = _refuse

    def __bool__(cls) -> bool:
        return True

    def __getattr__(cls, name: str) -> NoReturn:
        instead = f"declare {name} = named() in the class, or write a parameter such as x: {cls.__name__}"
        raise AttributeError(f"{cls.__name__} has no member '{name}'; {instead}", name=name, obj=cls)


class Index(Value, metaclass=_IndexType):
    """Base of index sets: subclass it, once for each kind of node or thing; instances are members.

    `class Datanode(Index, symmetric=True)` declares a set whose size a configuration gives. A further subclass, `class
    Client(Holder)`, is the subset of the unnamed members: a client can be wherever a holder can. `unnamed` says how
    these are called: `class Holder(Index, unnamed="Client")`. With `only_named=True` there are none of them.
    """

    set: ClassVar[IndexSet]

    def __init_subclass__(
        cls,
        symmetric: bool = False,
        unnamed: str | None = None,
        ordered: bool = False,
        only_named: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        parent, origin = cls.__mro__[1], f"{cls.__module__}.{cls.__qualname__}"
        if parent is Index:
            named = tuple(name for name, value in vars(cls).items() if isinstance(value, NamedMember))
            cls.set = IndexSet(cls.__name__, named, symmetric, None, unnamed, origin, ordered, only_named)
            if only_named and (not named or symmetric or unnamed):
                raise misuse(
                    f"{cls.__name__} has only named members, such as A = named(); so it has at least one, is not "
                    "symmetric, and has no unnamed= ones"
                )
            if symmetric and ordered:
                raise misuse(f"{cls.__name__} cannot be both: the members of a symmetric set have no order")
            for name in named:
                if re.fullmatch(rf"{re.escape(cls.set.base.lower())}\d+", name):
                    raise misuse(f"'{name}' is the name of an unnamed member of {cls.__name__}; choose another name")
        else:
            root = cast("type[Index]", parent).set
            if root.only_named:
                raise misuse(f"{cls.__name__} is the subset of the unnamed members of {root.name}, which has none")
            cls.set = IndexSet(cls.__name__, (), root.symmetric, root.name, root.base, origin, root.ordered)

    def is_none(self) -> Bool:
        """Whether an optional reference is none."""
        return Bool(ir.equal(self.expr, ir.const(None, RefType(self.set, optional=True))))

    @classmethod
    def first(cls: type[IndexT]) -> IndexT:
        """The first member of an ordered set."""
        return cast(IndexT, member_of(first_of(cls.set, ".first()")))

    @classmethod
    def last(cls: type[IndexT]) -> IndexT:
        """The last member of an ordered set."""
        return cast(IndexT, member_of(last_of(cls.set, ".last()")))

    @classmethod
    def at(cls: type[IndexT], rank: Number | int) -> IndexT:
        """The member of an ordered set that so many come before; none if there is no such member."""
        return cast(IndexT, member_of(at_rank(cls.set, rank)))

    def rank(self) -> Number:
        """How many members of the ordered set come before this one; 0 for none."""
        return Number(ir.make(Op.RANK, (self._in_order("rank"),), INTEGER))

    def before(self, other: Index) -> Bool:
        """Whether this member comes before another one; none comes neither before nor after a member."""
        ours, theirs = self._in_order("before"), self._alike(other)
        earlier = ir.make(Op.LT, tuple(ir.make(Op.RANK, (one,), INTEGER) for one in (ours, theirs)), BOOL)
        return Bool(earlier) & ~self.is_none() if _may_be_nobody(ours) else Bool(earlier)

    def successor(self: IndexT) -> IndexT:
        """The next member on the ring: the first one after the last one; none for none."""
        return self._neighbour(Op.SUCCESSOR)

    def predecessor(self: IndexT) -> IndexT:
        """The member before it on the ring: the last one before the first one; none for none."""
        return self._neighbour(Op.PREDECESSOR)

    def next(self: IndexT) -> IndexT:
        """The next member; none after the last one."""
        return self._within_ends("next", Op.SUCCESSOR, last_of)

    def previous(self: IndexT) -> IndexT:
        """The member before it; none before the first one."""
        return self._within_ends("previous", Op.PREDECESSOR, first_of)

    def _in_order(self, form: str) -> Expr:
        refuse_unordered(self.set, f".{form}()")
        return self.expr

    def _neighbour(self: IndexT, op: Op) -> IndexT:
        return cast(IndexT, wrap(ir.make(op, (self._in_order(op),), self.expr.type)))

    def _within_ends(self: IndexT, form: str, op: Op, end: Callable[[IndexSet, str], Expr]) -> IndexT:
        is_end = ir.equal(self.expr, end(self.set, f".{form}()"))
        nobody = ir.const(None, RefType(self.set, optional=True))
        return cast(IndexT, wrap(ir.choice(is_end, nobody, self._neighbour(op).expr)))


def _may_be_nobody(expr: Expr) -> bool:
    return isinstance(expr.type, RefType) and expr.type.optional


def refuse_unordered(index: IndexSet, form: str) -> None:
    """Refuse a form that asks for the order of members that have none."""
    if not index.ordered:
        name = index.root or index.name
        kept = ", and leave out symmetric=True, for no member of a symmetric set is before another"
        raise misuse(f"{form} needs an order; declare class {name}(Index, ordered=True){kept * index.symmetric}")


def first_of(index: IndexSet, form: str) -> Expr:
    """The first member of an ordered set."""
    refuse_unordered(index, form)
    return ir.const(0, RefType(index))


def at_rank(index: IndexSet, rank: object) -> Expr:
    """The member of an ordered set at a rank, or none."""
    refuse_unordered(index, ".at()")
    if isinstance(rank, int) and rank < 0:
        raise misuse(f"{index.name} has no member of rank {rank}; the first one has rank 0")
    wanted = coerce(rank, INTEGER)
    with binding(index) as (binder, bound):
        is_it = ir.equal(ir.make(Op.RANK, (bound,), INTEGER), wanted)
    return ir.make(Op.CHOOSE, (is_it,), RefType(index, optional=True), binder)


def last_of(index: IndexSet, form: str) -> Expr:
    """The last member of an ordered set: on the ring it comes before the first one."""
    return ir.make(Op.PREDECESSOR, (first_of(index, form),), RefType(index))


class NamedMember:
    """A member of an index set that exists once and has a name; made by `named`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type[Index]) -> Index:
        return owner(ir.const(self.name, RefType(owner.set)))


def named() -> Any:
    """Declare a named member inside an index set: `NAMENODE = named()`."""
    return NamedMember()


none: Any = Nobody()


OR_NONE = "or none"
Maybe = Annotated[IndexT, OR_NONE]
"""Annotation of an action's parameter that ranges over the members and none."""


class Lifecycle(Value):
    """The state of one entity's lifecycle; moved only by firing events."""

    def at(self, *states: Any) -> Bool:
        """Whether the entity is in one of these states (attributes of the python-statemachine class)."""
        _some(states, "state of the lifecycle")
        return Bool(ir.disjunction([ir.equal(self.expr, coerce(state, self.expr.type)) for state in states]))

    def fire(self, *events: Any, where: Bool | bool = True) -> None:
        """Fire events in sequence within this step, each checked against the state that the former left.

        A state in which the first event cannot be fired makes the step impossible (a check, labelled by place and
        event). With `where` the events are fired only where the condition holds.
        """
        if not events:
            raise misuse("fire() needs at least one event of the lifecycle")
        condition = coerce(where, BOOL)
        for event in events:
            self._fire(event, condition)

    def after(self, event: Any) -> Lifecycle:
        """The state that an event leads to; the same state where it cannot be fired. For `update` of many at once."""
        return Lifecycle(self._target(self._edges(event)))

    def _edges(self, event: Any) -> list[tuple[str, str]]:
        kind, wanted = self.expr.type, _event_name(event)
        assert isinstance(kind, EnumType)
        edges = [(source, target) for source, name, target in kind.lifecycle if name == wanted]
        if not edges:
            known = ", ".join(sorted({name for _, name, _ in kind.lifecycle}))
            raise misuse(f"lifecycle {kind.name} has no event '{wanted}'; it has {known}")
        if type(event) is not str and not _belongs(event, kind):
            raise misuse(f"event '{wanted}' belongs to another lifecycle; write an event of {kind.name}")
        return edges

    def _target(self, edges: list[tuple[str, str]]) -> Expr:
        kind, before = self.expr.type, self.expr
        assert isinstance(kind, EnumType)
        after = before
        for source, target in edges:
            if source != target:
                after = ir.choice(ir.equal(before, _label(kind, source)), _label(kind, target), after)
        return after

    def _fire(self, event: Any, condition: Expr) -> None:
        kind, before = self.expr.type, self.expr
        assert isinstance(kind, EnumType)
        edges = self._edges(event)
        allowed = ir.disjunction([ir.equal(before, _label(kind, source)) for source, _ in edges])
        after = self._target(edges)
        if condition is not ir.TRUE:
            allowed = ir.disjunction([ir.negation(condition), allowed])
            after = ir.choice(condition, after, before)
        place = self._place.name if self._place else kind.name
        sources = " or ".join(source for source, _ in edges)
        current().check(allowed, f"{place} is {sources} to {_event_name(event)}", None, lifecycle=True)
        self._assign(after)


def _event_name(event: Any) -> str:
    return str(getattr(event, "id", event))


def refuse_lifecycle(name: str, type_: Type, instead: str = "fire") -> None:
    """Refuse to assign where only events may change something."""
    if isinstance(type_, EnumType) and type_.lifecycle:
        raise misuse(f"lifecycle '{name}' cannot be assigned; write .{instead}(event)")


def _label(kind: EnumType, label: str) -> Expr:
    return ir.const(kind.labels.index(label), kind)


_records: dict[RecordType, type[Value]] = {}
_lifecycles: dict[EnumType, list[object]] = {}
_containers: dict[type[Type], type[Value]] = {}


def register_record(type_: RecordType, class_: type[Value]) -> None:
    """Make a record class known, so that expressions of its type are shown through it."""
    _records[type_] = class_


def container(kind: type[Type]) -> Callable[[type[C]], type[C]]:
    """Make a class known as the one through which values of a kind of type are shown."""

    def register(class_: type[C]) -> type[C]:
        _containers[kind] = class_
        return class_

    return register


def register_lifecycle(type_: EnumType, parts: list[object]) -> None:
    """Make the states and events of a lifecycle known, so that those of another one are told from them."""
    _lifecycles.setdefault(type_, []).extend(parts)


def _belongs(part: object, type_: EnumType) -> bool:
    """Whether a label, state or event is the type's own, and not just one of the same name."""
    if isinstance(part, enum.Enum):
        return type(part).__name__ == type_.name
    return any(part is known for known in _lifecycles.get(type_, ()))


def member_of(expr: Expr) -> Index:
    """The member of an index set that an expression stands for."""
    kind = expr.type
    assert isinstance(kind, RefType)
    member = Index.__new__(_class_of(kind.index))
    Value.__init__(member, expr)
    return member


def _class_of(index: IndexSet) -> type[Index]:
    stack = list(Index.__subclasses__())
    while stack:
        class_ = stack.pop()
        # One that was refused while it was declared has none.
        if vars(class_).get("set") == index:
            return class_
        stack.extend(class_.__subclasses__())
    raise AssertionError(f"no class for index set {index.name}")


def wrap(expr: Expr) -> Value:
    """The symbolic value for an expression, without a place."""
    match expr.type:
        case NumberType(ordered=ordered):
            return Ordered(expr) if ordered else Number(expr)
        case EnumType(lifecycle=lifecycle):
            return Lifecycle(expr) if lifecycle else Enumerated(expr)
        case RefType():
            return member_of(expr)
        case RecordType() as kind:
            return _records[kind](expr)
        case BoolType():
            return Bool(expr)
        case kind:
            return _containers[type(kind)](expr)


def at_place(place: Place) -> Value:
    """The symbolic value of a place: a view of it, or a snapshot of a scalar."""
    match place.seen.type:
        case EnumType(lifecycle=lifecycle) if lifecycle:
            return Lifecycle(place=place)
        case RecordType() as kind:
            return _records[kind](None, place)
        case ArrayType() | SetType() | SequenceType() | BagType():
            return _containers[type(place.seen.type)](place=place)
        case _:
            return wrap(place.view())


def coerce(value: object, type_: Type) -> Expr:
    """The expression of a value that should have a type; a `SpecError` says what does not fit."""
    if isinstance(value, Value):
        if fits(value.expr.type, type_):
            return value.expr
        wanted, found = _apart(type_, value.expr.type)
        raise misuse(f"expected {wanted}, not {found} ({ir.text(value.expr)}){_without_none(type_, value.expr.type)}")
    match type_, value:
        case BoolType(), bool():
            return ir.TRUE if value else ir.FALSE
        case NumberType(), int() if not isinstance(value, bool):
            return ir.number(value)
        case RefType(optional=True), Nobody():
            return ir.const(None, type_)
        case EnumType(labels=labels), _:
            label = getattr(value, "id", None) or getattr(value, "name", None)
            if label in labels and _belongs(value, type_):
                return ir.const(labels.index(label), type_)
    raise misuse(f"expected {describe(type_)}, not {shown(value)}{_instead(value, type_)}")


def _without_none(wanted: Type, found: Type) -> str:
    """What to write for a member that may be none where there must be one."""
    match wanted, found:
        case RefType(index=index, optional=False), RefType(index=same, optional=True) if index == same:
            return f"; declare optional({index.name}), or give a parameter such as x: {index.name} and require x == it"
        case _:
            return ""


def shown(value: object) -> str:
    """What an author has given, in an author's words."""
    match value:
        case Value():
            return ir.text(value.expr)
        case FunctionType():
            return "a function"
        case _ if isinstance(value, Type):
            return f"the type of {describe(value)}"
        case type():
            return f"the class {value.__name__}"
        case staticmethod() | classmethod() | property():
            return with_article(type(value).__name__)
        case list() if not all(isinstance(one, _PLAIN) for one in value):
            return f"[{', '.join(map(shown, value))}]"
        case tuple() if not all(isinstance(one, _PLAIN) for one in value):
            return f"({', '.join(map(shown, value))})"
        case _ if is_dataclass(value) and isinstance(name := getattr(value, "name", None), str):
            return f"{getattr(value, 'kind', type(value).__name__)} '{name}'"
        case _ if type(value).__repr__ is object.__repr__:
            return with_article(type(value).__name__)
        case _:
            return repr(value)


_PLAIN: Final = bool | int | float | str | None


def _apart(one: Type, other: Type) -> tuple[str, str]:
    """Two types in an author's words; where these are the same, with what tells them apart."""
    words = describe(one), describe(other)
    if words[0] != words[1]:
        return words
    match one, other:
        case (ArrayType(index=index, element=first), ArrayType(index=same, element=second)) if index == same:
            parts = _apart(first, second)
        case SequenceType(element=first), SequenceType(element=second) if first != second:
            parts = _apart(first, second)
        case BagType(message=first), BagType(message=second) if first != second:
            parts = _apart(first, second)
        case _:
            return f"{words[0]} {_declared_as(one)}", f"{words[1]} {_declared_as(other)}"
    return f"{words[0]} of {parts[0]}", f"{words[1]} of {parts[1]}"


def _declared_as(type_: Type) -> str:
    """Where a type is declared, or what it is made of where nothing else tells it from one of the same name."""
    match type_:
        case RecordType():
            class_ = _records[type_]
            return f"declared as {class_.__module__}.{class_.__qualname__}"
        case RefType(index=index) | ArrayType(index=index) | SetType(index=index):
            return f"declared as {index.origin}"
        case EnumType(labels=labels):
            return f"with {', '.join(labels)}"
        case NumberType(low=low, high=high):
            return f"from {low} to {high}" if high is not None else "without a highest one"
        case SequenceType(capacity=capacity, limit=limit) if capacity is not None or limit:
            return f"with limit='{limit}'" if capacity is None else f"with capacity={capacity}"
        case BagType(limit=limit, distinct=distinct):
            return f"with limit='{limit}'{', distinct=True' * distinct}"
        case _:
            return "of another kind"


def _instead(value: object, type_: Type) -> str:
    """The text to write for a plain value that does not have the type."""
    match type_, value:
        case RefType(optional=True), None:
            return "; write none"
        case RefType(index=index), _:
            return f"; write a parameter such as x: {index.name}, or quantify over {index.name}"
        case EnumType(name=name, labels=labels, lifecycle=lifecycle), _:
            shown = ", ".join(f"{name}.{label}" for label in labels)
            return f"; write one of {shown}" if not lifecycle else ""
        case BoolType(), int() | None:
            return "; write a condition, such as a == b"
        case NumberType(), bool():
            return "; write when(condition, 1, 0)"
        case RecordType(name=name, fields=fields), _:
            return f"; write {name}({', '.join(f'{field}=...' for field, _ in fields)})"
        case _:
            return ""
