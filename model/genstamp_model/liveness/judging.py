"""Does what is owed always follow? Every leads-to property of an instance, judged on all its reachable states.

A property `here ~> there` is broken by a behaviour that comes to a state where `here` holds, and from there on never to
one where `there` does, although it treats every fair instance fairly (`fairness`). A behaviour is infinite; it may
stutter, so it may also stay in a state for ever where no fair instance is enabled. Within a finite graph, a fair
behaviour ends in a component that is strongly connected and fair (`components`), and such a component gives a lasso.

What limits cut off is honoured both ways. A step that is cut off is enabled in the protocol, so a lasso is only found
where it is fair in spite of it. And a behaviour that goes on beyond a limit is not known: where something is owed in a
state from which a step is cut off, and there is no lasso within the limits, the property is undetermined. It holds
where what is owed within the limits is also done within them. What begins beyond them is not judged.

Left out: symmetry. A cycle of orbits need not be a cycle of states, and who was treated fairly is forgotten.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore.memory import available_bytes
from genstamp_model.explore.native import machine_code
from genstamp_model.explore.result import Verdict
from genstamp_model.explore.search import Compiled, Search
from genstamp_model.language.model import Instance, Property
from genstamp_model.liveness.emit import Obligation, Program, program
from genstamp_model.liveness.fairness import FairInstance, fair_instances, labels_of
from genstamp_model.liveness.graph import Index, Pending, Trap, Traps, pending
from genstamp_model.liveness.lasso import Lasso, owed_since, replay, shown_obligation
from genstamp_model.path import Path

# Most bytes that a state takes while all are brought in order, besides its words and their copy: its place, the order
# of places and a copy of it, and its share of the index.
_BYTES_A_PLACE = 24 + 32


@dataclass(frozen=True)
class Liveness:
    """What is known of one leads-to property, for all its members together.

    Attributes:
        reason: why it is undetermined, in words; empty otherwise.
        lasso: a behaviour that breaks it, where it is violated.
        cut: where it is undetermined because of limits, a path to a pending state from which a step is cut off.
        states: of the whole search.
        pending: states in which something is owed, summed over all members.
        steps: between those.
        components: strongly connected ones of those.
        seconds: of this property alone, without the search.
        renumbered: whether it was judged with ordered numbers by rank.
    """

    instance: Instance
    claim: Property
    verdict: Verdict
    reason: str = ""
    lasso: Lasso | None = None
    cut: Path | None = None
    states: int = 0
    pending: int = 0
    steps: int = 0
    components: int = 0
    seconds: float = 0.0
    renumbered: bool = False


def judge(
    instance: Instance,
    *,
    renumber: bool = False,
    symmetry: bool = False,
    max_states: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> tuple[Liveness, ...]:
    """Judge every leads-to property of an instance, in the order in which they are declared.

    Invariants and the like are not looked at: a leads-to is judged also where one of them breaks. Where the
    configuration says so, what limits leave open is judged once more with ordered numbers by rank: a limit then bounds
    how many different numbers there are at once, so what is decided then is decided.

    Args:
        renumber: replace ordered numbers by their ranks from the beginning, as in `explore`.
        symmetry: refused.
        max_states: give up with more distinct states than this; by default with as many as memory holds.
        progress: called now and then with what is being done, and how many states are done.

    Raises:
        ConfigurationError: symmetry is asked for, ordered numbers cannot be renumbered, or the instance computes
            numbers that do not fit a machine word.
    """
    claims = [claim for claim in instance.model.properties if claim.kind == "leads_to"]
    if symmetry:
        raise ConfigurationError(
            "a leads-to property cannot be judged with symmetry, which forgets who was treated fairly; leave it out"
        )
    if not claims:
        return ()
    told = progress or (lambda doing, states: None)
    found = _Judge(instance, renumber, max_states, told).judge_all(claims)
    if renumber or not instance.configuration.renumber or all(one.cut is None for one in found):
        return found
    ranked = _Judge(instance, True, max_states, told).judge_all(claims)
    return tuple(
        one if one.cut is None else replace(again, renumbered=True) for one, again in zip(found, ranked, strict=True)
    )


class _Judge:
    def __init__(
        self, instance: Instance, renumber: bool, max_states: int | None, told: Callable[[str, int], None]
    ) -> None:
        self._instance = instance
        self._evaluator = Evaluator(instance)
        self._told = told
        # Nothing but a step that goes wrong may end the search early.
        claims = tuple(claim for claim in instance.model.properties if claim.kind == "leads_to")
        bare = Instance(replace(instance.model, properties=claims, may_stop=None), instance.configuration)
        compiled = Compiled(bare, renumber=renumber)
        self._canonical = compiled.canonical
        self._search = Search(compiled, max_states)

    def judge_all(self, claims: list[Property]) -> tuple[Liveness, ...]:
        result = self._search.run(progress=lambda progress: self._told("searching", progress.states))
        if result.verdict is not Verdict.HOLDS:
            why = result.undetermined or "a step goes wrong before all states are found"
            return tuple(
                Liveness(self._instance, claim, Verdict.UNDETERMINED, why, states=result.states) for claim in claims
            )
        self._states, self._generated = result.states, result.generated
        compiled = program(self._instance, self._canonical.renumbering)
        engine = machine_code(compiled.text)
        try:
            index = self._index(compiled.layout.words)
        except MemoryError:
            return tuple(self._out_of_memory(claim) for claim in claims)
        found = []
        for claim in claims:
            started = time.perf_counter()
            try:
                judged = self._judge(claim, index, compiled, engine.get_function_address)
            except MemoryError:
                judged = self._out_of_memory(claim)
            found.append(replace(judged, seconds=time.perf_counter() - started))
        return tuple(found)

    def _index(self, words: int) -> Index:
        """Every state, in the order of places: what comes first is near the initial state.

        Raises:
            MemoryError: they do not fit; those of a search may stand in files.
        """
        if self._states * (16 * words + _BYTES_A_PLACE) > available_bytes():
            raise MemoryError
        places = self._search.places()
        order = np.argsort(places)
        self._places, self._store = places[order], self._search.states()[order]
        return Index(self._store, self._told)

    def _out_of_memory(self, claim: Property) -> Liveness:
        why = "the memory is used up"
        return Liveness(self._instance, claim, Verdict.UNDETERMINED, why, states=self._states)

    def _judge(self, claim: Property, index: Index, compiled: Program, address: Callable[[str], int]) -> Liveness:
        """One property: the first members for which it is violated decide, then those that are undetermined."""
        fair = fair_instances(self._instance, claim)
        labels = labels_of(self._instance, compiled.steps, fair)
        so_far = Liveness(self._instance, claim, Verdict.HOLDS, states=self._states)
        for number, obligation in enumerate(compiled.obligations):
            if obligation.claim is not claim:
                continue
            function = address(f"obligation{number}")
            graph = pending(index, function, address("edges"), labels, self._generated, self._told)
            self._told("components", len(graph))
            traps = Traps(graph, fair)
            trap = traps.find(self._distances(graph)) if len(graph) else None
            so_far = replace(
                so_far,
                pending=so_far.pending + len(graph),
                steps=so_far.steps + len(graph.steps),
                components=so_far.components + traps.components,
            )
            if trap is not None:
                lasso = self._lasso(obligation, graph, trap, fair)
                return replace(so_far, verdict=Verdict.VIOLATED, lasso=lasso, reason="", cut=None)
            if graph.is_cut.any() and so_far.verdict is Verdict.HOLDS:
                so_far = self._undetermined(so_far, obligation, graph)
        return so_far

    def _undetermined(self, so_far: Liveness, obligation: Obligation, graph: Pending) -> Liveness:
        first = int(np.argmax(graph.is_cut))
        path = self._way_to(graph, first)
        state = path.states[-1]
        beyond = {
            name
            for step in self._evaluator.whole_steps(state)
            if step.after != state
            for name in self._canonical.beyond(self._evaluator, step.after)
        }
        name = shown_obligation(self._evaluator, obligation)
        reason = (
            f"what happens beyond limit {' and '.join(sorted(beyond))} is not known, and {name} can be owed there: "
            f"it is in {int(np.count_nonzero(graph.is_cut))} states with steps that are cut off"
        )
        return replace(so_far, verdict=Verdict.UNDETERMINED, reason=reason, cut=path)

    def _lasso(self, obligation: Obligation, graph: Pending, trap: Trap, fair: list[FairInstance]) -> Lasso:
        prefix = self._way_to(graph, trap.entry)
        rows = [self._row(graph, graph.target(step)) for step in trap.cycle]
        wanted = [fair[graph.label(step) - 1] if graph.label(step) else None for step in trap.cycle]
        cycle = replay(self._evaluator, self._canonical, prefix.states[-1], rows, wanted)
        owed = owed_since(self._evaluator, obligation, prefix)
        renumbered = cycle.states[-1] != cycle.initial
        assert not renumbered or self._canonical.renumbering, "the cycle is not closed"
        lasso = Lasso(obligation, prefix, cycle, owed, tuple(fair), renumbered)
        lasso.check()
        return lasso

    def _way_to(self, graph: Pending, state: int) -> Path:
        """A path to a pending state, through one where the obligation arises."""
        rows = self._rows_to(graph, state)[1:]
        return replay(self._evaluator, self._canonical, self._evaluator.initial(), rows, [None] * len(rows))

    def _distances(self, graph: Pending) -> Callable[[int], int]:
        return lambda state: len(self._rows_to(graph, state))

    def _rows_to(self, graph: Pending, state: int) -> list[list[int]]:
        """The rows of the states on a way to a pending state, the initial one first."""
        first, *others = graph.way_to(state)
        way = self._search.way_to(int(self._places[graph.places[first]]))
        return [*way, *(self._row(graph, other) for other in others)]

    def _row(self, graph: Pending, state: int) -> list[int]:
        words: list[int] = self._store[graph.places[state]].tolist()
        return words
