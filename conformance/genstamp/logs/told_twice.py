"""Checks the stamps that a NameNode's edits have for a block against the one with which its log gives the block out.

Both report the same steps, so each is checked separately, and no order of the two is known. But a block's stamp only
rises, from the one that it is given out with: for any missing lines, no edit of the block has a lower one. Not here:
the other direction, as edits of old layouts name a block only when its file is closed, with the stamp that it has by
then; a key of more rows than are held in memory; and logs that are followed while they are written.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from genstamp.events import KINDS
from genstamp.logs.exchange import Rows
from genstamp.logs.kernel import MISSING
from genstamp.logs.rules import BOOKS, Register
from genstamp.logs.sources import EDIT_LOGS, OF_NAMENODE

_RULES = BOOKS["block"].rules

GIVEN_OUT = [number for number, rule in enumerate(_RULES) if rule.event == "add_block" and not rule.role]
"""Rules of events in which a block is given out."""

_STAMPED = [number for number, rule in enumerate(_RULES) if rule.sets.get(Register.STAMP) == "generation_stamp"]


class Contradiction(NamedTuple):
    """An event of a block that contradicts another source.

    Attributes:
        row: of the event.
        failed: the check that failed, with its values.
        accepted: what would not have contradicted it.
    """

    row: int
    failed: str
    accepted: str


Block = tuple[int, int, int]
"""Namespace, number and name of a block, as `exchange.Rows` has them."""


def lower_in_edits(
    rows: Rows, sources: Mapping[str, frozenset[str]], retold: Mapping[str, str]
) -> Mapping[Block, Contradiction]:
    """For each block of which it is so the first edit with a stamp that is too low.

    Args:
        rows: all of each block, however often its steps are told.
        sources: those under each name.
        retold: the namespace of each name under which one of several tellings was checked.
    """
    families: dict[str, list[int]] = {}
    for code, telling in enumerate(rows.namespaces):
        if retold.get(telling, telling) in retold.values():
            families.setdefault(retold.get(telling, telling), []).append(code)
    found: dict[Block, Contradiction] = {}
    for family in families.values():
        logs = [code for code in family if sources.get(rows.namespaces[code], frozenset()) & OF_NAMENODE]
        edits = [code for code in family if sources.get(rows.namespaces[code], frozenset()) & EDIT_LOGS]
        given_out: dict[tuple[int, int], tuple[int, str]] = {}
        for row in _those(rows, logs, GIVEN_OUT):
            told = int(rows.generation_stamp[row]), rows.namespaces[rows.namespace[row]]
            given_out.setdefault((int(rows.number[row]), int(rows.name[row])), told)
        for row in _those(rows, edits, _STAMPED):
            number, name = int(rows.number[row]), int(rows.name[row])
            stamp, telling = given_out.get((number, name), (MISSING, ""))
            if rows.generation_stamp[row] < stamp:
                failed = (
                    f"generation stamp {rows.generation_stamp[row]} is below {stamp}, with which {telling} gives it out"
                )
                lower = Contradiction(row, failed, f"it with generation stamp {stamp} or more")
                found.setdefault((int(rows.namespace[row]), number, name), lower)
    return found


def _those(rows: Rows, namespaces: list[int], rules: list[int]) -> list[int]:
    """The rows of blocks of some namespaces under some rules that have a stamp, in order."""
    fits = (rows.kind == KINDS.index("block")) & (rows.generation_stamp != MISSING)
    those = np.flatnonzero(fits & np.isin(rows.namespace, namespaces) & np.isin(rows.rule, rules))
    ordered: list[int] = those[np.lexsort((rows.sequence[those], rows.unit[those]))].tolist()
    return ordered
