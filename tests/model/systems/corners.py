"""A system without meaning whose forms stand where encodings go wrong; for comparing judges with `evaluate`."""

import enum
from typing import Self

from genstamp_model.language import *


class Owner(Index, unnamed="User"):
    """Users, and the root."""

    ROOT = named()


class User(Owner):
    """A user."""


class Shelf(Index):
    """A place."""


class Mood(enum.Enum):
    """Some labels."""

    CALM = enum.auto()
    CROSS = enum.auto()
    SLY = enum.auto()


class Note(Record):
    """A message; its smallest number is not 0, which the filler of free places is."""

    owner = optional(User)
    weight = number(1, 3, initially=1)
    loud = flag()


class Corners(Part):
    """Where encodings go wrong: reads through nobody, full bags, empty choices, numbers that do not begin at 0."""

    level = number(2, 5, initially=3)
    mood = enumeration(Mood)
    owner = optional(Owner)
    user = optional(User)
    here = reference(Shelf)
    group = members(Owner)
    users = members(User)
    marks = per(Shelf, per(User, number(1, 4)))
    notes = per(Shelf, record(Note))
    post = bag(Note, limit="notes")
    line = sequence(record(Note), limit="notes")
    short = sequence(number(1, 9), capacity=2)

    @action
    def send(s, shelf: Shelf) -> None:
        require(s.level < 5, "there is room", refuses="FullException")
        s.post.send(s.notes[shelf])
        s.level = s.level + 1

    @action
    def send_twice(s) -> None:
        s.post.send(Note(owner=s.user, weight=1, loud=s.mood.at(Mood.SLY)))
        s.post.send(Note(owner=none, weight=3, loud=False))

    @action
    def receive(s) -> None:
        note = s.post.receive()
        require(~note.loud, "it is quiet")
        s.post.take(note)
        s.notes[s.here] = note
        s.line.append(note)

    @action
    def exchange(s, user: Maybe[User]) -> None:
        first, second = s.post.receive(), s.post.receive()
        require(s.post.has(Note(owner=user, weight=first.weight, loud=second.loud)), "known")
        s.post.take(first)
        s.post.send(Note(owner=user, weight=smallest(first.weight, second.weight), loud=True))
        s.user = user

    @action
    def lose(s) -> None:
        s.post.take(Note(owner=s.user, weight=s.line.at(s.level - 3).weight, loud=s.line.first().loud))

    @action
    def mark(s, shelf: Shelf, user: User) -> None:
        s.marks[shelf][user] = s.marks[shelf][s.user] + 1
        s.marks[s.here][user] = s.marks[shelf][user] * 2 - 1

    @action
    def measure(s) -> None:
        s.level = maximum(Shelf, lambda h: s.marks[h][s.user], where=lambda h: s.notes[h].loud, default=2)
        s.short.append(minimum(User, lambda u: s.marks[s.here][u], where=lambda u: s.users.has(u), default=9))

    @action
    def drop(s) -> None:
        s.line.drop_first()
        s.short.drop_first()

    @action
    def elect(s) -> None:
        s.owner = choose(Owner, lambda o: s.group.has(o))
        s.user = choose(User, lambda u: s.group.has(u) & ~s.users.has(u))
        s.users = (s.users | s.users) - those(User, lambda u: s.marks[s.here][u] > 2)

    @action
    def enrol(s, owner: Owner) -> None:
        require(~s.group.has(owner), "not yet", refuses="KnownException")
        s.group.add(owner)
        s.users.remove(s.user)
        s.users.add(s.user)
        s.mood = when(owner == Owner.ROOT, Mood.SLY, s.mood)

    @action
    def guess(s) -> None:
        number_ = pick("number", 1, 6)
        require(number_ != s.level, "another one")
        s.short.clear()
        s.short.append(largest(number_, s.level, 4) + count(Shelf, lambda h: s.notes[h].owner == s.user))

    @action
    def turn(s) -> None:
        s.notes.update(
            lambda h: when(h == s.here, Note(owner=s.user, weight=s.level, loud=s.owner.is_none()), s.notes[h])
        )
        s.post = when(s.mood == Mood.CALM, s.post, s.post)
        s.marks = each(Shelf, lambda h: s.marks[s.here])

    @invariant
    def quiet(s, shelf: Shelf) -> Bool:
        return s.notes[shelf].loud.implies(s.post.some(lambda m: m.owner == s.notes[shelf].owner))

    @invariant
    def same(s) -> Bool:
        first = (
            forall(Shelf, lambda h: s.notes[h] == s.line.first())
            | (s.group == those(Owner, lambda o: o == s.owner))
            | (s.users <= s.users)
        )
        return first & s.post.every(lambda m: m.weight >= s.short.size())

    @transition
    def grows(s, t: Self) -> Bool:
        return (s.post.size() <= t.post.size()) | exists(User, lambda u: s.marks[t.here][u] < t.marks[s.here][u])

    @witness
    def everybody(s, user: User) -> Bool:
        return (s.group.size() == 3) & (s.group & s.group).has(user) & (s.owner != s.user)


CORNERS = System(
    "corners", parts=[Corners], configurations=[Configuration("two", {"User": 2, "Shelf": 2}, {"notes": 3})]
)
