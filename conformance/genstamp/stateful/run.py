"""One run: requests go to the implementation, and all that comes is checked against the model.

Not here: which requests to make; `machine.py` draws them and `shorten.py` repeats them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from genstamp.adapters import Adapter, Cluster, Done, NotPossible, Outcome
from genstamp.errors import AdapterError
from genstamp.events import Event
from genstamp.stateful.driving import Driving
from genstamp.stateful.figures import Figures
from genstamp.stateful.request import Request
from genstamp.stateful.story import Failure, Story
from genstamp.track import Fit, Names, Rejected, Tracker
from genstamp.transitions import Reached
from genstamp_model.language.model import Model


@dataclass
class Bench:
    """The data that all runs of one test share.

    Attributes:
        adapter: the implementation.
        model: the model.
        driving: how its events are brought about.
        max_states: more possible states than these leave a run undetermined.
        reached: the abstract transitions that runs have taken.
    """

    adapter: Adapter
    model: Model
    driving: Driving
    max_states: int
    reached: Reached = field(default_factory=lambda: Reached(()))
    _fits: dict[tuple[Cluster, int], Fit] = field(default_factory=dict)

    def tracker(self, cluster: Cluster, first_stamp: int) -> Tracker:
        """A tracker for a new run; what others of the same names have computed serves it too."""
        members = self.driving.members(cluster)
        key = replace(cluster, seed=0), first_stamp
        if key not in self._fits:
            told = self.driving.brought_about | self.driving.told_apart.keys()
            unseen = sorted({action.name for action in self.model.actions if action.hidden} - told)
            self._fits[key] = Fit(
                self.model,
                Names(self.model, members, first_stamp),
                unseen={name: {} for name in unseen},
                told_apart=self.driving.told_apart,
                chosen=self.driving.chosen,
            )
        return Tracker(
            self.model,
            members,
            first_stamp,
            max_states=self.max_states,
            clock=self.driving.timers(cluster),
            fit=self._fits[key],
        )


class NonconformingError(Exception):
    """A run does not conform.

    Attributes:
        failure: the run and what is wrong with it.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.problem)
        self.failure = failure


class Run:
    """One run: `start`, then any number of `request`.

    Args:
        bench: what it shares with others.
        cluster: its files, clients and datanodes, and what the implementation leaves to chance.
        figures: where to count.
    """

    tracker: Tracker
    declined: set[Request]
    """Requests that were refused as not possible since the last event; to repeat them is useless."""
    outcome: Outcome
    """The result of the last request."""

    def __init__(self, bench: Bench, cluster: Cluster, figures: Figures) -> None:
        self._bench = bench
        self._figures = figures
        self._story = Story(cluster, bench.driving)
        self.cluster = cluster
        self.declined = set()
        self._now_ms = 0
        self._is_given_up = False

    @property
    def requests(self) -> list[Request]:
        """The requests so far."""
        return self._story.requests

    def start(self) -> None:
        """Begin.

        Raises:
            AdapterError: the implementation cannot be driven.
            NonconformingError: an event at the start does not fit.
        """
        started = self._bench.adapter.start(self.cluster)
        self.tracker = self._bench.tracker(self.cluster, started.first_generation_stamp)
        self._figures.examples += 1
        for event in started.events:
            self._hold(event)
        self._count_states()

    def request(self, request: Request) -> None:
        """Make a request, and hold what comes.

        Raises:
            AdapterError: the implementation can be driven no longer; `story` has the run that led there.
            NonconformingError: something does not fit.
        """
        self._figures.steps += 1
        self._story.asked(request)
        if request.ms:
            self._tick(request.ms)
        else:
            self._step(request.event, dict(request.arguments))
        self._count_states()

    def _count_states(self) -> None:
        """Count the possible states, and a run with too many of them once."""
        self._figures.largest_set = max(self._figures.largest_set, self.tracker.largest)
        if self.tracker.is_undetermined and not self._is_given_up:
            self._is_given_up = True
            self._figures.undetermined += 1

    def _tick(self, ms: int) -> None:
        outcome = self._answer(lambda: self._bench.adapter.tick(ms))
        events = outcome.events if isinstance(outcome, Done) else ()
        end_ms = self._now_ms + ms
        times = [event.time_us / 1_000 for event in events if event.time_us is not None]
        times = [self._now_ms, *times, end_ms]
        if len(times) == len(events) + 2 and times == sorted(times):
            # It is known when each event came, and that nothing happened between them.
            for position, event in enumerate(events):
                with self.tracker.time_passes(times[position + 1] - times[position]):
                    pass
                self._hold(event)
            with self.tracker.time_passes(end_ms - times[-2]):
                pass
        else:
            with self.tracker.time_passes(ms):
                for event in events:
                    self._hold(event)
        self._now_ms = end_ms

    def _step(self, event: str, arguments: Mapping[str, str]) -> None:
        driving = self._bench.driving
        is_fault = event in driving.faults or event in driving.brought_about
        adapter = self._bench.adapter
        outcome = self._answer(lambda: (adapter.fault if is_fault else adapter.call)(event, arguments))
        if isinstance(outcome, NotPossible):
            self._figures.not_possible += 1
            self.declined.add(self.requests[-1])
            self._hold_denial(event, arguments)
            return
        if event in driving.brought_about:
            self.tracker.has_happened(event, arguments)
            self.declined.clear()
        for shown in outcome.events:
            self._hold(shown)
        if event not in driving.brought_about and not any(_is_of(e, event, arguments) for e in outcome.events):
            came = ", ".join(sorted({shown.event for shown in outcome.events})) or "nothing"
            problem = f"{event} was answered ok, but no event of it came, with these arguments; {came} came"
            raise NonconformingError(self._story.failed(Rejected(event, problem, len(self.tracker.states))))

    def _answer(self, ask: Callable[[], Outcome]) -> Outcome:
        try:
            self.outcome = outcome = ask()
        except AdapterError as problem:
            problem.story, problem.run = self._story.lines, self._story.as_requests
            raise
        self._story.answered(outcome)
        return outcome

    def _hold(self, event: Event) -> None:
        before = self.tracker.states
        answer = self.tracker.feed(event)
        if isinstance(answer, Rejected):
            raise NonconformingError(self._story.failed(answer, event))
        self._bench.reached(self.tracker.fit, before, event)
        self.declined.clear()
        self._story.happened(event)
        self._figures.count(event)

    def _hold_denial(self, event: str, arguments: Mapping[str, str]) -> None:
        driving = self._bench.driving
        if event in driving.may_decline or event in driving.brought_about:
            return
        answer = self.tracker.deny(event, arguments)
        if isinstance(answer, Rejected):
            raise NonconformingError(self._story.failed(answer))


def _is_of(shown: Event, event: str, arguments: Mapping[str, str]) -> bool:
    """Whether the event that came is the one that was asked for."""
    return shown.event == event and all(shown.arguments.get(name, word) == word for name, word in arguments.items())
