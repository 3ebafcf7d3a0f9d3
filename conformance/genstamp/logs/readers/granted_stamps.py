"""Which generation stamps the edits of a NameNode grant, and which of them they grant twice.

Since HDFS-14941 a NameNode that starts takes its counter from its image and from the blocks of its edits, and not from
what the edits grant (H.4): it grants again what no block has yet. Leaves out the counter of legacy stamps, which a
start restores.
"""

HOLE = "stamp-granted-twice"
"""Name of this fault of HDFS among the holes (docs/holes)."""

RESTORED_UNTIL = -62
"""The newest layout version of which no release had HDFS-14941."""

_ELSEWHERE = "a transaction that is not in this log"


class GrantedStamps:
    """The highest stamp that was ever granted, and the counter, which a start of the NameNode may have lowered."""

    def __init__(self) -> None:
        self._highest = self._counter = self._of_blocks = 0
        self._may_have_started = False
        self._first: dict[int, str] = {}

    def start(self) -> None:
        """The NameNode may have started since the last operation."""
        self._may_have_started = True

    def use(self, stamp: int) -> None:
        """A block has a stamp; no start lowers the counter below it."""
        self._of_blocks = max(self._of_blocks, stamp)
        # The lowest mostly come first; one that comes later is only kept for longer.
        while self._first and (first := next(iter(self._first))) <= self._of_blocks:
            del self._first[first]

    def grant(self, stamp: int, by: str) -> str:
        """Takes a stamp that a transaction grants.

        Returns:
            Which transaction has granted it before, where a start of the NameNode explains that; else "".
        """
        if self._may_have_started and stamp <= self._counter:
            self._counter = self._of_blocks
        self._may_have_started = False
        before = self._first.get(stamp, _ELSEWHERE) if self._counter < stamp <= self._highest else ""
        self._first.setdefault(stamp, by)
        self._counter, self._highest = max(self._counter, stamp), max(self._highest, stamp)
        return before
