"""Random walks: where a system is too large to be searched, and beyond the limits of its configuration.

A walk takes one step after the other by the compiled functions of the search, in a configuration whose limits are some
times as large; its path is followed by `evaluate` before it is shown. An action is drawn by weight among those that are
possible, then one of its steps; steps that change nothing are not taken. A violation that a walk finds is real; a walk
without a violation says nothing about the states that it did not visit. Not here: leads-to properties, and does not
shorten what it finds: `explore` gives the shortest counterexample where it reaches that far.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.expand import from_cells, to_cells
from genstamp_model.explore import Compiled, Violation
from genstamp_model.explore.emit import ALARM, CUT
from genstamp_model.explore.native import COVER, EXPAND, ON_STATE
from genstamp_model.explore.violation import bad_step, broken_invariant, deadlock
from genstamp_model.language.model import Instance
from genstamp_model.path import Path, follow

STRETCH: Final = 3
"""The default factor by which limits are raised."""


@dataclass(frozen=True)
class Simulation:
    """The result of some walks.

    Attributes:
        instance: with the limits that the walks had.
        seed: replays all of it.
        runs: walks begun.
        steps: taken in all of them.
        stopped: walks that ended where no step was possible or would change anything, and none had to be.
        cut: walks that ended where steps beyond a limit were left, and no others.
        taken: steps by action.
        witnesses: steps after which each was first seen; None where it was not.
        violation: the first thing that broke; its path need not be a shortest one.
        seconds: of walking.
        looked: whether some step was possible, though it may change nothing, of an action that has a weight.
        interrupted: whether the keyboard has ended the walks.
    """

    instance: Instance
    seed: int
    runs: int
    steps: int
    stopped: int
    cut: int
    taken: Mapping[str, int]
    witnesses: Mapping[str, int | None]
    violation: Violation | None
    seconds: float
    looked: bool
    interrupted: bool = False


def simulate(
    instance: Instance,
    *,
    seed: int,
    runs: int = 100,
    steps: int = 200,
    weights: Mapping[str, float] | None = None,
    stretch: int = STRETCH,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Walk at random until something breaks.

    Args:
        instance: what to walk in.
        seed: of all choices; the same seed gives the same walks.
        runs: how many walks, each from an initial state.
        steps: most steps of one walk.
        weights: of actions by name, against 1 for those that are not named; 0 leaves an action out.
        stretch: by how much the configuration's limits are multiplied.
        max_seconds: begin no further walk after so long.
        progress: called after each walk with the walks and the steps so far.

    Returns:
        The result; the walks end with the first violation.

    Raises:
        ConfigurationError: a weight is negative or names an action that the system does not have, or the limits
            become too large.
    """
    if stretch < 1:
        raise ConfigurationError(f"the limits are multiplied by {stretch}; expected 1 or more")
    limits = {name: bound * stretch for name, bound in instance.limits.items()}
    name = instance.configuration.name if stretch == 1 else f"{instance.configuration.name}*{stretch}"
    larger = Instance(instance.model, replace(instance.configuration, limits=limits, name=name))
    walker = _Walker(larger, seed, _checked(larger, weights or {}))
    started = time.perf_counter()
    interrupted = False
    try:
        while walker.violation is None and walker.runs < runs:
            if max_seconds is not None and time.perf_counter() - started >= max_seconds:
                break
            walker.walk(steps)
            if progress is not None:
                progress(walker.runs, walker.steps)
    except KeyboardInterrupt:
        interrupted = True
    return replace(walker.simulation(time.perf_counter() - started), interrupted=interrupted)


class _Walker:
    """Walks, one after the other, and counts what they meet."""

    def __init__(self, instance: Instance, seed: int, weights: Sequence[float]) -> None:
        self.instance = instance
        self.runs = self.steps = self.stopped = self.cut = 0
        self.violation: Violation | None = None
        self.looked = False
        self._seed = seed
        self._draw = random.Random(seed)
        self._compiled = compiled = Compiled(instance)
        self._program = program = compiled.program
        positions = {action.name: i for i, action in enumerate(instance.model.actions)}
        self._action_of = [positions[action.name] for action, _ in program.steps]
        self._weights = weights
        self._taken = [0] * len(positions)
        self._expand = EXPAND(compiled.native.expand)
        self._judge = ON_STATE(compiled.native.judge)
        self._may_stop = ON_STATE(compiled.native.may_stop)
        self._cover = COVER(compiled.native.cover)
        words = program.layout.words
        self._initials = Evaluator(instance).initials
        self._out = np.zeros((len(program.steps) + 1, words), np.int64)
        self._counters = np.zeros(program.counters, np.int64)
        self._seen = np.zeros(max(1, len(program.targets)), np.int64)

    def walk(self, most: int) -> None:
        """One walk, of this many steps at most."""
        self.runs += 1
        way = [self._first()]
        while self.violation is None and not self._judged(way) and len(way) <= most:
            after = self._next(way)
            if after is None:
                return
            way.append(after)
            self.steps += 1

    def _first(self) -> Any:
        """Where a walk begins; nothing is drawn where there is one initial state."""
        state = self._initials[0] if len(self._initials) == 1 else self._draw.choice(self._initials)
        return np.array(self._program.layout.pack(to_cells(self.instance, state)), np.int64)

    def _judged(self, way: list[Any]) -> bool:
        """Look at the state that the way has come to; whether it breaks an invariant."""
        here = way[-1].ctypes.data
        self._cover(here, len(way), self._seen.ctypes.data)
        if self._judge(here):
            self.violation = broken_invariant(Evaluator(self.instance), self._path(way))
        return self.violation is not None

    def _next(self, way: list[Any]) -> Any:
        """A successor, drawn by weight; None where the walk ends."""
        self._counters[:] = 0
        made = self._expand(way[-1].ctypes.data, self._out.ctypes.data, self._counters.ctypes.data)
        if self._counters[ALARM]:
            self.violation = bad_step(Evaluator(self.instance), self._path(way))
            return None
        numbers = np.flatnonzero(self._counters[self._program.first_step : self._program.first_refined]).tolist()
        assert len(numbers) == made, (numbers, made)
        self.looked = self.looked or any(self._weights[self._action_of[number]] for number in numbers)
        ways: dict[int, list[int]] = {}
        changing = (self._out[:made] != way[-1]).any(axis=1).tolist()
        for row, number in enumerate(numbers):
            if changing[row] and self._weights[self._action_of[number]]:
                ways.setdefault(self._action_of[number], []).append(row)
        if not ways:
            self._ended(way, made == 0)
            return None
        [action] = self._draw.choices(list(ways), [self._weights[action] for action in ways])
        self._taken[action] += 1
        return self._out[self._draw.choice(ways[action])].copy()

    def _ended(self, way: list[Any], nothing_left: bool) -> None:
        if self._counters[CUT]:
            self.cut += 1
        elif not nothing_left or self._may_stop(way[-1].ctypes.data):
            self.stopped += 1
        else:
            self.violation = deadlock(Evaluator(self.instance), self._path(way))

    def _path(self, way: list[Any]) -> Path:
        unpack = self._program.layout.unpack
        return follow(self.instance, [from_cells(self.instance, unpack(words.tolist())) for words in way])

    def simulation(self, seconds: float) -> Simulation:
        """All that was met so far."""
        actions = self.instance.model.actions
        targets = zip(self._program.targets, self._seen.tolist(), strict=False)
        return Simulation(
            instance=self.instance,
            seed=self._seed,
            runs=self.runs,
            steps=self.steps,
            stopped=self.stopped,
            cut=self.cut,
            taken={action.name: times for action, times in zip(actions, self._taken, strict=True)},
            witnesses={t.witness.name: place - 1 if place else None for t, place in targets if t.witness is not None},
            violation=self.violation,
            seconds=seconds,
            looked=self.looked,
        )


def _checked(instance: Instance, weights: Mapping[str, float]) -> list[float]:
    """The weight of each action, in the order of the model."""
    names = [action.name for action in instance.model.actions]
    for name, weight in weights.items():
        if name not in names:
            raise ConfigurationError(
                f"a weight names the action '{name}', which {instance.model.system} does not have; "
                f"it has {', '.join(names)}"
            )
        if not 0 <= weight < float("inf"):
            raise ConfigurationError(f"the weight of {name} is {weight}; expected 0 or more")
    return [weights.get(name, 1.0) for name in names]
