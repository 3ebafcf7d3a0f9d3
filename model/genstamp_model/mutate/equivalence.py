"""Proves that a mutant changes nothing: wherever the proved invariants hold, each of its steps is the model's own.

Numbers are unbounded and limits are ignored; index sets have the sizes of a configuration. Two steps are the same if
both are possible or neither is, they lead to the same state, and a refused caller gets the same exception. A mutant
without a proof may still change nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import z3

from genstamp_model.expand import Expansion
from genstamp_model.expand.steps import Step
from genstamp_model.language.model import Action, Instance
from genstamp_model.mutate.mutants import Mutant
from genstamp_model.prove import prove
from genstamp_model.prove.algebra import Term, lift, same
from genstamp_model.prove.encoding import Claim, Encoding
from genstamp_model.prove.reliance import RANGES
from genstamp_model.prove.report import Verdict

TIMEOUT_MS: Final = 2_000


class Equivalence:
    """Compares mutants with a model under its proved invariants.

    Args:
        instance: the unchanged model in one configuration; its invariants are proved first, where possible.
        timeout_ms: the time for each question to the solver.

    Attributes:
        encoding: the instance for the solver.
        facts: the proved invariants.
    """

    def __init__(self, instance: Instance, timeout_ms: int = TIMEOUT_MS) -> None:
        self.instance = instance
        self.encoding = Encoding(instance)
        self._solver = z3.Solver()
        self._solver.set("timeout", timeout_ms)
        report = prove(instance)
        if report.interrupted:
            raise KeyboardInterrupt
        proved = {proof.name for proof in (*report.proofs, *report.others) if proof.verdict is Verdict.PROVED}
        facts = [self.encoding.well_formed(RANGES)] if RANGES in proved else []
        invariants = (claim for claim in instance.model.properties if claim.kind == "invariant")
        facts += [self.encoding.claim(claim) for claim in invariants if claim.name in proved]
        self.facts: list[Claim] = facts
        for fact in facts:
            self._solver.add([conjunct.term for conjunct in fact.conjuncts])

    def proves(self, mutant: Mutant) -> bool:
        """Whether the mutant is proved to change nothing; of one that begins elsewhere that is never proved."""
        if not mutant.action:
            return False
        own = self._steps(self.instance.model.action(mutant.action))
        other = self._steps(mutant.model.action(mutant.action))
        return all(self._are_one(a, b) for a, b in zip(own, other, strict=True))

    def _steps(self, action: Action) -> Iterator[Step[Term]]:
        """The steps of an action, one for each choice of its arguments."""
        alone = replace(self.instance.model, actions=(action,))
        instance = Instance(alone, self.instance.configuration)
        return Expansion(instance, self.encoding.algebra, self.encoding.before).steps()

    def _are_one(self, own: Step[Term], other: Step[Term]) -> bool:
        differences = [lift(term) for term in self._differences(own, other)]
        return not differences or bool(self._solver.check(z3.Or(differences)) == z3.unsat)

    def _differences(self, own: Step[Term], other: Step[Term]) -> Iterator[Term]:
        a = self.encoding.algebra
        enabled, enabled_other = (a.and_([step.possible, *step.checks]) for step in (own, other))
        if not same(enabled, enabled_other):
            yield a.not_(a.eq(enabled, enabled_other))
        for mine, its in zip(own.next_cells, other.next_cells, strict=True):
            if not same(mine, its):
                yield a.and_([enabled, a.not_(a.eq(mine, its))])
        refusals, refusals_other = self._refusals(own), self._refusals(other)
        for name in {**refusals, **refusals_other}:
            mine, its = refusals.get(name, False), refusals_other.get(name, False)
            if not same(mine, its):
                yield a.not_(a.eq(mine, its))

    def _refusals(self, step: Step[Term]) -> dict[str, Term]:
        """The condition under which the step refuses with each exception."""
        a = self.encoding.algebra
        found: defaultdict[str, list[Term]] = defaultdict(list)
        earlier: list[Term] = [step.possible]
        for check, term in zip(step.action.checks, step.checks, strict=True):
            if check.refuses is not None:
                found[check.refuses].append(a.and_([*earlier, a.not_(term)]))
            earlier.append(term)
        return {name: a.or_(terms) for name, terms in found.items()}


def equivalences(instances: Sequence[Instance], timeout_ms: int = TIMEOUT_MS) -> list[Equivalence]:
    """One comparison for each choice of sizes and of room for messages and elements among instances of a model."""
    chosen = {(*sorted(one.configuration.sizes.items()), *Encoding(one).rooms.items()): one for one in instances}
    return [Equivalence(one, timeout_ms) for one in chosen.values()]
