"""What has to be possible in hdfs.reports, or else its guards are too strict: the cells of I.2 among it.

What no configuration reaches is not among it. A COMPLETE or COMMITTED block never hears of an RWR of its own
generation, and a COMMITTED one never of a FINALIZED replica of its own generation and another length: its client has
the acknowledgement of every node of the pipeline, and what a disk loses is left out while a file is open. A COMPLETE
block never hears of a newer RBW: it is open again before there is one.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import CorruptReason, IncrementalKind, ReportedState
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles import BlockLifecycle, ReplicaLifecycle


class ReportsReached(BlockMap):
    """A report that arrives now, by what it says and by the state of the block; and what comes of reports."""

    def told_finalized(s, file: File, datanode: Datanode) -> Bool:
        """A full report with a FINALIZED replica can arrive now."""
        report = s.full_report[datanode][file]
        return report.on_its_way & report.state.at(ReportedState.FINALIZED) & s.registered.has(datanode)

    def told_unfinished(s, file: File, datanode: Datanode) -> Bool:
        """A full report with an RBW or RWR can arrive now."""
        report = s.full_report[datanode][file]
        unfinished = report.state.at(ReportedState.RBW, ReportedState.RWR)
        return report.on_its_way & unfinished & s.registered.has(datanode)

    def is_older(s, file: File, datanode: Datanode) -> Bool:
        """The reported stamp is below the block's."""
        return s.full_report[datanode][file].stamp < s.block_stamp[file]

    def is_same(s, file: File, datanode: Datanode) -> Bool:
        """The reported stamp is the block's."""
        return s.full_report[datanode][file].stamp == s.block_stamp[file]

    def is_newer(s, file: File, datanode: Datanode) -> Bool:
        """The reported stamp is above the block's."""
        return s.full_report[datanode][file].stamp > s.block_stamp[file]

    @witness
    def complete_block_hears_of_older_finalized(s, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica of another generation, at a COMPLETE block."""
        complete = s.block[file].at(BlockLifecycle.complete)
        return complete & s.told_finalized(file, datanode) & s.is_older(file, datanode)

    @witness
    def complete_block_hears_of_another_length(s, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica of the block's generation and another length, at a COMPLETE block."""
        complete = s.block[file].at(BlockLifecycle.complete)
        other = s.full_report[datanode][file].num_bytes != s.block_bytes[file]
        return complete & s.told_finalized(file, datanode) & s.is_same(file, datanode) & other

    @witness
    def complete_block_hears_of_older_unfinished(s, file: File, datanode: Datanode) -> Bool:
        """I.2: an RBW or RWR of another generation, at a COMPLETE block."""
        complete = s.block[file].at(BlockLifecycle.complete)
        return complete & s.told_unfinished(file, datanode) & s.is_older(file, datanode)

    @witness
    def complete_block_hears_of_its_own_rbw(s, file: File, datanode: Datanode) -> Bool:
        """I.2: an RBW of the block's generation, at a COMPLETE block: the report was late (HDFS-2791)."""
        complete = s.block[file].at(BlockLifecycle.complete)
        return complete & s.told_unfinished(file, datanode) & s.is_same(file, datanode)

    @witness
    def committed_block_hears_of_older_finalized(s, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica of another generation, at a COMMITTED block."""
        committed = s.block[file].at(BlockLifecycle.committed)
        return committed & s.told_finalized(file, datanode) & s.is_older(file, datanode)

    @witness
    def committed_block_hears_of_older_unfinished(s, file: File, datanode: Datanode) -> Bool:
        """I.2: an RBW or RWR of an older generation, at a COMMITTED block (HDFS-13840)."""
        committed = s.block[file].at(BlockLifecycle.committed)
        return committed & s.told_unfinished(file, datanode) & s.is_older(file, datanode)

    @witness
    def committed_block_hears_of_its_own_rbw(s, file: File, datanode: Datanode) -> Bool:
        """I.2: an RBW of the block's generation, at a COMMITTED block: no more than a location."""
        committed = s.block[file].at(BlockLifecycle.committed)
        return committed & s.told_unfinished(file, datanode) & s.is_same(file, datanode)

    @witness
    def open_block_hears_of_older_finalized(s, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica of an older generation, at a block UNDER_CONSTRUCTION (HDFS-5723)."""
        open_ = s.block[file].at(BlockLifecycle.under_construction)
        return open_ & s.told_finalized(file, datanode) & s.is_older(file, datanode)

    @witness
    def open_block_hears_of_newer_finalized(s, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica of a newer generation: the report has overtaken updatePipeline (HDFS-5557)."""
        open_ = s.block[file].at(BlockLifecycle.under_construction)
        return open_ & s.told_finalized(file, datanode) & s.is_newer(file, datanode)

    @witness
    def open_block_hears_of_older_unfinished(s, file: File, datanode: Datanode) -> Bool:
        """I.2: an RBW or RWR of an older generation, at a block UNDER_CONSTRUCTION."""
        open_ = s.block[file].at(BlockLifecycle.under_construction)
        return open_ & s.told_unfinished(file, datanode) & s.is_older(file, datanode)

    @witness
    def open_block_hears_of_newer_unfinished(s, file: File, datanode: Datanode) -> Bool:
        """I.2: an RBW or RWR of a newer generation: a pipeline is being set up."""
        open_ = s.block[file].at(BlockLifecycle.under_construction)
        return open_ & s.told_unfinished(file, datanode) & s.is_newer(file, datanode)

    @witness
    def recovered_block_hears_of_newer_finalized(s, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica of another generation, at a block UNDER_RECOVERY: the recovery is about to end."""
        recovered = s.block[file].at(BlockLifecycle.under_recovery)
        return recovered & s.told_finalized(file, datanode) & s.is_newer(file, datanode)

    @witness
    def recovered_block_hears_of_older_unfinished(s, file: File, datanode: Datanode) -> Bool:
        """I.2: an RBW or RWR of an older generation, at a block UNDER_RECOVERY."""
        recovered = s.block[file].at(BlockLifecycle.under_recovery)
        return recovered & s.told_unfinished(file, datanode) & s.is_older(file, datanode)

    @witness
    def corrupt_replica_is_kept_for_want_of_good_ones(s, file: File, datanode: Datanode) -> Bool:
        """I.3: the only replica of a COMPLETE block is corrupt, and nobody deletes it."""
        kept = s.corrupt_replicas(file).has(datanode) & (s.to_invalidate[datanode][file] == 0)
        return s.block[file].at(BlockLifecycle.complete) & kept & s.usable(file).is_empty()

    @witness
    def deletion_is_postponed(s, file: File, datanode: Datanode) -> Bool:
        """I.3: a corrupt replica is not deleted although a good one is there, for a full report is waited for."""
        corrupt = s.corrupt_replicas(file).has(datanode) & ~s.usable(file).is_empty()
        return s.postponed[file] & corrupt & s.on_stale_storage(file)

    @witness
    def order_names_another_stamp(s, file: File, datanode: Datanode) -> Bool:
        """B17: a datanode is told to delete a replica of an older generation than it has."""
        replica, order = s.replica[datanode][file], s.to_invalidate[datanode][file]
        return (order > 0) & (replica.stamp > order) & replica.state.at(ReplicaLifecycle.finalized)

    @witness
    def good_replica_is_taken_for_corrupt(s, file: File, datanode: Datanode) -> Bool:
        """J.3: until its next report arrives, a replica that matches may be known as corrupt."""
        replica, reason = s.replica[datanode][file], s.corrupt[file][datanode]
        good = s.matches(replica, s.block_stamp[file], s.block_bytes[file])
        return good & reason.at(CorruptReason.GENSTAMP_MISMATCH) & s.block[file].at(BlockLifecycle.complete)

    @witness
    def block_waits_for_its_replicas(s, file: File) -> Bool:
        """A7: a block is COMMITTED, and no replica of it is known."""
        return s.block[file].at(BlockLifecycle.committed) & s.stored[file].is_empty()

    @witness
    def recovery_completes_with_too_few(s, file: File) -> Bool:
        """A9: a block is COMPLETE by its recovery with fewer replicas than minimal replication."""
        recovered = (s.recovery_id[file] == s.block_stamp[file]) & s.block[file].at(BlockLifecycle.complete)
        return recovered & ~s.stored[file].is_empty() & (s.stored[file].size() < s.minimal())

    @witness
    def copy_is_reported(s, file: File, datanode: Datanode) -> Bool:
        """A copy that the NameNode waits for is on the way to be known."""
        report = s.sent[datanode][file]
        return s.pending[file].has(datanode) & report.kind.at(IncrementalKind.RECEIVED) & (s.copies > 0)
