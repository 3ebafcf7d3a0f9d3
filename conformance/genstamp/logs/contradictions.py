"""Checks what the sources tell of the stamps and the recovery ids of a block against each other.

Stamps and recovery ids are numbers of one counter of the NameNode, which falls below no stamp that a block has. So, for
any missing lines and any order of the sources: a recovery of a block has a higher id than the stamp that the block was
given out with, none has a lower id than the stamp that its own line shows (an equal one has the copy that a truncation
makes), and none has the id that a pipeline of the block was updated to. The latter not where a NameNode has started
meanwhile: without HA it grants again what it had granted, and what is no block's stamp yet (H). And where the edits of
a NameNode and its log report the same steps, which are checked separately, no edit of a block has a lower stamp than
that with which the log gives it out.

Not here: id 0, which a recovery is ordered with whose block was reopened before (G.2); what needs an order, which the
lifecycle of the block checks where one is known (`genstamp.logs.rules.block`); steps that were refused; the copy that a
truncation makes, whose stamp is the id of its recovery; stamps of edits that are higher, as edits of old layouts name a
block only when its file is closed, with the stamp that it has by then; a key of more rows than are held in memory; and
logs that are followed while they are written.
"""

from collections.abc import Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from genstamp.events import KINDS
from genstamp.logs.exchange import Rows
from genstamp.logs.kernel import MISSING
from genstamp.logs.rules import BOOKS
from genstamp.logs.rules.shape import Register, Rule
from genstamp.logs.sources import EDIT_LOGS, OF_NAMENODE

_RECOVERIES = (
    "start_recovery recover_lease release_expired_lease truncate receive_recovery_command init_replica_recovery_called"
    " init_replica_recovery sync_block update_replica_under_recovery commit_block_synchronization"
)


def _rules(events: str = "", sets: Mapping[Register, str] | None = None) -> list[int]:
    """The rules of blocks for some events that were not refused, and those that set a register to a value."""
    return [
        number
        for number, rule in enumerate(BOOKS["block"].rules)
        if (rule.refused is None and rule.event in events.split()) or _sets(rule, sets or {})
    ]


def _sets(rule: Rule, sets: Mapping[Register, str]) -> bool:
    return any(rule.sets.get(register) == value for register, value in sets.items())


_GIVEN_OUT = [number for number in _rules("add_block") if not BOOKS["block"].rules[number].role]
"""Rules of events in which a block is given out."""

_STAMPED = _rules(sets={Register.STAMP: "generation_stamp"})
_RECOVERING = _rules(_RECOVERIES, {Register.RECOVERY_ID: "recovery_id"})
_SHOWING_STAMP = _rules("start_recovery commit_block_synchronization")
"""Rules of lines of the NameNode that show the block's stamp beside the id of its recovery."""

_RESTARTED = _rules("namenode_restart")
_UPDATED = [number for number in _rules("update_pipeline") if BOOKS["block"].rules[number].sets.get(Register.STAMP)]


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


def contradictions(
    rows: Rows, sources: Mapping[str, frozenset[str]], retold: Mapping[str, str]
) -> Mapping[Block, Contradiction]:
    """For each block of which there is one the first event that another one of it contradicts.

    Args:
        rows: all of each block, however often its steps are told.
        sources: those under each name.
        retold: the namespace of each name under which one of several tellings was checked.
    """
    told = _Told(rows, sources, retold)
    return {**told.recoveries(), **(told.lower_in_edits() if retold else {})}


class _Told:
    """The rows of blocks; see `contradictions`."""

    def __init__(self, rows: Rows, sources: Mapping[str, frozenset[str]], retold: Mapping[str, str]) -> None:
        self._rows = rows
        self._sources = [sources.get(name, frozenset()) for name in rows.namespaces]
        self._families = [retold.get(name, name) for name in rows.namespaces]
        self._retold = frozenset(retold.values())

    def recoveries(self) -> dict[Block, Contradiction]:
        """The recoveries whose id the NameNode cannot have given out for the block."""
        rows = self._rows
        recoveries = self._those(_RECOVERING, rows.recovery_id, rows.recovery_id > 0)
        if not recoveries:
            return {}
        logged = [number for number, names in enumerate(self._sources) if not names & EDIT_LOGS]
        concerned = np.isin(rows.number, np.unique(rows.number[recoveries])) & np.isin(rows.namespace, logged)
        given_out: dict[tuple[str, int, int], int] = {}
        for row in self._those(_GIVEN_OUT, rows.generation_stamp, concerned):
            block = self._block(row)
            if block not in given_out or rows.generation_stamp[row] < rows.generation_stamp[given_out[block]]:
                given_out[block] = row
        updated: dict[tuple[str, int, int, int], int] = {}
        for row in self._those(_UPDATED, rows.generation_stamp, concerned):
            updated.setdefault((*self._block(row), int(rows.generation_stamp[row])), row)
        restarted = set(map(self._block, np.flatnonzero(concerned & np.isin(rows.rule, _RESTARTED)).tolist()))
        found: dict[Block, Contradiction] = {}
        for row in recoveries:
            block, recovery_id = self._block(row), int(rows.recovery_id[row])
            birth, update = given_out.get(block), updated.get((*block, recovery_id))
            shown = int(rows.generation_stamp[row]) if rows.rule[row] in _SHOWING_STAMP else MISSING
            if shown != MISSING and recovery_id < shown:
                why, stamp = f"is below {shown}, the stamp that the block has by then", shown
            elif birth is not None and recovery_id <= (stamp := int(rows.generation_stamp[birth])):
                why = f"is not above {stamp}, the stamp that the block is given out with at {self._place(birth)}"
            elif update is not None and block not in restarted:
                why = f"is the stamp that a pipeline of the block is updated to at {self._place(update)}"
                stamp = recovery_id
            else:
                continue
            accepted = f"it with a recovery id above {stamp}"
            found.setdefault(self._key(row), Contradiction(row, f"recovery id {recovery_id} {why}", accepted))
        return found

    def lower_in_edits(self) -> dict[Block, Contradiction]:
        """The edits with a stamp below that with which the log gives the block out."""
        rows, given_out = self._rows, dict[tuple[str, int, int], int]()
        for row in self._those(_GIVEN_OUT, rows.generation_stamp, self._of(OF_NAMENODE)):
            given_out.setdefault(self._block(row), row)
        found: dict[Block, Contradiction] = {}
        for row in self._those(_STAMPED, rows.generation_stamp, self._of(EDIT_LOGS)):
            birth = given_out.get(self._block(row))
            if birth is not None and rows.generation_stamp[row] < (stamp := rows.generation_stamp[birth]):
                telling = rows.namespaces[rows.namespace[birth]]
                failed = (
                    f"generation stamp {rows.generation_stamp[row]} is below {stamp}, with which {telling} gives it out"
                )
                lower = Contradiction(row, failed, f"it with generation stamp {stamp} or more")
                found.setdefault(self._key(row), lower)
        return found

    def _of(self, wanted: Set[str]) -> Any:
        """The rows under names with some of these sources whose steps are told more than once."""
        names = zip(self._sources, self._families, strict=True)
        those = [number for number, (names, of) in enumerate(names) if names & wanted and of in self._retold]
        return np.isin(self._rows.namespace, those)

    def _those(self, rules: list[int], values: Any, among: Any) -> list[int]:
        """Some rows of blocks under some rules that have a value, in order."""
        rows = self._rows
        those = np.flatnonzero((rows.kind == KINDS.index("block")) & (values != MISSING) & among)
        those = those[np.isin(rows.rule[those], rules)]
        ordered: list[int] = those[np.lexsort((rows.sequence[those], rows.unit[those]))].tolist()
        return ordered

    def _key(self, row: int) -> Block:
        rows = self._rows
        return int(rows.namespace[row]), int(rows.number[row]), int(rows.name[row])

    def _block(self, row: int) -> tuple[str, int, int]:
        """The block of a row, whichever source tells of it."""
        namespace, number, name = self._key(row)
        return self._families[namespace], number, name

    def _place(self, row: int) -> str:
        return "{file}:{line}".format(**self._rows.place(row))
