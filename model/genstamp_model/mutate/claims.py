"""Mutants of properties: is each part of a property needed, and could the property be stronger?

A *weaker* mutant drops a conjunct of the property, or a disjunct of its antecedent. It is noticed if some fault
violates the property and not the mutant: the dropped part is needed. A *stronger* mutant drops a disjunct, or the
antecedent. It is noticed if the model itself violates it: the property cannot be stronger there. An unnoticed weaker
mutant shows a part that no fault needs, an unnoticed stronger one a property that could be stronger.

Not here: witnesses, leads-to properties and refinements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from genstamp_model.explore import Search, Verdict
from genstamp_model.explore.variants import Variants
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Configuration, Instance, Model, Property
from genstamp_model.mutate.mutants import Mutant
from genstamp_model.mutate.searching import searched

WEAKER, STRONGER = "weaker", "stronger"

_MOST_CHARACTERS: Final = 90

_QUANTIFIERS: Final = (Op.FORALL, Op.EXISTS)


@dataclass(frozen=True)
class ClaimMutant:
    """One change of a property.

    Attributes:
        claim: the unchanged property.
        kind: `WEAKER` or `STRONGER`.
        change: the dropped part, as text.
        condition: the changed condition.
    """

    claim: Property
    kind: str
    change: str
    condition: Expr

    def __str__(self) -> str:
        return f"{self.claim.name}, {self.kind}: without {self.change} ({self.claim.source})"


def claim_mutants(model: Model) -> list[ClaimMutant]:
    """All mutants of the invariants and transition properties of a model, in the order of its text."""
    refinements = {one.claim.name for one in model.refinements}
    return [
        ClaimMutant(claim, kind, ir.beginning(left_out, _MOST_CHARACTERS, {}), condition)
        for claim in model.properties
        if claim.kind in ("invariant", "transition") and claim.name not in refinements
        for kind, parts in ((WEAKER, Op.AND), (STRONGER, Op.OR))
        for left_out, condition in _without(claim.condition, parts)
    ]


def _without(expr: Expr, parts: Op) -> Iterator[tuple[Expr, Expr]]:
    """Drop one part of a conjunction (or disjunction) in a place where a weaker part makes the whole weaker."""
    if expr.op in (Op.AND, Op.OR):
        for i, part in enumerate(expr.args):
            before, after = expr.args[:i], expr.args[i + 1 :]
            if expr.op is parts:
                yield part, _joined(expr, (*before, *after))
            for left_out, changed in _without(part, parts):
                yield left_out, _joined(expr, (*before, changed, *after))
    elif expr.op is Op.NOT:
        # Below a negation a weaker part makes the whole stronger.
        for left_out, changed in _without(expr.args[0], Op.OR if parts is Op.AND else Op.AND):
            yield left_out, ir.negation(changed)
    elif expr.op in _QUANTIFIERS:
        for left_out, changed in _without(expr.args[0], parts):
            yield left_out, ir.make(expr.op, (changed,), expr.type, expr.data)


def _joined(expr: Expr, parts: tuple[Expr, ...]) -> Expr:
    return parts[0] if len(parts) == 1 else ir.make(expr.op, parts, expr.type, expr.data)


class ClaimJudging:
    """Judges mutants of properties in a model and in models with faults.

    Args:
        mutants: the mutants to judge.

    Attributes:
        noticed: the noticed mutants, each with the reason.
    """

    def __init__(self, mutants: Sequence[ClaimMutant]) -> None:
        self.noticed: dict[ClaimMutant, str] = {}
        self._mutants = mutants
        claims = {one.claim.name: one.claim for one in mutants}
        self._broken = {name: _breaks(claim, f"{name} breaks", claim.condition) for name, claim in claims.items()}
        self._changed = {one: _breaks(one.claim, f"{i} breaks", one.condition) for i, one in enumerate(mutants)}

    def held(self, model: Model, configuration: Configuration) -> Variants:
        """Search the model for violations of stronger mutants; returns it compiled, for `mutant`."""
        variants = self._variants(model, configuration)
        seen, _ = self._seen(variants, model)
        for one, broken in self._changed.items():
            if one.kind == STRONGER and broken.name in seen:
                self.noticed.setdefault(one, f"{configuration.name}: the model breaks it")
        return variants

    def fault(self, model: Model, configuration: Configuration, name: str, states: int | None = None) -> None:
        """Search a model with a fault for weaker mutants that miss it, where the property catches it.

        Args:
            model: the model with the fault.
            configuration: where to search.
            name: the name of the fault.
            states: end the search at this many states.
        """
        self._missed(self._seen(self._variants(model, configuration), model, None, states), name)

    def mutant(self, variants: Variants, mutant: Mutant, states: int | None = None) -> None:
        """The same with a mutant of an action as the fault; `variants` is from `held`."""
        self._missed(self._seen(variants, mutant.model, mutant.action, states), mutant.name)

    def _missed(self, found: tuple[frozenset[str], bool], fault: str) -> None:
        seen, is_decided = found
        # What was not seen where a search gave up may still be there.
        if not is_decided:
            return
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
    ) -> tuple[frozenset[str], bool]:
        """The names of the witnesses, of properties and of mutants, that some state or step shows, and whether the
        search came to its end, or to a step that fails.
        """
        bare = replace(model, properties=(), refinements=(), may_stop=None)
        further = [one for one in self._all() if one.kind == "witness"]
        result = searched(Search(variants.compiled(bare, changed, further), states, threads=1))
        states_seen = {name for name, steps in result.witnesses.items() if steps is not None}
        steps_seen = {name for name, steps in result.refined.items() if steps}
        return frozenset(states_seen | steps_seen), result.verdict is not Verdict.UNDETERMINED


def _breaks(claim: Property, name: str, condition: Expr) -> Property:
    """The witness, of a state or a step, that a condition does not hold."""
    kind = "witness" if claim.kind == "invariant" else "transition"
    broken = replace(claim, kind="witness", condition=ir.negation(condition))
    # A transition property holds for all its parameters, so a witness of a step has its quantifiers in the condition.
    closed = replace(broken, condition=broken.closed, parameters=(), kind=kind)
    return replace(closed, name=name, inductive=False, given=())
