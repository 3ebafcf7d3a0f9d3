"""How the steps of each system are brought about on Apache HDFS."""

from dataclasses import replace

from genstamp.stateful import Driving, driving_of

_PIPELINE = driving_of("hdfs.pipeline")
_PIPELINE_HERE = replace(
    _PIPELINE,
    # A crash takes 110 ms, a planned restart over a second; most runs are to get to the end of a block.
    weights={
        **_PIPELINE.weights,
        "block_received": 0.3,
        "datanode_crash": 0.1,
        "datanode_restart": 0.3,
        "datanode_stops_to_restart": 0.1,
    },
    may_decline={
        **_PIPELINE.may_decline,
        "client_waits_for_restart": "what a node has acknowledged arrives before the news that it restarts",
        "datanode_stops_to_restart": "an acknowledgement that is being written goes first",
    },
)


def driving(system: str) -> Driving:
    """How the steps of a system are brought about on Apache HDFS."""
    return _PIPELINE_HERE if system == "hdfs.pipeline" else driving_of(system)
