"""Proofs judge mutants: does the changed action still preserve each property that is declared inductive?

An inductive property must be preserved in every state that it and its given properties allow, reached or not, with
numbers of any size. So a proof also notices changes that no small configuration shows. `genstamp prove` checks the same
for all actions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from genstamp_model.language.model import Action, Instance
from genstamp_model.mutate.mutants import Mutant
from genstamp_model.prove import rooms
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding
from genstamp_model.prove.reliance import RANGES, relied_on
from genstamp_model.prove.report import Verdict
from genstamp_model.prove.solver import Solver

TIMEOUT_MS: Final = 2_000


class Inductive:
    """Judges mutants with the inductive properties of a model, for the sizes of one configuration.

    Args:
        instance: the unchanged model in the configuration.
        timeout_ms: the time for each question to the solver; without an answer in time, nothing is noticed.
    """

    def __init__(self, instance: Instance, timeout_ms: int = TIMEOUT_MS) -> None:
        self.instance = instance
        self._encoding = encoding = Encoding(instance)
        self._declared = relied_on(instance.model)
        self._claims = {one.name: encoding.claim(one) for one in self._declared}
        self._ranges = encoding.well_formed(RANGES)
        self._solver = Solver(encoding, self._ranges, timeout_ms)
        self._kept: dict[tuple[str, str], bool] = {}

    def notices(self, mutant: Mutant) -> str | None:
        """A property that the unchanged action preserves and the changed one does not; None if there is none."""
        if not mutant.action:
            return None
        own = self.instance.model.action(mutant.action)
        steps = list(self._encoding.steps_of(mutant.model.action(mutant.action)))
        for claim, given in self._asked():
            if self._verdict(claim, given, steps) is Verdict.VIOLATED and self._keeps(own, claim, given):
                return f"{claim.name} is not inductive"
        return None

    def _asked(self) -> Iterator[tuple[Claim, list[Claim]]]:
        """Each property with its given properties; the ranges come last, given all invariants."""
        for one in self._declared:
            yield self._claims[one.name], [self._claims[name] for name in one.given]
        yield self._ranges, [self._claims[one.name] for one in self._declared if one.kind == "invariant"]

    def _keeps(self, action: Action, claim: Claim, given: Sequence[Claim]) -> bool:
        key = action.name, claim.name
        if key not in self._kept:
            steps = list(self._encoding.steps_of(action))
            self._kept[key] = self._verdict(claim, given, steps) is Verdict.PROVED
        return self._kept[key]

    def _verdict(self, claim: Claim, given: Sequence[Claim], steps: Sequence[EncodedStep]) -> Verdict:
        """Violated if some step violates the claim, else undetermined if some step is, else proved."""
        found = Verdict.PROVED
        for step in steps:
            verdict = self._solver.ask(claim, step, given).verdict
            if verdict is Verdict.VIOLATED:
                return verdict
            if verdict is Verdict.UNDETERMINED:
                found = verdict
        return found


def inductive(instances: Sequence[Instance]) -> list[Inductive]:
    """One judge for each choice of sizes and of room for messages and elements among instances of a model."""
    chosen: dict[tuple[object, ...], Instance] = {}
    for one in instances:
        chosen.setdefault((*sorted(one.configuration.sizes.items()), *rooms(one).items()), one)
    return [Inductive(one) for one in chosen.values()]
