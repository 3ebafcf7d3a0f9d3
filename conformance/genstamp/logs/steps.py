"""Which steps of a lifecycle events stood for: counts on its edges.

Not here: counting (`genstamp.logs.kernel`), which only knows sets of states and actions.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from genstamp.logs.automaton import Automaton, Needs
from genstamp.logs.rules.shape import Rule, Way
from genstamp.logs.tables import STEPS
from genstamp.logs.unseen import STILL

_Edge = tuple[str, str, str]
"""Event, state before, state after, by their ids."""


def steps_taken(automaton: Automaton, taken: Any) -> Any:
    """The edges that events stood for, a table of `tables.STEPS`.

    Args:
        automaton: that was run.
        taken: `Runs.taken` of it.
    """
    tables = automaton.tables()
    seen: Counter[_Edge] = Counter()
    perhaps: Counter[_Edge] = Counter()
    for states, action in np.argwhere(taken):
        number, needs = tables.actions[action]
        ways = set(_ways(automaton, tables.sets[states], automaton.rules[number], needs))
        counts = seen if len(ways) == 1 else perhaps
        for edge in {edge for way in ways for edge in way}:
            counts[edge] += int(taken[states, action])
    rows = [
        {"kind": automaton.kind, "event": edge[0], "before": edge[1], "after": edge[2], "seen": seen[edge],
         "perhaps": perhaps[edge]}
        for edge in sorted(seen | perhaps)
    ]  # fmt: skip
    return pa.Table.from_pylist(rows, STEPS)


def _ways(automaton: Automaton, states: int, rule: Rule, needs: Needs) -> Iterator[tuple[_Edge, ...]]:
    """Everything that an event may have been, given the states shown before it, as the edges that it took."""
    pairs = [(way, needed) for way, needed in zip(rule.ways, needs, strict=True) if needed is not None]
    still = [way for way, needed in pairs if all(need & move for need, move in zip(needed, STILL, strict=True))]
    found = [edges for way in still for edges in _through(automaton, states, way)]
    # Nothing unseen is put in where it is not needed, as in the states shown.
    yield from found or (
        edges for way, needed in pairs for edges in _through(automaton, automaton.closure.after(states, needed), way)
    )


def _through(automaton: Automaton, states: int, way: Way) -> Iterator[tuple[_Edge, ...]]:
    graph = automaton.graph
    allowed = states if way.before is None else states & graph.set_of(way.before)
    for first in range(len(graph.states)):
        if not allowed >> first & 1:
            continue
        here, edges = first, []
        for event in way.fires:
            there = graph.edges[event][here]
            if there < 0:
                break
            edges.append((event, graph.states[here], graph.states[there]))
            here = there
        else:
            if way.after is None or graph.states[here] in way.after:
                yield tuple(edges)
