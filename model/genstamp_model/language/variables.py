"""Declarations of variables: what kinds there are, where each begins, and records made of them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeVar, cast, overload

from genstamp_model.language import ir
from genstamp_model.language.author import authored, caller
from genstamp_model.language.beginning import (
    Alternative,
    Choice,
    Chosen,
    Each,
    Fields,
    OneOf,
    OneOfByMember,
    Settled,
    computed,
)
from genstamp_model.language.containers import Array, Bag, Members, Sequence
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.lifecycles import Lifecycle, refuse_lifecycle
from genstamp_model.language.members import Index
from genstamp_model.language.mismatch import shown
from genstamp_model.language.quantifying import of_every, of_one
from genstamp_model.language.refusing import Inert
from genstamp_model.language.registry import register_lifecycle, register_record
from genstamp_model.language.trace import Trace, misuse, tracing
from genstamp_model.language.types import (
    BOOL,
    ArrayType,
    BagType,
    EnumType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Sizes,
    Type,
    describe,
)
from genstamp_model.language.types import (
    Value as PlainValue,
)
from genstamp_model.language.values import (
    Bool,
    Enumerated,
    Number,
    Ordered,
    Place,
    Value,
    at_place,
    coerce,
    enum_type,
    wrap,
)

if TYPE_CHECKING:
    from statemachine import StateMachine

IndexT = TypeVar("IndexT", bound=Index)
V = TypeVar("V")
R = TypeVar("R", bound="Record")
E = TypeVar("E", bound=enum.Enum)

Initial = Callable[[Sizes], PlainValue]


class Declared(Inert, Generic[V]):
    """A declared variable or field; as an attribute of a traced state or record it is its symbolic value.

    `starts` are the expressions that its initial value, or a part of it, is given by; `choice` says what it may begin
    with where that is not one value, and then `initial` gives the first one.
    """

    def __init__(
        self, type_: Type, initial: Initial, starts: tuple[Expr, ...] = (), choice: Choice | None = None
    ) -> None:
        self.type = type_
        self.initial = initial
        self.starts = starts
        self.choice = choice
        self.source = caller()
        self.name = ""

    def __repr__(self) -> str:
        return f"what is declared as {describe(self.type)}"

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def _instead(self) -> str:
        return f"'{self.name}' is read from a class and not from the state; write s.{self.name}, or a field of a record"

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise misuse(f"{self!r} at {self.source} is called; give the variable a name that nothing else has")

    @overload
    def __get__(self, instance: None, owner: type) -> Declared[V]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> V: ...
    def __get__(self, instance: Any, owner: type) -> Declared[V] | V:
        if instance is None:
            return self
        return cast(V, instance._member(self.name))

    def __set__(self, instance: Any, value: object) -> None:
        instance._set_member(self.name, self.type, value)

    def __delete__(self, instance: Any) -> NoReturn:
        raise misuse(f"'{self.name}' cannot be deleted; assign another value")


def _is_class(value: object, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base)


def _index(index: object, form: str) -> None:
    if not _is_class(index, Index) or index is Index:
        raise misuse(f"{form} takes an index set, a class derived from Index, not {shown(index)}")


def _element(element: object, form: str) -> None:
    if not isinstance(element, Declared):
        raise misuse(f"{form} takes what is declared for one, such as flag() or number(0, 3), not {shown(element)}")


def _record(class_: object, form: str) -> None:
    if not _is_class(class_, Record) or class_ is Record:
        raise misuse(f"{form} takes a class derived from Record, not {shown(class_)}")


def _numbers(**given: object) -> None:
    for name, value in given.items():
        if value is not None and type(value) is not int:
            of_each = "; of each member: per(..., initially=function)" if isinstance(value, FunctionType) else ""
            raise misuse(f"{name} is a whole number, not {shown(value)}{of_each}")


def _limit(limit: object) -> None:
    if limit is not None and not isinstance(limit, str):
        raise misuse(f"a limit is named, such as limit='messages', and not {limit!r}; configurations give its value")


def _choosing(type_: Type, choice: Choice, starts: tuple[Expr, ...] = ()) -> Declared[Any]:
    return Declared(type_, choice.first, starts, choice)


def _each_of(initially: object) -> tuple[Any, ...]:
    """The value, or each value of a choice."""
    return initially.values if isinstance(initially, Chosen) else (initially,)


def _any(type_: Type, chosen: Chosen) -> Declared[Any]:
    return _choosing(type_, OneOf(chosen.alternatives(type_)))


def flag(*, initially: bool | Chosen = False) -> Declared[Bool]:
    """A flag.

    Raises:
        SpecError: the initial value is neither True nor False.
    """
    if isinstance(initially, Chosen):
        return _any(BOOL, initially)
    if not isinstance(initially, bool):
        raise misuse(f"a flag is True or False initially, not {initially!r}")
    return Declared(BOOL, lambda sizes: initially)


def number(
    low: int = 0, high: int | None = None, *, limit: str | None = None, initially: int | Chosen | None = None
) -> Declared[Number]:
    """A number from `low`: hard bounded by `high`, or cut off in finite searches by a configuration's `limit`.

    Raises:
        SpecError: neither or both bounds are given, one is no number, or the initial value lies outside.
    """
    chosen = _each_of(initially)
    for one in chosen:
        _numbers(low=low, high=high, initially=one)
    _limit(limit)
    if (high is None) == (limit is None):
        raise misuse("a number needs either a hard bound or a limit; write number(0, 3) or number(limit='bytes')")
    starts = [low if one is None else one for one in chosen]
    for start in starts:
        if start < low or (high is not None and start > high):
            raise misuse(f"the initial value {start} lies outside {low}..{high}")
    type_ = NumberType(low, high, limit)
    return _any(type_, initially) if isinstance(initially, Chosen) else Declared(type_, lambda sizes: starts[0])


def ordered(*, limit: str, initially: int | Chosen = 0) -> Declared[Ordered]:
    """A number from 0 that is only compared and raised: a stamp, a recovery id.

    Raises:
        SpecError: the initial value is no number or below 0.
    """
    _limit(limit)
    for one in _each_of(initially):
        _numbers(initially=one)
        if one < 0:
            raise misuse(f"the initial value {one} of an ordered number is below 0")
    type_ = NumberType(0, None, limit, ordered=True)
    return _any(type_, initially) if isinstance(initially, Chosen) else Declared(type_, lambda sizes: initially)


def enumeration(members: type[E], *, initially: E | Chosen | None = None) -> Declared[Enumerated[E]]:
    """One of the members of a Python enumeration; the first one, unless another one is given.

    Raises:
        SpecError: there are no members, or the initial one is of another enumeration.
    """
    if not _is_class(members, enum.Enum) or not len(members):
        raise misuse(f"enumeration() takes a class derived from enum.Enum that has members, not {members!r}")
    for one in _each_of(initially):
        if one is not None and not isinstance(one, members):
            raise misuse(f"the initial value {one!r} is not a member of {members.__name__}")
    kind = enum_type(members)
    if isinstance(initially, Chosen):
        return _any(kind, initially)
    start = kind.labels.index(initially.name) if initially is not None else 0
    return Declared(kind, lambda sizes: start)


def lifecycle(machine: type[StateMachine]) -> Declared[Lifecycle]:
    """The state of one entity, moved by a python-statemachine class' events; its initial state initially."""
    if not hasattr(machine, "states") or _is_class(machine, Record):
        raise misuse(f"lifecycle() takes a class derived from statemachine.StateMachine, not {machine!r}")
    states = list(machine.states)
    edges: list[tuple[str, str, str]] = []
    for state in states:
        for transition in state.transitions:
            edges.extend(
                (state.id, event.id, target.id) for event in transition.events for target in transition.targets
            )
    labels = tuple(state.id for state in states)
    start = next(position for position, state in enumerate(states) if state.initial)
    type_ = EnumType(machine.__name__, labels, tuple(sorted(set(edges))))
    register_lifecycle(type_, [*states, *(getattr(machine, event) for event in {event for _, event, _ in edges})])
    return Declared(type_, lambda sizes: start)


def _starting(type_: Type, given: object, otherwise: Initial) -> Declared[Any]:
    """A variable whose initial value is computed from the sizes, if one is given."""
    if given is None:
        return Declared(type_, otherwise)
    if isinstance(given, Chosen):
        return _any(type_, given)
    expr = coerce(given, type_)
    return Declared(type_, lambda sizes: computed(expr, sizes), (expr,))


def _by_member(op: Op, index: type[IndexT], given: Callable[[IndexT], Any], type_: Type, result: Type) -> Declared[Any]:
    """What begins with a value for each member, from a function of one."""
    if isinstance(given, Chosen):
        raise misuse(
            f"each element chooses for itself; write per(Node, number(0, 1, initially=any_of(0, 1))), or "
            f"initially=lambda n: {given}"
        )
    function = of_one(given, "initially=", "lambda n: n == Node.first()")

    def began(bound: Expr) -> Expr | tuple[Alternative, ...]:
        said = function(cast(IndexT, wrap(bound)))
        return said.alternatives(type_) if isinstance(said, Chosen) else coerce(said, type_)

    with authored(caller()), tracing(Trace({}, may_assign=False), is_suspect=True):
        binder, begins = of_every(index.set, began)
    if isinstance(begins, tuple):
        return _choosing(result, OneOfByMember(binder, begins, type_, op is Op.MEMBERS))
    expr = ir.make(op, (begins,), result, binder)
    return Declared(result, lambda sizes: computed(expr, sizes), (expr,))


def reference(index: type[IndexT], *, initially: IndexT | Chosen | None = None) -> Declared[IndexT]:
    """A member of an index set; the first one initially, unless another one is given."""
    _index(index, "reference()")
    return _starting(RefType(index.set), initially, lambda sizes: 0)


def optional(index: type[IndexT], *, initially: IndexT | Chosen | None = None) -> Declared[IndexT]:
    """A member of an index set, or `none`, which it is initially, unless a member is given."""
    _index(index, "optional()")
    return _starting(RefType(index.set, optional=True), initially, lambda sizes: None)


def members(
    index: type[IndexT],
    *,
    initially_all: bool = False,
    initially: Callable[[IndexT], Bool | bool | Chosen] | None = None,
) -> Declared[Members[IndexT]]:
    """A subset of an index set; empty initially, or everything, or those members for which a condition holds."""
    _index(index, "members()")
    if initially is not None:
        if initially_all:
            raise misuse("a set begins with all members or with those of initially=; write one of them")
        return _by_member(Op.MEMBERS, index, initially, BOOL, SetType(index.set))
    return Declared(
        SetType(index.set), lambda sizes: frozenset(range(sizes.of(index.set))) if initially_all else frozenset()
    )


def record(class_: type[R]) -> Declared[R]:
    """A record, each field at its own initial value."""
    _record(class_, "record()")
    fields = class_.declared()
    starts = tuple(start for declared in fields for start in declared.starts)
    if any(declared.choice for declared in fields):
        parts = tuple(declared.choice or Settled(declared.initial) for declared in fields)
        return _choosing(class_.type(), Fields(tuple(declared.name for declared in fields), parts), starts)
    return Declared(class_.type(), lambda sizes: tuple(declared.initial(sizes) for declared in fields), starts)


def sequence(element: Declared[V], *, capacity: int | None = None, limit: str | None = None) -> Declared[Sequence[V]]:
    """A sequence, empty initially; hard bounded by `capacity`, or cut off by a configuration's `limit`."""
    _element(element, "sequence()")
    _numbers(capacity=capacity)
    _limit(limit)
    if (capacity is None) == (limit is None):
        raise misuse("a sequence needs either a hard capacity or a limit; write capacity=4 or limit='packets'")
    if capacity is not None and capacity < 0:
        raise misuse(f"the capacity of a sequence is {capacity}; write 0 or more")
    return Declared(SequenceType(element.type, capacity, limit), lambda sizes: ())


def bag(class_: type[R], *, limit: str, distinct: bool = False) -> Declared[Bag[R]]:
    """A multiset of messages, empty initially, whose size a configuration's `limit` cuts off.

    Args:
        class_: the record that a message is.
        limit: name of the limit.
        distinct: whether it is a set: sending a message that is on its way changes nothing.

    Raises:
        SpecError: the message is no record, or a field of it is a sequence or a bag.
    """
    _record(class_, "bag()")
    _limit(limit)
    for name, kind in class_.type().fields:
        if isinstance(kind, SequenceType | BagType):
            raise misuse(f"field '{name}' of message {class_.__name__} is {describe(kind)}; a message holds none")
    return Declared(BagType(class_.type(), limit, distinct), lambda sizes: ())


def per(
    index: type[IndexT], element: Declared[V], *, initially: Callable[[IndexT], object] | None = None
) -> Declared[Array[IndexT, V]]:
    """One element for each member of an index set; each as it is declared, or as a function of the member says."""
    _index(index, "per()")
    _element(element, "per()")
    type_ = ArrayType(index.set, element.type)
    if initially is not None:
        return _by_member(Op.TABULATE, index, initially, element.type, type_)
    if element.choice is not None:
        return _choosing(type_, Each(index.set, element.choice), element.starts)
    return Declared(
        type_, lambda sizes: tuple(element.initial(sizes) for _ in range(sizes.of(index.set))), element.starts
    )


def declared_in(class_: type) -> list[Declared[Any]]:
    """Declarations of a class and its bases, base classes first, in order of declaration."""
    found: dict[str, Declared[Any]] = {}
    for base in reversed(class_.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, Declared):
                found[name] = value
    return list(found.values())


def _is_of(value: object, class_: type) -> bool:
    return value is None or isinstance(value, class_)


RESERVED: Final = frozenset({"declared", "expr", "place", "type"})
"""What a record has itself, or is made of: no names for fields."""


class Record(Value):
    """Base of records: subclass it and declare the fields; calling the class makes a value of it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        taken = sorted({field.name for field in declared_in(cls)} & RESERVED)
        if taken:
            raise misuse(
                f"a record's field cannot be named '{taken[0]}', nor {', '.join(sorted(RESERVED - {taken[0]}))}"
            )
        register_record(cls.type(), cls)

    def __init__(self, expr: Expr | None = None, place: Place | None = None, **fields: object) -> None:
        if not _is_of(expr, Expr) or not _is_of(place, Place):
            names = ", ".join(f"{declared.name}=..." for declared in self.declared())
            raise misuse(f"the fields of a record are given by name; write {type(self).__name__}({names})")
        if expr is None and place is None:
            expr = self._build(fields)
        super().__init__(expr, place)

    @classmethod
    def declared(cls) -> list[Declared[Any]]:
        """The declared fields, in order."""
        return declared_in(cls)

    @classmethod
    def type(cls) -> RecordType:
        """The type of this record's values."""
        return RecordType(cls.__name__, tuple((declared.name, declared.type) for declared in cls.declared()))

    def _build(self, fields: dict[str, object]) -> Expr:
        declared = {d.name: d for d in self.declared()}
        unknown = sorted(set(fields) - set(declared))
        if unknown:
            raise misuse(f"{type(self).__name__} has no field '{unknown[0]}'; it has {', '.join(declared)}")
        missing = sorted(set(declared) - set(fields))
        if missing:
            raise misuse(f"{type(self).__name__} needs a value for '{missing[0]}'")
        return ir.make(ir.Op.RECORD, tuple(coerce(fields[n], d.type) for n, d in declared.items()), type(self).type())

    def _member(self, name: str) -> Value:
        kind = self._type
        assert isinstance(kind, RecordType)
        position = kind.position(name)
        if self._place is None:
            return wrap(ir.field(self.expr, position))
        outer = self._place
        place = Place(
            lambda: ir.field(outer.read(), position),
            lambda change: outer.change(
                lambda whole: ir.with_field(whole, position, change(ir.field(whole, position)))
            ),
            f"{outer.name}.{name}",
            ir.field(outer.seen, position),
        )
        return at_place(place)

    def _set_member(self, name: str, type_: Type, value: object) -> None:
        kind = self._type
        assert isinstance(kind, RecordType)
        refuse_lifecycle(name, type_)
        position, field = kind.position(name), coerce(value, type_)
        self._change(lambda whole: ir.with_field(whole, position, field))
