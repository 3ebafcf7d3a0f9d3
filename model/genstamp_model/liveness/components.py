"""Strongly connected components of a graph in which a fair behaviour can stay for ever: compiled once by numba.

The graph is that of `kernel.grow`. A behaviour may stutter, so each state alone is a component in which one can stay.
A component is *fair* where one can stay in it for ever and treat every instance fairly: each weakly fair one is taken
within it or not enabled somewhere in it, each strongly fair one is taken within it or enabled nowhere in it. This is
the emptiness check of Streett automata: where a strongly fair instance is enabled in a component and never taken there,
the states in which it is enabled are taken out, and what is left is taken apart again.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Words = NDArray[np.int64]
Places = NDArray[np.uint32]
Labels = NDArray[np.uint16]
Bits = NDArray[np.uint64]

# The component of a state that is in none any more.
OUT: Final = 2**32 - 1
_UNSEEN: Final = 2**32 - 1
_UNLABELLED: Final = 2**16 - 1

_njit: Any = njit


@_njit(cache=True)
def split(offsets: Words, targets: Places, former: Places, found: Places) -> int:
    """Take each component of `former` apart into its strongly connected components; gives how many there are.

    Tarjan's algorithm with stacks of its own. States that are OUT stay out, and steps between components do not count.
    """
    states = former.shape[0]
    order = np.full(states, _UNSEEN, np.uint32)
    low = np.empty(states, np.uint32)
    stack = np.empty(states, np.uint32)  # what may still belong to a component
    path = np.empty(states, np.uint32)  # the states on the way from the root
    edge = np.empty(states, np.int64)  # of each of those its next step to look at
    visited, components = 0, 0
    size = 0
    for v in range(states):
        found[v] = OUT
    for root in range(states):
        if former[root] == OUT or order[root] != _UNSEEN:
            continue
        depth = 0
        path[0] = root
        edge[0] = offsets[root]
        order[root] = visited
        low[root] = visited
        visited += 1
        stack[size] = root
        size += 1
        while depth >= 0:
            v = path[depth]
            if edge[depth] < offsets[np.int64(v) + 1]:
                w = targets[edge[depth]]
                edge[depth] += 1
                if former[w] != former[v]:
                    continue
                if order[w] == _UNSEEN:
                    order[w] = visited
                    low[w] = visited
                    visited += 1
                    stack[size] = w
                    size += 1
                    depth += 1
                    path[depth] = w
                    edge[depth] = offsets[w]
                elif found[w] == OUT:
                    low[v] = min(low[v], order[w])
                continue
            if low[v] == order[v]:
                while True:
                    size -= 1
                    w = stack[size]
                    found[w] = components
                    if w == v:
                        break
                components += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[v])
    return components


@_njit(cache=True)
def _survey(
    offsets: Words, targets: Places, labels: Labels, enabled: Bits, component: Places, components: int
) -> tuple[Bits, Bits, Bits]:
    """Of each component the instances that are taken within it, enabled somewhere in it, and enabled all over it."""
    width = enabled.shape[1]
    taken = np.zeros((components, width), np.uint64)
    somewhere = np.zeros((components, width), np.uint64)
    everywhere = np.full((components, width), ~np.uint64(0), np.uint64)
    for v in range(component.shape[0]):
        c = component[v]
        if c == OUT:
            continue
        for k in range(width):
            somewhere[c, k] |= enabled[v, k]
            everywhere[c, k] &= enabled[v, k]
        for e in range(offsets[v], offsets[v + 1]):
            label = labels[e]
            if label != _UNLABELLED and component[targets[e]] == c:
                taken[c, label >> 6] |= np.uint64(1) << np.uint64(label & 63)
    return taken, somewhere, everywhere


@_njit(cache=True)
def first_fair(
    offsets: Words,
    targets: Places,
    labels: Labels,
    enabled: Bits,
    weak: Bits,
    strong: Bits,
    component: Places,
    components: int,
) -> int:
    """The first state that lies in a fair component, or -1; what can be in no fair component is taken out.

    `weak` and `strong` have a bit for each instance that is to be treated so.
    """
    taken, somewhere, everywhere = _survey(offsets, targets, labels, enabled, component, components)
    width = enabled.shape[1]
    for v in range(component.shape[0]):
        c = component[v]
        if c == OUT:
            continue
        unfair, hopeless, in_the_way = False, False, False
        for k in range(width):
            missing = strong[k] & somewhere[c, k] & ~taken[c, k]
            hopeless |= (weak[k] & everywhere[c, k] & ~taken[c, k]) != 0
            unfair |= missing != 0
            in_the_way |= (missing & enabled[v, k]) != 0
        if not unfair and not hopeless:
            return v
        if hopeless or in_the_way:
            component[v] = OUT
    return -1


@_njit(cache=True)
def nearest(
    offsets: Words,
    targets: Places,
    labels: Labels,
    enabled: Bits,
    component: Places,
    start: int,
    goal: int,
    wanted: Bits,
    unwanted: Bits,
) -> tuple[Words, Any]:
    """A shortest way within the component of `start` to a goal, as the numbers of its steps.

    A goal is the state `goal` (after at least one step), a state where an instance of `unwanted` is not enabled, or
    what follows a step of an instance of `wanted`.

    Returns:
        The steps, and the state that they lead to; no steps and -1 where there is no goal.
    """
    states, width = component.shape[0], enabled.shape[1]
    arrived = np.full(states, np.int64(-1), np.int64)  # by which step a state was reached first
    queue = np.empty(states, np.uint32)
    origin = np.empty(states, np.uint32)  # of each state in the queue where its step came from
    queue[0] = start
    head, size = 0, 1
    while head < size:
        v = queue[head]
        head += 1
        for e in range(offsets[v], offsets[np.int64(v) + 1]):
            w = targets[e]
            if component[w] != component[v]:
                continue
            is_goal = np.int64(w) == goal
            label = labels[e]
            if label != _UNLABELLED:
                is_goal |= ((wanted[label >> 6] >> np.uint64(label & 63)) & np.uint64(1)) != 0
            for k in range(width):
                is_goal |= (unwanted[k] & ~enabled[w, k]) != 0
            if is_goal:
                return _way(arrived, origin, start, v, e), w
            if np.int64(w) != start and arrived[w] < 0:
                arrived[w] = e
                origin[w] = v
                queue[size] = w
                size += 1
    return np.empty(0, np.int64), -1


@_njit(cache=True)
def _way(arrived: Words, origin: Places, start: int, last: int, step: int) -> Words:
    length, v = 1, np.int64(last)
    while v != start:
        length += 1
        v = np.int64(origin[v])
    way = np.empty(length, np.int64)
    way[length - 1] = step
    v = np.int64(last)
    for i in range(length - 2, -1, -1):
        way[i] = arrived[v]
        v = np.int64(origin[v])
    return way
