"""hdfs.standby_reports: reports that reach a standby before the edits that explain them, and a failover."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.standby_reports import BUGS, HDFS_14941, HDFS_15422
from genstamp_spec.hdfs.parts.standby_reports import Known, StandbyReports, Told
from genstamp_spec.hdfs.parts.state import Datanode

OMITS = (
    "lengths, expected locations, minimal replication, and all that hdfs.reports says of an active NameNode",
    "several reports of one datanode in the queue: the last one stands (HDFS-17453)",
    "full reports, deletions, and datanodes that stop; an edit that is written is never lost",
)


class StandbyPromises(StandbyReports):
    """What a failover must not lose."""

    @invariant
    def reported_replicas_are_known(s, datanode: Datanode) -> Bool:
        """S21: after a failover a FINALIZED replica that matches, and whose report has arrived, counts."""
        replica = s.replica[datanode]
        good = replica.finalized & (replica.stamp == s.known_stamp) & s.known.at(Known.COMPLETE)
        heard = s.took_over & ~s.unsent[datanode].there
        return (heard & good).implies(s.stored().has(datanode))

    @invariant
    def old_replicas_do_not_count(s, datanode: Datanode) -> Bool:
        """S7: after a failover no replica of an older generation counts, once its report has arrived."""
        replica = s.replica[datanode]
        counts = s.took_over & s.known.at(Known.COMPLETE) & s.stored().has(datanode)
        return (counts & ~s.unsent[datanode].there).implies(replica.stamp == s.known_stamp)

    @invariant
    def standby_marks_nothing(s) -> Bool:
        """S25: a standby takes nothing for corrupt: what does not fit may be newer than what it knows."""
        return s.took_over | s.corrupt.is_empty()

    @invariant(inductive=True, given=("block_has_a_stamp",))
    def stamps_come_from_the_counter(s) -> Bool:
        """S9: a stamp that waits for its block was drawn after the one that the block has."""
        waits = (s.drawn == 0) | ((s.drawn > s.active_stamp) & (s.active_stamp > 0))
        return waits & (s.drawn <= s.last_stamp) & (s.active_stamp <= s.last_stamp)

    @invariant(inductive=True)
    def block_has_a_stamp(s) -> Bool:
        """S9: a block has a stamp from the beginning on."""
        return s.active.at(Known.ABSENT) == (s.active_stamp == 0)

    @invariant(inductive=True)
    def failover_reads_the_counter(s) -> Bool:
        """S9: who takes over gives out no stamp again, not even one that was drawn for no block (facts H.4.7)."""
        return s.took_over.implies(s.visible_stamp == s.last_stamp)

    @invariant
    def block_is_known_by_its_stamp(s) -> Bool:
        """I.1: the counter by which reports are from the future has passed the stamp of the block that is known."""
        return s.known_stamp <= s.visible_stamp

    @invariant(inductive=True, given=("block_has_a_stamp", "stamps_come_from_the_counter"))
    def only_the_blocks_generation_is_finalized(s, datanode: Datanode) -> Bool:
        """S7: a replica is finalized under a stamp that the block had then: what is told of it is no newer one."""
        replica, unsent, queued = s.replica[datanode], s.unsent[datanode], s.queued[datanode]
        return s.is_no_newer(replica) & s.is_no_newer(unsent) & s.is_no_newer(queued)

    def is_no_newer(s, told: Told) -> Bool:
        """Not finalized, or with a stamp that is not above the block's."""
        return ~told.finalized | (told.stamp <= s.active_stamp)

    @witness
    def report_waits_for_its_edit(s, datanode: Datanode) -> Bool:
        """I.1: a report is from the future."""
        return s.queued[datanode].there & s.from_the_future(s.queued[datanode])

    @witness
    def report_waits_although_it_looks_corrupt(s, datanode: Datanode) -> Bool:
        """I.1: another block's edit has raised the counter, and a newer replica does not fit what is known."""
        queued = s.queued[datanode]
        return queued.there & ~s.from_the_future(queued) & (queued.stamp > s.known_stamp)

    @witness
    def corrupt_after_failover(s, datanode: Datanode) -> Bool:
        """I.1: a report that was queued turns out to be of an old replica."""
        return s.took_over & s.corrupt.has(datanode)


STANDBY_REPORTS = System(
    "hdfs.standby_reports",
    parts=[StandbyPromises],
    doc="Reports that reach a standby NameNode before the edits that explain them, and a failover.",
    semantics={"repaired": (), "hadoop-3.4": (), "hadoop-2.7": (HDFS_14941, HDFS_15422)},
    rows="""
        failover: Datanode=1 stamps=3 edits=5; one replica, written twice
        appends: Datanode=2 stamps=3 edits=5; two replicas, and a block that is opened again and again
    """,
    bugs=BUGS,
    omits=OMITS,
)
