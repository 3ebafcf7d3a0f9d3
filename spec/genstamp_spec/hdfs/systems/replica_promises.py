"""What each system promises that keeps a datanode's replica in full: which fields belong to which state."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_state import ReplicaState, Writer
from genstamp_spec.hdfs.parts.state import Datanode, OriginalState
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class ReplicaPromises(ReplicaState):
    """Numbers S are those of the facts, page J."""

    @invariant(inductive=True)
    def only_replicas_being_written_have_a_writer(s, datanode: Datanode) -> Bool:
        """S23: no thread writes a replica that is under recovery, waiting or finalized."""
        replica = s.replica[datanode]
        written = replica.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.temporary)
        return written | replica.writer.at(Writer.NONE)

    @invariant(inductive=True)
    def recovery_has_an_original(s, datanode: Datanode) -> Bool:
        """S24: a recovery is over a FINALIZED, RBW or RWR replica."""
        replica = s.replica[datanode]
        return replica.state.at(ReplicaLifecycle.rur) == ~replica.original.at(OriginalState.NONE)

    @invariant(inductive=True)
    def only_recoveries_have_an_id(s, datanode: Datanode) -> Bool:
        """S12: what another recovery left behind, its id, never speaks to the next one."""
        replica = s.replica[datanode]
        return replica.state.at(ReplicaLifecycle.rur) | (replica.recovery_id == 0)

    @invariant(inductive=True)
    def only_pipelines_acknowledge(s, datanode: Datanode) -> Bool:
        """B.1: BA is kept of a replica that is being written, and while that is recovered; of any other it is 0."""
        replica = s.replica[datanode]
        written = replica.state.at(ReplicaLifecycle.rbw) | s.was(replica, OriginalState.RBW)
        return written | (replica.bytes_acked == 0)

    @invariant(inductive=True, given=("only_replicas_being_written_have_a_writer",))
    def nothing_is_left_of_a_deleted_replica(s, datanode: Datanode) -> Bool:
        """S22: a replica that comes after a deleted one starts with none of its bytes, nor with its stamp."""
        replica = s.replica[datanode]
        empty = (replica.num_bytes == 0) & (replica.bytes_on_disk == 0) & (replica.file_bytes == 0)
        return s.exists(replica) | (empty & (replica.stamp == 0))
