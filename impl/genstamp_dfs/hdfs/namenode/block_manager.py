"""What is known of all blocks: by id, which datanode has which, and what is to be done about them.

The one place where a replica becomes known or unknown, so that block, datanode and safe mode agree.

Not here: what follows from it, which are functions of the manager in `redundancy`, `corruption`, `completion` and
`block_reports`.

Source: BM/BlocksMap, BM/BlockManager, BM/BlockManagerSafeMode, Hadoop 3.4.1.
"""

import random

from genstamp_dfs.hdfs.namenode.blocks import BlockIdManager, BlockInfo, CorruptReplica, PendingRecoveryBlocks
from genstamp_dfs.hdfs.namenode.configuration import Clock, NameNodeConfiguration, Repair
from genstamp_dfs.hdfs.namenode.datanode_manager import DatanodeDescriptor, DatanodeManager
from genstamp_dfs.hdfs.namenode.low_redundancy import LowRedundancyBlocks, PendingCopy
from genstamp_dfs.hdfs.namenode.safe_mode import SafeMode


class BlockManager:
    """The blocks of the namespace, and the replicas that are known.

    Attributes:
        needed: blocks that have too few replicas.
        pending: copies that were ordered, by block.
        postponed: blocks with replicas to delete that wait for a full report, in the order in which they came.
    """

    def __init__(self, configuration: NameNodeConfiguration, clock: Clock, chance: random.Random) -> None:
        self.configuration = configuration
        self._closed_holes = configuration.closed_holes
        self.clock = clock
        self.chance = chance
        self.datanode_manager = DatanodeManager(configuration.stale_interval_ms, configuration.heartbeat_expiry_ms)
        self.pending_recovery_blocks = PendingRecoveryBlocks(configuration.limits.recovery_gate_ms)
        self.safe_mode = SafeMode(
            configuration.safe_mode_threshold,
            configuration.safe_mode_extension_ms,
            configuration.safe_mode_min_datanodes,
        )
        self.block_ids = BlockIdManager()
        self.blocks: dict[int, BlockInfo] = {}
        self.needed = LowRedundancyBlocks()
        self.pending: dict[int, PendingCopy] = {}
        self.postponed: dict[int, None] = {}

    def repairs(self, repair: Repair) -> bool:
        """Whether this namenode does not have the hole."""
        return repair in self._closed_holes

    def get_stored_block(self, block_id: int) -> BlockInfo | None:
        """The block with this id, if there is one."""
        return self.blocks.get(block_id)

    def copied_by(self, block: BlockInfo) -> BlockInfo | None:
        """The block that a copy on truncate is made from, if that is there; None for any other block."""
        source = block.truncate_block if block.is_copy_on_truncate else None
        return None if source is None else self.blocks.get(source.block_id)

    # -- what is known of replicas ------------------------------------------------------------------------------

    def store(self, block: BlockInfo, datanode: DatanodeDescriptor, generation_stamp: int) -> None:
        """The datanode has a FINALIZED replica that counts."""
        is_first = not block.stored
        block.stored[datanode.name] = generation_stamp
        datanode.blocks.add(block.block_id)
        if is_first and block.is_complete:
            self._count_safe(1)

    def store_corrupt(self, block: BlockInfo, datanode: DatanodeDescriptor, corrupt: CorruptReplica) -> None:
        """The datanode has a replica that does not count."""
        self._discount(block, datanode.name)
        block.corrupt[datanode.name] = corrupt
        datanode.blocks.add(block.block_id)

    def forget(self, block: BlockInfo, datanode: str) -> bool:
        """The datanode has no replica any longer; says whether it had one that was known."""
        was_known = datanode in block.stored or datanode in block.corrupt
        self._discount(block, datanode)
        block.corrupt.pop(datanode, None)
        descriptor = self.datanode_manager.datanodes.get(datanode)
        if descriptor is not None:
            descriptor.blocks.discard(block.block_id)
        return was_known

    def drop_other_generations(self, block: BlockInfo) -> None:
        """Expected locations whose replica has another stamp than the block count no longer.

        Source: BlockInfo#setGenerationStampAndVerifyReplicas, BlockManager#removeStaleReplicas, Hadoop 3.4.1.
        """
        for replica in block.replicas:
            if replica.generation_stamp != block.generation_stamp:
                self.forget(block, replica.datanode)

    def _discount(self, block: BlockInfo, datanode: str) -> None:
        """A replica counts no longer, if it did."""
        block.excess.discard(datanode)
        if block.stored.pop(datanode, None) is not None and not block.stored and block.is_complete:
            self._count_safe(-1)

    def _count_safe(self, change: int) -> None:
        if self.safe_mode.is_on:
            self.safe_mode.count(change, self.clock.now_us())

    # -- counting -----------------------------------------------------------------------------------------------

    def live_replicas(self, block: BlockInfo) -> int:
        """Replicas that count, without those that are one too many."""
        return len(block.stored) - len(block.excess)

    def has_min_storage(self, block: BlockInfo) -> bool:
        """Whether the block has the minimal number of live replicas."""
        return self.live_replicas(block) >= self.configuration.minimal_replication

    def is_sufficiently_replicated(self, block: BlockInfo) -> bool:
        """Whether it has as many as can be asked for before an append (HDFS-6325).

        Hadoop asks for none where no datanode is live, the hole append-needs-a-live-replica.
        """
        asked = min(self.configuration.minimal_replication, len(self.datanode_manager.live_datanodes()))
        if self.repairs(Repair.APPEND_NEEDS_A_LIVE_REPLICA):
            asked = max(asked, 1)
        return self.live_replicas(block) >= asked

    def has_replica_on_stale_content(self, block: BlockInfo) -> bool:
        """Whether a good replica is where no full report has come from yet."""
        datanodes = self.datanode_manager.datanodes
        return any(datanodes[name].is_content_stale for name in block.stored)
