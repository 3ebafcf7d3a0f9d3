"""Readers and writers who queue, after the specification in the TLA+ Examples: three of them have 21,527 states."""

import enum

from genstamp_model.language import *


class Actor(Index, symmetric=True):
    """Whoever reads and writes."""


class Wish(enum.Enum):
    """What somebody waits for."""

    READ = enum.auto()
    WRITE = enum.auto()


class Entry(Record):
    """Somebody who waits."""

    wish = enumeration(Wish)
    actor = reference(Actor)


class Readers(Part):
    """Each waits at most once to read and once to write."""

    readers = members(Actor)
    writers = members(Actor)
    waiting = sequence(record(Entry), capacity=6)

    @action
    def try_read(s, actor: Actor) -> None:
        """An actor waits to read."""
        require(~s.waiting.some(lambda one: (one.wish == Wish.READ) & (one.actor == actor)), "it does not wait to read")
        s.waiting.append(Entry(wish=Wish.READ, actor=actor))

    @action
    def try_write(s, actor: Actor) -> None:
        """An actor waits to write."""
        require(~s.waiting.has(Entry(wish=Wish.WRITE, actor=actor)), "it does not wait to write")
        s.waiting.append(Entry(wish=Wish.WRITE, actor=actor))

    @action
    def read_or_write(s) -> None:
        """The first one gets what it waits for."""
        head = s.waiting.first()
        require(s.waiting.size() > 0, "somebody waits")
        require(s.writers.is_empty(), "nobody writes")
        reads = head.wish == Wish.READ
        require(reads | s.readers.is_empty(), "nobody reads")
        one = those(Actor, lambda actor: actor == head.actor)
        s.readers = when(reads, s.readers | one, s.readers)
        s.writers = when(reads, s.writers, s.writers | one)
        s.waiting.drop_first()

    @action
    def stop(s, actor: Actor) -> None:
        """An actor stops."""
        require(s.readers.has(actor) | s.writers.has(actor), "it is active")
        s.writers = when(s.readers.has(actor), s.writers, s.writers - those(Actor, lambda one: one == actor))
        s.readers.remove(actor)

    @invariant
    def safety(s) -> Bool:
        """One writes, or some read."""
        return (s.readers.is_empty() | s.writers.is_empty()) & (s.writers.size() <= 1)

    @invariant
    def all_wait_for_something(s) -> Bool:
        """And nobody waits in a place that is not filled."""
        return s.waiting.every(lambda one: one.wish.at(Wish.READ, Wish.WRITE)) & (
            s.waiting.some(lambda one: True) == (s.waiting.size() > 0)
        )


READERS = System(
    "readers",
    parts=[Readers],
    configurations=[Configuration(f"a{n}", sizes={"Actor": n}, on_demand=n > 2) for n in (2, 3)],
)
