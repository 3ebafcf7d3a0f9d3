"""The parts of supporting invariants, taken from a model: what its state can say, and what it compares.

    labels, flags, membership, nobody     of each part of the state comparisons                           as they are in
    checks, effects and properties orderings                             of the numbers that are compared somewhere and
    have one limit

Each is about some members, named after their index sets: `datanode`, and `datanode2` for another of the same set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Model
from genstamp_model.language.types import (
    BOOL,
    ArrayType,
    BoolType,
    EnumType,
    IndexSet,
    NumberType,
    RecordType,
    RefType,
    SetType,
    Type,
)

_COMPARISONS = frozenset({Op.EQ, Op.LT, Op.LE, Op.SUBSET, Op.MEMBER})
# What a reader takes in as one condition; anything that was computed by a step is not.
_SIMPLE = frozenset(
    {Op.CONST, Op.VARIABLE, Op.PARAMETER, Op.SELECT, Op.FIELD, Op.UNION, Op.INTERSECTION, Op.DIFFERENCE, Op.ADD}
)
_MOST_NODES = 14


def atoms(model: Model, members: int = 1) -> list[Expr]:
    """The conditions, each once.

    Args:
        members: how many members of one index set a condition may mention.
    """
    found: dict[Expr, None] = {}
    places = [place for v in model.variables for place in _places(ir.make(Op.VARIABLE, (), v.type, v.name), v.type, {})]
    for place in places:
        for atom in _of_place(place, model):
            found.update(dict.fromkeys(_named_apart(atom, members)))
    compared: dict[Expr, None] = {}
    for atom in _compared(model):
        found.update(dict.fromkeys(_named_apart(atom, members)))
        if isinstance(atom.args[0].type, NumberType):
            compared.update((side, None) for arg in atom.args for side in _named_apart(arg, members))
    found.update(dict.fromkeys(_orderings(list(compared), members)))
    return [atom for atom in found if atom.free or _reads(atom)]


def parameters(expr: Expr) -> dict[str, IndexSet]:
    """The members that an expression mentions, by name, in order of appearance."""
    found: dict[str, IndexSet] = {}
    for node in ir.walk(expr):
        if node.op is Op.PARAMETER and node.data in expr.free and isinstance(node.type, RefType):
            found.setdefault(node.data, node.type.index)
    return found


def with_parameters(expr: Expr, replaced: Mapping[str, Expr]) -> Expr:
    """The expression with other expressions in the place of its free parameters."""
    free = {name: value for name, value in replaced.items() if name in expr.free}
    return ir.replaced(expr, lambda node: free.get(node.data) if node.op is Op.PARAMETER else None)


def member(name: str, index: IndexSet) -> Expr:
    """A member of an index set by a name."""
    return ir.make(Op.PARAMETER, (), RefType(index), name)


def member_name(index: IndexSet, number: int) -> str:
    """Name of the first, second, ... member that a condition mentions."""
    return f"{index.name[0].lower()}{index.name[1:]}{number if number > 1 else ''}"


def _places(place: Expr, type_: Type, used: dict[str, int]) -> Iterator[Expr]:
    """The parts of the state below a place that are no records or arrays, for any members."""
    match type_:
        case RecordType(fields=fields):
            for i, (_, kind) in enumerate(fields):
                yield from _places(ir.field(place, i), kind, used)
        case ArrayType(index=index, element=element):
            count = used.get(index.name, 0) + 1
            position = member(member_name(index, count), index)
            yield from _places(ir.select(place, position), element, {**used, index.name: count})
        case _:
            yield place


def _of_place(place: Expr, model: Model) -> Iterator[Expr]:
    """The conditions on a part of the state by itself."""
    match place.type:
        case BoolType():
            yield place
        case EnumType(labels=labels):
            for i in range(len(labels)):
                yield ir.equal(place, ir.const(i, place.type))
        case RefType(index=index, optional=optional):
            if optional:
                yield ir.equal(place, ir.const(None, place.type))
            for own in _subsets(index, model):
                yield ir.equal(place, _fresh(place, own))
        case SetType(index=index):
            yield ir.equal(place, ir.const(frozenset(), place.type))
            for own in _subsets(index, model):
                yield ir.make(Op.MEMBER, (place, _fresh(place, own)), BOOL, None)
        case _:
            return


def _subsets(index: IndexSet, model: Model) -> list[IndexSet]:
    """An index set and those subsets of it that the model mentions."""
    return [index, *(other for other in model.index_sets if other.root == index.name)]


def _fresh(place: Expr, index: IndexSet) -> Expr:
    """A member that the place does not mention yet."""
    number = 1 + sum(other.name == index.name for other in parameters(place).values())
    return member(member_name(index, number), index)


def _compared(model: Model) -> Iterator[Expr]:
    """The comparisons in checks, effects and properties that stand there as a reader would write them."""
    roots: list[Expr] = [check.condition for action in model.actions for check in action.checks]
    roots += [effect.value for action in model.actions for effect in action.effects]
    roots += [claim.condition for claim in model.properties]
    seen: set[Expr] = set()
    for root in roots:
        for node in ir.walk(root):
            if node.op in _COMPARISONS and node not in seen:
                seen.add(node)
                if _is_simple(node) and node.args[0].op not in (Op.CONST, Op.PARAMETER):
                    # What is not less is at least as large: one of the two is enough, as conditions can be negated.
                    yield ir.make(Op.LE, node.args[::-1], BOOL, None) if node.op is Op.LT else node


def _is_simple(atom: Expr) -> bool:
    below = [node for node in ir.walk(atom) if node is not atom]
    plain = all(node.op in _SIMPLE for node in below) and len(below) < _MOST_NODES
    members = all(isinstance(n.type, RefType) and not n.type.optional for n in below if n.op is Op.PARAMETER)
    return plain and members


def _named_apart(expr: Expr, members: int) -> Iterator[Expr]:
    """The expression about members with the usual names, in every order; none where there are too many of one set."""
    own = parameters(expr)
    sets: dict[str, list[str]] = {}
    for name, index in own.items():
        sets.setdefault(index.name, []).append(name)
    choices: list[dict[str, Expr]] = [{}]
    for names in sets.values():
        index = own[names[0]]
        usual = [member(member_name(index, i + 1), index) for i in range(max(members, 1))]
        if len(names) > len(usual):
            return
        orders = [dict(zip(names, order, strict=True)) for order in permutations(usual, len(names))]
        choices = [{**choice, **order} for choice in choices for order in orders]
    for choice in choices:
        yield with_parameters(expr, choice)


def _orderings(numbers: list[Expr], members: int) -> Iterator[Expr]:
    """Which of two numbers is larger, for those of one kind that are not constants."""
    sides = [side for side in numbers if side.op in (Op.SELECT, Op.FIELD, Op.VARIABLE)]
    for left in sides:
        for right in sides:
            if left is not right and _kind(left) == _kind(right) and _few(left, right, members):
                yield ir.make(Op.LE, (left, right), BOOL, None)


def _kind(number: Expr) -> str | None:
    assert isinstance(number.type, NumberType)
    return number.type.limit


def _few(left: Expr, right: Expr, members: int) -> bool:
    counts: dict[str, int] = {}
    for index in {**parameters(left), **parameters(right)}.values():
        counts[index.name] = counts.get(index.name, 0) + 1
    return all(count <= members for count in counts.values())


def _reads(expr: Expr) -> bool:
    return any(node.op is Op.VARIABLE for node in ir.walk(expr))
