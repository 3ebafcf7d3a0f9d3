"""How many states each action is the first to reach: a second pass, as the search itself does not know.

A partition of the search enters states that another one has handed to it, without the step that they come from.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from genstamp_model.explore.emit import ALARM
from genstamp_model.explore.native import EXPAND
from genstamp_model.explore.search import Compiled


def new_states(compiled: Compiled) -> dict[str, int]:
    """The number of states that no earlier step had reached, breadth first, by the action that reaches them.

    All states are kept in Python, and nothing but a failing step ends the pass: it is for what `explore` has searched.

    Args:
        compiled: the instance, reduced as in the search.
    """
    program, expand = compiled.program, EXPAND(compiled.native.expand)
    counters = np.zeros(program.counters, np.int64)
    made = np.zeros((len(program.steps) + 1, program.layout.words), np.int64)
    waiting = deque(np.array(row, np.int64).tobytes() for row in compiled.first_rows())
    known = set(waiting)
    found = dict.fromkeys((action.name for action in compiled.instance.model.actions), 0)
    while waiting:
        counters[:] = 0
        count = expand(waiting.popleft(), made.ctypes.data, counters.ctypes.data)
        assert not counters[ALARM], "a step fails, or breaks a property"
        taken = np.flatnonzero(counters[program.first_step : program.first_refined]).tolist()
        assert len(taken) == count, (taken, count)
        for number, row in zip(taken, made, strict=False):
            words = row.tobytes()
            if words not in known:
                known.add(words)
                waiting.append(words)
                found[program.steps[number][0].name] += 1
    return found
