"""The Hypothesis machine: each step asks for something that the model suggests, and holds all that comes.

What to ask is drawn from the model's own answers in the states in which the run can be: mostly steps, sometimes what it
refuses, has done already or cannot do at all, time that passes, and faults. Each run draws from a generator that
Hypothesis seeds, rather than choice by choice: Hypothesis likes to repeat itself with small changes, which walks few
long ways. Making a failing run shorter is left to `shorten.py`, which knows what can be left out of it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from genstamp.stateful.driving import Driving
from genstamp.stateful.run import Arguments, Request, Run
from genstamp.track import Offer

_WEIGHTS = {"step": 62, "nothing": 16, "impossible": 6, "tick": 9, "fault": 5, "question": 100}
"""How often each kind of request is made, in relation to the others that are to be had.

A step changes something; "nothing" stands for what the model refuses, or answers without a change. A question is a
step that not all possible states can make, asked once there are many, as the answer tells them apart.
"""

_STATES_ASKED = 6
_MANY_STATES = 48
_SEEDS = 4
_TASTES = (0.01, 0.1, 1.0, 1.0)
"""Each run likes some events less than others: a run without takeovers gets as far as closing a file."""

_KEPT = 0.6
"""Share of the runs that make requests of a kind other than steps."""

Choices: TypeAlias = dict[str, dict[str, list[Arguments]]]
"""What can be asked for: by kind and event, the arguments."""


class EndOfSearch(BaseException):
    """A run failed; Hypothesis lets this pass, and so does not look for a shorter run itself.

    Attributes:
        error: why the run ended.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def machine_class(begin: Callable[[int], Run], known: Sequence[str], driving: Driving) -> type[RuleBasedStateMachine]:
    """The machine that makes runs.

    Args:
        begin: begins a run with a seed.
        known: the events that the model has.
        driving: how events are brought about.
    """

    class Conformance(RuleBasedStateMachine):
        _run: Run
        _chance: Random

        def __init__(self) -> None:
            super().__init__()
            self._used: Counter[str] = Counter()
            self._weights: dict[str, int] = {}
            self._taste: dict[str, float] = {}

        @initialize(chance=st.randoms(use_true_random=True))
        def start(self, chance: Random) -> None:
            """A run begins; some go without some kinds of requests, which leaves more room for the others."""
            self._chance = chance
            self._weights = {
                kind: weight
                for kind, weight in _WEIGHTS.items()
                if kind in ("step", "question") or chance.random() < _KEPT
            }
            self._taste = {event: chance.choice(_TASTES) * driving.weights.get(event, 1.0) for event in known}
            with _no_second_try():
                self._run = begin(chance.randrange(_SEEDS))

        @rule()
        def request(self) -> None:
            """Ask for one thing, and hold all that comes."""
            if self._run.tracker.is_undetermined:
                return
            choices = choices_of(self._run, driving)
            kinds = [kind for kind in self._weights if choices.get(kind)]
            if not kinds:
                return
            [kind] = self._chance.choices(kinds, [self._weights[kind] for kind in kinds])
            if kind == "tick":
                self._request(Request(ms=self._chance.choice(driving.ticks_ms)))
                return
            # What was rare in this run comes more often, so that long ways are walked to their end.
            events = list(choices[kind])
            weights = [self._taste[event] / (1 + self._used[event]) for event in events]
            [event] = self._chance.choices(events, weights)
            self._used[event] += 1
            self._request(Request(event, self._chance.choice(choices[kind][event])))

        def _request(self, request: Request) -> None:
            with _no_second_try():
                self._run.request(request)

    return Conformance


@contextmanager
def _no_second_try() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise EndOfSearch(error) from error


def choices_of(run: Run, driving: Driving) -> Choices:
    """What can be asked for now, going by some of the states in which the run can be."""
    tracker = run.tracker
    many = len(tracker.states) > _MANY_STATES
    choices: Choices = {"tick": {"": [()]}} if driving.ticks_ms else {}
    answered: set[Request] = set()

    def add(kind: str, request: Request) -> None:
        answered.add(request)
        if request.event not in driving.spontaneous and request not in run.declined:
            choices.setdefault(kind, {}).setdefault(request.event, []).append(request.arguments)

    for offer, by_all in tracker.offers(_STATES_ASKED):
        request = Request(offer.event, offer.arguments)
        add(_kind(offer, driving), request)
        if many and offer.changes and not by_all:
            add("question", request)
    for event in tracker.fit.events:
        for arguments in tracker.fit.calls(event):
            if Request(event, arguments) not in answered:
                add("impossible", Request(event, arguments))
    return choices


def _kind(offer: Offer, driving: Driving) -> str:
    if offer.event in driving.faults:
        return "fault"
    return "step" if offer.changes else "nothing"
