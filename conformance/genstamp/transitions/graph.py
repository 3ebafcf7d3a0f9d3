"""Everything that an instance can do within its limits: its states, its steps, and their abstract transitions.

For small configurations: every state is kept. A walk plans its ways here, and coverage is measured against all abstract
transitions.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from genstamp.transitions.abstract import Transition
from genstamp.transitions.cells import Numbers
from genstamp.transitions.stepping import Steps
from genstamp_model.evaluate import Evaluator, State
from genstamp_model.language.model import Instance

KEPT_LOOPS: Final = 64
"""The number of steps without a change that are kept for each abstract transition: each is a way to see it."""

_TOLD_EVERY: Final = 20_000

Column = NDArray[np.int32]


class Graph:
    """States and steps of an instance, breadth first.

    Attributes:
        instance: what was explored.
        steps: what its calls and abstract transitions are, by number.
        sources, targets, calls, transitions: of each step that is kept, numbers of the states before and after, of the
            call, and of the abstract transition; `HIDDEN` where there is none.

    Args:
        instance: small.
        forgotten: variables whose value does not count.
        progress: called from time to time with the number of states found.
    """

    def __init__(
        self, instance: Instance, forgotten: Iterable[str] = (), progress: Callable[[int], None] | None = None
    ) -> None:
        self.instance = instance
        self.steps = Steps(Evaluator(instance), forgotten)
        self._states: list[Numbers] = []
        self._places: dict[Numbers, int] = {}
        columns = self._explore(progress)
        self.sources, self.targets, self.calls, self.transitions = (np.array(one, np.int32) for one in columns)

    def __len__(self) -> int:
        """How many states there are."""
        return len(self._states)

    @property
    def abstract(self) -> set[Transition]:
        """Every abstract transition of the instance that is no hidden action's, within its limits."""
        return set(self.steps.transitions) - self._cut

    def place(self, state: State) -> int | None:
        """Number of a state; None if it is beyond the limits."""
        numbers = self.steps.cells.known(state)
        return None if numbers is None else self._places.get(numbers)

    def state(self, place: int) -> State:
        """The state of a number."""
        return self.steps.cells.state(self._states[place])

    def text(self, row: int) -> str:
        """The call of a step as a reader sees it."""
        call = self.steps.calls[self.calls[row]]
        return self.steps.evaluator.call(call.action, call.arguments)

    def _explore(self, progress: Callable[[int], None] | None) -> "tuple[array[int], ...]":
        steps, places = self.steps, self._places
        sources, targets, calls, transitions = columns = tuple(array("i") for _ in range(4))
        loops: Counter[int] = Counter()
        for first in steps.initials:
            places[first] = len(self._states)
            self._states.append(first)
        beyond: set[Numbers] = set()
        for source, state in enumerate(self._states):  # which grows meanwhile
            if progress is not None and source % _TOLD_EVERY == 0:
                progress(len(self._states))
            for call in steps.possible(state):
                transition, after = call.taken(state)
                if after is state or after == state:
                    if transition < 0 or loops[transition] >= KEPT_LOOPS:
                        continue
                    loops[transition] += 1
                    target = source
                else:
                    found = places.get(after)
                    if found is None:
                        if after in beyond:
                            continue
                        if steps.is_beyond(after):
                            beyond.add(after)
                            continue
                        found = places[after] = len(self._states)
                        self._states.append(after)
                    target = found
                sources.append(source)
                targets.append(target)
                calls.append(call.number)
                transitions.append(transition)
        taken = set(transitions)
        self._cut = {one for number, one in enumerate(steps.transitions) if number not in taken}
        return columns


def explored(instance: Instance, forgotten: Iterable[str] = ()) -> set[Transition]:
    """Every abstract transition of an instance that is no hidden action's, within its limits.

    Args:
        instance: small: all its states are gone through.
        forgotten: variables whose value does not count.
    """
    return Graph(instance, forgotten).abstract
