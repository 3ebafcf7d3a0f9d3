"""Random systems with something deep down that prefers a member, or that a guard keeps from doing so.

A counter that can start again is to reach its end, where random walks do not get, before a guest is marked, or put in
some relation. Then a step looks at a guest through a read that need not read anything, and notes what it saw; a claim
says what it never sees. Where the read is not guarded, a search by symmetry that was not refused would be wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from genstamp_model.language import (
    Configuration,
    Index,
    Instance,
    Part,
    Record,
    System,
    action,
    each,
    exists,
    flag,
    forall,
    invariant,
    members,
    none,
    number,
    optional,
    per,
    record,
    reference,
    require,
    sequence,
    transition,
    when,
)


class Guest(Index, symmetric=True):
    """A guest."""


class Bill(Record):
    """What a guest has to pay."""

    payer = reference(Guest)
    helper = optional(Guest)
    amount = number(0, 1)


# A guest who need not be there, and what says that there is one.
Read = tuple[Callable[[Any], Any], Callable[[Any], Any]]

READS: dict[str, Read] = {
    "first of a queue": (lambda s: s.queue.first(), lambda s: s.queue.size() > 0),
    "second of a queue": (lambda s: s.queue.at(1), lambda s: s.queue.size() > 1),
    "payer of the first bill": (lambda s: s.bills.first().payer, lambda s: s.bills.size() > 0),
    "first of a line": (lambda s: s.lines[s.speaker].first(), lambda s: s.lines[s.speaker].size() != 0),
    "the one after nobody": (lambda s: s.after[s.leader], lambda s: ~s.leader.is_none()),
    "payer of nobody's bill": (lambda s: s.bill[s.leader].payer, lambda s: s.leader != none),
    "after the helper": (lambda s: s.after[s.bills.first().helper], lambda s: ~s.bills.first().helper.is_none()),
}
# How a step or claim looks at a guest.
LOOKS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda s, guest: s.marked[guest],
    lambda s, guest: ~s.marked[guest],
    lambda s, guest: s.awake.has(guest),
    lambda s, guest: s.speaker == guest,
    lambda s, guest: s.after[guest] == guest,
    lambda s, guest: exists(Guest, lambda other: (other != guest) & s.marked[other]),
)


def deep_system(seed: int) -> Instance:
    """The system of a seed; every other one is careless about its read."""
    draw = random.Random(seed)
    steps = draw.choice((3, 12, 30))
    read, guard = READS[draw.choice(list(READS))]
    looks, careful = draw.choice(LOOKS), seed % 2 == 0
    body = {
        "counter": number(0, steps),
        **_steps(steps),
        **_changes(draw, steps),
        **draw.choice((_noted, _claimed, _claimed_of_steps))(read, guard, looks, careful),
    }
    part = type("Deep", (_Guests,), body)
    sizes = {"Guest": draw.choice((2, 3))}
    return System(f"deep_{seed}", parts=[part], configurations=[Configuration("one", sizes=sizes)]).instance()


class _Guests(Part):
    queue = sequence(reference(Guest), capacity=2)
    bills = sequence(record(Bill), capacity=1)
    lines = per(Guest, sequence(reference(Guest), capacity=1))
    leader = optional(Guest)
    speaker = reference(Guest)
    after = per(Guest, reference(Guest))
    bill = per(Guest, record(Bill))
    marked = per(Guest, flag())
    awake = members(Guest)
    seen = flag()


def _steps(steps: int) -> dict[str, Any]:
    def tick(s: Any) -> None:
        require(s.counter < steps, "not yet")
        s.counter = s.counter + 1

    def start_again(s: Any) -> None:
        require(s.counter < steps, "not yet")
        s.counter = 0

    return {"tick": action(tick), "start_again": action(start_again)}


def _changes(draw: random.Random, steps: int) -> dict[str, Any]:
    """A step that tells one guest from the others, and perhaps one that lets there be something to read."""

    def marking(change: Callable[[Any, Guest], None], label: str) -> Callable[[Any, Guest], None]:
        def act(s: Any, guest: Guest) -> None:
            require(s.counter == steps, "late")
            require(forall(Guest, lambda other: ~s.marked[other] & ~s.awake.has(other)), label)
            change(s, guest)

        return act

    def mark(s: Any, guest: Guest) -> None:
        s.marked[guest] = True
        s.awake.add(guest)

    def mark_and_follow(s: Any, guest: Guest) -> None:
        s.marked[guest] = True
        s.after.update(lambda other: guest)
        s.speaker = guest

    def wake_and_owe(s: Any, guest: Guest) -> None:
        s.awake.add(guest)
        s.bill = each(Guest, lambda other: Bill(payer=guest, helper=none, amount=0))
        s.marked = each(Guest, lambda other: other == guest)

    def fill(s: Any, guest: Guest) -> None:
        require(s.counter == steps, "late")
        require(s.leader.is_none(), "once")
        s.leader = guest
        s.queue.append(guest)
        s.lines[guest].append(s.speaker)

    found = {"mark": action(marking(draw.choice((mark, mark_and_follow, wake_and_owe)), "the first one"))}
    return found | ({"fill": action(fill)} if draw.random() < 0.3 else {})


def _noted(read: Any, guard: Any, looks: Any, careful: bool) -> dict[str, Any]:
    """A step notes what it sees, which a claim forbids."""

    def look(s: Any) -> None:
        require(exists(Guest, lambda guest: s.marked[guest]), "one is marked")
        if careful:
            require(guard(s), "there is one")
        s.seen = looks(s, read(s))

    def never_seen(s: Any) -> Any:
        return ~s.seen

    return {"look": action(look), "never_seen": invariant(never_seen)}


def _claimed(read: Any, guard: Any, looks: Any, careful: bool) -> dict[str, Any]:
    """A claim sees it itself."""

    def never(s: Any) -> Any:
        one = exists(Guest, lambda guest: s.marked[guest])
        seen = when(guard(s), looks(s, read(s)), False) if careful else looks(s, read(s))
        return ~(one & seen)

    return {"never": invariant(never)}


def _claimed_of_steps(read: Any, guard: Any, looks: Any, careful: bool) -> dict[str, Any]:
    """A claim about steps sees it in the state after."""

    def never(s: Any, t: Any) -> Any:
        one = exists(Guest, lambda guest: t.marked[guest])
        return ~(one & looks(t, read(t)) & guard(t) if careful else one & looks(t, read(t)))

    return {"never": transition(never)}
