"""What is known of blocks that need more replicas: queues by urgency, and the copies that are on their way.

Source: BM/LowRedundancyBlocks, BM/PendingReconstructionBlocks, Hadoop 3.4.1.
"""

from dataclasses import dataclass, field
from typing import Final

HIGHEST_PRIORITY: Final = 0
VERY_LOW_REDUNDANCY: Final = 1
LOW_REDUNDANCY: Final = 2
WITH_CORRUPT_BLOCKS: Final = 3


@dataclass(slots=True)
class PendingCopy:
    """Copies of a block that were ordered: to which datanodes, and when the last order was."""

    ordered_us: int
    targets: set[str] = field(default_factory=set)


def priority_of(live: int, expected: int) -> int:
    """How urgent it is that a block gets more replicas; 0 is most urgent, no live one is beyond help.

    >>> [priority_of(live, 10) for live in (1, 3, 4, 0)]
    [0, 1, 2, 3]
    """
    if live == 0:
        return WITH_CORRUPT_BLOCKS
    if live == 1:
        return HIGHEST_PRIORITY
    return VERY_LOW_REDUNDANCY if live * 3 < expected else LOW_REDUNDANCY


class LowRedundancyBlocks:
    """Ids of the blocks that need more replicas, in one queue for each priority."""

    def __init__(self) -> None:
        self.queues: tuple[dict[int, None], ...] = tuple({} for _ in range(WITH_CORRUPT_BLOCKS + 1))
        self._priority: dict[int, int] = {}
        self._chosen: set[int] = set()

    def block_ids(self) -> list[int]:
        """Those that have live replicas, the most urgent first."""
        return [block_id for queue in self.queues[:WITH_CORRUPT_BLOCKS] for block_id in queue]

    def add(self, block_id: int, priority: int) -> None:
        """Queue a block that is in no queue."""
        self.queues[priority][block_id] = None
        self._priority[block_id] = priority

    def remove(self, block_id: int) -> None:
        """Take a block out of its queue, if it is in one."""
        priority = self._priority.pop(block_id, None)
        if priority is not None:
            del self.queues[priority][block_id]

    def choose(self, limit: int) -> list[int]:
        """The next blocks to look at: all get their turn, also behind those for which nothing can be done."""
        needed = self.block_ids()
        waiting = [block_id for block_id in needed if block_id not in self._chosen]
        if not waiting:
            self._chosen.clear()
            waiting = needed
        chosen = waiting[:limit]
        self._chosen.update(chosen)
        return chosen
