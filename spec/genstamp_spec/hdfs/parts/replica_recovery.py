"""Block recovery of one replica, its deletion, and what a restart makes of it.

Methods for the actions of any part, as in `replica_operations`.

Coarser than HDFS: a restart finds one copy of the block; two on different volumes are out of scope (facts B.8).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.replica_copies import ReplicaCopies
from genstamp_spec.hdfs.parts.replica_state import DetailedReplica, Report, Writer
from genstamp_spec.hdfs.parts.state import Datanode, OriginalState
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class ReplicaRecovery(ReplicaCopies):
    """initReplicaRecovery, updateReplicaUnderRecovery, invalidate, restart."""

    # initReplicaRecovery (B.4).

    def init_replica_recovery(s, datanode: Datanode, stamp: Ordered, recovery_id: Ordered) -> DetailedReplica:
        """The replica is frozen for a recovery; the answer is its length on disk and its state.

        A datanode without a replica answers null, which is no refusal, and is the action's business.

        Source  FsDatasetImpl#initReplicaRecoveryImpl, Hadoop 3.4.1; facts B9, B.4.
        """
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica")
        s.writer_is_stopped(replica)
        complete = ~replica.state.at(ReplicaLifecycle.rbw, ReplicaLifecycle.temporary)
        visible, on_disk = s.visible_bytes(replica), replica.bytes_on_disk
        require(complete | (on_disk >= visible), "what is visible is on disk", "IOException")
        s.files_are_there(datanode, "FileNotFoundException", ~complete)
        require(complete | (replica.file_bytes == on_disk), "the file is as long as memory has it", "IOException")
        require(replica.stamp >= stamp, "the replica is not older than the block", "IOException")
        require(replica.stamp < recovery_id, "the recovery is newer than the replica", "IOException")
        require(
            ~s.is_younger(replica, recovery_id),
            "no recovery with this id or a later one has begun here",
            "RecoveryInProgressException",
        )
        require(~replica.state.at(ReplicaLifecycle.temporary), "the replica is no copy", "IllegalArgumentException")
        replica.original = s.original_state(replica)
        replica.state.fire(ReplicaLifecycle.init_recovery)
        replica.recovery_id = recovery_id
        return replica

    def is_younger(s, replica: DetailedReplica, recovery_id: Ordered) -> Bool:
        """The replica takes part in a recovery of this id or a later one."""
        return replica.state.at(ReplicaLifecycle.rur) & (replica.recovery_id >= recovery_id)

    def files_are_there(s, datanode: Datanode, refused: str | None, where: Bool | bool = True) -> None:
        """Checks: the replica has its files; here, it always has (FsDatasetImpl#checkReplicaFiles)."""

    # updateReplicaUnderRecovery (B.4).

    def found_to_update(s, datanode: Datanode, recovery_id: Ordered, old_bytes: Number) -> DetailedReplica:
        """Checks: the replica is under this very recovery, as it was answered."""
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica", "ReplicaNotFoundException")
        require(replica.state.at(ReplicaLifecycle.rur), "the replica is under recovery", "IOException")
        require(replica.bytes_on_disk == old_bytes, "the replica is as long as it was found", "IOException")
        s.files_are_there(datanode, "FileNotFoundException")
        require(
            replica.file_bytes == replica.bytes_on_disk,
            "the file is as long as memory has it",
            "IOException",
            defensive=True,
        )
        require(replica.recovery_id == recovery_id, "the replica is under this recovery", "IOException")
        return replica

    def may_cut(s, replica: DetailedReplica, new_bytes: Number) -> None:
        """Checks before an update in place: as before one by copy.

        Hadoop asks for the length only after it has raised the stamp (steps 6 and 7 of facts B.4), which an update by
        copy does not raise.
        """
        s.is_long_enough(replica, new_bytes)

    def may_copy(s, replica: DetailedReplica, new_bytes: Number) -> None:
        """Checks before an update by copy."""
        s.is_long_enough(replica, new_bytes)

    def is_long_enough(s, replica: DetailedReplica, new_bytes: Number) -> None:
        """Checks: nobody asks for more than there is."""
        require(s.bytes_to_update(replica) >= new_bytes, "the replica is not too short", "IOException")

    def bytes_to_update(s, replica: DetailedReplica) -> Number:
        """The length that an update compares with the one asked for: that on disk."""
        return replica.bytes_on_disk

    def update_replica_under_recovery(
        s, datanode: Datanode, recovery_id: Ordered, old_bytes: Number, new_bytes: Number
    ) -> None:
        """The replica is cut, gets the recovery's stamp and is finalized (facts B10)."""
        replica = s.found_to_update(datanode, recovery_id, old_bytes)
        s.may_cut(replica, new_bytes)
        replica.state.fire(ReplicaLifecycle.update_under_recovery)
        s.set_lengths(replica, new_bytes)
        replica.stamp = recovery_id
        s.becomes_final(datanode)

    def update_by_copy(s, datanode: Datanode, recovery_id: Ordered, old_bytes: Number, new_bytes: Number) -> None:
        """A truncate by copy: the old replica is finalized as it was (facts B10, B.4 step 9).

        The copy under the new block's id, with the recovery's stamp and the new length, is the action's business; there
        is one only if the replica is longer than the new length.
        """
        replica = s.found_to_update(datanode, recovery_id, old_bytes)
        s.may_copy(replica, new_bytes)
        replica.state.fire(ReplicaLifecycle.update_under_recovery)
        s.set_lengths(replica, replica.bytes_on_disk)
        s.becomes_final(datanode)

    # Deletion.

    def invalidate(s, datanode: Datanode, stamp: Ordered) -> None:
        """The NameNode has a replica of one generation deleted, whatever its state; another generation stays.

        Source  FsDatasetImpl#invalidate, Hadoop 3.4.1; facts B17.
        """
        replica = s.replica[datanode]
        require(s.exists(replica), "the datanode has a replica")
        require(replica.stamp == stamp, "the replica has the stamp that is to be deleted", "IOException")
        replica.state.fire(ReplicaLifecycle.invalidate)
        s.remove(replica)
        s.tells(datanode, Report.DELETED)

    # Restart. A datanode that is down keeps its replicas as they are on disk.

    def stop(s, datanode: Datanode) -> None:
        """The datanode stops, and with it the thread that writes the replica."""
        replica = s.replica[datanode]
        require(s.running.has(datanode), "the datanode is running")
        s.running.remove(datanode)
        replica.writer = Writer.NONE

    def restart(s, datanode: Datanode, kept_bytes: Number | int, planned: Bool | bool = False) -> None:
        """The datanode comes back: a recovery is forgotten, a copy deleted, what was written is validated.

        Of a replica that was not finalized, `kept_bytes` are covered by data and checksums alike; the file is cut to
        them (since HDFS-5728). After a planned restart, in time, an RBW stays one. Hadoop does not keep how much of it
        was acknowledged, and takes all that it has for that.

        Source  BlockPoolSlice#addReplicaToReplicasMap, Hadoop 3.4.1; facts B11, B12, B13, B14, B15, B.8.
        """
        replica = s.replica[datanode]
        require(~s.running.has(datanode), "the datanode is down")
        s.running.add(datanode)
        s.replica[datanode] = s.reloaded(replica, kept_bytes, planned)

    def reloaded(s, replica: DetailedReplica, kept_bytes: Number | int, planned: Bool | bool) -> DetailedReplica:
        """The replica after a restart."""
        over_finalized = replica.original.at(OriginalState.FINALIZED)
        goes_on = replica.state.at(ReplicaLifecycle.rbw) & planned
        copied = replica.state.at(ReplicaLifecycle.temporary)
        whole = replica.state.at(ReplicaLifecycle.finalized) | s.was(replica, OriginalState.FINALIZED)
        under_recovery = when(
            over_finalized,
            replica.state.after(ReplicaLifecycle.restart_over_finalized),
            replica.state.after(ReplicaLifecycle.restart_over_unfinalized),
        )
        written = when(
            goes_on,
            replica.state.after(ReplicaLifecycle.restart_as_rbw),
            replica.state.after(ReplicaLifecycle.restart_as_rwr),
        )
        state = when(
            copied,
            replica.state.after(ReplicaLifecycle.restart_temporary),
            when(replica.state.at(ReplicaLifecycle.rur), under_recovery, written),
        )
        length = when(~copied, when(whole, s.finalized_bytes(replica), kept_bytes), 0)
        return DetailedReplica(
            state=state,
            stamp=when(copied, 0, replica.stamp),
            num_bytes=length,
            bytes_on_disk=length,
            file_bytes=length,
            bytes_acked=when(goes_on, smallest(replica.bytes_acked, length), 0),
            writer=Writer.NONE,
            original=OriginalState.NONE,
            recovery_id=0,
        )

    def finalized_bytes(s, replica: DetailedReplica) -> Number:
        """The length of a finalized replica's file."""
        return replica.num_bytes
