"""Expressions of a model in TLA+, with their quantifiers, and with names for what is said more than once.

Reads and writes are total in a model. In TLA+ an `EXCEPT` outside a function's domain changes nothing, as it should; a
read is guarded where it may be outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from genstamp_model.evaluate import named_position
from genstamp_model.export.tla_layout import (
    Level,
    Piece,
    at_least,
    bullets,
    changed,
    choice,
    hang,
    infix,
    let,
    listed,
    opened,
)
from genstamp_model.export.tla_names import Names, binder_names
from genstamp_model.export.tla_shared import names_for, shared
from genstamp_model.export.tla_values import literal, quoted
from genstamp_model.language import ir
from genstamp_model.language.ir import BINDERS, Expr, Op
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    EnumType,
    IndexSet,
    RecordType,
    RefType,
    Type,
    zero,
)

_COMPARISONS: Final = {Op.EQ: "=", Op.LT: "<", Op.LE: "<=", Op.SUBSET: "\\subseteq", Op.MEMBER: "\\in"}
_OPPOSITES: Final = {Op.EQ: "#", Op.LT: ">=", Op.LE: ">", Op.MEMBER: "\\notin"}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "#": "#"}
_OPERATORS: Final = {
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.DIV: "\\div",
    Op.MOD: "%",
    Op.UNION: "\\cup",
    Op.INTERSECTION: "\\cap",
    Op.DIFFERENCE: "\\",
}


class Expressions:
    """Writes the expressions of one module.

    Attributes:
        names: of the module.
        helpers: operators of our own that were used; the module must define them.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.helpers: set[str] = set()
        self._named: dict[Expr, str] = {}
        self._at: Expr | None = None

    def sharing(self, roots: Sequence[Expr], write: Callable[[], Piece]) -> Piece:
        """The output of `write`, with names for parts that occur more than once in some expressions.

        Args:
            roots: the expressions that `write` will write.
        """
        repeated = [node for node in shared(roots, self._named) if self._is_closed(node)]
        definitions: list[tuple[str, Piece]] = []
        with self._naming(repeated, definitions):
            return let(definitions, write())

    @contextmanager
    def _naming(self, repeated: Sequence[Expr], definitions: list[tuple[str, Piece]]) -> Iterator[None]:
        wanted = [(f"shared {id(node)}", names_for(node)) for node in repeated]
        with self.names.binding(wanted) as chosen:
            for node, name in zip(repeated, chosen, strict=True):
                definitions.append((name, self.piece(node)))
                self._named[node] = name
            yield
            for node in repeated:
                del self._named[node]

    def _is_closed(self, node: Expr) -> bool:
        return all(self.names.is_bound(name) for name in node.free)

    def scoped(self, body: Expr) -> Piece:
        """The body of a quantifier or of a definition."""
        return self.sharing([body], lambda: self.piece(body))

    def piece(self, expr: Expr) -> Piece:
        """An expression."""
        if expr in self._named:
            return Piece(self._named[expr])
        if expr is self._at:
            return Piece("@")
        if expr.op in BINDERS:
            return self._quantified(expr)
        if expr.op in (Op.STORE, Op.WITH_FIELD):
            return self._changed(expr)
        if expr.op in _COMPARISONS:
            return self._compared(_COMPARISONS[expr.op], expr)
        if expr.op in (Op.DIV, Op.MOD) and not (expr.args[1].op is Op.CONST and expr.args[1].data > 0):
            return self._helper("Quotient" if expr.op is Op.DIV else "Remainder", *map(self.piece, expr.args))
        if expr.op in _OPERATORS:
            return self._operated(expr)
        return self._other(expr)

    def _other(self, expr: Expr) -> Piece:
        names = self.names
        match expr.op:
            case Op.CONST:
                return literal(named_position(expr, names.sizes), expr.type, names)
            case Op.VARIABLE:
                return Piece(names.variables[expr.data])
            case Op.NEXT:
                return Piece(f"{names.variables[expr.data]}'")
            case Op.PARAMETER:
                return Piece(names.bound(expr.data))
            case Op.NOT:
                return self._negated(expr.args[0])
            case Op.AND:
                return bullets("/\\", [self.piece(part) for part in self._flat(expr)])
            case Op.OR:
                return self._either(expr)
            case Op.ITE:
                return self._chosen(expr)
            case Op.SELECT | Op.FIELD:
                return self._read(expr)
            case Op.RECORD:
                assert isinstance(expr.type, RecordType)
                fields = zip(names.fields(expr.type), expr.args, strict=True)
                return listed("[", [(f"{name} |-> ", self.piece(value)) for name, value in fields], "]")
            case _:
                return self._applied(expr)

    def _applied(self, expr: Expr) -> Piece:
        """Operations that are calls of operators in TLA+, or sets of one."""
        parts = [self.piece(arg) for arg in expr.args]
        match expr.op:
            case Op.MIN:
                return self._helper("Smaller", *parts)
            case Op.MAX:
                return self._helper("Larger", *parts)
            case Op.INSERT | Op.REMOVE:
                return self._with_member(expr, *parts)
            case Op.RANK | Op.SUCCESSOR | Op.PREDECESSOR:
                return self._in_order(expr, *parts)
            case Op.CARDINALITY:
                return call("Cardinality", *parts)
            case Op.LENGTH:
                return call("BagCardinality" if isinstance(expr.args[0].type, BagType) else "Len", *parts)
            case Op.AT:
                return self._helper("ElementAt", *parts, self._zero(expr.type))
            case Op.APPEND:
                return call("Append", *parts)
            case Op.DROP_FIRST:
                return self._helper("DropFirst", *parts)
            case Op.WITHOUT:
                return self._helper("Without", *parts)
            case Op.SEND | Op.TAKE:
                symbol = "(+)" if expr.op is Op.SEND else "(-)"
                return infix(symbol, parts[0], call("SetToBag", set_of(parts[1])), Level.OPERATOR, Level.ATOM)
            case op:
                assert op is Op.HOLDS, op
                return call("BagIn", parts[1], parts[0])

    def _helper(self, name: str, *parts: Piece) -> Piece:
        self.helpers.add(name)
        return call(name, *parts)

    def _in_order(self, expr: Expr, member: Piece) -> Piece:
        """The rank of a member or one of its neighbours; those of none are 0 and none."""
        kind = expr.args[0].type
        if isinstance(kind, EnumType):
            labels = [("", Piece(quoted(label))) for label in kind.labels]
            return self._helper("Rank", listed("<<", labels, ">>"), member)
        assert isinstance(kind, RefType)
        found = self._helper(str(expr.op).capitalize(), Piece(self.names.order(kind.index)), member)
        guard = self._guard(expr.args[0], member, kind.index)
        return found if guard is None else choice(guard, found, self._zero(expr.type))

    def _zero(self, type_: Type) -> Piece:
        return literal(zero(type_, self.names.sizes), type_, self.names)

    def _flat(self, expr: Expr) -> list[Expr]:
        """The operands of nested conjunctions or disjunctions."""
        found: list[Expr] = []
        for arg in expr.args:
            found += self._flat(arg) if arg.op is expr.op and arg not in self._named else [arg]
        return found

    def _with_member(self, expr: Expr, members: Piece, member: Piece) -> Piece:
        kind = expr.args[1].type
        one = set_of(member)
        if expr.op is Op.REMOVE:
            return infix("\\", members, one, Level.OPERATOR, Level.ATOM)
        if isinstance(kind, RefType) and kind.optional:
            one = infix("\\", one, Piece(f"{{{self.names.none()}}}"), Level.OPERATOR, Level.ATOM)
        return infix("\\cup", members, one, Level.OPERATOR, Level.ATOM)

    def _operated(self, expr: Expr) -> Piece:
        left, right = expr.args
        # a + b + c needs no parentheses on the left, but a - b may not lose them anywhere.
        chained = left.op is expr.op and left not in self._named and expr.op in (Op.ADD, Op.UNION, Op.INTERSECTION)
        before = self.piece(left)
        if chained:
            before = Piece(before.inline, Level.ATOM, before.broken, before.must_break)
        return infix(_OPERATORS[expr.op], before, self.piece(right), Level.OPERATOR, Level.ATOM)

    def _compared(self, symbol: str, expr: Expr) -> Piece:
        left, right = (self.piece(arg) for arg in expr.args)
        if expr.op is Op.MEMBER:
            left, right = right, left
        elif expr.args[0].op is Op.CONST and symbol in _TURNED:
            symbol, left, right = _TURNED[symbol], right, left
        return infix(symbol, left, right, Level.COMPARE, Level.OPERATOR)

    def _negated(self, expr: Expr) -> Piece:
        if expr not in self._named:
            if expr.op is Op.NOT:
                return self.piece(expr.args[0])
            if expr.op in _OPPOSITES:
                return self._compared(_OPPOSITES[expr.op], expr)
            if expr.op is Op.OR and (found := self._labels(self._flat(expr))) is not None:
                return self._among("\\notin", *found)
        inner = at_least(self.piece(expr), Level.ATOM)
        return Piece(f"~{inner.inline}", Level.NOT, lambda width: hang("~", inner.lines(width - 1)), inner.must_break)

    def _either(self, expr: Expr) -> Piece:
        """A disjunction: one label of several, an implication, or a list."""
        parts = self._flat(expr)
        if parts[0].op is Op.NOT and parts[0] not in self._named:
            conclusion = self._disjunction(parts[1:])
            return infix("=>", self.piece(parts[0].args[0]), conclusion, Level.IMPLIES, Level.NOT)
        return self._disjunction(parts)

    def _disjunction(self, parts: list[Expr]) -> Piece:
        pieces: list[Piece] = []
        while parts:
            many = next((n for n in range(len(parts), 1, -1) if self._labels(parts[:n]) is not None), 0)
            if many:
                found = self._labels(parts[:many])
                assert found is not None
                pieces.append(self._among("\\in", *found))
            else:
                pieces.append(self.piece(parts[0]))
            parts = parts[many or 1 :]
        return bullets("\\/", pieces)

    def _labels(self, parts: Sequence[Expr]) -> tuple[Expr, list[Expr]] | None:
        """The common expression and the labels, if each part compares the same expression with a label."""
        if any(part.op is not Op.EQ or part in self._named for part in parts):
            return None
        subject = parts[0].args[0]
        labels = [part.args[1] for part in parts]
        is_one_of = isinstance(subject.type, EnumType) and all(label.op is Op.CONST for label in labels)
        return (subject, labels) if is_one_of and all(part.args[0] is subject for part in parts) else None

    def _among(self, symbol: str, subject: Expr, labels: Sequence[Expr]) -> Piece:
        some = listed("{", [("", self.piece(label)) for label in labels], "}")
        return infix(symbol, self.piece(subject), some, Level.COMPARE, Level.OPERATOR)

    def _chosen(self, expr: Expr) -> Piece:
        condition, then, otherwise = expr.args
        conditions = [condition]
        while otherwise.op is Op.ITE and otherwise not in self._named and otherwise.args[1] is then:
            conditions.append(otherwise.args[0])
            otherwise = otherwise.args[2]
        when = self._disjunction(conditions) if len(conditions) > 1 else self.piece(condition)
        return choice(when, self.piece(then), self.piece(otherwise))

    def _read(self, expr: Expr) -> Piece:
        """An element or a field; the zero of its type where a position is nobody."""
        guards: list[Piece] = []
        path = self._path(expr, guards)
        if not guards:
            return path
        return choice(bullets("/\\", guards), path, self._zero(expr.type))

    def _path(self, expr: Expr, guards: list[Piece]) -> Piece:
        if expr.op not in (Op.SELECT, Op.FIELD) or expr in self._named or expr is self._at:
            return at_least(self.piece(expr), Level.ATOM)
        base = self._path(expr.args[0], guards)
        if expr.op is Op.FIELD:
            assert isinstance(expr.args[0].type, RecordType)
            suffix = f".{self.names.fields(expr.args[0].type)[expr.data]}"
            return _behind(base, suffix)
        array, position = expr.args
        at = self.piece(position)
        assert isinstance(array.type, ArrayType)
        guard = self._guard(position, at, array.type.index)
        if guard is not None:
            guards.append(guard)
        return _behind(base, f"[{at.inline}]")

    def _guard(self, position: Expr, at: Piece, index: IndexSet) -> Piece | None:
        """The condition that an array over an index set has an element at a position."""
        kind = position.type
        assert isinstance(kind, RefType)
        if kind.index.name != index.name and kind.index.root != index.name:
            return infix("\\in", at, Piece(self.names.set(index)), Level.COMPARE, Level.OPERATOR)
        if position.data is None if position.op is Op.CONST else kind.optional:
            return infix("#", at, Piece(self.names.none()), Level.COMPARE, Level.OPERATOR)
        return None

    def _changed(self, expr: Expr) -> Piece:
        """`[array EXCEPT ![position].field = value]`."""
        base, changes = self._changes(expr)
        outer, self._at = self._at, None
        head = at_least(self.piece(base), Level.ATOM)
        items: list[tuple[str, Piece]] = []
        for path, old, value in changes:
            label = "!" + "".join(step if isinstance(step, str) else f"[{self.piece(step).inline}]" for step in path)
            self._at = old
            items.append((f"{label} = ", self.piece(value)))
            self._at = None
        self._at = outer
        return changed(head, items)

    def _changes(self, expr: Expr) -> tuple[Expr, list[tuple[list[str | Expr], Expr, Expr]]]:
        """What is changed, and the changes: where, what stands there before it, and what after it."""
        if expr in self._named or expr.op not in (Op.STORE, Op.WITH_FIELD):
            return expr, []
        if expr.op is Op.STORE:
            whole, position, value = expr.args
            step: str | Expr = position
            old = ir.select(whole, position)
        else:
            whole, value = expr.args
            assert isinstance(expr.type, RecordType)
            step = f".{self.names.fields(expr.type)[expr.data]}"
            old = ir.field(whole, expr.data)
        base, changes = self._changes(whole)
        inner, inside = self._changes(value)
        if inside and inner is old:
            return base, [*changes, *(([step, *path], before, after) for path, before, after in inside)]
        return base, [*changes, ([step], old, value)]

    def _quantified(self, expr: Expr) -> Piece:
        binder = expr.data
        if expr.op in (Op.FORALL_IN, Op.EXISTS_IN):
            over = call("BagToSet", self.piece(expr.args[0])).inline
        else:
            over = self.names.set(binder.over)
        outer, self._at = self._at, None
        try:
            with self.names.binding([(binder.name, binder_names(binder.over))]) as [bound]:
                return self._over(expr, f"{bound} \\in {over}", bound)
        finally:
            self._at = outer

    def _over(self, expr: Expr, bound_in: str, bound: str) -> Piece:
        if expr.op in (Op.MINIMUM, Op.MAXIMUM):
            return self._optimum(expr, bound_in, bound)
        body = self.scoped(expr.args[-1])
        match expr.op:
            case Op.FORALL | Op.FORALL_IN:
                return opened(f"\\A {bound_in} :", body, level=Level.OPEN)
            case Op.EXISTS | Op.EXISTS_IN:
                return opened(f"\\E {bound_in} :", body, level=Level.OPEN)
            case Op.TABULATE:
                return opened(f"[{bound_in} |->", body, "]")
            case Op.MEMBERS:
                return self._members(expr, bound_in, body)
            case Op.COUNT:
                return call("Cardinality", opened(f"{{{bound_in} :", body, "}"))
            case op:
                assert op is Op.CHOOSE, op
                self.names.none()
                self.helpers.add("First")
                return call("First", Piece(self.names.order(expr.data.over)), opened(f"{{{bound_in} :", body, "}"))

    def _members(self, expr: Expr, bound_in: str, body: Piece) -> Piece:
        if expr.args[0] is ir.FALSE:
            return Piece("{}")
        if expr.args[0] is ir.TRUE:
            return Piece(self.names.set(expr.data.over))
        return opened(f"{{{bound_in} :", body, "}")

    def _optimum(self, expr: Expr, bound_in: str, bound: str) -> Piece:
        where, value, default = expr.args
        chosen = opened(f"{{{bound_in} :", self.scoped(where), "}")
        values = opened(f"{{{self.scoped(value).inline} : {bound} \\in", chosen, "}")
        return self._helper("Smallest" if expr.op is Op.MINIMUM else "Largest", values, self.piece(default))


def call(name: str, *parts: Piece) -> Piece:
    """`name(part, part)`."""
    return listed(f"{name}(", [("", part) for part in parts], ")")


def set_of(piece: Piece) -> Piece:
    """`{piece}`."""
    return listed("{", [("", piece)], "}")


def _behind(base: Piece, suffix: str) -> Piece:
    return Piece(
        base.inline + suffix,
        Level.ATOM,
        None if base.broken is None else lambda width: hang("", base.lines(width - len(suffix)), suffix),
        base.must_break,
    )
