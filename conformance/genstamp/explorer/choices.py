"""What can happen in a state, and what cannot with the check that refuses it, by actor."""

from __future__ import annotations

from typing import Any, Final

from genstamp.explorer.runs import shown
from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Arguments, Evaluator, State, Step
from genstamp_model.false_part import reads
from genstamp_model.language import ir
from genstamp_model.language.model import Action
from genstamp_model.language.trace import Check
from genstamp_model.language.types import show
from genstamp_model.traces import places

MOST_REFUSED: Final = 1000
"""How many impossible steps of a state are told; a system with many arguments has more."""


def choices(evaluator: Evaluator, state: State) -> dict[str, Any]:
    """Every possible step of a state, and every other choice of arguments with the first check that fails, as JSON."""
    possible: list[dict[str, Any]] = []
    refused: list[dict[str, Any]] = []
    more = 0
    for action in evaluator.model.actions:
        for arguments in evaluator.choices(action, state):
            check = evaluator.first_failing(action, arguments, state)
            if check is None:
                told = _possible(evaluator, action, arguments, state)
                (refused if "needs" in told else possible).append(told)
            elif len(refused) < MOST_REFUSED:
                refused.append(_refused(evaluator, action, arguments, state, check))
            else:
                more += 1
    return {"possible": possible, "refused": refused, "more_refused": more}


def told(evaluator: Evaluator, step: Step) -> dict[str, Any]:
    """A step as JSON: who takes it, and what it is."""
    lane, caller = places(step, evaluator.sizes)
    return {
        "call": evaluator.call(step.action, step.arguments),
        "action": step.action.name,
        "arguments": evaluator.call(step.action, step.arguments).removeprefix(step.action.name),
        "actor": caller or lane,
        "at": lane,
        "doc": _first_sentence(step.action.doc),
        "refuses": step.action.refuses or "",
        "source": shown(step.action.source),
    }


def _possible(evaluator: Evaluator, action: Action, arguments: Arguments, state: State) -> dict[str, Any]:
    try:
        after = evaluator.apply(action, arguments, state)
    except EvaluationError as problem:
        # It may be taken, and goes wrong: the system is at fault, and no run goes on from here.
        failing = told(evaluator, Step(action, arguments, state))
        return {**failing, "needs": f"the step fails: {problem}", "needs_at": failing["source"], "values": ()}
    return {**told(evaluator, Step(action, arguments, after)), "beyond": evaluator.beyond(after)}


def _refused(evaluator: Evaluator, action: Action, arguments: Arguments, state: State, check: Check) -> dict[str, Any]:
    bound = {parameter.name: value for parameter, value in zip(action.parameters, arguments, strict=True)}
    values: dict[str, str] = {}
    for read in reads(check.condition, frozenset(bound)):
        values[ir.text(read)] = show(evaluator.value(read, state, bound=bound), read.type, evaluator.sizes)
    return {
        **told(evaluator, Step(action, arguments, state)),
        # Not the exception of a step that refuses, but that of its check.
        "refuses": check.refuses or "",
        "needs": check.label,
        "needs_at": shown(check.source),
        "values": tuple(values.items()),
    }


def _first_sentence(doc: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(doc.strip().partition("\n\n")[0].split())
