"""Faults of lease and block recovery at the NameNode and at the primary (facts L.2)."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import (
    ISSUE,
    CommittedBlocksStay,
    CommittedEmptyBlocksStay,
    CommitUnderRecovery,
    EveryUpdateMustSucceed,
    MissingInodeIsAnExpiredLease,
    MonitorDropsLease,
)
from genstamp_spec.hdfs.bugs.history import historic
from genstamp_spec.hdfs.parts.block_recovery import BlockRecovery
from genstamp_spec.hdfs.parts.state import Attempt, Datanode, File

HDFS_10240 = historic("HDFS-10240", CommitUnderRecovery, fixed="3.0.4, 3.1.2, 3.2.0").at(
    "takeover", "fenced_client_changes_nothing", "counted_replicas_match"
)


class RestartedReplicasCount(BlockRecovery, lane=Datanode):
    """Replicas of a restarted datanode (RWR) take part in the minimum."""

    def chosen(
        s, attempt: Attempt, finalized: Members[Datanode], rbw: Members[Datanode], rwr: Members[Datanode]
    ) -> tuple[Members[Datanode], Number]:
        """Who takes part, and the length: RWR and RBW are one kind."""
        return super().chosen(attempt, finalized, rbw | rwr, rwr)


HDFS_1218 = historic("HDFS-1218", RestartedReplicasCount, fixed="in the 0.20-append line").at(
    "restarts", "hflushed_bytes_survive"
)


HDFS_11817 = historic("HDFS-11817", MonitorDropsLease, fixed="2.8.2, 2.7.7").at("takeover", "one_lease_per_open_file")


# Of 2.7.4, too, but without a promise of hdfs.recovery that breaks.

HDFS_2484 = Difference(
    "HDFS-2484", parts=(MissingInodeIsAnExpiredLease,), source=ISSUE + "HDFS-2484; fixed in 2.8.0"
).seen("takeover", "refusal complete_again, LeaseExpiredException: the file exists")
HDFS_12070 = Difference(
    "HDFS-12070",
    "one participant that cannot be updated makes the recovery fail",
    parts=(EveryUpdateMustSucceed,),
    source=ISSUE
    + "HDFS-12070; fixed in 2.8.4, 2.9.1, 3.0.3, 3.1.0; what never comes of it is in hdfs.block_recovery_ends",
).seen("outages", "refusal commit_block_synchronization_gone, IOException: no participant has failed")
HDFS_14498 = Difference(
    "HDFS-14498",
    "a file whose last block was committed empty is not released",
    parts=(CommittedEmptyBlocksStay,),
    source=ISSUE + "HDFS-14498; fixed in 2.10.1, 3.2.2, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("takeover", "refusal recover_lease_closes, AlreadyBeingCreatedException: the committed block has bytes")
HDFS_15725 = Difference(
    "HDFS-15725",
    "a file whose committed last block no datanode has finalized is not released",
    parts=(CommittedBlocksStay,),
    source=ISSUE + "HDFS-15725; fixed in 2.10.2, 3.2.3, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("takeover", "refusal recover_lease_closes, AlreadyBeingCreatedException: the committed block is empty")


class DeadAreNotAsked(BlockRecovery):
    """A recovery command leaves out dead locations (HDFS-17430): a block is dropped though one of them has its
    bytes.
    """

    def locations_to_ask(s, file: File) -> Members[Datanode]:
        """Those that are up when the command is given."""
        return s.locations[file] & s.running


DEAD_ARE_ASKED = Hole(
    "dead-are-asked",
    parts=(DeadAreNotAsked,),
    source="found on Apache HDFS 3.5.0; DatanodeManager#getBlockRecoveryCommand. It is so on purpose: "
    "hdfs.block_recovery, where a dead datanode counts as gone for good, asks for it",
).at("outages", "only_empty_blocks_are_dropped")
RECOVERY_2_7 = (HDFS_2484, HDFS_10240, HDFS_11817, HDFS_12070, HDFS_14498, HDFS_15725)
"""What Hadoop 2.7.4 does otherwise than 3.4.1. A recovery may follow another at once in it (HDFS-11576); here the gate
between two attempts may open at any time, so that this shows only where something has to come eventually.
"""
