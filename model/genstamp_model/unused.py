"""Variables that no step sets, and variables that nothing reads.

A variable is read where a check, a property, a limit, a condition on initial states, an observation, a mapping to an
upper system or another variable's new value depends on it; one that is only needed for its own new value is not. A
limit in its type reads it too, as it cuts steps off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Model, Variable, limit_names
from genstamp_model.language.types import Sizes

_MEMBERS: Final = 2
"""One for each index set, so that members can have different initial values."""


def never_set(model: Model) -> tuple[Variable, ...]:
    """The variables that no action sets to another value than they have initially, such as a set that is only cleared.

    One that begins with any of several values is none of them: it differs from run to run.
    Decided from the text of the effects: what they would set by their checks or in reached states is left out.
    """
    sizes = Sizes(dict.fromkeys((index.base for index in model.index_sets), _MEMBERS))
    values: dict[str, list[Expr]] = {}
    for action in model.actions:
        for effect in action.effects:
            values.setdefault(effect.variable, []).append(effect.value)
    return tuple(
        variable
        for variable in model.variables
        if variable.choice is None
        and all(_keeps(value, variable.name, variable.initial(sizes)) for value in values.get(variable.name, ()))
    )


def _keeps(value: Expr, name: str, initial: Any) -> bool:
    """Whether a new value of a variable, or of a part of it, is the initial one where the present one is."""
    match value.op:
        case Op.VARIABLE:
            return bool(value.data == name)
        case Op.SELECT:
            return value.args[0].op is Op.VARIABLE and bool(value.args[0].data == name)
        case Op.CONST:
            return bool(value.data == initial)
        case Op.ITE:
            return all(_keeps(side, name, initial) for side in value.args[1:])
        case Op.AND | Op.OR:
            enough = any if initial is (value.op is Op.OR) else all
            return enough(_keeps(arg, name, initial) for arg in value.args)
        case Op.REMOVE | Op.DIFFERENCE | Op.INTERSECTION | Op.DROP_FIRST | Op.WITHOUT | Op.TAKE:
            return not initial and _keeps(value.args[0], name, initial)
        case Op.STORE | Op.TABULATE:
            *arrays, element = (value.args[0], value.args[-1]) if value.op is Op.STORE else value.args
            alike = len(set(initial)) == 1
            return alike and all(_keeps(one, name, initial) for one in arrays) and _keeps(element, name, initial[0])
        case _:
            return False


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
    """The expressions of a model over its variables, without their new values."""
    for action in model.actions:
        yield from (check.condition for check in action.checks)
        yield from (value for _, value in action.observations)
    for claim in model.properties:
        yield claim.condition
        if claim.target is not None:
            yield claim.target
        yield from claim.again
    yield from (expr for _, expr in model.limits)
    yield from (one.condition for one in model.beginnings)
    yield from (observation.value for observation in model.observations)
    for refinement in model.refinements:
        yield from refinement.mapping.values()
    if model.may_stop is not None:
        yield model.may_stop


def _variables(expr: Expr) -> Iterator[str]:
    return (node.data for node in ir.walk(expr) if node.op in (Op.VARIABLE, Op.NEXT))
