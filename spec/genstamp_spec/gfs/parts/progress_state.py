"""What a write waits for, and who keeps it waiting: the variables.

One chunk, one client with one write. Which replicas are current the master knows at once, and clocks tell no more than
whether a lease was extended of late: the rest is in gfs.chunk_lease and gfs.mutation_order.
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, MutationLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver


class ProgressState(Part):
    """Master, chunkservers and the client."""

    lease = lifecycle(ChunkLeaseLifecycle)
    holder = optional(Chunkserver)  # the primary, as the master knows it
    fresh = flag()  # the lease was granted or extended not long ago
    current = members(Chunkserver, initially_all=True)  # replicas of the lease, or of the next one

    up = members(Chunkserver, initially_all=True)
    primary = optional(Chunkserver)  # who believes in the lease
    buffered = members(Chunkserver)  # who has the write's data in its buffer
    serving = flag()  # the primary has given the write a serial number, and waits for the secondaries
    applied = members(Chunkserver)  # who has applied the write
    missed = members(Chunkserver)  # of whom the primary heard that it failed, or heard nothing

    write = lifecycle(MutationLifecycle)
    known = optional(Chunkserver)  # the primary that the client remembers
    outdated = flag()  # a lease was granted since, under a higher version

    calm = flag()  # from now on no chunkserver dies, no heartbeat is lost, and nobody wants a snapshot

    def is_reached(s) -> Bool:
        """Every replica of the lease is up."""
        return s.current <= s.up

    def is_served(s) -> Bool:
        """The primary that the client remembers is one, still under the version that it remembers."""
        return ~s.known.is_none() & (s.known == s.primary) & ~s.outdated
