"""The NameNode: what a report of a replica does to the block map, and when a committed block is complete.

The detailed form of `NamenodeBlocks.block_received`. Each helper is one method of BlockManager, with its condition as
an argument. Reports arrive as `report_messages.py` says.
"""

from genstamp_model.language import Bool, Enumerated, Members, Number, Ordered, action, observe, require, those, when
from genstamp_spec.hdfs.parts.namenode_corruption import NamenodeCorruption
from genstamp_spec.hdfs.parts.reports_state import (
    CorruptReason,
    FullReport,
    IncrementalKind,
    IncrementalReport,
    ReportedState,
    no_full_report,
    no_incremental_report,
    not_corrupt,
    reported_as,
)
from genstamp_spec.hdfs.parts.state import Datanode, File, only
from genstamp_spec.lifecycles.block import BlockLifecycle


class NamenodeReports(NamenodeCorruption, lane="namenode"):
    """processReportedBlock, addStoredBlock, commitBlock and completeBlock."""

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

    # Committing and completing (A.3).

    def complete_if_minimal(s, file: File, *, where: Bool | bool = True) -> None:
        """A8: a committed block with replicas enough is complete (BlockManager#completeBlock)."""
        completes = where & s.may_complete(file) & s.has_minimal(file)
        s.pending[file] = when(completes, s.pending[file] | s.expected_copies(file), s.pending[file])
        s.block[file].fire(BlockLifecycle.complete_block, where=completes)

    def may_complete(s, file: File) -> Bool:
        """The client has committed the block; enough replicas alone do not complete one (HDFS-800)."""
        return s.block[file].at(BlockLifecycle.committed)

    def expected_copies(s, file: File) -> Members[Datanode]:
        """Locations whose report has not come count as on their way (BlockManager#addExpectedReplicasToPending)."""
        return s.locations[file] - s.stored[file]

    def remove_stale_replicas(s, file: File) -> None:
        """Locations with another stamp than the block's leave the block map (BlockManager#removeStaleReplicas)."""
        old = those(Datanode, lambda d: s.location_stamp[file][d] != s.block_stamp[file])
        s.remove_stored(file, s.locations[file] & old, where=~s.locations[file].is_empty())

    def commit_block(s, file: File, stamp: Ordered, num_bytes: Number) -> None:
        """BlockManager#commitBlock: the length becomes the client's, old locations are dropped (facts A7, A.3)."""
        s.block[file].fire(BlockLifecycle.commit)
        s.block_bytes[file] = num_bytes
        s.committed_stamp[file] = stamp
        s.committed_bytes[file] = num_bytes
        s.remove_stale_replicas(file)

    def set_locations(s, file: File, locations: Members[Datanode]) -> None:
        """The expected locations are these, under the block's stamp."""
        s.locations[file] = locations
        s.location_stamp[file].update(lambda d: when(locations.has(d), s.block_stamp[file], 0))

    def forget_locations(s, file: File) -> None:
        """A complete block has no expected locations."""
        complete = s.block[file].at(BlockLifecycle.complete)
        s.locations[file] = when(complete, s.stored[file] - s.stored[file], s.locations[file])
        s.location_stamp[file].update(lambda d: when(complete, 0, s.location_stamp[file][d]))

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
