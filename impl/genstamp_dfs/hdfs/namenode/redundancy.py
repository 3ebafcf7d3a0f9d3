"""How many replicas a block should have: copies that are ordered, replicas that are too many, replicas to delete.

Only COMPLETE blocks are looked at. What lacks replicas is queued by how urgent it is; every three seconds some copies
are ordered from datanodes that have the block, and waited for.

Not here: racks, decommissioning, storage types, erasure-coded blocks; the choice among excess replicas is by free
space alone.

Source: BM/BlockManager, BM/ExcessRedundancyMap, Hadoop 3.4.1.
"""

from genstamp_dfs.hdfs.messages.datanode_protocol import TransferBlock
from genstamp_dfs.hdfs.namenode.block_manager import BlockManager
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.namenode.low_redundancy import PendingCopy, priority_of
from genstamp_dfs.hdfs.namenode.placement import choose_targets
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


def pending_replicas(bm: BlockManager, block: BlockInfo) -> int:
    """Copies of the block that were ordered and are waited for."""
    copy = bm.pending.get(block.block_id)
    return 0 if copy is None else len(copy.targets)


def update_needed(bm: BlockManager, block: BlockInfo) -> None:
    """Queue the block if it needs replicas, else take it out of the queue.

    Before safe mode ends nothing is queued: most replicas are only not reported yet.
    """
    block_id = block.block_id
    bm.needed.remove(block_id)
    if not block.is_complete or bm.safe_mode.is_on or block_id not in bm.blocks:
        return
    live = bm.live_replicas(block)
    if live + pending_replicas(bm, block) < block.replication:
        bm.needed.add(block_id, priority_of(live, block.replication))


def forget_redundancy(bm: BlockManager, block: BlockInfo) -> None:
    """The block is gone or written again: no copies are needed, nor waited for."""
    bm.needed.remove(block.block_id)
    bm.pending.pop(block.block_id, None)
    bm.postponed.pop(block.block_id, None)


def check_redundancy(bm: BlockManager, block: BlockInfo) -> None:
    """Look at a COMPLETE block: too few replicas, or too many (BlockManager#checkRedundancy)."""
    update_needed(bm, block)
    process_extra_redundancy(bm, block)


def initialize_queues(bm: BlockManager) -> None:
    """Safe mode is over: look at all blocks (BlockManager#initializeReplQueues)."""
    for block in bm.blocks.values():
        if block.is_complete:
            check_redundancy(bm, block)


def process_extra_redundancy(bm: BlockManager, block: BlockInfo) -> None:
    """Delete good replicas beyond those wanted, the one with the least free space around it first.

    Nothing is deleted on behalf of a replica that may be gone: while one of the block's datanodes has sent no
    full report, the block waits in `postponed`.

    Source: BlockManager#processExtraRedundancyBlock, #chooseExcessRedundancies, Hadoop 3.4.1.
    """
    too_many = bm.live_replicas(block) - block.replication
    if too_many <= 0 or not block.is_complete or bm.safe_mode.is_on:
        return
    if bm.has_replica_on_stale_content(block):
        bm.postponed[block.block_id] = None
        return
    datanodes = bm.datanode_manager.datanodes
    candidates = [name for name in block.stored if name not in block.excess]
    candidates.sort(key=lambda name: datanodes[name].remaining)
    for name in candidates[:too_many]:
        block.excess.add(name)
        add_to_invalidates(bm, block.as_block(), name)


def rescan_postponed(bm: BlockManager) -> None:
    """Look again at the blocks that waited for a full report (#rescanPostponedMisreplicatedBlocks)."""
    waiting, bm.postponed = bm.postponed, {}
    for block_id in waiting:
        block = bm.blocks.get(block_id)
        if block is not None:
            process_extra_redundancy(bm, block)


def add_to_invalidates(bm: BlockManager, block: Block, datanode: str) -> None:
    """The datanode shall delete its replica of this generation; an earlier order stays (InvalidateBlocks#add)."""
    descriptor = bm.datanode_manager.get_live(datanode)
    if descriptor is not None:
        descriptor.invalidate_blocks.setdefault(block.block_id, block)


def compute_work(bm: BlockManager) -> None:
    """Order copies of the most urgent blocks.

    Source: BlockManager#computeBlockReconstructionWork, Hadoop 3.4.1.
    """
    live = bm.datanode_manager.live_datanodes()
    limit = len(live) * bm.configuration.replication_work_multiplier
    for block_id in bm.needed.choose(limit):
        _order_copies(bm, bm.blocks[block_id], live)


def _order_copies(bm: BlockManager, block: BlockInfo, live: list[str]) -> None:
    """Order the missing copies of one block from one of its datanodes."""
    pending = bm.pending.get(block.block_id)
    waited_for = pending.targets if pending is not None else set()
    missing = block.replication - bm.live_replicas(block) - len(waited_for)
    sources = _sources(bm, block)
    if missing <= 0 or not sources:
        return
    source = bm.chance.choice(sources)
    excluded = {*block.stored, *block.corrupt, *waited_for}
    targets = choose_targets(live, missing, "", excluded, bm.chance)
    if not targets:
        return
    descriptor = bm.datanode_manager.datanodes[source]
    descriptor.replicate_blocks.append(TransferBlock(block.as_block(), targets))
    if pending is None:
        pending = bm.pending[block.block_id] = PendingCopy(bm.clock.now_us())
    pending.ordered_us = bm.clock.now_us()
    pending.targets.update(targets)
    update_needed(bm, block)


def _sources(bm: BlockManager, block: BlockInfo) -> list[str]:
    """The datanodes that can copy the block: live, and not too busy with copies."""
    datanodes = bm.datanode_manager.datanodes
    limit = bm.configuration.max_replication_streams
    return [
        name
        for name in block.stored
        if name not in block.excess and datanodes[name].is_alive and len(datanodes[name].replicate_blocks) < limit
    ]


def end_pending_copy(bm: BlockManager, block: BlockInfo, datanode: str) -> bool:
    """A copy that was waited for has come, or will not come; says whether one was waited for."""
    pending = bm.pending.get(block.block_id)
    if pending is None or datanode not in pending.targets:
        return False
    pending.targets.discard(datanode)
    if not pending.targets:
        del bm.pending[block.block_id]
    return True


def process_pending_timeouts(bm: BlockManager) -> None:
    """Copies that did not come in time are no longer waited for (#processPendingReconstructions)."""
    timeout_us = bm.configuration.pending_reconstruction_timeout_ms * MICROSECONDS_A_MILLISECOND
    now_us = bm.clock.now_us()
    for block_id in [key for key, copy in bm.pending.items() if now_us - copy.ordered_us > timeout_us]:
        del bm.pending[block_id]
        block = bm.blocks.get(block_id)
        if block is not None:
            update_needed(bm, block)


def set_block_replication(bm: BlockManager, block: BlockInfo, replication: int) -> None:
    """The file wants another number of replicas now (BlockManager#setReplication)."""
    block.replication = replication
    if block.is_complete:
        check_redundancy(bm, block)


def remove_stored_block(bm: BlockManager, block: BlockInfo, datanode: str) -> None:
    """The datanode has the replica no longer (BlockManager#removeStoredBlock)."""
    if bm.forget(block, datanode):
        update_needed(bm, block)


def remove_blocks_associated_to(bm: BlockManager, datanode: str) -> None:
    """A datanode is gone: none of its replicas counts any longer. Expected locations stay."""
    for block_id in sorted(bm.datanode_manager.datanodes[datanode].blocks):
        block = bm.blocks.get(block_id)
        if block is not None:
            remove_stored_block(bm, block, datanode)
    bm.datanode_manager.datanodes[datanode].blocks.clear()
