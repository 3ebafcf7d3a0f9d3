"""How the compiled search finds the representative of a state among those that differ in the numbering of members.

Groups are *sorted* where that is exact: each member's cells, with a bit for each reference that says "it is me", make a
key; members are numbered by the order of their keys. Members with equal keys are interchangeable in the state itself,
so ties do no harm. That needs cells that belong to one member of the group at most, and references into it that do not
are at another of its members, nor in a message (whose place in a sorted bag depends on the numbering).

Groups for which this does not hold, and one of two groups that meet in a cell, are *tried*: every numbering of theirs
is made, the sorted groups sorted in each, and the least row kept. That is exact for every model, and dear: the product
of the factorials of their sizes is bounded. (`symmetry_try` puts them in order first, as far as that tells.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import factorial, prod

from genstamp_model.errors import ConfigurationError
from genstamp_model.expand import Cell
from genstamp_model.expand.cells import places
from genstamp_model.explore.layout import WORD_BITS, span
from genstamp_model.explore.symmetry import Group, groups
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
)

# Numberings that are tried for each state at most.
MOST_TRIED = 720


@dataclass(frozen=True)
class Spot:
    """The relation of a cell to groups.

    Attributes:
        members: the members, by group and position, that the cell belongs to.
        refers: the group whose member it refers to.
        length: where it is in a sequence: the cell of the length, and its own place.
        messages: groups that the message mentions which it is part of.
    """

    members: tuple[tuple[Group, int], ...] = ()
    refers: Group | None = None
    length: tuple[int, int] | None = None
    messages: frozenset[Group] = frozenset()

    @property
    def groups(self) -> list[Group]:
        """Every group it has to do with, as often as it has."""
        return [group for group, _ in self.members] + ([self.refers] if self.refers else [])


@dataclass(frozen=True)
class Plan:
    """How the representative of a state is found.

    Attributes:
        spots: of the cells, in order.
        sorted: groups whose members are sorted; no two of them meet in a cell.
        tried: groups of which every numbering is tried.
    """

    spots: tuple[Spot, ...]
    sorted: tuple[Group, ...]
    tried: tuple[Group, ...]

    def of_member(self, group: Group, member: int) -> list[int]:
        """Cells that belong to a member, in an order that is the same for every member of the group."""
        return [i for i, spot in enumerate(self.spots) if (group, member) in spot.members]

    def referring(self, group: Group) -> list[int]:
        """Cells that refer to a member of a group."""
        return [i for i, spot in enumerate(self.spots) if spot.refers == group]

    def of_nobody_else(self, group: Group, member: int) -> list[int]:
        """Cells that belong to a member and to nothing else that is numbered, and references that are its group's."""
        own = ((group, member),)
        return [
            i
            for i, spot in enumerate(self.spots)
            if not spot.messages
            and ((spot.members == own and spot.refers is None) or (not spot.members and spot.refers == group))
        ]

    def blocks(self, cells: Sequence[Cell]) -> list[list[int]]:
        """Cells that had better be side by side in a word: parts of a sorted group's member, member by member."""
        found = []
        for group in self.sorted:
            for first, last in pieces([cells[i] for i in self.of_member(group, 0)]):
                found += [self.of_member(group, member)[first:last] for member in range(group.size)]
        return found


def pieces(cells: Sequence[Cell]) -> Iterator[tuple[int, int]]:
    """Cut cells into as few runs as fit a word each: positions of each run's first cell and past its last."""
    first, used = 0, 0
    for i, cell in enumerate(cells):
        low, high = span(cell)
        bits = (high - low).bit_length()
        if used + bits > WORD_BITS:
            yield first, i
            first, used = i, 0
        used += bits
    if first < len(cells):
        yield first, len(cells)


def plan(instance: Instance) -> Plan:
    """The cheapest exact plan for an instance.

    Raises:
        ConfigurationError: no index set is symmetric, or too many numberings would have to be tried.
    """
    found, spots = groups(instance), tuple(_Walk(instance, groups(instance)).spots())
    hard = {group for spot in spots for group in spot.groups if spot.groups.count(group) > 1}
    hard = hard.union(*(spot.messages for spot in spots))
    meeting = {frozenset(spot.groups) for spot in spots if len(set(spot.groups)) > 1}
    choices = [
        tried
        for tried in chain.from_iterable(combinations(found, many) for many in range(len(found) + 1))
        if hard <= set(tried) and not any(len(pair - set(tried)) > 1 for pair in meeting)
    ]
    tried = min(choices, key=_numberings)
    if _numberings(tried) > MOST_TRIED:
        names = " and ".join(f"{group.size} {group.name}" for group in tried)
        raise ConfigurationError(
            f"{names} are related to one another, so that {_numberings(tried)} numberings would have to be "
            f"tried for each state, more than {MOST_TRIED}; choose smaller sizes, or search without symmetry"
        )
    return Plan(spots, tuple(group for group in found if group not in tried), tried)


def _numberings(tried: tuple[Group, ...]) -> int:
    return prod(factorial(group.size) for group in tried)


def mentioned(type_: Type, found: Sequence[Group]) -> Iterator[Group]:
    """Those of some groups that values of a type mention."""
    match type_:
        case RefType(index=index) | SetType(index=index):
            yield from (group for group in found if group.has(index))
        case ArrayType(index=index, element=element):
            yield from (group for group in found if group.has(index))
            yield from mentioned(element, found)
        case RecordType(fields=fields):
            for _, kind in fields:
                yield from mentioned(kind, found)
        case SequenceType(element=element) | BagType(message=element):
            yield from mentioned(element, found)


class _Walk:
    """The spots of all cells, in order."""

    def __init__(self, instance: Instance, found: tuple[Group, ...]) -> None:
        self._instance = instance
        self._groups = found
        self._count = 0

    def spots(self) -> Iterator[Spot]:
        for variable in self._instance.model.variables:
            for spot in self._spots(variable.type, Spot()):
                self._count += 1
                yield spot

    def _spots(self, type_: Type, at: Spot) -> Iterator[Spot]:
        match type_:
            case RefType(index=index):
                yield replace(at, refers=self._group(index))
            case RecordType(fields=fields):
                for _, kind in fields:
                    yield from self._spots(kind, at)
            case ArrayType(index=index, element=element):
                for i in range(self._instance.sizes.of(index)):
                    yield from self._spots(element, self._member(index, i, at))
            case SetType(index=index):
                for i in range(self._instance.sizes.of(index)):
                    yield self._member(index, i, at)
            case SequenceType(element=element):
                length = self._count
                yield at
                for i in range(places(self._instance, type_)):
                    yield from self._spots(element, replace(at, length=(length, i)))
            case BagType(message=message):
                inside = replace(at, messages=at.messages | set(mentioned(message, self._groups)))
                for _ in range(places(self._instance, type_)):
                    yield inside
                    yield from self._spots(message, inside)
            case _:
                yield at

    def _group(self, index: IndexSet) -> Group | None:
        return next((group for group in self._groups if group.has(index)), None)

    def _member(self, index: IndexSet, member: int, at: Spot) -> Spot:
        group = self._group(index)
        if group is None or member >= group.size:
            return at
        return replace(at, members=(*at.members, (group, member)))
