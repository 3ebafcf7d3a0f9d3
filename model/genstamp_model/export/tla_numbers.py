"""TLC computes with 32 bits and a sign: what a module says beyond that is refused before TLC is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from genstamp_model.errors import ConfigurationError, Source
from genstamp_model.language import ir
from genstamp_model.language.ir import Expr, Op
from genstamp_model.language.model import Model
from genstamp_model.language.trace import Range
from genstamp_model.language.types import NumberType, Type, nested

LARGEST: Final = 2**31 - 1


def refuse_large(model: Model) -> None:
    """Refuse a model that has larger numbers than TLC.

    Raises:
        ConfigurationError: a number of it may be beyond 2147483647, or is, on either side of 0.
    """
    for place, number, source in _numbers(model):
        if abs(number) > LARGEST:
            raise ConfigurationError(f"TLC has no numbers above {LARGEST}; {place} has {number}", source)


def _numbers(model: Model) -> Iterator[tuple[str, int, Source | None]]:
    """Every number that the module has, with what has it and the line."""
    for variable in model.variables:
        yield from ((f"the range of {variable.name}", bound, variable.source) for bound in _bounds(variable.type))
    for action in model.actions:
        for parameter in action.parameters:
            if isinstance(domain := parameter.domain, Range):
                place = f"the range of {parameter.name} in {action.name}"
                yield from ((place, bound, action.source) for bound in (domain.low, domain.high))
        parts = [(one.condition, one.source) for one in action.checks]
        parts += [(one.value, one.source) for one in action.effects]
        for part, source in parts:
            yield from ((action.name, number, source) for number in _constants(part))
    for claim in model.properties:
        for said in (claim.condition, claim.target, *claim.again):
            if said is not None:
                yield from ((claim.name, number, claim.source) for number in _constants(said))
    for name, said in model.limits:
        yield from ((f"limit {name}", number, model.source) for number in _constants(said))
    if model.may_stop is not None:
        yield from (("may_stop", number, model.source) for number in _constants(model.may_stop))


def _bounds(type_: Type) -> Iterator[int]:
    numbers = (one for one in nested(type_) if isinstance(one, NumberType))
    return (bound for one in numbers for bound in (one.low, one.high) if bound is not None)


def _constants(expr: Expr) -> Iterator[int]:
    for node in ir.walk(expr):
        if node.op is Op.CONST and isinstance(node.type, NumberType):
            yield node.data
