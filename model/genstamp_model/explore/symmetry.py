"""Symmetry: states that differ only in the numbering of interchangeable members stand for one another.

An index set declared `symmetric` has members that no action and no property prefers, so renaming them in a state gives
a state that behaves alike. The compiled search keeps one state of each such orbit. Unnamed members are renamed, named
ones stay; a subset's members are those of its root.

Here in plain Python: what may be renamed, renaming, and the representative in its slowest, plainest form.
`symmetry_plan` says how the compiled search finds a representative, `symmetry_check` refuses models that are not
symmetric in truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any, TypeAlias

from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import State
from genstamp_model.language.model import Instance
from genstamp_model.language.types import (
    ArrayType,
    BagType,
    IndexSet,
    RecordType,
    RefType,
    SequenceType,
    SetType,
    Type,
    sort_key,
)

# For the members of each group, by the group's name: the new position of each.
Renaming: TypeAlias = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Group:
    """Members that are interchangeable: the first `size` of every index set whose unnamed members have this name."""

    name: str
    size: int

    def has(self, index: IndexSet) -> bool:
        """Whether the group's members are those of an index set, or its unnamed ones."""
        return index.base == self.name


def groups(instance: Instance) -> tuple[Group, ...]:
    """The groups of an instance that have members to exchange.

    Raises:
        ConfigurationError: no index set of the system is declared symmetric.
    """
    names = dict.fromkeys(index.base for index in instance.model.index_sets if index.symmetric)
    if not names:
        known = ", ".join(index.name for index in instance.model.index_sets) or "none"
        raise ConfigurationError(
            f"system {instance.model.system} declares no index set symmetric (it has {known}); write "
            "class Name(Index, symmetric=True) where members are interchangeable, or search without symmetry"
        )
    sizes = instance.configuration.sizes
    return tuple(Group(name, sizes[name]) for name in names if sizes[name] > 1)


def renamings(found: tuple[Group, ...]) -> Iterator[Renaming]:
    """Every way to rename the members of some groups, the identity first."""
    for images in product(*(permutations(range(group.size)) for group in found)):
        yield {group.name: image for group, image in zip(found, images, strict=True)}


def renamed(instance: Instance, state: State, renaming: Renaming) -> State:
    """The state with its members renamed; message bags are sorted again."""
    types = (variable.type for variable in instance.model.variables)
    return tuple(_renamed(type_, value, renaming) for type_, value in zip(types, state, strict=True))


def _renamed(type_: Type, value: Any, renaming: Renaming) -> Any:
    match type_:
        case RefType(index=index):
            return value if value is None else _image(index, value, renaming)
        case SetType(index=index):
            return frozenset(_image(index, member, renaming) for member in value)
        case ArrayType(index=index, element=element):
            result = list(value)
            for i, part in enumerate(value):
                result[_image(index, i, renaming)] = _renamed(element, part, renaming)
            return tuple(result)
        case RecordType(fields=fields):
            return tuple(_renamed(kind, part, renaming) for (_, kind), part in zip(fields, value, strict=True))
        case SequenceType(element=element):
            return tuple(_renamed(element, part, renaming) for part in value)
        case BagType(message=message):
            return tuple(sorted((_renamed(message, part, renaming) for part in value), key=sort_key))
        case _:
            return value


def _image(index: IndexSet, member: int, renaming: Renaming) -> int:
    image = renaming.get(index.base, ())
    return image[member] if member < len(image) else member


def least(instance: Instance, state: State) -> State:
    """The smallest of all states that differ from this one in the numbering of interchangeable members.

    The twin of what the compiled search does: another representative, of the same states.
    """
    alike = (renamed(instance, state, renaming) for renaming in renamings(groups(instance)))
    return min(alike, key=lambda other: [sort_key(value) for value in other])
