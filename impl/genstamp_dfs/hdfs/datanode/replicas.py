"""One replica at a datanode.

Leaves out: checksums, the difference between bytes received, on disk and acknowledged (a packet is all of them at
once here), and so the visible length that readers ask for.

Source: DN/ReplicaInPipeline, FD/LocalReplica, DN/ReplicaUnderRecovery, Hadoop 3.4.1.
"""

from dataclasses import dataclass

from genstamp_dfs.errors import IllegalArgumentException
from genstamp_dfs.hdfs.protocol import ReplicaRecoveryInfo, ReplicaState, ReportedReplica


@dataclass
class Replica:
    """A replica.

    Attributes:
        data: its bytes.
        writer: the client whose packets it accepts, through a writer thread; None if there is no such thread.
        recovery_id: of the recovery that has taken the replica; only in RUR.
        original_state: what the replica was before that; only in RUR.
    """

    block_id: int
    generation_stamp: int
    state: ReplicaState
    data: bytes = b""
    writer: str | None = None
    recovery_id: int | None = None
    original_state: ReplicaState | None = None

    @property
    def num_bytes(self) -> int:
        """Length in bytes."""
        return len(self.data)

    def visible_state(self) -> ReplicaState:
        """The state that others are told: that of the original while under recovery."""
        return self.state if self.original_state is None else self.original_state

    def recovery_info(self) -> ReplicaRecoveryInfo:
        """The replica as a recovery wants to know it."""
        return ReplicaRecoveryInfo(self.block_id, self.num_bytes, self.generation_stamp, self.visible_state())

    def report(self) -> ReportedReplica:
        """The replica as a block report names it."""
        return ReportedReplica(self.block_id, self.generation_stamp, self.num_bytes, self.visible_state())

    def begin_recovery(self, recovery_id: int) -> None:
        """Become RUR over what the replica was; a replica in RUR only takes the new id, so nothing nests.

        Raises:
            IllegalArgumentException: the replica is TEMPORARY.
        """
        if self.state is not ReplicaState.RUR:
            if self.state is ReplicaState.TEMPORARY:
                raise IllegalArgumentException(
                    f"replica of blk_{self.block_id} is TEMPORARY, accepted: FINALIZED, RBW, RWR"
                )
            self.original_state = self.state
            self.state = ReplicaState.RUR
        self.recovery_id = recovery_id

    def become_finalized(self) -> None:
        """Become FINALIZED; writer and recovery are over."""
        self.state = ReplicaState.FINALIZED
        self.writer = None
        self.recovery_id = None
        self.original_state = None
