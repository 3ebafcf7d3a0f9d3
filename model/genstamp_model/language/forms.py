"""The forms that a specification's functions use: checks, choices and quantifiers.

Quantifiers take a function of one bound member; it is traced once, and the quantifier stays one node.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast, overload

from genstamp_model.language import ir
from genstamp_model.language.containers import Array, Members
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.members import OR_NONE, Index, member_of
from genstamp_model.language.mismatch import shown
from genstamp_model.language.parameters import domain_of, is_index, numbers_from
from genstamp_model.language.quantifying import of_every, of_one
from genstamp_model.language.refusing import Inert
from genstamp_model.language.trace import Trace, current, misuse, tracing
from genstamp_model.language.types import (
    BOOL,
    INTEGER,
    ArrayType,
    IndexSet,
    Nobody,
    NumberType,
    RefType,
    SetType,
    Type,
    describe,
)
from genstamp_model.language.values import Bool, Comparable, Enumerated, Number, Value, coerce, enum_type, wrap

IndexT = TypeVar("IndexT", bound=Index)
V = TypeVar("V")
N = TypeVar("N", bound=Comparable)
E = TypeVar("E", bound=enum.Enum)


def require(
    condition: Bool | bool,
    label: str,
    refuses: str | None = None,
    *,
    defensive: bool = False,
    repairs: str | None = None,
    since: str | None = None,
) -> None:
    """A check of the step, in the order in which the protocol checks.

    Args:
        condition: what must hold before the step.
        label: what holds, as text; shown when a step is rejected, counted by coverage, dropped by mutants.
        refuses: exception that the caller gets when this check is the first to fail; without it the step just
            cannot happen.
        defensive: no system is known to reach this refusal; coverage asks for a state where it is given only in systems
            that say of it that they meet it (`System.meets`).
        repairs: name of the hole that is closed by this check: a semantics that has the hole does not have the check.
        since: name of the bug that was closed by it, likewise.
    """
    trace = current()
    _words(label, "a check is labelled in words, such as require(condition, 'it is open')")
    _words(
        "None" if refuses is None else refuses, "a check refuses with the name of an exception, such as 'IOException'"
    )
    if not _is_left_out(trace, label, repairs, since):
        trace.check(coerce(condition, BOOL), label, refuses, defensive=defensive, mark=repairs or since or "")


def case(
    name: str,
    condition: Bool,
    label: str,
    otherwise: str = "",
    *,
    refuses: str | None = None,
    unchanged: str = "",
    repairs: str | None = None,
    since: str | None = None,
) -> bool:
    """Whether the step goes this way: `if case("gone", ~s.known(file), "the block is gone"): ...; return`.

    The function is traced once for each way through its cases. Each way is an action of its own, with one event, named
    by the function and the last case that it follows, or all of them where that name would be another way's. A refusal
    before a case belongs to the first way that meets it.

    Args:
        name: what the way is called, a word or two joined by `_`.
        condition: when the step goes this way.
        label: what holds then, as text.
        otherwise: what holds on the other ways, as text; by default that it is not so.
        refuses: exception that the caller gets at the end of this way, although it changes the state; empty where a
            case before it refuses and this way does not.
        unchanged: why this way has no effects, as of an action.
        repairs: name of the hole that is closed by this case: a semantics that has the hole never goes this way.
        since: name of the bug that was closed by it, likewise.
    """
    trace = current()
    _name_way(name, label, "case('gone', condition, 'the block is gone')")
    if _is_left_out(trace, label, repairs, since):
        return False
    other, mark = otherwise or f"not so: {label}", repairs or since or ""
    return trace.case(name, coerce(condition, BOOL), label, other, refuses, unchanged, mark)


def either(name: str, label: str, *, refuses: str | None = None, unchanged: str = "") -> bool:
    """Whether the step goes this way, which is open: `if either("unanswered", "the answer is lost"): return`.

    It is a `case` without a condition, and may be after effects.
    """
    _name_way(name, label, "either('unanswered', 'the answer is lost')")
    return current().case(name, None, label, "", refuses, unchanged)


def way(name: str, *, refuses: str | None = None, unchanged: str = "") -> None:
    """Name the way on which the step is when no case is left, as `case` does with those that it follows."""
    _name_way(name, name, "way('starts')")
    current().way(name, refuses, unchanged)


def _name_way(name: object, label: object, example: str) -> None:
    if not (isinstance(name, str) and name.isidentifier()):
        raise misuse(f"a way is named by an identifier, such as {example}, not {name!r}")
    _words(label, f"a way is labelled in words, such as {example}")


def repairs(hole: str) -> bool:
    """Whether the hole of this name is closed, for effects that close it: `if repairs("..."): s.x = ...`."""
    return not current().leaves_out(repairs=_mark(hole))


def since(bug: str) -> bool:
    """Whether the bug of this name is closed, likewise."""
    return not current().leaves_out(since=_mark(bug))


def _is_left_out(trace: Trace, label: str, repairs: str | None, since: str | None) -> bool:
    """Whether a check or a case is left out by its marks; its label is known anyway."""
    left_out = trace.leaves_out(repairs=_mark(repairs), since=_mark(since))
    if left_out:
        trace.labels.add(label)
    return left_out


def _mark(name: object) -> str | None:
    if name is not None and not (isinstance(name, str) and name.strip()):
        raise misuse(f"a mark names a hole or a bug, such as 'HDFS-10240', not {name!r}")
    return name


def _words(given: object, demand: str) -> None:
    if not isinstance(given, str) or not given.strip():
        raise misuse(f"{demand}, not with {given!r}")


@dataclass(frozen=True, eq=False)
class Attempt(Inert):
    """The result of some checks and effects, traced aside: see `attempt`."""

    _trace: Trace

    def __repr__(self) -> str:
        return "an attempt"

    def _instead(self) -> str:
        return "an attempt is no condition; write .possible or .refused"

    @property
    def possible(self) -> Bool:
        """All checks hold."""
        return Bool(ir.conjunction([check.condition for check in self._trace.checks]))

    @property
    def refused(self) -> Bool:
        """The first check that fails is one with an exception."""
        refusals, before = [], list[Expr]()
        for check in self._trace.checks:
            if check.refuses is not None:
                refusals.append(ir.conjunction([*before, ir.negation(check.condition)]))
            before.append(check.condition)
        return Bool(ir.disjunction(refusals))

    def take(self) -> None:
        """The effects, without the checks: require `possible` before."""
        trace = current()
        for variable in self._trace.sources:
            trace.write(variable, self._trace.read(variable))


def attempt(step: Callable[[], object]) -> Attempt:
    """Trace checks and effects aside: a call whose refusal the caller handles as an answer."""
    trace = current()
    if not callable(step):
        raise misuse(f"attempt() takes a function, such as lambda: s.take(node), not {shown(step)}")
    aside = Trace(
        dict(trace.values),
        True,
        dropped=trace.dropped,
        scopes=trace.scopes,
        left_out=trace.left_out,
        marks=trace.marks,
        marked=trace.marked,
    )
    with tracing(aside):
        step()
    if aside.cases:
        raise misuse(
            f"case '{aside.cases[0].name}' is in an attempt, which has only one way through; write when(...) there"
        )
    if aside.parameters:
        raise misuse("an attempt cannot pick numbers or receive messages; do so before it")
    return Attempt(aside)


def when(condition: Bool | bool, then: V, otherwise: object) -> V:
    """`then` where the condition holds, else `otherwise`. At least one of the two must be symbolic or both plain."""
    chosen = coerce(condition, BOOL)
    first, second = cast(object, then), otherwise
    if isinstance(first, Value):
        left = first.expr
        right = coerce(second, _optional(left.type)) if isinstance(second, Nobody) else _either(second, left)
    elif isinstance(second, Value):
        right = second.expr
        left = coerce(first, _optional(right.type)) if isinstance(first, Nobody) else coerce(first, right.type)
    elif isinstance(first, bool):
        left, right = coerce(first, BOOL), coerce(second, BOOL)
    elif isinstance(first, int):
        left, right = coerce(first, INTEGER), coerce(second, INTEGER)
    elif isinstance(first, enum.Enum):
        kind = enum_type(type(first))
        left, right = coerce(first, kind), coerce(second, kind)
    else:
        raise misuse("when() cannot tell the type of its values; make one of them a value of the state")
    return cast(V, wrap(ir.choice(chosen, left, right)))


def _optional(type_: Type) -> Type:
    return RefType(type_.index, optional=True) if isinstance(type_, RefType) else type_


def _either(value: object, like: Expr) -> Expr:
    return coerce(value, _optional(like.type))


def smallest(first: N, *others: object) -> N:
    """The smallest of some numbers."""
    return _extreme(Op.MIN, first, others)


def largest(first: N, *others: object) -> N:
    """The largest of some numbers."""
    return _extreme(Op.MAX, first, others)


def _extreme(op: Op, first: N, others: tuple[object, ...]) -> N:
    numbers = [coerce(number, INTEGER) for number in (first, *others)]
    ordered = any(getattr(number.type, "ordered", False) for number in numbers)
    result = numbers[0]
    for number in numbers[1:]:
        result = ir.make(op, (result, number), NumberType(ordered=True) if ordered else INTEGER)
    return cast(N, wrap(result))


def _body(op: Op, index: type[IndexT], function: Callable[[IndexT], Any], type_: Type, result: Type) -> Expr:
    claim = of_one(function)
    binder, body = of_every(_set_of(index, op), lambda bound: coerce(claim(cast(IndexT, member_of(bound))), type_))
    return ir.make(op, (body,), result, binder)


def _set_of(index: object, op: Op) -> IndexSet:
    if not is_index(index):
        is_value = isinstance(index, Value)
        instead = "; write forall(Node, lambda n: s.group.has(n).implies(...))" if is_value else ""
        shown = _shown(index)
        raise misuse(f"{op} is over an index set, a class derived from Index, and not over {shown}{instead}")
    return index.set


def _shown(given: object) -> str:
    return describe(given.expr.type) if isinstance(given, Value) else shown(given)


def forall(index: type[IndexT], claim: Callable[[IndexT], Bool | bool]) -> Bool:
    """Whether the claim holds for every member."""
    return Bool(_body(Op.FORALL, index, claim, BOOL, BOOL))


def exists(index: type[IndexT], claim: Callable[[IndexT], Bool | bool]) -> Bool:
    """Whether the claim holds for some member."""
    return Bool(_body(Op.EXISTS, index, claim, BOOL, BOOL))


def count(index: type[IndexT], claim: Callable[[IndexT], Bool | bool]) -> Number:
    """For how many members the claim holds."""
    return Number(_body(Op.COUNT, index, claim, BOOL, INTEGER))


def those(index: type[IndexT], claim: Callable[[IndexT], Bool | bool]) -> Members[IndexT]:
    """The set of members for which the claim holds."""
    return Members(_body(Op.MEMBERS, index, claim, BOOL, SetType(index.set)))


def each(index: type[IndexT], value: Callable[[IndexT], V]) -> Array[IndexT, V]:
    """The array of a value for every member."""
    element = of_one(value)
    members = _set_of(index, Op.TABULATE)
    binder, body = of_every(members, lambda bound: _plain_or_symbolic(element(cast(IndexT, member_of(bound)))))
    return Array(ir.make(Op.TABULATE, (body,), ArrayType(index.set, body.type), binder))


def _plain_or_symbolic(value: object) -> Expr:
    """The expression of a value, of a plain flag or of a plain number."""
    if isinstance(value, Value):
        return value.expr
    return coerce(value, BOOL if isinstance(value, bool) else INTEGER)


def choose(index: type[IndexT], claim: Callable[[IndexT], Bool | bool]) -> IndexT:
    """The first member, in the set's order, for which the claim holds; `none` if there is none.

    It prefers earlier members, so it breaks symmetry; an action with a parameter and a check does not.
    """
    return cast(IndexT, member_of(_body(Op.CHOOSE, index, claim, BOOL, RefType(index.set, optional=True))))


def minimum(
    index: type[IndexT], value: Callable[[IndexT], N], *, where: Callable[[IndexT], Bool | bool], default: int
) -> N:
    """The smallest value among the members where the condition holds; `default` if there is none."""
    return _optimum(Op.MINIMUM, index, value, where, default)


def maximum(
    index: type[IndexT], value: Callable[[IndexT], N], *, where: Callable[[IndexT], Bool | bool], default: int
) -> N:
    """The largest value among the members where the condition holds; `default` if there is none."""
    return _optimum(Op.MAXIMUM, index, value, where, default)


def _optimum(
    op: Op, index: type[IndexT], value: Callable[[IndexT], N], where: Callable[[IndexT], Bool | bool], default: int
) -> N:
    members, is_meant, element = _set_of(index, op), of_one(where), of_one(value)
    _, condition = of_every(members, lambda bound: coerce(is_meant(cast(IndexT, member_of(bound))), BOOL))
    binder, body = of_every(members, lambda bound: coerce(element(cast(IndexT, member_of(bound))), INTEGER))
    result = body.type if getattr(body.type, "ordered", False) else INTEGER
    return cast(N, wrap(ir.make(op, (condition, body, ir.number(default)), result, binder)))


@overload
def pick(name: str, low: int, high: int, /) -> Number: ...
@overload
def pick(name: str, index: type[IndexT], /, *, or_none: bool = False) -> IndexT: ...
@overload
def pick(name: str, labels: type[E], /) -> Enumerated[E]: ...
@overload
def pick(name: str, kind: type[V], /) -> V: ...
def pick(name: str, kind: Any, high: int | None = None, /, *, or_none: bool = False) -> Any:
    """Any number from one to another, or any value of a kind: the step exists once for each.

    Args:
        name: of the choice, as it is in traces.
        kind: the least number; or a class derived from Index, `Members[Node]` for a subset, or an enumeration.
        high: the largest number.
        or_none: the choice of a member may also be none.
    """
    trace = current()
    if high is not None:
        return wrap(trace.choose(name, *numbers_from(name, kind, high)))
    known = domain_of(name, Annotated[kind, OR_NONE] if or_none and is_index(kind) else kind)
    if known is None or or_none > is_index(kind):
        example = f"pick('{name}', Node), pick('{name}', Members[Node]) or pick('{name}', 0, 3)"
        raise misuse(
            f"'{name}' is picked from an index set, its subsets, an enumeration or two numbers, not {_shown(kind)}; "
            f"write {example}"
        )
    return wrap(trace.choose(name, *known))


def observe(**values: object) -> None:
    """Say what the step shows to its caller: named values over the state as it stands after the effects so far."""
    trace = current()
    for name, value in values.items():
        if isinstance(value, Value):
            shown = value.expr
        elif isinstance(value, bool | int):
            shown = coerce(value, BOOL if isinstance(value, bool) else INTEGER)
        else:
            raise misuse(f"observed '{name}' must be a value of the state, a flag or a number, not {value!r}")
        if trace.observations.setdefault(name, shown) is not shown:
            raise misuse(
                f"'{name}' was observed with another value earlier in this step; observe it once, or under another name"
            )
