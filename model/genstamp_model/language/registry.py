"""The classes through which values of each type are shown, and the parts of each lifecycle, as they are declared."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from genstamp_model.language.types import EnumType, RecordType, Type

if TYPE_CHECKING:
    from genstamp_model.language.values import Value

C = TypeVar("C", bound="Callable[..., Value]")

records: Final[dict[RecordType, type[Value]]] = {}
shown_through: Final[dict[type[Type], Callable[..., Value]]] = {}
_lifecycles: Final[dict[EnumType, list[object]]] = {}


def register_record(type_: RecordType, class_: type[Value]) -> None:
    """Make a record class known, so that expressions of its type are shown through it."""
    records[type_] = class_


def container(kind: type[Type]) -> Callable[[C], C]:
    """Make a class or function known as the one that shows values of a kind of type; of enumerations, of lifecycles."""

    def register(class_: C) -> C:
        shown_through[kind] = class_
        return class_

    return register


def register_lifecycle(type_: EnumType, parts: list[object]) -> None:
    """Make the states and events of a lifecycle known, so that those of another one are told from them."""
    _lifecycles.setdefault(type_, []).extend(parts)


def belongs(part: object, type_: EnumType) -> bool:
    """Whether a label, state or event is the type's own, and not just one of the same name."""
    if isinstance(part, enum.Enum):
        return type(part).__name__ == type_.name
    return any(part is known for known in _lifecycles.get(type_, ()))
