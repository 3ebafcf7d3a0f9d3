"""How the steps of each system that runs on Apache HDFS are brought about."""

from block_recovery_driving import BLOCK_RECOVERY
from pipeline_driving import PIPELINE
from replica_driving import REPLICA

from genstamp.stateful.driving import Driving, driving_of

_OWN = {"hdfs.block_recovery": BLOCK_RECOVERY, "hdfs.pipeline": PIPELINE, "hdfs.replica": REPLICA}


def driving(system: str) -> Driving:
    """The driving of this directory, or genstamp's."""
    return _OWN.get(system) or driving_of(system)
