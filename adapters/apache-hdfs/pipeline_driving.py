"""How the steps of hdfs.pipeline are brought about on Apache HDFS."""

from dataclasses import replace

from genstamp.stateful.driving import HDFS_PIPELINE

PIPELINE = replace(
    HDFS_PIPELINE,
    # A crash takes 110 ms, a planned restart over a second; most runs are to get to the end of a block.
    weights={
        **HDFS_PIPELINE.weights,
        "block_received": 0.3,
        "datanode_crash": 0.1,
        "datanode_restart": 0.3,
        "datanode_stops_to_restart": 0.1,
    },
    may_decline={
        **HDFS_PIPELINE.may_decline,
        "client_waits_for_restart": "what a node has acknowledged arrives before the news that it restarts",
        # Known.java says more of these.
        "complete": "the NameNode counts replicas that were reported before an append under the block's own stamp",
        "no_datanode_to_add": "the NameNode does not answer a writer that has lost its lease, and fails where it "
        "does not know a storage of the pipeline",
        "datanode_stops_to_restart": "after the last packet a datanode does not find its replica as it was, and bytes "
        "that are not acknowledged count as if they were; an acknowledgement that is being written goes first",
    },
)
