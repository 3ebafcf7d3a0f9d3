"""The compiled functions of an instance, called on single states from Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from genstamp_model.evaluate import State
from genstamp_model.expand import to_cells
from genstamp_model.explore.emit import ALARM, CUT, LIMITS
from genstamp_model.explore.native import COVER, EXPAND, ON_STATE
from genstamp_model.explore.search import Compiled
from genstamp_model.language import Instance


@dataclass(frozen=True)
class Expanded:
    """What expanding one state gave: packed successors by number of the step, and the counters that it raised."""

    successors: dict[int, tuple[int, ...]]
    alarms: int
    cut: int
    cuts: dict[str, int]


class Machine:
    """Calls the functions of one instance."""

    def __init__(self, instance: Instance, *, symmetry: bool = False, renumber: bool = False) -> None:
        self.instance = instance
        self.compiled = Compiled(instance, symmetry=symmetry, renumber=renumber)
        self.program = self.compiled.program

    def packed(self, state: State) -> tuple[int, ...]:
        """The words of a state."""
        return tuple(self.program.layout.pack(to_cells(self.instance, state)))

    def expand(self, state: State) -> Expanded:
        """All successors of a state."""
        return self.expand_row(self.packed(state))

    def expand_row(self, row: Sequence[int]) -> Expanded:
        """All successors of a packed state."""
        program = self.program
        words, out = np.array(row, np.int64), np.zeros((len(program.steps), program.layout.words), np.int64)
        counters = np.zeros(program.counters, np.int64)
        made = EXPAND(self.compiled.native.expand)(words.ctypes.data, out.ctypes.data, counters.ctypes.data)
        taken = [i for i, times in enumerate(counters[program.first_step : program.first_refined]) if times]
        assert len(taken) == made
        return Expanded(
            successors={step: tuple(row.tolist()) for step, row in zip(taken, out, strict=False)},
            alarms=int(counters[ALARM]),
            cut=int(counters[CUT]),
            cuts=dict(zip(program.limits, counters[LIMITS : program.first_step].tolist(), strict=True)),
        )

    def failing(self, state: State) -> set[str]:
        """Names of the invariants that a state breaks."""
        bits = ON_STATE(self.compiled.native.judge)(self._words(state).ctypes.data)
        return {claim.name for i, claim in enumerate(self.program.invariants) if bits >> i & 1}

    def may_stop(self, state: State) -> bool:
        """Whether the system may stop in a state."""
        return bool(ON_STATE(self.compiled.native.may_stop)(self._words(state).ctypes.data))

    def shown(self, state: State) -> Sequence[bool]:
        """Which targets of coverage a state shows."""
        seen = np.zeros(len(self.program.targets), np.int64)
        COVER(self.compiled.native.cover)(self._words(state).ctypes.data, 6, seen.ctypes.data)
        assert set(seen.tolist()) <= {0, 6}
        return [bool(place) for place in seen]

    def _words(self, state: State) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(self.packed(state), np.int64)
