"""Judges many mutants together, in the cheapest order.

The cheap configurations are searched one after the other. In each, only mutants that differ in some state are judged. A
mutant that a claim notices is done; one that only the lock notices goes on. Before the expensive configurations are
searched, proofs sort out unnoticed mutants that change nothing. At the end the mutants that differ in no reached state
are tried once more, with invariants that are found automatically.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from genstamp_model.explore.variants import Variants
from genstamp_model.language.model import Configuration, Instance, Model
from genstamp_model.mutate.below import Below
from genstamp_model.mutate.differences import differing
from genstamp_model.mutate.equivalence import Equivalence, equivalences
from genstamp_model.mutate.inductive import inductive
from genstamp_model.mutate.judging import (
    PROOFS,
    REFINEMENT,
    Baseline,
    Outcome,
    baseline,
    is_another,
    judge,
    liveness_changed,
)
from genstamp_model.mutate.mutants import Mutant
from genstamp_model.mutate.never import never_differ

T = TypeVar("T")


class Share(Protocol):
    """Does a task with each mutant, and gives the results in their order; `told` names the task for the progress."""

    def __call__(self, task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterable[T]: ...


def in_turn(task: Callable[[Mutant], T], of: Sequence[Mutant], told: str) -> Iterable[T]:
    """Do the task with one mutant after the other, in this process."""
    return map(task, of)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C interrupted the judging of mutants.

    Attributes:
        outcomes: one a mutant, in their order; what was noticed by then was noticed, of the others nothing is known.
    """

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        super().__init__()
        self.outcomes = outcomes


class Rounds:
    """The outcomes of some mutants of a model so far.

    Args:
        model: the unchanged model.
        mutants: its mutants.
        every: run every judge, even after a claim has noticed a mutant.
        share: does the work on all mutants.

    Attributes:
        outcomes: one for each mutant, in their order.
    """

    def __init__(self, model: Model, mutants: Sequence[Mutant], *, every: bool = False, share: Share = in_turn) -> None:
        self.outcomes = [Outcome(one, {}, same=True) for one in mutants]
        self._model, self._every, self._share = model, every, share
        self._lived: set[int] = set()
        self._differ: dict[str, set[str]] = {}
        self._bases: dict[str, list[Baseline]] = {}
        self._proofs: list[Equivalence] = []

    def search(self, configuration: Configuration, *, dear: bool = False) -> None:
        """Judge the wanted mutants in one configuration.

        Args:
            configuration: where to search.
            dear: leave out mutants that the lock has noticed.

        Raises:
            ModelError: the unchanged model does not hold there, or a judge cannot decide.
        """
        places = [i for i, one in enumerate(self.outcomes) if self._wanted(one, dear)]
        places = self._differing(configuration, places)
        if not places:
            return
        bases, mutants = self._baseline(configuration), [self.outcomes[i].mutant for i in places]
        judged = self._share(lambda mutant: _seen(mutant, bases, self._every), mutants, configuration.name)
        for i, noticed in zip(places, judged, strict=True):
            if noticed is not None:
                self.outcomes[i] = self.outcomes[i].with_noticed(noticed)

    def _differing(self, configuration: Configuration, places: Sequence[int]) -> list[int]:
        """The mutants that differ in some state of the configuration; the others may still have another program."""
        if not places:
            return []
        found = differing(Instance(self._model, configuration), [self.outcomes[i].mutant for i in places])
        self._differ[configuration.name] = found
        rest = [i for i in places if self.outcomes[i].mutant.name not in found]
        for i in self._changed([configuration], [i for i in rest if self.outcomes[i].same]):
            self.outcomes[i] = replace(self.outcomes[i], same=False)
        return [i for i in places if self.outcomes[i].mutant.name in found]

    def judge_liveness(self, configuration: Configuration) -> None:
        """Judge liveness in one configuration, of unnoticed mutants, and once of those that only the lock noticed.

        Liveness takes as long as all other judges together, so proofs come first.
        """
        if self._every or all(claim.kind != "leads_to" for claim in self._model.properties):
            return
        places = [
            i
            for i, one in enumerate(self.outcomes)
            if self._wanted(one)
            and one.mutant.name in self._differ.get(configuration.name, ())
            and (i not in self._lived or not one.noticed)
        ]
        if not places:
            return
        [base] = self._baseline(configuration)

        def lives(mutant: Mutant) -> dict[str, str]:
            return liveness_changed(Instance(mutant.model, configuration), base)

        judged = self._share(lives, [self.outcomes[i].mutant for i in places], f"liveness in {configuration.name}")
        for i, noticed in zip(places, judged, strict=True):
            self._lived.add(i)
            where = {name: f"{configuration.name}: {seen}" for name, seen in noticed.items()}
            self.outcomes[i] = self.outcomes[i].with_noticed(where)

    def _baseline(self, configuration: Configuration) -> list[Baseline]:
        if configuration.name not in self._bases:
            self._bases = {configuration.name: baseline(self._model, [configuration])}
        return self._bases[configuration.name]

    def prove_same(self, configurations: Sequence[Configuration]) -> None:
        """Try to prove that unnoticed mutants change nothing in any of the configurations."""
        left = [i for i, one in enumerate(self.outcomes) if not one.noticed and not one.proved]
        alike = [i for i in left if self.outcomes[i].same]
        changed = {*left} - {*alike} | {*self._changed(configurations, alike)}
        places = [i for i in left if i in changed]
        if not places:
            return
        instances = [Instance(self._model, one) for one in configurations]
        self._proofs, mutants = equivalences(instances), [self.outcomes[i].mutant for i in places]
        found = self._share(lambda one: _is_proved(self._proofs, one), mutants, "proofs that nothing is changed")
        for i, proved in zip(places, found, strict=True):
            self.outcomes[i] = replace(self.outcomes[i], same=False, proved=proved)

    def mark_alike(self) -> None:
        """Mark the unnoticed mutants that differ in no configuration."""
        seen = {name for found in self._differ.values() for name in found}
        for i, one in enumerate(self.outcomes):
            alike = not (one.noticed or one.same or one.proved or one.mutant.name in seen)
            self.outcomes[i] = replace(one, alike=alike)

    def prove_alike(self) -> None:
        """Try to prove, with invariants that are found, that mutants without a difference never differ."""
        places = [i for i, one in enumerate(self.outcomes) if one.alike]
        if not places or not self._proofs:
            return
        found = never_differ(self._proofs, [self.outcomes[i].mutant for i in places])
        for i in places:
            is_proved = self.outcomes[i].mutant.name in found
            self.outcomes[i] = replace(self.outcomes[i], proved=is_proved, alike=not is_proved)

    def judge_inductive(self, configurations: Sequence[Configuration]) -> None:
        """Judge the wanted mutants by induction, for the sizes of the configurations."""
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

    def judge_refinement(self, below: Below) -> None:
        """Judge the wanted mutants with a system that refines theirs."""
        places = [i for i, one in enumerate(self.outcomes) if not one.same and self._wanted(one)]
        if not places:
            return
        mutants = [self.outcomes[i].mutant for i in places]
        judged = self._share(lambda mutant: below.notices(mutant.model), mutants, f"refined by {below}")
        for i, seen in zip(places, judged, strict=True):
            if seen is not None:
                self.outcomes[i] = self.outcomes[i].with_noticed({REFINEMENT: seen})

    def _wanted(self, outcome: Outcome, dear: bool = False) -> bool:
        """Whether to go on judging a mutant; `dear` as in `search`."""
        unnoticed = not outcome.noticed if dear else not outcome.claimed
        return not outcome.proved and (self._every or unnoticed)

    def _changed(self, configurations: Sequence[Configuration], places: Sequence[int]) -> list[int]:
        """The mutants whose compiled program is not the model's own in some configuration."""
        variants = [Variants(Instance(self._model, one)) for one in configurations]

        def differs(mutant: Mutant) -> bool:
            return any(is_another(one, mutant) for one in variants)

        told = f"programs of {', '.join(one.name for one in configurations)}"
        found = self._share(differs, [self.outcomes[i].mutant for i in places], told)
        return [i for i, differing in zip(places, found, strict=True) if differing]


def _seen(mutant: Mutant, bases: Sequence[Baseline], every: bool) -> dict[str, str] | None:
    """What the judges notice of a mutant; None if its program is the model's own."""
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
    """Judge mutants of a model.

    Args:
        model: the unchanged model.
        mutants: its mutants.
        cheap: the configurations to search first, in this order.
        dear: the configurations to search, in this order, for mutants that are neither noticed nor proved the same.
        below: systems that refine the model's; they judge last.
        every: run every judge in every configuration; otherwise stop at the first claim that notices a mutant.
        proofs: try to prove that unnoticed mutants change nothing.
        share: does the work on all mutants.

    Returns:
        One outcome for each mutant, in their order.

    Raises:
        ModelError: the unchanged model does not hold in a configuration, or a judge cannot decide.
        Interrupted: the keyboard has interrupted.
    """
    rounds = Rounds(model, mutants, every=every, share=share)
    try:
        _judge(rounds, cheap, dear, below, proofs=proofs)
    except KeyboardInterrupt:
        raise Interrupted(rounds.outcomes) from None
    return rounds.outcomes


def _judge(
    rounds: Rounds,
    cheap: Sequence[Configuration],
    dear: Sequence[Configuration],
    below: Sequence[Below],
    *,
    proofs: bool,
) -> None:
    for configuration in cheap:
        rounds.search(configuration)
    if proofs:
        rounds.prove_same([*cheap, *dear])
    rounds.judge_inductive([*cheap, *dear])
    for configuration in cheap:
        rounds.judge_liveness(configuration)
    for configuration in dear:
        rounds.search(configuration, dear=True)
        rounds.judge_liveness(configuration)
    for lower in below:
        rounds.judge_refinement(lower)
    rounds.mark_alike()
    rounds.prove_alike()
