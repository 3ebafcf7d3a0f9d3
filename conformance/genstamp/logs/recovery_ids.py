"""Checks the recovery ids that any source gives for a block against the stamps that the NameNode's log has for it.

Stamps and recovery ids are numbers of one counter of the NameNode, which falls below no stamp that a block has. So, for
any missing lines and any order of the sources: a recovery of a block has a higher id than the stamp that the block was
given out with, none has a lower id than the stamp that its own line shows (an equal one has the copy that a truncation
makes), and none has the id that a pipeline of the block was updated to. The latter not where a NameNode has started
meanwhile: without HA it grants again what it had granted, and what is no block's stamp yet (H). Not here: id 0,
which a recovery is ordered with whose block was reopened before (G.2); what needs an order, which the lifecycle of the
block checks where one is known (`genstamp.logs.rules.block`); steps that were refused; the copy that a truncation
makes, whose stamp is the id of its recovery; edits, which name a block that is new to them with the stamp that it has
by then; a key of more rows than are held in memory.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from genstamp.events import KINDS
from genstamp.logs.exchange import Rows
from genstamp.logs.kernel import MISSING
from genstamp.logs.rules import BOOKS, Register
from genstamp.logs.sources import EDIT_LOGS
from genstamp.logs.told_twice import GIVEN_OUT, Block, Contradiction

_RULES = BOOKS["block"].rules

_RECOVERIES = frozenset(
    {
        "start_recovery",
        "recover_lease",
        "release_expired_lease",
        "truncate",
        "receive_recovery_command",
        "init_replica_recovery_called",
        "init_replica_recovery",
        "sync_block",
        "update_replica_under_recovery",
        "commit_block_synchronization",
    }
)

_RECOVERING = [
    number
    for number, rule in enumerate(_RULES)
    if (rule.refused is None and rule.event in _RECOVERIES) or rule.sets.get(Register.RECOVERY_ID) == "recovery_id"
]

_SHOWING_STAMP = [
    number
    for number, rule in enumerate(_RULES)
    if rule.refused is None and rule.event in ("start_recovery", "commit_block_synchronization")
]
"""Rules of lines of the NameNode that show the block's stamp beside the id of its recovery."""

_RESTARTED = [number for number, rule in enumerate(_RULES) if rule.event == "namenode_restart"]

_UPDATED = [
    number for number, rule in enumerate(_RULES) if rule.event == "update_pipeline" and rule.sets.get(Register.STAMP)
]


def contradicted(
    rows: Rows, sources: Mapping[str, frozenset[str]], retold: Mapping[str, str]
) -> Mapping[Block, Contradiction]:
    """For each block of which it is so the first recovery whose id the NameNode cannot have given out for it.

    Args:
        rows: all of each block, however often its steps are told.
        sources: those under each name.
        retold: the namespace of each name under which one of several tellings was checked.
    """
    recoveries = _those(rows, _RECOVERING, rows.recovery_id, rows.recovery_id > 0)
    if not len(recoveries):
        return {}
    families = [retold.get(name, name) for name in rows.namespaces]
    logged = [number for number, name in enumerate(rows.namespaces) if not sources.get(name, frozenset()) & EDIT_LOGS]
    concerned = np.isin(rows.number, np.unique(rows.number[recoveries])) & np.isin(rows.namespace, logged)
    given_out: dict[tuple[str, int, int], int] = {}
    for row in _ordered(rows, _those(rows, GIVEN_OUT, rows.generation_stamp, concerned)):
        block = families[rows.namespace[row]], int(rows.number[row]), int(rows.name[row])
        if block not in given_out or rows.generation_stamp[row] < rows.generation_stamp[given_out[block]]:
            given_out[block] = row
    updated: dict[tuple[str, int, int, int], int] = {}
    for row in _ordered(rows, _those(rows, _UPDATED, rows.generation_stamp, concerned)):
        block = families[rows.namespace[row]], int(rows.number[row]), int(rows.name[row])
        updated.setdefault((*block, int(rows.generation_stamp[row])), row)
    restarted = {
        (families[rows.namespace[row]], int(rows.number[row]), int(rows.name[row]))
        for row in np.flatnonzero(concerned & np.isin(rows.rule, _RESTARTED)).tolist()
    }
    found: dict[Block, Contradiction] = {}
    for row in _ordered(rows, recoveries):
        number, name, recovery_id = int(rows.number[row]), int(rows.name[row]), int(rows.recovery_id[row])
        block = families[rows.namespace[row]], number, name
        birth, update = given_out.get(block), updated.get((*block, recovery_id))
        shown = int(rows.generation_stamp[row]) if rows.rule[row] in _SHOWING_STAMP else MISSING
        if shown != MISSING and recovery_id < shown:
            why = f"recovery id {recovery_id} is below {shown}, the stamp that the block has by then"
            found.setdefault(_key(rows, row), Contradiction(row, why, f"it with a recovery id above {shown}"))
        elif birth is not None and recovery_id <= (stamp := int(rows.generation_stamp[birth])):
            why = f"recovery id {recovery_id} is not above {stamp}, the stamp that the block is given out with at"
            found.setdefault(_key(rows, row), _contradiction(rows, row, why, birth, stamp))
        elif update is not None and block not in restarted:
            why = f"recovery id {recovery_id} is the stamp that a pipeline of the block is updated to at"
            found.setdefault(_key(rows, row), _contradiction(rows, row, why, update, recovery_id))
    return found


def _key(rows: Rows, row: int) -> Block:
    return int(rows.namespace[row]), int(rows.number[row]), int(rows.name[row])


def _contradiction(rows: Rows, row: int, why: str, other: int, stamp: int) -> Contradiction:
    place = rows.place(other)
    return Contradiction(row, f"{why} {place['file']}:{place['line']}", f"it with a recovery id above {stamp}")


def _those(rows: Rows, rules: list[int], values: "np.ndarray", among: "np.ndarray | None" = None) -> "np.ndarray":
    """The rows of blocks under some rules that have a value."""
    fits = (rows.kind == KINDS.index("block")) & (values != MISSING)
    fits = fits if among is None else fits & among
    those = np.flatnonzero(fits)
    return those[np.isin(rows.rule[those], rules)]


def _ordered(rows: Rows, those: "np.ndarray") -> Iterator[int]:
    yield from those[np.lexsort((rows.sequence[those], rows.unit[those]))].tolist()
