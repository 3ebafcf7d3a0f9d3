"""What induction found: a table of obligations, and for each one that fails the step that breaks it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from genstamp_model.evaluate import Arguments, State
from genstamp_model.language.model import Action


class Verdict(StrEnum):
    """Of an obligation, a property or a report; what is not known is never counted as proved."""

    PROVED = "proved"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """Of several claims as one: proved if all are, violated if one is, even if others are undetermined."""
    found = set(verdicts)
    if Verdict.VIOLATED in found:
        return Verdict.VIOLATED
    return Verdict.UNDETERMINED if Verdict.UNDETERMINED in found else Verdict.PROVED


@dataclass(frozen=True)
class Obligation:
    """One question to the solver: does this action keep this property?

    Attributes:
        action: name of the action; None for "holds initially".
        milliseconds: time that the answer took.
        choices: choices of the action's arguments that some state may enable.
        trivial: those of them that change nothing that the property reads, or plainly keep it.
    """

    action: str | None
    verdict: Verdict
    milliseconds: float
    choices: int = 1
    trivial: int = 0


@dataclass(frozen=True)
class Break:
    """A counterexample to induction: a step from a state where all holds that is relied on, to one where it fails.

    The state before need not be reachable. Computed again by `evaluate` before it is believed.

    Attributes:
        action, arguments: the step; None and () where the property fails initially.
        before, after: the states, as `evaluate` has them; after is None where the step has no next state.
        call: the step as a reader sees it.
        state: what is not as in the initial state before the first step, a line each; where the property fails
            initially, what the initial state has chosen.
        changes: what the step changes, a line each.
        fails: which part of the property fails.
        earlier: in k-induction the k - 1 steps before, each as a reader sees it with the lines of what it changes;
            where the property fails within the first steps, these are all but the last one from the initial state.
        relevant: what matters of the state before: wherever that is so, the step is possible and breaks the property.
    """

    action: Action | None
    arguments: Arguments
    before: State
    after: State | None
    call: str
    state: tuple[str, ...]
    changes: tuple[str, ...]
    fails: str
    earlier: tuple[tuple[str, tuple[str, ...]], ...] = ()
    relevant: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """The step as a story."""
        if self.action is None:
            return [*(f"begins with {line}" for line in self.state), f"initially: {self.fails}"]
        before = self.state or ("everything as in the initial state",)
        found = [f"before: {line}" for line in before]
        for call, changed in (*self.earlier, (self.call, self.changes)):
            found += [f"step: {call}", *changed]
        found.append(f"fails: {self.fails}")
        return [*found, f"only this matters: {', '.join(self.relevant)}"] if self.relevant else found


@dataclass(frozen=True)
class Proof:
    """The obligations of one property.

    Attributes:
        kind: invariant or transition; "range" for the one that comes from the declarations of the variables.
        given: properties that the proof assumes before the step (a transition property: of the same step).
        verdict: violated where a step breaks it, although what it relies on holds; proved where all obligations are,
            and those of all that it relies on.
        reason: why it is undetermined.
        k: how many steps the induction looks back: the property holds within the first k - 1 steps, and of any k steps
            in a row the last one keeps it if it holds before. 1 is plain induction.
    """

    name: str
    kind: str
    given: tuple[str, ...]
    verdict: Verdict
    obligations: tuple[Obligation, ...]
    broken_by: Break | None = None
    reason: str = ""
    k: int = 1


@dataclass(frozen=True)
class Report:
    """The result of `prove` in one instance.

    Attributes:
        sizes: what the proof is for: the number of members of each index set.
        assumptions: what it takes for granted, a sentence each.
        proofs: the properties declared inductive and all that they rely on; the first is that of the ranges.
        others: properties that are not declared inductive, but are; for information.
        interrupted: whether the keyboard has ended the work early.
    """

    system: str
    configuration: str
    sizes: tuple[str, ...]
    assumptions: tuple[str, ...]
    proofs: tuple[Proof, ...]
    others: tuple[Proof, ...]
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
        for proof in (*self.proofs, *self.others):
            if proof.name == name:
                return proof
        raise KeyError(name)

    def table(self) -> list[str]:
        """A row for the start and each action, a column for each property: verdict and milliseconds of the answer."""
        names = [f"{number:>3}  {_title(proof)}" for number, proof in enumerate(self.proofs, 1)]
        rows: dict[str | None, dict[int, Obligation]] = {None: {}}
        for number, proof in enumerate(self.proofs):
            for row in proof.obligations:
                rows.setdefault(row.action, {})[number] = row
        width = max(len(name or "initially") for name in rows)
        head = " " * width + "".join(f"{number:>10}" for number in range(1, len(self.proofs) + 1))
        found = [*names, "", head]
        for name, answers in rows.items():
            cells = "".join(f"{_cell(answers.get(number)):>10}" for number in range(len(self.proofs)))
            found.append(f"{name or 'initially':<{width}}{cells}")
        return [*found, "", "in milliseconds; = kept trivially, ! violated, ? undetermined, . not asked"]

    def lines(self) -> list[str]:
        """The report for a terminal: what is assumed, a row for each obligation, the steps that break something."""
        found = [", ".join([f"{self.system}:{self.configuration}", *self.sizes, "all numbers unbounded"])]
        found += [f"assumed: {assumption}" for assumption in self.assumptions]
        for proof in self.proofs:
            found += _lines_of(proof)
        for proof in self.others:
            inductive = "is" if proof.k == 1 else f"is {proof.k}-inductive"
            found.append(f"not declared inductive, but {inductive}{_given(proof)}: {proof.name}")
        seconds = self.milliseconds / 1000
        return [*found, f"{self.verdict}: {len(self.proofs)} properties in {seconds:.1f} s"]


def _title(proof: Proof) -> str:
    return f"{proof.verdict}{_by(proof)}: {proof.name}{_given(proof)}"


def _cell(row: Obligation | None) -> str:
    """An obligation in a table."""
    if row is None:
        return "."
    if row.action is not None and row.choices == row.trivial:
        return "="
    mark = {Verdict.PROVED: "", Verdict.VIOLATED: "!", Verdict.UNDETERMINED: "?"}[row.verdict]
    return f"{mark}{row.milliseconds:.1f}"


def _given(proof: Proof) -> str:
    return f" (given {', '.join(proof.given)})" if proof.given else ""


def _by(proof: Proof) -> str:
    return f" by {proof.k}-induction" if proof.k > 1 else ""


def _what(row: Obligation, k: int) -> str:
    if row.action is None:
        return "holds initially" if k == 1 else f"holds within the first {k - 1} steps"
    if not row.choices:
        return f"kept by {row.action}, which no state enables"
    return f"kept by {row.action}" + (f", {row.trivial} of {row.choices} trivially" if row.trivial else "")


def _lines_of(proof: Proof) -> list[str]:
    reason = f" ({proof.reason})" if proof.reason else ""
    found = [f"{_title(proof)}{reason}"]
    found += [f"  {row.verdict:12} {row.milliseconds:7.1f} ms  {_what(row, proof.k)}" for row in proof.obligations]
    if proof.broken_by is not None:
        found += [f"  {line}" for line in proof.broken_by.lines()]
    return found
