"""Interchangeable members in every relation to one another that a state can hold; for the judges of symmetry.

People know, owe and follow each other and hold places; they and places are interchangeable, but for the stranger. The
steps are few, because what counts is the state. "loose" has no relation of people among one another: there members can
be put into order by what belongs to each.
"""

from genstamp_model.language import *


class Soul(Index, symmetric=True, unnamed="Person"):
    """People and the stranger."""

    STRANGER = named()


class Person(Soul):
    """A person with a name."""


class Place(Index, symmetric=True):
    """A place."""


class Letter(Record):
    """A letter with two people and two places in it."""

    sender = reference(Person)
    receiver = optional(Soul)
    seen = members(Place)
    home = reference(Place)


class Purse(Record):
    """What somebody owns: more than a word holds."""

    coins = number(0, 2**40)
    notes = number(0, 2**30)
    stamp = ordered(limit="stamps")


class Note(Record):
    """Something without people or places."""

    weight = number(0, 2)


class Loose(Part):
    """Nobody has to do with anybody else."""

    purse = per(Person, record(Purse))
    awake = members(Person, initially_all=True)
    notes = per(Person, bag(Note, limit="letters"))
    speaker = reference(Person)
    listener = optional(Soul)
    queue = sequence(reference(Person), capacity=2)
    clean = per(Place, flag())
    best = optional(Place)

    @action
    def speak(s, person: Person) -> None:
        """Somebody else speaks."""
        s.speaker = person
        s.awake.remove(person)

    @action
    def wait(s, person: Person) -> None:
        """Somebody waits to speak."""
        require(s.queue.size() < 2, "there is room to wait")
        s.queue.append(person)

    @action
    def clean_up(s, place: Place) -> None:
        """A place is cleaned, and the best one."""
        s.clean[place] = True
        s.best = place

    @invariant
    def queue_is_short(s) -> Bool:
        """Two people wait at most."""
        return s.queue.size() <= 2


class Placed(Loose):
    """People have to do with places."""

    at = per(Person, optional(Place))

    @action
    def go(s, person: Person, place: Place) -> None:
        """A person goes somewhere."""
        s.at[person] = place


class Related(Placed):
    """Everybody has to do with everybody."""

    knows = per(Person, members(Person))
    debt = per(Soul, per(Person, number(0, 2)))
    friend = per(Person, optional(Soul))
    letters = bag(Letter, limit="letters")

    @action
    def meet(s, one: Person, other: Person) -> None:
        """Two people come to know each other."""
        require(one != other, "there are two")
        s.knows[one].add(other)
        s.friend[other] = one

    @action
    def write(s, person: Person, place: Place) -> None:
        """A letter to the friend of a person who is there."""
        require(s.at[person] == place, "the person is there")
        seen = those(Place, lambda other: (other == place) | (s.best == other))
        s.letters.send(Letter(sender=person, receiver=s.friend[person], seen=seen, home=place))


LIMITS = {"stamps": 3, "letters": 2}
_SIZES = {"small": (2, 2), "people": (3, 2), "places": (2, 3), "many": (4, 4), "crowd": (7, 2)}
CONFIGURATIONS = [
    Configuration(name, sizes={"Person": people, "Place": places}, limits=LIMITS)
    for name, (people, places) in _SIZES.items()
]

LOOSE = System("loose", parts=[Loose], configurations=CONFIGURATIONS)
PLACED = System("placed", parts=[Placed], configurations=CONFIGURATIONS)
RELATED = System("related", parts=[Related], configurations=CONFIGURATIONS)
