"""Safe mode: after a start nothing changes until enough blocks have been reported, and half a minute longer.

Counted are COMPLETE blocks: of a block under construction no replica need be known. An administrator can enter safe
mode by hand, and leaves it by hand. How many blocks are COMPLETE does not change meanwhile, since nothing does.

Datanodes are counted too where a least number of them is asked for: without it a namenode with hardly a block would
give out new ones before anybody is there to take them.

Hadoop does not wait for replicas of blocks that are being written: a block is then recovered without the datanodes that
have not reported yet. Repaired (safe-mode-waits-for-reports), a namenode with such a block waits for half a minute at
least, in which datanodes register, and then for the first full report of each that has and is not silent for too long.

Not here: safe mode for want of disk space.

Source: BM/BlockManagerSafeMode, Hadoop 3.4.1; facts I.4.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto

from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class SafeModeStatus(Enum):
    """How safe mode will end."""

    OFF = auto()
    PENDING_THRESHOLD = auto()
    EXTENSION = auto()
    MANUAL = auto()


@dataclass
class SafeMode:
    """Whether the namenode is in safe mode, and what it waits for.

    Attributes:
        total: COMPLETE blocks.
        safe: those of them with a replica.
        datanodes: those that are alive.
        awaited: those whose first full report was waited for when it was last looked at.
    """

    threshold: float
    extension_ms: int
    min_datanodes: int = 0
    status: SafeModeStatus = SafeModeStatus.OFF
    total: int = 0
    safe: int = 0
    datanodes: int = 0
    awaited: tuple[str, ...] = ()
    _reached_us: int = 0

    @property
    def is_on(self) -> bool:
        return self.status is not SafeModeStatus.OFF

    def activate(self, total: int, now_us: int, *, waits: bool = False) -> None:
        """The namenode starts with so many COMPLETE blocks, of which no replica is known.

        Args:
            total: how many.
            now_us: the time.
            waits: whether datanodes get the time to register, however few blocks there are.
        """
        self.total, self.safe = total, 0
        self.status = SafeModeStatus.OFF
        if waits or not self._is_reached():
            self.status = SafeModeStatus.PENDING_THRESHOLD
            self._look(now_us)

    def enter(self) -> None:
        """An administrator wants safe mode."""
        self.status = SafeModeStatus.MANUAL

    def leave(self) -> None:
        """Safe mode ends now."""
        self.status = SafeModeStatus.OFF

    def count(self, change: int, now_us: int) -> None:
        """A COMPLETE block has got its first replica (1), or lost its last one (-1)."""
        self.safe += change
        self._look(now_us)

    def count_datanodes(self, alive: int, now_us: int) -> None:
        """So many datanodes are alive (BlockManagerSafeMode#areThresholdsMet)."""
        self.datanodes = alive
        self._look(now_us)

    def _look(self, now_us: int) -> None:
        """Whether what is waited for has come, or gone again."""
        if self.status is SafeModeStatus.PENDING_THRESHOLD and self._is_reached():
            self.status, self._reached_us = SafeModeStatus.EXTENSION, now_us
        elif self.status is SafeModeStatus.EXTENSION and not self._is_reached():
            self.status = SafeModeStatus.PENDING_THRESHOLD

    def ends(self, now_us: int, awaited: Collection[str] = ()) -> bool:
        """Leave safe mode if the extension is over; says whether it ended by this.

        Args:
            now_us: the time.
            awaited: datanodes that have to report first.
        """
        self.awaited = tuple(awaited)
        waited_us = now_us - self._reached_us
        if self.status is not SafeModeStatus.EXTENSION or waited_us < self.extension_ms * MICROSECONDS_A_MILLISECOND:
            return False
        if awaited:
            return False
        self.leave()
        return True

    def _is_reached(self) -> bool:
        return self.safe >= int(self.total * self.threshold) and self.datanodes >= self.min_datanodes

    def tip(self) -> str:
        """What it waits for, for whoever is refused."""
        match self.status:
            case SafeModeStatus.PENDING_THRESHOLD:
                needed = int(self.total * self.threshold)
                blocks = f"{self.safe} of {self.total} blocks are reported, {needed} are needed"
                return f"{blocks}; {self.datanodes} datanodes are alive, {self.min_datanodes} are needed"
            case SafeModeStatus.EXTENSION:
                reports = f" and the first reports of {', '.join(self.awaited)}" if self.awaited else ""
                return f"the threshold is reached, it ends after {self.extension_ms} ms{reports}"
            case _:
                return "it was turned on manually"
