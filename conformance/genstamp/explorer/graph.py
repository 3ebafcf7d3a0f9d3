"""The whole state graph of a small instance, laid out in rows by the number of steps that lead to a state."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

from genstamp.explorer.errors import NotFoundError
from genstamp.explorer.moments import key
from genstamp_model.evaluate import Evaluator, State

MOST_STATES: Final = 300
"""A larger graph is not drawn: nobody could read it."""
_WIDEST: Final = 24
"""States in a row; a level with more takes several rows."""


@dataclass
class _Found:
    """A search, breadth first, within the limits.

    Attributes:
        numbers: of the states, as they were found.
        parents: of each state the number of the one that it was found from, and the step; None for an initial state.
        levels: of each state, how many steps lead to it at least.
        edges: the steps between two states.
    """

    numbers: dict[State, int]
    parents: list[tuple[int, str] | None] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    edges: dict[tuple[int, int], list[str]] = field(default_factory=dict)


def graph(evaluator: Evaluator) -> dict[str, Any]:
    """The states with their places in a picture, and the edges, as JSON.

    Raises:
        NotFoundError: there are too many states.
    """
    found = _search(evaluator)
    places = _places(found)
    claims = [claim for claim in evaluator.model.properties if claim.kind == "invariant"]
    return {
        "states": [
            {
                "key": key(state),
                "x": places[number][0],
                "y": places[number][1],
                "level": found.levels[number],
                "parent": found.parents[number],
                "is_violated": not all(evaluator.holds(claim, state) for claim in claims),
            }
            for state, number in found.numbers.items()
        ],
        "edges": [[here, there, calls] for (here, there), calls in found.edges.items()],
    }


def _search(evaluator: Evaluator) -> _Found:
    found = _Found({state: number for number, state in enumerate(evaluator.initials)})
    found.parents, found.levels = [None] * len(found.numbers), [0] * len(found.numbers)
    waiting = deque(found.numbers)
    while waiting:
        state = waiting.popleft()
        here = found.numbers[state]
        for step in evaluator.whole_steps(state):
            if evaluator.beyond(step.after):
                continue
            call = evaluator.call(step.action, step.arguments)
            if step.after not in found.numbers:
                found.numbers[step.after] = len(found.numbers)
                found.parents.append((here, call))
                found.levels.append(found.levels[here] + 1)
                waiting.append(step.after)
            found.edges.setdefault((here, found.numbers[step.after]), []).append(call)
        if len(found.numbers) > MOST_STATES:
            raise NotFoundError(f"the state graph has more than {MOST_STATES} states; only a smaller one is drawn")
    return found


def _places(found: _Found) -> dict[int, tuple[float, int]]:
    """Column and row of each state; in a row, states are in the order of those that they were found from."""
    places: dict[int, tuple[float, int]] = {}
    row = 0
    for level in range(max(found.levels) + 1):
        of_level = [number for number, one in enumerate(found.levels) if one == level]
        of_level.sort(key=lambda number: _column_of_parent(found, places, number))
        for start in range(0, len(of_level), _WIDEST):
            states = of_level[start : start + _WIDEST]
            for position, number in enumerate(states):
                places[number] = (position - (len(states) - 1) / 2, row)
            row += 1
    return places


def _column_of_parent(found: _Found, places: dict[int, tuple[float, int]], number: int) -> float:
    parent = found.parents[number]
    return 0.0 if parent is None else places[parent[0]][0]
