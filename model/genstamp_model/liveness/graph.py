"""The graph of one obligation's pending states, and the search for a fair behaviour that stays in it for ever.

Calls the machine functions of `kernel` and `components` on arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from genstamp_model.explore.machine import Library, build
from genstamp_model.explore.memory import available_bytes
from genstamp_model.liveness import components, kernel
from genstamp_model.liveness.fairness import FairInstance

Words = NDArray[np.int64]
Halves = NDArray[np.uint32]
Told = Callable[[str, int], None]

# How many states of a fair component are sorted by distance, and for how many of those a cycle is made.
_CANDIDATES, _TRIED = 32, 6

# How many states a call of machine code handles, so that it returns for interrupts and progress.
_TURN = 1 << 18
# The most bytes of a pending state besides its rows of bits, how many such rows it has, and the bytes of a step.
_BYTES_A_STATE, _ROWS_A_STATE, _BYTES_A_STEP = 64, 4, 8


@cache
def library_for(words: int, width: int) -> Library:
    """The machine functions for states of `words` words and rows of `width` words, compiled once in a process."""
    return build(
        kernel.index_states,
        kernel.stand,
        kernel.grow_pending,
        components.split,
        components.survey,
        components.first_fair,
        components.nearest,
        constants={"WORDS": words, "WIDTH": width},
    )


class Index:
    """All states of a finished search by place, and a hash table that finds the place of a state."""

    def __init__(self, store: Words, told: Told) -> None:
        self.store = store
        slots = 16
        while slots < 2 * len(store):
            slots *= 2
        self.slots: Words = np.zeros(slots, np.int64)
        library = library_for(store.shape[1], 1)
        for begin in range(0, len(store), _TURN):
            told("indexing", begin)
            end = min(begin + _TURN, len(store))
            library.run(kernel.index_states, store, self.slots, slots - 1, begin, end)


@dataclass(frozen=True)
class Pending:
    """The pending states of an obligation and the steps between them; for the arrays see `kernel`."""

    library: Library
    places: Halves
    parents: Halves
    offsets: Words
    steps: Words
    enabled: Words

    def __len__(self) -> int:
        return len(self.places)

    def target(self, step: int) -> int:
        """The pending state that a step leads to."""
        return int(self.steps[step]) & (2**32 - 1)

    def label(self, step: int) -> int:
        """A step's label: 1 + the number of its fair instance, or 0."""
        return int(self.steps[step]) >> 32

    def source(self, step: int) -> int:
        """The pending state that a step begins in."""
        return int(np.searchsorted(self.offsets, step, side="right")) - 1

    @property
    def is_cut(self) -> NDArray[np.bool_]:
        """For each pending state, whether a limit cuts off a step from it."""
        found: NDArray[np.bool_] = (self.enabled[:, 0] & 1).astype(np.bool_)
        return found

    def way_to(self, state: int) -> list[int]:
        """The pending states on a shortest path to one of them, from a state where the obligation arises."""
        found = [state]
        while int(self.parents[found[-1]]) != found[-1]:
            found.append(int(self.parents[found[-1]]))
        return found[::-1]


def pending(
    index: Index,
    obligation: int,
    edges: int,
    labels: Sequence[int],
    most_steps: int,
    told: Told,
    again: Mapping[int, int] | None = None,
) -> Pending:
    """Find the pending states of an obligation.

    That a condition holds again and again is a matter of weak fairness: to an instance that is never taken, and that is
    enabled wherever the condition does not hold.

    Args:
        index: all states.
        obligation: the address of the obligation's function.
        edges: the address of the function that makes the steps from a state.
        labels: the label of each step of the model.
        most_steps: an upper bound of the number of steps from all states.
        told: shows the progress.
        again: by label, the address of the function of a condition that is assumed to hold again and again.

    Raises:
        MemoryError: the pending states may not fit in memory.
    """
    store = index.store
    again = again or {}
    width = max(*labels, *again, 0) // 64 + 1
    room = len(store)
    # Arrays get memory when they are written to, so states that are not pending take none.
    if 4 * room + most_steps * _BYTES_A_STEP > available_bytes():
        raise MemoryError
    library = library_for(store.shape[1], width)
    numbers, places, parents = (np.empty(room, np.uint32) for _ in range(3))
    board = np.zeros(kernel.BOARD, np.int64)
    board[kernel.EDGES], board[kernel.MASK] = edges, len(index.slots) - 1
    for begin in range(0, room, _TURN):
        told("judging", begin)
        end = min(begin + _TURN, room)
        library.run(kernel.stand, obligation, store, numbers, places, parents, board, begin, end)
    if not board[kernel.PENDING]:
        most_steps = room = 0
    elif room * (_BYTES_A_STATE + 8 * width * _ROWS_A_STATE) + most_steps * _BYTES_A_STEP > available_bytes():
        raise MemoryError
    offsets, steps = np.zeros(room + 1, np.int64), np.empty(most_steps, np.int64)
    enabled = np.empty((room, width), np.int64)
    records = np.empty(kernel.BLOCK * len(labels) * (store.shape[1] + 1), np.int64)
    hashes, counts = np.empty(kernel.BLOCK * len(labels), np.int64), np.empty(kernel.BLOCK, np.int64)
    label_of = np.array(labels, np.int64)
    arrays = (store, index.slots, numbers, places, parents, offsets, steps, enabled, label_of, records, hashes, counts)
    while True:
        told("pending", int(board[kernel.HEAD]))
        if not library.run(kernel.grow_pending, board, *arrays, _TURN):
            break
    assert not board[kernel.STRANGE], f"a step from place {board[kernel.STRANGE] - 1} leads out of the search"
    states, found = int(board[kernel.PENDING]), int(board[kernel.STEPS])
    for label, condition in again.items():
        holds = _where(index, library, condition)[places[:states]]
        enabled[:states, label >> 6] |= np.where(holds, np.int64(0), _bit(label))
    return Pending(library, places[:states], parents[:states], offsets[: states + 1], steps[:found], enabled[:states])


def _where(index: Index, library: Library, condition: int) -> NDArray[np.bool_]:
    """For each state, whether a condition holds, by the address of its function."""
    room = len(index.store)
    numbers, places, parents = (np.empty(room, np.uint32) for _ in range(3))
    board = np.zeros(kernel.BOARD, np.int64)
    for begin in range(0, room, _TURN):
        end = min(begin + _TURN, room)
        library.run(kernel.stand, condition, index.store, numbers, places, parents, board, begin, end)
    found: NDArray[np.bool_] = numbers < kernel.IS_MET
    return found


@dataclass(frozen=True)
class Trap:
    """A fair way to stay among pending states for ever.

    Attributes:
        entry: the pending state where the cycle begins.
        cycle: the numbers of its steps; none if the behaviour stays in one state.
    """

    entry: int
    cycle: tuple[int, ...]


class Traps:
    """Searches pending states for a trap.

    Args:
        graph: the pending states.
        fair: the fair instances.
        again: the labels of conditions that are assumed to hold again and again.

    Attributes:
        components: the number of strongly connected components of the pending states.
    """

    def __init__(self, graph: Pending, fair: Sequence[FairInstance], again: Iterable[int] = ()) -> None:
        self._graph = graph
        self._weak, self._strong = (np.zeros(graph.enabled.shape[1], np.int64) for _ in range(2))
        for label, one in enumerate(fair, 1):
            bits = self._strong if one.strong else self._weak
            bits[label >> 6] |= _bit(label)
        for label in again:
            self._weak[label >> 6] |= _bit(label)
        self._nodes: Halves = np.zeros((len(graph), components.NODE), np.uint32)
        self.components = 0

    def find(self, distance: Callable[[int], int]) -> Trap | None:
        """A trap; None if there is none.

        Args:
            distance: the number of steps to a pending state; the shortest of several traps is returned.
        """
        graph, run = self._graph, self._graph.library.run
        stack, path = (np.empty(len(graph), np.uint32) for _ in range(2))
        next_step = np.empty(len(graph), np.int64)
        is_first = True
        while True:
            count = run(components.split, len(graph), graph.offsets, graph.steps, self._nodes, stack, path, next_step)
            if is_first:
                self.components, is_first = count, False
            if not count:
                return None
            seen = [np.empty((count, graph.enabled.shape[1]), np.int64) for _ in range(3)]
            run(components.survey, len(graph), graph.offsets, graph.steps, graph.enabled, self._nodes, count, *seen)
            entry = run(components.first_fair, len(graph), graph.enabled, self._weak, self._strong, self._nodes, *seen)
            if entry >= 0:
                component = self._nodes[:, components.COMPONENT]
                first = np.flatnonzero(component == component[entry])[:_CANDIDATES].tolist()
                near = sorted(first, key=distance)[:_TRIED]
                traps = [Trap(state, self._cycle(state)) for state in near]
                return min(traps, key=lambda trap: distance(trap.entry) + len(trap.cycle))

    def _cycle(self, entry: int) -> tuple[int, ...]:
        """A fair cycle within the entry's component, extended until it is fair to every instance."""
        cycle: list[int] = []
        here = entry
        while True:
            weak, strong = self._missing(entry, cycle)
            is_fair = not (weak.any() or strong.any())
            if is_fair and here == entry:
                return tuple(self._without_detours(entry, cycle))
            cycle += self._way(here, entry if is_fair else -1, weak | strong, weak)
            here = self._graph.target(cycle[-1])

    def _missing(self, entry: int, cycle: Sequence[int]) -> tuple[Words, Words]:
        """The weakly and the strongly fair instances to which these steps, repeated for ever, are not fair."""
        graph = self._graph
        everywhere, somewhere = graph.enabled[entry].copy(), graph.enabled[entry].copy()
        taken = np.zeros_like(everywhere)
        for step in cycle:
            row, label = graph.enabled[graph.target(step)], graph.label(step)
            everywhere &= row
            somewhere |= row
            if label:
                taken[label >> 6] |= _bit(label)
        return self._weak & everywhere & ~taken, self._strong & somewhere & ~taken

    def _without_detours(self, entry: int, cycle: list[int]) -> list[int]:
        """The cycle without the smaller cycles that fairness does not need; the largest are removed first."""
        visited = [entry, *(self._graph.target(step) for step in cycle)]
        for length in range(len(cycle) - 1, 0, -1):
            for i in range(len(cycle) - length + 1):
                shorter = cycle[:i] + cycle[i + length :]
                if visited[i] == visited[i + length] and not any(part.any() for part in self._missing(entry, shorter)):
                    return self._without_detours(entry, shorter)
        return cycle

    def _way(self, start: int, goal: int, wanted: Words, unwanted: Words) -> list[int]:
        """The steps of a shortest path from a state to a goal; see `components.nearest`."""
        graph = self._graph
        arrived, queue = np.full(len(graph), -1, np.int64), np.empty(len(graph), np.uint32)
        arrays = (graph.offsets, graph.steps, graph.enabled, self._nodes)
        last = graph.library.run(components.nearest, *arrays, start, goal, wanted, unwanted, arrived, queue)
        assert last >= 0, "a fair component has what a fair cycle in it needs"
        way = [last]
        while graph.source(way[-1]) != start:
            way.append(int(arrived[graph.source(way[-1])]))
        return way[::-1]


def _bit(label: int) -> np.int64:
    """The bit of a label in its word of a row."""
    return np.int64(np.uint64(1 << (label & 63)).astype(np.int64))
