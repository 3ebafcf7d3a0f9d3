"""Datanodes: reports of replicas, and the NameNode's order to delete one.

Incremental reports of one datanode arrive in their order: one thread sends them, one call at a time, and of reports
that wait to be sent the last one of a block stands. Those of several datanodes arrive in any order, however late. In
between the NameNode and the datanodes go on.

Coarser than HDFS: what the full report of a datanode says of one block is a message of its own; an order to delete is
carried out as it is handed out; no report is lost while its datanode runs (HDFS sends a failed one again).
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.parts.reports_state import (
    FullReport,
    IncrementalKind,
    ReportedState,
    no_incremental_report,
    reported_as,
)
from genstamp_spec.hdfs.parts.state import Datanode, File, OriginalState, Replica
from genstamp_spec.hdfs.state.block_map import Reports
from genstamp_spec.lifecycles.replica import ReplicaLifecycle


class ReportMessages(Reports, lane=Datanode):
    """What datanodes send, and DNA_INVALIDATE."""

    @action
    def send_incremental_report(s, datanode: Datanode, file: File) -> None:
        """A datanode sends what it has to report, after the call before has returned.

        A full report on its way is waited for: one thread sends both kinds (except in 3.3.6: HDFS-16016).

        Source  BPServiceActor#offerService, IncrementalBlockReportManager#sendIBRs, Hadoop 3.4.1; facts B.9.
        """
        require((s.running & s.registered).has(datanode), "the datanode is running and registered")
        require(~s.unsent[datanode][file].kind.at(IncrementalKind.NONE), "there is something to report")
        require(s.none_under_way(datanode, file), "the report before has arrived")
        require(~s.full_report[datanode][file].on_its_way, "no full report is on its way")
        s.sent[datanode][file] = s.unsent[datanode][file]
        s.unsent[datanode][file] = no_incremental_report()

    @action
    def send_full_report(s, datanode: Datanode, file: File) -> None:
        """A datanode reports what it has; first it sends what was to be reported incrementally.

        Source  BPServiceActor#blockReport, Hadoop 3.4.1; facts B.9.
        """
        require((s.running & s.registered).has(datanode), "the datanode is running and registered")
        require(s.none_under_way(datanode, file), "what it has sent before has arrived")
        require(~s.full_report[datanode][file].on_its_way, "the full report before has arrived")
        replica = s.replica[datanode][file]
        state = s.reported_state(replica)
        there = ~state.at(ReportedState.NONE)
        s.full_report[datanode][file] = FullReport(
            on_its_way=True,
            state=state,
            stamp=when(there, replica.stamp, 0),
            num_bytes=when(there, replica.num_bytes, 0),
        )
        s.owes_report.remove(datanode)

    def reported_state(s, replica: Replica) -> Enumerated[ReportedState]:
        """A full report shows FINALIZED, RBW and RWR replicas; a RUR as its original, a TEMPORARY one not at all."""
        recovered = replica.state.at(ReplicaLifecycle.rur)
        finalized = replica.state.at(ReplicaLifecycle.finalized) | (
            recovered & replica.original.at(OriginalState.FINALIZED)
        )
        rbw = replica.state.at(ReplicaLifecycle.rbw) | (recovered & replica.original.at(OriginalState.RBW))
        rwr = replica.state.at(ReplicaLifecycle.rwr) | (recovered & replica.original.at(OriginalState.RWR))
        state = when(finalized, reported_as(ReportedState.FINALIZED), ReportedState.NONE)
        state = when(rbw, reported_as(ReportedState.RBW), state)
        return when(rwr, reported_as(ReportedState.RWR), state)

    @action
    def invalidate_replica(s, file: File, datanode: Datanode) -> None:
        """A heartbeat brings the order to delete; the replica is deleted if it has the stamp of the order.

        Source  FsDatasetImpl#invalidate, Hadoop 3.4.1; facts B17, I.3.
        """
        replica = s.replica[datanode][file]
        s.is_told_to_delete(datanode, file)
        require(~replica.state.at(ReplicaLifecycle.absent), "the datanode has a replica")
        require(s.is_meant(replica, s.to_invalidate[datanode][file]), "the replica has the stamp of the order")
        s.report(datanode, file, IncrementalKind.DELETED)
        s.to_invalidate[datanode][file] = 0
        s.drop_replica(replica)

    @action(event="invalidate_replica")
    def invalidate_replica_of_another_stamp(s, file: File, datanode: Datanode) -> None:
        """The replica has another stamp, or there is none: nothing is deleted (facts B17)."""
        replica = s.replica[datanode][file]
        s.is_told_to_delete(datanode, file)
        other = ~s.is_meant(replica, s.to_invalidate[datanode][file])
        require(replica.state.at(ReplicaLifecycle.absent) | other, "no replica has the stamp of the order")
        s.to_invalidate[datanode][file] = 0

    def is_told_to_delete(s, datanode: Datanode, file: File) -> None:
        """Checks: an order waits for the datanode's heartbeat.

        The thread that sends reports carries orders out, too, one call at a time, as it was until HDFS-14997.
        """
        require((s.running & s.registered).has(datanode), "the datanode is running and registered")
        require(s.to_invalidate[datanode][file] > 0, "an order to delete waits for the datanode")
        require(s.none_under_way(datanode, file), "what the datanode has reported has arrived")
        require(~s.full_report[datanode][file].on_its_way, "no full report is on its way")

    def is_meant(s, replica: Replica, stamp: Ordered) -> Bool:
        """The order names the replica's generation."""
        return replica.stamp == stamp

    def drop_replica(s, replica: Replica) -> None:
        """The replica is gone from disk and memory."""
        replica.state.fire(ReplicaLifecycle.invalidate)
        s.clear_replica(replica)
