"""Members of index sets while a function is traced, their order, and those that have names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NoReturn, TypeVar, cast

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.registry import container
from genstamp_model.language.trace import binding, misuse
from genstamp_model.language.types import BOOL, INTEGER, IndexSet, Nobody, RefType
from genstamp_model.language.values import Bool, Number, Value, coerce, compared_with, wrap

IndexT = TypeVar("IndexT", bound="Index")


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
        ours = self._in_order("before")
        theirs = coerce(other, compared_with(self.expr.type, other))
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


@container(RefType)
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
