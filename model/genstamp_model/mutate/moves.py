"""Actions that change something: a step that leaves everything as it is says nothing, nor does an idle effect.

A change of an effect may leave a step that is still taken, and that still ends in a state that is reached in other ways
too, so that there are as many states and steps as before. It shows in that the action changes nothing any more, or one
variable less: what an action changes is part of what it is for.

Left out: actions with arguments that are no members of index sets, such as picked numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.language.trace import OptionalMember
from genstamp_model.language.types import IndexSet
from genstamp_model.mutate.answers import for_some

SOMETHING: Final = " changes something"
"""End of the name of the witness that an action changes something."""

IDLE: Final = " leaves everything as it is"
"""End of the name of the witness that a step of an action changes nothing."""


def moves(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each action the witness that some step of it leads to another state; without effects none does.

    Args:
        action: only the action of this name.
    """
    return tuple(
        possible(one, f"{one.name}{SOMETHING}", ir.disjunction([value for _, value in _changed(model, one)]))
        for one in judged(model, action)
    )


def effects(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each effect of each action the witness that some step changes the variable; arguments as in `moves`."""
    return tuple(
        possible(one, f"{one.name} changes {name}", value)
        for one in judged(model, action)
        for name, value in _changed(model, one)
    )


def idle(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each action that assigns the witness that a step of it changes nothing; arguments as in `moves`."""
    return tuple(
        possible(one, f"{one.name}{IDLE}", ir.negation(ir.disjunction([value for _, value in _changed(model, one)])))
        for one in judged(model, action)
        if one.effects
    )


def judged(model: Model, action: str | None) -> Iterator[Action]:
    """The action of this name, or all, but for those with arguments that are no members."""
    for one in model.actions:
        members = all(isinstance(parameter.domain, IndexSet | OptionalMember) for parameter in one.parameters)
        if members and action in (None, one.name):
            yield one


def _changed(model: Model, action: Action) -> Iterator[tuple[str, Expr]]:
    """For each effect its variable, and the condition that it changes it."""
    for effect in action.effects:
        before = ir.make(ir.Op.VARIABLE, (), model.types[effect.variable], effect.variable)
        yield effect.variable, ir.negation(ir.equal(before, effect.value))


def possible(action: Action, name: str, condition: Expr) -> Property:
    """The witness that a step of the action is possible for which a condition on its effects holds."""
    shared = tuple(one for one in action.parameters if isinstance(one.domain, IndexSet))
    checks = [check.condition for check in action.checks]
    return Property(
        name=name,
        kind="witness",
        parameters=shared,
        condition=for_some(action, shared, ir.conjunction([*checks, condition])),
        target=None,
        inductive=False,
        given=(),
        fair=(),
        doc="",
        source=action.source,
    )
