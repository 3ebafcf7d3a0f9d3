"""How the events of each system that `genstamp conform` can drive are brought about."""

from collections.abc import Mapping
from typing import Final

from genstamp.errors import DrivingError
from genstamp.stateful.driving import Driving
from genstamp.stateful.drivings.block_recovery import BLOCK_RECOVERY
from genstamp.stateful.drivings.lease import LEASE
from genstamp.stateful.drivings.pipeline import PIPELINE
from genstamp.stateful.drivings.recovery import RECOVERY
from genstamp.stateful.drivings.replica import REPLICA

DRIVINGS: Final[Mapping[str, Driving]] = {
    "hdfs.lease": LEASE,
    "hdfs.recovery": RECOVERY,
    "hdfs.pipeline": PIPELINE,
    "hdfs.block_recovery": BLOCK_RECOVERY,
    "hdfs.replica": REPLICA,
}


def driving_of(system: str) -> Driving:
    """How the events of a system are brought about.

    Raises:
        DrivingError: nothing is known of this system.
    """
    if system not in DRIVINGS:
        raise DrivingError(system, sorted(DRIVINGS))
    return DRIVINGS[system]
