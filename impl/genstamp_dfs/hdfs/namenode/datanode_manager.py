"""Which datanodes there are, when each was heard of last, what each has, and what waits for its next heartbeat.

A datanode is stale after 30 s of silence and dead after 10.5 minutes. The dead keep their place in the list, so that
they are known when they come back, and have to register then.

Not here: several storages in one datanode, racks, decommissioning, maintenance.

Source: BM/DatanodeManager, BM/DatanodeDescriptor, BM/HeartbeatManager, Hadoop 3.4.1.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from genstamp_dfs.hdfs.messages.datanode_protocol import SendHeartbeat, TransferBlock
from genstamp_dfs.hdfs.namenode.blocks import BlockInfo
from genstamp_dfs.hdfs.protocol import Block
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND


@dataclass(slots=True, eq=False)
class DatanodeDescriptor:
    """A datanode as the namenode knows it.

    Attributes:
        last_heartbeat: rank of its last heartbeat among all received; 0 before the first.
        last_update_us: when that was.
        is_content_stale: it has not sent a full report since the namenode knows it.
        blocks: ids of the blocks of which it has a FINALIZED replica, good or corrupt.
        recover_blocks: blocks whose recovery it shall lead, in the order queued; what becomes of a block, and a new
            registration, leave it in the queue.
        replicate_blocks: copies that it shall make.
        invalidate_blocks: by id, replicas that it shall delete, each in the generation named.
        capacity, used, remaining: in bytes, as it says.
        last_block_report_ms: when its last full report came, since 1970; 0 before the first.
        uuid: of the storage directory with which it registered last; "" if it did not say.
    """

    name: str
    is_alive: bool = False
    last_heartbeat: int = 0
    last_update_us: int = 0
    is_content_stale: bool = True
    blocks: set[int] = field(default_factory=set)
    recover_blocks: list[BlockInfo] = field(default_factory=list)
    replicate_blocks: list[TransferBlock] = field(default_factory=list)
    invalidate_blocks: dict[int, Block] = field(default_factory=dict)
    capacity: int = 0
    used: int = 0
    remaining: int = 0
    last_block_report_ms: int = 0
    uuid: str = ""

    def add_block_to_be_recovered(self, block: BlockInfo) -> None:
        """Queue the block; one that is in the queue already is not queued twice."""
        if block.block_id not in (queued.block_id for queued in self.recover_blocks):
            self.recover_blocks.append(block)

    def take_invalidations(self, limit: int) -> tuple[Block, ...]:
        """Up to `limit` of the replicas to delete; they leave the queue."""
        taken = tuple(self.invalidate_blocks.values())[:limit]
        for block in taken:
            del self.invalidate_blocks[block.block_id]
        return taken

    def take_transfers(self, limit: int) -> tuple[TransferBlock, ...]:
        """Up to `limit` of the copies to make; they leave the queue."""
        taken = tuple(self.replicate_blocks[:limit])
        del self.replicate_blocks[:limit]
        return taken

    def drop_copies_and_deletions(self) -> None:
        """No copy and no deletion waits any longer for this datanode."""
        self.replicate_blocks.clear()
        self.invalidate_blocks.clear()


@dataclass
class DatanodeManager:
    """All datanodes that ever registered."""

    stale_interval_ms: int
    heartbeat_expiry_ms: int
    datanodes: dict[str, DatanodeDescriptor] = field(default_factory=dict)
    _heartbeats: int = 0

    def has_another(self, name: str, uuid: str, now_us: int) -> bool:
        """Whether a datanode of this name was heard of lately that has another storage directory."""
        descriptor = self.get_live(name)
        if descriptor is None or not uuid or not descriptor.uuid:
            return False
        return descriptor.uuid != uuid and not self.is_stale(name, now_us)

    def register_datanode(self, name: str, uuid: str, now_us: int) -> DatanodeDescriptor:
        """A datanode started: it is alive; copies and deletions queued for its former life are dropped.

        Queued recoveries stay, unless it has another storage directory (facts G.2).

        Source: DatanodeManager#registerDatanode, Hadoop 3.4.1.
        """
        descriptor = self.datanodes.get(name)
        if descriptor is None:
            descriptor = self.datanodes[name] = DatanodeDescriptor(name)
        if descriptor.uuid != uuid:
            descriptor.recover_blocks.clear()
        descriptor.drop_copies_and_deletions()
        descriptor.is_alive = True
        descriptor.uuid = uuid
        self.heard_of(descriptor, now_us)
        return descriptor

    def get_live(self, name: str) -> DatanodeDescriptor | None:
        """The datanode, if it is registered and not dead."""
        descriptor = self.datanodes.get(name)
        return descriptor if descriptor is not None and descriptor.is_alive else None

    def heard_of(self, descriptor: DatanodeDescriptor, now_us: int) -> None:
        """A datanode was heard of."""
        self._heartbeats += 1
        descriptor.last_heartbeat = self._heartbeats
        descriptor.last_update_us = now_us

    def update_heartbeat(self, descriptor: DatanodeDescriptor, heartbeat: SendHeartbeat, now_us: int) -> None:
        """A heartbeat came, with the datanode's sizes."""
        self.heard_of(descriptor, now_us)
        descriptor.capacity = heartbeat.capacity
        descriptor.used = heartbeat.used
        descriptor.remaining = heartbeat.remaining

    def live_datanodes(self) -> list[str]:
        """The names of the live datanodes, in the order of their first registration."""
        return [descriptor.name for descriptor in self.datanodes.values() if descriptor.is_alive]

    def live(self, names: Iterable[str]) -> list[str]:
        """Those of the names that are live datanodes, in order."""
        return [name for name in names if self.get_live(name) is not None]

    def last_heartbeats(self) -> dict[str, int]:
        """Each live datanode with the rank of its last heartbeat."""
        return {each.name: each.last_heartbeat for each in self.datanodes.values() if each.is_alive}

    def is_stale(self, name: str, now_us: int) -> bool:
        """Whether nothing was heard of the datanode for the stale interval; so is one that nobody knows."""
        descriptor = self.datanodes.get(name)
        if descriptor is None:
            return True
        return now_us - descriptor.last_update_us >= self.stale_interval_ms * MICROSECONDS_A_MILLISECOND

    def expired_datanodes(self, now_us: int) -> list[DatanodeDescriptor]:
        """The datanodes that count as alive and have been silent for too long."""
        expiry_us = self.heartbeat_expiry_ms * MICROSECONDS_A_MILLISECOND
        return [each for each in self.datanodes.values() if each.is_alive and now_us - each.last_update_us > expiry_us]
