"""Machine functions that find strongly connected components in which a fair behaviour can stay for ever.

The graph is that of `kernel`. A behaviour may stutter, so a single state is a component, too. A component is *fair* if
each weakly fair instance is taken in it or is disabled in some of its states, and each strongly fair instance is taken
in it or is enabled in none of its states. This is the emptiness check of Streett automata: if a strongly fair instance
is enabled in a component but never taken there, the states that enable it are removed, and the rest is split again.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.explore.machine import Halves, Word, Words, function
from genstamp_model.explore.table import LOWER
from genstamp_model.liveness.kernel import WIDTH

# What is kept of a state while components are sought: four numbers side by side, because they are looked at together.
NODE: Final = 4
COMPONENT: Final = 0  # that it is found to be in, or OUT
FORMER: Final = 1  # the one that is being taken apart
ORDER: Final = 2  # in which it is visited, or UNSEEN
LOW: Final = 3  # the first one visited that is reached from what is visited after it

# The component of a state that is in none any more; and a state that has not been visited.
OUT: Final = 2**32 - 1
UNSEEN: Final = 2**32 - 1


@function
def split(
    states: Word, offsets: Words, steps: Words, nodes: Halves, stack: Halves, path: Halves, next_step: Words
) -> Word:
    """Split each component into its strongly connected components; returns their number.

    Tarjan's algorithm without recursion. States that are OUT stay out, and steps between components do not count.

    Args:
        states: the number of states.
        offsets, steps: the graph, as in `kernel`.
        nodes: the numbers of each state; changed.
        stack, path, next_step: room for all states: the states that may still belong to a component, the path from the
            root, and the next step of each state on it.
    """
    for v in range(states):
        node = nodes + v * NODE
        node[FORMER] = node[COMPONENT]
        node[COMPONENT] = OUT
        node[ORDER] = UNSEEN
    visited, components, size = 0, 0, 0
    for root in range(states):
        node = nodes + root * NODE
        if node[FORMER] == OUT or node[ORDER] != UNSEEN:
            continue
        former = node[FORMER]
        depth = 0
        path[0] = root
        next_step[0] = offsets[root]
        node[ORDER] = visited
        node[LOW] = visited
        visited += 1
        stack[size] = root
        size += 1
        while depth >= 0:
            v = path[depth]
            here = nodes + v * NODE
            step, last, w = next_step[depth], offsets[v + 1], v
            there = here
            is_deeper = 0
            while step < last:
                w = steps[step] & LOWER
                there = nodes + w * NODE
                step += 1
                if there[FORMER] == former:
                    if there[ORDER] == UNSEEN:
                        is_deeper = 1
                        break
                    if there[COMPONENT] == OUT and there[ORDER] < here[LOW]:
                        here[LOW] = there[ORDER]
            if is_deeper != 0:
                next_step[depth] = step
                there[ORDER] = visited
                there[LOW] = visited
                visited += 1
                stack[size] = w
                size += 1
                depth += 1
                path[depth] = w
                next_step[depth] = offsets[w]
                continue
            if here[LOW] == here[ORDER]:
                while True:
                    size -= 1
                    w = stack[size]
                    nodes[w * NODE + COMPONENT] = components
                    if w == v:
                        break
                components += 1
            depth -= 1
            if depth >= 0:
                above = nodes + path[depth] * NODE
                if here[LOW] < above[LOW]:
                    above[LOW] = here[LOW]
    return components


@function
def survey(
    states: Word,
    offsets: Words,
    steps: Words,
    enabled: Words,
    nodes: Halves,
    components: Word,
    taken: Words,
    somewhere: Words,
    everywhere: Words,
) -> None:
    """The instances that are taken in each component, enabled in some of its states, and enabled in all of them."""
    for i in range(components * WIDTH):
        taken[i] = 0
        somewhere[i] = 0
        everywhere[i] = -1
    for v in range(states):
        component = nodes[v * NODE + COMPONENT]
        if component != OUT:
            row = component * WIDTH
            for k in range(WIDTH):
                somewhere[row + k] |= enabled[v * WIDTH + k]
                everywhere[row + k] &= enabled[v * WIDTH + k]
            for e in range(offsets[v], offsets[v + 1]):
                label = steps[e] >> 32
                if label != 0 and nodes[(steps[e] & LOWER) * NODE + COMPONENT] == component:
                    taken[row + (label >> 6)] |= 1 << (label & 63)


@function
def first_fair(
    states: Word,
    enabled: Words,
    weak: Words,
    strong: Words,
    nodes: Halves,
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
        node = nodes + v * NODE
        if node[COMPONENT] != OUT:
            row = node[COMPONENT] * WIDTH
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
                node[COMPONENT] = OUT
    return -1


@function
def nearest(
    offsets: Words,
    steps: Words,
    enabled: Words,
    nodes: Halves,
    start: Word,
    goal: Word,
    wanted: Words,
    unwanted: Words,
    arrived: Words,
    queue: Halves,
) -> Word:
    """The last step of a shortest path from `start` to a goal within its component; -1 if there is none.

    The path ends in the state `goal` (after at least one step), in a state where an instance of `unwanted` is not
    enabled, or with a step of an instance of `wanted`.

    Args:
        offsets, steps, enabled, nodes: the graph and its components.
        start, goal: states.
        wanted, unwanted: rows of bits of instances.
        arrived: -1 for each state; becomes the step by which a state was first reached.
        queue: room for all states.
    """
    queue[0] = start
    head, size = 0, 1
    component = nodes[start * NODE + COMPONENT]
    while head < size:
        v = queue[head]
        head += 1
        for e in range(offsets[v], offsets[v + 1]):
            w, label = steps[e] & LOWER, steps[e] >> 32
            if nodes[w * NODE + COMPONENT] == component:
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
