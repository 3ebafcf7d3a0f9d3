"""Random states and steps, for comparing a judge with `evaluate`: any value of the declared types, reachable or not."""

from __future__ import annotations

import random

from genstamp_model.evaluate import State
from genstamp_model.expand.cells import places
from genstamp_model.language import Instance
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    BoolType,
    EnumType,
    NumberType,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    Value,
    sort_key,
)


def random_state(instance: Instance, draw: random.Random, *, beyond: int = 0) -> State:
    """Any state with room in the configuration's places.

    Args:
        beyond: how far numbers with a limit may exceed it.
    """
    return tuple(random_value(instance, variable.type, draw, beyond) for variable in instance.model.variables)


def random_value(instance: Instance, type_: Type, draw: random.Random, beyond: int) -> Value:
    """Any value of a type."""
    sizes = instance.sizes
    match type_:
        case BoolType():
            return draw.random() < 0.5
        case NumberType(low=low, high=high, limit=limit):
            top = high if limit is None else instance.limits[limit] + draw.choice((0, beyond))
            return draw.randint(low or 0, top or 0)
        case EnumType(labels=labels):
            return draw.randrange(len(labels))
        case RefType(index=index, optional=optional):
            member = draw.randrange(sizes.of(index) + optional)
            return member if member < sizes.of(index) else None
        case RecordType(fields=fields):
            return tuple(random_value(instance, kind, draw, beyond) for _, kind in fields)
        case ArrayType(index=index, element=element):
            return tuple(random_value(instance, element, draw, beyond) for _ in range(sizes.of(index)))
        case SetType(index=index):
            return frozenset(i for i in range(sizes.of(index)) if draw.random() < 0.5)
        case SequenceType(element=element):
            return _some(instance, type_, element, draw, beyond)
        case BagType(message=message):
            return tuple(sorted(_some(instance, type_, message, draw, beyond), key=sort_key))


def _some(
    instance: Instance, type_: SequenceType | BagType, element: Type, draw: random.Random, beyond: int
) -> tuple[Value, ...]:
    found = [random_value(instance, element, draw, beyond) for _ in range(draw.randint(0, places(instance, type_)))]
    # Copies are what bags are about.
    if len(found) > 1 and draw.random() < 0.5:
        found[0] = found[-1]
    return tuple(found)
