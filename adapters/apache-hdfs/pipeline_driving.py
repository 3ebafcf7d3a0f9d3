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
        "datanode_stops_to_restart": "an acknowledgement that is being written goes first",
    },
)
