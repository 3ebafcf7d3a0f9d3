"""Induction for any size: the initial state has a property, and every step keeps it, however many members there are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import z3

from genstamp_model.explore.result import INTERRUPTED
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.system import System
from genstamp_model.parametric.before import NotFirstOrderError
from genstamp_model.parametric.counterexample import Replay
from genstamp_model.parametric.fragment import Fragment
from genstamp_model.parametric.questions import Claim, Question, Questions
from genstamp_model.parametric.report import Break, Obligation, Proof, Report
from genstamp_model.parametric.translate import refusal
from genstamp_model.prove.interrupted import until_interrupted
from genstamp_model.prove.reliance import RANGES, first_unproved, relied_on
from genstamp_model.prove.report import Verdict
from genstamp_model.refinement import refuse_other_beginnings_of_any_size

# As many members of one index set are tried for a counterexample, before it is known that there is one and then.
_FEW, _MANY = 3, 8

# What the solver may spend before that, in its own units: three times what the longest proof of `hdfs.recovery` takes.
_SHORT = 200_000

# A proof with quantifiers is found at once or never, by the order in which the solver takes its terms. One step of
# `gfs.snapshot` takes 0.02 s with four seeds of six and no answer in 20 s with the others, so several are tried.
_SEEDS = 8


def prove_parametric(model: Model | System, *, timeout_ms: int = 10_000) -> Report:
    """Prove everything that the model declares inductive, for any number of members of every index set.

    Numbers are unbounded and limits ignored. What counts members or copies, and sequences, is refused: an obligation
    that would need it is undetermined.

    Args:
        model: a system stands for its model under its default semantics.
        timeout_ms: time for one question to the solver, in milliseconds; then it is undetermined.

    Raises:
        SpecError: a property relies on one that cannot be proved by induction, or on itself within one step; or a
            variable does not begin alike for all members, or a refinement as the upper system does; or there is no
            action.
    """
    begun = time.perf_counter()
    traced = model.model() if isinstance(model, System) else model
    traced.refuse_standstill()
    refuse_other_beginnings_of_any_size(traced)
    chosen = relied_on(traced)
    induction = _Induction(traced, timeout_ms)
    proofs, interrupted = until_interrupted(
        [None, *chosen],
        lambda claim: induction.prove_ranges(chosen) if claim is None else induction.prove(claim),
        _left_open,
    )
    return Report(
        system=traced.system,
        open=tuple(root.base for root in induction.questions.sorts.roots.values() if not root.only_named),
        proofs=tuple(_settled(proofs)),
        milliseconds=_milliseconds_since(begun),
        interrupted=interrupted,
    )


def _left_open(claim: Property | None) -> Proof:
    """The proof of a property that an interrupt left open; None stands for the ranges."""
    name, kind, given = (RANGES, "range", ()) if claim is None else (claim.name, claim.kind, claim.given)
    return Proof(name, kind, given, Verdict.UNDETERMINED, (), reason=INTERRUPTED)


def _settled(proofs: Sequence[Proof]) -> list[Proof]:
    """The proofs with their verdicts settled: proved only where all is proved that a proof relies on."""
    given = {proof.name: proof.given for proof in proofs}
    proved = {proof.name for proof in proofs if proof.verdict is Verdict.PROVED}
    found = []
    for proof in proofs:
        missing = first_unproved(proof.name, given, proved)
        if proof.verdict is Verdict.PROVED and missing is not None:
            reason = f"it relies on '{missing}', which is not proved"
            proof = replace(proof, verdict=Verdict.UNDETERMINED, reason=reason)
        found.append(proof)
    return found


class _Induction:
    """Asks for each obligation."""

    def __init__(self, model: Model, timeout_ms: int) -> None:
        self.model = model
        self.questions = Questions(model)
        self._fragment = Fragment()
        self._timeout_ms = timeout_ms

    def prove_ranges(self, chosen: Sequence[Property]) -> Proof:
        """The condition that numbers keep to their ranges: by itself, or else given the invariants among those to be
        proved.
        """
        found = self._prove(None, [])
        invariants = [declared for declared in chosen if declared.kind == "invariant"]
        return self._prove(None, invariants) if found.verdict is not Verdict.PROVED and invariants else found

    def prove(self, declared: Property) -> Proof:
        """One declared property, relative to those that it names."""
        return self._prove(declared, [self.model.property(name) for name in declared.given])

    def _prove(self, declared: Property | None, given: Sequence[Property]) -> Proof:
        name, kind = (RANGES, "range") if declared is None else (declared.name, declared.kind)
        names = tuple(other.name for other in given)
        for spoken in [*([] if declared is None else [declared]), *given]:
            reason = refusal(spoken.condition)
            if reason is not None:
                why = f"{spoken.source}: '{spoken.name}' cannot be said for any size: {reason}"
                return Proof(name, kind, names, Verdict.UNDETERMINED, (), reason=why)
        claim = Claim(declared)
        actions: list[Action | None] = [*self.model.actions] if claim.two_states else [None, *self.model.actions]
        found = [self._obligation(claim, action, given) for action in actions]
        rows = tuple(row for row, _ in found)
        broken_by = next((broken for _, broken in found if broken is not None), None)
        verdicts = {Verdict.PROVED, *(row.verdict for row in rows)}
        worst = next(v for v in (Verdict.VIOLATED, Verdict.UNDETERMINED, Verdict.PROVED) if v in verdicts)
        unknown = [row.action or "the beginning" for row in rows if row.verdict is Verdict.UNDETERMINED]
        reason = f"undetermined for {', '.join(unknown)}" if unknown else ""
        return Proof(name, kind, names, worst, rows, broken_by, reason)

    def _obligation(
        self, claim: Claim, action: Action | None, given: Sequence[Property]
    ) -> tuple[Obligation, Break | None]:
        """The result of one question, and the step that breaks the claim."""
        begun = time.perf_counter()
        name = action.name if action is not None else None
        try:
            question = self._question(claim, action, given)
        except NotFirstOrderError as error:
            return Obligation(name, Verdict.UNDETERMINED, _milliseconds_since(begun), reason=str(error)), None
        if question is None:
            return Obligation(name, Verdict.PROVED, _milliseconds_since(begun), trivial=True), None
        lead = self._fragment.circle([*question.assertions, *question.further])
        verdict, broken, reason = self._answer(question, Replay(self.model, claim, action, given))
        return Obligation(name, verdict, _milliseconds_since(begun), circle=lead, reason=reason), broken

    def _answer(self, question: Question, replay: Replay) -> tuple[Verdict, Break | None, str]:
        """What the solver says: most proofs are short, and where there is none, a small step is soon found."""
        if any(self._is_proved_soon(question, seed) for seed in range(_SEEDS)):
            return Verdict.PROVED, None, ""
        broken = replay.find(question, self._timeout_ms, _FEW)
        if broken is not None:
            return Verdict.VIOLATED, broken, ""
        solver = z3.Solver()
        solver.set("timeout", self._timeout_ms)
        solver.add(*question.assertions, *question.further)
        answer = solver.check()
        if answer == z3.unsat:
            return Verdict.PROVED, None, ""
        if answer == z3.unknown:
            return Verdict.UNDETERMINED, None, f"the solver does not know ({solver.reason_unknown()})"
        broken = replay.find(question, self._timeout_ms, _MANY)
        return (Verdict.VIOLATED, broken, "") if broken is not None else (Verdict.UNDETERMINED, None, replay.reason)

    def _is_proved_soon(self, question: Question, seed: int) -> bool:
        solver = z3.Solver()
        solver.set("random_seed", seed)
        solver.set("timeout", self._timeout_ms)
        solver.set("rlimit", _SHORT)
        solver.add(*question.assertions)
        return bool(solver.check() == z3.unsat)

    def _question(self, claim: Claim, action: Action | None, given: Sequence[Property]) -> Question | None:
        if action is None:
            return self.questions.initially(claim.declared)
        return self.questions.step(claim, action, given)


def _milliseconds_since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000
