"""A trace held against a model: each state must follow from the one before by a step that `evaluate` finds.

A trace that names its actions is followed by name; one that only shows states is followed by what the states are. A
state may leave variables out, and then says nothing of them; limits of the configuration do not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from genstamp_model.errors import EvaluationError, TraceError
from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.language.model import Action, Instance
from genstamp_model.language.types import show
from genstamp_model.path import Path
from genstamp_model.traces.itf import Moment, Trace
from genstamp_model.traces.told import matches, text

_MOST_SHOWN = 3


@dataclass(frozen=True)
class Rejection:
    """Where a trace leaves the model.

    Attributes:
        number: of the state in the trace; 0 is the initial one.
        call: the step that the trace names, as a reader sees it; empty where it names none.
        reasons: why no step leads there, a sentence each.
    """

    number: int
    call: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Replay:
    """What following a trace gave: the path as far as it is one of the model, and where it ends to be.

    Attributes:
        broken: names of the properties that the path breaks, each with the number of the state that shows it.
        loop: the number of the state that the path goes back to for ever, if it is a lasso.
    """

    path: Path
    rejection: Rejection | None
    broken: tuple[tuple[str, int], ...]
    loop: int | None = None


def replay(instance: Instance, trace: Trace) -> Replay:
    """Follow a trace from the initial state.

    Raises:
        TraceError: the trace speaks of variables, actions or arguments that the model does not have.
    """
    follower = _Follower(instance)
    start = follower.evaluator.initial()
    path = Path(instance, start)
    wrong = follower.differences(start, trace.moments[0])
    if wrong:
        return Replay(path, Rejection(0, "", tuple(wrong)), ())
    for number, moment in enumerate(trace.moments[1:], 1):
        step, reasons = follower.step(path.states[-1], moment)
        if step is None:
            return Replay(path, Rejection(number, follower.call(moment), tuple(reasons)), follower.broken(path))
        path = Path(instance, start, (*path.steps, step))
    open_loop = follower.open_loop(path, trace)
    rejection = None if open_loop is None else Rejection(len(path) + 1, "", (open_loop,))
    return Replay(path, rejection, follower.broken(path), trace.loop)


class _Follower:
    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.evaluator = Evaluator(instance)
        self._actions = {action.name: action for action in instance.model.actions}

    def step(self, before: State, moment: Moment) -> tuple[Step | None, list[str]]:
        """The first step to what the moment shows, or why there is none."""
        if moment.action is None:
            return self._unnamed(before, moment)
        action = self._named(moment.action)
        reasons: list[str] = []
        for arguments in self.evaluator.choices(action, before):
            if not self._picked(action, arguments, moment.picks):
                continue
            check = self.evaluator.first_failing(action, arguments, before)
            if check is not None:
                refused = f", refused with {check.refuses}" if check.refuses else ""
                reasons.append(
                    f"{self.evaluator.call(action, arguments)} is not possible: "
                    f"it needs that {check.label} ({check.source}){refused}"
                )
                continue
            try:
                after = self.evaluator.apply(action, arguments, before)
            except EvaluationError as problem:
                reasons.append(str(problem))
                continue
            wrong = self.differences(after, moment)
            if not wrong:
                return Step(action, arguments, after), []
            reasons += [f"after {self.evaluator.call(action, arguments)}, {one}" for one in wrong]
        if not reasons:
            reasons.append(f"{action.name} has no choice of arguments that is named so: {_picks(moment.picks)}")
        return None, reasons[:_MOST_SHOWN]

    def open_loop(self, path: Path, trace: Trace) -> str | None:
        """Why the last state does not lead back to where the trace loops; None where it does, or is not asked to."""
        if trace.loop is None or trace.meta.get("loop_closes"):
            return None
        last, back = path.states[-1], path.states[trace.loop]
        if last == back or any(step.after == back for step in self.evaluator.steps(last)):
            return None
        return f"the trace loops back to state {trace.loop}, to which no step leads from its last state"

    def _unnamed(self, before: State, moment: Moment) -> tuple[Step | None, list[str]]:
        if not moment.values:
            raise TraceError("a state of the trace gives neither variables nor the action that led to it")
        nearest: list[str] | None = None
        for step in self.evaluator.whole_steps(before):
            wrong = self.differences(step.after, moment)
            if not wrong:
                return step, []
            if nearest is None or len(wrong) < len(nearest):
                call = self.evaluator.call(step.action, step.arguments)
                nearest = [f"after {call}, which comes nearest, {one}" for one in wrong]
        return None, (nearest or ["no step is possible here"])[:_MOST_SHOWN]

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
        """How a state differs from what a moment gives of it."""
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
        """The step that a moment names."""
        return "" if moment.action is None else f"{moment.action}({_picks(moment.picks)})"

    def broken(self, path: Path) -> tuple[tuple[str, int], ...]:
        """The invariants and transition properties that a path breaks, each where it does first."""
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
