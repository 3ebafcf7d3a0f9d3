"""What clients and other datanodes ask a datanode.

Not here: short-circuit reads, and all administration.

Source: ClientDatanodeProtocol.proto, InterDatanodeProtocol.proto, Hadoop 3.4.1.
"""

from genstamp_dfs.hdfs.protocol import Block, RecoveringBlock, ReplicaRecoveryInfo
from genstamp_dfs.world.request import Request


class GetReplicaVisibleLength(Request[int], frozen=True):
    """getReplicaVisibleLength(): in bytes; -1 for a replica that cannot say."""

    block: Block


class InitReplicaRecovery(Request[ReplicaRecoveryInfo | None], frozen=True):
    """initReplicaRecovery(): the replica as it was, None if there is none."""

    recovering: RecoveringBlock


class UpdateReplicaUnderRecovery(Request[str], frozen=True):
    """updateReplicaUnderRecovery() to `new_length` bytes; the answer names the storage."""

    old_block: Block
    recovery_id: int
    new_block_id: int
    new_length: int
