"""What a client may be told, with the defaults of HDFS.

Not here: what no step of this client reads.

Source: hdfs-default.xml; CL/impl/DfsClientConf; CL/protocol/datatransfer/ReplaceDatanodeOnFailure, Hadoop 3.4.1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from genstamp_dfs.errors import ConfigurationError
from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, CHUNK_BYTES
from genstamp_dfs.hdfs.protocol import Semantics
from genstamp_dfs.world.times import MICROSECONDS_A_MILLISECOND

PACKET_HEADER_BYTES = 33
"""Kept free for the header of a packet (PacketHeader#PKT_MAX_HEADER_LEN)."""


LONGEST_DELAY_MS = 60_000
"""Longest pause between two tries of addBlock(), complete() or fsync()."""


class ReplacePolicy(StrEnum):
    """When a datanode that failed is replaced (`dfs.client.block.write.replace-datanode-on-failure.policy`)."""

    DISABLE = "DISABLE"
    NEVER = "NEVER"
    DEFAULT = "DEFAULT"
    ALWAYS = "ALWAYS"


@dataclass(frozen=True, slots=True)
class ClientConfiguration:
    """Settings of a client; sizes in bytes, times in milliseconds.

    Attributes:
        replication, block_size: of new files.
        packet_size: most bytes of a packet, with its header and checksums.
        max_packets_in_flight: packets that are queued or not acknowledged before a writer has to wait.
        socket_timeout_ms: a connection that is silent for longer is taken for broken; 5 s are added for each node.
        soft_limit_ms, hard_limit_ms: those of the namenode; leases are renewed at half the soft limit, and the client
            gives its files up when it could not renew for the hard limit.
        block_write_retries: how often a new block is tried again on other datanodes.
        exclude_nodes_expiry_ms: how long a datanode that could not take a new block is not asked for another one of the
            file (`dfs.client.write.exclude.nodes.cache.expiry.interval.millis`).
        locate_following_block_retries: how often addBlock and complete are tried again, and fsync in `repaired`.
        locate_following_block_delay_ms: before the first of these; doubles, up to a minute.
        max_pipeline_recoveries: in a row, without an acknowledged packet between them.
        datanode_restart_timeout_ms: how long a datanode that said it restarts is waited for.
        replace_policy: when a datanode that failed is replaced.
        replace_best_effort: whether to go on when none can be found.
        replace_min_replication: go on with at least so many when none can be found, and set a new block up on at least
            so many when others fail; 0 for never.
        recover_lease_on_close_exception: whether recoverLease follows a close that failed.
        semantics: in `hadoop-3.4` hsync forces the present block to disk alone, and nothing at all where the last byte
            has just filled a block; in `repaired` each block is on disk before the next one begins. In `repaired` a
            flush also waits for a restarted namenode to hear of all replicas.

    Raises:
        ConfigurationError: a number is below its least value.
    """

    replication: int = 3
    block_size: int = 128 * 1024 * 1024
    packet_size: int = 64 * 1024
    max_packets_in_flight: int = 80
    socket_timeout_ms: int = 60_000
    soft_limit_ms: int = 60_000
    hard_limit_ms: int = 1_200_000
    block_write_retries: int = 3
    exclude_nodes_expiry_ms: int = 600_000
    locate_following_block_retries: int = 5
    locate_following_block_delay_ms: int = 400
    max_pipeline_recoveries: int = 5
    datanode_restart_timeout_ms: int = 30_000
    replace_policy: ReplacePolicy = ReplacePolicy.DEFAULT
    replace_best_effort: bool = False
    replace_min_replication: int = 0
    recover_lease_on_close_exception: bool = False
    semantics: Semantics = Semantics.REPAIRED

    def __post_init__(self) -> None:
        least = {
            "replication": 1,
            "block_size": 1,
            "packet_size": PACKET_HEADER_BYTES + CHUNK_BYTES + CHECKSUM_BYTES,
            "soft_limit_ms": 1,
            "max_packets_in_flight": 1,
        }
        for name, value in least.items():
            if getattr(self, name) < value:
                raise ConfigurationError(f"{name} is {getattr(self, name)}, accepted: {value} or more")

    @property
    def syncs_blocks(self) -> bool:
        """Whether the end of a block waits for all of it to be on disk (CreateFlag.SYNC_BLOCK, for every file)."""
        return self.semantics is Semantics.REPAIRED

    @property
    def waits_for_reports(self) -> bool:
        """Whether a flush names the datanodes that have its bytes, and waits until the namenode knows of them."""
        return self.semantics is Semantics.REPAIRED

    def delays_us(self) -> Iterator[int]:
        """The pauses between the tries of a call that the namenode is not ready for, in microseconds."""
        delay_ms = self.locate_following_block_delay_ms
        for _ in range(self.locate_following_block_retries):
            yield delay_ms * MICROSECONDS_A_MILLISECOND
            delay_ms = min(2 * delay_ms, LONGEST_DELAY_MS)

    @property
    def packet_data_size(self) -> int:
        """Most bytes of data in a packet: whole chunks."""
        return (self.packet_size - PACKET_HEADER_BYTES) // (CHUNK_BYTES + CHECKSUM_BYTES) * CHUNK_BYTES

    def socket_timeout_us(self, nodes: int) -> int:
        """How long to wait for a pipeline of so many nodes, in microseconds."""
        return (self.socket_timeout_ms + 5_000 * nodes) * 1_000

    def replaces(self, replication: int, existing: int, *, is_append: bool, is_hflushed: bool) -> bool:
        """Whether a datanode has to be found for one that failed.

        Args:
            replication: of the file.
            existing: datanodes left in the pipeline.
            is_append: whether the block was opened by append.
            is_hflushed: whether the stream was flushed before.

        Source: ReplaceDatanodeOnFailure#satisfy, Hadoop 3.4.1; facts C.6.
        """
        if existing == 0 or existing >= replication:
            return False
        match self.replace_policy:
            case ReplacePolicy.DISABLE | ReplacePolicy.NEVER:
                return False
            case ReplacePolicy.ALWAYS:
                return True
            case ReplacePolicy.DEFAULT:
                return replication >= 3 and (existing <= replication // 2 or is_append or is_hflushed)
