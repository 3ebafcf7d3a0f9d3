"""What one report does to the block map, as the tables of the facts say; and what the NameNode notes of replicas.

Written beside the text of `namenode_reports.py` and not derived from it, so that a change of either is noticed.
"""

from typing import Self

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import FullReport, IncrementalKind, IncrementalReport, ReportedState
from genstamp_spec.hdfs.parts.state import Datanode, File
from genstamp_spec.hdfs.systems.reports_promises import ReportsPromises
from genstamp_spec.lifecycles.block import BlockLifecycle


class ReportEffects(ReportsPromises):
    """Effects of single reports (facts I.1 to I.3), and the shape of what the NameNode keeps."""

    def arrives(s, t: Self, file: File, datanode: Datanode, kind: IncrementalKind) -> Bool:
        """The step takes an incremental report of this kind."""
        taken = s.sent[datanode][file].kind.at(kind) & t.sent[datanode][file].kind.at(IncrementalKind.NONE)
        return taken & s.nothing_ends(t, datanode)

    def full_report_arrives(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """The step takes a full report."""
        taken = s.full_report[datanode][file].on_its_way & ~t.full_report[datanode][file].on_its_way
        return taken & s.nothing_ends(t, datanode)

    def nothing_ends(s, t: Self, datanode: Datanode) -> Bool:
        """Neither the datanode nor the NameNode stops in the step, which would lose what is under way."""
        stays = (s.registered & t.registered & s.running & t.running).has(datanode)
        return stays & (s.namenode_restarts == t.namenode_restarts)

    def is_settled(s, file: File) -> Bool:
        """The block has the stamp and length that it will keep."""
        return s.block[file].at(BlockLifecycle.committed, BlockLifecycle.complete)

    def is_the_block(s, file: File, stamp: Ordered, num_bytes: Number) -> Bool:
        """A replica has the stamp and the length of the block."""
        return (stamp == s.block_stamp[file]) & (num_bytes == s.block_bytes[file])

    def is_ordered_away(s, file: File, datanode: Datanode, stamp: Ordered) -> Bool:
        """The replica of this stamp is to be deleted: a report of it changes nothing (I.1 step 3)."""
        return (s.to_invalidate[datanode][file] > 0) & (s.to_invalidate[datanode][file] == stamp)

    def match_counts(
        s, t: Self, file: File, datanode: Datanode, came: Bool, report: IncrementalReport | FullReport
    ) -> Bool:
        """A FINALIZED replica with the stamp and length of a COMMITTED or COMPLETE block is stored by its report."""
        good = s.is_the_block(file, report.stamp, report.num_bytes)
        kept = ~s.is_ordered_away(file, datanode, report.stamp)
        return (came & s.is_settled(file) & good & kept).implies(t.stored[file].has(datanode))

    def other_does_not_count(
        s, t: Self, file: File, datanode: Datanode, came: Bool, report: IncrementalReport | FullReport
    ) -> Bool:
        """A FINALIZED replica with another stamp or length than a COMMITTED or COMPLETE block does not count."""
        other = ~s.is_the_block(file, report.stamp, report.num_bytes)
        kept = ~s.is_ordered_away(file, datanode, report.stamp)
        return (came & s.is_settled(file) & other & kept).implies(~t.usable(file).has(datanode))

    @transition
    def matching_report_makes_a_replica_count(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """I.1, I.3: a FINALIZED replica with the stamp and length of a COMMITTED or COMPLETE block is stored by it."""
        came = s.arrives(t, file, datanode, IncrementalKind.RECEIVED)
        return s.match_counts(t, file, datanode, came, s.sent[datanode][file])

    @transition(inductive=True)
    def other_report_makes_no_replica_count(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica with another stamp or length than a COMMITTED or COMPLETE block does not count."""
        came = s.arrives(t, file, datanode, IncrementalKind.RECEIVED)
        return s.other_does_not_count(t, file, datanode, came, s.sent[datanode][file])

    @transition(inductive=True)
    def written_replica_becomes_a_location(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """I.1 step 5: an RBW of an open block is a location of it."""
        report = s.sent[datanode][file]
        came = s.arrives(t, file, datanode, IncrementalKind.RECEIVING)
        open_ = s.block[file].at(BlockLifecycle.under_construction, BlockLifecycle.under_recovery)
        young = (report.stamp >= s.block_stamp[file]) & ~s.is_ordered_away(file, datanode, report.stamp)
        return (came & open_ & young).implies(t.locations[file].has(datanode))

    @transition(inductive=True)
    def deleted_replica_is_forgotten(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """B.9: a datanode that has deleted its replica leaves the block map."""
        return s.arrives(t, file, datanode, IncrementalKind.DELETED).implies(~t.stored[file].has(datanode))

    @transition(inductive=True)
    def full_report_without_the_replica_forgets_it(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """B.9: a datanode whose full report does not have the block leaves the block map."""
        nothing = s.full_report[datanode][file].state.at(ReportedState.NONE)
        return (s.full_report_arrives(t, file, datanode) & nothing).implies(~t.stored[file].has(datanode))

    def full_report_of_a_finalized_arrives(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """The step takes a full report that has the replica FINALIZED."""
        finalized = s.full_report[datanode][file].state.at(ReportedState.FINALIZED)
        return s.full_report_arrives(t, file, datanode) & finalized

    @transition
    def full_report_of_a_match_makes_it_count(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """I.1: a FINALIZED replica of a full report is stored if it has stamp and length of a settled block."""
        came = s.full_report_of_a_finalized_arrives(t, file, datanode)
        return s.match_counts(t, file, datanode, came, s.full_report[datanode][file])

    @transition(inductive=True)
    def full_report_of_another_does_not_count(s, t: Self, file: File, datanode: Datanode) -> Bool:
        """I.2: a FINALIZED replica of a full report counts only with stamp and length of a settled block."""
        came = s.full_report_of_a_finalized_arrives(t, file, datanode)
        return s.other_does_not_count(t, file, datanode, came, s.full_report[datanode][file])

    @transition
    def queue_follows_the_number_of_replicas(s, t: Self, file: File) -> Bool:
        """I.3: a block enters the queue for reconstruction when it is short, and leaves it when it is not."""
        enters, leaves = ~s.needed[file] & t.needed[file], s.needed[file] & ~t.needed[file]
        restarts = s.namenode_restarts != t.namenode_restarts
        return enters.implies(t.is_short(file)) & (leaves & ~restarts).implies(~t.is_short(file))

    @transition(inductive=True)
    def blocks_are_postponed_for_full_reports(s, t: Self, file: File) -> Bool:
        """I.3: a deletion is postponed only while a full report is missing."""
        return (~s.postponed[file] & t.postponed[file]).implies(~s.stale_contents.is_empty())

    # The shape of what is kept.

    @invariant(inductive=True)
    def nothing_under_way_says_nothing(s, file: File, datanode: Datanode) -> Bool:
        """Where no report is, none of its values is."""
        unsent, sent, full = s.unsent[datanode][file], s.sent[datanode][file], s.full_report[datanode][file]
        no_unsent = ~unsent.kind.at(IncrementalKind.NONE) | ((unsent.stamp == 0) & (unsent.num_bytes == 0))
        no_sent = ~sent.kind.at(IncrementalKind.NONE) | ((sent.stamp == 0) & (sent.num_bytes == 0))
        there = full.on_its_way & ~full.state.at(ReportedState.NONE)
        return no_unsent & no_sent & (there | ((full.stamp == 0) & (full.num_bytes == 0)))

    @invariant(inductive=True)
    def complete_blocks_expect_no_location(s, file: File) -> Bool:
        """A8: a COMPLETE block has no expected locations, nor stamps of them."""
        none_left = s.locations[file].is_empty() & forall(Datanode, lambda d: s.location_stamp[file][d] == 0)
        return s.block[file].at(BlockLifecycle.complete).implies(none_left)

    @invariant(inductive=True)
    def only_locations_bear_a_stamp(s, file: File, datanode: Datanode) -> Bool:
        """HDFS-5557: a stamp is noted of expected locations only."""
        return (s.location_stamp[file][datanode] > 0).implies(s.locations[file].has(datanode))

    @invariant(inductive=True)
    def corrupt_and_excess_replicas_are_stored(s, file: File) -> Bool:
        """I.3: a replica that is corrupt or in excess is in the block map."""
        return ((s.corrupt_replicas(file) | s.excess[file]) - s.stored[file]).is_empty()

    @invariant
    def ordered_replicas_do_not_count(s, file: File, datanode: Datanode) -> Bool:
        """I.3: a replica of the block's generation that is to be deleted does not count."""
        return s.is_ordered_away(file, datanode, s.block_stamp[file]).implies(~s.usable(file).has(datanode))
