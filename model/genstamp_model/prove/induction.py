"""Induction: the initial state has a property, and every step from a state that has it leads to one that has it.

All properties that are declared inductive are proved together. Each relies on itself and on those that it names as
`given`, in the state before the step; as these are proved too, the conjunction of all is inductive, also where two
rely on each other. A transition property among the `given` is assumed of the very step that is looked at, so
transition properties must not rely on each other in a circle.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import z3

from genstamp_model.language.model import Instance, Property
from genstamp_model.prove.algebra import Term
from genstamp_model.prove.counterexample import Replay
from genstamp_model.prove.encoding import Claim, EncodedStep, Encoding
from genstamp_model.prove.reliance import RANGES, first_unproved, relied_on
from genstamp_model.prove.report import Break, Obligation, Proof, Report, Verdict
from genstamp_model.prove.solver import Asked, Explain, Solver


def prove(instance: Instance, *, timeout_ms: int = 10_000, others: bool = True) -> Report:
    """Prove everything that the model declares inductive, for the sizes of the instance's configuration.

    Integers are unbounded and limits ignored, but for those that give bags and sequences their places.

    Args:
        timeout_ms: time for one question to the solver, in milliseconds; then it is undetermined.
        others: also try the invariants and transition properties that are not declared inductive.

    Raises:
        SpecError: a property relies on one that cannot be proved by induction, or on itself within one step.
    """
    begun = time.perf_counter()
    chosen = relied_on(instance.model)
    induction = _Induction(instance, timeout_ms)
    ranges = induction.prove_ranges(chosen)
    proofs = [induction.prove(declared) for declared in chosen]
    settled = _settled([ranges, *proofs])
    found = induction.others(settled, chosen) if others else []
    sizes = instance.configuration.sizes
    return Report(
        system=instance.model.system,
        configuration=instance.configuration.name,
        sizes=tuple(f"{size} {name}" for name, size in sorted(sizes.items())),
        assumptions=tuple(f"at most {room} {name} at a time" for name, room in induction.encoding.rooms.items()),
        proofs=tuple(settled),
        others=tuple(found),
        milliseconds=_milliseconds_since(begun),
    )


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

    def __init__(self, instance: Instance, timeout_ms: int) -> None:
        self.instance = instance
        self.encoding = Encoding(instance)
        self.replay = Replay(self.encoding)
        self.ranges = self.encoding.well_formed(RANGES)
        self._solver = Solver(self.encoding, self.ranges, timeout_ms)
        self._claims: dict[str, Claim] = {}

    def claim(self, declared: Property) -> Claim:
        """A property, encoded once."""
        if declared.name not in self._claims:
            self._claims[declared.name] = self.encoding.claim(declared)
        return self._claims[declared.name]

    def prove_ranges(self, chosen: Sequence[Property]) -> Proof:
        """That numbers keep to their ranges: by itself, or else given invariants among those to be proved."""
        found = self._obligations(self.ranges, [])
        invariants = [declared for declared in chosen if declared.kind == "invariant"]
        if found.verdict is not Verdict.PROVED and invariants:
            found = self._obligations(self.ranges, invariants)
        begun = time.perf_counter()
        assert self.replay.begins_in(self.ranges), "declarations refuse initial values outside of their range"
        found.rows.insert(0, Obligation(None, Verdict.PROVED, _milliseconds_since(begun)))
        return _proof(RANGES, "range", tuple(sorted(found.used)), found)

    def prove(self, declared: Property) -> Proof:
        """One declared property, relative to those that it names."""
        given = [self.instance.model.property(name) for name in declared.given]
        found = self._obligations(self.claim(declared), given, declared)
        if declared.kind == "invariant":
            begun = time.perf_counter()
            holds = self.replay.holds_initially(declared)
            verdict = Verdict.PROVED if holds else Verdict.VIOLATED
            found.rows.insert(0, Obligation(None, verdict, _milliseconds_since(begun)))
            if not holds:
                found.broken_by = self.replay.initially(declared)
        return _proof(declared.name, declared.kind, declared.given, found)

    def others(self, settled: Sequence[Proof], chosen: Sequence[Property]) -> list[Proof]:
        """Properties that are not declared inductive and yet are, given what was proved."""
        if settled[0].verdict is not Verdict.PROVED:
            return []
        proved = [p for p, proof in zip(chosen, settled[1:], strict=True) if proof.verdict is Verdict.PROVED]
        left = [p for p in self.instance.model.properties if p not in chosen and p.kind in ("invariant", "transition")]
        return [proof for declared in left if (proof := self._other(declared, proved)) is not None]

    def _other(self, declared: Property, proved: Sequence[Property]) -> Proof | None:
        if not self.replay.holds_initially(declared):
            return None
        found = self._obligations(self.claim(declared), proved, declared, stop=True)
        return (
            _proof(declared.name, declared.kind, tuple(sorted(found.used)), found)
            if found.verdict is Verdict.PROVED
            else None
        )

    def _obligations(
        self, claim: Claim, given: Sequence[Property], declared: Property | None = None, *, stop: bool = False
    ) -> _Obligations:
        """Whether each action keeps a claim; with `stop`, only until one does not, and without an explanation."""
        given_claims = [self.claim(other) for other in given]
        relied_on = [*given, declared] if declared is not None and declared.kind == "invariant" else given

        def explain(solver: z3.Solver, model: Term, step: EncodedStep) -> Break:
            return self.replay.step(solver, model, step, relied_on, declared)

        found = _Obligations()
        for action in self.instance.model.actions:
            begun = time.perf_counter()
            steps = [step for step in self.encoding.steps if step.action is action]
            wanted = None if stop or found.broken_by is not None else explain
            asked = self._ask_each(claim, steps, given_claims, wanted)
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
        self, claim: Claim, steps: Sequence[EncodedStep], given: Sequence[Claim], explain: Explain | None
    ) -> list[Asked]:
        """The answers for one action's choices of arguments, up to the first that breaks the claim."""
        found: list[Asked] = []
        for step in steps:
            found.append(self._solver.ask(claim, step, given, explain))
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
    """What was found for all actions; `used` names the given properties that some proof made use of."""

    rows: list[Obligation] = field(default_factory=list)
    broken_by: Break | None = None
    used: set[str] = field(default_factory=set)

    @property
    def verdict(self) -> Verdict:
        return _worst(row.verdict for row in self.rows)

    @property
    def reason(self) -> str:
        unknown = [str(row.action) for row in self.rows if row.verdict is Verdict.UNDETERMINED]
        return f"the solver gave no answer in time for {', '.join(unknown)}" if unknown else ""


def _proof(name: str, kind: str, given: tuple[str, ...], found: _Obligations) -> Proof:
    return Proof(name, kind, given, found.verdict, tuple(found.rows), found.broken_by, found.reason)


def _milliseconds_since(begun: float) -> float:
    return (time.perf_counter() - begun) * 1000
