"""Chooses the next requests to an implementation: mostly steps that the model can take in the possible states of the
run.

Sometimes what it refuses, has done already or cannot do at all; time that passes; faults. Which of them, and with which
files and nodes, is left to chance. Not here: where the chance comes from.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Final

from genstamp.stateful.driving import Driving
from genstamp.stateful.figures import Answer
from genstamp.stateful.request import Request
from genstamp.stateful.run import Run
from genstamp.track.known import Words
from genstamp.transitions import Reached

_WEIGHTS: Final = {
    "step": 62,
    "nothing": 16,
    "impossible": 6,
    "tick": 9,
    "fault": 5,
    "hidden": 2,
    "news": 60,
    "unreached": 60,
    "question": 100,
}
"""The relative frequency of each kind of request among the possible ones.

A step changes something; "nothing" stands for a refusal, or for an answer without a change. News is what no run of the
test has shown yet; "unreached" is an abstract transition that none has taken. A question is a step that not all
possible states can make, asked once there are many, because the answer distinguishes them.
"""

_ALWAYS: Final = frozenset({"step", "news", "question"})

_KEPT: Final = 0.6
"""Share of the runs that make a kind of request that a run can do without; the others get further with the rest."""

_TASTES: Final = (0.01, 0.1, 1.0, 1.0)
"""Each run likes some events less than others: a run without takeovers gets as far as closing a file."""

_STATES_ASKED: Final = 6
_MANY_STATES: Final = 32


class Chooser:
    """Chooses the requests of one run.

    Args:
        chance: where all choices come from.
        driving: how events are brought about.
        answers: what the model can show.
        seen: what the test has shown so far.
        reached: the abstract transitions that it has taken so far.
    """

    def __init__(
        self,
        chance: Random,
        driving: Driving,
        answers: Sequence[Answer],
        seen: Mapping[Answer, int],
        reached: Reached,
    ) -> None:
        self._chance = chance
        self._reached = reached
        self._driving = driving
        self._answers = [answer for answer in answers if answer[0] not in driving.spontaneous]
        self._seen = seen
        self._missing: dict[str, set[str | None]] = {}
        self._missing_since = -1
        self._used: Counter[str] = Counter()
        self._weights = {
            kind: weight for kind, weight in _WEIGHTS.items() if kind in _ALWAYS or chance.random() < _KEPT
        }
        events = dict.fromkeys([*(event for event, _ in self._answers), *driving.told_apart.values()])
        self._faults = [event for event in events if event in driving.faults]
        self._steps = [event for event in events if event not in driving.faults]
        self._taste = {event: chance.choice(_TASTES) * driving.weights.get(event, 1.0) for event in events}

    def next_request(self, run: Run) -> Request | None:
        """The next request; None where there is none to make."""
        weights = dict(self._weights)
        if len(run.tracker.states) <= _MANY_STATES:
            del weights["question"]
        while weights:
            [kind] = self._chance.choices(list(weights), list(weights.values()))
            request = self._of_kind(kind, run)
            if request is not None:
                self._used[request.event] += 1
                return request
            del weights[kind]
        return None

    def _of_kind(self, kind: str, run: Run) -> Request | None:
        if kind == "tick":
            ticks = self._driving.ticks_ms
            return Request(ms=self._chance.choice(ticks)) if ticks else None
        if kind == "news":
            return self._news(run)
        if kind == "question":
            return self._question(run)
        if kind == "unreached":
            return self._unreached(run)
        if kind == "hidden":
            return self._hidden(run)
        events = self._faults if kind == "fault" else self._taste if kind == "impossible" else self._steps
        for event in self._in_random_order(events):
            found = self._fresh(event, self._of_event(kind, event, run), run)
            if found:
                return Request(event, self._chance.choice(found))
        return None

    def _fresh(self, event: str, calls: list[Words], run: Run) -> list[Words]:
        """Those that were not declined since the last event."""
        if not run.declined:
            return calls
        return [words for words in calls if Request(event, words) not in run.declined]

    def _news(self, run: Run) -> Request | None:
        """A request whose answer no run has shown yet."""
        if self._missing_since != len(self._seen):
            self._missing, self._missing_since = {}, len(self._seen)
            for event, refused_with in self._answers:
                if (event, refused_with) not in self._seen:
                    self._missing.setdefault(event, set()).add(refused_with)
        found = {
            Request(event, call.words): None
            for event, missing in self._missing.items()
            for call in run.tracker.calls(event, _STATES_ASKED)
            if call.refused_with in missing
        }
        fresh = [request for request in found if request not in run.declined]
        return self._chance.choice(fresh) if fresh else None

    def _unreached(self, run: Run) -> Request | None:
        """A request that would be, in one of the possible states, an abstract transition that no run has taken yet."""
        if not run.tracker.states:
            return None
        state = self._chance.choice(run.tracker.states)
        for event in self._in_random_order(self._taste):
            found = self._fresh(event, self._reached.ahead(run.tracker.fit, state, event), run)
            if found:
                return Request(event, self._chance.choice(found))
        return None

    def _question(self, run: Run) -> Request | None:
        """A step that about half of the possible states can make."""
        shares = {
            Request(event, offer.arguments): share * (1 - share)
            for event in self._taste
            for offer, share in run.tracker.offers(event, _STATES_ASKED)
            if offer.changes and event not in self._driving.faults and event not in self._driving.may_decline
        }
        fresh = [request for request, spread in shares.items() if spread and request not in run.declined]
        best = max((shares[request] for request in fresh), default=0.0)
        return self._chance.choice([request for request in fresh if shares[request] == best]) if fresh else None

    def _hidden(self, run: Run) -> Request | None:
        """Something that no event reports."""
        possible = [
            request
            for action in sorted(self._driving.brought_about)
            for request in (Request(action, words) for words in run.tracker.possible_calls(action))
            if request not in run.declined
        ]
        return self._chance.choice(possible) if possible else None

    def _in_random_order(self, events: Iterable[str]) -> list[str]:
        """Events, the likelier ones mostly first.

        Rare steps of this run are chosen more often, so that long ways are walked to their end.
        """
        # Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006: a power of a uniform number.
        draw, used, taste = self._chance.random, self._used, self._taste
        places = [(draw() ** ((1 + used[event]) / taste[event]), event) for event in events]
        places.sort(reverse=True)
        return [event for _, event in places]

    def _of_event(self, kind: str, event: str, run: Run) -> list[Words]:
        """The arguments of the requests of one kind for an event."""
        if kind == "impossible":
            # Whatever numbers the model picks: of them nothing is said in a call that it cannot make.
            named = run.tracker.fit.arguments(event)
            calls = run.tracker.calls(event, _STATES_ASKED)
            answered = {tuple((name, word) for name, word in call.words if name in named) for call in calls}
            return [words for words in run.tracker.fit.calls(event) if words not in answered]
        if kind == "fault":
            return list(dict.fromkeys(call.words for call in run.tracker.calls(event, _STATES_ASKED)))
        offers = run.tracker.offers(event, _STATES_ASKED)
        return [offer.arguments for offer, _ in offers if offer.changes == (kind == "step")]
