"""Claims that each action changes the state, and each effect its variable.

With a changed effect a step may still be taken and lead to a state that is also reached in other ways, so that the
numbers of states and steps stay the same. But then the action changes nothing, or one variable fewer.

Not here: actions that pick from many numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr
from genstamp_model.language.model import Action, Model, Property
from genstamp_model.mutate.answers import has_few_choices, witness

SOMETHING: Final = " changes something"
"""The end of the name of each witness that an action changes something."""

IDLE: Final = " leaves everything as it is"
"""The end of the name of each witness that a step of an action changes nothing."""


def moves(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each action, the witness that some step of it changes the state; of an action without effects none does.

    Args:
        model: the model.
        action: only the action of this name; by default all.
    """
    return tuple(
        possible(model, one, f"{one.name}{SOMETHING}", ir.disjunction([value for _, value in _changed(model, one)]))
        for one in judged(model, action)
    )


def effects(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each effect of each action, the witness that some step changes the variable; arguments as in `moves`."""
    return tuple(
        possible(model, one, f"{one.name} changes {name}", value)
        for one in judged(model, action)
        for name, value in _changed(model, one)
    )


def idle(model: Model, action: str | None = None) -> tuple[Property, ...]:
    """For each action with effects, the witness that a step of it changes nothing; arguments as in `moves`."""
    return tuple(
        possible(model, one, f"{one.name}{IDLE}", ir.negation(ir.disjunction([v for _, v in _changed(model, one)])))
        for one in judged(model, action)
        if one.effects
    )


def judged(model: Model, action: str | None) -> Iterator[Action]:
    """The action of this name, or all actions, without those that have too many choices of arguments."""
    for one in model.actions:
        if has_few_choices(one) and action in (None, one.name):
            yield one


def _changed(model: Model, action: Action) -> Iterator[tuple[str, Expr]]:
    """The variable of each effect, and the condition that the effect changes it."""
    for effect in action.effects:
        before = ir.make(ir.Op.VARIABLE, (), model.types[effect.variable], effect.variable)
        yield effect.variable, ir.negation(ir.equal(before, effect.value))


def possible(model: Model, action: Action, name: str, condition: Expr) -> Property:
    """The witness that a step of the action is possible and a condition holds for it."""
    checks = [check.condition for check in action.checks]
    return witness(model, name, action.parameters, ir.conjunction([*checks, condition]), action.source)
