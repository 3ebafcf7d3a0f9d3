"""Expressions as an author would write them in the modelling language, ready to be pasted into a part."""

from __future__ import annotations

from collections.abc import Sequence

from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Property
from genstamp_model.language.types import BoolType, EnumType, NumberType, RecordType, RefType

_INFIX = {
    Op.AND: "&",
    Op.OR: "|",
    Op.LE: "<=",
    Op.LT: "<",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.DIV: "//",
    Op.MOD: "%",
    Op.UNION: "|",
    Op.INTERSECTION: "&",
    Op.DIFFERENCE: "-",
    Op.SUBSET: "<=",
}
_QUANTIFIERS = {Op.FORALL: "forall", Op.EXISTS: "exists", Op.COUNT: "count"}


class UnwritableError(Exception):
    """An expression has no short form in the language."""


def written(node: Expr, state: str = "s") -> str:
    """The text of an expression over the state of that name.

    Raises:
        UnwritableError: it has a form that an author would not write, such as the array after an assignment.
    """
    match node.op:
        case Op.CONST:
            return _constant(node)
        case Op.VARIABLE:
            return f"{state}.{node.data}"
        case Op.PARAMETER:
            return str(node.data)
        case Op.NOT:
            return _negation(node.args[0], state)
        case Op.EQ:
            return _equality(node, state)
        case Op.SELECT:
            return f"{written(node.args[0], state)}[{written(node.args[1], state)}]"
        case Op.FIELD:
            assert isinstance(node.args[0].type, RecordType)
            return f"{written(node.args[0], state)}.{node.args[0].type.fields[node.data][0]}"
        case Op.MEMBER:
            return f"{_operand(node.args[0], state)}.has({written(node.args[1], state)})"
        case Op.CARDINALITY | Op.LENGTH:
            return f"{_operand(node.args[0], state)}.size()"
        case Op.RANK if isinstance(node.args[0].type, EnumType):
            return written(node.args[0], state)
        case Op.RANK | Op.SUCCESSOR | Op.PREDECESSOR:
            return f"{written(node.args[0], state)}.{node.op}()"
        case op if op in _INFIX:
            return f" {_INFIX[op]} ".join(_operand(arg, state) for arg in node.args)
        case op if op in _QUANTIFIERS:
            return f"{_QUANTIFIERS[op]}({node.data.over.name}, lambda {node.data.name}: {written(node.args[0], state)})"
        case _:
            raise UnwritableError(str(node.op))


def _operand(node: Expr, state: str) -> str:
    """The text as a part of a larger expression."""
    text = written(node, state)
    return f"({text})" if _is_compound(node) else text


def _is_compound(node: Expr) -> bool:
    if node.op is Op.EQ:
        left, right = node.args
        return not (isinstance(left.type, EnumType) or _is_nothing(left) or _is_nothing(right))
    return node.op in _INFIX and len(node.args) > 1


def _negation(node: Expr, state: str) -> str:
    if node.op is Op.EQ and not isinstance(node.args[0].type, EnumType | BoolType) and not _is_nothing(node.args[1]):
        return f"{_operand(node.args[0], state)} != {_operand(node.args[1], state)}"
    return f"~{_operand(node, state)}"


def _is_nothing(node: Expr) -> bool:
    """Whether a constant is none, or an empty set, sequence or bag."""
    if node.op is not Op.CONST:
        return False
    return node.data is None or not isinstance(node.type, BoolType | NumberType | EnumType | RefType)


def _equality(node: Expr, state: str) -> str:
    left, right = node.args
    if left.op is Op.CONST:
        left, right = right, left
    if isinstance(left.type, EnumType) and right.op is Op.CONST:
        return f"{_operand(left, state)}.at({_constant(right)})"
    if _is_nothing(right):
        return f"{_operand(left, state)}.{'is_none' if right.data is None else 'is_empty'}()"
    return f"{_operand(left, state)} == {_operand(right, state)}"


def _constant(node: Expr) -> str:
    match node.type:
        case EnumType(name=name, labels=labels):
            return f"{name}.{labels[node.data]}"
        case RefType(index=index) if isinstance(node.data, str):
            return f"{index.name}.{node.data}"
        case BoolType() | NumberType():
            return str(node.data)
        case _:
            raise UnwritableError(repr(node))


def implication(literals: Sequence[tuple[Expr, bool]]) -> str:
    """A clause, given as conditions and whether each is meant to hold: what does not hold implies the others."""
    assumed = [condition for condition, holds in literals if not holds]
    claimed = [condition for condition, holds in literals if holds]
    claims = " | ".join(_operand(one, "s") if len(claimed) > 1 else written(one) for one in claimed)
    if not assumed:
        return claims
    assumptions = " & ".join(_operand(one, "s") for one in assumed)
    if not claimed:
        return f"~({assumptions})" if len(assumed) > 1 else _negation(assumed[0], "s")
    grouped = f"({assumptions})" if len(assumed) > 1 else assumptions
    return f"{grouped}.implies({claims})"


def as_invariant(declared: Property, body: str, given: Sequence[str]) -> list[str]:
    """The lines of a declared invariant."""
    names = ", ".join(f'"{name}"' for name in given)
    reliance = f", given=({names}{',' if len(given) == 1 else ''})" if given else ""
    parameters = "".join(f", {p.name}: {p.type.index.name}" for p in declared.parameters if isinstance(p.type, RefType))
    return [
        f"@invariant(inductive=True{reliance})",
        f"def {declared.name}(s{parameters}) -> Bool:",
        f"    return {body}",
    ]
