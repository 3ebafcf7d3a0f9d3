"""Steps with every kind of parameter: subsets of a set and of its part, labels, numbers; declared and picked."""

import enum
from typing import Annotated, Self

from genstamp_model.language import *


class Person(Index, unnamed="Guest"):
    """Guests and the host."""

    HOST = named()


class Guest(Person):
    """A guest."""


class Mood(enum.Enum):
    """How the party is."""

    QUIET = enum.auto()
    LOUD = enum.auto()
    OVER = enum.auto()


class Party(Part):
    """Who is there, who dances, and how it is."""

    there = members(Person)
    dancing = per(Guest, members(Person))
    mood = enumeration(Mood)
    noise = number(-1, 2, initially=0)

    @action
    def come(s, group: Members[Guest], mood: Enumerated[Mood]) -> None:
        """Some guests come, and the mood is another one."""
        require(s.mood != Mood.OVER, "the party is on")
        require(~group.is_empty() | (mood == Mood.OVER), "somebody comes")
        s.there = s.there | those_of(group)
        s.mood = mood

    @action
    def dance(s, guest: Guest) -> None:
        """A guest dances with some who are there."""
        partners = pick("partners", Members[Person])
        require((partners <= s.there) & ~partners.has(guest) & s.there.has(guest), "they are there")
        s.dancing[guest] = partners
        s.mood = pick("mood", Mood)

    @action
    def turn(s, by: Annotated[Number, -1, 1]) -> None:
        """The music is turned up or down."""
        require((by != 0) & (s.noise + by <= 2) & (s.noise + by >= -1), "it can be turned")
        s.noise = s.noise + by
        s.there = when(s.noise > 1, s.there - s.there, s.there)

    @invariant(inductive=True)
    def nobody_dances_alone(s, guest: Guest) -> Bool:
        """No guest dances with itself."""
        return ~s.dancing[guest].has(guest)

    @transition
    def the_host_stays_away(s, t: Self) -> Bool:
        """Only guests come."""
        return t.there.has(Person.HOST) == s.there.has(Person.HOST)

    @witness
    def a_quiet_dance(s, guest: Guest) -> Bool:
        """Somebody dances with another, quietly."""
        return (s.dancing[guest].size() == 1) & (s.mood == Mood.QUIET)

    @leads_to(fair=("come",))
    def somebody_comes(s) -> tuple[Bool, Bool]:
        """Fairness is for any group and any mood: so it is enough that the party ends."""
        return s.there.size() == 0, (s.there.size() > 0) | (s.mood == Mood.OVER)


def those_of(group: Members[Guest]) -> Members[Person]:
    """The guests as people."""
    return those(Person, lambda person: exists(Guest, lambda guest: group.has(guest) & (guest == person)))


CHOICES = System(
    "choices",
    parts=[Party],
    configurations=[Configuration(f"g{n}", sizes={"Guest": n}) for n in (1, 2)],
)
