"""Answers the questions of a page: each a function from what is asked to JSON."""

from __future__ import annotations

import threading
from typing import Any, Final

from genstamp.explorer import finding
from genstamp.explorer.asked import MOST_STEPS, Asked, Reach, TraceText, Walk
from genstamp.explorer.errors import ExplorerError
from genstamp.explorer.explored import Explored, Setup
from genstamp.explorer.graph import graph
from genstamp.explorer.moments import told_run
from genstamp.explorer.runs import Run, walked

_searching: Final = threading.Lock()
"""One search at a time: each takes the memory and the processors that it finds free."""


def walk(explored: Explored, asked: Walk) -> dict[str, Any]:
    """The states of a run."""
    setup = _setup(explored, asked)
    evaluator = explored.evaluator(setup)
    path = walked(evaluator, asked.initial, asked.steps)
    return told_run(evaluator, setup, Run(path), min(asked.since, len(path)))


def reach(explored: Explored, asked: Reach) -> dict[str, Any]:
    """A shortest run to what is asked for."""
    setup = _setup(explored, asked)
    instance = explored.evaluator(setup).instance
    with _searching:
        if asked.witness:
            run = finding.to_witness(instance, asked.witness)
        elif asked.scenario:
            run = finding.to_scenario(instance, asked.scenario)
        else:
            run = finding.counterexample(instance)
    return told(explored, setup, run)


def trace(explored: Explored, asked: TraceText) -> dict[str, Any]:
    """The run of a trace."""
    return told(explored, *finding.of_trace(explored, asked.text.encode(), _setup(explored, asked)))


def file(explored: Explored, asked: Walk) -> dict[str, Any]:
    """A run in the Informal Trace Format."""
    setup = _setup(explored, asked)
    return walked(explored.evaluator(setup), asked.initial, asked.steps).to_itf()


def whole(explored: Explored, asked: Asked) -> dict[str, Any]:
    """The state graph."""
    return graph(explored.evaluator(_setup(explored, asked)))


def told(explored: Explored, setup: Setup, run: Run) -> dict[str, Any]:
    """A run that was found.

    Raises:
        ExplorerError: it is longer than a page walks.
    """
    if len(run.path) > MOST_STEPS:
        raise ExplorerError(f"the run has {len(run.path)} steps; at most {MOST_STEPS} are shown")
    return told_run(explored.evaluator(setup), setup, run)


def _setup(explored: Explored, asked: Asked) -> Setup:
    return explored.setup(asked.configuration, asked.semantics or None, asked.bugs)
