"""What hdfs.reports promises, for every system that contains its parts."""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import CorruptReason, IncrementalKind, ReportedState
from genstamp_spec.hdfs.parts.state import Client, Datanode, File, StreamStage
from genstamp_spec.hdfs.state.block_map import BlockMap
from genstamp_spec.lifecycles import BlockLifecycle, FileLifecycle, ReplicaLifecycle


class ReportsPromises(BlockMap):
    """What hdfs.reports promises; numbers S and L are those of the facts, page J."""

    @limit("full_reports")
    def full_reports(s) -> Number:
        """Full reports on their way."""
        return count(Datanode, lambda d: exists(File, lambda f: s.full_report[d][f].on_its_way))

    # What the NameNode knows of replicas.

    def is_good(s, datanode: Datanode, file: File) -> Bool:
        """The replica is FINALIZED, with the stamp and length of the block."""
        return s.matches(s.replica[datanode][file], s.block_stamp[file], s.block_bytes[file])

    @invariant
    def counted_replicas_match(s, file: File, datanode: Datanode) -> Bool:
        """S7: a replica that counts for a COMPLETE block matches it, once all its datanode's reports have arrived."""
        counts = s.block[file].at(BlockLifecycle.complete) & s.usable(file).has(datanode)
        return (counts & s.has_settled(datanode, file)).implies(s.is_good(datanode, file))

    @invariant
    def open_blocks_have_no_old_replica(s, file: File, datanode: Datanode) -> Bool:
        """S2, S4, S7: no location or counted replica of an open block is older than it, once all reports have come."""
        open_ = s.block[file].at(BlockLifecycle.under_construction, BlockLifecycle.committed)
        known = ((s.locations[file] | s.stored[file]) - s.corrupt_replicas(file)).has(datanode)
        replica = s.replica[datanode][file]
        there = known & ~replica.state.at(ReplicaLifecycle.absent)
        there = there & (s.to_invalidate[datanode][file] == 0)
        return (open_ & there & s.has_settled(datanode, file)).implies(replica.stamp >= s.block_stamp[file])

    @invariant
    def recoveries_ask_no_old_replica(s, file: File, datanode: Datanode) -> Bool:
        """L6: no recovery asks a FINALIZED replica that is older than its block, once all reports have come."""
        asked = s.block[file].at(BlockLifecycle.under_recovery) & s.locations[file].has(datanode)
        replica = s.replica[datanode][file]
        finalized = replica.state.at(ReplicaLifecycle.finalized)
        return (asked & finalized & s.has_settled(datanode, file)).implies(replica.stamp >= s.block_stamp[file])

    @invariant
    def corrupt_replicas_do_not_match(s, file: File, datanode: Datanode) -> Bool:
        """S21: once all that a datanode had to report has arrived, a replica that matches is not taken for corrupt."""
        ordered = s.to_invalidate[datanode][file] > 0
        marked = s.corrupt_replicas(file).has(datanode) & s.block[file].at(BlockLifecycle.complete) & ~ordered
        return (marked & s.has_settled(datanode, file)).implies(~s.is_good(datanode, file))

    @transition
    def last_good_replica_is_not_deleted(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """S21: no replica of a COMPLETE block that matches is deleted unless another one matches, be it up or down.

        Where a disk has lost bytes nothing is promised: the NameNode may have counted on that replica.
        """
        complete = s.block[file].at(BlockLifecycle.complete) & t.block[file].at(BlockLifecycle.complete)
        deleted = s.is_good(datanode, file) & t.replica[datanode][file].state.at(ReplicaLifecycle.absent)
        return (complete & deleted & s.damaged.is_empty()).implies(exists(Datanode, lambda d: t.is_good(d, file)))

    # Committing.

    @invariant(inductive=True, given=("closed_files_are_complete",))
    def commit_fixes_content(s, file: File) -> Bool:
        """S13: a COMMITTED or COMPLETE block has the stamp and length that a client or a recovery committed.

        So no report completes a block that its client has not committed.
        """
        settled = s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)
        same = (s.block_stamp[file] == s.committed_stamp[file]) & (s.block_bytes[file] == s.committed_bytes[file])
        return settled.implies(same)

    @invariant
    def committed_bytes_are_there(s, file: File, datanode: Datanode) -> Bool:
        """S14: no FINALIZED replica of a committed block's generation is shorter than the block; lost bytes apart."""
        settled = s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)
        replica = s.replica[datanode][file]
        same = replica.state.at(ReplicaLifecycle.finalized) & (replica.stamp == s.block_stamp[file])
        kept = ~s.damaged.has(datanode) & s.damaged.is_empty()
        return (settled & same & kept).implies(replica.num_bytes >= s.block_bytes[file])

    @invariant(inductive=True)
    def closed_files_are_complete(s, file: File) -> Bool:
        """S16: the block of a closed file is COMPLETE."""
        return s.file[file].at(FileLifecycle.closed).implies(s.block[file].at(BlockLifecycle.complete))

    @invariant
    def heard_replicas_complete_a_block(s, file: File) -> Bool:
        """L5: a block is not left COMMITTED when all reports of replicas enough that match have arrived."""
        heard = count(Datanode, lambda d: s.has_settled(d, file) & s.is_good(d, file))
        return s.block[file].at(BlockLifecycle.committed).implies(heard < s.minimal())

    @invariant(inductive=True)
    def only_a_client_leaves_a_block_committed(s, file: File) -> Bool:
        """L1: a block waits for replicas only while its client waits, too: a recovery closes its file."""
        waiting = exists(Client, lambda c: ~s.stream[c][file].stage.at(StreamStage.NONE))
        return s.block[file].at(BlockLifecycle.committed).implies(waiting)

    @invariant
    def short_blocks_are_queued(s, file: File) -> Bool:
        """L5: a COMPLETE block of a closed file with too few replicas is in the queue for reconstruction."""
        closed = s.file[file].at(FileLifecycle.closed) & ~s.safe_mode
        return (closed & s.is_short(file)).implies(s.needed[file])

    @invariant(inductive=True)
    def open_blocks_are_not_copied(s, file: File) -> Bool:
        """S24: a block that is open is neither queued nor on its way to another datanode."""
        complete = s.block[file].at(BlockLifecycle.complete, BlockLifecycle.removed)
        return complete | (~s.needed[file] & s.pending[file].is_empty())

    @invariant
    def temporary_replicas_are_unknown(s, file: File, datanode: Datanode) -> Bool:
        """S24: a TEMPORARY replica does not count, once all that its datanode had to report has arrived."""
        temporary = s.replica[datanode][file].state.at(ReplicaLifecycle.temporary) & s.has_settled(datanode, file)
        return temporary.implies(~s.stored[file].has(datanode))

    @transition(inductive=True)
    def corrupt_replicas_are_kept_for_want_of_good_ones(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """S21: a replica that is found corrupt is kept only for want of usable ones, or until full reports come."""
        found = ~s.corrupt_replicas(file).has(datanode) & t.corrupt_replicas(file).has(datanode)
        enough = t.block[file].at(BlockLifecycle.complete) & (t.usable(file).size() >= t.wanted())
        waits = t.safe_mode | ~s.stale_contents.is_empty()
        return (found & ~waits).implies(~enough)

    @transition(inductive=True)
    def copies_are_of_the_present_generation(s, t: Self, file: File) -> Bool:
        """L5: what is ordered to be copied is a replica of the block as it is then, or it would never be found."""
        ordered_now = t.copy_orders[file].size() > s.copy_orders[file].size()
        return ordered_now.implies(t.copy_stamp[file] == s.block_stamp[file])


class ReportsReached(BlockMap):
    """A report that arrives now, by what it says and by the state of the block; and what comes of reports.

    What no configuration reaches is not among it. A COMPLETE or COMMITTED block never hears of an RWR of its own
    generation, and a COMMITTED one never of a FINALIZED replica of its own generation and another length: its client
    has the acknowledgement of every node of the pipeline, and what a disk loses is left out while a file is open. A
    COMPLETE block never hears of a newer RBW: it is open again before there is one.
    """

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
