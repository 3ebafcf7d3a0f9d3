"""Quantifiers in Promela: each is a macro, its body another one with the bound name as parameter.

The macro writes the body out once for each member, so that it can be in a guard. Its own parameters are the names that
occur unbound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from genstamp_model.export.promela_names import Names, comment
from genstamp_model.export.promela_scope import Bound, Message, Scope
from genstamp_model.export.promela_shapes import Path, Shapes, Size
from genstamp_model.export.promela_text import call, enclosed
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import RecordType

_WIDTH = 110


class Writer(Protocol):
    """Writes the expressions below a quantifier."""

    def scalar(self, expr: Expr, bound: Bound, scope: Scope = ..., path: Path = ...) -> str:
        """The text of one scalar of an expression's value."""

    def reading(self, write: Callable[[], str]) -> tuple[str, frozenset[str]]:
        """A text and what it reads of the state."""

    def bag_places(self, bag: Expr) -> range:
        """The places of a bag."""


class Quantifiers:
    """Writes each quantifier once, and collects the macros until they are taken.

    Attributes:
        owner: what the next macros are named after.
    """

    def __init__(self, writer: Writer, shapes: Shapes, names: Names) -> None:
        self.owner = ""
        self._writer = writer
        self._shapes = shapes
        self._names = names
        self._known: dict[tuple[Expr, Scope, tuple[Expr, ...]], tuple[str, frozenset[str]]] = {}
        self._pending: list[str] = []
        self._bound_names: dict[str, str] = {}

    def take(self) -> list[str]:
        """The macros written since the last time."""
        found, self._pending = self._pending, []
        return found

    def bound_name(self, name: str) -> str:
        """The name of a parameter, or of what a quantifier binds, in the text."""
        if name not in self._bound_names:
            self._bound_names[name] = self._names.parameter(name)
        return self._bound_names[name]

    def text(self, expr: Expr, bound: Bound, scope: Scope) -> tuple[str, frozenset[str]]:
        """The text of a quantifier, and the leaves of the state that it reads."""
        messages = tuple(given.bag for given in bound.values() if isinstance(given, Message))
        used = sorted(self._used(expr, bound))
        key = (expr, scope, messages)
        if key not in self._known:
            inner = {name: self._inside(name, bound[name]) for name in used}
            parameters = tuple(self.bound_name(name) for name in used)
            self._known[key] = self._writer.reading(lambda: self._define(expr, inner, scope, parameters))
        name, reads = self._known[key]
        texts = [given if isinstance(given, str) else given.place for given in (bound[name] for name in used)]
        return call(name, texts), reads

    def _used(self, expr: Expr, bound: Bound) -> set[str]:
        """The names that an expression needs, those of the bags of its messages included."""
        found: set[str] = set()
        for name in expr.free:
            found.add(name)
            given = bound[name]
            if isinstance(given, Message):
                found |= self._used(given.bag, bound)
        return found

    def _inside(self, name: str, given: str | Message) -> str | Message:
        inner = self.bound_name(name)
        return Message(given.bag, inner) if isinstance(given, Message) else inner

    def _define(self, expr: Expr, bound: Bound, scope: Scope, parameters: tuple[str, ...]) -> str:
        """Write the macros of a quantifier and of its parts, and give its name."""
        over = expr.data.over
        name = self._names.unique(f"{self.owner}_{_WORDS[expr.op]}_{over.name.lower()}")
        write = self._over_messages if isinstance(over, RecordType) else self._over_members
        joint, lines = write(name, expr, bound, scope, parameters)
        self._macro(name, parameters, joint, lines)
        return name

    def _over_messages(
        self, name: str, expr: Expr, bound: Bound, scope: Scope, parameters: tuple[str, ...]
    ) -> tuple[str, list[str]]:
        """The condition on each place of a bag, and how the conditions are joined."""
        bag, body = expr.args
        own = self.bound_name(expr.data.name)
        inside = {**bound, expr.data.name: Message(bag, own)}
        inner = self._body(f"{name}_of", body, inside, scope, (*parameters, own), comment(ir.text(expr)))
        size = self._writer.scalar(bag, bound, scope, (Size(),))
        claims = [(f"{k} < {size}", call(inner, [*parameters, str(k)])) for k in self._writer.bag_places(bag)]
        if expr.op is Op.FORALL_IN:
            return " && ", [f"(!({there}) || {claim})" for there, claim in claims] or ["true"]
        return " || ", [f"({there} && {claim})" for there, claim in claims] or ["false"]

    def _over_members(
        self, name: str, expr: Expr, bound: Bound, scope: Scope, parameters: tuple[str, ...]
    ) -> tuple[str, list[str]]:
        """The condition on each member of an index set, and how the conditions are joined."""
        own = self.bound_name(expr.data.name)
        members = self._shapes.members(expr.data.over)
        inside, text = {**bound, expr.data.name: own}, comment(ir.text(expr))
        each = []
        for word, body in zip(_PARTS.get(expr.op, ("of",)), expr.args, strict=False):
            inner = self._body(f"{name}_{word}", body, inside, scope, (*parameters, own), text)
            each.append([call(inner, [*parameters, member]) for member in members])
            text = ""
        if expr.op is Op.MEMBERS:
            each = [[f"({claim} << {member})" for claim, member in zip(each[0], members, strict=True)]]
        if expr.op in _JOINED:
            return _JOINED[expr.op], each[0]
        if expr.op is Op.CHOOSE:
            pairs, last = list(zip(each[0], members, strict=True)), self._shapes.none(expr.data.over)
        else:
            pairs, last = _best(expr.op, *each), self._writer.scalar(expr.args[2], bound, scope)
        return " : ", [*(f"({condition} -> {value}" for condition, value in pairs), last + ")" * len(pairs)]

    def _body(self, name: str, body: Expr, bound: Bound, scope: Scope, parameters: tuple[str, ...], text: str) -> str:
        """The macro of what a quantifier says of one member, after a comment."""
        name = self._names.unique(name)
        claim = self._writer.scalar(body, bound, scope)
        if text:
            self._pending.append(text)
        self._macro(name, parameters, "", [claim])
        return name

    def _macro(self, name: str, parameters: Sequence[str], joint: str, parts: Sequence[str]) -> None:
        head = f"#define {call(name, parameters)} "
        line = f"{head}{enclosed(joint.join(parts))}"
        if len(line) > _WIDTH and len(parts) > 1:
            broken = f" \\\n   {joint.lstrip()}".join(parts)
            line = f"{head}\\\n  ({broken})"
        self._pending.append(line)


def _best(op: Op, where: Sequence[str], value: Sequence[str]) -> list[tuple[str, str]]:
    """For each member whether it is among those that count and none of them beats it, with its value."""
    beats = "<" if op is Op.MINIMUM else ">"
    found = []
    for i, (mine, its) in enumerate(zip(where, value, strict=True)):
        rivals = [
            f"!({other} && {worth} {beats} {its})"
            for j, (other, worth) in enumerate(zip(where, value, strict=True))
            if j != i
        ]
        found.append((" && ".join([mine, *rivals]), its))
    return found


_WORDS = {
    Op.FORALL: "every",
    Op.EXISTS: "some",
    Op.COUNT: "count",
    Op.MEMBERS: "those",
    Op.MINIMUM: "least",
    Op.MAXIMUM: "most",
    Op.CHOOSE: "first",
    Op.FORALL_IN: "every",
    Op.EXISTS_IN: "some",
}
_JOINED = {Op.FORALL: " && ", Op.EXISTS: " || ", Op.COUNT: " + ", Op.MEMBERS: " | "}
_PARTS = {Op.MINIMUM: ("where", "value"), Op.MAXIMUM: ("where", "value")}
