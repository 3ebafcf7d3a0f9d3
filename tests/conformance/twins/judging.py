"""Twins: implementations with one old bug put back, and what notices them.

The judges are general; none of them knows of a bug. In this order, as a run may show several: an error that no caller
is told of, a step that is none of the specification's, an invariant of the nodes, bytes that were promised, a file that
stays open, a job that had to be done. What needs more chances than a simulated run gives is left to the step-by-step
face, which the model drives to where it has not been.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from unittest import mock

import msgspec
from tests.conformance.twins.scenarios import Scenario

from genstamp.adapters import ReferenceAdapter
from genstamp.events import Event
from genstamp.lockstep import LOCKSTEPS, Held, Holder
from genstamp.stateful import conform
from genstamp_dfs.simulation.run import Run
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.recovery import RECOVERY

STEPS_SEED = 7
STEPS_EXAMPLES = 600


class Judge(StrEnum):
    """What can notice a twin."""

    LOCKSTEP = "`hdfs.lease`, in lockstep"
    STEPS = "`hdfs.recovery`, step by step"
    ERROR = "an error"
    INVARIANT = "an invariant"
    BYTES = "promised bytes"
    ACKNOWLEDGED = "acknowledged bytes"
    LIVENESS = "a file stays open"
    PROGRESS = "a job that was due"


@dataclass(frozen=True)
class Patch:
    """One function of the implementation, and the broken one in its place."""

    owner: Any
    name: str
    broken: Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Twin:
    """An old bug.

    Attributes:
        jira: the issue that fixed it.
        wrong: what was missing or wrong.
        patches: what it is here.
        judge: what is expected to notice it.
        scenario: what happens meanwhile; None for the step-by-step face, which chooses itself.
        says: a part of what the judge says.
    """

    jira: str
    wrong: str
    patches: tuple[Patch, ...]
    judge: Judge
    scenario: Scenario | None
    says: str

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The implementation is the twin for a while."""
        with ExitStack() as patches:
            for patch in self.patches:
                patches.enter_context(mock.patch.object(patch.owner, patch.name, patch.broken))
            yield


@dataclass(frozen=True)
class Noticed:
    """How a twin was noticed.

    Attributes:
        judge: what noticed it.
        sentence: what it said.
        plan: which plan of the scenario, from 1.
        events: protocol events until then, in all plans together.
        seconds: processor time until then.
    """

    judge: Judge
    sentence: str
    plan: int
    events: int
    seconds: float


def judge_steps() -> Noticed | None:
    """Hold the step-by-step face against the specification."""
    began = time.process_time()
    report = conform(ReferenceAdapter(), RECOVERY, examples=STEPS_EXAMPLES, seed=STEPS_SEED, shrink_seconds=0)
    if report.failure is None:
        return None
    failure = report.failure
    sentence = f"{failure.event}: {failure.problem}"
    return Noticed(Judge.STEPS, sentence, 1, report.figures.events, time.process_time() - began)


def judge(scenario: Scenario, *, to_the_byte: bool = False, in_lockstep: bool = True) -> Noticed | None:
    """Run the plans of a scenario until something is noticed.

    Args:
        scenario: the plans.
        to_the_byte: whether every acknowledged byte has to be there, promised or not.
        in_lockstep: whether the runs are held against `hdfs.lease`, too.
    """
    began, events = time.process_time(), 0
    for number, plan in enumerate(scenario.plans, 1):
        run = Run(plan, scenario.options, look_every=1)
        found, sentence, count = _judge_run(run, scenario.due, to_the_byte=to_the_byte)
        if in_lockstep and found is not Judge.ERROR:
            rejected = _rejection(run)
            found, sentence = (found, sentence) if rejected is None else (Judge.LOCKSTEP, rejected)
        events += count
        if found is not None:
            return Noticed(found, sentence, number, events, time.process_time() - began)
    return None


def _rejection(run: Run) -> str | None:
    """Why `hdfs.lease` rejects the events of a run, if it does."""
    held = Held()
    holder = Holder(LEASE.model("repaired"), run.options, run.plan.clients, LOCKSTEPS[LEASE.name])
    events = [msgspec.convert(event, Event, from_attributes=True) for event in run.cluster.log.events]
    holder.hold(run.plan.seed, events, held)
    return held.rejections[0].rejected.lines()[0] if held.rejections else None


def _judge_run(run: Run, due: frozenset[str], *, to_the_byte: bool) -> tuple[Judge | None, str, int]:
    try:
        result = run.run(keep_events=False)
    except Exception as problem:
        # Whatever a node dies of that is no refusal: the simulation lets it through.
        return Judge.ERROR, f"{type(problem).__name__}: {problem}", len(run.cluster.log.events)
    events = result.totals["events"]
    missing = due - set(result.outcomes)
    if result.broken_invariant is not None:
        return Judge.INVARIANT, result.broken_invariant, events
    if not result.is_safe:
        return Judge.BYTES, result.problems[0], events
    if result.lost and to_the_byte:
        return Judge.ACKNOWLEDGED, result.lost[0].why, events
    if result.unclosed:
        return Judge.LIVENESS, result.problems[0], events
    if missing:
        return Judge.PROGRESS, f"not {', '.join(sorted(missing))}: {dict(result.outcomes)}", events
    return None, "", events
