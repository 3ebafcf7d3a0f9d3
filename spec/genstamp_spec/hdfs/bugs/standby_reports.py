"""Faults of what a standby makes of reports that come before the edits that explain them."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.standby_reports import Edit, EditKind, Known, StandbyReports, Told
from genstamp_spec.hdfs.parts.state import Datanode


class CounterRunsAhead(StandbyReports, lane="namenode"):
    """A stamp counts as known before its block does, so that the first report of the block is thrown away."""

    def raises_at_once(s, edit: Edit) -> Bool:
        """OP_SET_GENSTAMP_V2 raises it."""
        return edit.kind.at(EditKind.SET_STAMP)


HDFS_14941 = historic("HDFS-14941", CounterRunsAhead, fixed="2.10.1, 3.2.2, 3.3.0").at(
    "failover", "reported_replicas_are_known"
)


class StandbyJudgesForGood(StandbyReports, lane="namenode"):
    """A standby marks a replica corrupt that is newer than the edits which it has read."""

    def waits_although_known(s, told: Told) -> Bool:
        """Only what is from the future waits."""
        return s.from_the_future(told)


HDFS_2742 = historic("HDFS-2742", StandbyJudgesForGood, fixed="2.0.0-alpha (HA branch)").at(
    "failover", "reported_replicas_are_known", "standby_marks_nothing"
)


class QueueIsJudgedForGood(StandbyReports, lane="namenode"):
    """Reports of a later append are judged after the edits of an earlier one, and the replicas are marked corrupt."""

    def judge_queued(s, *, where: Bool) -> None:
        """Nothing is queued again, though further edits may be to come."""
        s.judge(s.taken_from_queue(), those(Datanode, lambda d: where & s.queued[d].there), active=True)


HDFS_3605 = historic("HDFS-3605", QueueIsJudgedForGood, fixed="2.0.2-alpha").at(
    "failover", "reported_replicas_are_known", "standby_marks_nothing"
)


class QueuedWithStoredStamp(StandbyReports, lane="namenode"):
    """A queued report carries the stored stamp in place of the reported one, and is judged by it after the failover."""

    def as_queued(s, told: Told) -> Told:
        """The reported stamp is lost where the block is known."""
        stamp = when(s.known.at(Known.ABSENT), told.stamp, s.known_stamp)
        return Told(there=told.there, finalized=told.finalized, stamp=stamp)


HDFS_15422 = historic("HDFS-15422", QueuedWithStoredStamp, fixed="2.10.2, 3.2.3, 3.3.1").at(
    "failover", "reported_replicas_are_known", "old_replicas_do_not_count"
)

BUGS = (HDFS_2742, HDFS_3605, HDFS_14941, HDFS_15422)
