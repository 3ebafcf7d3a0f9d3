"""The whole state graph of a small instance, laid out in rows by the number of steps that lead to a state."""

from __future__ import annotations

from typing import Any, Final

from genstamp.explorer.errors import NotFoundError
from genstamp.explorer.moments import key
from genstamp_model.evaluate import Evaluator
from genstamp_model.state_graph import MOST_STATES, StateGraph, state_graph

_WIDEST: Final = 24
"""States in a row; a level with more takes several rows."""


def graph(evaluator: Evaluator) -> dict[str, Any]:
    """The states with their places in a picture, and the edges, as JSON.

    Raises:
        NotFoundError: there are too many states.
    """
    found = state_graph(evaluator)
    if found is None:
        raise NotFoundError(f"the state graph has more than {MOST_STATES} states; only a smaller one is drawn")
    places = _places(found)
    return {
        "states": [
            {
                "key": key(state),
                "x": places[number][0],
                "y": places[number][1],
                "level": found.levels[number],
                "parent": found.parents[number],
                "is_violated": number in found.violated,
            }
            for state, number in found.numbers.items()
        ],
        "edges": [[here, there, calls] for (here, there), calls in found.edges.items()],
    }


def _places(found: StateGraph) -> dict[int, tuple[float, int]]:
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


def _column_of_parent(found: StateGraph, places: dict[int, tuple[float, int]], number: int) -> float:
    parent = found.parents[number]
    return 0.0 if parent is None else places[parent[0]][0]
