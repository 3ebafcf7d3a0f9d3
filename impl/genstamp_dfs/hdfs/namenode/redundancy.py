"""How many replicas a block should have: copies that are ordered, replicas that are too many, replicas to delete.

Only COMPLETE blocks are looked at. What lacks replicas is queued by how urgent it is; every three seconds some copies
are ordered from datanodes that have the block, and waited for.

Not here: racks, decommissioning, storage types, erasure-coded blocks; the choice among excess replicas is by free
space alone.

Source: BM/BlockManager, BM/LowRedundancyBlocks, BM/PendingReconstructionBlocks, BM/ExcessRedundancyMap, Hadoop 3.4.1.
"""

import random
from dataclasses import dataclass, field
from typing import Final

from genstamp_dfs.hdfs.messages.datanode_protocol import TransferBlock
from genstamp_dfs.hdfs.namenode.block_map import BlockMap
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.namenode.placement import choose_targets
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

HIGHEST_PRIORITY: Final = 0
VERY_LOW_REDUNDANCY: Final = 1
LOW_REDUNDANCY: Final = 2
WITH_CORRUPT_BLOCKS: Final = 3
PRIORITIES: Final = 4


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


class Redundancy(BlockMap):
    """Queues of what has too few replicas, and orders to make and delete replicas."""

    def __init__(self, configuration: NameNodeConfiguration, clock: Clock, chance: random.Random) -> None:
        super().__init__(configuration, clock, chance)
        self.needed: tuple[dict[int, None], ...] = tuple({} for _ in range(PRIORITIES))
        self._priority: dict[int, int] = {}
        self.pending: dict[int, PendingCopy] = {}
        self.postponed: dict[int, None] = {}
        self._looked_at: set[int] = set()

    # -- the queues ---------------------------------------------------------------------------------------------

    def low_redundancy_blocks(self) -> list[int]:
        """Ids of the blocks that have live replicas and need more, the most urgent first."""
        return [block_id for queue in self.needed[:WITH_CORRUPT_BLOCKS] for block_id in queue]

    def pending_replicas(self, block: BlockInfo) -> int:
        """Copies of the block that were ordered and are waited for."""
        copy = self.pending.get(block.block_id)
        return 0 if copy is None else len(copy.targets)

    def update_needed(self, block: BlockInfo) -> None:
        """Queue the block if it needs replicas, else take it out of the queue.

        Before safe mode ends nothing is queued: most replicas are only not reported yet.
        """
        block_id = block.block_id
        self._unqueue(block_id)
        if not block.is_complete or self.safe_mode.is_on or block_id not in self.blocks:
            return
        live = self.live_replicas(block)
        if live + self.pending_replicas(block) < block.replication:
            priority = priority_of(live, block.replication)
            self.needed[priority][block_id] = None
            self._priority[block_id] = priority

    def _unqueue(self, block_id: int) -> None:
        priority = self._priority.pop(block_id, None)
        if priority is not None:
            del self.needed[priority][block_id]

    def forget_redundancy(self, block: BlockInfo) -> None:
        """The block is gone or written again: no copies are needed, nor waited for."""
        self._unqueue(block.block_id)
        self.pending.pop(block.block_id, None)
        self.postponed.pop(block.block_id, None)

    def check_redundancy(self, block: BlockInfo) -> None:
        """Look at a COMPLETE block: too few replicas, or too many (BlockManager#checkRedundancy)."""
        self.update_needed(block)
        self.process_extra_redundancy(block)

    def initialize_queues(self) -> None:
        """Safe mode is over: look at all blocks (BlockManager#initializeReplQueues)."""
        for block in self.blocks.values():
            if block.is_complete:
                self.check_redundancy(block)

    # -- too many -----------------------------------------------------------------------------------------------

    def process_extra_redundancy(self, block: BlockInfo) -> None:
        """Delete good replicas beyond those wanted, the one with the least free space around it first.

        Nothing is deleted on behalf of a replica that may be gone: while one of the block's datanodes has sent no
        full report, the block waits in `postponed`.

        Source: BlockManager#processExtraRedundancyBlock, #chooseExcessRedundancies, Hadoop 3.4.1.
        """
        too_many = self.live_replicas(block) - block.replication
        if too_many <= 0 or not block.is_complete or self.safe_mode.is_on:
            return
        if self.has_replica_on_stale_content(block):
            self.postponed[block.block_id] = None
            return
        datanodes = self.datanode_manager.datanodes
        candidates = [name for name in block.stored if name not in block.excess]
        candidates.sort(key=lambda name: datanodes[name].remaining)
        for name in candidates[:too_many]:
            block.excess.add(name)
            self.add_to_invalidates(block.as_block(), name)

    def rescan_postponed(self) -> None:
        """Look again at the blocks that waited for a full report (#rescanPostponedMisreplicatedBlocks)."""
        waiting, self.postponed = self.postponed, {}
        for block_id in waiting:
            block = self.blocks.get(block_id)
            if block is not None:
                self.process_extra_redundancy(block)

    def add_to_invalidates(self, block: Block, datanode: str) -> None:
        """The datanode shall delete its replica of this generation; an earlier order stays (InvalidateBlocks#add)."""
        descriptor = self.datanode_manager.get_live(datanode)
        if descriptor is not None:
            descriptor.invalidate_blocks.setdefault(block.block_id, block)

    # -- too few ------------------------------------------------------------------------------------------------

    def compute_work(self) -> int:
        """Order copies of the most urgent blocks; gives how many were ordered.

        Source: BlockManager#computeBlockReconstructionWork, Hadoop 3.4.1.
        """
        live = self.datanode_manager.live_datanodes()
        limit = len(live) * self.configuration.replication_work_multiplier
        return sum(self._order_copies(self.blocks[block_id], live) for block_id in self._next_blocks(limit))

    def _next_blocks(self, limit: int) -> list[int]:
        """The next blocks to look at: all get their turn, also behind those for which nothing can be done."""
        needed = self.low_redundancy_blocks()
        waiting = [block_id for block_id in needed if block_id not in self._looked_at]
        if not waiting:
            self._looked_at.clear()
            waiting = needed
        chosen = waiting[:limit]
        self._looked_at.update(chosen)
        return chosen

    def _order_copies(self, block: BlockInfo, live: list[str]) -> int:
        """Order the missing copies of one block from one of its datanodes; gives how many."""
        pending = self.pending.get(block.block_id)
        waited_for = pending.targets if pending is not None else set()
        missing = block.replication - self.live_replicas(block) - len(waited_for)
        sources = self._sources(block)
        if missing <= 0 or not sources:
            return 0
        source = self.chance.choice(sources)
        excluded = {*block.stored, *block.corrupt, *waited_for}
        targets = choose_targets(live, missing, "", excluded, self.chance)
        if not targets:
            return 0
        descriptor = self.datanode_manager.datanodes[source]
        descriptor.replicate_blocks.append(TransferBlock(block.as_block(), targets))
        if pending is None:
            pending = self.pending[block.block_id] = PendingCopy(self.clock.now_us())
        pending.ordered_us = self.clock.now_us()
        pending.targets.update(targets)
        self.update_needed(block)
        return len(targets)

    def _sources(self, block: BlockInfo) -> list[str]:
        """The datanodes that can copy the block: live, and not too busy with copies."""
        datanodes = self.datanode_manager.datanodes
        limit = self.configuration.max_replication_streams
        return [
            name
            for name in block.stored
            if name not in block.excess and datanodes[name].is_alive and len(datanodes[name].replicate_blocks) < limit
        ]

    def end_pending_copy(self, block: BlockInfo, datanode: str) -> bool:
        """A copy that was waited for has come, or will not come; says whether one was waited for."""
        pending = self.pending.get(block.block_id)
        if pending is None or datanode not in pending.targets:
            return False
        pending.targets.discard(datanode)
        if not pending.targets:
            del self.pending[block.block_id]
        return True

    def process_pending_timeouts(self) -> None:
        """Copies that did not come in time are no longer waited for (#processPendingReconstructions)."""
        timeout_us = self.configuration.pending_reconstruction_timeout_ms * MICROSECONDS_A_MILLISECOND
        now_us = self.clock.now_us()
        for block_id in [key for key, copy in self.pending.items() if now_us - copy.ordered_us > timeout_us]:
            del self.pending[block_id]
            block = self.blocks.get(block_id)
            if block is not None:
                self.update_needed(block)

    def set_replication(self, block: BlockInfo, replication: int) -> None:
        """The file wants another number of replicas now (BlockManager#setReplication)."""
        block.replication = replication
        if block.is_complete:
            self.check_redundancy(block)

    # -- replicas go --------------------------------------------------------------------------------------------

    def remove_stored_block(self, block: BlockInfo, datanode: str) -> None:
        """The datanode has the replica no longer (BlockManager#removeStoredBlock)."""
        if self.forget(block, datanode):
            self.update_needed(block)

    def remove_blocks_associated_to(self, datanode: str) -> None:
        """A datanode is gone: none of its replicas counts any longer. Expected locations stay."""
        for block_id in sorted(self.datanode_manager.datanodes[datanode].blocks):
            block = self.blocks.get(block_id)
            if block is not None:
                self.remove_stored_block(block, datanode)
        self.datanode_manager.datanodes[datanode].blocks.clear()

    def is_closed_hole(self, repair: Repair) -> bool:
        """Whether this namenode does not have the hole."""
        return repair in self.closed_holes
