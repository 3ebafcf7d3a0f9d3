"""A path: a state, a step, a state, and so on, as a reader sees it and as other tools read it.

Counterexamples, witnesses and simulated runs are paths. A path is made of what `evaluate` computes, whichever judge
found it. Printed, it is a list of numbered steps with only what each one changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from itf_py import State as ItfState
from itf_py import Trace as ItfTrace
from itf_py import trace_to_json

from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.language.model import Instance
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Sizes,
    Type,
    Value,
    show,
)

ACTION_TAKEN = "mbt::actionTaken"
NONDET_PICKS = "mbt::nondetPicks"


@dataclass(frozen=True)
class Change:
    """One part of the state that a step changes: `replica[datanode1].stamp`, and both values as reports show them."""

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name}: {self.before} -> {self.after}"


@dataclass(frozen=True)
class Path:
    """A path of one instance.

    Attributes:
        initial: the state that it begins in.
        steps: what was taken, each with the state after it.
    """

    instance: Instance
    initial: State
    steps: tuple[Step, ...] = ()

    @property
    def states(self) -> tuple[State, ...]:
        """Every state, the initial one first."""
        return (self.initial, *(step.after for step in self.steps))

    def __len__(self) -> int:
        return len(self.steps)

    def lines(self) -> Iterator[str]:
        """The path as numbered steps, each with the lines of what it changes, indented.

        Where there are several initial states, its own is told as step 0.
        """
        evaluator = Evaluator(self.instance)
        yield from told_beginning(self.instance, self.initial)
        for number, (step, before) in enumerate(zip(self.steps, self.states, strict=False), 1):
            yield f"{number:>3}. {evaluator.call(step.action, step.arguments)}"
            for change in changes(self.instance, before, step.after):
                yield f"       {change}"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def to_itf(self, loop: int | None = None, **meta: str) -> dict[str, Any]:
        """The path in the Informal Trace Format, as Apalache and Quint write it.

        Args:
            loop: of a lasso, the index of the state in which its loop starts, and in which the path ends again.
            meta: further entries of the trace's `#meta`.

        Returns:
            JSON: labels and members as strings, `none` for nobody, arrays as maps from the member's name, sequences and
            message bags as lists. Each state names the action taken to it, and its arguments as a record (Quint wraps
            them in options, of which `itf_py` cannot read those of numbers back).
        """
        sizes, model = self.instance.sizes, self.instance.model
        taken: list[tuple[str, dict[str, Any]]] = [("init", {})]
        for step in self.steps:
            pairs = zip(step.action.parameters, step.arguments, strict=True)
            taken.append((step.action.name, {p.name: _itf(value, p.type, sizes) for p, value in pairs}))
        states = []
        for number, (state, (action, picks)) in enumerate(zip(self.states, taken, strict=True)):
            values = {ACTION_TAKEN: action, NONDET_PICKS: SimpleNamespace(**picks)}
            for variable, value in zip(model.variables, state, strict=True):
                values[variable.name] = _itf(value, variable.type, sizes)
            states.append(ItfState({"index": number}, values))
        described = {
            "format": "ITF",
            "system": model.system,
            "semantics": model.semantics,
            "configuration": self.instance.configuration.name,
            **({"bugs": ",".join(model.bugs)} if model.bugs else {}),
            **meta,
        }
        names = [ACTION_TAKEN, NONDET_PICKS, *(variable.name for variable in model.variables)]
        result: dict[str, Any] = trace_to_json(ItfTrace(described, [], names, states, loop))
        if loop is None:
            del result["loop"]
        return result


def told_beginning(instance: Instance, state: State) -> Iterator[str]:
    """Which of several initial states a path begins in, as its step 0; no line where there is one."""
    if instance.model.chooses:
        yield "  0. begins with"
        yield from (f"       {line}" for line in beginning(instance, state))


def beginning(instance: Instance, state: State) -> Iterator[str]:
    """What an initial state has chosen, in lines."""
    for variable, value in zip(instance.model.variables, state, strict=True):
        if variable.choice is not None:
            yield f"{variable.name}: {show(value, variable.type, instance.sizes)}"


def changes(instance: Instance, before: State, after: State) -> list[Change]:
    """Where two states differ, arrays and records taken apart."""
    found: list[Change] = []
    for variable, left, right in zip(instance.model.variables, before, after, strict=True):
        _compare(variable.name, variable.type, left, right, instance.sizes, found)
    return found


def _compare(name: str, type_: Type, left: Any, right: Any, sizes: Sizes, found: list[Change]) -> None:
    if left == right:
        return
    match type_:
        case RecordType(fields=fields):
            for (field, kind), x, y in zip(fields, left, right, strict=True):
                _compare(f"{name}.{field}", kind, x, y, sizes, found)
        case ArrayType(index=index, element=element):
            for i, (x, y) in enumerate(zip(left, right, strict=True)):
                _compare(f"{name}[{sizes.member_name(index, i)}]", element, x, y, sizes, found)
        case _:
            found.append(Change(name, show(left, type_, sizes), show(right, type_, sizes)))


class _Sorted(frozenset[str]):
    """A set of names that is written in order."""

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(super().__iter__()))


def _itf(value: Value, type_: Type, sizes: Sizes) -> Any:
    """A value as `itf_py` writes it."""
    match type_:
        case BoolType() | NumberType():
            return value
        case EnumType() | RefType():
            return show(value, type_, sizes)
        case SetType(index=index):
            assert isinstance(value, frozenset)
            return _Sorted(sizes.member_name(index, i) for i in value)
    assert isinstance(value, tuple)
    match type_:
        case RecordType(fields=fields):
            return SimpleNamespace(
                **{n: _itf(part, kind, sizes) for (n, kind), part in zip(fields, value, strict=True)}
            )
        case ArrayType(index=index, element=element):
            return {sizes.member_name(index, i): _itf(part, element, sizes) for i, part in enumerate(value)}
        case SequenceType(element=element) | BagType(message=element):
            return [_itf(part, element, sizes) for part in value]


def follow(instance: Instance, states: Sequence[State]) -> Path:
    """The path through given states: the first step in `evaluate`'s order that leads from each to the next.

    It is an assertion that there is one: the caller has found these states to be neighbours.
    """
    evaluator = Evaluator(instance)
    assert states and evaluator.begins_in(states[0]), "the path does not begin in an initial state"
    steps = []
    for before, after in pairwise(states):
        step = next((step for step in evaluator.whole_steps(before) if step.after == after), None)
        assert step is not None, f"evaluate has no step from {before} to {after}"
        steps.append(step)
    return Path(instance, states[0], tuple(steps))
