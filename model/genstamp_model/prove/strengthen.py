"""The search for supporting invariants: why does a property hold that no step is seen to keep?

Candidates are clauses over what the model itself says and compares, for all members. Those that fail in a state that a
search reaches are dropped, then those that some step does not keep (Houdini), and of the rest as many as the goals do
not need. `prove` proves the rest once more, and it is printed so that an author can paste it.

Not looked for: conditions on messages and elements of sequences, on two members of one set, on sums.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from genstamp_model.errors import ConfigurationError, Source
from genstamp_model.explore.result import INTERRUPTED
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Instance, Property
from genstamp_model.language.trace import ActionParameter
from genstamp_model.language.types import RefType
from genstamp_model.prove.atoms import atoms, parameters
from genstamp_model.prove.clauses import Clause, Clauses, Ground, reached, truth
from genstamp_model.prove.encoding import Encoding
from genstamp_model.prove.houdini import Candidate, Houdini, OutOfTimeError
from genstamp_model.prove.induction import prove
from genstamp_model.prove.reliance import RANGES
from genstamp_model.prove.report import Report, Verdict
from genstamp_model.prove.written import as_invariant, implication

_KINDS = ("invariant", "transition")


@dataclass(frozen=True)
class Supporting:
    """An invariant that was found, its body as an author would write it, and what its own proof relies on."""

    declared: Property
    body: str

    def lines(self) -> list[str]:
        """Its declaration in the modelling language."""
        return as_invariant(self.declared, self.body, self.declared.given)


@dataclass(frozen=True)
class Strengthening:
    """The result of the search.

    Attributes:
        goals: what was to be proved.
        proved: the goals that are proved now, with what each relies on.
        supporting: what was found for them, none of which could be left out.
        candidates: clauses that hold in all states looked at; `inductive` is how many of them all steps keep.
        cut: there were more candidates than were examined.
        undetermined: why the search ended early, as text; empty where it did not.
        report: the proof of all that was found, by `prove`; None where nothing was.
    """

    instance: Instance
    goals: tuple[str, ...]
    proved: dict[str, tuple[str, ...]]
    supporting: tuple[Supporting, ...]
    candidates: int
    inductive: int
    cut: bool
    undetermined: str
    report: Report | None
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """Proved if every goal is; what was not found may exist anyway."""
        is_all = len(self.proved) == len(self.goals) and not self.undetermined
        return Verdict.PROVED if is_all else Verdict.UNDETERMINED

    def lines(self) -> Iterator[str]:
        """The result for a terminal."""
        if not self.goals:
            yield self.undetermined or "nothing to look for: everything is proved"
            return
        cut = " (there are more)" if self.cut else ""
        yield f"{self.candidates} candidates{cut}, {self.inductive} of them inductive together, {self.seconds:.1f} s"
        for name in self.goals:
            given = self.proved.get(name)
            if given is None:
                yield f"not proved: {name}" + (f" ({self.undetermined})" if self.undetermined else "")
            else:
                yield f"proved: {name}" + (f", given {', '.join(given)}" if given else "")
        for one in self.supporting:
            yield ""
            yield from one.lines()


def strengthen(
    instance: Instance,
    goals: Sequence[str] | None = None,
    *,
    width: int = 3,
    most: int = 1500,
    states: int = 4000,
    timeout_ms: int = 10_000,
    max_seconds: float = 300.0,
) -> Strengthening:
    """Look for invariants that make properties inductive, and prove them.

    Args:
        goals: names of invariants and transition properties; by default all that are not proved without help.
        width: how many conditions a candidate has at most, 1 to 3; fewer are tried first.
        most: look at so many candidates of each width at most.
        states: drop candidates by so many reachable states; all are looked for within the limits.
        timeout_ms: time for one question to the solver, in milliseconds.
        max_seconds: give up after so long.

    Raises:
        ConfigurationError: a goal is no invariant or transition property of the model.
    """
    return _Search(instance, goals, most, states, timeout_ms, max_seconds).run(width)


class _Search:
    def __init__(
        self,
        instance: Instance,
        goals: Sequence[str] | None,
        most: int,
        states: int,
        timeout_ms: int,
        max_seconds: float,
    ) -> None:
        self.instance, self._most, self._states = instance, most, states
        self._timeout_ms, self._begun, self._max_seconds = timeout_ms, time.perf_counter(), max_seconds
        first = prove(instance, timeout_ms=timeout_ms)
        if first.interrupted:
            raise KeyboardInterrupt
        self._ranges_are_proved = first.proof(RANGES).verdict is Verdict.PROVED
        proved = [proof.name for proof in (*first.proofs, *first.others) if proof.verdict is Verdict.PROVED]
        properties = [claim for claim in instance.model.properties if claim.kind in _KINDS]
        self._goals = [claim for claim in properties if claim.name not in proved]
        if goals is not None:
            self._goals = [_goal(instance, name) for name in dict.fromkeys(goals)]
        self._facts = [claim for claim in properties if claim.name in proved and claim not in self._goals]
        self._encoding = Encoding(instance)
        self._ground = Ground.of(instance, atoms(instance.model))
        self._candidates = self._inductive = 0
        self._cut = False

    def run(self, width: int) -> Strengthening:
        """Search with ever longer clauses, until the goals are proved."""
        found: list[Supporting] = []
        proved: dict[str, tuple[str, ...]] = {}
        why, report = "" if self._ranges_are_proved else "the ranges of its numbers are not proved", None
        if self._goals and self._ranges_are_proved:
            try:
                survivors, reached_goals = self._survivors(width)
                found, proved, report = self._proved(survivors, reached_goals)
            except KeyboardInterrupt:
                why = INTERRUPTED
            except OutOfTimeError:
                why = f"the solver gave no answer in time, {self._max_seconds:g} seconds in all"
        return Strengthening(
            instance=self.instance,
            goals=tuple(claim.name for claim in self._goals),
            proved=proved,
            supporting=tuple(found),
            candidates=self._candidates,
            inductive=self._inductive,
            cut=self._cut,
            undetermined=why,
            report=report,
            seconds=time.perf_counter() - self._begun,
        )

    def _houdini(self, facts: Sequence[Property]) -> Houdini:
        claims = [self._encoding.well_formed(RANGES), *(self._encoding.claim(fact) for fact in facts)]
        deadline = self._begun + self._max_seconds
        return Houdini(self._encoding, self._ground, claims, deadline, self._timeout_ms)

    def _survivors(self, width: int) -> tuple[list[Candidate], list[Property]]:
        """The candidates that are inductive together, and the goals that are kept with them."""
        holds = truth(self._ground, reached(self.instance, self._states))
        clauses = Clauses(holds, self._relevance())
        houdini = self._houdini([fact for fact in self._facts if fact.kind == "invariant"])
        goals = [Candidate(claim=self._encoding.claim(goal)) for goal in self._goals]
        invariants = [goal for goal in goals if goal.claim is not None and not goal.claim.two_states]
        looked_at: list[Clause] = []
        kept: list[Candidate] = []
        reached_goals: list[Property] = []
        for count in range(1, width + 1):
            looked_at += clauses.of(count, self._most)
            self._candidates, self._cut = len(looked_at), clauses.cut
            kept = houdini.inductive([*(Candidate(clause=clause) for clause in looked_at), *invariants])
            self._inductive = sum(one.clause is not None for one in kept)
            reached_goals = [
                declared
                for declared, goal in zip(self._goals, goals, strict=True)
                if (goal in kept if goal in invariants else houdini.needed(goal, kept) is not None)
            ]
            if len(reached_goals) == len(self._goals):
                break
        return [one for one in kept if one.clause is not None], reached_goals

    def _relevance(self) -> list[int]:
        """How near each condition is to the goals: how many of its variables they do not mention."""
        own = {name for goal in self._goals for name in _variables(goal.condition)}
        return [len(_variables(condition) - own) for condition in self._ground.conditions]

    def _proved(
        self, survivors: Sequence[Candidate], goals: Sequence[Property]
    ) -> tuple[list[Supporting], dict[str, tuple[str, ...]], Report | None]:
        """The few survivors that the goals need, each with what it relies on, proved by `prove`."""
        if not goals:
            return [], {}, None
        facts = [fact for fact in self._facts if fact.kind == "invariant"]
        houdini = self._houdini(facts)
        wanted = [Candidate(claim=self._encoding.claim(goal)) for goal in goals]
        few = _minimal(houdini, wanted, closure(houdini, wanted, list(survivors)))
        return self._declared(few, goals, facts)

    def _declared(
        self, few: Sequence[Candidate], goals: Sequence[Property], facts: Sequence[Property]
    ) -> tuple[list[Supporting], dict[str, tuple[str, ...]], Report]:
        """The supporting invariants and the goals as properties that name what they rely on, and their proof."""
        supporting = [self._supporting(one, i) for i, one in enumerate(few, 1)]
        declared = [*(one.declared for one in supporting), *goals]
        invariants = [claim for claim in [*declared, *facts] if claim.kind == "invariant"]
        houdini, named = self._houdini([]), []
        for claim in declared:
            others = [other for other in invariants if other is not claim]
            needed = houdini.needed(
                Candidate(claim=self._encoding.claim(claim)),
                [Candidate(claim=self._encoding.claim(other)) for other in others],
            )
            assert needed is not None, f"{claim.name} is kept by no step without what was dropped"
            named.append(replace(claim, inductive=True, given=tuple(others[i].name for i in sorted(needed))))
        rest = [claim for claim in self.instance.model.properties if claim.name not in {one.name for one in named}]
        model = replace(self.instance.model, properties=(*rest, *named))
        report = prove(Instance(model, self.instance.configuration), timeout_ms=self._timeout_ms, others=False)
        if report.interrupted:
            raise KeyboardInterrupt
        given = {claim.name: claim.given for claim in named}
        proved = {g.name: given[g.name] for g in goals if report.proof(g.name).verdict is Verdict.PROVED}
        found = [replace(one, declared=claim) for one, claim in zip(supporting, named, strict=False)]
        return found, proved, report

    def _supporting(self, candidate: Candidate, number: int) -> Supporting:
        """A clause as an invariant with a name."""
        assert candidate.clause is not None
        literals = self._ground.literals(candidate.clause)
        parts = [condition if holds else ir.negation(condition) for condition, holds in literals]
        condition = ir.disjunction(parts)
        domains = parameters(condition)
        declared = Property(
            name=f"supporting_{number}",
            kind="invariant",
            parameters=tuple(ActionParameter(name, RefType(index), index) for name, index in domains.items()),
            condition=condition,
            target=None,
            inductive=True,
            given=(),
            fair=(),
            doc="",
            source=Source("found", number),
        )
        return Supporting(declared, implication(literals))


def _goal(instance: Instance, name: str) -> Property:
    known = {claim.name: claim for claim in instance.model.properties if claim.kind in _KINDS}
    if name not in known:
        known_names = ", ".join(known) or "none"
        raise ConfigurationError(f"there is no invariant or transition property '{name}'; there is {known_names}")
    return known[name]


def _variables(expr: Expr) -> set[str]:
    return {node.data for node in ir.walk(expr) if node.op in (Op.VARIABLE, Op.NEXT)}


def closure(houdini: Houdini, goals: Sequence[Candidate], survivors: list[Candidate]) -> list[Candidate]:
    """The survivors that the goals rely on, and those that these rely on, and so on; as the solver happens to prove."""
    kept: dict[Candidate, None] = {}
    pending = list(goals)
    others = [*survivors, *(goal for goal in goals if goal.claim is not None and not goal.claim.two_states)]
    while pending:
        needed = houdini.needed(pending.pop(), others)
        assert needed is not None, "the survivors are inductive together"
        for i in needed:
            if others[i].clause is not None and others[i] not in kept:
                kept[others[i]] = None
                pending.append(others[i])
    return list(kept)


def _minimal(houdini: Houdini, goals: Sequence[Candidate], supports: list[Candidate]) -> list[Candidate]:
    """The supports without those that are not needed, the longest tried first."""
    invariants = [goal for goal in goals if goal.claim is not None and not goal.claim.two_states]
    for one in sorted(supports, key=lambda support: -len(support.clause or ())):
        rest = houdini.inductive([*(other for other in supports if other is not one), *invariants])
        if all(goal in rest if goal in invariants else houdini.needed(goal, rest) is not None for goal in goals):
            supports = [other for other in rest if other.clause is not None and other in supports]
    return supports
