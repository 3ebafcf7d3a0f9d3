"""A cluster of GFS of real processes, as the command line starts it."""

from tests.impl.server.processes import Processes

QUICK = [
    "limits.chunk_bytes=1048576",
    "limits.lease_us=2000000",
    "heartbeat_period_us=200000",
    "dead_after_us=3000000",
]
"""Settings with which a test has to wait for little."""


class GfsProcesses(Processes):
    """A cluster of GFS, and commands that work with it."""

    verb = "gfs"
    first = "master"
    others = "chunkservers"
    quick = QUICK
