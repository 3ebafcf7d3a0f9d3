"""One replica at a datanode, as the process knows it; its files are the business of `replica_files`.

Source: DN/ReplicaInPipeline, FD/LocalReplica, DN/ReplicaUnderRecovery, Hadoop 3.4.1; facts B.1.
"""

from dataclasses import dataclass, field
from typing import Protocol

from genstamp_dfs.errors import IllegalArgumentException
from genstamp_dfs.hdfs.protocol import Block, ReplicaRecoveryInfo, ReplicaState, ReportedReplica

NOT_VISIBLE = -1
"""Visible length of a replica that no reader may be told of."""


class Writer(Protocol):
    """The process that writes a replica."""

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""

    @property
    def has_last_packet(self) -> bool:
        """Whether it has received the last packet of the block."""

    def interrupt(self) -> None:
        """Ask it to end; it flushes what it has, and acknowledges nothing more."""

    async def join(self, timeout_us: int) -> bool:
        """Wait for its end; whether that came in time, in microseconds."""


@dataclass(slots=True)
class Replica:
    """A replica.

    Attributes:
        directory: where its two files lie.
        num_bytes: bytes received (BR).
        bytes_on_disk: bytes written, with their checksums.
        bytes_acked: bytes that all nodes further down have acknowledged (BA); meant only in RBW.
        synced_bytes: bytes that were forced to the disk with their checksums; 0 if nobody asked for that.
        has_place: whether the meta file on the disk has a place where the checksum of the last synced chunk, which was
            not full, is kept when that chunk changes; used once `synced_bytes` are fewer than `bytes_on_disk`.
        are_names_synced: whether the names of its files were forced to the disk as they are.
        is_inherited: an earlier life has written its files, and they were not written anew since.
        writer: who writes it, dead or alive; None if nobody does.
        recovery_id: of the recovery that has taken the replica; only in RUR.
        original_state: what the replica was before that; only in RUR.
    """

    block_id: int
    generation_stamp: int
    state: ReplicaState
    directory: str
    num_bytes: int = 0
    bytes_on_disk: int = 0
    bytes_acked: int = 0
    synced_bytes: int = 0
    has_place: bool = field(default=False, compare=False)
    are_names_synced: bool = field(default=False, compare=False)
    is_inherited: bool = field(default=False, compare=False)
    writer: Writer | None = None
    recovery_id: int | None = None
    original_state: ReplicaState | None = None

    @property
    def name(self) -> str:
        """The replica as Hadoop's messages name it."""
        return f"blk_{self.block_id}_{self.generation_stamp}"

    def visible_state(self) -> ReplicaState:
        """The state that others are told: that of the original while under recovery."""
        return self.state if self.original_state is None else self.original_state

    def visible_length(self) -> int:
        """How many bytes readers may rely on; `NOT_VISIBLE` if none (facts B.1)."""
        match self.visible_state():
            case ReplicaState.FINALIZED:
                return self.num_bytes
            case ReplicaState.RBW:
                return self.bytes_acked
            case _:
                return NOT_VISIBLE

    def block(self) -> Block:
        """The replica as a block."""
        return Block(self.block_id, self.generation_stamp, self.num_bytes)

    def recovery_info(self) -> ReplicaRecoveryInfo:
        """The replica as a recovery wants to know it: with the bytes on disk, acknowledged or not (facts B.4)."""
        return ReplicaRecoveryInfo(self.block_id, self.bytes_on_disk, self.generation_stamp, self.visible_state())

    def report(self) -> ReportedReplica:
        """The replica as a full block report names it (facts B.9)."""
        return ReportedReplica(self.block_id, self.generation_stamp, self.bytes_on_disk, self.visible_state())

    def set_length(self, num_bytes: int) -> None:
        """So many bytes are received and on disk."""
        self.num_bytes = self.bytes_on_disk = num_bytes
        self.synced_bytes = min(self.synced_bytes, num_bytes)

    def begin_recovery(self, recovery_id: int) -> None:
        """Become RUR over what the replica was; a replica in RUR only takes the new id, so nothing nests.

        Raises:
            IllegalArgumentException: the replica is TEMPORARY.
        """
        if self.state is not ReplicaState.RUR:
            if self.state is ReplicaState.TEMPORARY:
                raise IllegalArgumentException(f"replica {self.name} is TEMPORARY, accepted: FINALIZED, RBW, RWR")
            self.original_state = self.state
            self.state = ReplicaState.RUR
        self.recovery_id = recovery_id

    def become_finalized(self) -> None:
        """Become FINALIZED; writer and recovery are over."""
        self.state = ReplicaState.FINALIZED
        self.bytes_acked = self.num_bytes
        self.writer = None
        self.recovery_id = None
        self.original_state = None
