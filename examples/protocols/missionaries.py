"""Missionaries and cannibals cross a river in a boat for two.

After MissionariesAndCannibals of the TLA+ Examples: everybody can cross, at the earliest in eleven steps.
"""

import enum

from genstamp_model.language import *


class Missionary(Index, symmetric=True):
    """Is eaten where cannibals outnumber missionaries."""


class Cannibal(Index, symmetric=True):
    """Eats missionaries."""


class Bank(enum.Enum):
    """A bank of the river."""

    EAST = enum.auto()
    WEST = enum.auto()


class River(Part):
    """Who is on the east bank, where everybody begins; the others are on the west bank."""

    boat = enumeration(Bank)
    missionaries = members(Missionary, initially_all=True)
    cannibals = members(Cannibal, initially_all=True)

    @action
    def cross(s, some: Members[Missionary], others: Members[Cannibal]) -> None:
        """One or two people cross, if both banks are safe afterwards."""
        is_east = s.boat == Bank.EAST
        people = some.size() + others.size()
        require((people == 1) | (people == 2), "the boat carries one or two")
        require(when(is_east, some <= s.missionaries, (some & s.missionaries).is_empty()), "the missionaries are there")
        require(when(is_east, others <= s.cannibals, (others & s.cannibals).is_empty()), "the cannibals are there")
        missionaries = when(is_east, s.missionaries - some, s.missionaries | some)
        cannibals = when(is_east, s.cannibals - others, s.cannibals | others)
        require(is_safe(missionaries, cannibals), "the east bank is safe")
        other_missionaries = those(Missionary, lambda one: ~missionaries.has(one))
        require(is_safe(other_missionaries, those(Cannibal, lambda one: ~cannibals.has(one))), "the west bank is safe")
        s.missionaries = missionaries
        s.cannibals = cannibals
        s.boat = when(is_east, Bank.WEST, Bank.EAST)

    @invariant
    def somebody_is_left(s) -> Bool:
        """Not everybody can cross. A violation is a solution of the puzzle."""
        return ~(s.missionaries.is_empty() & s.cannibals.is_empty())


def is_safe(missionaries: Members[Missionary], cannibals: Members[Cannibal]) -> Bool:
    """Whether nobody is eaten on a bank."""
    return missionaries.is_empty() | (cannibals.size() <= missionaries.size())


MISSIONARIES = System(
    "missionaries",
    parts=[River],
    configurations=[Configuration("three", sizes={"Missionary": 3, "Cannibal": 3})],
)
