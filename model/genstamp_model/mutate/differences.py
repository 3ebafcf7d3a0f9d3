"""Where a mutant differs from the model: the states in which one of its steps is another one, or those it begins in.

Two steps are the same if both are possible or neither is, they lead to the same state, and the same check refuses a
caller. This is a condition on the state before the step, so one search of the model decides for many mutants whether a
configuration shows a difference. If it shows none, the mutant reaches the same states by the same steps, and no search
can notice it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from genstamp_model.errors import ConfigurationError, ModelError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Compiled, Search, Verdict
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Instance, Model, Property
from genstamp_model.mutate.answers import is_possible, witness
from genstamp_model.mutate.mutants import Mutant
from genstamp_model.mutate.searching import searched


def difference(model: Model, mutant: Mutant) -> Property:
    """The witness, named like the mutant, that some step of the mutant is not the model's own.

    Args:
        model: the unchanged model.
        mutant: one of its mutants.
    """
    own, other = model.action(mutant.action), mutant.model.action(mutant.action)
    parts = [_unequal(is_possible(own), is_possible(other)), *_refused(own, other)]
    values, others = ({effect.variable: effect.value for effect in one.effects} for one in (own, other))
    for name in {**values, **others}:
        before = ir.make(ir.Op.VARIABLE, (), model.types[name], name)
        now, changed = values.get(name, before), others.get(name, before)
        if now is not changed:
            parts.append(ir.conjunction([is_possible(own), ir.negation(ir.equal(now, changed))]))
    condition = ir.disjunction([part for part in parts if part is not ir.FALSE])
    return witness(model, mutant.name, own.parameters, condition, mutant.source)


def differing(instance: Instance, mutants: Sequence[Mutant]) -> set[str]:
    """The names of the mutants that differ in some reached state.

    Args:
        instance: the unchanged model in one configuration, where it holds.
        mutants: mutants of that model.

    Raises:
        ModelError: the search does not end, for example because memory is used up.
    """
    witnesses = tuple({one.name: difference(instance.model, one) for one in mutants if one.action}.values())
    model = replace(instance.model, properties=witnesses, refinements=(), may_stop=None)
    result = searched(Search(Compiled(Instance(model, instance.configuration))))
    if result.verdict is not Verdict.HOLDS:
        where = f"{model.system}:{instance.configuration.name}"
        raise ModelError(
            f"the search for a state where mutants of {where} differ is undetermined: "
            f"{result.undetermined or result.violation}"
        )
    begin_elsewhere = {one.name for one in mutants if not one.action and begins_elsewhere(instance, one)}
    return {name for name, steps in result.witnesses.items() if steps is not None} | begin_elsewhere


def begins_elsewhere(instance: Instance, mutant: Mutant) -> bool:
    """Whether the initial states of a mutant in one configuration differ from the model's; it may have none."""
    try:
        other = Instance(mutant.model, instance.configuration)
    except ConfigurationError:
        return True
    return set(Evaluator(other).initials) != set(Evaluator(instance).initials)


def _refused(own: Action, other: Action) -> list[Expr]:
    """Where a check of one action refuses a caller, and that of the other does not."""
    found, found_other = _refusals(own), _refusals(other)
    return [_unequal(found.get(one, ir.FALSE), found_other.get(one, ir.FALSE)) for one in {**found, **found_other}]


def _refusals(action: Action) -> dict[tuple[str, str], Expr]:
    """The condition under which each check refuses with its exception."""
    found: defaultdict[tuple[str, str], list[Expr]] = defaultdict(list)
    for i, check in enumerate(action.checks):
        if check.refuses is not None:
            passed = [one.condition for one in action.checks[:i]]
            found[check.label, check.refuses].append(ir.conjunction([*passed, ir.negation(check.condition)]))
    return {one: ir.disjunction(conditions) for one, conditions in found.items()}


def _unequal(one: Expr, other: Expr) -> Expr:
    return ir.FALSE if one is other else ir.negation(ir.equal(one, other))
