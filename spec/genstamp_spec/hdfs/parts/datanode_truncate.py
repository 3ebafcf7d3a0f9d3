"""Datanodes: replicas that are cut in place, or copied under a new block id for a truncate.

Coarser than HDFS: the copy is there at once, finalized; that it and the original are blocks of their own is told by
their stamps (see `truncate_state.py`).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.state import Datanode, File, OriginalState, forget
from genstamp_spec.hdfs.parts.truncate_state import TruncateMode
from genstamp_spec.hdfs.state.cuts import Cuts
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class DatanodeTruncate(BlockRecovery, Cuts, lane=Datanode):
    """Block recovery with the length of a truncate, and the copy."""

    # The command and the agreement (A.6, G.4).

    def stamp_to_recover(s, file: File) -> Ordered:
        """A copy is made from the former block: that one is recovered."""
        return when(s.truncate_mode[file].at(TruncateMode.BY_COPY), s.former_stamp[file], s.block_stamp[file])

    def makes_copies(s, primary: Datanode, file: File) -> Bool:
        """The attempt recovers the former block, to make copies of it."""
        attempt = s.attempt[primary][file]
        return (attempt.block_stamp <= s.former_stamp[file]) & (attempt.recovery_id > s.former_stamp[file])

    def finalized_fit(s, primary: Datanode, file: File) -> Bool:
        """For a truncate finalized replicas fit that are long enough: an earlier attempt may have cut some of them.

        Hadoop fails if their lengths differ, each time (facts G.4 row 1).
        """
        attempt = s.attempt[primary][file]
        finalized = s.in_state(attempt, OriginalState.FINALIZED)
        long_enough = forall(
            Datanode, lambda d: ~finalized.has(d) | (attempt.found[d].num_bytes >= s.truncate_to[file])
        )
        return super().finalized_fit(primary, file) | (s.is_truncated(file) & long_enough)

    def agree(s, primary: Datanode, file: File, participants: Members[Datanode], length: Number) -> None:
        """The length of a truncate takes the place of the one that was found (facts G.4)."""
        cut = s.is_truncated(file) | s.makes_copies(primary, file)
        super().agree(primary, file, participants, when(cut, s.truncate_to[file], length))

    # The update (B.4 steps 6 to 9).

    def changes_in_place(s, primary: Datanode, file: File) -> None:
        """Checks: the recovery is not one for a copy."""
        require(~s.makes_copies(primary, file), "the replica is cut in place")

    @action(event="update_replica_under_recovery")
    def update_replica_copies(s, primary: Datanode, file: File, datanode: Datanode) -> None:
        """A participant copies its replica to the new block, under the recovery id; the original stays as it was.

        A copy that an earlier attempt has made is replaced. The copy is the replica to work on from now on, unless a
        younger attempt has begun, which will ask for the original.

        Source  FsDatasetImpl#updateReplicaUnderRecovery, Hadoop 3.4.1; facts B10, B.4 step 9, A.6.
        """
        attempt, replica = s.updates(primary, file, datanode), s.replica[datanode][file]
        s.is_as_found(replica, attempt.recovery_id, attempt.found[datanode].num_bytes)
        require(s.makes_copies(primary, file), "the replica is copied")
        require(s.is_of_former_block(file, replica), "the replica is the original")
        current = attempt.recovery_id == s.recovery_id[file]
        copy = s.former_replica[datanode][file]
        replica.state.fire(ReplicaLifecycle.update_under_recovery)
        forget(replica)
        copy.state.fire(ReplicaLifecycle.invalidate, where=~copy.state.at(ReplicaLifecycle.absent))
        copy.state.fire(ReplicaLifecycle.copy_on_truncate)
        copy.stamp = attempt.recovery_id
        copy.num_bytes = attempt.new_bytes
        attempt.updated.add(datanode)
        s.exchange(file, those(Datanode, lambda d: (d == datanode) & current))
        s.replica_is_cut(file, datanode)
        observe(recovery_id=attempt.recovery_id, num_bytes=attempt.new_bytes)

    # Restart, deletion and reading.

    @action(event="invalidate_replica")
    def invalidate_other_replica(s, file: File, datanode: Datanode) -> None:
        """Of two replicas the other one is deleted: its block is gone, or it is a copy of an attempt that failed.

        Source  BlockManager#checkReplicaCorrupt, FsDatasetImpl#invalidate, Hadoop 3.4.1; facts B17, I.2.
        """
        other = s.former_replica[datanode][file]
        original = other.stamp <= s.former_stamp[file]
        spare = exists(Datanode, lambda d: s.stored[file].has(d) & s.running.has(d))
        stale = s.block[file].at(BlockLifecycle.complete) & spare & (other.stamp != s.block_stamp[file])
        useless = s.block[file].at(BlockLifecycle.removed) | stale
        require(s.running.has(datanode), "the datanode is running")
        require(~other.state.at(ReplicaLifecycle.absent), "the datanode has another replica")
        require(when(original, s.former_block[file].at(BlockLifecycle.removed), useless), "nobody needs it")
        other.state.fire(ReplicaLifecycle.invalidate)
        other.stamp = 0
        other.num_bytes = 0
