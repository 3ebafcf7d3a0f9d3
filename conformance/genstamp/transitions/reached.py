"""The abstract transitions that runs have taken, counted step by step while the runs are checked against their
system.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from genstamp.events import Event
from genstamp.track import Fit
from genstamp.track.known import Known, Words
from genstamp.transitions.abstract import Abstraction, Transition
from genstamp_model.evaluate import State

_MEMORY: Final = 100_000


class Reached:
    """The abstract transitions that runs have taken.

    Attributes:
        certain: transitions that a step was in every possible state of the run. A refused call is refused by every
            action of that event that has the check.
        possible: those that a step may have been.

    Args:
        forgotten: variables that do not count.
    """

    def __init__(self, forgotten: Iterable[str]) -> None:
        self._forgotten = tuple(forgotten)
        self.certain: set[Transition] = set()
        self.possible: set[Transition] = set()
        self._abstractions: dict[Fit, Abstraction] = {}
        self._spent: set[tuple[Known, str]] = set()

    def __call__(self, fit: Fit, before: Sequence[State], step: Event) -> None:
        """Told of every step that fits."""
        abstraction = self._abstraction(fit)
        taken = ((state, fit.taken(state, step)) for state in before)
        found = [
            frozenset(abstraction.of(call.action, call.arguments, call.check, state, after) for call, after in calls)
            for state, calls in taken
            if calls
        ]
        self.possible.update(*found)
        if found and all(len(one) == 1 or all(transition.refusal for transition in one) for one in found):
            self.certain |= frozenset.intersection(*found)

    def ahead(self, fit: Fit, state: State, event: str) -> list[Words]:
        """The calls of an event that would be, in a state, an abstract transition that no step may have been yet.

        Args:
            fit: the model in the words of a run.
            state: the state.
            event: name of the event.

        Returns:
            Their arguments, as text; of calls that are refused too.
        """
        known = fit.at(state)
        key = known, event
        if key in self._spent:
            return []
        abstraction = self._abstraction(fit)
        found = [
            call.words
            for call in fit.calls_at(known, event)
            if abstraction.of(call.action, call.arguments, call.check, state, fit.state_after(known, call))
            not in self.possible
        ]
        if not found:
            # What was taken once stays so.
            if len(self._spent) >= _MEMORY:
                self._spent.clear()
            self._spent.add(key)
        return found

    def _abstraction(self, fit: Fit) -> Abstraction:
        """The abstraction of one kind of run: others may have more members."""
        if fit not in self._abstractions:
            self._abstractions[fit] = Abstraction(fit.evaluator, self._forgotten)
        return self._abstractions[fit]
