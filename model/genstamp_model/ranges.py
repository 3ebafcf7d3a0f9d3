"""The ranges that declarations give numbers and sequences, and the limits that configurations give them.

Not here: what a limit cuts off (`evaluate.Evaluator.beyond`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from genstamp_model.language.types import ArrayType, BagType, NumberType, RecordType, SequenceType, Type


def has_range(type_: Type) -> bool:
    """Whether a value of the type can leave its range."""
    match type_:
        case NumberType(low=low, high=high):
            return low is not None or high is not None
        case SequenceType(element=element, capacity=capacity):
            return capacity is not None or has_range(element)
        case RecordType(fields=fields):
            return any(has_range(kind) for _, kind in fields)
        case ArrayType(element=element):
            return has_range(element)
        case BagType(message=message):
            return has_range(message)
    return False


def out_of_range(value: Any, type_: Type, name: str) -> str | None:
    """How a value leaves its declared range, as text; None where it does not."""
    match type_:
        case NumberType(low=low, high=high):
            if (low is not None and value < low) or (high is not None and value > high):
                return f"makes {name} {value}, outside {low}..{'' if high is None else high}"
        case SequenceType(element=element, capacity=capacity):
            if capacity is not None and len(value) > capacity:
                return f"makes {name} {len(value)} long, above its capacity {capacity}"
            return _first_fault((part, element, f"{name}[{i}]") for i, part in enumerate(value))
        case RecordType(fields=fields):
            return _first_fault((part, kind, f"{name}.{n}") for part, (n, kind) in zip(value, fields, strict=True))
        case ArrayType(element=element):
            return _first_fault((part, element, f"{name}[{i}]") for i, part in enumerate(value))
        case BagType(message=message):
            return _first_fault((part, message, f"a message in {name}") for part in value)
    return None


def _first_fault(parts: Iterator[tuple[Any, Type, str]]) -> str | None:
    return next((fault for part in parts if (fault := out_of_range(*part))), None)


def limited(value: Any, type_: Type, limits: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Each limit's name with the size that a value has under it."""
    match type_:
        case NumberType(limit=str(name)):
            yield name, value
        case SequenceType(element=element, limit=limit):
            if limit is not None:
                yield limit, len(value)
            for part in value:
                yield from limited(part, element, limits)
        case BagType(message=message, limit=str(name)):
            yield name, len(value)
            for part in value[: limits[name]]:
                yield from limited(part, message, limits)
        case RecordType(fields=fields):
            for part, (_, kind) in zip(value, fields, strict=True):
                yield from limited(part, kind, limits)
        case ArrayType(element=element):
            for part in value:
                yield from limited(part, element, limits)
