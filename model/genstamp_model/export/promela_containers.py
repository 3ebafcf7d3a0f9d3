"""Sequences and message bags in Promela: a step builds the new one in a hidden variable and then copies it.

Past its size a sequence or bag is all 0, and a bag is sorted by the scalars of its messages, so that one value has one
representation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from genstamp_model.export.promela_bounds import Bounds
from genstamp_model.export.promela_expressions import Expressions, spare
from genstamp_model.export.promela_hidden import Hidden
from genstamp_model.export.promela_names import Names
from genstamp_model.export.promela_scope import Bound, Scope
from genstamp_model.export.promela_shapes import Field, Path, Place, Shapes, Size
from genstamp_model.export.promela_text import bare
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import BagType, NumberType, RecordType, SequenceType, Type


@dataclass
class StepText:
    """The text of one step as it grows.

    Attributes:
        first: statements that compute what is needed more than once.
        late: checks that are no part of the guard.
        before: statements that compute, and leave the state as it is.
        wrong, beyond: conditions under which a number leaves its range, or the step a limit.
        commit: statements that change the state.
    """

    first: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)
    commit: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Building:
    """A new sequence or bag in the making."""

    name: str
    room: int
    bound: Bound
    scope: Scope
    bounds: Bounds
    step: StepText


class Containers:
    """Writes the changes of sequences and bags."""

    def __init__(self, shapes: Shapes, names: Names, expressions: Expressions, hidden: Hidden) -> None:
        self.inlines: list[str] = []
        self._shapes = shapes
        self._names = names
        self._expressions = expressions
        self._hidden = hidden
        self._known: dict[tuple[str, RecordType], str] = {}

    def update(
        self,
        target: str,
        wanted: str,
        type_: SequenceType | BagType,
        expr: Expr,
        inside: tuple[str, ...],
        bound: Bound,
        scope: Scope,
        bounds: Bounds,
        step: StepText,
    ) -> list[str]:
        """Build the value of an expression, judge its size, and give the statements that copy it to its place."""
        more = spare(expr)
        room = self._shapes.room(type_)
        name = self._hidden.container(wanted, type_, more)
        new = _Building(name, room + more, bound, scope, bounds, step)
        step.before.extend(self._build(type_, expr, new))
        if more:
            most = str(room) if type_.limit is None else self._shapes.limit(type_.limit)
            found = step.wrong if type_.limit is None else step.beyond
            found.append(" && ".join([*inside, f"{name}.size > {most}"]))
        return [f"{target}.size = {name}.size;", *self._copy(type_, target, name)]

    def _copy(self, type_: SequenceType | BagType, target: str, name: str) -> Iterator[str]:
        room = self._shapes.room(type_)
        if not room:
            return
        element = element_of(type_)
        yield f"for (k : 0 .. {room - 1}) {{"
        for path, _ in self._shapes.scalars(element):
            yield f"  {self._place(target, element, 'k', path)} = {self._place(name, element, 'k', path)};"
        yield "}"

    def _place(self, name: str, element: Type, where: str | int, path: Path) -> str:
        """The text of a scalar in a place of a sequence or bag."""
        return self._shapes.place(name, SequenceType(element), (Place(where), *path))

    def _build(self, type_: SequenceType | BagType, expr: Expr, new: _Building) -> Iterator[str]:
        match expr.op:
            case Op.ITE:
                condition = self._expressions.scalar(expr.args[0], new.bound, new.scope)
                yield "if"
                yield f":: {bare(condition)} ->"
                yield from _indented(self._build(type_, expr.args[1], new))
                yield ":: else ->"
                yield from _indented(self._build(type_, expr.args[2], new))
                yield "fi;"
            case Op.CONST:
                yield f"{new.name}.size = 0;"
                for where in range(new.room):
                    yield from self._clear(type_, new, where)
            case Op.APPEND | Op.SEND | Op.TAKE:
                yield from self._build(type_, expr.args[0], new)
                yield from self._change(type_, expr, new)
            case Op.DROP_FIRST:
                yield from self._build(type_, expr.args[0], new)
                yield f"if :: {new.name}.size > 0 -> {new.name}.size = {new.name}.size - 1 :: else fi;"
                yield from self._shift(type_, new)
            case Op.WITHOUT:
                yield from self._build(type_, expr.args[0], new)
                yield from self._close_gap(type_, self._expressions.scalar(expr.args[1], new.bound, new.scope), new)
            case _:
                yield from self._read(type_, expr, new)

    def _read(self, type_: SequenceType | BagType, expr: Expr, new: _Building) -> Iterator[str]:
        """Copy what is in the state."""
        write, room, element = self._expressions.scalar, self._shapes.room(type_), element_of(type_)
        yield f"{new.name}.size = {bare(write(expr, new.bound, new.scope, (Size(),)))};"
        if room:
            yield f"for (k : 0 .. {room - 1}) {{"
            for path, _ in self._shapes.scalars(element):
                value = write(expr, new.bound, new.scope, (Place("k"), *path))
                yield f"  {self._place(new.name, element, 'k', path)} = {value};"
            yield "}"
        for where in range(room, new.room):
            yield from self._clear(type_, new, where)

    def _clear(self, type_: SequenceType | BagType, new: _Building, where: int) -> Iterator[str]:
        element = element_of(type_)
        for path, _ in self._shapes.scalars(element):
            yield f"{self._place(new.name, element, where, path)} = 0;"

    def _shift(self, type_: SequenceType | BagType, new: _Building) -> Iterator[str]:
        """Move everything one place down."""
        element = element_of(type_)
        if new.room > 1:
            yield f"for (k : 0 .. {new.room - 2}) {{"
            for path, _ in self._shapes.scalars(element):
                to, source = (self._place(new.name, element, where, path) for where in ("k", "k + 1"))
                yield f"  {to} = {source};"
            yield "}"
        if new.room:
            yield from self._clear(type_, new, new.room - 1)

    def _close_gap(self, type_: SequenceType | BagType, position: str, new: _Building) -> Iterator[str]:
        """Move everything behind a position one place down, if there is an element."""
        element = element_of(type_)
        yield "if"
        yield f":: {position} >= 0 && {position} < {new.name}.size ->"
        yield f"  {new.name}.size = {new.name}.size - 1;"
        if new.room > 1:
            yield f"  for (k : 0 .. {new.room - 2}) {{"
            yield f"    if :: k >= {position} ->"
            for path, _ in self._shapes.scalars(element):
                to, source = (self._place(new.name, element, where, path) for where in ("k", "k + 1"))
                yield f"      {to} = {source};"
            yield "    :: else fi;"
            yield "  }"
        yield from _indented(self._clear(type_, new, new.room - 1))
        yield ":: else"
        yield "fi;"

    def _change(self, type_: SequenceType | BagType, expr: Expr, new: _Building) -> Iterator[str]:
        """Put an element in, or take a message out."""
        value = expr.args[1]
        if isinstance(type_, SequenceType):
            for path, kind in self._shapes.scalars(type_.element):
                text = self._expressions.scalar(value, new.bound, new.scope, path)
                place = self._place(new.name, type_.element, f"{new.name}.size", path)
                yield f"{place} = {bare(text)};"
                yield from self._judge(value, kind, path, text, new)
            yield f"{new.name}.size = {new.name}.size + 1;"
            return
        letter = self._hidden.message(type_)
        for path, kind in self._shapes.scalars(type_.message):
            text = self._expressions.scalar(value, new.bound, new.scope, path)
            yield f"{self._shapes.place(letter, type_.message, path)} = {bare(text)};"
            if expr.op is Op.SEND:
                yield from self._judge(value, kind, path, text, new)
        if expr.op is Op.SEND:
            yield f"{self._inline('insert', type_.message, letter)}({new.name});"
        else:
            yield f"{self._inline('remove', type_.message, letter)}({new.name}, {new.room - 1});"

    def _judge(self, value: Expr, kind: Type, path: Path, text: str, new: _Building) -> Iterator[str]:
        """Note where a number that goes in leaves its range, or its limit."""
        if not isinstance(kind, NumberType):
            return
        low, high = self._shapes.span(kind)
        below, above = new.bounds.may_leave(_scalar_of(value, path), low, high)
        for flag, condition in (
            ("beyond" if kind.limit is not None else "wrong", f"{text} > {high}" if above else ""),
            ("wrong", f"{text} < {low}" if below else ""),
        ):
            if condition:
                name = self._hidden.flag(flag)
                if name not in new.step.wrong + new.step.beyond:
                    new.step.before.insert(0, f"{name} = false;")
                    (new.step.beyond if flag == "beyond" else new.step.wrong).append(name)
                yield f"{name} = {name} || {condition};"

    def _inline(self, verb: str, message: RecordType, letter: str) -> str:
        key = (verb, message)
        if key not in self._known:
            name = self._known[key] = self._names.unique(f"{verb}_{message.name}")
            paths = [path for path, _ in self._shapes.scalars(message)]
            mine = [self._shapes.place(letter, message, path) for path in paths]
            write = self._insert if verb == "insert" else self._remove
            self.inlines.extend(write(name, message, paths, mine))
        return self._known[key]

    def _insert(self, name: str, message: RecordType, paths: list[Path], mine: list[str]) -> Iterator[str]:
        def here(where: str) -> list[str]:
            return [self._place("box", message, where, path) for path in paths]

        less = ""
        for own, its in reversed(list(zip(mine, here("k - 1"), strict=True))):
            less = f"({own} < {its} || ({own} == {its} && {less}))" if less else f"{own} < {its}"
        yield f"inline {name}(box) {{ /* puts a message where it sorts */"
        yield "  k = box.size;"
        yield "  do"
        yield "  :: k > 0 ->"
        yield "     if"
        yield f"     :: {bare(less)} ->"
        for to, source in zip(here("k"), here("k - 1"), strict=True):
            yield f"        {to} = {source};"
        yield "        k = k - 1"
        yield "     :: else -> break"
        yield "     fi"
        yield "  :: else -> break"
        yield "  od;"
        for to, source in zip(here("k"), mine, strict=True):
            yield f"  {to} = {source};"
        yield "  box.size = box.size + 1"
        yield "}"

    def _remove(self, name: str, message: RecordType, paths: list[Path], mine: list[str]) -> Iterator[str]:
        def here(where: str) -> list[str]:
            return [self._place("box", message, where, path) for path in paths]

        same = " && ".join(f"{own} == {its}" for own, its in zip(mine, here("k"), strict=True))
        yield f"inline {name}(box, last) {{ /* takes one copy of a message out, if there is one */"
        yield "  k = 0;"
        yield f"  do :: (k < box.size -> !({same}) : false) -> k = k + 1 :: else -> break od;"
        yield "  if"
        yield "  :: k < box.size ->"
        yield "     do"
        yield "     :: k < last ->"
        for to, source in zip(here("k"), here("k + 1"), strict=True):
            yield f"        {to} = {source};"
        yield "        k = k + 1"
        yield "     :: else -> break"
        yield "     od;"
        for to in here("last"):
            yield f"     {to} = 0;"
        yield "     box.size = box.size - 1"
        yield "  :: else"
        yield "  fi"
        yield "}"


def element_of(type_: SequenceType | BagType) -> Type:
    """The element type of a sequence or bag."""
    return type_.element if isinstance(type_, SequenceType) else type_.message


def _scalar_of(value: Expr, path: Path) -> Expr | None:
    """The expression of one scalar of a record; None where the path does not go through fields alone."""
    for step in path:
        if not isinstance(step, Field):
            return None
        value = ir.field(value, step.position)
    return value


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
