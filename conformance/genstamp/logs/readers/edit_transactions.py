"""Determines which transactions are missing from an edit log, and whether it begins with its namespace."""

from genstamp.logs.readers.edit_ops import EditOp, is_known
from genstamp.logs.readers.sighting import Counts, Unit
from genstamp.logs.tables import FROM_THE_FIRST, LATER

FIRST_STAMP, FIRST_INODE = 1001, 16386
"""The first stamp and inode id of a new namespace (H; INodeId#LAST_RESERVED_ID). A namespace that was upgraded to
transaction ids also begins with transaction 1, but its numbers go on.
"""

STAMPS = frozenset({"OP_SET_GENSTAMP_V1", "OP_SET_GENSTAMP_V2"})
"""The operations that grant a generation stamp."""


class Transactions:
    """The transaction ids of the operations so far.

    Args:
        unit: the log.
        counts: where missing transactions are counted.

    Attributes:
        has_gap: whether a transaction is missing, or an operation is unknown.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._unit = unit
        self._counts = counts
        self.has_gap = False
        self._read: int | None = None
        self._last: int | None = None
        self._begins = self._is_new = False

    def problem(self, file: str, op: EditOp) -> str:
        """Why the transaction id of the next operation is rejected; "" if it is not."""
        txid, last = op.txid, self._read
        if txid is None:
            return ""
        self._read = txid
        if last is None or txid == last + 1:
            return ""
        missing = txid - last - 1
        if missing < 0:
            return f"transaction {txid} follows {last}, expected was {last + 1}"
        self._counts.remarks[file, "missing transactions"] += missing
        if self._unit.complete:
            return f"transaction {txid} follows {last}, so {missing} are missing from a log said to be complete"
        return ""

    def follow(self, op: EditOp) -> bool:
        """Take the next operation; whether there is a gap before it, or it is one itself, because it is unknown."""
        is_gap = op.txid is None or (self._last is not None and op.txid != self._last + 1) or not is_known(op)
        if is_gap:
            self.has_gap = True
        elif self._last is None:
            self._begins = op.txid == 1
        self._last = op.txid
        if op.name in STAMPS:
            self._is_new |= op.number == FIRST_STAMP
        elif op.name == "OP_ADD":
            self._is_new |= op.inode_id == FIRST_INODE
        return is_gap

    def go_on_after(self, txid: int | None) -> None:
        """Continue after an image, whose last transaction this is."""
        if self._last is None:
            self._begins = self._is_new = True  # The image has everything from before.
        elif self._last != txid:
            self.has_gap = True
        self._last = txid

    def gapless(self) -> str:
        """The gaps that the operations so far show, as in `tables.SPANS`."""
        if self.has_gap or self._last is None:
            return ""
        return FROM_THE_FIRST if self._begins and self._is_new else LATER
