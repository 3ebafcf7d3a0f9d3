"""What releases do otherwise in hdfs.block_recovery_ends: Hadoop 3.5.0, and 3.4.1 and 2.7.4 before it."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.block_recovery_ends import (
    HDFS_12070,
    HDFS_12886,
    HDFS_13758,
    HDFS_17430,
)
from genstamp_spec.hdfs.bugs.block_recovery_holes import (
    COMMAND_BELONGS_TO_ITS_ATTEMPT,
    FINALIZED_LENGTHS_NEED_NOT_AGREE,
    HFLUSH_SEES_THE_RECOVERY,
    UNREACHABLE_IS_NOT_EMPTY,
)
from genstamp_spec.hdfs.bugs.hadoop_2_7 import (
    ISSUE,
    CommittedBlocksStay,
    CommittedEmptyBlocksStay,
    CommitUnderRecovery,
    MissingInodeIsAnExpiredLease,
)
from genstamp_spec.hdfs.bugs.history import historic

HADOOP_3_5 = (
    FINALIZED_LENGTHS_NEED_NOT_AGREE,
    UNREACHABLE_IS_NOT_EMPTY.at("one_mishap"),
    COMMAND_BELONGS_TO_ITS_ATTEMPT.at("one_mishap"),
    HFLUSH_SEES_THE_RECOVERY.at("one_datanode"),
)
"""Stale locations that are not asked need a third datanode, and RWR replicas that decide alone a second byte: these
holes are in hdfs.block_recovery.
"""
HADOOP_3_4 = (*HADOOP_3_5, HDFS_17430)

HDFS_2484 = Difference(
    "HDFS-2484", parts=(MissingInodeIsAnExpiredLease,), source=ISSUE + "HDFS-2484; fixed in 2.8.0"
).seen("one_datanode", "refusal complete_again, LeaseExpiredException: the file exists")
HDFS_10240 = historic("HDFS-10240", CommitUnderRecovery, fixed="3.0.4, 3.1.2, 3.2.0").at(
    "one_datanode", "fenced_client_changes_nothing"
)
HDFS_14498 = Difference(
    "HDFS-14498",
    "a file whose last block was committed empty is not released",
    parts=(CommittedEmptyBlocksStay,),
    source=ISSUE + "HDFS-14498; fixed in 2.10.1, 3.2.2, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("one_datanode", "refusal release, AlreadyBeingCreatedException: the committed block has bytes")
HDFS_15725 = Difference(
    "HDFS-15725",
    "a file whose committed last block no datanode has finalized is not released",
    parts=(CommittedBlocksStay,),
    source=ISSUE + "HDFS-15725; fixed in 2.10.2, 3.2.3, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("one_datanode", "refusal release, AlreadyBeingCreatedException: the committed block is empty")
HADOOP_2_7 = (
    *HADOOP_3_4,
    HDFS_2484,
    HDFS_10240,
    HDFS_12070,
    HDFS_12886,
    HDFS_13758,
    HDFS_14498,
    HDFS_15725,
)
"""That an attempt may overtake another (HDFS-11576) is in hdfs.expiry's hadoop-2.7: here it is shown by itself, since
together with all of this there are more states in one_mishap than can be searched.
"""
