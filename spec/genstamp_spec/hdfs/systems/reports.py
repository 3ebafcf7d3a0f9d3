"""hdfs.reports: how the NameNode learns of replicas, and what it does with them.

The promises, and what must be possible, are in `reports_promises.py`; `OMITS` says what is left out.
"""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.reports import BUGS, HDFS_11960, HDFS_12886, HDFS_13840, HDFS_16064
from genstamp_spec.hdfs.parts.namenode_reports import NamenodeReports
from genstamp_spec.hdfs.parts.reconstruction import Reconstruction
from genstamp_spec.hdfs.parts.report_messages import ReportMessages
from genstamp_spec.hdfs.parts.reports_state import CorruptReason
from genstamp_spec.hdfs.parts.some_faults import SomeFaults, SomeRecovery
from genstamp_spec.hdfs.parts.some_writers import SomeWriters
from genstamp_spec.hdfs.parts.state import Client, Datanode, File
from genstamp_spec.hdfs.systems.report_effects import ReportEffects
from genstamp_spec.hdfs.systems.reports_promises import ReportsReached
from genstamp_spec.lifecycles.file import FileLifecycle

OMITS = (
    "leases, the RPCs' checks, the choice of datanodes; a block recovery is two steps that are never preempted",
    "several storages on one datanode, so also a replica that moves between them (HDFS-6830)",
    "replicas that a client or a scanner reports as corrupt, and racks, priorities and limits of copying",
    "a FINALIZED replica that loses bytes while its file is open: its length is not compared before a full report "
    "that comes after the commit",
    "failover and the queued reports of a standby, which are hdfs.standby_reports; edits",
    "reports that are lost while their datanode runs, or that come twice",
    "that an append, too, makes a location of a replica that is known to be corrupt, and a later recovery asks it",
    "maintenance, erasure-coded files, snapshots",
    "the thresholds and the extension of safe mode",
)


REPORTS_AND_WRITERS = (ReportMessages, NamenodeReports, Reconstruction, SomeWriters)
"""Who brings replicas about, and reports them."""


class MatchingReportIsIgnored(NamenodeReports, lane="namenode"):
    """A replica that was corrupt for its length or state stays so when a recovery has made it good."""

    def leaves_the_corrupt(s, file: File, datanode: Datanode) -> Bool:
        """A replica that has become good under a new stamp stays corrupt if its length or state was wrong before."""
        return super().leaves_the_corrupt(file, datanode) & s.corrupt[file][datanode].at(
            CorruptReason.GENSTAMP_MISMATCH
        )


class ExcessOutlivesReopening(SomeWriters, lane=Client):
    """An excess replica that becomes part of an append's pipeline never counts again, and close() fails."""

    def no_longer_excess(s, file: File) -> None:
        """ExcessRedundancyMap is not told."""


class OldReplicaIsAsked(NamenodeReports, lane="namenode"):
    """A FINALIZED replica of an older generation is a location of a block under recovery, and refuses each attempt."""

    def is_too_old_to_recover(s, file: File, stamp: Ordered) -> Bool:
        """No FINALIZED replica is."""
        return super().is_too_old_to_recover(file, stamp) & s.file[file].at(FileLifecycle.absent)


class CopyIsNotJudgedAnew(NamenodeReports, lane="namenode"):
    """A replica known by a full report and waited for counts twice; when the wait ends nobody looks at the
    block again.
    """

    def judges_anew(s, file: File) -> Bool:
        """Never."""
        return s.file[file].at(FileLifecycle.absent)


COMMAND_THREAD = Hole(
    "orders-overtake-reports",
    "a datanode carries orders out in a thread of its own (HDFS-14997), while its report of the replica is on its way",
    drops=(
        ("invalidate_replica", "what the datanode has reported has arrived"),
        ("invalidate_replica", "no full report is on its way"),
    ),
    source="found with this model; BPServiceActor.CommandProcessingThread, BlockManager#addStoredBlock, Hadoop 3.4.1",
).at("restarts", "last_good_replica_is_not_deleted")
MARKS_STAY = Hole(
    "marks-of-length-and-state-stay",
    parts=(MatchingReportIsIgnored,),
    source="found with this model; BlockManager#addStoredBlock, CorruptReplicasMap#removeFromCorruptReplicasMap, 3.4.1",
).at("lost_bytes_reopened", "corrupt_replicas_do_not_match")
EXCESS_STAYS = Hole(
    "excess-outlives-reopening",
    parts=(ExcessOutlivesReopening,),
    source="found with this model; BlockManager#convertLastBlockToUnderConstruction, ExcessRedundancyMap, Hadoop 3.4.1",
).at("reopened", "heard_replicas_complete_a_block")
PENDING_ENDS_UNSEEN = Hole(
    "pending-copy-ends-unseen",
    parts=(CopyIsNotJudgedAnew,),
    source="found with this model; BlockManager#addBlock, PendingReconstructionBlocks#decrement, Hadoop 3.4.1",
).at("recoveries", "short_blocks_are_queued")
STALE_REPLICA_JOINS = Hole(
    "stale-replica-joins-a-recovery",
    parts=(OldReplicaIsAsked,),
    source="found by simulation of the reference implementation; BlockManager#checkReplicaCorrupt, Hadoop 3.4.1; "
    "facts I.2",
).at("recoveries", "recoveries_ask_no_old_replica")
STILL_OPEN = (MARKS_STAY, EXCESS_STAYS, PENDING_ENDS_UNSEEN, STALE_REPLICA_JOINS)


def sizes(datanodes: int, wanted: int, minimal: int = 1) -> dict[str, int]:
    """Sizes of a configuration: one client, one file."""
    return {"Client": 1, "File": 1, "Datanode": datanodes, "Wanted": wanted, "Minimal": minimal}


REPORTS = System(
    "hdfs.reports",
    parts=[*REPORTS_AND_WRITERS, SomeRecovery, SomeFaults, ReportEffects, ReportsReached],
    doc="How the NameNode learns of replicas: reports, corruption, deletion, minimal replication, copies.",
    semantics={
        "repaired": (),
        "hadoop-3.4": (COMMAND_THREAD, *STILL_OPEN),
        # One thread sends reports and carries orders out. HDFS-13840 and the others came after 2.7.4.
        "hadoop-2.7": (*STILL_OPEN, HDFS_11960, HDFS_12886, HDFS_13840, HDFS_16064),
    },
    rows="""
        *: Client=1 File=1 Datanode=2 Minimal=1 Wanted=2 stamps=0 bytes=0 full_reports=0 pipeline_updates=0
            recoveries=0 appends=0 deletions=0 copies=0 crashes=0 losses=0 decommissions=0 namenode_restarts=0
        pipeline: stamps=2 bytes=1 full_reports=1 pipeline_updates=1;
            a client writes, and a node of its pipeline is left behind
        recoveries: stamps=3 bytes=1 full_reports=1 pipeline_updates=1 recoveries=1 crashes=1;
            a datanode is down, and a block recovery ends the file
        reopened: Wanted=1 stamps=3 full_reports=1 pipeline_updates=1 appends=1 deletions=1;
            a replica too many, an append, and a file that is deleted
        decommissions: Minimal=2 stamps=2 full_reports=1 pipeline_updates=1 recoveries=1 decommissions=2;
            minimal replication of 2, and datanodes that leave service
        lost_bytes: Wanted=1 stamps=1 bytes=1 full_reports=1 crashes=1 losses=1 decommissions=1;
            a disk loses a byte of a finalized replica
        restarts: Wanted=1 stamps=2 full_reports=2 pipeline_updates=1 recoveries=1 crashes=1 namenode_restarts=1;
            a NameNode that has yet to hear of every replica
        copies: Datanode=3 stamps=2 full_reports=1 pipeline_updates=1 copies=1; a third datanode gets a copy
        reopened_copies: stamps=2 full_reports=1 appends=1 copies=2; an append while a copy is waited for
        lost_bytes_reopened: stamps=3 bytes=1 full_reports=1 recoveries=1 appends=1 crashes=1 losses=1;
            a recovery makes a corrupt replica good
    """,
    bugs=BUGS,
    meets=(("append_to_replica", "the replica has the expected length"),),
    idle={
        "alive": "clients do not stop",
        "client_name": "no call is checked against it",
        "attempt_is_young": "recoveries are in outline",
        **dict.fromkeys(("hflushed", "steady"), "no hflush promises anything"),
        **dict.fromkeys(("wanted_replicas", "minimal_replicas"), "numbers that a configuration chooses"),
    },
    omits=OMITS,
)
