"""The slow path: entities that the given order of events rejects are tried in every order that is possible.

Known is only the order of one node's own events, what a source tells of causes, and that what was done under a recovery
id comes after the NameNode gave the id out and before the NameNode accepts its result. The replica on a datanode's disk
is checked against the final state of the block: a fact that was correct when the disk was read is not invalidated by
later events. The search is bounded; beyond the bound the answer is *undetermined*.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from genstamp.logs.automaton import Automaton
from genstamp.logs.registers import Registers, Values
from genstamp.logs.tables import ROLES_MAX

NAMENODE = "namenode"
"""A NameNode's name, or what it begins with where there are several."""

GIVES_OUT = frozenset({"start_recovery", "recover_lease", "release_expired_lease", "create", "append", "truncate"})
SYNCS = "sync_block"
_ACCEPTS = "commit_block_synchronization"
ON_DISK = frozenset({"found_on_disk", "stamps_on_disk"})


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


_Situation = tuple[tuple[int, ...], int, int, Registers, bool]
"""How many events of each node are done, the possible states, the states shown, the registers, whether the life has
begun.
"""


class SearchLimitError(Exception):
    """The search has met more situations than it may."""


def find_order(
    automaton: Automaton, events: Sequence[Seen], limit: int, cut: Container[int] = frozenset()
) -> Found | None:
    """An order of the events that the automaton accepts.

    Args:
        automaton: of the entity's kind.
        events: in the order given.
        limit: how many situations may be visited.
        cut: places of events before which others of the same node were left out, more than the limit lets be done
            (`genstamp.logs.reach`).

    Returns:
        None if no order is accepted.

    Raises:
        SearchLimitError: the limit was reached before either was certain.
    """
    nodes = _by_node(events)
    needed = _needed(known_order(automaton, events), nodes)
    start = ((0,) * len(nodes), automaton.start, automaton.initial, Registers(), False)
    stack = [start]
    came: dict[_Situation, tuple[_Situation, int] | None] = {start: None}
    while stack:
        here = stack.pop()
        done, possible, shown, registers, began = here
        if sum(done) == len(events):
            return Found(possible, shown, began, tuple(_order(came, here)))
        nexts = [(those[count], node) for node, (those, count) in enumerate(zip(nodes, done, strict=True))
                 if count < len(those)]  # fmt: skip
        # Last first: the stack hands out the order given before any other.
        for index, node in sorted(nexts, reverse=True):
            if index in cut or any(done[other] < count for other, count in needed[index]):
                continue
            event = events[index]
            rule = automaton.rules[event.rule]
            needs = automaton.needs(rule, registers.letter(event.values))
            after = automaton.possible(possible, rule, needs)
            if not after:
                continue
            then = automaton.shown(shown, rule, needs) or automaton.possible(shown, rule, needs) or after
            next_one = (
                (*done[:node], done[node] + 1, *done[node + 1 :]),
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


def _by_node(events: Sequence[Seen]) -> list[list[int]]:
    """The places of the events of each node: they are done one after the other, so a situation is a count for each."""
    nodes: dict[str, list[int]] = {}
    for index, event in enumerate(events):
        nodes.setdefault(event.node, []).append(index)
    return list(nodes.values())


def _needed(before: Sequence[Iterable[int]], nodes: Sequence[Sequence[int]]) -> list[list[tuple[int, int]]]:
    """For each event how many of each node's events have to be done before it."""
    standing = {index: (node, place) for node, those in enumerate(nodes) for place, index in enumerate(those)}
    needed: list[list[tuple[int, int]]] = []
    for those in before:
        counts: dict[int, int] = {}
        for index in those:
            node, place = standing[index]
            counts[node] = max(counts.get(node, 0), place + 1)
        needed.append(list(counts.items()))
    return needed


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
    synced: dict[int, list[int]] = {}
    named = {event.name: index for index, event in enumerate(events) if event.name is not None}
    for index, event in enumerate(events):
        before[index].update(named[name] for name in event.after if name in named)
        if event.node in last:
            before[index].add(last[event.node])
        last[event.node] = index
        step = automaton.rules[event.rule].event
        if event.values.recovery_id is not None and step in GIVES_OUT:
            given_out.setdefault(event.values.recovery_id, index)
        if event.values.recovery_id is not None and step == SYNCS:
            synced.setdefault(event.values.recovery_id, []).append(index)
    for index, event in enumerate(events):
        recovery_id = event.values.recovery_id
        if recovery_id is None:
            continue
        if not event.node.startswith(NAMENODE) and recovery_id in given_out:
            before[index].add(given_out[recovery_id])
        if automaton.rules[event.rule].event == _ACCEPTS and event.node.startswith(NAMENODE):
            before[index].update(synced.get(recovery_id, ()))
    if automaton.kind != "replica":
        found = {index for index, event in enumerate(events) if automaton.rules[event.rule].event in ON_DISK}
        lasts = _lasts(events, found) if found else frozenset()
        for index in found:
            before[index].update(lasts)
    return [frozenset(those) for those in before]


def _lasts(events: Sequence[Seen], found: Container[int]) -> frozenset[int]:
    """Of each node the last event that is not among those found: with it, all before it are done."""
    return frozenset({event.node: index for index, event in enumerate(events) if index not in found}.values())
