"""The abstract transitions that runs have taken, counted step by step while the runs are held against their system."""

from collections.abc import Iterable, Sequence

from genstamp.events import Event
from genstamp.track import Fit
from genstamp.transitions.abstract import Abstraction, Transition
from genstamp_model.evaluate import State


class Reached:
    """The abstract transitions that runs have taken.

    Attributes:
        certain: those that a step was whatever state the run was in. What is refused is refused by every action of that
            event that has the check.
        possible: those that a step may have been.

    Args:
        forgotten: variables that do not count.
    """

    def __init__(self, forgotten: Iterable[str]) -> None:
        self._forgotten = tuple(forgotten)
        self.certain: set[Transition] = set()
        self.possible: set[Transition] = set()
        self._abstraction: Abstraction | None = None
        self._seen: dict[tuple[object, ...], frozenset[Transition]] = {}

    def __call__(self, fit: Fit, before: Sequence[State], step: Event) -> None:
        """Told of every step that fits."""
        if self._abstraction is None:
            self._abstraction = Abstraction(fit.evaluator, self._forgotten)
        found: list[frozenset[Transition]] = []
        shown = (step.generation_stamp, step.recovery_id, step.num_bytes, *sorted(step.observed.items()))
        key = (step.event, step.refused_with, *sorted(step.arguments.items()), shown)
        for state in before:
            one = self._seen.get((state, key))
            if one is None:
                taken = fit.taken(state, step)
                one = frozenset(self._abstraction.of(a, args, check, state, after) for a, args, check, after in taken)
                self._seen[(state, key)] = one
            if one:
                found.append(one)
        self.possible.update(*found)
        if found and all(len(one) == 1 or all(transition.refusal for transition in one) for one in found):
            self.certain |= frozenset.intersection(*found)
