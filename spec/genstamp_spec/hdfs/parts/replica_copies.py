"""Copies of a replica: TEMPORARY ones that arrive, for re-replication or to join a pipeline, and their source.

Methods for the actions of any part, as in `replica_operations`. Both kinds of copies come block by block from another
datanode; how the bytes travel is the caller's business (`receive_byte`, `write_byte`).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_operations import ReplicaOperations
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica, Writer
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class ReplicaCopies(ReplicaOperations):
    """createTemporary, convertTemporaryToRbw, unfinalizeBlock, transferReplicaForPipelineRecovery."""

    def create_temporary(s, datanode: Datanode, stamp: Ordered) -> None:
        """A copy begins (FsDatasetImpl#createTemporary; facts B6)."""
        replica = s.replica[datanode]
        require(~s.exists(replica), "the datanode has no replica", "ReplicaAlreadyExistsException")
        s.has_space(datanode)
        replica.state.fire(ReplicaLifecycle.create_temporary)
        s.begin_copy(replica, stamp)

    def create_temporary_over_existing(s, datanode: Datanode, stamp: Ordered, *, transfer: bool) -> None:
        """A copy of a newer generation replaces an older replica, since HDFS-6948 (facts B.5).

        A copy for a pipeline (a transfer) replaces an older replica of any state, in Hadoop also one that is under a
        recovery younger than the copy; one for re-replication only what was being written or copied. Hadoop deletes the
        replica before it looks for a volume with room.
        """
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica")
        require(replica.stamp < stamp, "the replica is older than the copy", "ReplicaAlreadyExistsException")
        if transfer:
            require(
                ~replica.state.at(ReplicaLifecycle.rur) | (replica.recovery_id <= stamp),
                "no recovery younger than the copy has begun here",
                "ReplicaAlreadyExistsException",
            )
        else:
            require(
                replica.state.at(ReplicaLifecycle.temporary, ReplicaLifecycle.rbw),
                "the replica is being written or copied",
                "ReplicaAlreadyExistsException",
            )
        s.writer_is_stopped(replica)
        s.has_space_to_copy(datanode)
        replica.state.fire(ReplicaLifecycle.create_temporary_over_existing)
        s.begin_copy(replica, stamp)

    def has_space_to_copy(s, datanode: Datanode) -> None:
        """Checks: a volume has room for the copy that replaces the replica."""
        s.has_space(datanode)

    def begin_copy(s, replica: DetailedReplica, stamp: Ordered) -> None:
        """An empty copy takes the place of what was there; a thread receives it."""
        s.remove(replica)
        replica.stamp = stamp
        replica.writer = Writer.RUNNING

    def convert_temporary_to_rbw(s, datanode: Datanode, stamp: Ordered, visible_bytes: Number) -> None:
        """A copy joins a pipeline; what its source had acknowledged counts as acknowledged here (facts B7)."""
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica", "ReplicaNotFoundException")
        require(replica.state.at(ReplicaLifecycle.temporary), "the replica is a copy", "ReplicaAlreadyExistsException")
        require(replica.stamp == stamp, "the copy has the block's stamp", "ReplicaAlreadyExistsException")
        require(replica.num_bytes >= visible_bytes, "the copy is long enough", "IOException")
        replica.state.fire(ReplicaLifecycle.convert_temporary_to_rbw)
        replica.bytes_acked = visible_bytes
        replica.writer = Writer.NONE

    def unfinalize_block(s, datanode: Datanode, stamp: Ordered) -> None:
        """A copy failed and is deleted; any other replica stays as it is (FsDatasetImpl#unfinalizeBlock; facts B16)."""
        replica = s.replica[datanode]
        require(replica.state.at(ReplicaLifecycle.temporary), "the replica is a copy")
        require(replica.stamp == stamp, "the copy has the block's stamp")
        replica.state.fire(ReplicaLifecycle.unfinalize)
        s.remove(replica)

    def transfer_source(s, datanode: Datanode, stamp: Ordered) -> DetailedReplica:
        """The replica that a copy for a pipeline is made from: its stamp, and of its bytes those that are visible.

        Source  DataNode#transferReplicaForPipelineRecovery, Hadoop 3.4.1; facts B18, B.5.
        """
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica", "IOException")
        require(replica.stamp >= stamp, "the replica is not older than the block", "IOException")
        require(
            replica.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.finalized),
            "the replica is being written or finalized",
            "IOException",
        )
        replica.state.fire(ReplicaLifecycle.transfer_for_pipeline_recovery)
        return replica
