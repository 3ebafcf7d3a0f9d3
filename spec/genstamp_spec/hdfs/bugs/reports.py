"""Faults of what the NameNode makes of reports: which replicas count, are corrupt, are deleted or copied."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import ISSUE
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.namenode_reports import NamenodeReports
from genstamp_spec.hdfs.parts.reconstruction import Reconstruction
from genstamp_spec.hdfs.parts.reports_state import ReportedState, not_corrupt
from genstamp_spec.hdfs.parts.some_faults import SomeRecovery
from genstamp_spec.hdfs.parts.some_writers import SomeWriters
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle

# Sending.

HDFS_17129 = Bug(
    "HDFS-17129",
    "incremental reports have a thread of their own: one overtakes a full report, and the older full report wins",
    drops=(("send_incremental_report", "no full report is on its way"),),
    source="https://issues.apache.org/jira/browse/HDFS-17129; came with HDFS-16016 in 3.3.6 "
    "(BPServiceActor.IBRTaskHandler); fixed in 3.4.0 by HDFS-17343, which takes HDFS-16016 back",
).at("pipeline", "heard_replicas_complete_a_block", "corrupt_replicas_do_not_match")

# Committing and completing.


class ReportsComplete(BlockMap, lane="namenode"):
    """Reports of replicas complete the last block before its client has committed it."""

    def complete_if_minimal(s, file: File, *, where: Bool | bool = True) -> None:
        """An open block is complete as soon as enough replicas are known."""
        super().complete_if_minimal(file, where=where)
        completes = s.block[file].at(BlockLifecycle.under_construction) & s.has_minimal(file) & where
        s.block[file].fire(BlockLifecycle.force_complete, where=completes)


HDFS_800 = historic("HDFS-800", ReportsComplete, fixed="0.21.0").at("pipeline", "commit_fixes_content")


class DecommissioningDoesNotCount(BlockMap, lane="namenode"):
    """A block whose replicas are on decommissioning datanodes stays COMMITTED, and close() fails."""

    def counts_as_minimal(s, file: File) -> Members[Datanode]:
        """The live replicas only."""
        return s.live(file)


HDFS_11486 = historic("HDFS-11486", DecommissioningDoesNotCount, fixed="2.7.4, 3.0.0-alpha4").at(
    "lost_bytes", "heard_replicas_complete_a_block"
)


class RecoveryAsksForLiveReplicas(SomeRecovery, lane="namenode"):
    """A recovery of replicas on decommissioning datanodes cannot close its file, for they do not count as live."""

    def end_recovery(s, file: File) -> None:
        """Where usable replicas would be enough and live ones are not, the block stays COMMITTED."""
        stuck = (s.live(file).size() < s.minimal()) & s.has_minimal(file)
        s.block[file].fire(BlockLifecycle.commit_block_synchronization, where=~stuck)
        s.block[file].fire(BlockLifecycle.commit_block_synchronization_too_few_replicas, where=stuck)
        s.file[file].fire(FileLifecycle.close, where=~stuck)
        s.client_name[file] = when(stuck, s.client_name[file], none)
        s.update_needed(file)


HDFS_11499 = historic("HDFS-11499", RecoveryAsksForLiveReplicas, fixed="2.7.4, 2.9.0, 3.0.0-alpha4").at(
    "decommissions", "only_a_client_leaves_a_block_committed"
)


class LocationsKeepTheBlocksStamp(NamenodeReports, lane="namenode"):
    """A replica reported just before updatePipeline is noted under the old stamp, and dropped as stale."""

    def add_location(s, file: File, datanode: Datanode, stamp: Ordered, *, where: Bool | bool = True) -> None:
        """A report that comes before updatePipeline is noted under the old stamp."""
        super().add_location(file, datanode, stamp, where=where)
        s.location_stamp[file][datanode] = when(where, s.block_stamp[file], s.location_stamp[file][datanode])


HDFS_5557 = historic("HDFS-5557", LocationsKeepTheBlocksStamp, fixed="0.23.10, 2.3.0").at(
    "pipeline", "heard_replicas_complete_a_block"
)


class AnyGenerationCounts(NamenodeReports, lane="namenode"):
    """An old replica that is reported while the block is open counts, and stays counted when it is committed."""

    def is_old(s, file: File, stamp: Ordered) -> Bool:
        """No FINALIZED replica is."""
        return (stamp < s.block_stamp[file]) & (stamp > s.block_stamp[file])

    def remove_stale_replicas(s, file: File) -> None:
        """Nothing is dropped."""


HDFS_5438 = historic("HDFS-5438", AnyGenerationCounts, fixed="0.23.10, 2.3.0").at(
    "pipeline", "counted_replicas_match", "open_blocks_have_no_old_replica"
)


class OldFinalizedCounts(NamenodeReports, lane="namenode"):
    """A FINALIZED replica that missed an append counts for the open block."""

    def is_old(s, file: File, stamp: Ordered) -> Bool:
        """None is."""
        return (stamp < s.block_stamp[file]) & (stamp > s.block_stamp[file])


HDFS_5723 = historic("HDFS-5723", OldFinalizedCounts, fixed="2.6.0").at("pipeline", "open_blocks_have_no_old_replica")


class OldUnfinishedCounts(NamenodeReports, lane="namenode"):
    """An RBW or RWR of an older generation becomes a location of the open block."""

    def is_old_unfinished(s, file: File, stamp: Ordered) -> Bool:
        """None is."""
        return (stamp < s.block_stamp[file]) & (stamp > s.block_stamp[file])


HDFS_13840 = historic("HDFS-13840", OldUnfinishedCounts, fixed="3.1.2, 3.2.0").at(
    "pipeline", "open_blocks_have_no_old_replica"
)

# Corrupt replicas.


class RbwIsCorrupt(NamenodeReports, lane="namenode"):
    """A report of an RBW that races with the end of the file makes a good replica corrupt."""

    def cannot_be_complete(s, state: Enumerated[ReportedState]) -> Bool:
        """An RBW cannot, either."""
        return state.at(ReportedState.RBW, ReportedState.RWR)

    def leaves_the_corrupt(s, file: File, datanode: Datanode) -> Bool:
        """A report that matches does not change what is known as corrupt (until HDFS-5438)."""
        return ~s.stored[file].has(datanode)


HDFS_2791 = historic("HDFS-2791", RbwIsCorrupt, fixed="0.23.1, 1.1.0").at("recoveries", "corrupt_replicas_do_not_match")


class MarkIsDroppedUndeleted(NamenodeReports, lane="namenode"):
    """A corrupt replica counts as live although its deletion was put off, and good ones are deleted in its place."""

    def invalidate_corrupt_replicas(s, file: File, *, where: Bool | bool = True) -> None:
        """Corrupt replicas that are not deleted yet count as live."""
        forgotten = s.on_stale_storage(file) & ~s.safe_mode & where
        super().invalidate_corrupt_replicas(file, where=where)
        s.corrupt[file].update(lambda d: when(forgotten, not_corrupt(), s.corrupt[file][d]))


HDFS_4799 = historic("HDFS-4799", MarkIsDroppedUndeleted, fixed="2.1.0, 0.23.8").at(
    "restarts", "last_good_replica_is_not_deleted", "counted_replicas_match"
)


class LeftOutReplicasStay(SomeRecovery, lane="namenode"):
    """A replica that a recovery has left out counts on, under the old stamp."""

    def leave_out_of_recovery(s, file: File, datanodes: Members[Datanode], old_stamp: Ordered) -> None:
        """Nothing is marked."""


HDFS_7930 = historic("HDFS-7930", LeftOutReplicasStay, fixed="2.6.1, 2.7.0").at("recoveries", "counted_replicas_match")


class DecommissioningKeepsCorrupt(NamenodeReports, lane="namenode"):
    """A corrupt replica is kept for want of live ones although decommissioning ones make it superfluous."""

    def usable_for_deletion(s, file: File) -> Number:
        """The live ones."""
        return s.live(file).size()


HDFS_16064 = historic("HDFS-16064", DecommissioningKeepsCorrupt, fixed="3.2.5, 3.3.5, 3.4.0").at(
    "lost_bytes", "corrupt_replicas_are_kept_for_want_of_good_ones"
)

# Copies.


class ReopenedStaysQueued(SomeWriters, lane=Client):
    """A block that is opened again stays queued for reconstruction, as it was before."""

    def leave_reconstruction(s, file: File) -> None:
        """No queue is told."""


HDFS_4022 = historic("HDFS-4022", ReopenedStaysQueued, fixed="2.0.3-alpha").at("reopened", "open_blocks_are_not_copied")


class OpenBlocksAreCopied(BlockMap, lane="namenode"):
    """A block that is being written is queued for reconstruction when a replica of it goes."""

    def may_be_copied(s, file: File) -> Bool:
        """Any block that is there."""
        return s.block[file].at(*BlockLifecycle.any_state)


HDFS_9600 = historic("HDFS-9600", OpenBlocksAreCopied, fixed="2.6.4, 2.7.3").at(
    "pipeline", "open_blocks_are_not_copied"
)


class OldBlockIsQueuedAgain(Reconstruction, lane="namenode"):
    """A copy that timed out is ordered again under the stamp of the first order, which no replica has any more."""

    queued_stamp = per(File, ordered(limit="stamps"))

    @action
    def pending_copy_times_out(s, file: File) -> None:
        """The block is queued again, as it was."""
        require(~s.pending[file].is_empty(), "a copy is waited for")
        s.queued_stamp[file] = s.copy_stamp[file]
        s.pending[file].clear()
        s.copy_orders[file].clear()
        s.update_needed(file)

    def generation_to_copy(s, file: File) -> Ordered:
        """That of the queue, if the block comes from there."""
        return when(s.queued_stamp[file] > 0, s.queued_stamp[file], s.block_stamp[file])


HDFS_8404 = historic("HDFS-8404", OldBlockIsQueuedAgain, fixed="2.6.1, 2.7.1").at(
    "reopened_copies", "copies_are_of_the_present_generation"
)


class AnyGenerationEndsTheWait(NamenodeReports, lane="namenode"):
    """A late report of an older generation ends the wait for the replica of the present one."""

    def copy_has_come(s, file: File, datanode: Datanode, stamp: Ordered) -> None:
        """The stamp is not compared, and the block judged anew only if its own generation has come."""
        super().copy_has_come(file, datanode, stamp)
        s.pending[file].remove(datanode)


HDFS_11960 = historic("HDFS-11960", AnyGenerationEndsTheWait, fixed="2.8.2, 3.0.0-beta1").at(
    "copies", "short_blocks_are_queued"
)

BUGS = (
    HDFS_800,
    HDFS_2791,
    HDFS_4022,
    HDFS_4799,
    HDFS_5438,
    HDFS_5557,
    HDFS_5723,
    HDFS_7930,
    HDFS_8404,
    HDFS_9600,
    HDFS_11486,
    HDFS_11499,
    HDFS_11960,
    HDFS_13840,
    HDFS_16064,
    HDFS_17129,
)


class TooFewAreNotClosed(SomeRecovery, lane="namenode"):
    """A file whose recovery leaves too few storages cannot be closed."""

    def may_close(s, file: File, updated: Members[Datanode]) -> None:
        """Checks: those that were updated, and those that are known, are enough."""
        enough = (s.stored[file] | (updated & s.registered)).size() >= s.minimal()
        require(enough, "minimal replication is reached", "IllegalStateException")


HDFS_12886 = Difference(
    "HDFS-12886",
    parts=(TooFewAreNotClosed,),
    source=f"{ISSUE}HDFS-12886; fixed in 2.9.1, 3.0.3, 3.1.0; what never comes of it is in hdfs.block_recovery_ends",
).seen("recoveries", "refusal commit_block_synchronization, IllegalStateException: minimal replication is reached")
