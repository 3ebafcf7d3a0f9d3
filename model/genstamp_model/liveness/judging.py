"""Judges every leads-to property of an instance on all its reachable states.

A fair behaviour violates `here ~> there` if it reaches a state where `here` holds, and from then on no state where
`there` holds. A behaviour is infinite and may stutter, so it may stay for ever in a state where no fair instance is
enabled. In a finite graph a fair behaviour ends in a component that is strongly connected and fair (`components`), and
such a component gives a lasso.

A step that a limit cuts off is enabled in the protocol: a lasso has to be fair to it. The behaviour beyond a limit is
unknown: if an obligation is open in a state with a cut step, and there is no lasso within the limits, the property is
undetermined. It holds if every obligation that arises within the limits is also met within them. Obligations that arise
beyond the limits are not judged.

Not here: symmetry. A cycle of orbits need not be a cycle of states, and fairness to single members is lost.
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

# The most bytes of a state while all are sorted, besides its words and their copy: its place, the order of places and a
# copy of it, and its share of the index.
_BYTES_A_PLACE = 24 + 32


@dataclass(frozen=True)
class Liveness:
    """The result for one leads-to property, over all its members.

    Attributes:
        instance: the instance.
        claim: the property.
        verdict: the verdict.
        reason: why it is undetermined; otherwise empty.
        lasso: a behaviour that violates it; None if it is not violated.
        cut: a path to a pending state with a cut step, if it is undetermined because of limits.
        states: the number of states of the whole search.
        pending: the number of states with an open obligation, summed over all members.
        steps: the number of steps between them.
        components: the number of their strongly connected components.
        seconds: the time for this property, without the search.
        renumbered: whether it was judged with ordered numbers replaced by their ranks.
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

    Other properties are not checked, and may be violated. If the configuration has `renumber`, properties that limits
    leave undetermined are judged again with ordered numbers replaced by their ranks. A limit then only bounds how many
    different numbers there are at once, so that verdict is valid.

    Args:
        instance: the instance.
        renumber: replace ordered numbers by their ranks from the beginning, as in `explore`.
        symmetry: refused.
        max_states: give up above this number of states; by default when memory is used up.
        progress: called now and then with the current task and the number of states done.

    Raises:
        ConfigurationError: symmetry is asked for, ordered numbers cannot be renumbered, or the instance computes
            numbers that do not fit a machine word.
    """
    claims = [claim for claim in instance.model.properties if claim.kind == "leads_to"]
    if symmetry:
        raise ConfigurationError(
            "a leads-to property cannot be checked with symmetry, which loses the identity of members that fairness "
            "needs; search without symmetry"
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
        # Only a step that goes wrong may end the search early.
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
        """All states in the order of places, which begins near the initial states.

        Raises:
            MemoryError: they do not fit in memory; a search may keep its states in files.
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
        """Judge one property; the first members that violate it decide, else the first that are undetermined."""
        fair = fair_instances(self._instance, claim)
        labels = labels_of(self._instance, compiled.steps, fair)
        so_far = Liveness(self._instance, claim, Verdict.HOLDS, states=self._states)
        for number, obligation in enumerate(compiled.obligations):
            if obligation.claim is not claim:
                continue
            function = address(f"obligation{number}")
            again = {len(fair) + 1 + k: address(f"again{number}_{k}") for k in range(len(claim.again))}
            graph = pending(index, function, address("edges"), labels, self._generated, self._told, again)
            self._told("components", len(graph))
            traps = Traps(graph, fair, again)
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
        """A path to a pending state through a state where the obligation arises."""
        first, *rows = self._rows_to(graph, state)
        start = self._canonical.beginning(self._evaluator, first)
        return replay(self._evaluator, self._canonical, start, rows, [None] * len(rows))

    def _distances(self, graph: Pending) -> Callable[[int], int]:
        return lambda state: len(self._rows_to(graph, state))

    def _rows_to(self, graph: Pending, state: int) -> list[list[int]]:
        """The rows of the states on a path from the initial state to a pending state."""
        first, *others = graph.way_to(state)
        way = self._search.way_to(int(self._places[graph.places[first]]))
        return [*way, *(self._row(graph, other) for other in others)]

    def _row(self, graph: Pending, state: int) -> list[int]:
        words: list[int] = self._store[graph.places[state]].tolist()
        return words
