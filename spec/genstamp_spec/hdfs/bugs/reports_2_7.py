"""What Hadoop 2.7.4 does otherwise in hdfs.reports, beside the faults that stand with the others of that system."""

from genstamp_model.language import *
from genstamp_spec.hdfs.bugs.hadoop_2_7 import ISSUE
from genstamp_spec.hdfs.parts.some_recovery import SomeRecovery
from genstamp_spec.hdfs.parts.state import Datanode, File


class TooFewAreNotClosed(SomeRecovery, lane="namenode"):
    """A file whose recovery leaves too few storages cannot be closed."""

    def may_close(s, file: File, updated: Members[Datanode]) -> None:
        """Checks: those that were updated, and those that are known, are enough."""
        enough = (s.stored[file] | (updated & s.registered)).size() >= s.minimal()
        require(enough, "minimal replication is reached", "IllegalStateException")


HDFS_12886 = Difference(
    "HDFS-12886",
    parts=(TooFewAreNotClosed,),
    source=f"{ISSUE}HDFS-12886; fixed in 2.9.1, 3.0.3, 3.1.0; what never comes of it is in hdfs.block_recovery_ends",
).seen("recoveries", "refusal commit_block_synchronization, IllegalStateException: minimal replication is reached")
