"""The NameNode: what a report of a replica does to the block map, and when a committed block is complete.

The detailed form of `NamenodeBlocks.block_received`. Each helper is one method of BlockManager, with its condition as
an argument. Reports arrive as `report_messages.py` says.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import (
    CorruptReason,
    FullReport,
    IncrementalKind,
    IncrementalReport,
    ReportedState,
    corrupt_for,
    no_full_report,
    no_incremental_report,
    not_corrupt,
    reported_as,
)
from genstamp_spec.hdfs.parts.state import Datanode, File, only
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles.block import BlockLifecycle


class NamenodeReports(BlockMap, lane="namenode"):
    """processReportedBlock, checkReplicaCorrupt, markBlockAsCorrupt and addStoredBlock, and the excess replicas."""

    @action
    def choose_excess_replica(s, file: File, datanode: Datanode) -> None:
        """A live replica too many is to be deleted, once all datanodes that have one have reported in full.

        Source  BlockManager#processExtraRedundancyBlock, #processChosenExcessRedundancy, Hadoop 3.4.1; facts I.3.
        """
        require(~s.safe_mode, "the NameNode is not in safe mode")
        require(s.block[file].at(BlockLifecycle.complete), "the block is complete")
        require(s.live(file).has(datanode), "the replica is live")
        require(s.live(file).size() > s.wanted(), "there are more live replicas than wanted")
        require(~s.on_stale_storage(file), "every datanode with a replica has reported in full")
        s.excess[file].add(datanode)
        s.order_deletion(file, datanode, s.block_stamp[file])

    # One reported replica (I.1).

    def process_reported(
        s,
        file: File,
        datanode: Datanode,
        state: Enumerated[ReportedState],
        stamp: Ordered,
        num_bytes: Number,
        *,
        where: Bool | bool = True,
    ) -> None:
        """BlockManager#processReportedBlock, Hadoop 3.4.1, of a NameNode that is active (facts I.1 steps 2 to 6)."""
        gone = s.block[file].at(BlockLifecycle.absent, BlockLifecycle.removed)
        scheduled = (s.to_invalidate[datanode][file] > 0) & (s.to_invalidate[datanode][file] == stamp)
        reason = s.corruption(file, state, stamp, num_bytes)
        judged = ~gone & ~scheduled & where
        corrupt = judged & ~(reason == not_corrupt())
        being_written = judged & ~corrupt & s.is_of_open_block(file, state)
        counted = s.stored[file].has(datanode) & s.corrupt[file][datanode].at(CorruptReason.NONE)
        adds = judged & ~corrupt & ~being_written & state.at(ReportedState.FINALIZED) & ~counted
        s.order_deletion(file, datanode, stamp, where=gone & where)
        s.add_location(file, datanode, stamp, where=being_written)
        s.add_stored(file, datanode, where=adds | (being_written & s.counts_at_once(file, datanode, state)))
        s.mark_corrupt(file, datanode, stamp, reason, where=corrupt)

    def is_of_open_block(s, file: File, state: Enumerated[ReportedState]) -> Bool:
        """BlockManager#isBlockUnderConstruction: the replica is taken as an expected location (facts I.1 step 5)."""
        block = s.block[file]
        written = block.at(BlockLifecycle.under_construction, BlockLifecycle.under_recovery)
        unfinished = state.at(ReportedState.RBW, ReportedState.RWR) & ~block.at(BlockLifecycle.complete)
        return (state.at(ReportedState.FINALIZED) & written) | unfinished

    def add_location(s, file: File, datanode: Datanode, stamp: Ordered, *, where: Bool | bool = True) -> None:
        """BlockUnderConstructionFeature#addReplicaIfNotPresent: the stamp is the reported one (HDFS-5557)."""
        s.locations[file] = when(where, s.locations[file] | only(datanode), s.locations[file])
        s.location_stamp[file][datanode] = when(where, stamp, s.location_stamp[file][datanode])

    def counts_at_once(s, file: File, datanode: Datanode, state: Enumerated[ReportedState]) -> Bool:
        """BlockManager#addStoredBlockUnderConstruction: a FINALIZED replica that does not count yet is stored, too.

        In Hadoop 3.4.1 a missing pair of parentheses lets any report of a replica that was corrupt pass.
        """
        counted = s.stored[file].has(datanode) & s.corrupt[file][datanode].at(CorruptReason.NONE)
        return state.at(ReportedState.FINALIZED) & ~counted

    def add_stored(s, file: File, datanode: Datanode, *, where: Bool | bool = True) -> None:
        """BlockManager#addStoredBlock, Hadoop 3.4.1: the replica counts; a committed block may be complete by it."""
        matches_now = where & s.leaves_the_corrupt(file, datanode)
        s.stored[file] = when(where, s.stored[file] | only(datanode), s.stored[file])
        s.corrupt[file][datanode] = when(matches_now, not_corrupt(), s.corrupt[file][datanode])
        s.complete_if_minimal(file, where=where)
        ended = where & s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)
        s.update_needed(file, where=ended)
        s.invalidate_corrupt_replicas(file, where=ended & (s.usable(file).size() >= s.wanted()))

    def leaves_the_corrupt(s, file: File, datanode: Datanode) -> Bool:
        """A matching report takes the replica out of the map of corrupt ones, whatever the reason (facts I.3)."""
        return s.stored[file].has(datanode)

    # Which reported replicas are corrupt (I.2), and what becomes of them (I.3).

    def corruption(
        s, file: File, state: Enumerated[ReportedState], stamp: Ordered, num_bytes: Number
    ) -> Enumerated[CorruptReason]:
        """BlockManager#checkReplicaCorrupt: why a replica reported so is corrupt, or NONE (facts I.2, H.3)."""
        block = s.block[file]
        complete, writing = block.at(BlockLifecycle.complete), block.at(BlockLifecycle.under_construction)
        settled = complete | block.at(BlockLifecycle.committed)
        other = stamp != s.block_stamp[file]
        finalized, unfinished = state.at(ReportedState.FINALIZED), state.at(ReportedState.RBW, ReportedState.RWR)
        recovering = block.at(BlockLifecycle.under_recovery)
        too_old = (writing & s.is_old(file, stamp)) | (recovering & s.is_too_old_to_recover(file, stamp))
        of_old_finalized = finalized & ((settled & other) | too_old)
        of_old_unfinished = unfinished & when(complete, other, s.is_old_unfinished(file, stamp))
        wrong_size = finalized & settled & ~other & (num_bytes != s.block_bytes[file])
        wrong_state = complete & ~other & s.cannot_be_complete(state)
        never = state.at(ReportedState.RUR, ReportedState.TEMPORARY)
        reason = when(wrong_state | never, corrupt_for(CorruptReason.INVALID_STATE), CorruptReason.NONE)
        reason = when(wrong_size, corrupt_for(CorruptReason.SIZE_MISMATCH), reason)
        return when(of_old_finalized | of_old_unfinished, corrupt_for(CorruptReason.GENSTAMP_MISMATCH), reason)

    def is_old(s, file: File, stamp: Ordered) -> Bool:
        """A FINALIZED replica of an open block: its stamp is below the block's (HDFS-5723)."""
        return stamp < s.block_stamp[file]

    def is_too_old_to_recover(s, file: File, stamp: Ordered) -> Bool:
        """A FINALIZED replica of a block under recovery: its stamp is below the block's, so that it can take no part.

        A repair: Hadoop 3.4.1 takes it for a location, which each attempt asks in vain.
        """
        return stamp < s.block_stamp[file]

    def is_old_unfinished(s, file: File, stamp: Ordered) -> Bool:
        """An RBW or RWR of a block that is not complete: its stamp is below the block's (HDFS-13840)."""
        return stamp < s.block_stamp[file]

    def cannot_be_complete(s, state: Enumerated[ReportedState]) -> Bool:
        """A complete block has no RWR. An RBW may be about to be finalized: the report was late (HDFS-2791)."""
        return state.at(ReportedState.RWR)

    def mark_corrupt(
        s,
        file: File,
        datanode: Datanode,
        stamp: Ordered,
        reason: Enumerated[CorruptReason],
        *,
        where: Bool | bool = True,
    ) -> None:
        """BlockManager#markBlockAsCorrupt, Hadoop 3.4.1: the replica counts no more; it is deleted now, or is kept.

        It is deleted if replicas enough are left, if there are more than wanted with it, or if it was left behind by
        a pipeline: then its stamp is below the block's (facts I.3).
        """
        s.stored[file] = when(where, s.stored[file] | only(datanode), s.stored[file])
        s.corrupt[file][datanode] = when(where, reason, s.corrupt[file][datanode])
        enough = s.usable_for_deletion(file) >= s.wanted()
        minimal = s.usable(file).size() >= s.minimal()
        known = s.live(file).size() + s.corrupt_replicas(file).size()
        behind = stamp < s.block_stamp[file]
        goes = enough | (minimal & ((known > s.wanted()) | behind))
        stale = s.on_stale_storage(file)
        s.invalidate_block(file, datanode, stamp, where=where & goes & ~stale)
        s.postpone(file, where=where & goes & stale)
        s.update_needed(file, where=where & ~goes)

    def usable_for_deletion(s, file: File) -> Number:
        """Replicas that make a corrupt one superfluous: the usable ones (HDFS-16064, facts I.3)."""
        return s.usable(file).size()

    def invalidate_block(s, file: File, datanode: Datanode, stamp: Ordered, *, where: Bool | bool = True) -> None:
        """BlockManager#invalidateBlock: the replica is to be deleted, and its datanode is no location any more."""
        s.order_deletion(file, datanode, stamp, where=where)
        s.remove_stored(file, only(datanode), where=where)

    def invalidate_corrupt_replicas(s, file: File, *, where: Bool | bool = True) -> None:
        """BlockManager#invalidateCorruptReplicas: replicas enough are there, the corrupt ones go.

        Where that has to wait for reports they stay known as corrupt (HDFS-4799, facts I.3). The orders name the stamp
        of the block, so that they do not fit an older replica: that one is found anew by the next full report.
        """
        corrupt, stale = s.corrupt_replicas(file), s.on_stale_storage(file)
        go = ~corrupt.is_empty() & ~s.safe_mode & where
        s.order_deletions(file, corrupt, s.block_stamp[file], where=go & ~stale)
        s.postpone(file, where=go & stale)
        s.remove_stored(file, corrupt, where=go & ~stale)

    # Reports arrive.

    def arriving(s, datanode: Datanode, file: File, kind: IncrementalKind) -> IncrementalReport:
        """Checks: an incremental report of this kind is on its way. It is taken."""
        report = s.sent[datanode][file]
        require(report.kind.at(kind), "such a report is on its way")
        require(s.registered.has(datanode), "the datanode is registered")
        return IncrementalReport(kind=report.kind, stamp=report.stamp, num_bytes=report.num_bytes)

    def arrived(s, datanode: Datanode, file: File) -> None:
        """The report is dealt with."""
        s.sent[datanode][file] = no_incremental_report()
        s.forget_locations(file)
        observe(block_state=s.block[file], stored=s.stored[file])

    @action(caller="datanode")
    def block_receiving(s, file: File, datanode: Datanode) -> None:
        """A replica is being written: it is an expected location, or it is of an old generation.

        Source  BlockManager#processIncrementalBlockReport, Hadoop 3.4.1; facts I.1, I.2.
        """
        report = s.arriving(datanode, file, IncrementalKind.RECEIVING)
        s.process_reported(file, datanode, reported_as(ReportedState.RBW), report.stamp, report.num_bytes)
        s.arrived(datanode, file)

    @action(caller="datanode")
    def block_received(s, file: File, datanode: Datanode) -> None:
        """A replica is FINALIZED: it counts if it matches, and may complete its block.

        Source  BlockManager#addBlock, #processIncrementalBlockReport, Hadoop 3.4.1; facts A8, I.1, I.2, I.3.
        """
        report = s.arriving(datanode, file, IncrementalKind.RECEIVED)
        s.copy_has_come(file, datanode, report.stamp)
        s.process_reported(file, datanode, reported_as(ReportedState.FINALIZED), report.stamp, report.num_bytes)
        s.arrived(datanode, file)

    def copy_has_come(s, file: File, datanode: Datanode, stamp: Ordered) -> None:
        """PendingReconstructionBlocks#decrement: only a replica of the block's generation counts (HDFS-11960)."""
        came = stamp == s.block_stamp[file]
        waited = s.pending[file].has(datanode)
        s.pending[file] = when(came, s.pending[file] - only(datanode), s.pending[file])
        s.update_needed(file, where=came & waited & s.judges_anew(file))

    def judges_anew(s, file: File) -> Bool:
        """The block is judged anew, for the replica may have been known by a full report already, and counted twice.

        Hadoop 3.4.1 does not, so that a block which lost another replica meanwhile stays short.
        """
        return s.block[file].at(BlockLifecycle.complete)

    @action(caller="datanode")
    def block_deleted(s, file: File, datanode: Datanode) -> None:
        """A replica is gone: its datanode leaves the block map.

        Source  BlockManager#removeStoredBlock, Hadoop 3.4.1; facts B17, B.9.
        """
        s.arriving(datanode, file, IncrementalKind.DELETED)
        s.remove_stored(file, only(datanode))
        s.arrived(datanode, file)

    @action(caller="datanode")
    def block_report(s, file: File, datanode: Datanode) -> None:
        """A full report: the replica is judged like any other; a datanode without one leaves the block map.

        Source  BlockManager#processReport, #reportDiff, Hadoop 3.4.1; facts B.9, I.1, I.2, I.3.
        """
        report = s.full_report[datanode][file]
        require(report.on_its_way, "a full report is on its way")
        require(s.registered.has(datanode), "the datanode is registered")
        told = FullReport(
            on_its_way=True,
            state=report.state,
            stamp=report.stamp,
            num_bytes=report.num_bytes,
        )
        there = ~told.state.at(ReportedState.NONE)
        s.remove_stored(file, only(datanode), where=~there)
        s.process_reported(file, datanode, told.state, told.stamp, told.num_bytes, where=there)
        s.stale_contents.remove(datanode)
        s.full_report[datanode][file] = no_full_report()
        s.forget_locations(file)
        observe(block_state=s.block[file], stored=s.stored[file])
