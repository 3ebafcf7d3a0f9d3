"""What a datanode keeps of one block's replica, in full: three lengths, the writer, the recovery; with no steps.

One block; its replica on each datanode. Against `state.Replica`, which keeps one length, this one tells bytes received
(BR, `num_bytes`), bytes on disk as memory has them and as the file has them, and bytes acknowledged (BA). A byte here
stands for a chunk with its checksum.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, OriginalState
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class Writer(enum.Enum):
    """The thread that writes a replica (ReplicaInPipeline.writer); NONE also if it has died or was stopped."""

    NONE = enum.auto()
    RUNNING = enum.auto()
    INTERRUPTED = enum.auto()  # it was told to stop, and somebody waits until it has


class DetailedReplica(Record):
    """A replica on a datanode (facts B.1). Fields that its state does not use are 0."""

    state = lifecycle(ReplicaLifecycle)
    stamp = ordered(limit="stamps")
    num_bytes = number(limit="bytes")  # BR: received
    bytes_on_disk = number(limit="bytes")  # written, as memory has it
    file_bytes = number(limit="bytes")  # written, as the block file has it: more, after a write that failed
    bytes_acked = number(limit="bytes")  # BA: acknowledged by all nodes downstream; of a RBW, and of a RUR over one
    writer = enumeration(Writer)
    original = enumeration(OriginalState)  # of a RUR
    recovery_id = ordered(limit="stamps")  # of a RUR


class Report(enum.Enum):
    """What an incremental block report says of a replica."""

    RECEIVING = enum.auto()
    RECEIVED = enum.auto()
    DELETED = enum.auto()


class ReplicaState(Part):
    """The replicas, and what can be read off one."""

    running = members(Datanode, initially_all=True)
    replica = per(Datanode, record(DetailedReplica))

    def exists(s, replica: DetailedReplica) -> Bool:
        """The datanode has a replica."""
        return ~replica.state.at(ReplicaLifecycle.absent)

    def was(s, replica: DetailedReplica, original: OriginalState) -> Bool:
        """The replica is under recovery over one of this state."""
        return replica.state.at(ReplicaLifecycle.rur) & replica.original.at(original)

    def is_visible(s, replica: DetailedReplica) -> Bool:
        """Readers are served: not from an RWR, a TEMPORARY, or a RUR over an RWR (visible length -1; facts B.1)."""
        under_recovery = replica.state.at(ReplicaLifecycle.rur) & ~replica.original.at(OriginalState.RWR)
        return replica.state.at(ReplicaLifecycle.finalized, ReplicaLifecycle.rbw) | under_recovery

    def visible_bytes(s, replica: DetailedReplica) -> Number:
        """How much a reader may see: what is acknowledged of an RBW, all of a FINALIZED one (facts B.1)."""
        written = replica.state.at(ReplicaLifecycle.rbw) | s.was(replica, OriginalState.RBW)
        return when(s.is_visible(replica), when(written, replica.bytes_acked, replica.num_bytes), 0)

    def original_state(s, replica: DetailedReplica) -> Enumerated[OriginalState]:
        """The replica's state as a recovery or a full report has it; of a RUR, that of the replica inside."""
        state = when(~replica.state.at(ReplicaLifecycle.finalized), replica.original, OriginalState.FINALIZED)
        state = when(~replica.state.at(ReplicaLifecycle.rbw), state, OriginalState.RBW)
        return when(~replica.state.at(ReplicaLifecycle.rwr), state, OriginalState.RWR)

    def in_window(s, replica: DetailedReplica, stamp: Ordered, new_stamp: Ordered) -> Bool:
        """The replica's stamp lies between the one that the requester knows and the new one."""
        return (stamp <= replica.stamp) & (replica.stamp <= new_stamp)

    def set_lengths(s, replica: DetailedReplica, length: Number | int) -> None:
        """Received, written and in the file are the same."""
        replica.num_bytes = length
        replica.bytes_on_disk = length
        replica.file_bytes = length

    def forget(s, replica: DetailedReplica) -> None:
        """What only a replica that is written or under recovery has goes."""
        replica.bytes_acked = 0
        replica.writer = Writer.NONE
        replica.original = OriginalState.NONE
        replica.recovery_id = 0

    def remove(s, replica: DetailedReplica) -> None:
        """The replica's files are gone; its state was moved before."""
        s.forget(replica)
        s.set_lengths(replica, 0)
        replica.stamp = 0

    def tells(s, datanode: Datanode, report: Report) -> None:
        """The NameNode is told of it by an incremental report: a hook, here without effect (facts B.9)."""
