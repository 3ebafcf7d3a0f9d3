"""Induction: the initial state has a property, and every step from a state that has it leads to one that has it.

All properties that are declared inductive are proved together. Each relies on itself and on those that it names as
`given`, in the state before the step; as these are proved too, the conjunction of all is inductive, also where two rely
on each other. A transition property among the `given` is assumed of the very step that is examined, so transition
properties must not rely on each other in a circle.

k-induction looks further back: a property that holds within the first k - 1 steps, and that the last of any k steps
keeps if it held all along, holds always. The properties that it relies on are assumed throughout. Plain induction comes
first.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import z3

from genstamp_model.explore.result import INTERRUPTED
from genstamp_model.language.model import Instance, Property
from genstamp_model.prove.algebra import Term
from genstamp_model.prove.chain import Earlier, FirstSteps, Links
from genstamp_model.prove.counterexample import Replay
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding
from genstamp_model.prove.interrupted import until_interrupted
from genstamp_model.prove.reliance import RANGES, first_unproved, relied_on
from genstamp_model.prove.report import Break, Obligation, Proof, Report, Verdict
from genstamp_model.prove.solver import Asked, Explain, Solver
from genstamp_model.refinement import refuse_other_beginnings


def prove(
    instance: Instance, *, timeout_ms: int = 10_000, others: bool = True, k: int = 1, distinct: bool = False
) -> Report:
    """Prove everything that the model declares inductive, for the sizes of the instance's configuration.

    Integers are unbounded and limits ignored, except for those that give bags and sequences their places.

    Args:
        timeout_ms: time for one question to the solver, in milliseconds; then it is undetermined.
        others: also try the invariants and transition properties that are not declared inductive.
        k: look back this many steps at most; a property gets the smallest number that proves it.
        distinct: only look at steps in a row that visit no state twice, which loses nothing and may prove more.

    Returns:
        The report; what an interrupt from the keyboard leaves open is undetermined.

    Raises:
        SpecError: a property relies on one that cannot be proved by induction, or on itself within one step; or a
            refinement takes the initial state elsewhere than where the upper system begins.
    """
    begun = time.perf_counter()
    refuse_other_beginnings(instance)
    chosen = relied_on(instance.model)
    assert k >= 1, k
    induction = _Induction(instance, timeout_ms, k, distinct)
    proofs, interrupted = until_interrupted(
        [None, *chosen],
        lambda claim: induction.prove_ranges(chosen) if claim is None else induction.prove(claim),
        _left_open,
    )
    settled = _settled(proofs)
    found: list[Proof] = []
    if others and not interrupted:
        try:
            found = induction.others(settled, chosen)
        except KeyboardInterrupt:
            interrupted = True
    sizes = instance.configuration.sizes
    return Report(
        system=instance.model.system,
        configuration=instance.configuration.name,
        sizes=tuple(f"{size} {name}" for name, size in sorted(sizes.items())),
        assumptions=tuple(f"at most {room} {name} at a time" for name, room in induction.encoding.rooms.items()),
        proofs=tuple(settled),
        others=tuple(found),
        milliseconds=_milliseconds_since(begun),
        interrupted=interrupted,
    )


def _left_open(claim: Property | None) -> Proof:
    """The proof of a property that an interrupt left open; None stands for the ranges."""
    name, kind, given = (RANGES, "range", ()) if claim is None else (claim.name, claim.kind, claim.given)
    return Proof(name, kind, given, Verdict.UNDETERMINED, (), reason=INTERRUPTED)


def _settled(proofs: Sequence[Proof]) -> list[Proof]:
    """The proofs with their verdicts settled: proved only where all is proved that a proof relies on."""
    known = {proof.name: proof for proof in proofs}
    return [_settle(proof, known) for proof in proofs]


def _settle(proof: Proof, known: Mapping[str, Proof]) -> Proof:
    given = {name: other.given for name, other in known.items()}
    proved = {name for name, other in known.items() if other.verdict is Verdict.PROVED}
    missing = first_unproved(proof.name, given, proved)
    if proof.verdict is not Verdict.PROVED or missing is None:
        return proof
    return replace(proof, verdict=Verdict.UNDETERMINED, reason=f"it relies on '{missing}', which is not proved")


class _Induction:
    """Asks for each obligation."""

    def __init__(self, instance: Instance, timeout_ms: int, most: int, distinct: bool) -> None:
        self.instance = instance
        self.encoding = Encoding(instance)
        self.replay = Replay(self.encoding)
        self.ranges = self.encoding.well_formed(RANGES)
        self._most, self._distinct, self._timeout_ms = most, distinct, timeout_ms
        self._solvers = {1: Solver(self.encoding, self.ranges, timeout_ms)}
        self._earlier: dict[int, Earlier] = {}
        self._claims: dict[str, Claim] = {}

    @cached_property
    def _links(self) -> Links:
        return Links(self.encoding)

    @cached_property
    def _first_steps(self) -> FirstSteps:
        return FirstSteps(self._links, self._timeout_ms)

    def _solver(self, k: int) -> Solver:
        """The solver that looks back k steps."""
        if k not in self._solvers:
            self._earlier[k] = Earlier(self._links, k - 1, distinct=self._distinct)
            self._solvers[k] = Solver(self.encoding, self.ranges, self._timeout_ms, self._earlier[k])
        return self._solvers[k]

    def claim(self, declared: Property) -> Claim:
        """A property, encoded once."""
        if declared.name not in self._claims:
            self._claims[declared.name] = self.encoding.claim(declared)
        return self._claims[declared.name]

    def prove_ranges(self, chosen: Sequence[Property]) -> Proof:
        """The condition that numbers keep to their ranges: by itself, or else given invariants among those to be
        proved.
        """
        found = self._obligations(self.ranges, [])
        invariants = [declared for declared in chosen if declared.kind == "invariant"]
        if found.verdict is not Verdict.PROVED and invariants:
            found = self._obligations(self.ranges, invariants)
        begun = time.perf_counter()
        assert self.replay.begins_in(self.ranges), "declarations refuse initial values outside of their range"
        found.rows.insert(0, Obligation(None, Verdict.PROVED, _milliseconds_since(begun)))
        return _proof(RANGES, "range", tuple(sorted(found.used)), found)

    def prove(self, declared: Property) -> Proof:
        """One declared property, relative to those that it names, with the smallest k that proves it."""
        given = [self.instance.model.property(name) for name in declared.given]
        k = 1
        while True:
            found = self._obligations(self.claim(declared), given, declared, k=k)
            begins = self._begins(declared, k)
            if begins is not None:
                found.rows.insert(0, begins[0])
                found.broken_by = begins[1] or found.broken_by
            fails = begins is not None and begins[0].verdict is Verdict.VIOLATED
            if found.verdict is Verdict.PROVED or fails or k == self._most:
                return _proof(declared.name, declared.kind, declared.given, found, k)
            k += 1

    def _begins(self, declared: Property, k: int) -> tuple[Obligation, Break | None] | None:
        """Whether a property holds within the first k - 1 steps; None for a transition property where there is none."""
        if k == 1 and declared.kind == "transition":
            return None
        begun, verdict, broken = time.perf_counter(), Verdict.PROVED, None
        if not self.replay.holds_initially(declared):
            verdict, broken = Verdict.VIOLATED, self.replay.initially(declared)
        for steps in range(1, k if verdict is Verdict.PROVED else 0):
            answer, rows = self._first_steps.fail(self.claim(declared), steps)
            if answer == z3.sat:
                verdict, broken = Verdict.VIOLATED, self.replay.first_steps(rows, declared)
            elif answer == z3.unknown:
                verdict = Verdict.UNDETERMINED
            if verdict is not Verdict.PROVED:
                break
        return Obligation(None, verdict, _milliseconds_since(begun)), broken

    def others(self, settled: Sequence[Proof], chosen: Sequence[Property]) -> list[Proof]:
        """Properties that are not declared inductive and yet are, given what was proved."""
        if settled[0].verdict is not Verdict.PROVED:
            return []
        proved = [p for p, proof in zip(chosen, settled[1:], strict=True) if proof.verdict is Verdict.PROVED]
        left = [p for p in self.instance.model.properties if p not in chosen and p.kind in ("invariant", "transition")]
        return [proof for declared in left if (proof := self._other(declared, proved)) is not None]

    def _other(self, declared: Property, proved: Sequence[Property]) -> Proof | None:
        for k in range(1, self._most + 1):
            begins = self._begins(declared, k)
            if begins is not None and begins[0].verdict is not Verdict.PROVED:
                return None
            found = self._obligations(self.claim(declared), proved, declared, k=k, stop=True)
            if found.verdict is Verdict.PROVED:
                return _proof(declared.name, declared.kind, tuple(sorted(found.used)), found, k)
        return None

    def _obligations(
        self,
        claim: Claim,
        given: Sequence[Property],
        declared: Property | None = None,
        *,
        k: int = 1,
        stop: bool = False,
    ) -> _Obligations:
        """Whether each action keeps a claim; with `stop`, only until one does not, and without an explanation."""
        given_claims = [self.claim(other) for other in given]
        relied_on = [*given, declared] if declared is not None and declared.kind == "invariant" else given
        solver = self._solver(k)
        earlier = self._earlier[k].rows[:-1] if k > 1 else []

        def explain(solver: z3.Solver, model: Term, step: EncodedStep) -> Break:
            return self.replay.step(solver, model, step, relied_on, declared, earlier)

        found = _Obligations()
        for action in self.instance.model.actions:
            begun = time.perf_counter()
            steps = [step for step in self.encoding.steps if step.action is action]
            wanted = None if stop or found.broken_by is not None else explain
            asked = _ask_each(solver, claim, steps, given_claims, wanted)
            verdict = _worst(answer.verdict for answer in asked)
            trivial = sum(answer.trivial for answer in asked)
            found.rows.append(Obligation(action.name, verdict, _milliseconds_since(begun), len(steps), trivial))
            for answer in asked:
                found.used |= answer.used
                found.broken_by = found.broken_by or answer.broken_by
            if stop and verdict is not Verdict.PROVED:
                break
        return found


def _ask_each(
    solver: Solver, claim: Claim, steps: Sequence[EncodedStep], given: Sequence[Claim], explain: Explain | None
) -> list[Asked]:
    """The answers for one action's choices of arguments, up to the first that breaks the claim."""
    found: list[Asked] = []
    for step in steps:
        found.append(solver.ask(claim, step, given, explain))
        if found[-1].verdict is Verdict.VIOLATED:
            break
    return found


def _worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Violated before undetermined before proved."""
    found = set(verdicts)
    if Verdict.VIOLATED in found:
        return Verdict.VIOLATED
    return Verdict.UNDETERMINED if Verdict.UNDETERMINED in found else Verdict.PROVED


@dataclass
class _Obligations:
    """The results for all actions; `used` names the given properties that some proof made use of."""

    rows: list[Obligation] = field(default_factory=list)
    broken_by: Break | None = None
    used: set[str] = field(default_factory=set)

    @property
    def verdict(self) -> Verdict:
        return _worst(row.verdict for row in self.rows)

    @property
    def reason(self) -> str:
        unknown = [row.action or "the first steps" for row in self.rows if row.verdict is Verdict.UNDETERMINED]
        return f"the solver gave no answer in time for {', '.join(unknown)}" if unknown else ""


def _proof(name: str, kind: str, given: tuple[str, ...], found: _Obligations, k: int = 1) -> Proof:
    return Proof(name, kind, given, found.verdict, tuple(found.rows), found.broken_by, found.reason, k)


def _milliseconds_since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000
