"""A standby NameNode that hears of replicas before it has read the edits that explain them (I.1 step 1).

One block. The active's client, its pipeline and the edit log are as coarse as can be: a stamp is drawn, replicas get
it, the block gets it, the file is closed, each but the second an edit; blocks of other files draw stamps in between.
Lengths are left out, and expected locations. What the standby does with a report is that of HDFS.
"""

import enum
from collections.abc import Callable

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.state import Datanode, only


class Known(enum.Enum):
    """The block as a NameNode knows it."""

    ABSENT = enum.auto()
    OPEN = enum.auto()
    COMPLETE = enum.auto()


class EditKind(enum.Enum):
    """OP_SET_GENSTAMP_V2; OP_ADD_BLOCK, OP_UPDATE_BLOCKS and OP_APPEND; OP_CLOSE; an op of another file's block."""

    SET_STAMP = enum.auto()
    OPEN = enum.auto()
    CLOSE = enum.auto()
    OTHER_BLOCK = enum.auto()


class Edit(Record):
    """An op that the standby has not read yet."""

    kind = enumeration(EditKind)
    stamp = ordered(limit="stamps")


class Told(Record):
    """A report of a replica: RBW or FINALIZED, and its stamp."""

    there = flag()
    finalized = flag()
    stamp = ordered(limit="stamps")


def nothing_told() -> Told:
    """No report."""
    return Told(there=False, finalized=False, stamp=0)


class View(Record):
    """A block as it is known."""

    block = enumeration(Known)


def known_as(block: Known) -> Enumerated[Known]:
    """A state of the block, as a value."""
    return View(block=block).block


class StandbyReports(Part, lane="namenode"):
    """The edits and reports that reach the standby, its queue of reports, and its takeover."""

    # The active and the datanodes.
    active = enumeration(Known)
    active_stamp = ordered(limit="stamps")
    drawn = ordered(limit="stamps")  # for the block; 0 where none waits to be its stamp
    last_stamp = ordered(limit="stamps")
    replica = per(Datanode, record(Told))
    edits = sequence(record(Edit), limit="edits")
    unsent = per(Datanode, record(Told))

    # The standby.
    known = enumeration(Known)
    known_stamp = ordered(limit="stamps")
    visible_stamp = ordered(limit="stamps")  # the counter that tells which reports are from the future
    queued = per(Datanode, record(Told))  # PendingDataNodeMessages; of one datanode's reports the last one stands
    stored_stamp = per(Datanode, ordered(limit="stamps"))  # of a FINALIZED replica that is known; 0 for none
    corrupt = members(Datanode)
    took_over = flag()

    # The active, its client and the datanodes.

    @action
    def add_block(s) -> None:
        """A new block is logged with its stamp, in one hold of the lock (facts A1, E.5, H.1.6)."""
        require(~s.took_over, "the active is active")
        require(s.active.at(Known.ABSENT), "there is no block yet")
        s.last_stamp = s.last_stamp + 1
        s.active = Known.OPEN
        s.active_stamp = s.last_stamp
        s.edits.append(Edit(kind=EditKind.SET_STAMP, stamp=s.last_stamp))
        s.edits.append(Edit(kind=EditKind.OPEN, stamp=s.last_stamp))

    @action
    def draw_stamp(s) -> None:
        """An append, or a pipeline that is set up again: a stamp is drawn and logged (facts E.2, E.6, H.1.3)."""
        require(~s.took_over, "the active is active")
        require(~s.active.at(Known.ABSENT), "there is a block")
        require(s.drawn == 0, "no other stamp waits")
        s.last_stamp = s.last_stamp + 1
        s.drawn = s.last_stamp
        s.edits.append(Edit(kind=EditKind.SET_STAMP, stamp=s.last_stamp))

    @action
    def open_block(s) -> None:
        """The block gets the stamp, and is open if it was not: append and updatePipeline (facts A2, A5, E.7)."""
        require(~s.took_over, "the active is active")
        require(s.drawn > 0, "a stamp was drawn")
        s.active = Known.OPEN
        s.active_stamp = s.drawn
        s.drawn = 0
        s.edits.append(Edit(kind=EditKind.OPEN, stamp=s.active_stamp))

    @action
    def close_block(s) -> None:
        """Every replica of the pipeline is FINALIZED, and the file is closed (facts A8, E.9)."""
        require(~s.took_over, "the active is active")
        require(s.active.at(Known.OPEN), "the block is open")
        require(s.drawn == 0, "no stamp waits")
        s.active = Known.COMPLETE
        s.edits.append(Edit(kind=EditKind.CLOSE, stamp=s.active_stamp))

    @action
    def another_block(s) -> None:
        """A block of another file is added or updated under a stamp of its own (facts H.1.3)."""
        require(~s.took_over, "the active is active")
        s.last_stamp = s.last_stamp + 1
        s.edits.append(Edit(kind=EditKind.OTHER_BLOCK, stamp=s.last_stamp))

    @action
    def replica_is_written(s, datanode: Datanode) -> None:
        """A replica is set up under the stamp that was drawn, or the block's, and reported (facts B1, B2, B.9)."""
        stamp = when(s.drawn > 0, s.drawn, s.active_stamp)
        require(stamp > s.replica[datanode].stamp, "the replica is older")
        require((s.drawn > 0) | s.active.at(Known.OPEN), "the block is being written")
        s.replica[datanode] = Told(there=True, finalized=False, stamp=stamp)
        s.unsent[datanode] = s.replica[datanode]

    @action
    def replica_is_finalized(s, datanode: Datanode) -> None:
        """A replica is whole, and reported (facts B8, B.9)."""
        replica = s.replica[datanode]
        require(replica.there & ~replica.finalized, "the replica is being written")
        require(replica.stamp == s.active_stamp, "it has the block's stamp")
        s.replica[datanode] = Told(there=True, finalized=True, stamp=replica.stamp)
        s.unsent[datanode] = s.replica[datanode]

    # The standby hears of a replica.

    def from_the_future(s, told: Told) -> Bool:
        """BlockManager#isGenStampInFuture: above all stamps of blocks read so far (facts H.6.1, H.9.25, I.1)."""
        return told.stamp > s.visible_stamp

    def looks_corrupt(s, told: Told) -> Bool:
        """BlockManager#checkReplicaCorrupt, by stamps: another one than a complete block's, or a lower one (I.2)."""
        other = told.stamp != s.known_stamp
        return when(s.known.at(Known.COMPLETE), other, told.stamp < s.known_stamp)

    def judge(s, told: Callable[[Datanode], Told], whom: Members[Datanode], *, active: Bool | bool) -> None:
        """BlockManager#processReportedBlock, Hadoop 3.4.1: queue a report, mark it corrupt, or take it (facts I.1)."""
        waiting = those(Datanode, lambda d: whom.has(d) & told(d).there & ~s.settles(told(d), active=active))
        known = those(Datanode, lambda d: (whom - waiting).has(d) & told(d).there & ~s.known.at(Known.ABSENT))
        corrupt = those(Datanode, lambda d: known.has(d) & s.looks_corrupt(told(d)))
        counted = those(Datanode, lambda d: (known - corrupt).has(d) & told(d).finalized)
        queued = each(Datanode, lambda d: when(waiting.has(d), s.as_queued(told(d)), nothing_told()))
        s.queued.update(lambda d: when(whom.has(d), queued[d], s.queued[d]))
        s.corrupt = (s.corrupt - counted) | corrupt
        s.stored_stamp.update(lambda d: when(counted.has(d), told(d).stamp, s.stored_stamp[d]))

    def stored(s) -> Members[Datanode]:
        """Datanodes whose replica is in the block map and not corrupt."""
        return those(Datanode, lambda d: s.stored_stamp[d] > 0) - s.corrupt

    def settles(s, told: Told, *, active: Bool | bool) -> Bool:
        """The report can be judged for good: the NameNode is active, or the report fits what the standby knows."""
        return ~(s.from_the_future(told) | s.waits_although_known(told)) | active

    def waits_although_known(s, told: Told) -> Bool:
        """What looks corrupt to a standby may be that for want of edits: it is queued, too (HDFS-2742)."""
        return s.looks_corrupt(told)

    def as_queued(s, told: Told) -> Told:
        """A report is queued as it was made (HDFS-15422)."""
        return Told(there=told.there, finalized=told.finalized, stamp=told.stamp)

    @action(caller="datanode")
    def report_arrives(s, datanode: Datanode) -> None:
        """A datanode's report reaches the NameNode: after what is queued of it, if anything is.

        Source  BlockManager#processReportedBlock, #queueReportedBlock, Hadoop 3.4.1; facts I.1 step 1, I.1 step 4.
        """
        require(s.unsent[datanode].there, "there is something to report")
        told = s.unsent[datanode]
        told = Told(there=told.there, finalized=told.finalized, stamp=told.stamp)
        s.unsent[datanode] = nothing_told()
        s.judge(lambda d: told, only(datanode), active=s.took_over)

    # The standby reads.

    @action
    def replay_edit(s) -> None:
        """The next edit is applied; then the reports that were queued for its block are judged again.

        Source  FSEditLogLoader#applyEditLogOp, BlockManager#processQueuedMessagesForBlock, Hadoop 3.4.1;
                facts A.7, H.6, I.5.
        """
        require(~s.took_over, "the standby is the standby")
        require(s.edits.size() > 0, "there is an edit")
        edit = s.edits.first()
        opens, closes = edit.kind.at(EditKind.OPEN), edit.kind.at(EditKind.CLOSE)
        raises = opens | closes | edit.kind.at(EditKind.OTHER_BLOCK) | s.raises_at_once(edit)
        s.visible_stamp = when(raises & (edit.stamp > s.visible_stamp), edit.stamp, s.visible_stamp)
        s.known_stamp = when(opens | closes, edit.stamp, s.known_stamp)
        s.known = when(closes, known_as(Known.COMPLETE), when(opens, known_as(Known.OPEN), s.known))
        s.stored_stamp.update(lambda d: when(closes & (s.stored_stamp[d] != edit.stamp), 0, s.stored_stamp[d]))
        s.edits.drop_first()
        s.judge_queued(where=opens | closes)

    def raises_at_once(s, edit: Edit) -> Bool:
        """OP_SET_GENSTAMP_V2 alone raises the counter only at a failover (HDFS-14941, facts H.6.1)."""
        return edit.kind.at(EditKind.SET_STAMP) & s.took_over

    def judge_queued(s, *, where: Bool) -> None:
        """BlockManager#processQueuedMessages: what still does not fit is queued again (HDFS-3605)."""
        whom = those(Datanode, lambda d: where & s.queued[d].there)
        s.judge(s.taken_from_queue(), whom, active=False)

    def taken_from_queue(s) -> Callable[[Datanode], Told]:
        """The queued reports as they are now."""
        told = each(
            Datanode, lambda d: Told(there=s.queued[d].there, finalized=s.queued[d].finalized, stamp=s.queued[d].stamp)
        )
        return lambda d: told[d]

    @action
    def take_over(s) -> None:
        """The standby has read every edit and becomes active: whatever is queued is judged for good.

        Source  FSNamesystem#startActiveServices, BlockManager#processAllPendingDNMessages, Hadoop 3.4.1; facts A.7.
        """
        require(~s.took_over, "the standby is the standby")
        require(s.edits.size() == 0, "every edit is read")
        s.took_over = True
        s.visible_stamp = s.last_stamp
        s.judge(s.taken_from_queue(), those(Datanode, lambda d: s.queued[d].there), active=True)
