"""Datanodes: replicas that are cut in place, or copied under a new block id for a truncate.

Coarser than HDFS: the copy is there at once, finalized; that it and the original are blocks of their own is told by
their stamps (see `truncate_state.py`).
"""

from genstamp_model.language import (
    Bool,
    Members,
    Number,
    Ordered,
    action,
    each,
    exists,
    forall,
    none,
    observe,
    require,
    smallest,
    those,
    when,
)
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.namenode_truncate import NamenodeTruncate
from genstamp_spec.hdfs.parts.state import Datanode, File, OriginalState, Replica
from genstamp_spec.hdfs.parts.truncate_state import FinalizedReplica, TruncateMode
from genstamp_spec.lifecycles.block import BlockLifecycle
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class DatanodeTruncate(BlockRecovery, NamenodeTruncate, lane=Datanode):
    """Block recovery with the length of a truncate, and the copy."""

    def is_of_former_block(s, file: File, replica: Replica) -> Bool:
        """The replica is one of the block that a copy is or was made from."""
        return (replica.stamp > 0) & (replica.stamp <= s.former_stamp[file])

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

    def replica_is_cut(s, file: File, datanode: Datanode) -> None:
        """History: what is cut off is not there any more."""
        kept = smallest(s.bytes_before_cut[datanode][file], s.replica[datanode][file].num_bytes)
        s.bytes_before_cut[datanode][file] = kept

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
        s.forget(replica)
        copy.state.fire(ReplicaLifecycle.invalidate, where=~copy.state.at(ReplicaLifecycle.absent))
        copy.state.fire(ReplicaLifecycle.copy_on_truncate)
        copy.stamp = attempt.recovery_id
        copy.num_bytes = attempt.new_bytes
        attempt.updated.add(datanode)
        s.exchange(file, those(Datanode, lambda d: (d == datanode) & current))
        s.replica_is_cut(file, datanode)
        observe(recovery_id=attempt.recovery_id, num_bytes=attempt.new_bytes)

    def exchange(s, file: File, chosen: Members[Datanode]) -> None:
        """On some datanodes the other replica is the one to work on."""
        working = each(
            Datanode,
            lambda d: each(
                File,
                lambda f: when((f == file) & chosen.has(d), s.brought_back(s.former_replica[d][f]), s.replica[d][f]),
            ),
        )
        other = each(
            Datanode,
            lambda d: each(
                File, lambda f: when((f == file) & chosen.has(d), s.put_aside(s.replica[d][f]), s.former_replica[d][f])
            ),
        )
        s.replica.update(lambda d: working[d])
        s.former_replica.update(lambda d: other[d])

    def brought_back(s, kept: FinalizedReplica) -> Replica:
        """The replica in full."""
        return Replica(
            state=kept.state,
            stamp=kept.stamp,
            num_bytes=kept.num_bytes,
            writer=none,
            original=OriginalState.NONE,
            recovery_id=0,
        )

    def put_aside(s, replica: Replica) -> FinalizedReplica:
        """What counts of a finalized replica."""
        return FinalizedReplica(state=replica.state, stamp=replica.stamp, num_bytes=replica.num_bytes)

    def change_places(s, file: File, copied: Bool) -> None:
        """Replicas of the former block are those to recover again."""
        s.exchange(file, those(Datanode, lambda d: copied & s.is_copy(file, s.replica[d][file])))

    def is_copy(s, file: File, replica: Replica) -> Bool:
        """The replica was made by a truncate."""
        return replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp > s.former_stamp[file])

    # Restart, deletion and reading.

    def come_back(s, datanode: Datanode, lost_bytes: int) -> None:
        """As before; history follows."""
        super().come_back(datanode, lost_bytes)
        s.bytes_before_cut[datanode].update(
            lambda file: smallest(s.bytes_before_cut[datanode][file], s.replica[datanode][file].num_bytes)
        )

    def is_of_no_use(s, file: File, datanode: Datanode) -> Bool:
        """Of the former block no replica is of use any more once it is gone."""
        former = s.is_of_former_block(file, s.replica[datanode][file])
        return when(former, s.former_block[file].at(BlockLifecycle.removed), super().is_of_no_use(file, datanode))

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

    def snapshot_replica(s, file: File, datanode: Datanode) -> tuple[Bool, Number]:
        """The snapshot's block is the former one, if there is one."""
        replica, other = s.replica[datanode][file], s.former_replica[datanode][file]
        copied = s.former_block[file].at(BlockLifecycle.complete)
        here = (other.state.at(ReplicaLifecycle.finalized)) & (other.stamp <= s.former_stamp[file])
        serves, visible = super().snapshot_replica(file, datanode)
        first = ~copied | s.is_of_former_block(file, replica)
        return when(first, serves, here), when(first, visible, other.num_bytes)
