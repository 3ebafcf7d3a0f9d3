"""Strongly connected components of a graph in which a fair behaviour can stay for ever: machine functions.

The graph is that of `kernel`. A behaviour may stutter, so each state alone is a component in which one can stay. A
component is *fair* where one can stay in it for ever and treat every instance fairly: each weakly fair one is taken
within it or not enabled somewhere in it, each strongly fair one is taken within it or enabled nowhere in it. This is
the emptiness check of Streett automata: where a strongly fair instance is enabled in a component and never taken there,
the states in which it is enabled are taken out, and what is left is taken apart again.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.machine import Halves, Word, Words, function
from genstamp_model.explore.table import LOWER
from genstamp_model.liveness.kernel import WIDTH

# The component of a state that is in none any more; and a state that has not been visited.
OUT: Final = 2**32 - 1
UNSEEN: Final = 2**32 - 1


@function
def split(
    states: Word,
    offsets: Words,
    steps: Words,
    former: Halves,
    found: Halves,
    order: Halves,
    low: Halves,
    stack: Halves,
    path: Halves,
    next_step: Words,
) -> Word:
    """Take each component of `former` apart into its strongly connected components; gives how many there are.

    Tarjan's algorithm with stacks of its own. States that are OUT stay out, and steps between components do not count.

    Args:
        order, low, stack, path, next_step: room for all states. The order in which they are visited, the first that is
            reached from below, what may still belong to a component, the way from the root, and the next step to look
            at of each state on it.
    """
    visited, components, size = 0, 0, 0
    for v in range(states):
        found[v] = OUT
        order[v] = UNSEEN
    for root in range(states):
        if former[root] == OUT or order[root] != UNSEEN:
            continue
        depth = 0
        path[0] = root
        next_step[0] = offsets[root]
        order[root] = visited
        low[root] = visited
        visited += 1
        stack[size] = root
        size += 1
        while depth >= 0:
            v = path[depth]
            step = next_step[depth]
            if step < offsets[v + 1]:
                next_step[depth] = step + 1
                w = steps[step] & LOWER
                if former[w] != former[v]:
                    continue
                if order[w] == UNSEEN:
                    order[w] = visited
                    low[w] = visited
                    visited += 1
                    stack[size] = w
                    size += 1
                    depth += 1
                    path[depth] = w
                    next_step[depth] = offsets[w]
                elif found[w] == OUT and order[w] < low[v]:
                    low[v] = order[w]
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
            if depth >= 0 and low[v] < low[path[depth]]:
                low[path[depth]] = low[v]
    return components


@function
def survey(
    states: Word,
    offsets: Words,
    steps: Words,
    enabled: Words,
    component: Halves,
    components: Word,
    taken: Words,
    somewhere: Words,
    everywhere: Words,
) -> None:
    """Of each component the instances that are taken within it, enabled somewhere in it, and enabled all over it."""
    for i in range(components * WIDTH):
        taken[i] = 0
        somewhere[i] = 0
        everywhere[i] = -1
    for v in range(states):
        if component[v] != OUT:
            row = component[v] * WIDTH
            for k in range(WIDTH):
                somewhere[row + k] |= enabled[v * WIDTH + k]
                everywhere[row + k] &= enabled[v * WIDTH + k]
            for e in range(offsets[v], offsets[v + 1]):
                label = steps[e] >> 32
                if label != 0 and component[steps[e] & LOWER] == component[v]:
                    taken[row + (label >> 6)] |= 1 << (label & 63)


@function
def first_fair(
    states: Word,
    enabled: Words,
    weak: Words,
    strong: Words,
    component: Halves,
    taken: Words,
    somewhere: Words,
    everywhere: Words,
) -> Word:
    """The first state that lies in a fair component, or -1; what can be in no fair component is taken out.

    Args:
        weak, strong: a bit for each instance that is to be treated so.
        taken, somewhere, everywhere: as `survey` has found.
    """
    for v in range(states):
        if component[v] != OUT:
            row = component[v] * WIDTH
            unfair, hopeless, in_the_way = 0, 0, 0
            for k in range(WIDTH):
                never = ~taken[row + k]
                missing = strong[k] & somewhere[row + k] & never
                hopeless |= weak[k] & everywhere[row + k] & never
                unfair |= missing
                in_the_way |= missing & enabled[v * WIDTH + k]
            if unfair == 0 and hopeless == 0:
                return v
            if hopeless != 0 or in_the_way != 0:
                component[v] = OUT
    return -1


@function
def nearest(
    offsets: Words,
    steps: Words,
    enabled: Words,
    component: Halves,
    start: Word,
    goal: Word,
    wanted: Words,
    unwanted: Words,
    arrived: Words,
    queue: Halves,
) -> Word:
    """The last step of a shortest way within the component of `start` to a goal; -1 where there is none.

    A goal is the state `goal` (after at least one step), a state where an instance of `unwanted` is not enabled, or
    what follows a step of an instance of `wanted`.

    Args:
        arrived: -1 for each state; becomes the step by which a state was reached first.
        queue: room for all states.
    """
    queue[0] = start
    head, size = 0, 1
    while head < size:
        v = queue[head]
        head += 1
        for e in range(offsets[v], offsets[v + 1]):
            w, label = steps[e] & LOWER, steps[e] >> 32
            if component[w] == component[v]:
                is_goal = w == goal or (label != 0 and (wanted[label >> 6] >> (label & 63)) & 1 == 1)
                missing = 0
                for k in range(WIDTH):
                    missing |= unwanted[k] & ~enabled[w * WIDTH + k]
                if is_goal or missing != 0:
                    return e
                if w != start and arrived[w] < 0:
                    arrived[w] = e
                    queue[size] = w
                    size += 1
    return -1
