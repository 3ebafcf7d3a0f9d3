"""The walk: one run after the other towards what no run has reached yet.

Each run goes by a shortest way to the nearest abstract transition that is missing, then to the next, as long as it gets
anywhere. Where the implementation does not follow, another way is looked for, a few times. Not here: the verdict on
what the implementation does, which is that of every run.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from genstamp.adapters import Cluster, NotPossible
from genstamp.stateful.figures import Figures
from genstamp.stateful.request import Request
from genstamp.stateful.run import Bench, Run
from genstamp.transitions import Graph, Reached, Transition
from genstamp.walk.ways import Ways

TRIES: Final = 24
"""An abstract transition is given up after this many ways to it that could not be walked to their end; a way that met
something that does not depend on time alone counts three times, as the next one meets it again.
"""

_ROW_TRIES: Final = 3
"""A step that could not be taken in this many runs is taken by no way any more."""

_ROW_TRIES_BY_CHANCE: Final = 8
"""The same where it depends on the way to it, if no run has taken it yet."""

_LONGEST_RUN: Final = 250
_MOST_STATES: Final = 200
_WAITS: Final = 5
"""How often a walk waits for spontaneous events."""


class Obstacle(NamedTuple):
    """Why a way could not be walked to its end.

    Attributes:
        call: the step at which the implementation did not follow.
        why: what it said or did instead.
    """

    call: str
    why: str


class Walker:
    """Walks through one configuration.

    Attributes:
        obstacles: of each abstract transition that was given up the last obstacle on a way to it.

    Args:
        bench: what all runs share; it must tell `reached`.
        graph: of the configuration.
        cluster: with as many members.
        reached: what was reached so far.
        figures: where to count.
        progress: called for every way that was walked.
    """

    def __init__(
        self,
        bench: Bench,
        graph: Graph,
        cluster: Cluster,
        reached: Reached,
        figures: Figures,
        progress: Callable[[], None] | None = None,
    ) -> None:
        self._bench, self._graph, self._cluster = bench, graph, cluster
        self._reached, self._figures, self._progress = reached, figures, progress
        self._ways = Ways(graph)
        self._all_ways: Ways | None = None
        self._missing = {
            number: transition
            for number, transition in enumerate(graph.steps.transitions)
            if transition in graph.abstract and transition not in reached.certain
        }
        self._ways.wanted[list(self._missing)] = True
        self.obstacles: dict[Transition, Obstacle] = {}
        self._chance = np.random.default_rng(0) if bench.driving.depends_on_way(cluster) else None
        self._tries: Counter[Transition] = Counter()
        self._row_tries: Counter[int] = Counter()
        self._walked: set[int] = set()
        self._blocked: list[int] = []
        self._reasons: dict[int, str] = {}
        self.run: Run | None = None

    def walk(self) -> None:
        """Walk until nothing that is missing can be had.

        Raises:
            AdapterError: the implementation can be driven no longer.
            NonconformingError: a run does not conform; it is `run`.
        """
        while self._way([0]) is not None:
            self._one_run()
            self._unblock()
            if self.run is None or not self.run.requests:
                return  # Runs do not begin where the model does.

    def obstacles_of(self, missing: Iterable[Transition]) -> dict[Transition, Obstacle]:
        """Why some abstract transitions were not reached.

        Where no way to it was tried, that is the first step of a shortest one that no way takes any more.
        """
        return {one: self.obstacles.get(one) or self._first_obstacle(one) for one in missing}

    def way_to(self, transition: Transition) -> tuple[str, ...]:
        """The calls of a shortest way to an abstract transition; the last call is the transition itself."""
        return tuple(self._graph.text(row) for row in self._shortest(transition))

    def _first_obstacle(self, transition: Transition) -> Obstacle:
        way = self._shortest(transition)
        row = next((row for row in way if not self._ways.usable[row]), way[-1])
        return Obstacle(self._graph.text(row), self._reasons.get(row, "no run came this far"))

    def _shortest(self, transition: Transition) -> list[int]:
        if self._all_ways is None:
            self._all_ways = Ways(self._graph)
        self._all_ways.wanted[:] = False
        self._all_ways.wanted[self._graph.steps.transitions.index(transition)] = True
        way = self._all_ways.shortest([0])
        assert way is not None, "an abstract transition of the graph is of one of its steps"
        return way

    def _one_run(self) -> None:
        run = self.run = Run(self._bench, replace(self._cluster, seed=self._figures.examples), self._figures)
        run.start()
        while len(run.requests) < _LONGEST_RUN:
            places = self._places(run)
            way = self._way(places) if places else None
            if way is None:
                return
            self._follow(run, way)
            if self._progress is not None:
                self._progress()

    def _way(self, places: list[int]) -> list[int] | None:
        for number, transition in [*self._missing.items()]:
            if transition in self._reached.certain or self._tries[transition] >= TRIES:
                del self._missing[number]
                self._ways.wanted[number] = False
        return self._ways.shortest(places, self._chance)

    def _places(self, run: Run) -> list[int]:
        """The states of the graph in which a run can be."""
        states = run.tracker.states
        found = (self._graph.place(state) for state in states) if len(states) <= _MOST_STATES else ()
        return [place for place in found if place is not None]

    def _follow(self, run: Run, way: list[int]) -> None:
        """Walk a way as far as the implementation follows."""
        target = self._graph.steps.transitions[self._graph.transitions[way[-1]]]
        position = 0
        while position < len(way):
            rows = self._at_once(way[position:])
            row, is_last = rows[-1], position + len(rows) == len(way)
            self._take(run, rows)
            if is_last and target in self._reached.certain:
                return
            if is_last or not self._has_come_to(run, int(self._graph.targets[row])):
                # Where the way depends on chance, a step that came to its end unsure may be sure from another state.
                is_unsure = is_last and self._chance is not None
                is_cheap = self._is_timed(row) or self._bench.driving.settings > 1 or is_unsure
                self._tries[target] += 1 if is_cheap else 3
                self._reasons[row] = self._why(run, row, target, is_last=is_last)
                self.obstacles[target] = Obstacle(self._graph.text(row), self._reasons[row])
                self._block(row)
                return
            if self._chance is not None:
                self._walked.update(rows)
            position += len(rows)

    def _at_once(self, way: list[int]) -> list[int]:
        """The first step of a way, with those after it that only need more time."""
        rows = way[:1]
        for row in way[1:]:
            if not (self._is_timed(rows[-1]) and self._is_timed(row)):
                break
            rows.append(row)
        return rows

    def _has_come_to(self, run: Run, place: int) -> bool:
        return place in self._places(run)

    def _is_timed(self, row: int) -> bool:
        """Whether only time brings a step about."""
        return self._graph.steps.calls[self._graph.calls[row]].action.name in self._bench.driving.clock

    def _take(self, run: Run, rows: list[int]) -> None:
        """Ask for a step, or wait for it, or for some that all need time."""
        call = self._graph.steps.calls[self._graph.calls[rows[-1]]]
        action, driving = call.action, self._bench.driving
        if self._is_timed(rows[-1]):
            self._wait(run, rows)
        elif action.event in driving.spontaneous:
            shown = self._figures.events
            for _ in range(_WAITS):
                run.request(Request(ms=min(driving.ticks_ms)))
                if self._figures.events > shown:
                    return
        elif action.name in driving.brought_about:
            said = zip(action.parameters, call.arguments, strict=True)
            words = tuple((p.name, run.tracker.fit.names.text(value, p.type)) for p, value in said)
            run.request(Request(action.name, words))
        elif not action.hidden or action.name in driving.told_apart:
            event = driving.told_apart.get(action.name, action.event)
            run.request(Request(event, run.tracker.fit.words(action, call.arguments)))

    def _wait(self, run: Run, rows: list[int]) -> None:
        """Let enough time pass that some steps have happened: all at once if possible, as then it is certain."""
        calls = [self._graph.steps.calls[self._graph.calls[row]] for row in rows]
        timers = [self._bench.driving.clock[call.action.name] for call in calls]
        if len(rows) > 1:
            run.request(Request(ms=max(timer.latest_ms for timer in timers) + 1))
            return
        [timer] = timers
        others, pauses = self._kept_waiting(run, calls[0].action.name)
        self._pass(run, timer.soonest_ms + 1, others, pauses)
        if timer.latest_ms > timer.soonest_ms and not self._has_come_to(run, int(self._graph.targets[rows[-1]])):
            self._pass(run, timer.latest_ms - timer.soonest_ms + 1, others, pauses)

    def _pass(self, run: Run, ms: int, others: list[Request], pauses_ms: int) -> None:
        """Let time pass, with pauses in which requests are made that put other things off."""
        pieces = ms // pauses_ms + 1 if others else 1
        for _ in range(pieces):
            for request in others:
                run.request(request)
            run.request(Request(ms=ms // pieces + 1 if others else ms))

    def _kept_waiting(self, run: Run, action: str) -> tuple[list[Request], int]:
        """A step that postpones other timed steps, and changes nothing; and how soon it must."""
        clock, fit = self._bench.driving.clock, run.tracker.fit
        found: dict[Request, int] = {}
        for state in run.tracker.states:
            for step, _ in fit.hidden(state):
                timer = clock.get(step[0])
                if timer is None or step[0] == action or timer.put_off_by is None:
                    continue
                for event, argument in timer.put_off_by.items():
                    found |= {
                        Request(event, offer.arguments): timer.soonest_ms
                        for offer in fit.offers(state, event)
                        if argument is not None
                        and dict(offer.arguments).get(argument) in fit.members_of(step)
                        and offer.refused_with is None
                        and not offer.changes
                    }
        return list(found), min(found.values(), default=0)

    def _why(self, run: Run, row: int, target: Transition, *, is_last: bool) -> str:
        """Why the run is not where a step leads, or not for certain."""
        action, driving = self._graph.steps.calls[self._graph.calls[row]].action, self._bench.driving
        if self._is_timed(row):
            return "something else happened in the time that it needs"
        if action.hidden and action.name not in driving.brought_about | driving.told_apart.keys():
            return "nobody can be asked for it, and it did not happen"
        if isinstance(run.outcome, NotPossible):
            return f"not possible now: {run.outcome.why}"
        if action.event in driving.spontaneous and not run.outcome.events:
            reason = driving.may_not_come.get(action.event)
            return "it was waited for and did not come" + (f": {reason}" if reason else "")
        if is_last and target in self._reached.possible:
            return "it may have been another transition: the states in which the run could be differ in it"
        return "the implementation went on otherwise, as the model allows"

    def _block(self, row: int) -> None:
        """Take a step no more: in this run, or ever, unless another way to it may do."""
        self._ways.usable[row] = False
        self._row_tries[row] += 1
        by_chance = self._chance is not None
        most = _ROW_TRIES_BY_CHANCE if by_chance else max(_ROW_TRIES, self._bench.driving.settings)
        if row in self._walked or self._row_tries[row] < most:
            self._blocked.append(row)

    def _unblock(self) -> None:
        for row in self._blocked:
            self._ways.usable[row] = True
        self._blocked.clear()
