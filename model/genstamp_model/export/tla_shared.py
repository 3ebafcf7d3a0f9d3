"""The parts that occur more than once in an exported expression, and their names."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.types import ArrayType, EnumType, NumberType, RecordType, RefType, SetType

# From how many nodes on an expression that stands twice gets a name.
_WORTH_A_NAME: Final = 10


def shared(roots: Sequence[Expr], named: Mapping[Expr, str]) -> list[Expr]:
    """The parts that occur more than once in some expressions and are long enough to get a name, operands first."""
    uses: dict[Expr, int] = {}
    weight = ir.written_sizes(roots, named)
    order: list[Expr] = []

    def visit(node: Expr) -> None:
        uses[node] = uses.get(node, 0) + 1
        if uses[node] > 1:
            return
        if node in named:
            return
        for arg in node.args:
            visit(arg)
        order.append(node)

    for root in roots:
        visit(root)
    return [node for node in order if uses[node] > 1 and weight[node] >= _WORTH_A_NAME and not _is_place(node)]


def _is_place(node: Expr) -> bool:
    """A variable, or an element or field of one: shorter than a name for it would be clear."""
    if node.op is Op.SELECT:
        return _is_place(node.args[0]) and _is_place(node.args[1])
    if node.op is Op.FIELD:
        return _is_place(node.args[0])
    return node.op in (Op.VARIABLE, Op.NEXT, Op.PARAMETER, Op.CONST)


def names_for(node: Expr) -> tuple[str, ...]:
    """What a shared expression may be called: after the variable that it is a later value of, or after its type."""
    base = node
    while base.op in (Op.STORE, Op.WITH_FIELD, Op.SEND, Op.TAKE, Op.APPEND, Op.DROP_FIRST, Op.WITHOUT):
        base = base.args[0]
    if base.op is Op.VARIABLE:
        return (str(base.data),)
    match node.type:
        case EnumType(name=name) | RecordType(name=name):
            return (_snake(name.removesuffix("Lifecycle")),)
        case RefType(index=index):
            return (_snake(index.name),)
        case SetType(index=index):
            return (f"{_snake(index.name)}s",)
        case NumberType():
            return ("number",)
        case ArrayType():
            return ("array",)
        case _:
            return ("condition",)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
