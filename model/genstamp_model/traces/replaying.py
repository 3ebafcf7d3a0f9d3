"""Replays a trace on a model: each state must follow from the one before by a step that `evaluate` finds.

If the trace names its actions, they are followed; otherwise any step that leads to the next state. A state may leave
out variables, which may then have any value. Limits of the configuration do not apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from genstamp_model.errors import ConfigurationError, EvaluationError, TraceError
from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.explore.renumber import Renumbering
from genstamp_model.language.model import Action, Instance
from genstamp_model.language.types import show
from genstamp_model.path import Path
from genstamp_model.traces.itf import Moment, Trace
from genstamp_model.traces.told import matches, text

MOST_STATES: Final = 10_000
"""How many states are followed at a time, if the trace does not determine its state."""

_MOST_SHOWN: Final = 3


@dataclass(frozen=True)
class Rejection:
    """The first state of a trace that the model does not allow.

    Attributes:
        number: the number of the state; 0 is the initial one.
        call: the step that the trace names; may be empty.
        reasons: why no step leads to the state, in sentences.
    """

    number: int
    call: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Replay:
    """The result of replaying a trace.

    Attributes:
        path: the path of the model that the trace follows, up to a rejected state.
        rejection: the rejected state; None if the model allows the whole trace.
        broken: the names of the properties that the path violates, each with the number of the first state that does.
        loop: the number of the state that the path loops back to, if it is a lasso.
    """

    path: Path
    rejection: Rejection | None
    broken: tuple[tuple[str, int], ...]
    loop: int | None = None


def replay(instance: Instance, trace: Trace) -> Replay:
    """Replay a trace from the initial states that its first state shows.

    Raises:
        TraceError: the trace has variables, actions or arguments that the model does not have, or it leaves out so
            much that it may be in more than `MOST_STATES` states.
    """
    follower = _Follower(instance)
    initials = follower.evaluator.initials
    wrong = {start: follower.differences(start, trace.moments[0]) for start in initials}
    # A trace that leaves out variables may be in several states: for each of them, a path to it.
    ways = {start: Path(instance, start) for start in initials if not wrong[start]}
    if not ways:
        nearest = min(initials, key=lambda start: len(wrong[start]))
        return Replay(Path(instance, nearest), Rejection(0, "", tuple(wrong[nearest])), ())
    if len(ways) > MOST_STATES:
        raise TraceError(
            f"state 0 of the trace leaves so much out that it may be one of {len(ways)}; at most {MOST_STATES} are "
            "followed"
        )
    for number, moment in enumerate(trace.moments[1:], 1):
        onwards: dict[State, Path] = {}
        why: list[str] = []
        for state, path in ways.items():
            for step in follower.steps(state, moment, why):
                onwards.setdefault(step.after, Path(instance, path.initial, (*path.steps, step)))
        if not onwards:
            path = next(iter(ways.values()))
            reasons = tuple(dict.fromkeys(why))[:_MOST_SHOWN]
            return Replay(path, Rejection(number, follower.call(moment), reasons), follower.broken(path))
        if len(onwards) > MOST_STATES:
            raise TraceError(
                f"state {number} of the trace lacks so many variables that {len(onwards)} states match; at most "
                f"{MOST_STATES} are followed"
            )
        ways = onwards
    same = follower.compared(trace)
    closed = [path for path in ways.values() if trace.loop is None or follower.closes(path, trace.loop, same)]
    path = next(iter(closed or ways.values()))
    open_loop = f"the trace loops back to state {trace.loop}, to which no step leads from its last state"
    rejection = None if closed else Rejection(len(path) + 1, "", (open_loop,))
    return Replay(path, rejection, follower.broken(path), trace.loop)


class _Follower:
    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.evaluator = Evaluator(instance)
        self._actions = {action.name: action for action in instance.model.actions}

    def steps(self, before: State, moment: Moment, why: list[str]) -> Iterator[Step]:
        """The steps that lead to what the moment shows; reasons against other steps are added to `why`."""
        if moment.action is None:
            yield from self._unnamed(before, moment, why)
            return
        action = self._named(moment.action)
        is_any = False
        for arguments in self.evaluator.choices(action, before):
            if not self._picked(action, arguments, moment.picks):
                continue
            is_any = True
            check = self.evaluator.first_failing(action, arguments, before)
            if check is not None:
                refused = f", refused with {check.refuses}" if check.refuses else ""
                why.append(
                    f"{self.evaluator.call(action, arguments)} is not possible: "
                    f"it needs that {check.label} ({check.source}){refused}"
                )
                continue
            try:
                after = self.evaluator.apply(action, arguments, before)
            except EvaluationError as problem:
                why.append(str(problem))
                continue
            wrong = self.differences(after, moment)
            if not wrong:
                yield Step(action, arguments, after)
            why += [f"after {self.evaluator.call(action, arguments)}, {one}" for one in wrong]
        if not is_any:
            why.append(f"{action.name} has no choice of arguments that is named so: {_picks(moment.picks)}")

    def closes(self, path: Path, loop: int, same: Callable[[State], State]) -> bool:
        """Whether the last state equals, or leads to, the state with the number `loop`; `same` is from `compared`."""
        back = same(path.states[loop])
        if same(path.states[-1]) == back:
            return True
        return any(same(after) == back for after in self._possible(path.states[-1]))

    def compared(self, trace: Trace) -> Callable[[State], State]:
        """The parts to compare of two states: a lasso of a search with ranks closes only up to ranks of ordered
        numbers.
        """
        if trace.meta.get("loop_closes"):
            with suppress(ConfigurationError):
                renumbering = Renumbering(self.instance)
                _ = renumbering.classes
                return renumbering.renumbered
        return lambda state: state

    def _possible(self, before: State) -> Iterator[State]:
        """The next states by all possible steps that stay within their types."""
        for action in self.instance.model.actions:
            for arguments in self.evaluator.choices(action, before):
                if self.evaluator.first_failing(action, arguments, before) is None:
                    with suppress(EvaluationError):
                        yield self.evaluator.apply(action, arguments, before)

    def _unnamed(self, before: State, moment: Moment, why: list[str]) -> Iterator[Step]:
        if not moment.values:
            raise TraceError("a state of the trace gives neither variables nor the action that led to it")
        nearest: list[str] | None = None
        is_any = False
        for step in self.evaluator.whole_steps(before):
            wrong = self.differences(step.after, moment)
            if not wrong:
                is_any = True
                yield step
            elif nearest is None or len(wrong) < len(nearest):
                call = self.evaluator.call(step.action, step.arguments)
                nearest = [f"after {call}, which comes nearest, {one}" for one in wrong]
        if not is_any:
            why += nearest or ["no step is possible here"]

    def _named(self, name: str) -> Action:
        if name not in self._actions:
            raise TraceError(
                f"the trace takes an action '{name}', which {self.instance.model.system} does not have; "
                f"it has {', '.join(self._actions)}"
            )
        return self._actions[name]

    def _picked(self, action: Action, arguments: tuple[Any, ...], picks: Mapping[str, Any]) -> bool:
        known = {parameter.name for parameter in action.parameters}
        for name in picks:
            if name not in known:
                raise TraceError(
                    f"the trace gives {action.name} an argument '{name}'; it has {', '.join(sorted(known)) or 'none'}"
                )
        sizes = self.instance.sizes
        return all(
            matches(picks[parameter.name], argument, parameter.type, sizes)
            for parameter, argument in zip(action.parameters, arguments, strict=True)
            if parameter.name in picks
        )

    def differences(self, state: State, moment: Moment) -> list[str]:
        """The differences between a state and what a moment shows of it."""
        variables = {variable.name: variable for variable in self.instance.model.variables}
        for name in moment.values:
            if name not in variables:
                raise TraceError(
                    f"the trace gives a variable '{name}', which {self.instance.model.system} does not have; "
                    f"it has {', '.join(variables)}"
                )
        found, sizes = [], self.instance.sizes
        for variable, value in zip(variables.values(), state, strict=True):
            if variable.name not in moment.values:
                continue
            told = moment.values[variable.name]
            if not matches(told, value, variable.type, sizes):
                found.append(f"{variable.name} is {show(value, variable.type, sizes)}, and the trace says {text(told)}")
        return found

    def call(self, moment: Moment) -> str:
        """The step that a moment names, as text."""
        return "" if moment.action is None else f"{moment.action}({_picks(moment.picks)})"

    def broken(self, path: Path) -> tuple[tuple[str, int], ...]:
        """The invariants and transition properties that a path violates, each with the number of the first state."""
        found: dict[str, int] = {}
        for name, number in self._breaks(path):
            found.setdefault(name, number)
        return tuple(found.items())

    def _breaks(self, path: Path) -> Iterator[tuple[str, int]]:
        states = path.states
        for claim in self.instance.model.properties:
            for number, state in enumerate(states):
                if (claim.kind == "invariant" and not self.evaluator.holds(claim, state)) or (
                    claim.kind == "transition" and number and not self.evaluator.holds(claim, states[number - 1], state)
                ):
                    yield claim.name, number


def _picks(picks: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {text(value)}" for name, value in picks.items())
