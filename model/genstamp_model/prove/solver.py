"""Questions to Z3: does one step keep one claim, given others?

One solver serves all: what can be relied on is asserted once, each claim behind a literal of its own that a question
sets or leaves, so that an unsatisfiable core also tells which of them a proof has used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import z3

from genstamp_model.prove.algebra import Term, lift
from genstamp_model.prove.chain import Earlier
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding
from genstamp_model.prove.report import Break, Verdict


@dataclass(frozen=True)
class Asked:
    """An answer.

    Attributes:
        trivial: proved, for the step changes nothing that the claim reads.
        used: names of the given claims that the proof has used.
        broken_by: what was made of the counterexample.
    """

    verdict: Verdict
    trivial: bool = False
    used: frozenset[str] = frozenset()
    broken_by: Break | None = None


Explain = Callable[[z3.Solver, Term, EncodedStep], Break]


class Solver:
    """Asks about the steps of one encoding, in states that are well formed.

    For k-induction k - 1 further steps lie before the one that is asked about, and what is relied on holds there too.
    """

    def __init__(self, encoding: Encoding, well_formed: Claim, timeout_ms: int, earlier: Earlier | None = None) -> None:
        self._encoding = encoding
        self._earlier = earlier
        self._solver = z3.Solver()
        self._solver.set("timeout", timeout_ms)
        self._solver.add([conjunct.term for conjunct in well_formed.conjuncts])
        self._literals: dict[str, Term] = {}
        self._well_formed = well_formed
        if earlier is not None:
            self._solver.add([*earlier.steps, earlier.hold(well_formed)])

    def ask(self, claim: Claim, step: EncodedStep, given: Sequence[Claim], explain: Explain | None = None) -> Asked:
        """Whether the step keeps the claim wherever the claim and the given ones hold before it.

        Args:
            explain: makes a break of the solver's model while the question still stands.
        """
        goals = self._after(claim, step)
        if not goals:
            return Asked(Verdict.PROVED, trivial=True)
        always = [] if claim is self._well_formed else self._after(self._well_formed, step)
        # Before the first push, so that what is asserted for good stays.
        literals = [self._literal(other) for other in (claim, *given) if other is not self._well_formed]
        self._solver.push()
        try:
            self._solver.add(lift(step.enabled), z3.Not(z3.And(goals)), *always)
            for other in given:
                if other.two_states:
                    self._solver.add([z3.Implies(self._literal(other), term) for term in self._after(other, step)])
            return self._answer(step, given, literals, explain)
        finally:
            self._solver.pop()

    def _answer(
        self, step: EncodedStep, given: Sequence[Claim], literals: list[Term], explain: Explain | None
    ) -> Asked:
        answer = self._solver.check(*literals)
        if answer == z3.unknown:
            return Asked(Verdict.UNDETERMINED)
        if answer == z3.unsat:
            core = {literal.get_id() for literal in self._solver.unsat_core()}
            used = (other.name for other in given if self._literal(other).get_id() in core)
            return Asked(Verdict.PROVED, used=frozenset(used))
        if explain is None:
            return Asked(Verdict.VIOLATED)
        model = self._solver.model()
        self._solver.add(literals)
        return Asked(Verdict.VIOLATED, broken_by=explain(self._solver, model, step))

    def _after(self, claim: Claim, step: EncodedStep) -> list[Term]:
        """The claim about the state after the step, without trivial parts."""
        found = (self._encoding.after_step(c, step, two_states=claim.two_states) for c in claim.conjuncts)
        return [term for term in found if term is not None]

    def _literal(self, claim: Claim) -> Term:
        """The literal that stands for relying on the claim: before the step, or of it."""
        literal = self._literals.get(claim.name)
        if literal is None:
            literal = self._literals[claim.name] = z3.Bool(f"given {claim.name}")
            if not claim.two_states:
                self._solver.add([z3.Implies(literal, conjunct.term) for conjunct in claim.conjuncts])
            if self._earlier is not None:
                self._solver.add(z3.Implies(literal, self._earlier.hold(claim)))
        return literal
