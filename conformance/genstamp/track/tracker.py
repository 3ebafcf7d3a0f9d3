"""Checks the events of one run against a model: the set of states in which the run can be.

For each event the set is closed under the hidden actions, then each state takes every step that the event names, and
what the event shows filters the result. An empty set rejects the event; a set that grows too large ends in
"undetermined", never in a pass. Index sets are as large as the run says, numbers unbounded, limits ignored.

Not here: the order of events from several nodes: they are judged in the order in which they are fed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from genstamp.events import Event
from genstamp.track.fit import Fit
from genstamp.track.known import Call, HiddenStep, Known, Offer
from genstamp.track.names import Names
from genstamp.track.reason import Miss, closest
from genstamp_model.evaluate import State
from genstamp_model.language.model import Model

MAX_STATES = 20_000
_SHOWN_MISSES = 3


@dataclass(frozen=True)
class Timer:
    """When time brings a hidden action about.

    Attributes:
        soonest_ms: the action must have been possible for so long.
        latest_ms: it has happened if more time than this has passed and nothing else happened.
        due_ms: it has happened once it was surely possible for more time than this, regardless of other events, except
            those that postpone it; by default `latest_ms`.
        put_off_by: events that make it wait again, by default perhaps all: each with the argument that names a member
            of the action, so that it surely does unless it is refused, or None if it only may.
    """

    soonest_ms: int
    latest_ms: int
    due_ms: int | None = None
    put_off_by: Mapping[str, str | None] | None = None

    def is_over(self, passed_ms: float, sure_ms: float) -> bool:
        """Whether it has happened when so much time has passed, and it was surely possible for so long."""
        return self.latest_ms < passed_ms or (self.latest_ms if self.due_ms is None else self.due_ms) < sure_ms


@dataclass(frozen=True)
class Conforms:
    """The event fits.

    Attributes:
        states: in how many states the run can be after it.
    """

    states: int


@dataclass(frozen=True)
class Undetermined:
    """More states fit than the tracker may keep; nothing is known from here on.

    Attributes:
        states: how many it had found when it gave up.
    """

    states: int


@dataclass(frozen=True)
class Rejected:
    """The event fits no state in which the run can be.

    Attributes:
        event: name of the event.
        problem: what is wrong, in a sentence.
        states: in how many states the run could be before it, hidden actions included.
        misses: the steps of the model that came closest, each with the number of states in which it did.
        allowed: what the model answers to this call instead, the commonest answer first; None stands for "performs it".
    """

    event: str
    problem: str
    states: int
    misses: tuple[tuple[Miss, int], ...] = ()
    allowed: tuple[str | None, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the checks that failed in the states that came closest."""
        return tuple(dict.fromkeys(miss.label for miss, _ in self.misses if miss.label is not None))

    def lines(self) -> list[str]:
        """The rejection as a reader sees it."""
        shown = [self.problem]
        for miss, count in self.misses[:_SHOWN_MISSES]:
            first, *rest = miss.lines()
            shown += [f"  in {count} of {self.states} possible states: {first}", *(f"  {line}" for line in rest)]
        if len(self.misses) > _SHOWN_MISSES:
            shown.append(f"  and {len(self.misses) - _SHOWN_MISSES} more that came as close")
        answers = ["performs it" if answer is None else f"refuses it with {answer}" for answer in self.allowed]
        if answers:
            shown.append(f"  the model {' or '.join(answers)}")
        elif self.misses:
            shown.append("  the model cannot do this now")
        return shown


Answer = Conforms | Rejected | Undetermined


class Tracker:
    """The states in which one run can be.

    Args:
        model: the model that the run is checked against.
        members: names of the run's members by base name of the index set, as `Names` takes them.
        first_stamp: the first generation stamp that the run hands out.
        max_states: more than these are not kept.
        clock: when hidden actions happen that only the passing of time brings about: in `time_passes` only, and by the
            timers given by name. By default time passes unseen.
        fit: remembered steps of an earlier tracker of the same model and names.
    """

    def __init__(
        self,
        model: Model,
        members: Mapping[str, Sequence[str]],
        first_stamp: int,
        *,
        max_states: int = MAX_STATES,
        clock: Mapping[str, Timer] | None = None,
        fit: Fit | None = None,
    ) -> None:
        self.fit = fit or Fit(model, Names(model, members, first_stamp))
        self._max_states = max_states
        self._clock = dict(clock or {})
        self._waiting_ms: dict[HiddenStep, float] = {}
        self._sure_ms: dict[HiddenStep, float] = {}
        self._states: dict[State, None] | None = dict.fromkeys(self.fit.initials())
        self.largest = len(self._states)
        self._listed_of: dict[State, None] = {}
        self._listed: tuple[State, ...] = ()
        self._asked: dict[int, list[Known]] = {}
        self._passing_ms: float | None = None
        self._fed = 0
        self._close()
        if len(self._states) > self._max_states:
            self.largest, self._states = len(self._states), None

    @property
    def states(self) -> tuple[State, ...]:
        """The states in which the run can be, in a fixed order; none once it is rejected or undetermined."""
        states = self._states or {}
        # A set of states is made anew or grows.
        if self._listed_of is not states or len(self._listed) != len(states):
            self._listed_of, self._listed = states, tuple(states)
            self._asked = {}
        return self._listed

    @property
    def is_undetermined(self) -> bool:
        """Whether more states fitted than may be kept."""
        return self._states is None

    def feed(self, event: Event) -> Answer:
        """Check the next event against the model.

        Raises:
            EvaluationError: the model computes a value outside its declared range.
        """
        if self._states is None:
            return Undetermined(self.largest)
        self._fed += 1
        before = tuple(self._states)
        problem = self._not_in_model(event)
        if problem is not None:
            self._states = {}
            return Rejected(event.event, problem, len(before))
        self._states = dict.fromkeys(after for state in before for after in self.fit.after(state, event))
        if not self._states:
            return self._rejected(event, before)
        self._sure_ms = {step: ms for step, ms in self._sure_ms.items() if not self._may_put_off(event, step)}
        self._waiting_ms = {step: ms for step, ms in self._waiting_ms.items() if not self._puts_off(event, step)}
        return self._settled()

    def _may_put_off(self, event: Event, step: HiddenStep) -> bool:
        """Whether an event may make a hidden step wait again."""
        by = self._clock[step[0]].put_off_by
        return by is None or (event.event in by and (by[event.event] is None or self._puts_off(event, step)))

    def _puts_off(self, event: Event, step: HiddenStep) -> bool:
        """Whether an event surely makes a hidden step wait again."""
        argument = (self._clock[step[0]].put_off_by or {}).get(event.event)
        named = None if argument is None else event.arguments.get(argument)
        return event.refused_with is None and named in self.fit.members_of(step)

    def has_happened(self, action: str, members: Mapping[str, str]) -> Answer:
        """Time has caused an action that nobody shows: where it is possible, it has happened.

        Args:
            action: its name.
            members: its arguments in the run's words.
        """
        if self._states is None:
            return Undetermined(self.largest)
        self._states = dict.fromkeys(self.fit.brought_about(state, action, members) for state in self._states)
        return self._settled()

    def may_have_happened(self, action: str, members: Mapping[str, str]) -> Answer:
        """An action without an event may have happened by now, if it is possible.

        Args:
            action: its name.
            members: its arguments in the run's words.
        """
        if self._states is None:
            return Undetermined(self.largest)
        self._states.update(dict.fromkeys(self.fit.brought_about(state, action, members) for state in self.states))
        return self._settled()

    def possible_calls(self, action: str) -> list[tuple[tuple[str, str], ...]]:
        """The arguments, in the run's terms, with which an action without an event is possible in some state."""
        return list(dict.fromkeys(words for state in self.states for words in self.fit.possible(state, action)))

    @contextmanager
    def time_passes(self, milliseconds: float) -> Iterator[None]:
        """Let time pass; the events that come meanwhile are fed inside.

        Clocked hidden actions may happen before, between and after them. If no event came, nothing can have put off
        what takes less than this time: the states in which it has not happened are dropped.
        """
        self._waiting_ms = {step: self._waiting_ms.get(step, 0.0) + milliseconds for step in self._waiting()}
        # Sure is only what is possible in each state, whichever the run is in.
        everywhere = self._waiting(in_each=True)
        self._sure_ms = {step: self._sure_ms.get(step, 0.0) + milliseconds for step in everywhere}
        self._passing_ms = milliseconds
        self._fed = 0
        self._settled()
        yield
        self._passing_ms = None
        if self._states and not self._fed:
            self._states = {
                state: None
                for state in self._states
                if not any(self._is_over(step, milliseconds) for step, _ in self.fit.hidden(state))
            }
            assert self._states, f"one of {', '.join(sorted(self._clock))} can happen for ever"
        # What has become possible meanwhile may have become so at once.
        self._waiting_ms = {step: self._waiting_ms.get(step, milliseconds) for step in self._waiting()}

    def _waiting(self, *, in_each: bool = False) -> set[HiddenStep]:
        """The hidden steps that wait for time to pass in some state, or in each."""
        waiting = [{step for step, _ in self.fit.hidden(state) if step[0] in self._clock} for state in self.states]
        return (set.intersection if in_each else set.union)(*waiting) if waiting else set()

    def _is_over(self, step: HiddenStep, passed_ms: float) -> bool:
        """Whether a hidden step must have happened, as nothing else did meanwhile."""
        timer = self._clock.get(step[0])
        return timer is not None and timer.is_over(passed_ms, self._sure_ms.get(step, 0.0))

    def _may_happen(self, step: HiddenStep) -> bool:
        """Whether a hidden step may happen now."""
        timer = self._clock.get(step[0])
        if timer is None:
            return True
        if self._passing_ms is None:
            return False
        return timer.soonest_ms <= self._waiting_ms.get(step, self._passing_ms)

    def deny(self, event: str, arguments: Mapping[str, str]) -> Answer:
        """Hold against the model that a step was said not to be possible now.

        That fits the states in which the call would change nothing. What a check would refuse, or what is done
        already, need not be asked at all: a client that knows better is free not to.
        """
        if self._states is None:
            return Undetermined(self.largest)
        before = tuple(self._states)
        self._states = dict.fromkeys(state for state in before if not self._can_change(state, event, arguments))
        if self._states:
            return self._settled()
        problem = (
            f"{event}({_listed(arguments)}) was said not to be possible, but in each of {len(before)} states it is"
        )
        return Rejected(event, problem, len(before), allowed=self._allowed(before, event, arguments))

    def _can_change(self, state: State, event: str, arguments: Mapping[str, str]) -> bool:
        return any(offer.changes for offer in self.fit.answers(state, event, arguments))

    def offers(self, event: str, most_states: int) -> list[tuple[Offer, float]]:
        """The model's present answers to the calls of an event, computed from some of the states.

        Args:
            event: its name.
            most_states: how many states are asked at most, spread over all of them.

        Returns:
            Each answer, and the share of the states asked that give it.
        """
        asked = self._asked_states(most_states)
        if len(asked) == 1:
            return [(offer, 1.0) for offer in self.fit.offers_at(asked[0], event)]
        found = Counter(offer for known in asked for offer in self.fit.offers_at(known, event))
        return [(offer, count / len(asked)) for offer, count in found.items()]

    def calls(self, event: str, most_states: int) -> list[Call]:
        """The calls of an event that the states answer, whether or not they change anything; else as `offers`."""
        asked = self._asked_states(most_states)
        return list(dict.fromkeys(call for known in asked for call in self.fit.calls_at(known, event)))

    def _asked_states(self, most_states: int) -> list[Known]:
        states = self.states
        asked = self._asked.get(most_states)
        if asked is None:
            step = max(1, -(-len(states) // most_states))
            asked = self._asked[most_states] = [self.fit.at(state) for state in states[::step]]
        return asked

    def _close(self) -> None:
        """Add every state that hidden steps lead to."""
        if self._states is None:
            return
        pending = list(self._states)
        while pending and len(self._states) <= self._max_states:
            for step, after in self.fit.hidden(pending.pop()):
                if after not in self._states and self._may_happen(step):
                    self._states[after] = None
                    pending.append(after)

    def _settled(self) -> Answer:
        """The answer to what was just done, after hidden actions that may happen at any time."""
        if self._states is None:
            return Undetermined(self.largest)
        self._close()
        count = len(self._states)
        self.largest = max(self.largest, count)
        if count > self._max_states:
            self._states = None
            return Undetermined(count)
        return Conforms(count)

    def _not_in_model(self, event: Event) -> str | None:
        """The parts of the event that the model does not cover."""
        if event.event not in self.fit.events:
            return f"the model has no event '{event.event}'; it has {', '.join(sorted(self.fit.events))}"
        unknown = self.fit.unknown_members(event)
        if unknown:
            return f"{event.event}: {unknown[0]}"
        extra = sorted(set(event.observed) - self.fit.shows(event.event))
        if extra:
            known = ", ".join(sorted(self.fit.shows(event.event))) or "nothing"
            return f"{event.event} shows '{extra[0]}', which the model does not have; it can show {known}"
        return None

    def _rejected(self, event: Event, before: Sequence[State]) -> Rejected:
        misses = closest(miss for state in before for miss in self.fit.misses(state, event))
        return Rejected(
            event=event.event,
            problem=f"{describe(event)} fits none of {len(before)} possible states",
            states=len(before),
            misses=tuple(misses),
            allowed=self._allowed(before, event.event, event.arguments),
        )

    def _allowed(self, before: Iterable[State], event: str, arguments: Mapping[str, str]) -> tuple[str | None, ...]:
        found: dict[str | None, int] = {}
        for state in before:
            for offer in self.fit.answers(state, event, arguments):
                found[offer.refused_with] = found.get(offer.refused_with, 0) + 1
        return tuple(sorted(found, key=lambda answer: -found[answer]))


def describe(event: Event) -> str:
    """An event in one line: `namenode: complete(client client1, file /a) refused with IOException`."""
    shown = {
        "generation_stamp": event.generation_stamp,
        "recovery_id": event.recovery_id,
        "num_bytes": event.num_bytes,
        **event.observed,
    }
    seen = ", ".join(f"{name} {value}" for name, value in shown.items() if value is not None)
    refused = f" refused with {event.refused_with}" if event.refused_with else ""
    return f"{event.node}: {event.event}({_listed(event.arguments)}){refused}{' shows ' + seen if seen else ''}"


def _listed(arguments: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in arguments.items())
