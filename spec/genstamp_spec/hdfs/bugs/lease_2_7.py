"""What Hadoop 2.7.4 does otherwise in hdfs.lease, beside what it has in common with 3.4.1."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import (
    ISSUE,
    AddBlockUnderRecovery,
    CommittedBlocksStay,
    CommittedEmptyBlocksStay,
    MissingInodeIsAnExpiredLease,
    MonitorDropsLease,
    ReopenedWithoutRecovery,
)
from genstamp_spec.hdfs.bugs.history import historic

HDFS_2484 = Difference(
    "HDFS-2484", parts=(MissingInodeIsAnExpiredLease,), source=ISSUE + "HDFS-2484; fixed in 2.8.0"
).seen("two_clients", "refusal complete_again, LeaseExpiredException: the file exists")
HDFS_10240 = historic("HDFS-10240", AddBlockUnderRecovery, ReopenedWithoutRecovery, fixed="3.0.4, 3.1.2, 3.2.0").at(
    "two_clients", "fenced_client_changes_nothing"
)
HDFS_11817 = historic("HDFS-11817", MonitorDropsLease, fixed="2.8.2, 2.7.7").at(
    "two_clients", "one_lease_per_open_file"
)
HDFS_14498 = Difference(
    "HDFS-14498",
    "a file whose last block was committed empty is not released",
    parts=(CommittedEmptyBlocksStay,),
    source=ISSUE + "HDFS-14498; fixed in 2.10.1, 3.2.2, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("two_clients", "refusal recover_lease_closes, AlreadyBeingCreatedException: the committed block has bytes")
HDFS_15725 = Difference(
    "HDFS-15725",
    "a file whose committed last block no datanode has finalized is not released",
    parts=(CommittedBlocksStay,),
    source=ISSUE + "HDFS-15725; fixed in 2.10.2, 3.2.3, 3.3.1; what never comes of it is in hdfs.expiry",
).seen("two_clients", "refusal recover_lease_closes, AlreadyBeingCreatedException: the committed block is empty")

LEASE_2_7 = (HDFS_2484, HDFS_10240, HDFS_11817, HDFS_14498, HDFS_15725)
"""A recovery may follow another at once in 2.7.4 (HDFS-11576). That shows in hdfs.expiry alone, since in hdfs.lease the
gate between two attempts may open at any time.
"""
