"""One state for many: rows of a search whose states stand for others, and the way back to paths of real states.

Where a search uses symmetry or renumbers ordered numbers, what it stores is not what a run goes through, but behaves
alike. A path is shown as it really is: replayed by `evaluate` from the initial state, by steps whose results are stored
as the rows.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from genstamp_model.evaluate import Evaluator, State, Step
from genstamp_model.expand import to_cells
from genstamp_model.explore.emit import Program
from genstamp_model.explore.native import Native
from genstamp_model.path import Path

_CANONICAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Canonical:
    """How the states of one compiled instance are stored.

    Args:
        program: its layout, and whether it renumbers.
        native: its machine code.
    """

    def __init__(self, program: Program, native: Native) -> None:
        self.instance = program.instance
        self.renumbering = program.renumbering
        self._layout = program.layout
        # Kept whole, because its functions live as long as it does.
        self._native = native

    def state(self, state: State) -> State:
        """The state that stands for a state, except for symmetry."""
        return self.renumbering.renumbered(state) if self.renumbering else state

    def row(self, state: State) -> tuple[int, ...]:
        """The words that are stored for a state within the limits."""
        words = self._layout.pack(to_cells(self.instance, self.state(state)))
        if not self._native.canonical:
            return tuple(words)
        row = np.array(words, np.int64)
        _CANONICAL(self._native.canonical)(row.ctypes.data)
        return tuple(row.tolist())

    def beyond(self, evaluator: Evaluator, state: State) -> list[str]:
        """Names of the limits that a state exceeds as it would be stored."""
        return evaluator.beyond(self.state(state))

    def replay(self, rows: Sequence[Sequence[int]]) -> Path:
        """The path through states that are stored as these rows, from an initial state.

        It is an assertion that there is one: the caller has found these rows to be neighbours.
        """
        evaluator = Evaluator(self.instance)
        initial = state = self.beginning(evaluator, rows[0])
        steps = []
        for row in rows[1:]:
            step = self.step(evaluator, state, row)
            assert step is not None, f"evaluate has no step from {state} to {row}"
            steps.append(step)
            state = step.after
        return Path(self.instance, initial, tuple(steps))

    def beginning(self, evaluator: Evaluator, row: Sequence[int]) -> State:
        """The first initial state that is stored as this row."""
        state = next((state for state in evaluator.initials if self.row(state) == tuple(row)), None)
        assert state is not None, f"no initial state is stored as {row}"
        return state

    def step(self, evaluator: Evaluator, state: State, row: Sequence[int]) -> Step | None:
        """The first step in `evaluate`'s order from a real state to one that is stored as this row."""
        wanted = tuple(row)
        for step in evaluator.whole_steps(state):
            if not self.beyond(evaluator, step.after) and self.row(step.after) == wanted:
                return step
        return None
