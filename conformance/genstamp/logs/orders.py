"""The slow path: entities that the given order of events rejects are tried in every order that is possible.

Known is only the order of one node's own events, what a source tells of causes, and that what was done under a recovery
id comes after the NameNode gave the id out and before the NameNode accepts its result. What lay on a datanode's disk is
held against the block as it is in the end: what was right when the disk was looked at is not made wrong by what came
later. The search is bounded; beyond the bound the answer is *undetermined*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genstamp.logs.automaton import Automaton
from genstamp.logs.registers import Registers, Values
from genstamp.logs.tables import ROLES_MAX

NAMENODE = "namenode"
"""A NameNode's name, or what it begins with where there are several."""

_GIVES_OUT = frozenset({"start_recovery", "recover_lease", "release_expired_lease", "create", "truncate"})
_ACCEPTS = "commit_block_synchronization"
_ON_DISK = frozenset({"found_on_disk", "stamps_on_disk"})


@dataclass(frozen=True)
class Seen:
    """An event as far as it concerns one entity.

    Attributes:
        rule: its number among the rules of the entity's kind.
        values: stamp, recovery id, length.
        node: who saw it.
        name: of the event, if others name it in their `after`.
        after: names of events that certainly came before, beside those of the same node; one that is not among the
        events is of no other entity.
    """

    rule: int
    values: Values
    node: str
    name: tuple[int, int] | None = None
    after: tuple[tuple[int, int], ...] = ()


def seen(row: Mapping[str, Any]) -> Seen:
    """A row of `tables.CONCERNS` as an event to be ordered."""
    # What one node wrote into two units is not ordered by anything known.
    unit = row["unit"]
    after = tuple((unit, before) for before in row["after"] or ())
    values = Values(row["generation_stamp"], row["recovery_id"], row["num_bytes"])
    return Seen(row["rule"], values, f"{row['node']} {unit}", (unit, row["sequence"] // ROLES_MAX), after)


@dataclass(frozen=True)
class Found:
    """An order that explains the events.

    Attributes:
        possible, shown: sets of states at the end.
        began: whether any event shows the entity in another state than the one in which a life begins.
        order: the events, by their places in the order given.
    """

    possible: int
    shown: int
    began: bool
    order: tuple[int, ...]


_Situation = tuple[frozenset[int], int, int, Registers, bool]
"""Which events are done, the possible states, the states shown, the registers, whether the life has begun."""


class SearchLimitError(Exception):
    """The search has met more situations than it may."""


def find_order(automaton: Automaton, events: Sequence[Seen], limit: int) -> Found | None:
    """An order of the events that the automaton accepts.

    Args:
        automaton: of the entity's kind.
        events: in the order given.
        limit: how many situations may be visited.

    Returns:
        None if no order is accepted.

    Raises:
        SearchLimitError: the limit was reached before either was certain.
    """
    before = known_order(automaton, events)
    start = (frozenset[int](), automaton.initial, automaton.initial, Registers(), False)
    stack = [start]
    came: dict[_Situation, tuple[_Situation, int] | None] = {start: None}
    while stack:
        here = stack.pop()
        done, possible, shown, registers, began = here
        if len(done) == len(events):
            return Found(possible, shown, began, tuple(_order(came, here)))
        # Last first: the stack hands out the order given before any other.
        for index in reversed(range(len(events))):
            if index in done or not before[index] <= done:
                continue
            event = events[index]
            rule = automaton.rules[event.rule]
            needs = automaton.needs(rule, registers.letter(event.values))
            after = automaton.possible(possible, rule, needs)
            if not after:
                continue
            then = automaton.shown(shown, rule, needs) or automaton.possible(shown, rule, needs) or after
            next_one = (
                done | {index},
                after,
                then,
                registers.after(rule, event.values),
                began or then != automaton.initial,
            )
            if next_one not in came:
                if len(came) >= limit:
                    raise SearchLimitError
                came[next_one] = here, index
                stack.append(next_one)
    return None


def _order(came: Mapping[_Situation, tuple[_Situation, int] | None], last: _Situation) -> list[int]:
    """The events on the way to a situation."""
    order: list[int] = []
    way = came[last]
    while way is not None:
        before, index = way
        order.append(index)
        way = came[before]
    return order[::-1]


def known_order(automaton: Automaton, events: Sequence[Seen]) -> list[frozenset[int]]:
    """For each event those that certainly come before it."""
    before: list[set[int]] = [set() for _ in events]
    last: dict[str, int] = {}
    given_out: dict[int, int] = {}
    named = {event.name: index for index, event in enumerate(events) if event.name is not None}
    for index, event in enumerate(events):
        before[index].update(named[name] for name in event.after if name in named)
        if event.node in last:
            before[index].add(last[event.node])
        last[event.node] = index
        if event.values.recovery_id is not None and automaton.rules[event.rule].event in _GIVES_OUT:
            given_out.setdefault(event.values.recovery_id, index)
    for index, event in enumerate(events):
        recovery_id = event.values.recovery_id
        if recovery_id is None:
            continue
        if not event.node.startswith(NAMENODE) and recovery_id in given_out:
            before[index].add(given_out[recovery_id])
        if automaton.rules[event.rule].event == _ACCEPTS and event.node.startswith(NAMENODE):
            before[index].update(
                other
                for other, earlier in enumerate(events)
                if automaton.rules[earlier.rule].event == "sync_block" and earlier.values.recovery_id == recovery_id
            )
    if automaton.kind != "replica":
        found = {index for index, event in enumerate(events) if automaton.rules[event.rule].event in _ON_DISK}
        for index in found:
            before[index].update(set(range(len(events))) - found)
    return [frozenset(those) for those in before]
