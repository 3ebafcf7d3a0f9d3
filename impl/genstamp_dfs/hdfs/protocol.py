"""The words that the nodes share: states, limits, and the records that cross the wire.

Not here: storages (a datanode has one), access tokens, and the fields of these records that no step here reads.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum

import msgspec

from genstamp_dfs.errors import ConfigurationError

NAMENODE = "namenode"
"""Name of the namenode as a node."""

INTERNAL_LEASE_HOLDER = "HDFS_NameNode"
"""Start of the names under which the namenode itself holds a lease (NN/LeaseManager#getInternalLeaseHolder)."""

LAST_RESERVED_STAMP = 1000
LAST_RESERVED_BLOCK_ID = 2**30

NO_FILE_ID = 0
"""File id where none is given (HdfsConstants.GRANDFATHER_INODE_ID); of a block, that it belongs to no file any longer.
"""


UNKNOWN_OFFSET = -1
"""Offset in the file of a block in an answer that does not say it."""

NO_ACK = 2**63 - 1
"""Length in bytes of a block that was removed, in what is still queued for datanodes (BlockCommand#NO_ACK)."""


class ReplicaState(IntEnum):
    """State of a replica at a datanode; a smaller number is a better state (facts 0.2.2)."""

    FINALIZED = 0
    RBW = 1
    RWR = 2
    RUR = 3
    TEMPORARY = 4


class BlockUCState(StrEnum):
    """State of a block at the namenode (facts 0.2.1)."""

    UNDER_CONSTRUCTION = "UNDER_CONSTRUCTION"
    UNDER_RECOVERY = "UNDER_RECOVERY"
    COMMITTED = "COMMITTED"
    COMPLETE = "COMPLETE"


class Semantics(StrEnum):
    """Which protocol to follow.

    `repaired` closes the holes of `hadoop-3.4`: those of the namenode stand in `namenode.configuration`, those of
    datanodes in `datanode.repairs`. The step-by-step cluster closes three of them only, as `hdfs.recovery` does:

    - A recovery that found no data deletes the block only if every location answered. Hadoop counts a location that
      gave an error as one without data, as long as one answered.
    - A queued recovery command goes only to the primary of the current attempt. Hadoop also sends one that waited
      through the start of a younger attempt, under that one's id, so that two primaries share it.
    - The first hflush of a block fails while the block is under recovery. Hadoop's fsync looks at the owner alone.
    """

    HADOOP_3_4 = "hadoop-3.4"
    REPAIRED = "repaired"


@dataclass(frozen=True, slots=True)
class Limits:
    """The times of the protocol, in milliseconds.

    Expiry is strict: a lease is expired iff more than the limit has passed since its last renewal.

    Raises:
        ConfigurationError: a time is not positive, or the hard limit is not above the soft limit.

    Source: HdfsConstants.LEASE_SOFTLIMIT_PERIOD; dfs.namenode.lease-hard-limit-sec (HDFS-14758);
        dfs.namenode.lease-recheck-interval-ms; BlockManager, 30 heartbeats (HDFS-11576). Hadoop 3.4.1.
    """

    soft_limit_ms: int = 60_000
    hard_limit_ms: int = 1_200_000
    lease_recheck_ms: int = 2_000
    recovery_gate_ms: int = 90_000

    def __post_init__(self) -> None:
        for name in ("soft_limit_ms", "hard_limit_ms", "lease_recheck_ms", "recovery_gate_ms"):
            if getattr(self, name) <= 0:
                raise ConfigurationError(f"{name} is {getattr(self, name)}, accepted: 1 or more")
        if self.hard_limit_ms <= self.soft_limit_ms:
            raise ConfigurationError(
                f"hard_limit_ms is {self.hard_limit_ms}, accepted: more than soft_limit_ms, {self.soft_limit_ms}"
            )


class Block(msgspec.Struct, frozen=True):
    """A block as it is named in a message: id, generation and length in bytes."""

    block_id: int
    generation_stamp: int
    num_bytes: int


class LocatedBlock(msgspec.Struct, frozen=True):
    """A block and the datanodes that have it, or shall have it: the nearest first, a pipeline in its order.

    Attributes:
        offset: of its first byte in the file; `UNKNOWN_OFFSET` in answers that are about the block alone.
        corrupt: no replica of it is known to be good.
    """

    block: Block
    locations: tuple[str, ...]
    offset: int = 0
    corrupt: bool = False


class RecoveringBlock(msgspec.Struct, frozen=True):
    """Order to the primary: agree on `block` among `locations`, and install `recovery_id` as its stamp.

    Attributes:
        new_block: only for a truncate: what the block becomes. Its length is the one to cut to; with another id than
            `block` it is a copy, and the replicas of `block` stay as they are.
        left_out: how many expected locations are not named, as they are dead or stale; Hadoop does not say.
    """

    block: Block
    locations: tuple[str, ...]
    recovery_id: int
    new_block: Block | None = None
    left_out: int = 0


class ReplicaRecoveryInfo(msgspec.Struct, frozen=True):
    """Answer to initReplicaRecovery: the replica as it was before the recovery took it."""

    block_id: int
    num_bytes: int
    generation_stamp: int
    original_state: ReplicaState


class ReportedReplica(msgspec.Struct, frozen=True):
    """A replica as a datanode reports it; a replica under recovery is reported in its original state."""

    block_id: int
    generation_stamp: int
    num_bytes: int
    state: ReplicaState
