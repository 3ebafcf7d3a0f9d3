"""Variables that no step sets, and variables that nothing reads.

A variable is read where a check, a property, a limit, an observation, a mapping to an upper system or another
variable's new value depends on it; one that is only needed for its own new value is not. A limit in its type reads it
too, as it cuts steps off.
"""

from __future__ import annotations

from collections.abc import Iterator

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Model, Variable, limit_names


def never_set(model: Model) -> tuple[Variable, ...]:
    """The variables that no action assigns: each has its initial value in every state."""
    assigned = {effect.variable for action in model.actions for effect in action.effects}
    return tuple(variable for variable in model.variables if variable.name not in assigned)


def never_read(model: Model) -> tuple[Variable, ...]:
    """The variables on which nothing depends but themselves."""
    read = {name for expr in _read(model) for name in _variables(expr)}
    needs: dict[str, set[str]] = {}
    for action in model.actions:
        for effect in action.effects:
            needs.setdefault(effect.variable, set()).update(_variables(effect.value))
    waiting = [
        variable.name for variable in model.variables if variable.name in read or any(limit_names(variable.type))
    ]
    found = set(waiting)
    while waiting:
        for name in needs.get(waiting.pop(), set()) - found:
            found.add(name)
            waiting.append(name)
    return tuple(variable for variable in model.variables if variable.name not in found)


def _read(model: Model) -> Iterator[Expr]:
    """What a model says of its variables, their new values aside."""
    for action in model.actions:
        yield from (check.condition for check in action.checks)
        yield from (value for _, value in action.observations)
    for claim in model.properties:
        yield claim.condition
        if claim.target is not None:
            yield claim.target
    yield from (expr for _, expr in model.limits)
    yield from (observation.value for observation in model.observations)
    for refinement in model.refinements:
        yield from refinement.mapping.values()
    if model.may_stop is not None:
        yield model.may_stop


def _variables(expr: Expr) -> Iterator[str]:
    return (node.data for node in ir.walk(expr) if node.op in (Op.VARIABLE, Op.NEXT))
