"""A check of the check of symmetry: states on random walks behave like themselves renamed.

`symmetry_static` decides from the text whether a model treats the members of symmetric sets alike. What it accepts is
tried here, in the functions that the search runs: the same actions must lead to states with the same representatives,
and all properties, limits and coverage must agree. It is a sample, and not what soundness rests on: it would show a
mistake in the decision, in the compiled functions or in how representatives are found.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.expand import from_cells, to_cells
from genstamp_model.explore.emit import ALARM, LIMITS, Program
from genstamp_model.explore.native import COVER, EXPAND, ON_STATE, Native
from genstamp_model.explore.symmetry import Renaming, renamed
from genstamp_model.explore.symmetry_plan import Plan

_SAMPLE = 40
_STEPS_A_WALK = 40

Row = tuple[int, ...]


def refuse_differences(program: Program, native: Native) -> None:
    """Refuse a model whose states on random walks do not behave like themselves renamed.

    Args:
        program, native: of a search by symmetry.

    Raises:
        ConfigurationError: one does not; names the action or property.
    """
    assert program.symmetry is not None
    _Sample(program, native, program.symmetry).compare(_SAMPLE)


@dataclass(frozen=True)
class _Behaviour:
    """The results of the compiled functions for one row; representatives of successors with the name of the action."""

    successors: tuple[tuple[str, Row], ...]
    alarms: int
    cuts: tuple[int, ...]
    failing: int
    may_stop: bool
    shown: tuple[bool, ...]


class _Sample:
    """States on random walks, and themselves renamed."""

    def __init__(self, program: Program, native: Native, plan: Plan) -> None:
        self._program = program
        self._native = native
        self._groups = (*plan.sorted, *plan.tried)
        self._instance = program.instance
        self._draw = random.Random(0)
        self._initials = Evaluator(self._instance).initials

    def compare(self, states: int) -> None:
        """Look at this many states."""
        if not self._groups:
            return
        row, steps = self._first(), 0
        for _ in range(states):
            behaviour = self._behaviour(row)
            self._compare(row, behaviour)
            steps += 1
            if not behaviour.successors or steps == _STEPS_A_WALK:
                row, steps = self._first(), 0
            else:
                row = self._draw.choice(behaviour.successors)[1]

    def _compare(self, row: Row, here: _Behaviour) -> None:
        renaming: Renaming = {group.name: tuple(self._shuffled(group.size)) for group in self._groups}
        state = self._state(row)
        renamed_state = renamed(self._instance, state, renaming)
        there = self._behaviour(self._row(renamed_state))
        expected, found = Counter(here.successors), Counter(there.successors)
        differing = {name for name, _ in (expected - found) | (found - expected)}
        for action in self._instance.model.actions:
            if action.name in differing:
                self._refuse(f"{action.source}: action {action.name}")
        for name, left, right in zip(self._program.limits, here.cuts, there.cuts, strict=True):
            if left != right:
                self._refuse(f"limit {name}, or an action that it cuts off,")
        self._compare_claims(state, renamed_state, here, there)

    def _first(self) -> Row:
        """Where a walk begins."""
        initials, renumbering = self._initials, self._program.renumbering
        initial = initials[0] if len(initials) == 1 else self._draw.choice(initials)
        return self._row(renumbering.renumbered(initial) if renumbering is not None else initial)

    def _shuffled(self, size: int) -> list[int]:
        members = list(range(size))
        self._draw.shuffle(members)
        return members

    def _compare_claims(self, state: State, other: State, here: _Behaviour, there: _Behaviour) -> None:
        evaluator, model = Evaluator(self._instance), self._instance.model
        if here.failing != there.failing:
            for claim in model.properties:
                if claim.kind == "invariant" and evaluator.holds(claim, state) != evaluator.holds(claim, other):
                    self._refuse(f"{claim.source}: invariant {claim.name}")
        if here.alarms != there.alarms:
            names = ", ".join(claim.name for claim in model.properties if claim.kind == "transition")
            self._refuse(f"a transition property ({names}), or an action that goes wrong,")
        if here.may_stop != there.may_stop:
            self._refuse("the condition under which the system may stop")
        for target, left, right in zip(self._program.targets, here.shown, there.shown, strict=True):
            if left != right:
                if target.witness is not None:
                    self._refuse(f"{target.witness.source}: witness {target.witness.name}")
                if target.interest is not None:
                    self._refuse(f"{target.interest.claim.source}: {target.interest.claim.name}")
                assert target.check is not None and target.action is not None
                self._refuse(f"{target.check.source}: check '{target.check.label}' of action {target.action.name}")

    def _refuse(self, what: str) -> None:
        names = " and ".join(group.name for group in self._groups)
        raise ConfigurationError(
            f"{what} does not treat the members of {names} alike, which are declared symmetric: a state that was met "
            "and the same state with members renamed behave differently; search without symmetry"
        )

    def _row(self, state: State) -> Row:
        return tuple(self._program.layout.pack(to_cells(self._instance, state)))

    def _state(self, row: Row) -> State:
        return from_cells(self._instance, self._program.layout.unpack(row))

    def _behaviour(self, row: Row) -> _Behaviour:
        program, native = self._program, self._native
        words, counters = np.array(row, np.int64), np.zeros(program.counters, np.int64)
        out = np.zeros((len(program.steps) + 1, program.layout.words), np.int64)
        seen = np.zeros(max(1, len(program.targets)), np.int64)
        made = EXPAND(native.expand)(words.ctypes.data, out.ctypes.data, counters.ctypes.data)
        COVER(native.cover)(words.ctypes.data, 1, seen.ctypes.data)
        first_step = program.first_step
        taken = [program.steps[i][0].name for i in np.flatnonzero(counters[first_step : program.first_refined])]
        assert len(taken) == made, "every step taken is counted"
        return _Behaviour(
            successors=tuple((name, tuple(after.tolist())) for name, after in zip(taken, out, strict=False)),
            alarms=int(counters[ALARM]),
            cuts=tuple(counters[LIMITS:first_step].tolist()),
            failing=ON_STATE(native.judge)(words.ctypes.data),
            may_stop=bool(ON_STATE(native.may_stop)(words.ctypes.data)),
            shown=tuple(place != 0 for place in seen[: len(program.targets)].tolist()),
        )
