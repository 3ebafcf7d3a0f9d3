"""What a proof for any size found: a table of obligations, and for each one that fails a step at some size."""

from __future__ import annotations

from dataclasses import dataclass

from genstamp_model.evaluate import Arguments, State
from genstamp_model.language.model import Action, Instance
from genstamp_model.prove.report import Verdict, together


@dataclass(frozen=True)
class Obligation:
    """One question: does this action keep this property, however many members there are?

    Attributes:
        action: name of the action; None for "holds initially".
        milliseconds: time that the answer took.
        trivial: proved without the solver, because the action changes nothing that the property reads.
        circle: why the question is outside the decidable fragment: index sets that lead from one to the next and back
            to the first. Empty where it is inside.
        reason: why it is undetermined.
    """

    action: str | None
    verdict: Verdict
    milliseconds: float
    trivial: bool = False
    circle: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        what = "holds initially" if self.action is None else f"kept by {self.action}"
        circle = f", outside the decidable fragment: {' -> '.join(self.circle)}" if self.circle else ""
        reason = f": {self.reason}" if self.reason else ""
        return (
            f"{self.verdict:12} {self.milliseconds:7.1f} ms  {what}"
            f"{', trivially' if self.trivial else ''}{circle}{reason}"
        )


@dataclass(frozen=True)
class Break:
    """A counterexample to induction: sizes, and a step of that instance from a state where all holds that is relied on.

    The state before need not be reachable. `evaluate` has taken the step in that very instance.

    Attributes:
        instance: the model with the sizes of the counterexample; its limits are as large as limits can be.
        action, arguments: the step; None and () where the property fails initially.
        before, after: the states; after is None where the step has no next state, or there is no step.
        lines: the step as a story.
    """

    instance: Instance
    action: Action | None
    arguments: Arguments
    before: State
    after: State | None
    lines: tuple[str, ...]

    @property
    def sizes(self) -> tuple[str, ...]:
        """How many unnamed members each index set has."""
        return tuple(f"{size} {name}" for name, size in sorted(self.instance.configuration.sizes.items()))


@dataclass(frozen=True)
class Proof:
    """The obligations of one property.

    Attributes:
        kind: invariant or transition; "range" for the one that comes from the declarations of the variables.
        given: properties that the proof assumes before the step (a transition property: of the same step).
        verdict: proved where all obligations are and those of all that it relies on; violated where a step breaks it.
        reason: why it is undetermined.
    """

    name: str
    kind: str
    given: tuple[str, ...]
    verdict: Verdict
    obligations: tuple[Obligation, ...]
    broken_by: Break | None = None
    reason: str = ""

    def lines(self) -> list[str]:
        """A row for each obligation, and the step that breaks the property."""
        given = f" (given {', '.join(self.given)})" if self.given else ""
        reason = f" ({self.reason})" if self.reason else ""
        found = [f"{self.verdict}: {self.name}{given}{reason}", *(f"  {row}" for row in self.obligations)]
        return [*found, *(f"  {line}" for line in self.broken_by.lines)] if self.broken_by is not None else found


@dataclass(frozen=True)
class Report:
    """The result of `prove_parametric`.

    Attributes:
        open: the index sets whose sizes are left open, by the names of their unnamed members.
        proofs: the properties declared inductive and all that they rely on; the first is that of the ranges.
        interrupted: whether the keyboard has ended the work early.
    """

    system: str
    open: tuple[str, ...]
    proofs: tuple[Proof, ...]
    milliseconds: float
    interrupted: bool = False

    @property
    def verdict(self) -> Verdict:
        """Proved if everything is; violated if some step breaks a property."""
        return together(proof.verdict for proof in self.proofs)

    def proof(self, name: str) -> Proof:
        """The proof of a property by its name.

        Raises:
            KeyError: the property was not checked.
        """
        for proof in self.proofs:
            if proof.name == name:
                return proof
        raise KeyError(name)

    def lines(self) -> list[str]:
        """The report for a terminal."""
        rows = [row for proof in self.proofs for row in proof.obligations]
        outside = sum(bool(row.circle) for row in rows)
        fragment = f"{outside} outside the decidable fragment" if outside else "all in the decidable fragment"
        members = [f"any number of {', '.join(self.open)}"] if self.open else []
        found = [", ".join([self.system, *members, "all numbers unbounded"])]
        for proof in self.proofs:
            found += proof.lines()
        counted = f"{len(self.proofs)} properties, {len(rows)} obligations, {fragment}"
        return [*found, f"{self.verdict}: {counted}, in {self.milliseconds / 1000:.1f} s"]
