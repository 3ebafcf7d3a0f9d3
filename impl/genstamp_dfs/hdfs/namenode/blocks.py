"""A block at the namenode, and the two tables about all blocks: the stamps given out, the recoveries pending.

Not here: storages within a datanode, and erasure-coded blocks.

Source: BM/BlockInfo, BM/BlockUnderConstructionFeature, BM/BlockIdManager, BM/PendingRecoveryBlocks, Hadoop 3.4.1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from genstamp_dfs.hdfs.protocol import (
    LAST_RESERVED_BLOCK_ID,
    LAST_RESERVED_STAMP,
    NO_FILE_ID,
    Block,
    BlockUCState,
    ReplicaState,
)
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


class CorruptReason(StrEnum):
    """Why a replica does not count."""

    GENSTAMP_MISMATCH = "GENSTAMP_MISMATCH"
    SIZE_MISMATCH = "SIZE_MISMATCH"
    INVALID_STATE = "INVALID_STATE"
    CORRUPTION_REPORTED = "CORRUPTION_REPORTED"


@dataclass(slots=True)
class CorruptReplica:
    """A replica that does not count: why, and the generation in which it was reported."""

    reason: CorruptReason
    generation_stamp: int


@dataclass(slots=True)
class ReplicaUnderConstruction:
    """An expected location of a block that is not COMPLETE, with what was last reported of it."""

    datanode: str
    generation_stamp: int
    state: ReplicaState = ReplicaState.RBW
    chosen_as_primary: bool = False


@dataclass(slots=True, eq=False)
class BlockInfo:
    """A block of a file, as the namenode knows it (facts A.1).

    Attributes:
        file_id: of the file that it belongs to; `NO_FILE_ID` while it waits for its removal.
        replication: how many replicas the file wants.
        num_bytes: length in bytes; only a lower bound before the commit (0 after addBlock).
        replicas: expected locations, in pipeline order; none once COMPLETE.
        stored: datanode -> generation stamp of the FINALIZED replica that it reported and that counts.
        corrupt: datanode -> why its replica does not count.
        excess: datanodes whose good replica is one too many and is being deleted.
        block_recovery_id: stamp that the current recovery will install; 0 before the first recovery.
        recovery_transaction: the edit that logged it.
        primary: datanode that leads the current recovery, if one was found.
        truncate_block: what a truncate in place shall make of the block, or of a copy, the block that it is copied
            from, which has another id.
    """

    block_id: int
    generation_stamp: int
    file_id: int
    replication: int = 3
    num_bytes: int = 0
    state: BlockUCState = BlockUCState.UNDER_CONSTRUCTION
    replicas: list[ReplicaUnderConstruction] = field(default_factory=list)
    stored: dict[str, int] = field(default_factory=dict)
    corrupt: dict[str, CorruptReplica] = field(default_factory=dict)
    excess: set[str] = field(default_factory=set)
    block_recovery_id: int = 0
    recovery_transaction: int = 0
    primary: str | None = None
    truncate_block: Block | None = None

    @property
    def is_complete(self) -> bool:
        return self.state is BlockUCState.COMPLETE

    @property
    def is_deleted(self) -> bool:
        """Whether it belongs to no file any longer, and only waits for its removal."""
        return self.file_id == NO_FILE_ID

    @property
    def is_copy_on_truncate(self) -> bool:
        """Whether the block is made from another one by a truncate that is under way."""
        return self.truncate_block is not None and self.truncate_block.block_id != self.block_id

    def as_block(self) -> Block:
        """The block as it is named in messages."""
        return Block(self.block_id, self.generation_stamp, self.num_bytes)

    def matches(self, block: Block | None) -> bool:
        """Whether the caller's block is this one in id and stamp (Block#matchingIdAndGenStamp)."""
        return block is not None and block.block_id == self.block_id and block.generation_stamp == self.generation_stamp

    def expected_locations(self) -> tuple[str, ...]:
        """The datanodes that were told to store the block."""
        return tuple(replica.datanode for replica in self.replicas)

    def set_expected_locations(self, datanodes: Iterable[str]) -> None:
        """Replace the expected locations; none of the new ones has been primary."""
        self.replicas = [ReplicaUnderConstruction(datanode, self.generation_stamp) for datanode in datanodes]

    def add_replica_if_not_present(self, datanode: str, generation_stamp: int, state: ReplicaState) -> None:
        """A report of a replica that is not final: its location is expected, in this generation.

        Source: BlockUnderConstructionFeature#addReplicaIfNotPresent, Hadoop 3.4.1.
        """
        for replica in self.replicas:
            if replica.datanode == datanode:
                replica.generation_stamp = generation_stamp
                return
        self.replicas.append(ReplicaUnderConstruction(datanode, generation_stamp, state))

    def convert_to_complete(self) -> None:
        """COMPLETE; what belongs to construction and recovery is forgotten."""
        self.state = BlockUCState.COMPLETE
        self.replicas = []
        self.block_recovery_id = 0
        self.recovery_transaction = 0
        self.primary = None
        self.truncate_block = None

    def initialize_block_recovery(self, recovery_id: int, last_heartbeats: Mapping[str, int]) -> str | None:
        """Start a recovery: choose among the live locations not chosen yet the one heard of last.

        When all live locations have had their turn, all get another.

        Args:
            recovery_id: stamp that the recovery will install.
            last_heartbeats: each live datanode with the rank of its last heartbeat, 1 or more; higher is later.

        Returns:
            The primary, or None if no location is alive.

        Source: BlockUnderConstructionFeature#initializeBlockRecovery, Hadoop 3.4.1.
        """
        self.state = BlockUCState.UNDER_RECOVERY
        self.block_recovery_id = recovery_id
        alive = [replica for replica in self.replicas if replica.datanode in last_heartbeats]
        if all(replica.chosen_as_primary for replica in alive):
            for replica in self.replicas:
                replica.chosen_as_primary = False
        candidates = [replica for replica in alive if not replica.chosen_as_primary]
        chosen = max(candidates, key=lambda replica: last_heartbeats[replica.datanode], default=None)
        self.primary = None
        if chosen is not None:
            chosen.chosen_as_primary = True
            self.primary = chosen.datanode
        return self.primary


@dataclass
class BlockIdManager:
    """Gives out generation stamps and block ids: rising by one, none twice.

    Source: BM/BlockIdManager, FSNamesystem#nextGenerationStamp, Hadoop 3.4.1.
    """

    generation_stamp: int = LAST_RESERVED_STAMP
    block_id: int = LAST_RESERVED_BLOCK_ID

    def next_generation_stamp(self) -> int:
        """A stamp above all earlier ones; new blocks and recoveries draw from one counter."""
        self.generation_stamp += 1
        return self.generation_stamp

    def next_block_id(self) -> int:
        """A block id above all earlier ones."""
        self.block_id += 1
        return self.block_id


@dataclass
class PendingRecoveryBlocks:
    """When a recovery of a block may be tried again; keeps a repeated recoverLease from starving the recovery.

    Source: BM/PendingRecoveryBlocks (HDFS-11576), Hadoop 3.4.1.
    """

    gate_ms: int
    _timeout_at_us: dict[int, int] = field(default_factory=dict)

    def add(self, block_id: int, now_us: int) -> bool:
        """Enter an attempt, unless one that is not timed out is in the table; says whether it was entered."""
        timeout_at_us = self._timeout_at_us.get(block_id)
        if timeout_at_us is not None and now_us <= timeout_at_us:
            return False
        self._timeout_at_us[block_id] = now_us + self.gate_ms * MICROSECONDS_A_MILLISECOND
        return True

    def is_under_recovery(self, block_id: int) -> bool:
        """Whether an attempt is in the table, timed out or not."""
        return block_id in self._timeout_at_us

    def remove(self, block_id: int) -> None:
        """Forget the block's attempt, after a commitBlockSynchronization that succeeded."""
        self._timeout_at_us.pop(block_id, None)
