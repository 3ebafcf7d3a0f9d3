"""Steps of one instance, remembered by what they depend on, so that millions can be taken in Python.

A check reads few cells (a variable, or one element of an array), and most states agree in them. So each value of a cell
gets a number, a state is the tuple of these numbers, and what a check says, what an effect writes and which abstract
transition it all is are remembered by the numbers of the cells that they read. Everything is computed by `evaluate`,
once. Not here: which states there are (see `graph`), and whether values stay in their ranges (see the searches).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Final, TypeAlias

from genstamp.transitions.abstract import Abstraction, Transition
from genstamp.transitions.cells import Cells, Numbers, cells_read
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Action, Effect
from genstamp_model.language.trace import Check, MessageOf
from genstamp_model.language.types import ArrayType, Value

NOT_POSSIBLE: Final = -1
"""The call is not possible, and no caller gets an answer."""

HIDDEN: Final = -2
"""The step is unobservable and so belongs to no abstract transition."""

Writes: TypeAlias = tuple[tuple[int, int], ...]
"""Cells, each with the number of its new value."""

_Pick: TypeAlias = Callable[[Numbers], Any]


class Call:
    """An action with its arguments, and what is known of it.

    Attributes:
        number: counted from 0.
        action: the action.
        arguments: what it is called with.
    """

    def __init__(self, number: int, action: Action, arguments: Arguments, steps: "Steps") -> None:
        self.number = number
        self.action = action
        self.arguments = arguments
        self._steps = steps
        self._bound: dict[str, Value] = {
            parameter.name: value for parameter, value in zip(action.parameters, arguments, strict=True)
        }
        self._checks = [(self._pick(check.condition), {}, check) for check in action.checks]  # type: ignore[var-annotated]
        self._effects = [self._effect(*written) for effect in action.effects for written in self._written(effect)]
        self._shown: _Pick = _picker(steps.abstraction.cells(action, arguments, steps.cells))
        self._transitions: dict[Any, int] = {}

    def taken(self, state: Numbers) -> tuple[int, Numbers]:
        """What the call does in a state: the number of an abstract transition or a constant, and the state after it."""
        for pick, known, check in self._checks:
            key = pick(state)
            holds = known.get(key)
            if holds is None:
                holds = known[key] = bool(self._value(check.condition, state))
            if not holds:
                if check.refuses is None or self.action.hidden:
                    return NOT_POSSIBLE, state
                return self._transition(state, state, check), state
        changed: list[int] | None = None
        for pick, writes, compute in self._effects:
            key = pick(state)
            found = writes.get(key)
            if found is None:
                found = writes[key] = compute(state)
            if found:
                changed = list(state) if changed is None else changed
                for cell, number in found:
                    changed[cell] = number
        after = state if changed is None else tuple(changed)
        return (HIDDEN if self.action.hidden else self._transition(state, after, None)), after

    def _transition(self, before: Numbers, after: Numbers, check: Check | None) -> int:
        key = (None if check is None else check.label, self._shown(before), self._shown(after))
        found = self._transitions.get(key)
        if found is None:
            cells = self._steps.cells
            states = cells.state(before), cells.state(after)
            transition = self._steps.abstraction.of(self.action, self.arguments, check, *states)
            found = self._transitions[key] = self._steps.number_of(transition)
        return found

    def _written(self, effect: Effect) -> Iterator[tuple[list[int], Expr, bool]]:
        """What an effect writes: cells, what they become, and whether that is an array with an element for each."""
        elements, rest = [], effect.value
        while rest.op is Op.STORE:
            array, position, value = rest.args
            cell = self._steps.cells.element(effect.variable, position, self._bound)
            if cell is None:
                break
            elements.append((cell, value))
            rest = array
        if rest.op is Op.VARIABLE and rest.data == effect.variable:
            done: set[int] = set()
            for cell, value in elements:  # the outermost is the last to write
                if cell not in done:
                    yield [cell], value, False
                    done.add(cell)
        else:
            yield self._steps.cells.of(effect.variable), effect.value, isinstance(effect.value.type, ArrayType)

    def _effect(
        self, written: list[int], value: Expr, is_array: bool
    ) -> tuple[_Pick, dict[Any, Writes], Callable[[Numbers], Writes]]:
        read = sorted({*written, *cells_read(value, self._bound, self._steps.cells)})

        def compute(state: Numbers) -> Writes:
            found: Any = self._value(value, state)
            values = found if is_array else (found,)
            numbers = [self._steps.cells.number(cell, one) for cell, one in zip(written, values, strict=True)]
            return tuple((cell, number) for cell, number in zip(written, numbers, strict=True) if state[cell] != number)

        return _picker(read), {}, compute

    def _pick(self, expr: Expr) -> _Pick:
        return _picker(sorted(cells_read(expr, self._bound, self._steps.cells)))

    def _value(self, expr: Expr, state: Numbers) -> Value:
        return self._steps.evaluator.value(expr, self._steps.cells.state(state), bound=self._bound)


class Steps:
    """The steps of an instance.

    Attributes:
        evaluator: of the instance.
        cells: of its states.
        abstraction: of its steps.
        calls: by number.
        transitions: abstract transitions, by number; only those that `Call.taken` came upon.

    Args:
        evaluator: of the instance.
        forgotten: variables whose value does not count for abstract transitions.
    """

    def __init__(self, evaluator: Evaluator, forgotten: Iterable[str]) -> None:
        self.evaluator = evaluator
        self.cells = Cells(evaluator)
        self.abstraction = Abstraction(evaluator, forgotten)
        self.calls: list[Call] = []
        self.transitions: list[Transition] = []
        self._numbers: dict[Transition, int] = {}
        model, limits = evaluator.model, evaluator.instance.limits
        self._limits: list[tuple[_Pick, dict[Any, bool], Expr, int]] = [
            (_picker(sorted(cells_read(expr, {}, self.cells))), {}, expr, limits[name]) for name, expr in model.limits
        ]
        self._varying = [action for action in model.actions if _bags(action)]
        self._bags = _picker([cell for a in self._varying for bag in _bags(a) for cell in self.cells.of(bag)])
        self._of_messages: dict[tuple[str, Arguments], Call] = {}
        self._in_bags: dict[Any, list[Call]] = {}
        first = evaluator.initial()
        self.initials = tuple(map(self.cells.numbered, evaluator.initials))
        self._always = [
            self._new(action, arguments)
            for action in model.actions
            if not _bags(action)
            for arguments in evaluator.choices(action, first)
        ]

    def number_of(self, transition: Transition) -> int:
        """The number of an abstract transition; a new one if it is new."""
        number = self._numbers.setdefault(transition, len(self.transitions))
        if number == len(self.transitions):
            self.transitions.append(transition)
        return number

    def possible(self, state: Numbers) -> Sequence[Call]:
        """All calls that there are in a state, whether or not they can happen."""
        if not self._varying:
            return self._always
        key = self._bags(state)
        found = self._in_bags.get(key)
        if found is None:
            found = self._in_bags[key] = [*self._always, *self._with_messages(self.cells.state(state))]
        return found

    def is_beyond(self, state: Numbers) -> bool:
        """Whether a state exceeds a limit."""
        if self.cells.exceed(state):
            return True
        for pick, known, expr, limit in self._limits:
            key = pick(state)
            found = known.get(key)
            if found is None:
                value: Any = self.evaluator.value(expr, self.cells.state(state))
                found = known[key] = bool(value > limit)
            if found:
                return True
        return False

    def _with_messages(self, state: State) -> Iterator[Call]:
        for action in self._varying:
            for arguments in self.evaluator.choices(action, state):
                key = (action.name, arguments)
                if key not in self._of_messages:
                    self._of_messages[key] = self._new(action, arguments)
                yield self._of_messages[key]

    def _new(self, action: Action, arguments: Arguments) -> Call:
        self.calls.append(Call(len(self.calls), action, arguments, self))
        return self.calls[-1]


def _bags(action: Action) -> list[str]:
    """Variables whose messages an action takes."""
    return [parameter.domain.bag for parameter in action.parameters if isinstance(parameter.domain, MessageOf)]


def _picker(cells: Sequence[int]) -> _Pick:
    return itemgetter(*cells) if cells else lambda _: ()
