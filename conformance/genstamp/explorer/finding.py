"""Shortest runs that a page asks for: to a violation, to a witness, through the steps of a scenario; and traces."""

from __future__ import annotations

from typing import Final

from genstamp import leads_to
from genstamp.explorer.errors import ExplorerError, NotFoundError, UndeterminedError
from genstamp.explorer.explored import Explored, Setup
from genstamp.explorer.runs import Run
from genstamp_model import scenario
from genstamp_model.errors import TraceError
from genstamp_model.explore import Result, Verdict, explore
from genstamp_model.language import Instance
from genstamp_model.path import Path
from genstamp_model.reaching import never_shown
from genstamp_model.traces import read, replay

MAX_SECONDS: Final = 60.0
"""A reader does not wait longer for a run; `genstamp check` has the time it needs."""
MOST_STATES: Final = 5_000_000
"""Of a search for a lasso, likewise."""


def counterexample(instance: Instance) -> Run:
    """A shortest run that violates a property, or a lasso of a leads-to property.

    Raises:
        NotFoundError: all holds within the limits.
        UndeterminedError: a search was given up.
    """
    result = explore(instance, max_seconds=MAX_SECONDS)
    violation = result.violation
    if violation is not None:
        message = f": {violation.message}" if violation.message else ""
        return Run(violation.path, f"{violation.name or violation.kind} is violated{message}")
    judged = leads_to.judged(result, MOST_STATES)
    for one in judged:
        if one.lasso is not None:
            return Run(leads_to.whole(one.lasso), f"{one.claim.name} is violated", len(one.lasso.prefix))
    for one in judged:
        if one.verdict is Verdict.UNDETERMINED:
            raise UndeterminedError(f"{one.claim.name} is undetermined: {one.reason}")
    raise _not_found("nothing is violated", result)


def to_witness(instance: Instance, name: str) -> Run:
    """A shortest run to a state that shows a witness, or in which another property could have failed.

    Raises:
        ConfigurationError: there is no such property.
        NotFoundError: no state shows it.
        UndeterminedError: the search was given up.
    """
    result = explore(never_shown(instance, name), max_seconds=MAX_SECONDS)
    path = _shown(result, f"{name} is never reached")
    return Run(Path(instance, path.initial, path.steps), f"{name} is reached")


def to_scenario(instance: Instance, text: str) -> Run:
    """A shortest run that takes the steps of a scenario in order.

    Raises:
        ConfigurationError: the text is no scenario, or names a step that the system does not have.
        NotFoundError: no run does.
        UndeterminedError: the search was given up.
    """
    result = explore(scenario.never(instance, scenario.read(text)), max_seconds=MAX_SECONDS)
    path = _shown(result, "no run shows this scenario")
    return Run(scenario.without_progress(path, instance), f"scenario {text}")


def of_trace(explored: Explored, text: bytes, setup: Setup | None = None) -> tuple[Setup, Run]:
    """The run that a trace in the Informal Trace Format shows, up to a state that the specification rejects.

    Args:
        explored: the system; a trace that names another one is refused.
        text: the trace.
        setup: for a trace that does not name its own.

    Raises:
        TraceError: the text is no trace, or a trace of another system.
    """
    trace = read(text)
    system = trace.meta.get("system", explored.system.name)
    if system != explored.system.name:
        raise TraceError(f"the trace is of {system}; this explorer shows {explored.system.name}")
    if setup is None or "configuration" in trace.meta:
        # What was searched with other limits is marked with a star.
        configuration = trace.meta.get("configuration", "").partition("*")[0]
        bugs = tuple(filter(None, trace.meta.get("bugs", "").split(",")))
        setup = explored.setup(configuration, trace.meta.get("semantics"), bugs)
    followed = replay(explored.evaluator(setup).instance, trace)
    shows = f"{trace.meta['violated']} is violated" if "violated" in trace.meta else ""
    if "shows" in trace.meta:
        shows = f"{trace.meta['shows']} is reached"
    if followed.rejection is not None:
        rejected = followed.rejection
        reasons = "; ".join(rejected.reasons)
        if not rejected.number:
            raise ExplorerError(f"the trace begins in no initial state: {reasons}")
        shows = f"the trace is rejected at state {rejected.number}: {reasons}"
    return setup, Run(followed.path, shows, None if followed.rejection else followed.loop)


def _shown(result: Result, never: str) -> Path:
    violation = result.violation
    if violation is None:
        raise _not_found(never, result)
    if violation.kind not in ("invariant", "transition"):
        raise NotFoundError(f"a step fails before it is reached: {violation.message or violation.name}")
    return violation.path


def _not_found(never: str, result: Result) -> NotFoundError:
    configuration = result.instance.configuration
    if result.unsettled:
        return UndeterminedError(f"undetermined: {result.unsettled}")
    limits = ", ".join(f"{name} {bound}" for name, bound in sorted(configuration.limits.items()))
    return NotFoundError(f"{never} in {configuration.name}{f' within these limits: {limits}' if limits else ''}")
