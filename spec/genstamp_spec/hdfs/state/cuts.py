"""Callers with streams that cut files: which of two replicas a datanode works on, and what a truncate makes of it."""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, File, OriginalState, Replica
from genstamp_spec.hdfs.parts.truncate_state import FinalizedReplica, TruncateMode, TruncateState
from genstamp_spec.hdfs.state.streams import Streams
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class SnapshotState(Part):
    """What the NameNode keeps of snapshots and of an upgrade that is not finalized."""

    snapshot = per(File, flag())
    snapshot_bytes = per(File, number(limit="bytes"))  # the length that the snapshot shows
    shown_beyond = number(limit="bytes")  # history: most bytes beyond that length that a reader of it was shown
    snapshots = number(limit="snapshots")  # history: only limited, never read

    upgrade = flag()
    rollback_bytes = per(File, number(limit="bytes"))  # history: length of each closed file as the upgrade began
    upgrades = number(limit="upgrades")  # history: only limited, never read


class HeldBlocks(Streams, SnapshotState):
    """How a block is seen in a snapshot."""

    def snapshot_replica(s, file: File, datanode: Datanode) -> tuple[Bool, Number]:
        """Whether the datanode serves the snapshot's block, and its length there."""
        replica = s.replica[datanode][file]
        serving = replica.state.at(ReplicaLifecycle.finalized, ReplicaLifecycle.rbw, ReplicaLifecycle.rur)
        return serving, replica.num_bytes

    def may_upgrade(s) -> None:
        """Checks: an upgrade may begin; here, at any time."""


class Cuts(HeldBlocks, TruncateState):
    """The last block and the former one, and their replicas."""

    def is_truncated(s, file: File) -> Bool:
        """The file's last block is being cut."""
        return ~s.truncate_mode[file].at(TruncateMode.NONE)

    def is_held(s, file: File) -> Bool:
        """A snapshot or an upgrade holds the file's last block, which must not be cut (facts A.6)."""
        return s.is_in_snapshot(file) | s.upgrade

    def is_in_snapshot(s, file: File) -> Bool:
        """The file's last block is in the snapshot: it is not a copy made since then."""
        return s.snapshot[file] & ~s.former_block[file].at(BlockLifecycle.complete)

    def earlier_blocks_go(s, file: File) -> None:
        """Blocks before the last one are deleted with their file; here, there are none."""

    def is_of_former_block(s, file: File, replica: Replica) -> Bool:
        """The replica is one of the block that a copy is or was made from."""
        return (replica.stamp > 0) & (replica.stamp <= s.former_stamp[file])

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

    def replica_is_cut(s, file: File, datanode: Datanode) -> None:
        """History: what is cut off is not there any more."""
        kept = smallest(s.bytes_before_cut[datanode][file], s.replica[datanode][file].num_bytes)
        s.bytes_before_cut[datanode][file] = kept

    def is_of_no_use(s, file: File, datanode: Datanode) -> Bool:
        """Of the former block no replica is of use any more once it is gone."""
        former = s.is_of_former_block(file, s.replica[datanode][file])
        return when(former, s.former_block[file].at(BlockLifecycle.removed), super().is_of_no_use(file, datanode))

    def snapshot_replica(s, file: File, datanode: Datanode) -> tuple[Bool, Number]:
        """The snapshot's block is the former one, if there is one."""
        replica, other = s.replica[datanode][file], s.former_replica[datanode][file]
        copied = s.former_block[file].at(BlockLifecycle.complete)
        here = (other.state.at(ReplicaLifecycle.finalized)) & (other.stamp <= s.former_stamp[file])
        serves, visible = super().snapshot_replica(file, datanode)
        first = ~copied | s.is_of_former_block(file, replica)
        return when(first, serves, here), when(first, visible, other.num_bytes)

    def came_back(s, datanode: Datanode) -> None:
        """History follows."""
        s.bytes_before_cut[datanode].update(
            lambda file: smallest(s.bytes_before_cut[datanode][file], s.replica[datanode][file].num_bytes)
        )
