"""The generation stamps that the edits of a NameNode grant, and those that they grant twice.

Since HDFS-14941 a NameNode that starts takes its counter from its image and from the blocks in its edits, but not from
the stamps that the edits grant (H.4). So it grants again each stamp that no block has yet. Not here: the counter of
legacy stamps, which a start restores.
"""

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
