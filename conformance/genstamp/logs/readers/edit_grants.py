"""The generation stamps and block ids that an edit log grants, as events of the NameNode's counters; and stamps that it
grants twice.

Since HDFS-14941 a NameNode that starts takes its counter from its image and from the blocks in its edits, but not from
the stamps that the edits grant (H.4). So it grants again each stamp that no block has yet. Not here: the counter of
legacy stamps, which a start restores.
"""

from collections.abc import Iterator

from genstamp.logs.readers.edit_events import NAMENODE, EditEvents
from genstamp.logs.readers.edit_ops import EditOp
from genstamp.logs.readers.edit_transactions import FIRST_INODE, FIRST_STAMP
from genstamp.logs.readers.sighting import KNOWN_HOLE, Concern, Counts, Sighting, Unit

STRIPED_IDS = "namenode:striped"
"""The key of the counter of block groups' ids, which are negative. `NAMENODE` is the key of the other block ids."""

LEGACY_STAMPS = "namenode:legacy"
"""The key of the counter of stamps for blocks with random ids, OP_SET_GENSTAMP_V1. `NAMENODE` is that of the others."""

_NOTED_MAX = 20
"""How many stamps that are granted again get a note of their own."""


HOLE = "stamp-granted-twice"
"""The name of this fault of HDFS in docs/holes."""

RESTORED_UNTIL = -62
"""The newest layout version without HDFS-14941 in all releases."""

_ELSEWHERE = "a transaction that is not in this log"


class GrantedStamps:
    """The highest stamp ever granted, and the NameNode's counter, which a start may lower."""

    def __init__(self) -> None:
        self._highest = self._counter = self._of_blocks = 0
        self._may_have_started = False
        self._first: dict[int, str] = {}

    def start(self) -> None:
        """The NameNode may have started after the last operation."""
        self._may_have_started = True

    def use(self, stamp: int) -> None:
        """A block has this stamp, so no start lowers the counter below it."""
        self._of_blocks = max(self._of_blocks, stamp)
        # Stamps are mostly granted in rising order; one out of order is only kept longer.
        while self._first and (first := next(iter(self._first))) <= self._of_blocks:
            del self._first[first]

    def grant(self, stamp: int, by: str) -> str:
        """A transaction grants a stamp.

        Args:
            stamp: the stamp.
            by: the transaction in words.

        Returns:
            The transaction that granted the stamp before, if a start of the NameNode explains it; otherwise "".
        """
        if self._may_have_started and stamp <= self._counter:
            self._counter = self._of_blocks
        self._may_have_started = False
        before = self._first.get(stamp, _ELSEWHERE) if self._counter < stamp <= self._highest else ""
        self._first.setdefault(stamp, by)
        self._counter, self._highest = max(self._counter, stamp), max(self._highest, stamp)
        return before


class EditGrants:
    """The grants of the operations so far.

    Args:
        events: makes the events.
        unit: the log.
        counts: where notes are counted.

    Attributes:
        stamp, block_id: granted last; None if unknown, 0 if none was since the namespace began.
    """

    def __init__(self, events: EditEvents, unit: Unit, counts: Counts) -> None:
        self._events = events
        self._unit = unit
        self._counts = counts
        self._granted = GrantedStamps()
        self._granted_again = 0
        self._highest, self._counter = 0, NAMENODE
        self.stamp: int | None = None
        self.block_id: int | None = None

    def forget(self) -> None:
        """Operations may be missing here: what was granted last is unknown."""
        self.stamp = self.block_id = None

    def follow(self, op: EditOp, is_gap: bool) -> Iterator[Sighting]:
        """Take the next operation; gives an event for a block whose stamp is above all that were granted.

        Args:
            op: the operation.
            is_gap: whether operations may be missing before it.
        """
        if is_gap:
            self.forget()
        elif op.txid == 1:
            self.stamp = self.block_id = 0
        if (is_gap or op.name == "OP_START_LOG_SEGMENT") and op.layout_version < RESTORED_UNTIL:
            self._granted.start()
        for block in op.blocks:
            self._granted.use(block.generation_stamp)
        stamp = max((block.generation_stamp for block in op.blocks), default=0)
        if self.stamp == 0 and op.name == "OP_ADD" and op.inode_id == FIRST_INODE and not op.blocks:
            self._highest = FIRST_STAMP - 1
        # Before the first grant the counter of a namespace that is not new is unknown.
        if 0 < self._highest < stamp:
            if self.stamp == 0:  # No grant was seen, and the counter is where that of a new namespace begins.
                yield self._events.seen("set_generation_stamp", Concern("node", self._counter), stamp=self._highest)
            self._highest = stamp
            yield self._events.seen("stamps_in_edits", Concern("node", self._counter), stamp=stamp)

    def set_generation_stamp(self, op: EditOp) -> Iterator[Sighting]:
        """OP_SET_GENSTAMP_V1 or OP_SET_GENSTAMP_V2: a stamp is granted."""
        counter, stamp = NAMENODE if op.name == "OP_SET_GENSTAMP_V2" else LEGACY_STAMPS, op.number
        if stamp > self._highest:
            self._highest, self._counter = stamp, counter
        self.stamp = stamp
        by = f"transaction {op.txid}"
        before = self._granted.grant(stamp, by) if counter == NAMENODE else ""
        observed = {}
        if before:
            observed = {"granted_before": before, "semantics": self._unit.semantics}
            self._note_again(f"{by} grants generation stamp {stamp} again, which {before} granted")
        yield self._events.seen("set_generation_stamp", Concern("node", counter), observed=observed, stamp=stamp)

    def _note_again(self, what: str) -> None:
        self._granted_again += 1
        noted = what if self._granted_again <= _NOTED_MAX else "more stamps are granted again"
        self._counts.remarks[self._events.file, f"{KNOWN_HOLE} {HOLE}: {noted}"] += 1

    def allocate_block_id(self, op: EditOp) -> Iterator[Sighting]:
        """OP_ALLOCATE_BLOCK_ID: an id is allocated for the next block."""
        self.block_id = op.number
        counter = Concern("node", STRIPED_IDS if op.number < 0 else NAMENODE)
        yield self._events.seen("allocate_block_id", counter, num_bytes=op.number, block=str(op.number))
