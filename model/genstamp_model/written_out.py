"""The steps of a model as Python functions, for callers that compute many steps in states of any size.

`evaluate` calls one small function for each node of an expression; here each action becomes one function with its
expressions written out, quantifiers over few members unrolled, and what occurs more than once computed once. The checks
become one loop for each parameter, and each check is in the outermost loop that has all it reads. Numbers stay
unbounded, so that every state fits. What the functions say is sampled against `evaluate`, which is the meaning.

Not here: properties and observations, which stay `evaluate`'s.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import CodeType
from typing import Any, Final, TypeAlias

from genstamp_model import evaluate
from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language.ir import BINDERS, Expr, Op
from genstamp_model.language.model import Action, Instance
from genstamp_model.language.trace import ActionParameter, MessageOf, values_of
from genstamp_model.language.types import (
    ArrayType,
    IndexSet,
    RefType,
    Sizes,
    Type,
    sort_key,
    zero,
)
from genstamp_model.ranges import has_range, out_of_range

SAMPLED_EVERY: Final = 500
"""One computation in so many is repeated by `evaluate`."""

ENABLED: Final = -1
"""Stands for the check that refuses a call where none does."""

Answers: TypeAlias = list[tuple[Arguments, int]]
"""Calls, each with the position of the check that refuses it, or `ENABLED`."""

_REMEMBERED: Final = 100_000
"""Values that are known to be in range; a bound on memory."""

_UNROLLED: Final = 4
"""Quantifiers over more members than this stay loops."""

_BIG: Final = 60
"""As do those with a larger body, in nodes."""

_INFIX: Final = {
    Op.EQ: "==",
    Op.LT: "<",
    Op.LE: "<=",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.UNION: "|",
    Op.INTERSECTION: "&",
    Op.DIFFERENCE: "-",
    Op.SUBSET: "<=",
    Op.AND: "and",
    Op.OR: "or",
}
_CALLS: Final = {
    Op.DIV: "quotient",
    Op.MOD: "remainder",
    Op.MIN: "min",
    Op.MAX: "max",
    Op.CARDINALITY: "len",
    Op.LENGTH: "len",
    Op.STORE: "stored",
    Op.INSERT: "added",
    Op.TAKE: "taken",
    Op.WITHOUT: "without",
}
_EMPTY: Final = {Op.AND: "True", Op.OR: "False", Op.FORALL: "True", Op.EXISTS: "False"}
_FREE: Final = frozenset({Op.CONST, Op.VARIABLE, Op.PARAMETER})


def _with_field(record: tuple[Any, ...], position: int, value: Any) -> tuple[Any, ...]:
    return (*record[:position], value, *record[position + 1 :])


def _element(items: tuple[Any, ...], position: int | None, default: Any) -> Any:
    return items[position] if position is not None and 0 <= position < len(items) else default


def _added(members: frozenset[int], position: int | None) -> frozenset[int]:
    return members if position is None else members | {position}


class WrittenOutEvaluator(Evaluator):
    """Computes as `Evaluator` does, checks and effects by functions that are written when they are first asked for.

    Args:
        instance: as of `Evaluator`.
        sampled_every: one computation in so many is compared with that of `Evaluator`.
    """

    def __init__(self, instance: Instance, sampled_every: int = SAMPLED_EVERY) -> None:
        super().__init__(instance)
        self._sampled_every = sampled_every
        self._computed_steps = 0
        self._in_range: set[tuple[int, Any]] = set()
        self._has_range = [has_range(variable.type) for variable in self.model.variables]
        self._answers: dict[str, Callable[[State], Answers]] = {}
        self._effects: dict[str, Callable[..., tuple[Any, ...]]] = {}
        self._changed = {
            action.name: [
                (place := self._position[effect.variable], effect, self.model.variables[place].type)
                for effect in action.effects
            ]
            for action in self.model.actions
        }

    def answers(self, action: Action, state: State) -> Answers:
        """The calls of an action that a state performs or refuses with an exception, in the order of `choices`.

        Raises:
            EvaluationError: `Evaluator` finds others.
        """
        answers = self._answers.get(action.name)
        if answers is None:
            answers = self._answers[action.name] = _Writer(self, action).answers()
        found = answers(state)
        if self._is_sampled() and found != self.evaluated(action, state):
            raise EvaluationError(f"{action.name} answers other calls when it is written out", action.source)
        return found

    def evaluated(self, action: Action, state: State) -> Answers:
        """The answers as `Evaluator` finds them, call by call."""
        each = ((arguments, self.first_failing(action, arguments, state)) for arguments in self.choices(action, state))
        return [
            (arguments, ENABLED if check is None else action.checks.index(check))
            for arguments, check in each
            if check is None or check.refuses is not None
        ]

    def apply(self, action: Action, arguments: Arguments, state: State) -> State:
        """As `Evaluator.apply`.

        Raises:
            EvaluationError: a value leaves its declared range, or `Evaluator` computes another one.
        """
        effects = self._effects.get(action.name)
        if effects is None:
            effects = self._effects[action.name] = _Writer(self, action).effects()
        after = list(state)
        for (position, effect, type_), value in zip(
            self._changed[action.name], effects(state, *arguments), strict=True
        ):
            if not self._is_in_range(position, type_, state[position], value):
                fault = out_of_range(value, type_, effect.variable)
                if fault:
                    raise EvaluationError(f"{action.name} {fault}", effect.source)
                self._remember(position, type_, value)
            after[position] = value
        computed = tuple(after)
        if self._is_sampled() and super().apply(action, arguments, state) != computed:
            raise EvaluationError(f"{action.name} leads to another state when it is written out", action.source)
        return computed

    def _is_in_range(self, position: int, type_: Type, before: Any, value: Any) -> bool:
        """Whether a variable's value is known to be within its range, as the one before it is."""
        if value is before or not self._has_range[position]:
            return True
        if not isinstance(type_, ArrayType):
            return (position, value) in self._in_range
        known = self._in_range
        return all(new is old or (position, new) in known for new, old in zip(value, before, strict=True))

    def _remember(self, position: int, type_: Type, value: Any) -> None:
        """A variable's value is within its range; of an array, its elements are."""
        if len(self._in_range) >= _REMEMBERED:
            self._in_range.clear()
        self._in_range.update((position, part) for part in (value if isinstance(type_, ArrayType) else (value,)))

    def _is_sampled(self) -> bool:
        self._computed_steps += 1
        return self._computed_steps % self._sampled_every == 0


@cache
def _compiled(text: str, name: str) -> CodeType:
    """A function in Python; instances of other sizes have many of them in common."""
    return compile(text, name, "exec")


class _Writer:
    """Writes the functions of one action."""

    def __init__(self, evaluator: Evaluator, action: Action) -> None:
        self._action = action
        self._sizes: Sizes = evaluator.sizes
        self._places = {variable.name: place for place, variable in enumerate(evaluator.model.variables)}
        self._names = {parameter.name: f"p{number}" for number, parameter in enumerate(action.parameters)}
        self._known = {
            parameter.name: self._sizes.of(parameter.domain)
            for parameter in action.parameters
            if isinstance(parameter.domain, IndexSet)
        }
        self._constants: dict[str, Any] = {
            "with_field": _with_field,
            "element": _element,
            "moved": evaluate.moved,
            "stored": evaluate.stored,
            "taken": evaluate.taken,
            "without": evaluate.without,
            "quotient": evaluate.quotient,
            "remainder": evaluate.remainder,
            "added": _added,
            "sort_key": sort_key,
        }
        self._lines: list[str] = []
        self._depth = 0
        self._kept: dict[Expr, str] = {}
        self._uses: Counter[Expr] = Counter()
        self._weights: dict[Expr, int] = {}
        self._bound = 0

    def answers(self) -> Callable[[State], Answers]:
        """A function of a state: the answers of the action."""
        checks, names = self._action.checks, list(self._names)
        self._count(check.condition for check in checks)
        self._write("found = []")
        for position, check in enumerate(checks):
            self._loop_over(max((names.index(name) + 1 for name in check.condition.free), default=0))
            condition = self._text(check.condition, self._names, self._known)
            self._write(f"if not {condition}:")
            if check.refuses is not None:
                self._write(f"    found {self._added(position)}")
            self._write("    continue" if self._depth else "    return found")
        self._write(f"found {self._added(ENABLED)}")
        self._depth = 0
        self._write("return found")
        return self._function(["s"])

    def _loop_over(self, count: int) -> None:
        """Bind at least this many parameters from here on."""
        for parameter in self._action.parameters[self._depth : count]:
            self._write(f"for {self._names[parameter.name]} in {self._domain(parameter)}:")
            self._depth += 1

    def _added(self, position: int) -> str:
        """What adds an answer to those that are found, for every choice of the parameters that are not bound yet."""
        arguments = "".join(f"{name}, " for name in self._names.values())
        rest = self._action.parameters[self._depth :]
        loops = "".join(f" for {self._names[p.name]} in {self._domain(p)}" for p in rest)
        return f"+= [(({arguments}), {position}){loops}]"

    def _domain(self, parameter: ActionParameter) -> str:
        match parameter.domain:
            case MessageOf(bag=bag):
                return f"dict.fromkeys(s[{self._places[bag]}])"
            case domain:
                return repr(values_of(domain, self._sizes))

    def effects(self) -> Callable[..., tuple[Any, ...]]:
        """A function of a state and arguments: the new values of what the action changes, in order."""
        self._count(effect.value for effect in self._action.effects)
        values = [self._text(effect.value, self._names, self._known) for effect in self._action.effects]
        self._write(f"return ({''.join(f'{value}, ' for value in values)})")
        return self._function(["s", *self._names.values()])

    def _write(self, line: str) -> None:
        self._lines.append(f"    {'    ' * self._depth}{line}\n")

    def _function(self, parameters: list[str]) -> Callable[..., Any]:
        body = "".join(self._lines)
        exec(_compiled(f"def step({', '.join(parameters)}):\n{body}", f"<{self._action.name}>"), self._constants)
        written: Callable[..., Any] = self._constants["step"]
        return written

    def _count(self, roots: Iterator[Expr]) -> None:
        """How often each node is used by others."""
        pending, seen = list(roots), set()
        self._uses.update(pending)
        while pending:
            node = pending.pop()
            if node not in seen:
                seen.add(node)
                self._uses.update(node.args)
                pending += node.args

    def _weight(self, node: Expr) -> int:
        found = self._weights.get(node)
        if found is None:
            found = self._weights[node] = 1 + sum(self._weight(arg) for arg in node.args)
        return found

    def _text(self, node: Expr, names: Mapping[str, str], known: Mapping[str, int]) -> str:
        """The node in Python; what is used again and needs no bound variable is computed before, once."""
        kept = self._kept.get(node)
        if kept is not None:
            return kept
        is_fixed = all(names[name] == self._names.get(name) for name in node.free)
        text = self._written(node, names, known)
        if not is_fixed or node.op in _FREE or (self._uses[node] < 2 and self._weight(node) < _BIG):
            return text
        kept = self._kept[node] = f"v{len(self._kept)}"
        self._write(f"{kept} = {text}")
        return kept

    def _written(self, node: Expr, names: Mapping[str, str], known: Mapping[str, int]) -> str:
        if node.op in BINDERS:
            return self._quantified(node, names, known)
        if node.op is Op.CONST:
            return self._constant(evaluate.named_position(node, self._sizes))
        if node.op is Op.VARIABLE:
            return f"s[{self._places[node.data]}]"
        if node.op is Op.PARAMETER:
            return names[node.data]
        args = [self._text(arg, names, known) for arg in node.args]
        if node.op in _INFIX:
            return f"({f' {_INFIX[node.op]} '.join(args)})" if args else _EMPTY[node.op]
        if node.op in _CALLS:
            return f"{_CALLS[node.op]}({', '.join(args)})"
        return self._composed(node, args, known)

    def _composed(self, node: Expr, args: list[str], known: Mapping[str, int]) -> str:
        match node.op:
            case Op.NOT:
                return f"(not {args[0]})"
            case Op.ITE:
                return f"({args[1]} if {args[0]} else {args[2]})"
            case Op.FIELD:
                return f"{args[0]}[{node.data}]"
            case Op.WITH_FIELD:
                return f"with_field({args[0]}, {node.data}, {args[1]})"
            case Op.RECORD:
                return f"({''.join(f'{arg}, ' for arg in args)})"
            case Op.SELECT | Op.AT:
                return self._selected(node, args, known)
            case Op.MEMBER | Op.HOLDS:
                return f"({args[1]} in {args[0]})"
            case Op.REMOVE:
                return f"({args[0]} - {{{args[1]}}})"
            case Op.APPEND:
                return f"(*{args[0]}, {args[1]})"
            case Op.DROP_FIRST:
                return f"{args[0]}[1:]"
            case Op.RANK:
                return f"({args[0]} or 0)"
            case Op.SUCCESSOR | Op.PREDECESSOR:
                assert isinstance(node.type, RefType)
                amount = "1" if node.op is Op.SUCCESSOR else "-1"
                return f"moved({args[0]}, {amount}, {self._sizes.of(node.type.index)})"
            case Op.SEND:
                return f"tuple(sorted((*{args[0]}, {args[1]}), key=sort_key))"
            case op:
                raise AssertionError(f"'{op}' is no part of a step")

    def _selected(self, node: Expr, args: list[str], known: Mapping[str, int]) -> str:
        """An element; where the position is sure to be one, without asking."""
        array, position = node.args[0].type, node.args[1]
        if isinstance(array, ArrayType) and position.op is Op.PARAMETER:
            size = known.get(position.data)
            if size is not None and size <= self._sizes.of(array.index):
                return f"{args[0]}[{args[1]}]"
        return f"element({args[0]}, {args[1]}, {self._constant(zero(node.type, self._sizes))})"

    def _constant(self, value: Any) -> str:
        if value is None or isinstance(value, bool | int):
            return f"({value})" if isinstance(value, int) and value < 0 else repr(value)
        name = f"k{len(self._constants)}"
        self._constants[name] = value
        return name

    def _quantified(self, node: Expr, names: Mapping[str, str], known: Mapping[str, int]) -> str:
        name, over = node.data.name, node.data.over
        if isinstance(over, IndexSet):
            size = self._sizes.of(over)
            unrolls = size <= _UNROLLED and self._weight(node) <= _BIG
            if unrolls and node.op in (Op.FORALL, Op.EXISTS, Op.TABULATE, Op.COUNT):
                return self._unrolled(node, size, names, known)
            values = f"range({size})"
        else:
            size, values = 0, self._text(node.args[0], names, known)
        self._bound += 1
        word = f"b{self._bound}"
        inside = {**names, name: word}
        within = {key: value for key, value in known.items() if key != name}
        if isinstance(over, IndexSet):
            within[name] = size
        return self._loop(node, word, values, [self._text(arg, inside, within) for arg in self._bodies(node)])

    def _bodies(self, node: Expr) -> tuple[Expr, ...]:
        return node.args[1:] if node.op in (Op.FORALL_IN, Op.EXISTS_IN) else node.args

    def _loop(self, node: Expr, word: str, values: str, bodies: list[str]) -> str:
        each = f"for {word} in {values}"
        match node.op:
            case Op.FORALL | Op.FORALL_IN:
                return f"all({bodies[0]} {each})"
            case Op.EXISTS | Op.EXISTS_IN:
                return f"any({bodies[0]} {each})"
            case Op.COUNT:
                return f"sum(1 {each} if {bodies[0]})"
            case Op.TABULATE:
                return f"tuple([{bodies[0]} {each}])"
            case Op.MEMBERS:
                return f"frozenset([{word} {each} if {bodies[0]}])"
            case Op.CHOOSE:
                return f"next(({word} {each} if {bodies[0]}), None)"
            case Op.MINIMUM | Op.MAXIMUM:
                best = "min" if node.op is Op.MINIMUM else "max"
                return f"{best}([{bodies[1]} {each} if {bodies[0]}], default={bodies[2]})"
            case op:
                raise AssertionError(f"'{op}' binds nothing")

    def _unrolled(self, node: Expr, size: int, names: Mapping[str, str], known: Mapping[str, int]) -> str:
        """The body once for each member."""
        name = node.data.name
        within = {**known, name: size}
        bodies = [self._text(node.args[0], {**names, name: str(one)}, within) for one in range(size)]
        match node.op:
            case Op.TABULATE:
                return f"({''.join(f'{body}, ' for body in bodies)})"
            case Op.COUNT:
                return f"({' + '.join(f'bool({body})' for body in bodies) or '0'})"
            case op:
                joined = " and " if op is Op.FORALL else " or "
                return f"({joined.join(bodies)})" if bodies else _EMPTY[op]
