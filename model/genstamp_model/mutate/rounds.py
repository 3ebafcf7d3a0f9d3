"""Mutants judged together, in an order that makes a sample cheap.

The cheap configurations are tried one after the other, and a mutant that a claim notices is out; one that only the
lock notices goes on. Before the dear ones it is tried to prove of those that nothing notices that they change nothing:
only what may change something is searched where that takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from genstamp_model.explore.variants import Variants
from genstamp_model.language.model import Configuration, Instance, Model
from genstamp_model.mutate.below import Below
from genstamp_model.mutate.equivalence import Equivalence, equivalences
from genstamp_model.mutate.inductive import inductive
from genstamp_model.mutate.judging import PROOFS, REFINEMENT, Baseline, Outcome, baseline, judge, liveness_changed
from genstamp_model.mutate.mutants import Mutant

T = TypeVar("T")


class Share(Protocol):
    """Does something with each mutant, and gives the results in their order; `told` says what is done."""

    def __call__(self, task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterable[T]: ...


def in_turn(task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterable[T]:
    """One after the other, in this process."""
    return map(task, of)


class Rounds:
    """What became of some mutants of a model so far.

    Attributes:
        outcomes: one a mutant, in their order.
    """

    def __init__(self, model: Model, mutants: Sequence[Mutant], *, every: bool = False, share: Share = in_turn) -> None:
        self.outcomes = [Outcome(one, {}, same=True) for one in mutants]
        self._model, self._every, self._share = model, every, share
        self._lived: set[int] = set()
        self._bases: dict[str, list[Baseline]] = {}

    def searched(self, configuration: Configuration, *, dear: bool = False) -> None:
        """Judge in one configuration those that no claim has noticed, or with `every` all.

        Args:
            dear: leave out those that the lock has noticed.

        Raises:
            ModelError: the model itself does not hold there, or a judge has no memory to decide.
        """
        places = [i for i, one in enumerate(self.outcomes) if self._wanted(one, dear)]
        if not places:
            return
        bases, mutants = self._baseline(configuration), [self.outcomes[i].mutant for i in places]
        judged = self._share(lambda mutant: _seen(mutant, bases, self._every), mutants, configuration.name)
        for i, noticed in zip(places, judged, strict=True):
            if noticed is not None:
                self.outcomes[i] = self.outcomes[i].with_noticed(noticed)

    def lived(self, configuration: Configuration) -> None:
        """Judge liveness in one configuration, of those that nothing has noticed, and once of those of the lock alone.

        Another liveness takes as long as all other judges together: proofs come first.
        """
        if self._every or all(claim.kind != "leads_to" for claim in self._model.properties):
            return
        places = [
            i
            for i, one in enumerate(self.outcomes)
            if self._wanted(one) and not one.same and (i not in self._lived or not one.noticed)
        ]
        if not places:
            return
        [base] = self._baseline(configuration)

        def lives(mutant: Mutant) -> dict[str, str] | None:
            if not base.variants.changes(mutant.model.action(mutant.action)):
                return None
            return liveness_changed(Instance(mutant.model, configuration), base)

        judged = self._share(lives, [self.outcomes[i].mutant for i in places], f"liveness in {configuration.name}")
        for i, noticed in zip(places, judged, strict=True):
            if noticed is not None:
                self._lived.add(i)
                where = {name: f"{configuration.name}: {seen}" for name, seen in noticed.items()}
                self.outcomes[i] = self.outcomes[i].with_noticed(where)

    def _baseline(self, configuration: Configuration) -> list[Baseline]:
        if configuration.name not in self._bases:
            self._bases = {configuration.name: baseline(self._model, [configuration])}
        return self._bases[configuration.name]

    def proved(self, configurations: Sequence[Configuration]) -> None:
        """Try to prove of unnoticed mutants that they change nothing in any of the configurations."""
        left = [i for i, one in enumerate(self.outcomes) if not one.noticed and not one.proved]
        alike = [i for i in left if self.outcomes[i].same]
        changed = {*left} - {*alike} | {*self._changed(configurations, alike)}
        places = [i for i in left if i in changed]
        if not places:
            return
        instances = [Instance(self._model, one) for one in configurations]
        proofs, mutants = equivalences(instances), [self.outcomes[i].mutant for i in places]
        found = self._share(lambda mutant: _is_proved(proofs, mutant), mutants, "proofs that nothing is changed")
        for i, proved in zip(places, found, strict=True):
            self.outcomes[i] = replace(self.outcomes[i], same=False, proved=proved)

    def kept(self, configurations: Sequence[Configuration]) -> None:
        """Judge by induction those that no claim has noticed, or with `every` all; sizes as in the configurations."""
        places = [i for i, one in enumerate(self.outcomes) if self._wanted(one)]
        if not places or not any(claim.inductive for claim in self._model.properties):
            return
        proofs = inductive([Instance(self._model, one) for one in configurations])
        mutants = [self.outcomes[i].mutant for i in places]

        def seen(mutant: Mutant) -> str | None:
            found = ((one.instance.configuration.name, one.notices(mutant)) for one in proofs)
            return next((f"{name}: {said}" for name, said in found if said is not None), None)

        judged = self._share(seen, mutants, "proofs by induction")
        for i, said in zip(places, judged, strict=True):
            if said is not None:
                self.outcomes[i] = self.outcomes[i].with_noticed({PROOFS: said})

    def refined(self, below: Below) -> None:
        """Judge those that no claim has noticed by a system that refines theirs, or with `every` all."""
        places = [i for i, one in enumerate(self.outcomes) if not one.same and self._wanted(one)]
        if not places:
            return
        mutants = [self.outcomes[i].mutant for i in places]
        judged = self._share(lambda mutant: below.notices(mutant.model), mutants, f"refined by {below}")
        for i, seen in zip(places, judged, strict=True):
            if seen is not None:
                self.outcomes[i] = self.outcomes[i].with_noticed({REFINEMENT: seen})

    def _wanted(self, outcome: Outcome, dear: bool = False) -> bool:
        unnoticed = not outcome.noticed if dear else not outcome.claimed
        return not outcome.proved and (self._every or unnoticed)

    def _changed(self, configurations: Sequence[Configuration], places: Sequence[int]) -> list[int]:
        """Those whose compiled program is another one in some configuration."""
        variants = [Variants(Instance(self._model, one)) for one in configurations]

        def differs(mutant: Mutant) -> bool:
            return any(one.changes(mutant.model.action(mutant.action)) for one in variants)

        told = f"programs of {', '.join(one.name for one in configurations)}"
        found = self._share(differs, [self.outcomes[i].mutant for i in places], told)
        return [i for i, differing in zip(places, found, strict=True) if differing]


def _seen(mutant: Mutant, bases: Sequence[Baseline], every: bool) -> dict[str, str] | None:
    """What the judges see; None where the program is no other one."""
    outcome = judge(mutant, bases, every=every, live=False)
    return None if outcome.same else dict(outcome.noticed)


def _is_proved(proofs: Sequence[Equivalence], mutant: Mutant) -> bool:
    return all(one.proves(mutant) for one in proofs)


def judged(
    model: Model,
    mutants: Sequence[Mutant],
    cheap: Sequence[Configuration],
    dear: Sequence[Configuration] = (),
    *,
    below: Sequence[Below] = (),
    every: bool = False,
    proofs: bool = True,
    share: Share = in_turn,
) -> list[Outcome]:
    """What became of some mutants of a model.

    Args:
        cheap: configurations that are searched at once, in this order, for what no claim has noticed.
        dear: those that are searched, in this order, for what is then neither noticed nor proved to change nothing.
        below: systems that refine the model's, which are asked last, of what no claim has noticed.
        every: ask every judge in every configuration; otherwise the first claim that notices ends it.
        proofs: try to prove that what nothing has noticed changes nothing.
        share: who does the work.

    Raises:
        ModelError: the model itself does not hold in a configuration, or a judge has no memory to decide.
    """
    rounds = Rounds(model, mutants, every=every, share=share)
    for configuration in cheap:
        rounds.searched(configuration)
    if proofs:
        rounds.proved([*cheap, *dear])
    rounds.kept([*cheap, *dear])
    for configuration in cheap:
        rounds.lived(configuration)
    for configuration in dear:
        rounds.searched(configuration, dear=True)
        rounds.lived(configuration)
    for lower in below:
        rounds.refined(lower)
    return rounds.outcomes
