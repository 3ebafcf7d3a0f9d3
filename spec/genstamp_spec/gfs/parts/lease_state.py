"""What the master and the chunkservers know of the lease of one chunk: the variables, with no steps.

Versions are numbers, the first is 1, and 0 stands for none. Ticks are halves of a lease (30 s of the paper's 60 s).
"""

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle

LEASE = 2
"""Ticks of its own clock for which a primary believes in its lease."""
MARGIN = 1
"""Ticks by which clocks may run apart during a lease: so much longer the master waits before it takes one for over."""
LONGEST = 7
"""Ticks that are told apart: more than any lease and margin that is tried."""


class Chunkserver(Index, symmetric=True):
    """A chunkserver with one replica of the chunk."""


def only(chunkserver: Chunkserver) -> Members[Chunkserver]:
    """The set of one chunkserver."""
    return those(Chunkserver, lambda other: other == chunkserver)


def no_chunkserver() -> Members[Chunkserver]:
    """The empty set of chunkservers."""
    return those(Chunkserver, lambda other: False)


class MasterState(Part):
    """What the master keeps of the chunk; versions are in its log, everything else is lost when it dies."""

    version = ordered(limit="versions")  # 0: the chunk is not there yet
    chosen = ordered(limit="versions")  # the last version that was chosen for a grant, confirmed or not
    locations = members(Chunkserver)  # replicas that it knows to have the version

    offered = ordered(limit="versions")  # version of the grant that it prepares; 0: it prepares none
    told = members(Chunkserver)  # replicas to which that version is offered
    recorded = members(Chunkserver)  # those that have answered that they recorded it

    lease = lifecycle(ChunkLeaseLifecycle)
    primary = optional(Chunkserver)
    lease_age = number(0, LONGEST)  # by the master's clock


class ReplicaState(Part):
    """What chunkservers have on their disks."""

    up = members(Chunkserver, initially_all=True)
    replica = per(Chunkserver, lifecycle(ChunkReplicaLifecycle))
    held = per(Chunkserver, ordered(limit="versions"))  # version of the replica; 0: there is none
    complete = members(Chunkserver)  # history: replicas with every mutation that a client was told of


class BeliefState(Part):
    """What chunkservers believe of the lease; lost when they die."""

    sent = members(Chunkserver)  # a grant is under way to it
    peers = per(Chunkserver, members(Chunkserver))  # replicas that the grant names, itself included
    counting = members(Chunkserver)  # it knows when it last spoke with the master about the version that it holds
    since = per(Chunkserver, number(0, LONGEST))  # ticks of its clock since then
    leased = members(Chunkserver)  # it believes that it holds an unexpired lease of the version that it holds
    ahead = per(Chunkserver, number(limit="skew"))  # history: ticks by which its clock was faster since then
    behind = per(Chunkserver, number(limit="skew"))  # history: ticks by which it was slower


class ChunkLeaseState(MasterState, ReplicaState, BeliefState):
    """All of this, and what a configuration limits."""

    master_restarts = number(limit="master_restarts")  # history
    crashes = number(limit="crashes")  # history
    losses = number(limit="losses")  # history: how often the master has lost contact with a replica
    copies = number(limit="copies")  # history: replicas that were added to the first one
