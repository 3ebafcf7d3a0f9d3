"""Everything that a page shows of a run, as JSON: of each state its cards, properties and choices, and the picture."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from genstamp.explorer.cards import cards
from genstamp.explorer.choices import choices, told
from genstamp.explorer.explored import Setup
from genstamp.explorer.runs import Run, named, shown
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.false_part import false_part
from genstamp_model.path import Path, beginning
from genstamp_model.refinement import story
from genstamp_model.traces import chart, swim_lanes


def told_run(evaluator: Evaluator, setup: Setup, run: Run, since: int = 0) -> dict[str, Any]:
    """A run as JSON.

    Args:
        since: the number of the first state that is told; a page knows those before it.
    """
    initial, calls = named(evaluator, run.path)
    return {
        "setup": {"configuration": setup.configuration, "semantics": setup.semantics, "bugs": list(setup.bugs)},
        "initial": initial,
        "initials": len(evaluator.initials),
        "steps": calls,
        "shows": run.shows,
        "loop": run.loop,
        "since": since,
        "moments": [_moment(evaluator, run.path, number) for number in range(since, len(run.path) + 1)],
        "witnesses": [
            {"name": claim.name, "doc": claim.doc} for claim in evaluator.model.properties if claim.kind == "witness"
        ],
        # The page has the title elsewhere.
        "lanes": swim_lanes(replace(chart(run.path, loop=run.loop), title="")),
    }


def key(state: State) -> str:
    """A name for a state: equal states have the same, also in another run."""
    return hashlib.sha256(repr(_sorted(state)).encode()).hexdigest()[:16]


def _sorted(value: Any) -> Any:
    """A value in which sets are in order, so that equal values have one text."""
    if isinstance(value, frozenset):
        return ("set", *sorted(value))
    return tuple(map(_sorted, value)) if isinstance(value, tuple) else value


def _moment(evaluator: Evaluator, path: Path, number: int) -> dict[str, Any]:
    """One state of a run, and the step that led to it."""
    state, before = path.states[number], path.states[number - 1] if number else None
    found = choices(evaluator, state)
    return {
        "key": key(state),
        "step": told(evaluator, path.steps[number - 1]) if number else None,
        "begins": [] if number else list(beginning(evaluator.instance, state)),
        "cards": cards(evaluator, state, before),
        "violated": list(_violated(evaluator, path, number)),
        "witnesses": [
            {"name": claim.name, "doc": claim.doc}
            for claim in evaluator.model.properties
            if claim.kind == "witness" and evaluator.holds(claim, state)
        ],
        "beyond": evaluator.beyond(state),
        **found,
        "stuck": "" if found["possible"] else _why_nothing(evaluator, state),
    }


def _violated(evaluator: Evaluator, path: Path, number: int) -> Iterator[dict[str, Any]]:
    """The properties that a state violates, or the step to it, each with the part of it that is false."""
    for claim in evaluator.model.properties:
        if claim.kind == "invariant":
            part = false_part(evaluator, claim, path.states[number])
        elif claim.kind == "transition" and number:
            part = false_part(evaluator, claim, path.states[number - 1], path.states[number])
        else:
            continue
        if part is None:
            continue
        yield {
            "name": claim.name,
            "kind": claim.kind,
            "doc": claim.doc,
            "source": shown(claim.source),
            **asdict(part),
            "story": story(Path(path.instance, path.initial, path.steps[:number]), claim.name) if number else (),
        }


def _why_nothing(evaluator: Evaluator, state: State) -> str:
    """What is to be said of a state in which no step is possible."""
    model = evaluator.model
    if model.may_stop_anywhere or (model.may_stop is not None and evaluator.value(model.may_stop, state)):
        return "nothing more can happen: the system may stop here"
    if model.may_stop is None:
        return "nothing more can happen; the system does not say where it may stop"
    return "deadlock: nothing more can happen, and the system may not stop here"
