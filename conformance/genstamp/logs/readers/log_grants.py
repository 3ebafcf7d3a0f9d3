"""The generation stamps that a NameNode's log shows to be granted, and one that is not new.

A NameNode grants a stamp to a new block, and an id to a recovery, under the lock in which it logs them. So each is
above all that were granted before, the stamps of pipelines included; a pipeline, whose stamp was granted earlier, at
least has none that another block has. Not here: starts of the NameNode, after which its counter may be lower
(`log_starts`). Not checked, and said in the report: lines of one time, which whoever sorts logs by time may swap; lines
that do not name their block pool in a log of several.

An array instead of an object, as compiled code keeps it, too.
"""

from typing import Any, Final

import numpy as np

REMEMBERED: Final = 1 << 12
"""Of so many stamps it is kept, by their low bits, which block has them; a power of two."""

LEGACY_APART: Final = 1 << 39
"""Stamps so far apart are of two counters: since Hadoop 2 blocks with random ids have one of their own (H.2)."""


NOBODYS: Final[Any] = np.zeros((0, 2), np.int64)
"""Nothing is kept: lines may be of either of several NameNodes."""


def new_grants() -> Any:
    """Nothing was granted yet: a row of stamp and block for each of `REMEMBERED`, and one of the highest stamp and the
    time of its line.
    """
    return np.zeros((REMEMBERED + 1, 2), np.int64)


def is_of(granted: Any, stamp: int, block: int) -> bool:
    """Whether a block was shown with a stamp."""
    row = stamp & (REMEMBERED - 1)
    return bool(len(granted) and granted[row, 0] == stamp and granted[row, 1] == block)


def taken_by_another(granted: Any, stamp: int, block: int) -> bool:
    """Whether another block has a stamp."""
    row = stamp & (REMEMBERED - 1)
    return bool(len(granted) and granted[row, 0] == stamp and granted[row, 1] != block)


def is_below(granted: Any, stamp: int, block: int) -> bool:
    """Whether a stamp, not known as the block's own, is below one that a line before shows to be another's."""
    if not len(granted):
        return False
    highest = granted[REMEMBERED, 0]
    mine, others = stamp & (REMEMBERED - 1), highest & (REMEMBERED - 1)
    if granted[others, 1] == block or (granted[mine, 0] == stamp and granted[mine, 1] == block):
        return False  # The rules for a block find it.
    return bool(stamp < highest and highest - stamp < LEGACY_APART)


def is_of_one_time(granted: Any, time_us: int) -> bool:
    """Whether the line that shows the highest stamp is not older, so that lines may have been swapped."""
    return bool(time_us <= granted[REMEMBERED, 1])


def grant(granted: Any, stamp: int, block: int, time_us: int) -> None:
    """A block has a stamp."""
    if len(granted):
        row = stamp & (REMEMBERED - 1)
        granted[row, 0], granted[row, 1] = stamp, block
        if stamp > granted[REMEMBERED, 0]:
            granted[REMEMBERED, 0], granted[REMEMBERED, 1] = stamp, time_us


def highest(granted: Any) -> int:
    """The highest stamp that was granted."""
    return int(granted[REMEMBERED, 0])


def fall(granted: Any) -> None:
    """What is granted next goes on from there, be it lower."""
    granted[REMEMBERED:] = 0
