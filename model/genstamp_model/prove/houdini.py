"""Which of many candidates are inductive together: drop what some step does not keep, until every step keeps the rest.

This is the algorithm Houdini (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java", FME 2001). The rest
is the largest inductive part of the candidates: it does not depend on the order of the questions.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import z3

from genstamp_model.prove.algebra import Term, lift
from genstamp_model.prove.clauses import Clause, Ground
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding


class OutOfTimeError(Exception):
    """The time is used up, or the solver has given no answer."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A clause over the ground conditions, or a declared invariant."""

    clause: Clause | None = None
    claim: Claim | None = None


class Houdini:
    """The candidates of one encoding, before and after each of its steps."""

    def __init__(
        self, encoding: Encoding, ground: Ground, facts: Sequence[Claim], deadline: float, timeout_ms: int
    ) -> None:
        self._encoding, self._ground = encoding, ground
        self._facts = facts
        self._deadline, self._timeout_ms = deadline, timeout_ms
        # A name for each ground condition, and what it stands for; equal conditions share one.
        self._terms: list[Term] = []
        self._names: list[Term] = []
        self._place: dict[int, int] = {}
        self._grounded = [
            [self._entered(n, choice) for choice in ground.choices] for n in range(len(ground.conditions))
        ]
        self._instances: dict[Clause, list[tuple[int, ...]]] = {}
        self._after = [AfterStep(encoding, step, self._terms, self._names) for step in encoding.steps]

    def _entered(self, number: int, choice: tuple[int, ...]) -> int:
        term = lift(self._encoding.expansion.condition(self._ground.condition(number, choice)))
        place = self._place.setdefault(term.get_id(), len(self._terms))
        if place == len(self._terms):
            self._terms.append(term)
            self._names.append(z3.Bool(f"condition {place}"))
        return place

    def instances(self, clause: Clause) -> list[tuple[int, ...]]:
        """The clause for every choice of members, each as places of ground conditions with signs, as in `Clause`."""
        if clause not in self._instances:
            found = {
                tuple(2 * self._grounded[literal // 2][i] + literal % 2 for literal in clause)
                for i in range(len(self._ground.choices))
            }
            self._instances[clause] = sorted(found)
        return self._instances[clause]

    def inductive(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The largest part of the candidates that every step keeps, given that part and the facts.

        Raises:
            OutOfTimeError: a question was not answered in time.
        """
        left = list(candidates)
        while True:
            kept = self._kept_by_all(left)
            if len(kept) == len(left):
                return left
            left = kept

    def _kept_by_all(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates without those that some step from a state where all of them hold does not keep."""
        solver = self._solver()
        for candidate in candidates:
            solver.add(self._before(candidate))
        left = list(candidates)
        for after in self._after:
            left = self._kept_by(solver, after, left)
        return left

    def _kept_by(self, solver: z3.Solver, after: AfterStep, candidates: list[Candidate]) -> list[Candidate]:
        solver.push()
        solver.add(lift(after.step.enabled))
        fails = {i: term for i, c in enumerate(candidates) if (term := self._fails(after, c)) is not None}
        solver.add(after.definitions)
        dropped: set[int] = set()
        while fails:
            solver.add(z3.Or(list(fails.values())))
            if not self._possible(solver):
                break
            model = solver.model()
            broken = {i for i, term in fails.items() if z3.is_true(model.eval(term, model_completion=True))}
            assert broken, "the solver's answer breaks nothing"
            dropped |= broken
            fails = {i: term for i, term in fails.items() if i not in broken}
        solver.pop()
        return [candidate for i, candidate in enumerate(candidates) if i not in dropped]

    def _solver(self) -> z3.Solver:
        """A solver that knows the facts, and what the names of the conditions stand for."""
        solver = z3.Solver()
        for fact in self._facts:
            solver.add([conjunct.term for conjunct in fact.conjuncts])
        solver.add([name == term for name, term in zip(self._names, self._terms, strict=True)])
        return solver

    def _before(self, candidate: Candidate) -> Term:
        """The candidate, in the state before a step; of a transition property nothing is known there."""
        if candidate.claim is not None and candidate.claim.two_states:
            return z3.BoolVal(True)
        if candidate.claim is not None:
            return z3.And([conjunct.term for conjunct in candidate.claim.conjuncts])
        assert candidate.clause is not None
        return z3.And([self._clause(self._names, instance) for instance in self.instances(candidate.clause)])

    @staticmethod
    def _clause(names: Sequence[Term], instance: Sequence[int]) -> Term:
        return z3.Or([z3.Not(names[x // 2]) if x % 2 else names[x // 2] for x in instance])

    def _fails(self, after: AfterStep, candidate: Candidate) -> Term | None:
        """The condition that the candidate does not hold after a step; None where the step plainly keeps it."""
        if candidate not in after.fails:
            after.fails[candidate] = self._failing(after, candidate)
        return after.fails[candidate]

    def _failing(self, after: AfterStep, candidate: Candidate) -> Term | None:
        if candidate.claim is not None:
            two_states = candidate.claim.two_states
            terms = [self._encoding.after_step(c, after.step, two_states=two_states) for c in candidate.claim.conjuncts]
            changed = [term for term in terms if term is not None]
            return z3.Not(z3.And(changed)) if changed else None
        assert candidate.clause is not None
        instances = [i for i in self.instances(candidate.clause) if any(after.changes(x // 2) for x in i)]
        if not instances:
            return None
        return z3.Or([z3.Not(self._clause(after.names, instance)) for instance in instances])

    def needed(self, target: Candidate, candidates: Sequence[Candidate]) -> set[int] | None:
        """Which candidates it takes, besides the target itself, that every step keeps the target.

        None where they do not suffice.
        """
        solver, found = self._solver(), set[int]()
        solver.set("core.minimize", True)
        solver.add(self._before(target))
        literals = [z3.Bool(f"candidate {i}") for i in range(len(candidates))]
        solver.add([z3.Implies(x, self._before(c)) for x, c in zip(literals, candidates, strict=True)])
        for after in self._after:
            fails = self._fails(after, target)
            if fails is None:
                continue
            solver.push()
            solver.add(lift(after.step.enabled), fails, *after.definitions)
            if self._possible(solver, literals):
                solver.pop()
                return None
            core = {literal.get_id() for literal in solver.unsat_core()}
            found.update(i for i, literal in enumerate(literals) if literal.get_id() in core)
            solver.pop()
        return found

    def _possible(self, solver: z3.Solver, assumed: Sequence[Term] = ()) -> bool:
        left = self._deadline - time.perf_counter()
        if left <= 0:
            raise OutOfTimeError
        solver.set("timeout", max(1, min(self._timeout_ms, int(left * 1000))))
        answer = solver.check(*assumed)
        if answer == z3.unknown:
            raise OutOfTimeError
        return bool(answer == z3.sat)


class AfterStep:
    """The ground conditions after a step, by names of their own where the step may change them."""

    def __init__(self, encoding: Encoding, step: EncodedStep, terms: Sequence[Term], names: Sequence[Term]) -> None:
        self.step = step
        pairs = [(encoding.before[i], lift(value)) for i, value in step.changed.items()]
        self.names = list(names)
        self.definitions: list[Term] = []
        self.fails: dict[Candidate, Term | None] = {}
        for place, term in enumerate(terms):
            if encoding.reads(term)[0] & step.changed.keys():
                self.names[place] = z3.Bool(f"condition {place}'")
                self.definitions.append(self.names[place] == z3.substitute(term, *pairs))
        self._changed = {place for place, (x, y) in enumerate(zip(names, self.names, strict=True)) if x is not y}

    def changes(self, place: int) -> bool:
        """Whether the step may change a condition."""
        return place in self._changed
