"""The graph of one obligation's pending states, and the search for a fair behaviour that stays in it for ever.

What is behind the judge: arrays, and the order in which `kernel` and `components` are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from genstamp_model.explore.memory import available_bytes
from genstamp_model.liveness import components, kernel
from genstamp_model.liveness.fairness import FairInstance
from genstamp_model.liveness.kernel import Bits, Flags, Labels, Places, Words

# States that are handed to compiled code at once, so that it comes back for interrupts and progress.
_TURN = 1 << 18
# The bytes that a pending state takes besides a row of bits, and that row's copies.
_BYTES_A_STATE, _ROWS_A_STATE = 80, 4
_BYTES_A_STEP = 6

Told = Callable[[str, int], None]


class Index:
    """Every state of a finished search, by place, and a table to find the place of a state."""

    def __init__(self, store: Words, told: Told) -> None:
        self.store = store
        slots = 16
        while slots < 2 * len(store):
            slots *= 2
        self.slots: Places = np.zeros(slots, np.uint32)
        for begin in range(0, len(store), _TURN):
            told("indexing", begin)
            kernel.enter(store, self.slots, begin, min(begin + _TURN, len(store)))


@dataclass(frozen=True)
class Pending:
    """The pending states of an obligation and the steps between them; `kernel` says what the arrays hold."""

    places: Places
    parents: Places
    offsets: Words
    targets: Places
    labels: Labels
    enabled: Bits
    is_cut: Flags

    def __len__(self) -> int:
        return len(self.places)

    @property
    def steps(self) -> int:
        """How many steps there are between pending states."""
        return len(self.targets)

    def way_to(self, state: int) -> list[int]:
        """Pending states on a shortest way to one, from a state that owes on."""
        found = [state]
        while int(self.parents[found[-1]]) != found[-1]:
            found.append(int(self.parents[found[-1]]))
        return found[::-1]


def pending(
    index: Index,
    obligation: int,
    functions: Words,
    instances: Sequence[int],
    fair: int,
    most_steps: int,
    told: Told,
) -> Pending:
    """Find the pending states.

    Args:
        obligation: address of the function that tells how a state stands to it.
        functions: addresses, as `kernel.grow` takes them.
        instances: fair instance of each step number.
        fair: how many fair instances there are.
        most_steps: no more steps than this are possible in the whole search.

    Raises:
        MemoryError: they may not fit.
    """
    store = index.store
    standing = np.empty(len(store), np.uint8)
    owing = 0
    for begin in range(0, len(store), _TURN):
        told("judging", begin)
        owing += kernel.stand(obligation, store, standing, begin, min(begin + _TURN, len(store)))
    room = int(np.count_nonzero(standing != kernel.MET)) if owing else 0
    width = max(1, -(-fair // 64))
    steps = most_steps if owing else 0
    if room * (_BYTES_A_STATE + 8 * width * _ROWS_A_STATE) + steps * _BYTES_A_STEP > available_bytes():
        raise MemoryError
    numbers = np.full(len(store), kernel.NOWHERE, np.uint32)
    found = Pending(
        places=np.empty(room, np.uint32),
        parents=np.empty(room, np.uint32),
        offsets=np.zeros(room + 1, np.int64),
        targets=np.empty(steps, np.uint32),
        labels=np.empty(steps, np.uint16),
        enabled=np.empty((room, width), np.uint64),
        is_cut=np.empty(room, np.uint8),
    )
    control = np.zeros(kernel.SLOTS, np.int64)
    records = np.empty((len(instances) + 1) * (store.shape[1] + 1), np.int64)
    kernel.sow(control, standing, numbers, found.places, found.parents)
    more = True
    while more:
        told("pending", int(control[kernel.HEAD]))
        more = kernel.grow(
            control,
            functions,
            store,
            index.slots,
            standing,
            numbers,
            found.places,
            found.parents,
            found.offsets,
            found.targets,
            found.labels,
            found.enabled,
            found.is_cut,
            np.array(instances, np.uint16),
            records,
            _TURN,
        )
    assert not control[kernel.STRANGE], f"a step from place {control[kernel.STRANGE] - 1} leads out of the search"
    states, edges = int(control[kernel.PENDING]), int(control[kernel.EDGES])
    return Pending(
        places=found.places[:states],
        parents=found.parents[:states],
        offsets=found.offsets[: states + 1],
        targets=found.targets[:edges],
        labels=found.labels[:edges],
        enabled=found.enabled[:states],
        is_cut=found.is_cut[:states],
    )


@dataclass(frozen=True)
class Trap:
    """A fair way to stay among pending states for ever.

    Attributes:
        entry: the pending state where it begins.
        cycle: steps from it back to it, by number; none where the behaviour stays in one state.
    """

    entry: int
    cycle: tuple[int, ...]


class Traps:
    """Looks for a trap.

    Attributes:
        components: strongly connected components of the pending states.
    """

    def __init__(self, graph: Pending, fair: Sequence[FairInstance]) -> None:
        self._graph = graph
        width = graph.enabled.shape[1]
        self._weak, self._strong = np.zeros(width, np.uint64), np.zeros(width, np.uint64)
        for number, one in enumerate(fair):
            bits = self._strong if one.strong else self._weak
            bits[number >> 6] |= np.uint64(1 << (number & 63))
        self._component: Places = np.zeros(len(graph), np.uint32)
        self.components = 0

    def find(self) -> Trap | None:
        """A trap that begins at the first pending state from which there is one, or None."""
        graph = self._graph
        former, found = self._component, np.empty(len(graph), np.uint32)
        is_first = True
        while True:
            count = components.split(graph.offsets, graph.targets, former, found)
            if is_first:
                self.components, is_first = count, False
            if not count:
                return None
            entry = components.first_fair(
                graph.offsets, graph.targets, graph.labels, graph.enabled, self._weak, self._strong, found, count
            )
            if entry >= 0:
                self._component = found
                return Trap(entry, self._cycle(entry))
            former, found = found, former

    def _cycle(self, entry: int) -> tuple[int, ...]:
        """A cycle within the entry's component that treats all fairly: what is missing is fetched step by step."""
        graph = self._graph
        cycle: list[int] = []
        everywhere = graph.enabled[entry].copy()
        somewhere = everywhere.copy()
        taken = np.zeros_like(everywhere)
        here = entry
        while True:
            missing_weak = self._weak & everywhere & ~taken
            missing_strong = self._strong & somewhere & ~taken
            is_fair = not (missing_weak.any() or missing_strong.any())
            if is_fair and here == entry:
                return tuple(cycle)
            goal = entry if is_fair else -1
            way, here = components.nearest(
                graph.offsets,
                graph.targets,
                graph.labels,
                graph.enabled,
                self._component,
                here,
                goal,
                missing_weak | missing_strong,
                missing_weak,
            )
            assert here >= 0, "a fair component has what a fair cycle in it needs"
            for step in way.tolist():
                cycle.append(step)
                after, label = graph.targets[step], int(graph.labels[step])
                everywhere &= graph.enabled[after]
                somewhere |= graph.enabled[after]
                if label != kernel.UNLABELLED:
                    taken[label >> 6] |= np.uint64(1 << (label & 63))
