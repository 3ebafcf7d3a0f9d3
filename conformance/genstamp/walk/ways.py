"""Shortest ways through a graph to steps that are wanted."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genstamp.transitions import Graph


class Ways:
    """Ways through a graph.

    Attributes:
        usable: of each step of the graph, whether ways may take it.
        wanted: of each abstract transition, by number, whether a way may end with it.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.usable = np.ones(len(graph.sources), bool)
        # Hidden steps have the number -2, which is in the margin at the end.
        self._wanted = np.zeros(len(graph.steps.transitions) + 2, bool)
        self.wanted = self._wanted[:-2]
        self._order = np.argsort(graph.sources, kind="stable")
        self._starts = np.searchsorted(graph.sources[self._order], np.arange(len(graph) + 1))

    def shortest(self, places: Iterable[int], chance: np.random.Generator | None = None) -> list[int] | None:
        """The steps of a shortest way from one of some states that ends with a wanted one; None if there is none.

        Args:
            places: the states, by number.
            chance: picks one of several shortest ways; the first of them is taken unless it is given.
        """
        graph = self._graph
        came_by = np.full(len(graph), -1, np.int64)
        frontier = np.array(sorted(places), np.int64)
        came_by[frontier] = -2
        is_next = np.zeros(len(graph), bool)
        while len(frontier):
            rows = self._from(frontier)
            rows = rows[self.usable[rows]]
            if chance is not None:
                rows = chance.permutation(rows)
            ends = rows[self._wanted[graph.transitions[rows]]]
            if len(ends):
                return self._way(int(ends[0]), came_by)
            targets = graph.targets[rows]
            fresh = came_by[targets] == -1
            # Of several steps into one state the first one counts, and of several values at one place the last one.
            rows, targets = rows[fresh][::-1], targets[fresh][::-1]
            came_by[targets] = rows
            is_next[targets] = True
            frontier = np.flatnonzero(is_next)
            is_next[frontier] = False
        return None

    def _from(self, places: NDArray[Any]) -> NDArray[Any]:
        """All steps from some states."""
        begins, ends = self._starts[places], self._starts[places + 1]
        counts = ends - begins
        offsets = np.repeat(begins - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        rows: NDArray[Any] = self._order[np.arange(counts.sum()) + offsets]
        return rows

    def _way(self, last: int, came_by: NDArray[Any]) -> list[int]:
        way = [last]
        while (row := int(came_by[self._graph.sources[way[-1]]])) >= 0:
            way.append(row)
        way.reverse()
        assert all(self._graph.targets[one] == self._graph.sources[other] for one, other in pairwise(way))
        return way
