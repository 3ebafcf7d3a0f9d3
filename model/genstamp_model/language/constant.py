"""Whether a condition is the same in every state: then it checks, promises or decides nothing."""

from __future__ import annotations

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op


def is_constant(condition: Expr) -> bool:
    """Whether a condition is the same in every state, as far as its form shows: `0 < 1`, `flag | True`.

    Not so `x == x`: a check that several steps share may come down to that in one of them.
    """
    nodes = list(ir.walk(condition))
    if not condition.free and not any(node.op in (Op.VARIABLE, Op.NEXT) for node in nodes):
        return True
    values: dict[Expr, bool | None] = {}
    for node in nodes:
        values[node] = _value(node, [values[arg] for arg in node.args])
    return values[condition] is not None


def _value(node: Expr, args: list[bool | None]) -> bool | None:
    """What a flag is in every state; None where that is open."""
    match node.op:
        case Op.CONST if isinstance(node.data, bool):
            return node.data
        case Op.NOT:
            return None if args[0] is None else not args[0]
        case Op.AND:
            return False if False in args else True if set(args) == {True} else None
        case Op.OR:
            return True if True in args else False if set(args) == {False} else None
        case Op.FORALL | Op.EXISTS:
            return args[0]
        case Op.FORALL_IN | Op.EXISTS_IN:
            # Of no message all is true, and nothing of some.
            return args[1] if args[1] is (node.op is Op.FORALL_IN) else None
        case Op.ITE:
            then, otherwise = args[1:]
            return then if then is otherwise else None if args[0] is None else then if args[0] else otherwise
        case _:
            return None
