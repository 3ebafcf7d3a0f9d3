"""A run as a page and a link name it: the number of its initial state, and each step as text.

A step is named as reports do, `complete(client client1, file file1)`, so that a link can be read, and still fits a
specification that has changed elsewhere. Every step is found among those of `evaluate`, or refused with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from genstamp.explorer.errors import ExplorerError, StepRefusedError
from genstamp.report.places import place
from genstamp_model.errors import EvaluationError, Source
from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.path import Path


@dataclass(frozen=True)
class Run:
    """A path, and what it shows.

    Attributes:
        shows: what it was found for, in words; may be empty.
        loop: the number of the state that a lasso loops back to.
    """

    path: Path
    shows: str = ""
    loop: int | None = None


def walked(evaluator: Evaluator, initial: int, calls: Sequence[str]) -> Path:
    """The path that takes the named steps from an initial state.

    Raises:
        ExplorerError: there is no such initial state.
        StepRefusedError: a step is not possible where it is taken, or there is no such step.
    """
    initials = evaluator.initials
    if initial >= len(initials):
        many = "is 1 initial state" if len(initials) == 1 else f"are {len(initials)} initial states"
        raise ExplorerError(f"there is no initial state {initial}; there {many}, counted from 0")
    path = Path(evaluator.instance, initials[initial])
    for number, call in enumerate(calls, 1):
        step = _step(evaluator, number, call, path.states[-1])
        path = Path(path.instance, path.initial, (*path.steps, step))
    return path


def named(evaluator: Evaluator, path: Path) -> tuple[int, list[str]]:
    """The number of a path's initial state, and its steps as text: what `walked` reads."""
    calls = [evaluator.call(step.action, step.arguments) for step in path.steps]
    return evaluator.initials.index(path.initial), calls


def _step(evaluator: Evaluator, number: int, call: str, state: State) -> Step:
    name = call.partition("(")[0]
    for action in evaluator.model.actions:
        if action.name != name:
            continue
        for arguments in evaluator.choices(action, state):
            if evaluator.call(action, arguments) != call:
                continue
            check = evaluator.first_failing(action, arguments, state)
            if check is not None:
                reason = f"it needs that {check.label} ({shown(check.source)})"
                raise StepRefusedError(f"step {number}, {call}, is not possible here: {reason}")
            try:
                return Step(action, arguments, evaluator.apply(action, arguments, state))
            except EvaluationError as problem:
                raise StepRefusedError(f"step {number}, {call}, fails: {problem}") from problem
    raise StepRefusedError(f"step {number}, '{call}', is no step of {evaluator.model.system} here")


def shown(source: Source) -> str:
    """A place in a specification, as `file.py:12`."""
    found = place(source)
    assert found is not None
    return f"{found.file}:{found.line}"
