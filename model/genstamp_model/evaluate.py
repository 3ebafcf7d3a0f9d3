"""The reference semantics: one state at a time, in plain Python, with unbounded integers.

Every other judge is compared with this one, action by action, so it is written to be read: each operation of the
intermediate representation is one short function, and nothing is packed, unrolled or cached but the translation of an
expression into nested Python functions. Limits are not part of a step; `beyond` tells which ones a state exceeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

from genstamp_model.errors import EvaluationError
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Instance, Model, Property
from genstamp_model.language.trace import ActionParameter, Check, MessageOf, values_of
from genstamp_model.language.types import (
    RefType,
    Sizes,
    Value,
    show,
    sort_key,
    zero,
)
from genstamp_model.ranges import limited, out_of_range

State: TypeAlias = tuple[Value, ...]
Arguments: TypeAlias = tuple[Value, ...]
Bound: TypeAlias = dict[str, Any]
Compute: TypeAlias = Callable[[State, State, Bound], Any]


@dataclass(frozen=True)
class Step:
    """A step that was taken: action, arguments in the order of its parameters, and the state after it."""

    action: Action
    arguments: Arguments
    after: State


class Computing:
    """Computes expressions over variables of some names, given in order; over none it computes what sizes decide.

    Attributes:
        sizes: of the index sets.
    """

    def __init__(self, sizes: Sizes, variables: Iterable[str] = ()) -> None:
        self.sizes = sizes
        self._position = {name: i for i, name in enumerate(variables)}
        self._computed: dict[Expr, Compute] = {}

    def plain(self, expr: Expr) -> Value:
        """The value of an expression that reads no state."""
        result: Value = self._compute(expr)((), (), {})
        return result

    def _compute(self, expr: Expr) -> Compute:
        compute = self._computed.get(expr)
        if compute is None:
            compute = self._computed[expr] = self._translate(expr)
        return compute

    def _translate(self, expr: Expr) -> Compute:
        if expr.op in _LEAVES:
            return self._leaf(expr)
        if expr.op in _QUANTIFIERS:
            return self._quantifier(expr)
        args = [self._compute(arg) for arg in expr.args]
        if expr.op in _LAZY:
            return _LAZY[expr.op](*args)
        function = _strict(expr, self.sizes)
        match args:
            case [a]:
                return lambda s, t, p: function(a(s, t, p))
            case [a, b]:
                return lambda s, t, p: function(a(s, t, p), b(s, t, p))
            case _:
                return lambda s, t, p: function(*[arg(s, t, p) for arg in args])

    def _leaf(self, expr: Expr) -> Compute:
        match expr.op:
            case Op.VARIABLE:
                here = self._position[expr.data]
                return lambda s, t, p: s[here]
            case Op.NEXT:
                there = self._position[expr.data]
                return lambda s, t, p: t[there]
            case Op.PARAMETER:
                name = expr.data
                return lambda s, t, p: p[name]
            case _:
                constant = named_position(expr, self.sizes)
                return lambda s, t, p: constant

    def _quantifier(self, expr: Expr) -> Compute:
        *outer, last = expr.args
        name, over, op = expr.data.name, expr.data.over, expr.op
        if op in (Op.FORALL_IN, Op.EXISTS_IN):
            bag, body = self._compute(outer[0]), self._compute(last)
            verdict = all if op is Op.FORALL_IN else any
            return lambda s, t, p: verdict(_each(body, name, bag(s, t, p), s, t, p))
        values = range(self.sizes.of(over))
        if op in (Op.MINIMUM, Op.MAXIMUM):
            where, value, default = (self._compute(arg) for arg in expr.args)
            best = min if op is Op.MINIMUM else max

            def optimum(s: State, t: State, p: Bound) -> Any:
                chosen = [i for i, holds in zip(values, _each(where, name, values, s, t, p), strict=True) if holds]
                return best(_each(value, name, chosen, s, t, p), default=default(s, t, p))

            return optimum
        body, gather = self._compute(last), _GATHER[op]
        return lambda s, t, p: gather(_each(body, name, values, s, t, p))


class Evaluator(Computing):
    """Computes with one instance.

    A state is the tuple of the variables' values in the order of `model.variables`. Arguments are positions of index
    members, picked numbers, and whole messages.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.model: Model = instance.model
        super().__init__(instance.sizes, (variable.name for variable in self.model.variables))

    def _leaf(self, expr: Expr) -> Compute:
        if expr.op is not Op.INITIAL:
            return super()._leaf(expr)
        value = self.initial()[self._position[expr.data]]
        return lambda s, t, p: value

    def initial(self) -> State:
        """The initial state; where there are several, the first one of `initials`."""
        return self.initials[0]

    @cached_property
    def initials(self) -> tuple[State, ...]:
        """Every initial state: the combinations of what variables may begin with, where all conditions hold."""
        combinations = product(*(variable.initials(self.sizes) for variable in self.model.variables))
        return tuple(
            state for state in combinations if all(self.value(one.condition, state) for one in self.model.beginnings)
        )

    def begins_in(self, state: State) -> bool:
        """Whether a state is an initial one."""
        return state in self._beginnings

    @cached_property
    def _beginnings(self) -> frozenset[State]:
        return frozenset(self.initials)

    def named(self, state: State) -> dict[str, Value]:
        """The state by variable names."""
        return dict(zip(self._position, state, strict=True))

    def choices(self, action: Action, state: State) -> Iterator[Arguments]:
        """All arguments that the action's parameters range over in a state, whether or not its checks hold."""
        return product(*(self._domain(parameter, state) for parameter in action.parameters))

    def _domain(self, parameter: ActionParameter, state: State) -> Sequence[Value]:
        match parameter.domain:
            case MessageOf(bag=bag):
                messages = state[self._position[bag]]
                assert isinstance(messages, tuple)
                return list(dict.fromkeys(messages))
            case domain:
                return values_of(domain, self.sizes)

    def first_failing(self, action: Action, arguments: Arguments, state: State) -> Check | None:
        """The first check that does not hold, in the protocol's order; None where the step is enabled."""
        bound = self._bind(action, arguments)
        for check in action.checks:
            if not self._compute(check.condition)(state, state, bound):
                return check
        return None

    def apply(self, action: Action, arguments: Arguments, state: State) -> State:
        """The state after an enabled step.

        Raises:
            EvaluationError: a value leaves its declared range; limits do not count.
        """
        bound = self._bind(action, arguments)
        after = list(state)
        for effect in action.effects:
            value = self._compute(effect.value)(state, state, bound)
            position = self._position[effect.variable]
            fault = out_of_range(value, self.model.variables[position].type, effect.variable)
            if fault:
                raise EvaluationError(f"{action.name} {fault}", effect.source)
            after[position] = value
        return tuple(after)

    def observed(self, action: Action, arguments: Arguments, state: State) -> dict[str, Value]:
        """The observations that the step, taken in this state, gives its caller."""
        bound = self._bind(action, arguments)
        return {name: self._compute(value)(state, state, bound) for name, value in action.observations}

    def steps(self, state: State) -> Iterator[Step]:
        """Every enabled step, in order of actions and arguments.

        Raises:
            EvaluationError: a step takes a value out of its declared range.
        """
        for action, arguments in self._enabled(state):
            yield Step(action, arguments, self.apply(action, arguments, state))

    def whole_steps(self, state: State) -> Iterator[Step]:
        """The same without the steps that go wrong: for a way that is known not to take one."""
        for action, arguments in self._enabled(state):
            try:
                step = Step(action, arguments, self.apply(action, arguments, state))
            except EvaluationError:
                continue
            yield step

    def _enabled(self, state: State) -> Iterator[tuple[Action, Arguments]]:
        for action in self.model.actions:
            for arguments in self.choices(action, state):
                if self.first_failing(action, arguments, state) is None:
                    yield action, arguments

    def refusals(self, state: State) -> Iterator[tuple[Action, Arguments, Check]]:
        """Every call that the state refuses with an exception."""
        for action in self.model.actions:
            for arguments in self.choices(action, state):
                check = self.first_failing(action, arguments, state)
                if check is not None and check.refuses is not None:
                    yield action, arguments, check

    def value(
        self, expr: Expr, state: State, after: State | None = None, bound: Mapping[str, Value] | None = None
    ) -> Value:
        """The value of an expression; `after` is the next state in transition properties."""
        result: Value = self._compute(expr)(state, state if after is None else after, dict(bound or {}))
        return result

    def holds(self, claim: Property, state: State, after: State | None = None) -> bool:
        """Whether a property's condition holds for all (in a witness: some) of its parameters."""
        return bool(self.value(claim.closed, state, after))

    def beyond(self, state: State) -> list[str]:
        """Names of the configuration's limits that a state exceeds.

        For messages without a place in a bag, only the bag's own limit is named, as in the compiled search.
        """
        limits = self.instance.limits
        found = {name for name, expr in self.model.limits if self.value(expr, state) > limits[name]}  # type: ignore[operator]
        for variable, value in zip(self.model.variables, state, strict=True):
            found |= {name for name, size in limited(value, variable.type, limits) if size > limits[name]}
        return sorted(found)

    def call(self, action: Action, arguments: Arguments) -> str:
        """The step as a reader sees it: `init_replica_recovery(dn datanode1, file file1)`."""
        shown = (
            f"{parameter.name} {show(value, parameter.type, self.sizes)}"
            for parameter, value in zip(action.parameters, arguments, strict=True)
        )
        return f"{action.name}({', '.join(shown)})"

    def _bind(self, action: Action, arguments: Arguments) -> Bound:
        return {parameter.name: value for parameter, value in zip(action.parameters, arguments, strict=True)}


def named_position(expr: Expr, sizes: Sizes) -> Any:
    """The plain value of a constant; named members become their position."""
    if isinstance(expr.type, RefType) and isinstance(expr.data, str):
        index = expr.type.index
        return sizes.of(index) - len(index.named) + index.named.index(expr.data)
    return expr.data


def _each(body: Compute, name: str, values: Any, s: State, t: State, p: Bound) -> Iterator[Any]:
    """The body for each value of the bound name; the outer binding of the same name is put back."""
    outer = p.get(name)
    try:
        for value in values:
            p[name] = value
            yield body(s, t, p)
    finally:
        p[name] = outer


def _first(found: Iterator[bool]) -> int | None:
    return next((i for i, holds in enumerate(found) if holds), None)


_LEAVES = frozenset({Op.CONST, Op.VARIABLE, Op.NEXT, Op.INITIAL, Op.PARAMETER})

_GATHER: dict[Op, Callable[[Iterator[Any]], Any]] = {
    Op.FORALL: all,
    Op.EXISTS: any,
    Op.COUNT: lambda found: sum(map(bool, found)),
    Op.TABULATE: tuple,
    Op.MEMBERS: lambda found: frozenset(i for i, holds in enumerate(found) if holds),
    Op.CHOOSE: _first,
}
_QUANTIFIERS = frozenset(_GATHER) | {Op.FORALL_IN, Op.EXISTS_IN, Op.MINIMUM, Op.MAXIMUM}


def _and(*args: Compute) -> Compute:
    return lambda s, t, p: all(arg(s, t, p) for arg in args)


def _or(*args: Compute) -> Compute:
    return lambda s, t, p: any(arg(s, t, p) for arg in args)


def _ite(condition: Compute, then: Compute, otherwise: Compute) -> Compute:
    return lambda s, t, p: then(s, t, p) if condition(s, t, p) else otherwise(s, t, p)


_LAZY: dict[Op, Callable[..., Compute]] = {Op.AND: _and, Op.OR: _or, Op.ITE: _ite}


def _strict(expr: Expr, sizes: Sizes) -> Callable[..., Any]:
    """The function of an operation whose operands are always all computed."""
    match expr.op:
        case Op.FIELD:
            position = expr.data
            return lambda record: record[position]
        case Op.WITH_FIELD:
            position = expr.data
            return lambda record, value: (*record[:position], value, *record[position + 1 :])
        case Op.RECORD:
            return lambda *values: values
        case Op.SELECT | Op.AT:
            default = zero(expr.type, sizes)
            return lambda items, i: items[i] if i is not None and 0 <= i < len(items) else default
        case Op.SUCCESSOR | Op.PREDECESSOR:
            assert isinstance(expr.type, RefType)
            amount, size = 1 if expr.op is Op.SUCCESSOR else -1, sizes.of(expr.type.index)
            return lambda i: moved(i, amount, size)
        case op:
            return _PLAIN[op]


def moved(i: int | None, amount: int, size: int) -> int | None:
    """The position this many members further on a ring; none stays none."""
    return None if i is None else (i + amount) % size


def stored(array: tuple[Any, ...], i: int | None, value: Any) -> tuple[Any, ...]:
    """The array with another element; the same where it has no such position."""
    if i is None or i >= len(array):
        return array
    return (*array[:i], value, *array[i + 1 :])


def taken(bag: tuple[Any, ...], message: Any) -> tuple[Any, ...]:
    """The bag with one copy of a message less; the same where there is none."""
    if message not in bag:
        return bag
    i = bag.index(message)
    return bag[:i] + bag[i + 1 :]


def without(items: tuple[Any, ...], i: int) -> tuple[Any, ...]:
    """The sequence without the element at a position; the same where there is none."""
    return (*items[:i], *items[i + 1 :]) if i >= 0 else items


def quotient(a: int, by: int) -> int:
    """The quotient, rounded down; by a number below 1 it is 0."""
    return a // by if by > 0 else 0


def remainder(a: int, by: int) -> int:
    """What is left by that division."""
    return a % by if by > 0 else 0


_PLAIN: dict[Op, Callable[..., Any]] = {
    Op.NOT: lambda a: not a,
    Op.EQ: lambda a, b: a == b,
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: quotient,
    Op.MOD: remainder,
    Op.MIN: min,
    Op.MAX: max,
    Op.STORE: stored,
    Op.MEMBER: lambda members, i: i in members,
    Op.INSERT: lambda members, i: members if i is None else members | {i},
    Op.REMOVE: lambda members, i: members - {i},
    Op.UNION: lambda a, b: a | b,
    Op.INTERSECTION: lambda a, b: a & b,
    Op.DIFFERENCE: lambda a, b: a - b,
    Op.SUBSET: lambda a, b: a <= b,
    Op.CARDINALITY: len,
    Op.RANK: lambda i: i or 0,
    Op.LENGTH: len,
    Op.APPEND: lambda items, value: (*items, value),
    Op.DROP_FIRST: lambda items: items[1:],
    Op.WITHOUT: without,
    Op.SEND: lambda bag, message: tuple(sorted((*bag, message), key=sort_key)),
    Op.TAKE: taken,
    Op.HOLDS: lambda bag, message: message in bag,
}
