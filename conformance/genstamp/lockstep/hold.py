"""Checks simulated runs against a system: each entity has its own tracker; gives figures of the results.

Not here: printing, and the runs themselves, which are the implementation's.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from genstamp.events import Event
from genstamp.lockstep.projection import OVER, Entity, Happened, LeftOut, Perhaps, Projection
from genstamp.track import Answer, Conforms, Fit, Names, Rejected, Tracker, Undetermined, describe
from genstamp_model.evaluate import State
from genstamp_model.language.model import Model

MAX_STATES: Final = 5_000
"""More possible states of one entity than these leave it undetermined."""

Verdict = Literal["conforms", "rejected", "undetermined"]


@dataclass(frozen=True)
class Rejection:
    """A step that no state of the model explains.

    Attributes:
        seed: of the run.
        key: the entity.
        rejected: what is wrong.
        story: the entity's events so far, in lines, in the run's own words.
    """

    seed: int
    key: str
    rejected: Rejected
    story: tuple[str, ...]

    def lines(self) -> list[str]:
        """The rejection as a reader sees it."""
        told = [f"  {number:3}. {line}" for number, line in enumerate(self.story, 1)]
        return [f"seed {self.seed}, {self.key}:", *told, "  THIS DOES NOT CONFORM:", *self.rejected.lines()]


@dataclass
class Held:
    """The results of some runs.

    Attributes:
        runs: how many.
        events: how many events they had.
        judged: the number of these that were checked against the model; an event may concern several entities.
        entities: the number of entities that were checked.
        left_out: reason -> how many events.
        ended: reason -> the number of entities that were not checked to their end.
        lived: reason -> the number of entities that were checked until an event that their system does not cover ended
            them.
        undetermined: entities of which too many states were possible.
        largest: the most states possible at a time.
        rejections: entities that do not conform.
        seconds: wall time, of the runs and of judging them.
        interrupted: whether the keyboard has ended the work early.
    """

    runs: int = 0
    events: int = 0
    judged: int = 0
    entities: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    lived: Counter[str] = field(default_factory=Counter)
    undetermined: int = 0
    largest: int = 1
    rejections: list[Rejection] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False

    @property
    def verdict(self) -> Verdict:
        """Three-valued: a run that was given up is not a pass, and neither are runs without an event to check."""
        if self.rejections:
            return "rejected"
        return "undetermined" if self.undetermined or self.interrupted or not self.judged else "conforms"


class Holder:
    """Checks runs of one setting against a model; what is computed once serves all runs.

    Args:
        model: of one entity.
        projection: makes the projection of a run.
    """

    def __init__(self, model: Model, projection: Callable[[], Projection]) -> None:
        self.model = model
        self._projection = projection
        one = projection()
        names = Names(model, one.members, 1)
        self.fit = Fit(
            model,
            names,
            unseen=one.unseen,
            impossible=one.impossible,
            told_apart=one.told_apart,
            forgotten=one.forgotten,
        )

    def hold(self, seed: int, events: Sequence[Event], held: Held, watch: "Watch | None" = None) -> None:
        """Check the events of one run against the model."""
        projection = self._projection()
        following: dict[str, _Following] = {}
        over: set[str] = set()
        held.runs += 1
        held.events += len(events)
        for event, projected in projection.project(events):
            is_judged = False
            for one in projected:
                if isinstance(one, LeftOut):
                    held.left_out[one.reason] += 1
                    if one.key is not None and one.key in following and one.key not in over:
                        over.add(one.key)
                        (held.lived if one.is_end else held.ended)[one.reason] += 1
                elif one.key in over:
                    held.left_out[OVER] += 1
                else:
                    is_judged = True
                    one_following = following.get(one.key)
                    if one_following is None:
                        tracker = Tracker(self.model, projection.members, 1, max_states=MAX_STATES, fit=self.fit)
                        one_following = following[one.key] = _Following(tracker)
                    answer = one_following.feed(event, one, watch)
                    if not isinstance(answer, Conforms):
                        over.add(one.key)
                        self._failed(seed, one.key, one_following, answer, held)
            held.judged += is_judged
        held.entities += len(following)
        held.largest = max([held.largest, *(one.tracker.largest for one in following.values())])

    def hold_seeds(
        self,
        seeds: Iterable[int],
        simulated: Callable[[int], Sequence[Event]],
        watch: "Watch | None" = None,
        progress: Callable[[Held], None] | None = None,
    ) -> Held:
        """Run seeds, and check each run against the model.

        Args:
            seeds: of the runs.
            simulated: gives the events of a seed's run.
            watch: called for every step that fits.
            progress: called before each run with the results so far.
        """
        held = Held()
        began = time.monotonic()
        try:
            for seed in seeds:
                if progress is not None:
                    progress(held)
                self.hold(seed, simulated(seed), held, watch)
        except KeyboardInterrupt:
            held.interrupted = True
        held.seconds = time.monotonic() - began
        return held

    def _failed(self, seed: int, key: str, following: "_Following", answer: Answer, held: Held) -> None:
        if isinstance(answer, Undetermined):
            held.undetermined += 1
        elif isinstance(answer, Rejected):
            held.rejections.append(Rejection(seed, key, answer, tuple(following.story)))


class _Following:
    """One entity of a run."""

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self._happened: list[Event] = []

    @property
    def story(self) -> Iterator[str]:
        """Its events in lines."""
        return (describe(event) for event in self._happened)

    def feed(self, event: Event, entity: Entity, watch: "Watch | None") -> Answer:
        """Check what the event means for the entity against the model."""
        self._happened.append(event)
        answer: Answer = Conforms(len(self.tracker.states))
        for step in entity.steps:
            if isinstance(step, Happened):
                answer = self.tracker.has_happened(step.action, step.members)
            elif isinstance(step, Perhaps):
                answer = self.tracker.may_have_happened(step.action, step.members)
            else:
                before = self.tracker.states
                answer = self.tracker.feed(step)
                if watch is not None and isinstance(answer, Conforms):
                    watch(self.tracker.fit, before, step)
            if not isinstance(answer, Conforms):
                break
        return answer


Watch = Callable[[Fit, Sequence[State], Event], None]
"""Called for every step that fits, with the states before it and the step."""
