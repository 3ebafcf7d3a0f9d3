"""Twins: implementations with one old bug put back, and what notices them.

The judges are general; none of them knows of a bug. In this order, as a run may show several: an error that no caller
is told of, a step that is none of the specification's, an invariant of the nodes, bytes that were promised, a file that
stays open, a job that had to be done. What needs more chances than a simulated run gives is left to the step-by-step
face: at random, to where it has not been, or walked by plan through all that small configurations have.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

import msgspec
from tests.conformance.patching import Patch, patched
from tests.conformance.twins.scenarios import Scenario

from genstamp.adapters import Done, Outcome, ReferenceAdapter
from genstamp.errors import AdapterError
from genstamp.events import Event
from genstamp.lockstep import Held, Holder
from genstamp.lockstep.hdfs import PROJECTIONS
from genstamp.stateful import conform, driving_of
from genstamp.transitions import Graph
from genstamp.walk import configurations_of, graph_of, walk
from genstamp_dfs.adapter import AnyDriver
from genstamp_dfs.events import Event as ReferenceEvent
from genstamp_dfs.simulation.run import Run
from genstamp_model.language import Configuration
from genstamp_spec.hdfs.systems.lease import LEASE
from genstamp_spec.hdfs.systems.pipeline import PIPELINE
from genstamp_spec.hdfs.systems.recovery import RECOVERY

STEPS_SEED = 7
STEPS_EXAMPLES = 600
WALKS: Final = (
    (PIPELINE, PIPELINE.configuration("pair")),
    (
        LEASE,
        next(one for one in configurations_of(LEASE, driving_of(LEASE.name)) if one.name == "one_block_restart"),
    ),
    (
        RECOVERY,
        Configuration(
            "one_mishap",
            sizes={"Client": 1, "File": 1, "Datanode": 2},
            limits={"stamps": 2, "bytes": 1, "crashes": 1},
            doc="one recovery with two replicas, and one node that fails once",
        ),
    ),
)
"""What is walked through, in this order. In the recovery there is somebody to do without, but no second one."""


class Judge(StrEnum):
    """What can notice a twin."""

    LOCKSTEP = "`hdfs.lease`, in lockstep"
    STEPS = "`hdfs.recovery`, step by step"
    WALK = "a walk"
    ERROR = "an error"
    INVARIANT = "an invariant"
    BYTES = "promised bytes"
    ACKNOWLEDGED = "acknowledged bytes"
    LIVENESS = "a file stays open"
    PROGRESS = "a job that was due"


@dataclass(frozen=True, eq=False)
class Twin:
    """An old bug.

    Attributes:
        jira: the issue that fixed it.
        wrong: what was missing or wrong.
        patches: what it is here.
        judge: what is expected to notice it.
        scenario: what happens meanwhile; None for the step-by-step face, which is led by the model.
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
        with patched(self.patches):
            yield


@dataclass(frozen=True)
class Noticed:
    """How a twin was noticed.

    Attributes:
        judge: what noticed it.
        sentence: what it said.
        plan: which plan of the scenario, or which walk, from 1.
        events: protocol events until then, in all plans or walks together.
        seconds: processor time until then.
    """

    judge: Judge
    sentence: str
    plan: int
    events: int
    seconds: float


def judge_steps(examples: int = STEPS_EXAMPLES) -> Noticed | None:
    """Hold the step-by-step face against the specification, led at random in so many runs."""
    began = time.process_time()
    report = conform(ReferenceAdapter(), RECOVERY, examples=examples, seed=STEPS_SEED, shrink_seconds=0)
    if report.failure is None:
        return None
    seconds = time.process_time() - began
    sentence = f"{report.failure.event}: {report.failure.problem}"
    return Noticed(Judge.STEPS, sentence, 1, report.figures.events, seconds)


class CountingAdapter(ReferenceAdapter):
    """Counts the events of all runs.

    Attributes:
        count: so many came.
    """

    count = 0

    def _answer(self, request: str, ask: Callable[[AnyDriver], list[ReferenceEvent]]) -> Outcome:
        outcome = super()._answer(request, ask)
        if isinstance(outcome, Done):
            self.count += len(outcome.events)
        return outcome


def judge_walk(some: int = len(WALKS)) -> Noticed | None:
    """Hold the step-by-step face against the specification, led by plan to all that small configurations have.

    Args:
        some: how many of the walks.
    """
    adapter, seconds = CountingAdapter(), 0.0
    for number, (system, configuration) in enumerate(WALKS[:some], 1):
        graph = _graph(number)
        began = time.process_time()
        try:
            failure = walk(adapter, system, configuration, shrink_seconds=0, graph=graph).failure
            judge, said = Judge.WALK, failure and f"{failure.event}: {failure.problem}"
        except AdapterError as died:
            judge, said = Judge.ERROR, f"{died.request}: {died.problem}"
        seconds += time.process_time() - began
        if said is not None:
            return Noticed(judge, f"{system.name}: {said}", number, adapter.count, seconds)
    return None


@cache
def _graph(number: int) -> Graph:
    """The graph of a walk; all twins go by the same."""
    return graph_of(*WALKS[number - 1])


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
    holder = Holder(LEASE.model("repaired"), lambda: PROJECTIONS[LEASE.name](run.options, run.plan.clients))
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
