"""What Hadoop 2.7.4 does otherwise in hdfs.journal, beside its holes: no promise of that system breaks by it."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import ISSUE, AddBlockUnderRecovery, MonitorDropsLease, ReopenedWithoutRecovery
from genstamp_spec.hdfs.bugs.lease_2_7 import HDFS_2484, HDFS_15725

HDFS_10240 = Difference(
    "HDFS-10240",
    parts=(AddBlockUnderRecovery, ReopenedWithoutRecovery),
    source=ISSUE + "HDFS-10240; fixed in 3.0.4, 3.1.2, 3.2.0; what it breaks is in hdfs.lease",
).seen("reports", "action complete_under_recovery")
HDFS_11817 = Difference(
    "HDFS-11817",
    parts=(MonitorDropsLease,),
    source=ISSUE + "HDFS-11817; fixed in 2.8.2, 2.7.7; what it breaks is in hdfs.lease",
).seen("small", "action release_expired_lease_fails")
JOURNAL_2_7 = (
    HDFS_2484.at("small"),
    HDFS_10240,
    HDFS_11817,
    HDFS_15725.at("small"),
)
