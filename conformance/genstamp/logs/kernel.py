"""The fast path: the events of many entities of one kind through their automaton, a few array look-ups an event.

Not here: sorting (the caller groups the events by entity, each entity's events in the order given) and entities that
are rejected: those go to the slow path (`genstamp.logs.orders`).
"""

from typing import Any, NamedTuple

import numpy as np

from genstamp.logs.automaton import EMPTY, Assignment, Tables
from genstamp.logs.compiled import compiled
from genstamp.logs.rules import NO_RULE
from genstamp.logs.rules.shape import Register

MISSING = -(2**63)
"""Stands for a value that an event does not have."""

# Plain numbers: the compiled code sees no enumeration.
_NO_RULE = NO_RULE
_LEFT, _FORGOTTEN = Assignment.LEFT.value, Assignment.FORGOTTEN.value
_LOOSENED, _ZERO, _SHOWN = Assignment.LOOSENED.value, Assignment.ZERO.value, Assignment.SHOWN.value
_ID = Register.RECOVERY_ID.value


class Runs(NamedTuple):
    """The result for each entity; arrays with one element an entity.

    Attributes:
        rejected_at: index of the first rejected event, -1 if none.
        possible: number of the set of possible states at the end, or before the rejected event.
        shown: the same for the states shown.
        began: whether the log shows the entity in any other state than the one in which a life begins.
        unknown: how many events have no rule.
        held, known, loose: the registers at the end, or before the rejected event: values by column, and bit sets.
        taken: not by entity; how many events met each set of states shown (row) with each action (column).
    """

    rejected_at: Any
    possible: Any
    shown: Any
    began: Any
    unknown: Any
    held: Any
    known: Any
    loose: Any
    taken: Any


def run(
    tables: Tables, starts: Any, rules: Any, stamps: Any, ids: Any, lengths: Any, before: Runs | None = None
) -> Runs:
    """Runs every entity's events.

    Args:
        tables: of the automaton of the kind.
        starts: int64; where each entity's events begin, and one more element for the end.
        rules: int32; number of the rule of each event, -1 for none.
        stamps, ids, lengths: int64; `MISSING` where the event has none.
        before: of the events that came before these, which it continues from and changes; None at the beginning. A
            rejected entity is not followed any further.
    """
    entities = len(starts) - 1
    runs = before or Runs(
        np.full(entities, -1, np.int64),
        np.full(entities, tables.start, np.int32),
        np.zeros(entities, np.int32),
        np.zeros(entities, np.bool_),
        np.zeros(entities, np.int64),
        np.zeros((entities, 3), np.int64),
        np.zeros(entities, np.int8),
        np.zeros(entities, np.int8),
        np.zeros(tables.shown.shape, np.int64),
    )
    _run(
        tables.action,
        tables.possible,
        tables.shown,
        tables.assigns,
        tables.late,
        starts,
        rules,
        stamps,
        ids,
        lengths,
        *runs,
    )
    return runs


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _order(value: int, held: int, known: bool, loose: bool) -> int:
    if value == MISSING or not known:
        return 0
    if value < held:
        return 1
    if loose:
        return 0
    return 2 if value == held else 3


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _letter(stamp: int, recovery_id: int, length: int, held: Any, known: int, loose: int) -> Any:
    return (
        _order(stamp, held[0], known & 1 != 0, loose & 1 != 0)
        | _order(recovery_id, held[0], known & 1 != 0, loose & 1 != 0) << 2
        | _order(recovery_id, held[1], known & 2 != 0, loose & 2 != 0) << 4
        | _order(length, held[2], known & 4 != 0, loose & 4 != 0) << 6
    )


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _remember(assigns: Any, values: Any, held: Any, known: int, loose: int) -> tuple[int, int]:
    """Sets `held` and gives what is now known and what is loose."""
    for register in range(3):
        how, bit = assigns[register], 1 << register
        if how == _LOOSENED:
            loose |= bit
        elif how == _SHOWN:
            if known & bit and values[_ID] > held[register]:
                held[register] = values[_ID]
                loose |= bit
        elif how == _FORGOTTEN:
            known &= ~bit
            loose &= ~bit
        elif how == _ZERO or (how != _LEFT and values[how - 1] != MISSING):
            held[register] = 0 if how == _ZERO else values[how - 1]
            known |= bit
            loose &= ~bit
    return known, loose


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _run(
    action: Any,
    possible: Any,
    shown: Any,
    assigns: Any,
    late: Any,
    starts: Any,
    rules: Any,
    stamps: Any,
    ids: Any,
    lengths: Any,
    rejected_at: Any,
    last_possible: Any,
    last_shown: Any,
    began: Any,
    unknown: Any,
    held: Any,
    last_known: Any,
    last_loose: Any,
    taken: Any,
) -> None:
    for entity in range(len(starts) - 1):
        if rejected_at[entity] >= 0:
            continue
        may, does = int(last_possible[entity]), int(last_shown[entity])
        known, loose = int(last_known[entity]), int(last_loose[entity])
        for index in range(starts[entity], starts[entity + 1]):
            rule = rules[index]
            if rule == _NO_RULE:
                unknown[entity] += 1
                continue
            letter = _letter(stamps[index], ids[index], lengths[index], held[entity], known, loose)
            act = action[rule, letter]
            after = possible[may, act]
            if after == EMPTY:
                rejected_at[entity] = index
                break
            taken[does, act] += 1
            then = shown[does, act]
            if then == EMPTY:
                then = possible[does, act]
            if then == EMPTY:
                then = after
            may, does = after, then
            began[entity] |= does != 0
            if not (late[rule] and letter >> 2 & 3 == 1):
                values = (stamps[index], ids[index], lengths[index])
                known, loose = _remember(assigns[rule], values, held[entity], known, loose)
        last_possible[entity], last_shown[entity] = may, does
        last_known[entity], last_loose[entity] = known, loose
