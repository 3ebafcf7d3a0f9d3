"""An expression as a committer reads it: few parentheses, words for `&` and `|`, names of functions for long formulas.

Not here: what may be left out of an expression: `known`.
"""

from collections.abc import Mapping
from typing import Final

from genstamp.tables.reading.names import Name
from genstamp_model.language.ir import BINDERS, Expr, Op
from genstamp_model.language.types import BoolType, EnumType, RecordType, RefType, SetType

_LONG: Final = 36
"""A formula of more characters than these is written by the name of its function."""
_ARGUMENT: Final = 34
"""An argument of a function is left out if it has more characters than these."""

_ATOM: Final = 6
_INFIX: Final = {
    Op.OR: (" or ", 1),
    Op.AND: (" and ", 2),
    Op.EQ: (" == ", 4),
    Op.LT: (" < ", 4),
    Op.LE: (" <= ", 4),
    Op.SUBSET: (" <= ", 4),
    Op.ADD: (" + ", 5),
    Op.SUB: (" - ", 5),
    Op.MUL: (" * ", 5),
    Op.DIV: (" // ", 5),
    Op.MOD: (" % ", 5),
    Op.UNION: (" | ", 5),
    Op.INTERSECTION: (" & ", 5),
    Op.DIFFERENCE: (" - ", 5),
}
_NEGATED: Final = {Op.EQ: " != ", Op.LT: " >= ", Op.LE: " > ", Op.MEMBER: " not in "}
_LEAVES: Final = (Op.CONST, Op.VARIABLE, Op.PARAMETER, Op.NEXT)
_ON_ONE: Final = frozenset(
    {
        Op.SELECT,
        Op.AT,
        Op.FIELD,
        Op.WITH_FIELD,
        Op.STORE,
        Op.INSERT,
        Op.REMOVE,
        Op.APPEND,
        Op.SEND,
        Op.DROP_FIRST,
        Op.WITHOUT,
        Op.RANK,
        Op.SUCCESSOR,
        Op.PREDECESSOR,
    }
)
_CALLS: Final = {
    Op.MIN: "smallest",
    Op.MAX: "largest",
    Op.CARDINALITY: "size",
    Op.LENGTH: "length",
    Op.TAKE: "without",
}


class Wording:
    """Writes the expressions of one model.

    Args:
        names: the functions that expressions come from.

    Attributes:
        used: what the functions that were named say.
        sets: the variables that such a function assigns, where it was named in place of that.
    """

    def __init__(self, names: Mapping[Expr, Name]) -> None:
        self.names = names
        self.used: dict[str, str] = {}
        self.sets: dict[str, dict[str, None]] = {}
        self._written: dict[Expr, tuple[str, int]] = {}

    def text(self, expr: Expr) -> str:
        """The expression."""
        return self._of(expr)[0]

    def has_alternatives(self, expr: Expr) -> bool:
        """Whether a condition is written as one thing or another."""
        said, closeness = self._of(expr)
        return closeness == _INFIX[Op.OR][1] or said.startswith("not (")

    def _of(self, expr: Expr) -> tuple[str, int]:
        """The text, and how closely its parts are joined."""
        found = self._written.get(expr)
        if found is None:
            found = self._formula(expr)
            name = self.names.get(expr)
            if name is not None and len(found[0]) > _LONG:
                called = self.call(name)
                if len(called) < len(found[0]):
                    self.used[name.function] = name.says
                    found = called, _ATOM
            self._written[expr] = found
        return found

    def call(self, name: Name) -> str:
        """A call of a function."""
        return f"{name.function}({', '.join(self._argument(one) for one in name.arguments)})"

    def _argument(self, argument: Expr | str) -> str:
        shown = argument if isinstance(argument, str) else self.text(argument)
        return shown if len(shown) <= _ARGUMENT else ".."

    def _within(self, expr: Expr, closeness: int) -> str:
        shown, own = self._of(expr)
        return f"({shown})" if own < closeness else shown

    def _formula(self, expr: Expr) -> tuple[str, int]:
        if expr.op in _LEAVES:
            return _leaf(expr), _ATOM
        if expr.op in _ON_ONE:
            return self._on_one(expr)
        if expr.op in BINDERS:
            return self._bound(expr)
        match expr.op:
            case Op.NOT:
                return self._negated(expr.args[0])
            case Op.ITE:
                then, otherwise = self._within(expr.args[1], 1), self._within(expr.args[2], 0)
                return f"{then} if {self._within(expr.args[0], 1)} else {otherwise}", 0
            case Op.MEMBER | Op.HOLDS:
                return f"{self._within(expr.args[1], 5)} in {self._within(expr.args[0], 5)}", 4
            case Op.RECORD:
                return self._record(expr), _ATOM
            case Op.OR if (among := self._among(expr)) is not None:
                return among, 4
            case op if op in _INFIX:
                sign, closeness = _INFIX[op]
                inner = closeness if op in (Op.AND, Op.OR) else closeness + 1
                return sign.join(self._within(arg, inner) for arg in expr.args), closeness
            case op:
                return f"{_CALLS.get(op, op)}({', '.join(self.text(arg) for arg in expr.args)})", _ATOM

    def _on_one(self, expr: Expr) -> tuple[str, int]:
        """A condition on one value, with the text that follows it."""
        first, rest = expr.args[0], [self.text(arg) for arg in expr.args[1:]]
        if expr.op in (Op.INSERT, Op.REMOVE, Op.APPEND, Op.SEND):
            sign = "-" if expr.op is Op.REMOVE else "+"
            return f"{self._within(first, 5)} {sign} {{{rest[0]}}}", 5
        behind = {
            Op.SELECT: "[{}]",
            Op.AT: "[{}]",
            Op.FIELD: f".{_field(first, expr.data)}" if expr.op is Op.FIELD else "",
            Op.WITH_FIELD: f".with({_field(expr, expr.data)}={{}})" if expr.op is Op.WITH_FIELD else "",
            Op.STORE: ".with([{}]={})",
            Op.DROP_FIRST: ".without_first()",
            Op.WITHOUT: ".without([{}])",
            Op.RANK: ".rank()",
            Op.SUCCESSOR: ".successor()",
            Op.PREDECESSOR: ".predecessor()",
        }
        return self._within(first, _ATOM) + behind[expr.op].format(*rest), _ATOM

    def _negated(self, expr: Expr) -> tuple[str, int]:
        if expr.op is Op.NOT:
            return self._of(expr.args[0])
        if expr in self.names and len(self._of(expr)[0]) < len(self._formula(expr)[0]):
            return f"not {self._within(expr, 3)}", 3
        if expr.op in _NEGATED:
            left, right = expr.args if expr.op is not Op.MEMBER else reversed(expr.args)
            return f"{self._within(left, 5)}{_NEGATED[expr.op]}{self._within(right, 5)}", 4
        if expr.op is Op.OR and (among := self._among(expr, " not in ")) is not None:
            return among, 4
        return f"not {self._within(expr, 3)}", 3

    def _among(self, expr: Expr, sign: str = " in ") -> str | None:
        """`x == a or x == b` is `x in {a, b}`."""
        if any(arg.op is not Op.EQ or arg.args[1].op is not Op.CONST for arg in expr.args):
            parts = [part for arg in expr.args for part in (arg.args if arg.op is Op.OR else (arg,))]
            if len(parts) == len(expr.args) or any(p.op is not Op.EQ or p.args[1].op is not Op.CONST for p in parts):
                return None
        else:
            parts = list(expr.args)
        places = {part.args[0] for part in parts}
        if len(places) != 1:
            return None
        return f"{self._within(places.pop(), 5)}{sign}{{{', '.join(_constant(part.args[1]) for part in parts)}}}"

    def _record(self, expr: Expr) -> str:
        assert isinstance(expr.type, RecordType)
        if is_beginning(expr):
            return f"an empty {expr.type.name}"
        shown = (f"{name}={self.text(arg)}" for (name, _), arg in zip(expr.type.fields, expr.args, strict=True))
        return f"{expr.type.name}({', '.join(shown)})"

    def _bound(self, expr: Expr) -> tuple[str, int]:
        name, over, body = expr.data.name, expr.data.over.name, expr.args[-1]
        if expr.op in (Op.FORALL_IN, Op.EXISTS_IN):
            word = "every" if expr.op is Op.FORALL_IN else "some"
            return f"{word} {name} in {self.text(expr.args[0])}: {self.text(body)}", 0
        if expr.op is Op.MEMBERS:
            if body.op is Op.CONST:
                return (f"every {over}" if body.data else "{}"), _ATOM
            if body.op is Op.EQ and body.args[0].op is Op.PARAMETER and body.args[0].data == name:
                return f"{{{self.text(body.args[1])}}}", _ATOM
            return f"{{{name}: {self.text(body)}}}", _ATOM
        if expr.op in (Op.MINIMUM, Op.MAXIMUM):
            where, value, default = (self.text(arg) for arg in expr.args)
            word = "least" if expr.op is Op.MINIMUM else "greatest"
            return f"({word} {value} where {where}; {default} if none)", _ATOM
        if expr.op is Op.CHOOSE:
            return f"(first {name} where {self.text(body)})", _ATOM
        if expr.op is Op.TABULATE:
            return f"(for each {name}: {self.text(body)})", _ATOM
        if expr.op is Op.COUNT:
            return f"(number of {name} where {self.text(body)})", _ATOM
        return f"({'every' if expr.op is Op.FORALL else 'some'} {name}: {self.text(body)})", _ATOM


def is_beginning(expr: Expr) -> bool:
    """Whether a value is what a variable of its type usually has at first: nothing."""
    if expr.op is Op.CONST:
        return not expr.data
    if expr.op is Op.RECORD:
        return all(is_beginning(arg) for arg in expr.args)
    return expr.op in (Op.TABULATE, Op.MEMBERS) and is_beginning(expr.args[0])


def _leaf(expr: Expr) -> str:
    if expr.op is Op.CONST:
        return _constant(expr)
    return f"{expr.data}'" if expr.op is Op.NEXT else str(expr.data)


def _field(record: Expr, position: int) -> str:
    assert isinstance(record.type, RecordType)
    return record.type.fields[position][0]


def _constant(expr: Expr) -> str:
    match expr.type:
        case BoolType():
            return "true" if expr.data else "false"
        case EnumType(labels=labels):
            return str(labels[expr.data])
        case RefType():
            return "none" if expr.data is None else str(expr.data)
        case SetType():
            return "{}" if not expr.data else str(expr.data)
        case _:
            return "{}" if expr.data == () else str(expr.data)
