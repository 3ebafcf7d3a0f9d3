"""The replicas of one datanode with all that may be done to them.

The operations stand where they belong: `replica_map` (look-up, new blocks, finalizing, deletion, reports),
`pipeline_operations`, `replica_copies`, `replica_recovery`.

Source: FD/FsDatasetImpl, Hadoop 3.4.1.
"""

from genstamp_dfs.hdfs.datanode.pipeline_operations import PipelineOperations
from genstamp_dfs.hdfs.datanode.replica_copies import ReplicaCopies
from genstamp_dfs.hdfs.datanode.replica_recovery import ReplicaRecovery


class FsDataset(PipelineOperations, ReplicaCopies, ReplicaRecovery):
    """All operations on the replicas of a datanode."""
