"""Expressions of the intermediate representation: one node class, interned.

Parameters and quantifiers over index sets stay nodes here; each judge expands them as it needs. Nodes with the same
operation, operands and data are one object, so identity is equality and shared subexpressions are found for free.
Nothing is simplified but a read of what was just written, so that every check an author wrote can still be found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from genstamp_model.language.types import (
    BOOL,
    INTEGER,
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
)


class Op(StrEnum):
    """Operations; the comment gives operands -> result and what `data` holds."""

    CONST = "const"  # data: value
    VARIABLE = "variable"  # data: name; the state before the step
    NEXT = "next"  # data: name; the state after the step (transition properties only)
    INITIAL = "initial"  # data: name; the (first) initial state (where a property could fail only)
    PARAMETER = "parameter"  # data: name; of an action, or bound by a quantifier
    NOT = "not"
    AND = "and"
    OR = "or"
    EQ = "eq"  # any two values of one type
    LT = "lt"
    LE = "le"
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"  # number, number: rounded down; 0 if the second one is below 1
    MOD = "mod"  # number, number: what is left then, from 0; 0 if the second one is below 1
    MIN = "min"
    MAX = "max"
    ITE = "ite"  # condition, then, otherwise
    SELECT = "select"  # array, position
    STORE = "store"  # array, position, element -> array
    FIELD = "field"  # record; data: position of the field
    WITH_FIELD = "with_field"  # record, value -> record; data: position of the field
    RECORD = "record"  # values of all fields -> record
    MEMBER = "member"  # set, position -> flag
    INSERT = "insert"  # set, position -> set
    REMOVE = "remove"  # set, position -> set
    UNION = "union"
    INTERSECTION = "intersection"
    DIFFERENCE = "difference"
    SUBSET = "subset"  # set, set -> flag
    CARDINALITY = "cardinality"  # set -> number
    RANK = "rank"  # reference or label -> number: how many come before it; 0 of nobody
    SUCCESSOR = "successor"  # reference -> reference: the next one on the ring; nobody of nobody
    PREDECESSOR = "predecessor"  # reference -> reference
    LENGTH = "length"  # sequence or bag -> number
    AT = "at"  # sequence, number -> element
    APPEND = "append"  # sequence, element -> sequence
    DROP_FIRST = "drop_first"  # sequence -> sequence
    WITHOUT = "without"  # sequence, number -> sequence without the element at this position; the same if there is none
    SEND = "send"  # bag, message -> bag
    TAKE = "take"  # bag, message -> bag with one copy less
    HOLDS = "holds"  # bag, message -> flag
    FORALL = "forall"  # body; data: Binder (quantifiers below likewise)
    EXISTS = "exists"  # body
    COUNT = "count"  # body -> number
    TABULATE = "tabulate"  # body -> array
    MEMBERS = "members"  # body -> set
    MINIMUM = "minimum"  # where, value, default -> number
    MAXIMUM = "maximum"  # where, value, default -> number
    CHOOSE = "choose"  # where -> reference: the first member where it holds, or none
    FORALL_IN = "forall_in"  # bag, body; data: Binder over messages
    EXISTS_IN = "exists_in"  # bag, body


BINDERS = frozenset(
    {
        Op.FORALL,
        Op.EXISTS,
        Op.COUNT,
        Op.TABULATE,
        Op.MEMBERS,
        Op.MINIMUM,
        Op.MAXIMUM,
        Op.CHOOSE,
        Op.FORALL_IN,
        Op.EXISTS_IN,
    }
)


@dataclass(frozen=True)
class Binder:
    """The variable that a quantifier binds: its name, and the index set or message type that it ranges over."""

    name: str
    over: IndexSet | RecordType


class Expr:
    """One node. Made only by `make`; compare with `is`."""

    __slots__ = ("_free", "args", "data", "op", "type")

    op: Op
    args: tuple[Expr, ...]
    type: Type
    data: Any
    _free: frozenset[str] | None

    def __repr__(self) -> str:
        return text(self)

    @property
    def free(self) -> frozenset[str]:
        """Names of the parameters that occur unbound."""
        if self._free is None:
            if self.op is Op.PARAMETER:
                found = frozenset([self.data])
            else:
                found = frozenset().union(*(arg.free for arg in self.args)) if self.args else frozenset()
                if self.op in BINDERS:
                    outside = self.args[0].free if self.op in (Op.FORALL_IN, Op.EXISTS_IN) else frozenset()
                    found = (found - {self.data.name}) | outside
            self._free = found
        return self._free


_nodes: dict[tuple[Any, ...], Expr] = {}


def make(op: Op, args: tuple[Expr, ...], type_: Type, data: Any = None) -> Expr:
    """The node with these parts."""
    # A node is equal to itself alone. True is equal to 1, which is another constant.
    key = (op, args, type_, type(data), data)
    node = _nodes.get(key)
    if node is None:
        node = Expr()
        node.op, node.args, node.type, node.data, node._free = op, args, type_, data, None
        _nodes[key] = node
    return node


def const(value: Any, type_: Type) -> Expr:
    """A constant."""
    return make(Op.CONST, (), type_, value)


TRUE = const(True, BOOL)
FALSE = const(False, BOOL)


def number(value: int) -> Expr:
    """An integer constant."""
    return const(value, INTEGER)


def conjunction(parts: list[Expr]) -> Expr:
    """All of the parts; true when there is none."""
    return TRUE if not parts else parts[0] if len(parts) == 1 else make(Op.AND, tuple(parts), BOOL)


def disjunction(parts: list[Expr]) -> Expr:
    """Any of the parts; false when there is none."""
    return FALSE if not parts else parts[0] if len(parts) == 1 else make(Op.OR, tuple(parts), BOOL)


def negation(part: Expr) -> Expr:
    """Not the part."""
    return make(Op.NOT, (part,), BOOL)


def equal(left: Expr, right: Expr) -> Expr:
    """Equality of two values of one type (or two numbers, or two references of one root set)."""
    return make(Op.EQ, (left, right), BOOL)


def choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """`then` where the condition holds; the type is that of `then`, or of `otherwise` for a bare constant."""
    if isinstance(then.type, RefType) and isinstance(otherwise.type, RefType):
        type_: Type = RefType(then.type.index, then.type.optional or otherwise.type.optional)
    elif isinstance(then.type, NumberType):
        type_ = INTEGER
    else:
        type_ = then.type
    return make(Op.ITE, (condition, then, otherwise), type_)


def select(array: Expr, position: Expr) -> Expr:
    """An element of an array."""
    assert isinstance(array.type, ArrayType)
    if array.op is Op.STORE and array.args[1] is position:
        return array.args[2]
    return make(Op.SELECT, (array, position), array.type.element)


def store(array: Expr, position: Expr, element: Expr) -> Expr:
    """The array with one element replaced."""
    if array.op is Op.STORE and array.args[1] is position:
        array = array.args[0]
    return make(Op.STORE, (array, position, element), array.type)


def field(record: Expr, position: int) -> Expr:
    """A field of a record."""
    assert isinstance(record.type, RecordType)
    if record.op is Op.WITH_FIELD:
        return record.args[1] if record.data == position else field(record.args[0], position)
    if record.op is Op.RECORD:
        return record.args[position]
    return make(Op.FIELD, (record,), record.type.fields[position][1], position)


def with_field(record: Expr, position: int, value: Expr) -> Expr:
    """The record with one field replaced."""
    if record.op is Op.WITH_FIELD and record.data == position:
        record = record.args[0]
    return make(Op.WITH_FIELD, (record, value), record.type, position)


def walk(root: Expr) -> Iterator[Expr]:
    """Every node below and including the root, each once, operands first."""
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))


def replaced(root: Expr, leaf: Callable[[Expr], Expr | None]) -> Expr:
    """The expression with other nodes in the place of some; no name is captured if what replaces them binds none.

    Args:
        root: the expression.
        leaf: gives what a node becomes; None for what its operands become.
    """
    found: dict[Expr, Expr] = {}
    for node in walk(root):
        found[node] = leaf(node) or make(node.op, tuple(found[arg] for arg in node.args), node.type, node.data)
    return found[root]


def written_size(expr: Expr) -> int:
    """How many nodes an expression has when it is written out, where each is written as often as it is used."""
    return written_sizes([expr])[expr]


def written_sizes(roots: Iterable[Expr], named: Container[Expr] = ()) -> dict[Expr, int]:
    """The same of some expressions and of every node below them, operands first.

    Args:
        roots: the expressions.
        named: nodes that are written by a name, as one node.
    """
    sizes: dict[Expr, int] = {}
    for root in roots:
        for node in walk(root):
            if node not in sizes:
                sizes[node] = 1 if node in named else 1 + sum(sizes[arg] for arg in node.args)
    return sizes


_INFIX = {
    Op.AND: " & ",
    Op.OR: " | ",
    Op.EQ: " == ",
    Op.LT: " < ",
    Op.LE: " <= ",
    Op.ADD: " + ",
    Op.SUB: " - ",
    Op.MUL: " * ",
    Op.DIV: " // ",
    Op.MOD: " % ",
    Op.UNION: " | ",
    Op.INTERSECTION: " & ",
    Op.DIFFERENCE: " - ",
    Op.SUBSET: " <= ",
}


def text(node: Expr) -> str:
    """The expression as an author would write it; as long as it is with every shared part written out."""
    return _worded(node, [text(arg) for arg in node.args])


def digest(node: Expr, known: dict[int, str]) -> str:
    """SHA-256 over an expression's text, in which each part stands by its own digest.

    Args:
        node: the expression.
        known: digests of parts by identity; what is computed is added, so that a shared part is examined once.
    """
    for part in walk(node):
        if id(part) not in known:
            worded = _worded(part, [known[id(arg)] for arg in part.args])
            known[id(part)] = hashlib.sha256(worded.encode()).hexdigest()
    return known[id(node)]


def beginning(node: Expr, most: int, known: dict[int, str]) -> str:
    """The first characters of an expression's text; the whole text if that is not longer.

    Args:
        node: the expression.
        most: how many characters.
        known: beginnings of parts by identity, for the same number; what is computed is added, as `digest` does.
    """
    for part in walk(node):
        if id(part) not in known:
            # A part stands in the text once and in the order of the operands: what is cut from it comes later.
            known[id(part)] = _worded(part, [known[id(arg)] for arg in part.args])[:most]
    return known[id(node)]


def _worded(node: Expr, shown: Sequence[str]) -> str:
    """A node's text, given that of its arguments."""
    match node.op:
        case Op.CONST:
            return _constant(node)
        case Op.VARIABLE | Op.PARAMETER:
            return str(node.data)
        case Op.NEXT:
            return f"{node.data}'"
        case Op.INITIAL:
            return f"initial({node.data})"
        case Op.NOT:
            return f"~{shown[0]}"
        case Op.SELECT | Op.AT:
            return f"{shown[0]}[{shown[1]}]"
        case Op.FIELD:
            assert isinstance(node.args[0].type, RecordType)
            return f"{shown[0]}.{node.args[0].type.fields[node.data][0]}"
        case Op.WITH_FIELD:
            assert isinstance(node.type, RecordType)
            return f"{shown[0]}.with({node.type.fields[node.data][0]}={shown[1]})"
        case op if op in _INFIX:
            return "(" + _INFIX[op].join(shown) + ")"
        case op if op in BINDERS:
            over = node.data.over.name
            return f"{op}({node.data.name} in {over}: {', '.join(shown)})"
        case op:
            return f"{op}({', '.join(shown)})"


def _constant(node: Expr) -> str:
    match node.type:
        case BoolType():
            return "true" if node.data else "false"
        case EnumType(labels=labels):
            return str(labels[node.data])
        case RefType(index=index):
            return "none" if node.data is None else f"{index.name}.{node.data}"
        case SetType() | SequenceType() | BagType():
            return "{}" if not node.data else str(node.data)
        case _:
            return str(node.data)
