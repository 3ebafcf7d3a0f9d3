"""The abstract transitions that runs have taken, counted step by step while the runs are held against their system."""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from genstamp.events import Event
from genstamp.track import Fit
from genstamp.transitions.abstract import Abstraction, Transition
from genstamp_model.evaluate import State

_MEMORY: Final = 100_000

Words: TypeAlias = tuple[tuple[str, str], ...]


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
        self._abstractions: dict[Fit, Abstraction] = {}
        self._seen: dict[tuple[object, ...], frozenset[Transition]] = {}
        self._ahead: dict[tuple[Fit, State, str], tuple[tuple[Words, Transition], ...]] = {}

    def __call__(self, fit: Fit, before: Sequence[State], step: Event) -> None:
        """Told of every step that fits."""
        abstraction = self._abstraction(fit)
        found: list[frozenset[Transition]] = []
        shown = (step.generation_stamp, step.recovery_id, step.num_bytes, *sorted(step.observed.items()))
        key = (fit, step.event, step.refused_with, *sorted(step.arguments.items()), shown)
        for state in before:
            one = self._seen.get((state, key))
            if one is None:
                taken = fit.taken(state, step)
                one = frozenset(abstraction.of(a, args, check, state, after) for a, args, check, after in taken)
                self._seen[(state, key)] = one
            if one:
                found.append(one)
        self.possible.update(*found)
        if found and all(len(one) == 1 or all(transition.refusal for transition in one) for one in found):
            self.certain |= frozenset.intersection(*found)

    def ahead(self, fit: Fit, state: State, event: str) -> tuple[tuple[Words, Transition], ...]:
        """What an event can be in a state.

        Args:
            fit: the model in the words of a run.
            state: the state.
            event: name of the event.

        Returns:
            Of each call that is performed or refused its arguments, in words, and the abstract transition that it is.
        """
        key = (fit, state, event)
        found = self._ahead.get(key)
        if found is None:
            abstraction = self._abstraction(fit)
            if len(self._ahead) >= _MEMORY:
                self._ahead.clear()
            found = self._ahead[key] = tuple(
                (fit.words(action, arguments), abstraction.of(action, arguments, check, state, after))
                for action, arguments, check, after in fit.steps(state, event, {})
            )
        return found

    def _abstraction(self, fit: Fit) -> Abstraction:
        """The abstraction of one kind of run: others may have more members."""
        if fit not in self._abstractions:
            self._abstractions[fit] = Abstraction(fit.evaluator, self._forgotten)
        return self._abstractions[fit]
