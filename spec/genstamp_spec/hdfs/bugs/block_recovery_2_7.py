"""What releases do otherwise in hdfs.block_recovery beside its holes: Hadoop 3.5.0, and 3.4.1 and 2.7.4 before it."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery_ends import CompletedBlockStopsHeartbeats, DeadAreAsked, TooFewStoragesThrow
from genstamp_spec.hdfs.bugs.block_recovery_holes import HOLES
from genstamp_spec.hdfs.bugs.hadoop_2_7 import (
    ISSUE,
    CommittedBlocksStay,
    CommittedEmptyBlocksStay,
    CommitUnderRecovery,
    EveryUpdateMustSucceed,
    MissingInodeIsAnExpiredLease,
)
from genstamp_spec.hdfs.bugs.history import historic

ENDS = "; what never comes of it is in hdfs.block_recovery_ends"

HDFS_17430 = Difference("HDFS-17430", parts=(DeadAreAsked,), source=f"{ISSUE}HDFS-17430; fixed after 3.4.1{ENDS}").seen(
    "silent", OTHER_STATES
)
HADOOP_3_5 = HOLES
HADOOP_3_4 = (*HOLES, HDFS_17430)
"""FINALIZED replicas of different length stop a recovery, too; but here none come of two recoveries that die, which
hdfs.block_recovery_ends has.
"""

HDFS_2484 = Difference(
    "HDFS-2484", parts=(MissingInodeIsAnExpiredLease,), source=ISSUE + "HDFS-2484; fixed in 2.8.0"
).seen("late", "refusal complete_again, LeaseExpiredException: the file exists")
HDFS_10240 = historic("HDFS-10240", CommitUnderRecovery, fixed="3.0.4, 3.1.2, 3.2.0").at(
    "late", "fenced_client_changes_nothing", "committed_content_stays"
)
HDFS_12070 = Difference(
    "HDFS-12070",
    "one participant that cannot be updated makes the recovery fail",
    parts=(EveryUpdateMustSucceed,),
    source=f"{ISSUE}HDFS-12070; fixed in 2.8.4, 2.9.1, 3.0.3, 3.1.0{ENDS}",
).seen("late", "refusal report_back, IOException: no participant has failed")
HDFS_12886 = Difference(
    "HDFS-12886", parts=(TooFewStoragesThrow,), source=f"{ISSUE}HDFS-12886; fixed in 2.9.1, 3.0.3, 3.1.0{ENDS}"
).seen("silent", "action commit_block_synchronization_too_few")
HDFS_13758 = Difference(
    "HDFS-13758",
    parts=(CompletedBlockStopsHeartbeats,),
    source=f"{ISSUE}HDFS-13758; fixed in 2.9.2, 3.0.4, 3.1.2{ENDS}",
).seen("overlapping", "refusal recovery_command_is_dropped, NullPointerException: the block is not complete")
HDFS_14498 = Difference(
    "HDFS-14498",
    "a file whose last block was committed empty is not released",
    parts=(CommittedEmptyBlocksStay,),
    source=ISSUE + "HDFS-14498; fixed in 2.10.1, 3.2.2, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("late", "refusal release, AlreadyBeingCreatedException: the committed block has bytes")
HDFS_15725 = Difference(
    "HDFS-15725",
    "a file whose committed last block no datanode has finalized is not released",
    parts=(CommittedBlocksStay,),
    source=ISSUE + "HDFS-15725; fixed in 2.10.2, 3.2.3, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("late", "refusal release, AlreadyBeingCreatedException: the committed block is empty")
HADOOP_2_7 = (*HADOOP_3_4, HDFS_2484, HDFS_10240, HDFS_12070, HDFS_12886, HDFS_13758, HDFS_14498, HDFS_15725)
"""A recovery may follow another at once in 2.7.4 (HDFS-11576); here the gate between two attempts may open at any time,
so that this shows only where something has to come eventually.
"""
