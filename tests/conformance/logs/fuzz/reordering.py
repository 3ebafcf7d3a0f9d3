"""Puts the events of each key in another order that nothing known speaks against.

Not here: what is known of the order, which `genstamp.logs.orders` says.
"""

import random
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from genstamp.logs.automaton import automaton
from genstamp.logs.local import Checked
from genstamp.logs.orders import known_order, seen
from genstamp.logs.rules import NO_RULE
from genstamp.logs.sources.declared import unseen_steps
from genstamp.logs.tables import CONCERNS, ROLES_MAX

NO_UNIT = -1
"""Number of none of the units that were read, so that nothing is told apart by it once more."""

Key = tuple[str, str, str]


def reordered(choose: random.Random, checked: Checked) -> Any:
    """The concerns of a check, each key's in an order that is possible; all of them as if of one unit."""
    by_key: dict[Key, list[dict[str, Any]]] = defaultdict(list)
    rows = checked.concerns.to_pylist()
    for row in sorted(rows, key=lambda row: (row["unit"], row["sequence"])):
        if row["rule"] != NO_RULE:
            name = checked.terms.separated.get((row["namespace"], row["unit"]), row["namespace"])
            by_key[name, row["kind"], row["entity"]].append({**row, "namespace": name})
    changed = [row for key, of_key in by_key.items() for row in _of_one(choose, key[1], of_key)]
    return pa.Table.from_pylist(changed, CONCERNS)


def _of_one(choose: random.Random, kind: Any, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    events = [seen(row) for row in rows]
    before = known_order(automaton(kind, unseen_steps(kind, (), ())), events)
    order: list[int] = []
    while len(order) < len(rows):
        free = [index for index in range(len(rows)) if index not in order and before[index] <= set(order)]
        order.append(choose.choice(free))
    places = {index: place for place, index in enumerate(order, 1)}
    named = {event.name: places[index] for index, event in enumerate(events)}
    return [
        {
            **row,
            "unit": NO_UNIT,
            "sequence": places[index] * ROLES_MAX,
            "node": f"{row['node']} {row['unit']}",
            "after": [named[name] for name in events[index].after if name in named] or None,
        }
        for index, row in enumerate(rows)
    ]


def answers(verdicts: Any) -> Mapping[Key, tuple[str, str]]:
    """Both answers of each key."""
    return {
        (row["namespace"], row["kind"], row["entity"]): (row["safety"], row["completion"])
        for row in verdicts.to_pylist()
    }
