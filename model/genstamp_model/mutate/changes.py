"""Single changes of an expression: one operation, constant or comparison is replaced by a similar one.

Every change keeps the type of the expression. An operation that occurs several times in one expression is one shared
node, and is changed everywhere at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import BOOL, BoolType, EnumType, NumberType

_SWAPPED: Final = {
    Op.AND: Op.OR,
    Op.OR: Op.AND,
    Op.LT: Op.LE,
    Op.LE: Op.LT,
    Op.ADD: Op.SUB,
    Op.SUB: Op.ADD,
    Op.MIN: Op.MAX,
    Op.MAX: Op.MIN,
    Op.FORALL: Op.EXISTS,
    Op.EXISTS: Op.FORALL,
    Op.FORALL_IN: Op.EXISTS_IN,
    Op.EXISTS_IN: Op.FORALL_IN,
    Op.MINIMUM: Op.MAXIMUM,
    Op.MAXIMUM: Op.MINIMUM,
    Op.INSERT: Op.REMOVE,
    Op.REMOVE: Op.INSERT,
    Op.UNION: Op.INTERSECTION,
    Op.INTERSECTION: Op.UNION,
    Op.DIFFERENCE: Op.UNION,
    Op.SUCCESSOR: Op.PREDECESSOR,
    Op.PREDECESSOR: Op.SUCCESSOR,
}
"""Each operation, and one with the same types that replaces it."""

_DROPPED: Final = frozenset({Op.STORE, Op.WITH_FIELD, Op.APPEND, Op.DROP_FIRST, Op.WITHOUT, Op.SEND, Op.TAKE})
"""Operations that are replaced by their first operand, so that the value is not changed."""

_CONDITIONS: Final = frozenset({Op.EQ, Op.MEMBER, Op.SUBSET, Op.HOLDS})
"""Conditions that are negated."""


def changes(root: Expr) -> Iterator[tuple[str, Expr]]:
    """Every single change of an expression: the change in words, and the changed expression."""
    met, shown = {root}, dict[int, str]()
    for node in ir.walk(root):
        for said, changed in _of_node(node, shown):
            whole = replaced(root, node, changed)
            if whole not in met:
                met.add(whole)
                yield said, whole


def _of_node(node: Expr, shown: dict[int, str]) -> Iterator[tuple[str, Expr]]:
    for changed in _near(node):
        yield f"{_short(node, shown)} becomes {_short(changed, shown)}", changed


def _near(node: Expr) -> Iterator[Expr]:
    op = node.op
    if op is Op.CONST:
        yield from _other_constant(node)
    elif op is Op.NOT:
        yield node.args[0]
    elif op in _CONDITIONS:
        yield ir.negation(node)
    elif op is Op.ITE:
        yield node.args[1]
        yield node.args[2]
    elif op in _DROPPED:
        yield node.args[0]
    elif op in _SWAPPED and not (op is Op.ADD and isinstance(node.type, NumberType) and node.type.ordered):
        # An ordered number cannot be lowered; not raising it is a change of the constant that is added.
        yield ir.make(_SWAPPED[op], node.args, node.type, node.data)


def _other_constant(node: Expr) -> Iterator[Expr]:
    match node.type:
        case BoolType():
            yield ir.const(not node.data, BOOL)
        case NumberType():
            yield ir.const(node.data + 1, node.type)
        case EnumType(labels=labels) if len(labels) > 1:
            yield ir.const((node.data + 1) % len(labels), node.type)


def replaced(root: Expr, old: Expr, new: Expr) -> Expr:
    """The expression with a node replaced wherever it occurs; double negations are removed."""
    found: dict[Expr, Expr] = {old: new}
    for node in ir.walk(root):
        if node in found:
            continue
        args = tuple(found[arg] for arg in node.args)
        if all(x is y for x, y in zip(args, node.args, strict=True)):
            found[node] = node
        elif node.op is Op.NOT and args[0].op is Op.NOT:
            found[node] = args[0].args[0]
        else:
            found[node] = ir.make(node.op, args, node.type, node.data)
    return found[root]


_MOST_CHARACTERS: Final = 90


def _short(node: Expr, shown: dict[int, str]) -> str:
    text = ir.beginning(node, _MOST_CHARACTERS + 1, shown)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 1]}…"
