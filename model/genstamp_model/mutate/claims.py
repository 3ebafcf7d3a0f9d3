"""Mutants of properties: is each part of a claim needed, and is the claim as strong as it could be?

A *weaker* mutant leaves out a conjunct of what is claimed, or a disjunct of the condition under which it is claimed. It
is noticed where some fault breaks the claim and not the mutant: then the part that was left out is needed. A *stronger*
mutant leaves out a disjunct, or the condition. It is noticed where the model itself breaks it: then the claim says all
that it can say there. What is not noticed is a part that no fault needs, or a claim that could be stronger.

Left out: witnesses, leads-to properties and refinements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from genstamp_model.explore import Search
from genstamp_model.explore.variants import Variants
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Configuration, Instance, Model, Property
from genstamp_model.mutate.mutants import Mutant

WEAKER, STRONGER = "weaker", "stronger"

_MOST_CHARACTERS: Final = 90

_QUANTIFIERS: Final = (Op.FORALL, Op.EXISTS)


@dataclass(frozen=True)
class ClaimMutant:
    """One change of a property.

    Attributes:
        claim: the property as it is.
        kind: weaker or stronger.
        change: what is left out, in words.
        condition: the changed condition.
    """

    claim: Property
    kind: str
    change: str
    condition: Expr

    def __str__(self) -> str:
        return f"{self.claim.name}, {self.kind}: without {self.change} ({self.claim.source})"


def claim_mutants(model: Model) -> list[ClaimMutant]:
    """Every mutant of the invariants and transition properties of a model, in the order of its text."""
    refinements = {one.claim.name for one in model.refinements}
    return [
        ClaimMutant(claim, kind, ir.beginning(left_out, _MOST_CHARACTERS, {}), condition)
        for claim in model.properties
        if claim.kind in ("invariant", "transition") and claim.name not in refinements
        for kind, parts in ((WEAKER, Op.AND), (STRONGER, Op.OR))
        for left_out, condition in _without(claim.condition, parts)
    ]


def _without(expr: Expr, parts: Op) -> Iterator[tuple[Expr, Expr]]:
    """Each way to leave out one part of a conjunction (or disjunction) that stands where the whole rises with it."""
    if expr.op in (Op.AND, Op.OR):
        for i, part in enumerate(expr.args):
            before, after = expr.args[:i], expr.args[i + 1 :]
            if expr.op is parts:
                yield part, _joined(expr, (*before, *after))
            for left_out, changed in _without(part, parts):
                yield left_out, _joined(expr, (*before, changed, *after))
    elif expr.op is Op.NOT:
        # Below a negation the whole falls where a part rises.
        for left_out, changed in _without(expr.args[0], Op.OR if parts is Op.AND else Op.AND):
            yield left_out, ir.negation(changed)
    elif expr.op in _QUANTIFIERS:
        for left_out, changed in _without(expr.args[0], parts):
            yield left_out, ir.make(expr.op, (changed,), expr.type, expr.data)


def _joined(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    return parts[0] if len(parts) == 1 else ir.make(expr.op, parts, expr.type, expr.data)


class ClaimJudging:
    """What is broken in a model and in faulty ones, of some claims and of their mutants.

    Attributes:
        noticed: for each mutant that is noticed what shows it.
    """

    def __init__(self, mutants: Sequence[ClaimMutant]) -> None:
        self.noticed: dict[ClaimMutant, str] = {}
        self._mutants = mutants
        claims = {one.claim.name: one.claim for one in mutants}
        self._broken = {name: _breaks(claim, f"{name} breaks", claim.condition) for name, claim in claims.items()}
        self._changed = {one: _breaks(one.claim, f"{i} breaks", one.condition) for i, one in enumerate(mutants)}

    def held(self, model: Model, configuration: Configuration) -> Variants:
        """Look for stronger mutants that the model itself breaks; the model, to look at faulty ones."""
        variants = self._variants(model, configuration)
        seen = self._seen(variants, model)
        for one, broken in self._changed.items():
            if one.kind == STRONGER and broken.name in seen:
                self.noticed.setdefault(one, f"{configuration.name}: the model breaks it")
        return variants

    def fault(self, model: Model, configuration: Configuration, name: str, states: int | None = None) -> None:
        """Look for weaker mutants that miss a fault which the claim catches, in so many states at most."""
        self._missed(self._seen(self._variants(model, configuration), model, None, states), name)

    def mutant(self, variants: Variants, mutant: Mutant, states: int | None = None) -> None:
        """The same with a mutant of an action for a fault."""
        self._missed(self._seen(variants, mutant.model, mutant.action, states), mutant.name)

    def _missed(self, seen: frozenset[str], fault: str) -> None:
        for one, broken in self._changed.items():
            caught = self._broken[one.claim.name].name in seen
            if one.kind == WEAKER and caught and broken.name not in seen:
                self.noticed.setdefault(one, f"misses {fault}")

    def _variants(self, model: Model, configuration: Configuration) -> Variants:
        bare = replace(model, properties=(), refinements=(), may_stop=None)
        edges = [one for one in self._all() if one.kind == "transition"]
        return Variants(Instance(bare, configuration), edges)

    def _all(self) -> list[Property]:
        return [*self._broken.values(), *self._changed.values()]

    def _seen(
        self, variants: Variants, model: Model, changed: str | None = None, states: int | None = None
    ) -> frozenset[str]:
        """Names of the claims, and of the mutants, that some state or step breaks."""
        bare = replace(model, properties=(), refinements=(), may_stop=None)
        further = [one for one in self._all() if one.kind == "witness"]
        result = Search(variants.compiled(bare, changed, further), states, threads=1).run()
        states_seen = {name for name, steps in result.witnesses.items() if steps is not None}
        return frozenset(states_seen | {name for name, steps in result.refined.items() if steps})


def _breaks(claim: Property, name: str, condition: Expr) -> Property:
    """The witness, on a state or an edge, that a condition does not hold."""
    kind = "witness" if claim.kind == "invariant" else "transition"
    broken = replace(claim, kind="witness", condition=ir.negation(condition))
    # On an edge the whole stands as the condition: a transition property would be quantified for all.
    closed = replace(broken, condition=broken.closed, parameters=(), kind=kind)
    return replace(closed, name=name, inductive=False, given=())
