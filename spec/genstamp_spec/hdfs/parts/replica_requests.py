"""Requests about one block from other datanodes, primaries and the NameNode; stops and restarts of the datanode."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_writers import BYTES, Generation, ReplicaWriters
from genstamp_spec.hdfs.parts.state import Datanode
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class ReplicaRequests(ReplicaWriters, lane=Datanode):
    """Other datanodes' and the NameNode's requests; stops and restarts."""

    # Copies (B.5).

    @action(event="create_temporary")
    def serve_create_temporary(s, datanode: Datanode, generation: Generation) -> None:
        """A copy begins (FsDatasetImpl#createTemporary, Hadoop 3.4.1; facts B6, B.5)."""
        (stamp,) = s.serves(datanode, generation)
        s.create_temporary(datanode, stamp)
        s.answers(datanode, stamp)

    @action(event="create_temporary")
    def serve_create_temporary_over_existing(s, datanode: Datanode, generation: Generation) -> None:
        """A copy for re-replication replaces an older replica that was being written (facts B6, B.5)."""
        (stamp,) = s.serves(datanode, generation)
        s.create_temporary_over_existing(datanode, stamp, transfer=False)
        s.answers(datanode, stamp)

    @action(event="create_temporary")
    def serve_transfer(s, datanode: Datanode, generation: Generation) -> None:
        """A copy for a pipeline replaces an older replica: TRANSFER_RBW, TRANSFER_FINALIZED (facts B6, B.5, C.1)."""
        (stamp,) = s.serves(datanode, generation)
        s.create_temporary_over_existing(datanode, stamp, transfer=True)
        s.answers(datanode, stamp)

    @action(event="convert_temporary_to_rbw")
    def serve_convert_temporary_to_rbw(s, datanode: Datanode, generation: Generation) -> None:
        """A copy joins a pipeline (FsDatasetImpl#convertTemporaryToRbw, Hadoop 3.4.1; facts B7, C.1)."""
        (stamp,) = s.serves(datanode, generation)
        s.convert_temporary_to_rbw(datanode, stamp, pick("visible_bytes", 0, BYTES))

    @action(event="unfinalize_block")
    def serve_unfinalize_block(s, datanode: Datanode, generation: Generation) -> None:
        """Copying has failed (FsDatasetImpl#unfinalizeBlock, Hadoop 3.4.1; facts B16)."""
        (stamp,) = s.serves(datanode, generation)
        s.unfinalize_block(datanode, stamp)

    @action(event="transfer_replica")
    def serve_transfer_replica(s, datanode: Datanode, generation: Generation) -> None:
        """The replica is sent to another datanode, as far as readers may see it (facts B18, B.5)."""
        (stamp,) = s.serves(datanode, generation)
        replica = s.transfer_source(datanode, stamp)
        observe(stamp=replica.stamp, num_bytes=s.visible_bytes(replica))

    # Block recovery (B.4).

    @action(event="init_replica_recovery")
    def serve_init_replica_recovery(s, datanode: Datanode, old: Generation, new: Generation) -> None:
        """A primary asks for the replica (FsDatasetImpl#initReplicaRecoveryImpl, Hadoop 3.4.1; facts B9, B.4)."""
        stamp, recovery_id = s.serves(datanode, old, new)
        replica = s.init_replica_recovery(datanode, stamp, recovery_id)
        observe(num_bytes=replica.bytes_on_disk, stamp=replica.stamp, replica_state=replica.original)

    @action(event="init_replica_recovery", unchanged="the primary is only told that there is none")
    def serve_init_replica_recovery_without_replica(s, datanode: Datanode, old: Generation, new: Generation) -> None:
        """The datanode has nothing, and answers null (facts B.4 step 1)."""
        s.serves(datanode, old, new)
        replica = s.replica[datanode]
        require(~s.exists(replica), "the datanode has no replica")
        observe(replica_state=replica.original)

    @action(event="update_replica_under_recovery")
    def serve_update(s, datanode: Datanode, generation: Generation) -> None:
        """A primary has agreed on a length (FsDatasetImpl#updateReplicaUnderRecovery, Hadoop 3.4.1; facts B10, B.4)."""
        (recovery_id,) = s.serves(datanode, generation)
        old_bytes, new_bytes = pick("old_bytes", 0, BYTES), pick("new_bytes", 0, BYTES)
        s.update_replica_under_recovery(datanode, recovery_id, old_bytes, new_bytes)
        s.answers(datanode, recovery_id)

    @action(event="update_replica_under_recovery")
    def serve_update_by_copy(s, datanode: Datanode, generation: Generation) -> None:
        """A truncate by copy: the new block gets a replica of its own, the old one stays (facts B10, B.4 step 9)."""
        (recovery_id,) = s.serves(datanode, generation)
        old_bytes, new_bytes = pick("old_bytes", 0, BYTES), pick("new_bytes", 0, BYTES)
        copy = s.copy[datanode]
        require(copy.state.at(ReplicaLifecycle.absent), "the new block has no replica yet")
        require(new_bytes != old_bytes, "the truncate asks for another length")
        s.update_by_copy(datanode, recovery_id, old_bytes, new_bytes)
        copy.state.fire(ReplicaLifecycle.copy_on_truncate)
        copy.stamp = recovery_id
        copy.num_bytes = new_bytes

    # Deletion (I.3).

    @action(hidden=True)
    def condemn(s, generation: Generation) -> None:
        """The NameNode finds that replicas of a generation are stale, and has them deleted (facts I.3)."""
        require(s.given[generation] > 0, "the stamp was given out")
        require(~s.condemned.has(generation), "the generation is not condemned yet")
        s.condemned.add(generation)

    @action(event="invalidate")
    def serve_invalidate(s, datanode: Datanode, generation: Generation) -> None:
        """DNA_INVALIDATE (FsDatasetImpl#invalidate, Hadoop 3.4.1; facts B17)."""
        (stamp,) = s.serves(datanode, generation)
        require(s.condemned.has(generation), "the NameNode has the generation deleted")
        s.invalidate(datanode, stamp)

    # Stops and restarts (B.8).

    @action(hidden=True)
    def datanode_stops(s, datanode: Datanode) -> None:
        """The datanode stops without warning (facts B11)."""
        s.stop(datanode)
        s.lingering[datanode] = 0
        s.crashes = s.crashes + 1

    @action(hidden=True)
    def datanode_stops_for_upgrade(s, datanode: Datanode) -> None:
        """The datanode stops and leaves a .restart file with each replica that is being written (facts B12)."""
        s.stop(datanode)
        s.lingering[datanode] = 0
        s.planned.add(datanode)
        s.crashes = s.crashes + 1

    @action(hidden=True)
    def restart_window_passes(s, datanode: Datanode) -> None:
        """The .restart file's deadline is over before the datanode is back (facts B12, 0.1.17)."""
        require(s.planned.has(datanode), "the datanode is down for an upgrade")
        s.planned.remove(datanode)

    @action(event="datanode_restart")
    def datanode_restarts(s, datanode: Datanode) -> None:
        """All that is in the file matches its checksums (facts B11, B12, B13, B14, B15, B.8)."""
        s.comes_back(datanode, s.replica[datanode].file_bytes)

    @action(event="datanode_restart")
    def datanode_restarts_losing_a_chunk(s, datanode: Datanode) -> None:
        """The last chunk does not match its checksum, or was never synced (facts B11, B14, B.8)."""
        s.comes_back(datanode, largest(s.replica[datanode].file_bytes - 1, 0))

    @action(event="datanode_restart")
    def datanode_restarts_with_unreadable_replica(s, datanode: Datanode) -> None:
        """An error while a replica is validated gives it length 0 (facts B11, B14, B.8)."""
        s.comes_back(datanode, 0)

    def comes_back(s, datanode: Datanode, kept_bytes: Number | int) -> None:
        """The datanode loads its replicas."""
        s.restart(datanode, kept_bytes, s.planned.has(datanode))
        s.planned.remove(datanode)
