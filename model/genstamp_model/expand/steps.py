"""Steps and conditions over cells: each action with each choice of its arguments, over any algebra of scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Generic, TypeVar

from genstamp_model.evaluate import Arguments, State, named_position
from genstamp_model.expand.cells import Cell, cells, nobody
from genstamp_model.expand.trees import Algebra, Items, Slot, Tree, Trees
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Instance
from genstamp_model.language.trace import ActionParameter, MessageOf, OptionalMember, Range, Subset, subset
from genstamp_model.language.types import BagType, IndexSet, RefType, Value

S = TypeVar("S")


@dataclass(frozen=True)
class Step(Generic[S]):
    """One action with one choice of arguments, over the cells before the step.

    Enabled where `possible` and all of `checks` hold; a refusal at check k where `possible` and the checks before it
    hold, and it does not.

    Attributes:
        arguments: cell values of index members (none included), numbers, labels, bits of subsets, and places of a
            message bag.
        possible: the place of the message is taken, and not by a copy of the message before it.
        next_cells: the cells after the step; the very same scalar where a cell does not change.
        cuts: limits with the condition that the new state lies beyond them.
        errors: messages with the condition that a number leaves its range.
    """

    action: Action
    arguments: tuple[int, ...]
    possible: S
    checks: tuple[S, ...]
    next_cells: tuple[S, ...]
    cuts: tuple[tuple[str, S], ...]
    errors: tuple[tuple[str, S], ...]


def plain_arguments(instance: Instance, action: Action, arguments: Sequence[int], state: State) -> Arguments | None:
    """A step's arguments as `evaluate` takes them: places become messages, and the position of none becomes None.

    None where the place of a message is free in this state.
    """
    variables = [variable.name for variable in instance.model.variables]
    found: list[Value] = []
    for parameter, argument in zip(action.parameters, arguments, strict=True):
        match parameter.domain:
            case MessageOf(bag=bag):
                messages = state[variables.index(bag)]
                assert isinstance(messages, tuple)
                if argument >= len(messages):
                    return None
                found.append(messages[argument])
            case OptionalMember(index=index):
                found.append(None if argument == nobody(instance, index) else argument)
            case Subset():
                found.append(subset(argument))
            case _:
                found.append(argument)
    return tuple(found)


class _Scope(Generic[S]):
    """Computes expressions over one set of trees, each shared subexpression once."""

    def __init__(self, trees: Trees[S], before: dict[str, Tree], after: dict[str, Tree] | None = None) -> None:
        self.trees = trees
        self.algebra = trees.algebra
        self.sizes = trees.instance.sizes
        self.before = before
        self.after = after
        self._memo: dict[tuple[Any, ...], tuple[Tree, list[Tree]]] = {}

    def value(self, expr: Expr, bound: dict[str, Tree]) -> Tree:
        """The tree of an expression; `bound` gives its free parameters."""
        used = [bound[name] for name in sorted(expr.free)]
        key = (expr, *map(id, used))
        found = self._memo.get(key)
        if found is None:
            # The bound trees are kept beside the result, so that their ids stay theirs.
            found = self._memo[key] = (self._compute(expr, bound), used)
        return found[0]

    def _compute(self, expr: Expr, bound: dict[str, Tree]) -> Tree:
        match expr.op:
            case Op.VARIABLE:
                return self.before[expr.data]
            case Op.NEXT:
                assert self.after is not None, "a next state stands only in a transition property"
                return self.after[expr.data]
            case Op.INITIAL:
                return self.trees.initial[expr.data]
            case Op.PARAMETER:
                return bound[expr.data]
            case Op.CONST:
                return self.trees.constant(expr.type, named_position(expr, self.sizes))
            case op if op in _OPERATIONS:
                return _OPERATIONS[op](self.trees, expr, *(self.value(arg, bound) for arg in expr.args))
            case Op.FORALL_IN | Op.EXISTS_IN:
                return self._over_messages(expr, bound)
            case _:
                return self._over_members(expr, bound)

    def _over_messages(self, expr: Expr, bound: dict[str, Tree]) -> S:
        a = self.algebra
        slots: tuple[Slot, ...] = self.value(expr.args[0], bound)
        bodies = [self.value(expr.args[1], bound | {expr.data.name: slot.message}) for slot in slots]
        if expr.op is Op.FORALL_IN:
            return a.and_([a.or_([a.not_(s.present), body]) for s, body in zip(slots, bodies, strict=True)])
        return a.or_([a.and_([s.present, body]) for s, body in zip(slots, bodies, strict=True)])

    def _over_members(self, expr: Expr, bound: dict[str, Tree]) -> Tree:
        a, op = self.algebra, expr.op
        members = [a.constant(i) for i in range(self.sizes.of(expr.data.over))]
        if op in (Op.MINIMUM, Op.MAXIMUM):
            where, value, default = expr.args
            chosen = [(self._body(where, expr, i, bound), self._body(value, expr, i, bound)) for i in members]
            return self._optimum(a.minimum if op is Op.MINIMUM else a.maximum, chosen, self.value(default, bound))
        each = [self._body(expr.args[0], expr, i, bound) for i in members]
        match op:
            case Op.FORALL:
                return a.and_(each)
            case Op.EXISTS:
                return a.or_(each)
            case Op.COUNT:
                return self.trees.count(each)
            case Op.CHOOSE:
                first = a.constant(nobody(self.trees.instance, expr.data.over))
                for i, holds in reversed(list(zip(members, each, strict=True))):
                    first = a.ite(holds, i, first)
                return first
            case _:
                assert op in (Op.TABULATE, Op.MEMBERS)
                return tuple(each)

    def _body(self, body: Expr, quantifier: Expr, member: S, bound: dict[str, Tree]) -> Tree:
        return self.value(body, bound | {quantifier.data.name: member})

    def _optimum(self, better: Callable[[S, S], S], chosen: list[tuple[S, S]], default: S) -> S:
        a = self.algebra
        found, best = a.constant(False), default
        for where, value in chosen:
            best = a.ite(where, a.ite(found, better(best, value), value), best)
            found = a.or_([found, where])
        return best


class Expansion(Generic[S]):
    """The steps and conditions of an instance over given cells.

    `declared` says how large cells may be, where that is not what the configuration says.
    """

    def __init__(
        self, instance: Instance, algebra: Algebra[S], values: Sequence[S], declared: Sequence[Cell] | None = None
    ) -> None:
        self.instance = instance
        self.algebra = algebra
        self.values = tuple(values)
        self.cells = list(declared) if declared is not None else cells(instance)
        self._trees = Trees(instance, algebra)
        self._scope = _Scope(self._trees, self._read(values))
        self._last: tuple[tuple[S, ...], _Scope[S]] | None = None

    def _read(self, values: Sequence[S]) -> dict[str, Tree]:
        source = iter(values)
        return {v.name: self._trees.read(v.type, source) for v in self.instance.model.variables}

    def steps(self) -> Iterator[Step[S]]:
        """Every action with every choice of arguments, in the order in which `evaluate` takes them."""
        for action in self.instance.model.actions:
            yield from self.steps_of(action)

    def steps_of(self, action: Action) -> Iterator[Step[S]]:
        """One action with every choice of arguments; it may be another one than the instance's of its name."""
        for arguments in product(*(self._domain(parameter) for parameter in action.parameters)):
            yield self._step(action, arguments)

    def _domain(self, parameter: ActionParameter) -> Iterable[int]:
        match parameter.domain:
            case IndexSet() as index:
                return range(self.instance.sizes.of(index))
            case OptionalMember(index=index):
                return [*range(self.instance.sizes.of(index)), nobody(self.instance, index)]
            case MessageOf(bag=bag):
                return range(len(self._scope.before[bag]))
            case Range(low=low, high=high):
                return range(low, high + 1)
            case Subset(index=index):
                return range(1 << self.instance.sizes.of(index))

    def _step(self, action: Action, arguments: tuple[int, ...]) -> Step[S]:
        bound, possible = self._bind(action, arguments)
        checks = tuple(self._scope.value(check.condition, bound) for check in action.checks)
        after = dict(self._scope.before)
        for effect in action.effects:
            after[effect.variable] = self._scope.value(effect.value, bound)
        cuts: list[tuple[str, S]] = []
        next_cells: list[S] = []
        for variable in self.instance.model.variables:
            self._trees.write(variable.type, after[variable.name], next_cells, cuts)
        errors = self._out_of_range(after, next_cells, cuts)
        cuts.extend(self._beyond(after, next_cells))
        return Step(action, arguments, possible, checks, tuple(next_cells), tuple(cuts), tuple(errors))

    def _bind(self, action: Action, arguments: tuple[int, ...]) -> tuple[dict[str, Tree], S]:
        a = self.algebra
        bound: dict[str, Tree] = {}
        possible: list[S] = []
        for parameter, argument in zip(action.parameters, arguments, strict=True):
            if isinstance(parameter.domain, Subset):
                members = range(self.instance.sizes.of(parameter.domain.index))
                bound[parameter.name] = tuple(a.constant(bool(argument >> i & 1)) for i in members)
                continue
            if not isinstance(parameter.domain, MessageOf):
                bound[parameter.name] = a.constant(argument)
                continue
            slots = self._scope.before[parameter.domain.bag]
            bound[parameter.name] = slots[argument].message
            possible.append(slots[argument].present)
            if argument:
                kind = self.instance.model.types[parameter.domain.bag]
                assert isinstance(kind, BagType)
                earlier = slots[argument - 1].message
                possible.append(a.not_(self._trees.equal(kind.message, earlier, slots[argument].message)))
        return bound, a.and_(possible)

    def _out_of_range(
        self, trees: dict[str, Tree], next_cells: list[S], cuts: list[tuple[str, S]]
    ) -> list[tuple[str, S]]:
        """Errors of the numbers that change; those above a limit are added to the cuts."""
        a = self.algebra
        errors: list[tuple[str, S]] = []
        taken: list[S] = []
        for i, (cell, before, after) in enumerate(zip(self.cells, self.values, next_cells, strict=True)):
            if after is before or cell.kind != "number":
                continue
            above, below = a.lt(a.constant(cell.high), after), a.lt(after, a.constant(cell.low))
            if not cell.low <= 0 <= cell.high:
                # The zeros that fill a free place are out of the range of what may stand there.
                taken = taken or self._taken(trees)
                above, below = a.and_([taken[i], above]), a.and_([taken[i], below])
            if cell.limit is not None:
                cuts.append((cell.limit, above))
            else:
                errors.append((f"{cell.name} rises above {cell.high}", above))
            errors.append((f"{cell.name} falls below {cell.low}", below))
        return errors

    def _taken(self, trees: dict[str, Tree]) -> list[S]:
        """For each cell whether it is in use: not in a free place of a sequence or bag."""
        here = self.algebra.constant(True)
        variables = self.instance.model.variables
        return [flag for v in variables for flag in self._trees.taken(v.type, trees[v.name], here)]

    def _beyond(self, after: dict[str, Tree], next_cells: list[S]) -> Iterator[tuple[str, S]]:
        """The declared limits that the new state exceeds."""
        if all(x is y for x, y in zip(next_cells, self.values, strict=True)):
            return
        scope = _Scope(self._trees, after)
        for name, expr in self.instance.model.limits:
            bound = self.algebra.constant(self.instance.limits[name])
            yield name, self.algebra.lt(bound, scope.value(expr, {}))

    def _across(self, next_cells: tuple[S, ...]) -> _Scope[S]:
        """The scope of a step to these cells; the last one is kept, as a step is asked for more than one condition."""
        if self._last is None or any(x is not y for x, y in zip(self._last[0], next_cells, strict=True)):
            self._last = next_cells, _Scope(self._trees, self._scope.before, self._read(next_cells))
        return self._last[1]

    def condition(
        self, expr: Expr, next_cells: Sequence[S] | None = None, members: Mapping[str, int] | None = None
    ) -> S:
        """A condition over the cells, and over the next cells where given.

        Args:
            members: the position of a member for each of its free parameters.
        """
        scope = self._scope if next_cells is None else self._across(tuple(next_cells))
        bound = {name: self.algebra.constant(i) for name, i in (members or {}).items()}
        found: S = scope.value(expr, bound)
        return found

    def value(self, expr: Expr, step: Step[S], members: Mapping[str, int]) -> S:
        """A scalar of a step's own expressions, given the positions of members that are bound around it."""
        bound, _ = self._bind(step.action, step.arguments)
        bound |= {name: self.algebra.constant(i) for name, i in members.items()}
        found: S = self._scope.value(expr, bound)
        return found


def _store(trees: Trees[Any], expr: Expr, array: tuple[Tree, ...], position: Any, element: Tree) -> Tree:
    a, kind = trees.algebra, expr.args[2].type
    here = (a.eq(position, a.constant(i)) for i in range(len(array)))
    return tuple(trees.choose(kind, at, element, old) for at, old in zip(here, array, strict=True))


def _with(value: bool) -> Callable[..., Tree]:
    def change(trees: Trees[Any], expr: Expr, members: tuple[Any, ...], position: Any) -> Tree:
        a = trees.algebra
        here = (a.eq(position, a.constant(i)) for i in range(len(members)))
        return tuple(a.ite(at, a.constant(value), old) for at, old in zip(here, members, strict=True))

    return change


def _member(trees: Trees[Any], expr: Expr, members: tuple[Any, ...], position: Any) -> Any:
    a = trees.algebra
    return a.or_([a.and_([a.eq(position, a.constant(i)), flag]) for i, flag in enumerate(members)])


def _memberwise(combine: Callable[[Algebra[Any], Any, Any], Any]) -> Callable[..., Tree]:
    def apply(trees: Trees[Any], expr: Expr, left: tuple[Any, ...], right: tuple[Any, ...]) -> Tree:
        return tuple(combine(trees.algebra, x, y) for x, y in zip(left, right, strict=True))

    return apply


def _at(trees: Trees[Any], expr: Expr, items: Items, position: Any) -> Tree:
    a = trees.algebra
    found = trees.select(expr.type, items.elements, position)
    return trees.choose(expr.type, a.lt(position, items.length), found, trees.default(expr.type))


def _rank(trees: Trees[Any], expr: Expr, position: Any) -> Any:
    return _unless_nobody(trees, expr, position, position, trees.algebra.constant(0))


def _neighbour(trees: Trees[Any], expr: Expr, position: Any) -> Any:
    """The position beside another one on the ring; from its one end to the other."""
    a, kind = trees.algebra, expr.type
    assert isinstance(kind, RefType)
    ends = a.constant(0), a.constant(trees.instance.sizes.of(kind.index) - 1)
    if expr.op is Op.SUCCESSOR:
        beside = a.ite(a.eq(position, ends[1]), ends[0], a.add(position, a.constant(1)))
    else:
        beside = a.ite(a.eq(position, ends[0]), ends[1], a.sub(position, a.constant(1)))
    return _unless_nobody(trees, expr, position, beside, position)


def _unless_nobody(trees: Trees[Any], expr: Expr, position: Any, found: Any, otherwise: Any) -> Any:
    a, kind = trees.algebra, expr.args[0].type
    if not (isinstance(kind, RefType) and kind.optional):
        return found
    return a.ite(a.eq(position, a.constant(nobody(trees.instance, kind.index))), otherwise, found)


def _divided(trees: Trees[Any], expr: Expr, x: Any, y: Any) -> Any:
    a, divisor = trees.algebra, expr.args[1]
    if divisor.op is Op.CONST and divisor.data > 0:
        return a.div(x, divisor.data) if expr.op is Op.DIV else a.mod(x, divisor.data)
    zero, one = a.constant(0), a.constant(1)
    by = a.maximum(y, one)
    # Below 0, rounding down is rounding away from 0.
    below = a.quotient(a.add(a.maximum(a.sub(zero, x), zero), a.sub(by, one)), by)
    found = a.ite(a.lt(x, zero), a.sub(zero, below), a.quotient(a.maximum(x, zero), by))
    if expr.op is Op.MOD:
        found = a.minimum(a.maximum(a.sub(x, a.mul(found, by)), zero), a.sub(by, one))
    return a.ite(a.lt(zero, y), found, zero)


def _length(trees: Trees[Any], expr: Expr, value: Any) -> Any:
    return value.length if isinstance(value, Items) else trees.count([slot.present for slot in value])


_OPERATIONS: dict[Op, Callable[..., Tree]] = {
    Op.NOT: lambda trees, expr, x: trees.algebra.not_(x),
    Op.AND: lambda trees, expr, *parts: trees.algebra.and_(parts),
    Op.OR: lambda trees, expr, *parts: trees.algebra.or_(parts),
    Op.EQ: lambda trees, expr, x, y: trees.equal(expr.args[0].type, x, y),
    Op.LT: lambda trees, expr, x, y: trees.algebra.lt(x, y),
    Op.LE: lambda trees, expr, x, y: trees.algebra.le(x, y),
    Op.ADD: lambda trees, expr, x, y: trees.algebra.add(x, y),
    Op.SUB: lambda trees, expr, x, y: trees.algebra.sub(x, y),
    Op.MUL: lambda trees, expr, x, y: trees.algebra.mul(x, y),
    Op.DIV: _divided,
    Op.MOD: _divided,
    Op.MIN: lambda trees, expr, x, y: trees.algebra.minimum(x, y),
    Op.MAX: lambda trees, expr, x, y: trees.algebra.maximum(x, y),
    Op.ITE: lambda trees, expr, c, x, y: trees.choose(expr.type, c, x, y),
    Op.SELECT: lambda trees, expr, array, i: trees.select(expr.type, array, i),
    Op.STORE: _store,
    Op.FIELD: lambda trees, expr, record: record[expr.data],
    Op.WITH_FIELD: lambda trees, expr, record, x: (*record[: expr.data], x, *record[expr.data + 1 :]),
    Op.RECORD: lambda trees, expr, *parts: parts,
    Op.MEMBER: _member,
    Op.INSERT: _with(True),
    Op.REMOVE: _with(False),
    Op.UNION: _memberwise(lambda a, x, y: a.or_([x, y])),
    Op.INTERSECTION: _memberwise(lambda a, x, y: a.and_([x, y])),
    Op.DIFFERENCE: _memberwise(lambda a, x, y: a.and_([x, a.not_(y)])),
    Op.SUBSET: lambda trees, expr, x, y: trees.algebra.and_(
        [trees.algebra.or_([trees.algebra.not_(i), j]) for i, j in zip(x, y, strict=True)]
    ),
    Op.CARDINALITY: lambda trees, expr, members: trees.count(members),
    Op.RANK: _rank,
    Op.SUCCESSOR: _neighbour,
    Op.PREDECESSOR: _neighbour,
    Op.LENGTH: _length,
    Op.AT: _at,
    Op.APPEND: lambda trees, expr, items, x: trees.append(expr.type, items, x),
    Op.DROP_FIRST: lambda trees, expr, items: trees.drop_first(expr.type, items),
    Op.WITHOUT: lambda trees, expr, items, i: trees.without(expr.type, items, i),
    Op.SEND: lambda trees, expr, slots, x: trees.send(expr.type, slots, x),
    Op.TAKE: lambda trees, expr, slots, x: trees.take(expr.type, slots, x),
    Op.HOLDS: lambda trees, expr, slots, x: trees.holds(expr.args[0].type, slots, x),
}
