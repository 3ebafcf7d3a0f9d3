"""Actions that change something: an action that is only ever taken where it leaves everything as it is says nothing.

A change of an effect may leave a step that is still taken, and that still ends in a state that is reached in other ways
too, so that there are as many states and steps as before. It shows in that the action changes nothing any more.

Left out: actions with arguments that are no members of index sets, such as picked numbers.
"""

from __future__ import annotations

from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.types import IndexSet

CHANGES_SOMETHING: Final = "{} changes something"


def moves(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each action the witness that some step of it leads to another state; without effects none does.

    Args:
        action: only the action of this name.
    """
    return tuple(
        _move(model, one)
        for one in model.actions
        if action in (None, one.name) and all(isinstance(parameter.domain, IndexSet) for parameter in one.parameters)
    )


def _move(model: Model, action: Action) -> Property:
    possible = [check.condition for check in action.checks]
    types = {variable.name: variable.type for variable in model.variables}
    before = [ir.make(ir.Op.VARIABLE, (), types[effect.variable], effect.variable) for effect in action.effects]
    same = [ir.equal(old, effect.value) for old, effect in zip(before, action.effects, strict=True)]
    return Property(
        name=CHANGES_SOMETHING.format(action.name),
        kind="witness",
        parameters=action.parameters,
        condition=ir.conjunction([*possible, ir.negation(ir.conjunction(same))]),
        target=None,
        inductive=False,
        given=(),
        fair=(),
        doc="",
        source=action.source,
    )
