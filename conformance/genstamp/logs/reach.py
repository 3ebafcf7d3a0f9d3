"""Selects the events of an entity that a bounded search for an order can reach: if there are very many, the first of
each node.

A search that visits at most N situations takes at most N events, and takes the events of one node in order. Beyond
these, it only needs to know which later events must come before them. Not here: the search (`genstamp.logs.orders`).
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from genstamp.logs.automaton import Automaton
from genstamp.logs.exchange import Rows
from genstamp.logs.orders import GIVES_OUT, ON_DISK, SYNCS, Found, Seen, find_order, seen
from genstamp.logs.rules import NO_RULE
from genstamp.logs.tables import ROLES_MAX

Pieces = Callable[[], Iterator[tuple[Rows, Any]]]
"""Gives the rows of one entity from the beginning, in order: again and again some rows, and which of them."""


def find_within_reach(automaton: Automaton, pieces: Pieces, limit: int) -> Found | None:
    """An order of the events that the automaton accepts, as `orders.find_order` finds it among all of them.

    Args:
        automaton: of the entity's kind.
        pieces: of the entity; those without a rule are left out.
        limit: how many situations may be visited; of each node one event more is held in memory.

    Raises:
        SearchLimitError: see there; certain if there are more events than the limit and some order of the first ones
            can continue.
    """
    first, count = _first(pieces, limit)
    if count == len(first):
        return find_order(automaton, list(first.values()), limit)
    later = _later(automaton, pieces, first)
    events = {**first, **later}
    places = sorted(events)
    cut = {number for number, place in enumerate(places) if place in later}
    return find_order(automaton, [events[place] for place in places], limit, cut)


def _ruled(pieces: Pieces) -> Iterator[tuple[Rows, Any, int]]:
    """The rows with a rule, and how many were given before."""
    count = 0
    for rows, those in pieces():
        ruled = those[rows.rule[those] != NO_RULE]
        yield rows, ruled, count
        count += len(ruled)


def _first(pieces: Pieces, limit: int) -> tuple[dict[int, Seen], int]:
    """The first events of each node by their places among all, and how many there are in all."""
    first: dict[int, Seen] = {}
    met: Counter[tuple[str, int]] = Counter()
    count = 0
    for rows, those, count in _ruled(pieces):
        for number in _of_each_node(rows, those, met, limit):
            first[count + number] = seen(rows.row(those[number]))
        count += len(those)
    return dict(sorted(first.items())), count


def _of_each_node(rows: Rows, those: Any, met: Counter[tuple[str, int]], limit: int) -> Iterator[int]:
    """Which of some rows are among the first of their node; `met` counts what each had before."""
    nodes, of_node = np.unique(np.stack([rows.node[those], rows.unit[those]]), axis=1, return_inverse=True)
    for number, (node, unit) in enumerate(nodes.T.tolist()):
        key = rows.nodes[node], unit
        here = np.flatnonzero(of_node.ravel() == number)
        yield from here[: max(0, limit + 1 - met[key])].tolist()
        met[key] += len(here)


def _later(automaton: Automaton, pieces: Pieces, first: dict[int, Seen]) -> dict[int, Seen]:
    """Those of the others that would have to come before some of the first; the last of each node among them."""
    ids = {event.values.recovery_id for event in first.values() if event.values.recovery_id is not None}
    names = {name for event in first.values() for name in event.after}
    orders = np.array(sorted({order for _, order in names}), np.int64)
    wanted = np.array(sorted(ids), np.int64)
    telling, on_disk = _rules(automaton, {*GIVES_OUT, SYNCS}), _rules(automaton, ON_DISK)
    events: dict[Any, tuple[int, Seen]] = {}
    for rows, those, count in _ruled(pieces):
        tells = np.isin(rows.rule[those], telling) & np.isin(rows.recovery_id[those], wanted)
        tells |= np.isin(rows.sequence[those] // ROLES_MAX, orders)
        lasts = _of_last(rows, those, on_disk)
        for number in np.flatnonzero(tells | lasts).tolist():
            if count + number in first:
                continue
            event = seen(rows.row(those[number]))
            place = count + number, event
            step, recovery_id = automaton.rules[event.rule].event, event.values.recovery_id
            events[event.node, step in ON_DISK] = place
            if step in GIVES_OUT and recovery_id in ids:
                events.setdefault(("gives out", recovery_id), place)
            if step == SYNCS and recovery_id in ids:
                events["syncs", recovery_id, event.node] = place
            if event.name in names:
                events["before", event.name] = place
    return dict(events.values())


def _rules(automaton: Automaton, steps: Collection[str]) -> Any:
    """The numbers of the rules of some steps."""
    return np.array([number for number, rule in enumerate(automaton.rules) if rule.event in steps], np.int64)


def _of_last(rows: Rows, those: Any, on_disk: Any) -> Any:
    """For each of some rows whether it is the last of its node among them; found on a disk or not, each by itself."""
    is_last = np.zeros(len(those), np.bool_)
    if len(those):
        apart = np.stack([rows.node[those], rows.unit[those], np.isin(rows.rule[those], on_disk)])
        is_last[len(those) - 1 - np.unique(apart[:, ::-1], axis=1, return_index=True)[1]] = True
    return is_last
