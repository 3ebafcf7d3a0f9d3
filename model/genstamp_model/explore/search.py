"""Every reachable state of an instance within its limits: the public face of the compiled search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

import numpy as np

from genstamp_model.errors import EvaluationError
from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.expand import from_cells, initial_cells
from genstamp_model.explore import driver, memory
from genstamp_model.explore.emit import LIMITS, Program, program
from genstamp_model.explore.native import Native, compile_program
from genstamp_model.language.model import Instance
from genstamp_model.path import Path, follow

# How long the driver runs before it comes back for progress, limits and interrupts.
_SECONDS_A_TURN = 0.1
_FIRST_QUOTA = 1 << 14


class Verdict(Enum):
    """What is known of a claim."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True)
class Progress:
    """How far a search has come: states found, those still to be expanded, steps made, levels begun, seconds."""

    states: int
    waiting: int
    generated: int
    levels: int
    seconds: float


@dataclass(frozen=True)
class Violation:
    """What broke, and a shortest path to where it did.

    Attributes:
        kind: "invariant", "transition", "deadlock", or "error" (a step went wrong while it was computed).
        name: the property; the action for an error; empty for a deadlock.
        message: what went wrong, in words, for a deadlock or an error.
        path: for a transition property its last step breaks it, for an error the step that goes wrong is left out.
    """

    kind: str
    name: str
    message: str
    path: Path


@dataclass(frozen=True)
class Refusal:
    """A check that refuses with an exception: has a reachable state refused there?"""

    action: str
    label: str
    refuses: str
    defensive: bool
    seen: bool


@dataclass(frozen=True)
class Result:
    """What a search found.

    `verdict` is about invariants, transition properties, deadlock and range errors; witnesses, refusals and what is
    not judged stand beside it. It holds within the limits that cut steps off, which `cuts` counts.

    Attributes:
        undetermined: why the search ended early, in words; empty where it did not.
        states: distinct states.
        generated: the initial state and every step taken.
        levels: of the breadth-first search, the initial state's included.
        words, bytes_a_state: int64 words a state, and all memory in use over all states.
        seconds: of the search alone; `compile_seconds` is for expansion and machine code.
        cuts: steps cut off, by limit; a step beyond two limits counts for both.
        taken: steps taken, by action.
        witnesses: length of a shortest path to each witness; None where no state shows it.
        not_judged: leads-to properties and refinements, which this search cannot judge.
    """

    instance: Instance
    verdict: Verdict
    undetermined: str
    violation: Violation | None
    states: int
    generated: int
    levels: int
    words: int
    bytes_a_state: float
    seconds: float
    compile_seconds: float
    cuts: Mapping[str, int]
    taken: Mapping[str, int]
    refusals: tuple[Refusal, ...]
    witnesses: Mapping[str, int | None]
    not_judged: tuple[str, ...]

    @property
    def depth(self) -> int:
        """Most steps on a shortest path to a state."""
        return self.levels - 1

    @property
    def states_a_second(self) -> float:
        """Distinct states a second."""
        return self.states / self.seconds if self.seconds else 0.0


class Compiled:
    """An instance compiled for search: for those who search it more than once, or want its witnesses' paths."""

    def __init__(self, instance: Instance) -> None:
        started = time.perf_counter()
        self.instance = instance
        self.program: Program = program(instance)
        self.native: Native = compile_program(self.program)
        self.seconds = time.perf_counter() - started


def explore(
    instance: Instance,
    *,
    max_states: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    check_deadlock: bool = True,
) -> Result:
    """Search every state that an instance can reach within its limits, breadth first, up to the first violation.

    Args:
        instance: what to search.
        max_states: give up with more distinct states than this; by default with as many as memory holds.
        max_seconds: give up after this many seconds of search.
        progress: called about ten times a second.
        check_deadlock: whether a state without any step is a violation where the system says that it may not stop; a
            step that a limit cuts off counts as a step.

    Returns:
        The result; interrupted from the keyboard, it is undetermined with the counts so far.

    Raises:
        ConfigurationError: the instance computes numbers that do not fit a machine word.
    """
    return Search(Compiled(instance), max_states, check_deadlock).run(max_seconds, progress)


class Search:
    """One search, from its first state on."""

    def __init__(self, compiled: Compiled, max_states: int | None = None, check_deadlock: bool = True) -> None:
        self.instance = compiled.instance
        self._compiled = compiled
        self._program = compiled.program
        self._words = compiled.program.layout.words
        room = driver.BATCH + len(compiled.program.steps)
        self._memory = memory.allocate(self._words, max_states, room)
        self._batch = np.empty((room, self._words), np.int64)
        self._batch_parents = np.empty(room, np.uint32)
        self._counters = np.zeros(self._program.counters, np.int64)
        self._seen = np.zeros(max(1, len(self._program.targets)), np.int64)
        self._control = np.zeros(driver.SLOTS, np.int64)
        native, may_stop = compiled.native, compiled.instance.model.may_stop
        stopping = native.may_stop if check_deadlock and may_stop is not None else 0
        self._functions = np.array([native.expand, native.judge, stopping, native.cover], np.int64)
        self._max_states = max_states
        self._seconds = 0.0
        self._begin()

    def _begin(self) -> None:
        self._memory.store[0] = self._program.layout.pack(initial_cells(self.instance))
        self._memory.parents[0] = 0
        self._control[driver.STATES] = self._control[driver.GENERATED] = 1
        self._control[driver.COVERING] = len(self._program.targets) > 0
        self._control[driver.TABLE_BITS] = memory.FIRST_TABLE_BITS
        driver.enter_first(self._memory.table, self._memory.store, memory.FIRST_TABLE_BITS)
        # A turn without work, so that the driver is compiled before the clock runs.
        self._outcome = self._turn(0)

    def run(self, max_seconds: float | None = None, progress: Callable[[Progress], None] | None = None) -> Result:
        """Search on until there is a verdict; see `explore`."""
        started = time.perf_counter()
        quota, before, why = _FIRST_QUOTA, self._seconds, ""
        try:
            while self._outcome == driver.PAUSED:
                began = time.perf_counter()
                self._outcome = self._turn(quota)
                now = time.perf_counter()
                self._seconds = before + now - started
                if self._outcome == driver.PAUSED:
                    quota = max(1, int(quota * min(8.0, _SECONDS_A_TURN / (now - began))))
                    if progress is not None:
                        progress(self._progress())
                    if max_seconds is not None and now - started >= max_seconds:
                        why = f"{max_seconds:g} seconds were not enough"
                        break
        except KeyboardInterrupt:
            why = "interrupted"
        if self._outcome == driver.FULL:
            most = self._max_states
            why = f"there are more than {most} states" if most is not None else "the memory is used up"
        return self._result(why)

    def _turn(self, quota: int) -> int:
        outcome: int = driver.advance(
            self._control,
            self._memory.store,
            self._memory.parents,
            self._memory.table,
            self._batch,
            self._batch_parents,
            self._counters,
            self._seen,
            self._functions,
            quota,
        )
        return outcome

    def _at(self, slot: int) -> int:
        return int(self._control[slot])

    def _progress(self) -> Progress:
        states = self._at(driver.STATES)
        return Progress(
            states=states,
            waiting=states - self._at(driver.HEAD),
            generated=self._at(driver.GENERATED),
            levels=self._at(driver.LEVEL),
            seconds=self._seconds,
        )

    def _result(self, why: str) -> Result:
        program, states = self._program, self._at(driver.STATES)
        violation = self._violation()
        verdict = Verdict.VIOLATED if violation else Verdict.UNDETERMINED if why else Verdict.HOLDS
        limits = len(program.limits)
        taken: dict[str, int] = {action.name: 0 for action in self.instance.model.actions}
        for (action, _), steps in zip(program.steps, self._counters[LIMITS + limits :], strict=True):
            taken[action.name] += int(steps)
        memory_used = memory.bytes_taken(self._words, states, self._at(driver.TABLE_BITS))
        return Result(
            instance=self.instance,
            verdict=verdict,
            undetermined=why,
            violation=violation,
            states=states,
            generated=self._at(driver.GENERATED),
            levels=self._at(driver.LEVEL),
            words=self._words,
            bytes_a_state=memory_used / states,
            seconds=self._seconds,
            compile_seconds=self._compiled.seconds,
            cuts={name: int(steps) for name, steps in zip(program.limits, self._counters[LIMITS:], strict=False)},
            taken=taken,
            refusals=self._refusals(),
            witnesses=self._witnesses(),
            not_judged=self._not_judged(),
        )

    def _refusals(self) -> tuple[Refusal, ...]:
        return tuple(
            Refusal(
                target.action.name, target.check.label, str(target.check.refuses), target.check.defensive, bool(place)
            )
            for target, place in zip(self._program.targets, self._seen, strict=False)
            if target.action is not None and target.check is not None
        )

    def _witnesses(self) -> dict[str, int | None]:
        return {
            target.witness.name: len(self._places(int(place) - 1)) - 1 if place else None
            for target, place in zip(self._program.targets, self._seen, strict=False)
            if target.witness is not None
        }

    def _not_judged(self) -> tuple[str, ...]:
        model = self.instance.model
        claims = [claim.name for claim in model.properties if claim.kind == "leads_to"]
        return (*claims, *(f"refines {refinement.upper.system}" for refinement in model.refinements))

    def witness(self, name: str) -> Path | None:
        """A shortest path to a state that shows a witness; None where none has been found."""
        for target, place in zip(self._program.targets, self._seen, strict=False):
            if target.witness is not None and target.witness.name == name and place:
                return self._path(int(place) - 1)
        return None

    def _places(self, place: int) -> list[int]:
        """Places of the states on a shortest path to one, the initial one first."""
        found = [place]
        while found[-1]:
            found.append(int(self._memory.parents[found[-1]]))
        return found[::-1]

    def _state(self, place: int) -> State:
        return from_cells(self.instance, self._program.layout.unpack(self._memory.store[place].tolist()))

    def _path(self, place: int) -> Path:
        return follow(self.instance, [self._state(p) for p in self._places(place)])

    def _violation(self) -> Violation | None:
        if self._outcome not in (driver.INVARIANT, driver.ALARM, driver.DEADLOCK):
            return None
        path = self._path(self._at(driver.AT))
        evaluator = Evaluator(self.instance)
        match self._outcome:
            case driver.INVARIANT:
                return _broken_invariant(evaluator, path)
            case driver.ALARM:
                return _bad_step(evaluator, path)
            case _:
                assert next(evaluator.steps(path.states[-1]), None) is None, "evaluate finds a step from the deadlock"
                return Violation("deadlock", "", "no step is possible, and the system may not stop here", path)


def _broken_invariant(evaluator: Evaluator, path: Path) -> Violation:
    claims = [claim for claim in evaluator.model.properties if claim.kind == "invariant"]
    name = next((claim.name for claim in claims if not evaluator.holds(claim, path.states[-1])), None)
    assert name is not None, f"evaluate finds that every invariant holds in {path.states[-1]}"
    return Violation("invariant", name, "", path)


def _bad_step(evaluator: Evaluator, path: Path) -> Violation:
    """The first step from the path's end that goes wrong or breaks a transition property."""
    before = path.states[-1]
    claims = [claim for claim in evaluator.model.properties if claim.kind == "transition"]
    for action in evaluator.model.actions:
        for arguments in evaluator.choices(action, before):
            if evaluator.first_failing(action, arguments, before) is not None:
                continue
            try:
                after = evaluator.apply(action, arguments, before)
            except EvaluationError as error:
                return Violation("error", action.name, f"{evaluator.call(action, arguments)}: {error}", path)
            if evaluator.beyond(after):
                continue
            for claim in claims:
                if not evaluator.holds(claim, before, after):
                    longer = Path(path.instance, path.initial, (*path.steps, Step(action, arguments, after)))
                    return Violation("transition", claim.name, "", longer)
    raise AssertionError(f"evaluate finds nothing wrong with the steps from {before}")
