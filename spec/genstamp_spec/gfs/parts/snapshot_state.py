"""What master, chunkservers and clients know of files that share chunks: the variables, and questions about them.

A write is told by its number, and a replica by the last write that it has. Versions are not told: a replica is current
or stale, and what a client remembers is of the chunk's newest version or not. Why there are not two primaries, and how
the master learns which replicas are current, stands in gfs.chunk_lease.
"""

import enum

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles import ChunkLeaseLifecycle, ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver

OVER = (ChunkLeaseLifecycle.none, ChunkLeaseLifecycle.expired)
"""Nobody holds a lease, as far as the master knows."""


class File(Index, symmetric=True):
    """A name in the namespace: of a file, of a snapshot of one, or of nothing yet."""


class Chunk(Index, symmetric=True):
    """A chunk, by its handle; one of which there is no trace left stands for one that was never there."""


class Position(Index, symmetric=True):
    """A position in a file where a chunk may be: its first, its second one."""


class SnapshotStage(enum.Enum):
    """How far the snapshot is that will have a name."""

    NONE = enum.auto()
    REVOKING = enum.auto()
    LOGGED = enum.auto()


class Snapshot(Record):
    """A snapshot under way: its stage, and the file it is made of."""

    stage = enumeration(SnapshotStage)
    source = optional(File)


class Copy(Record):
    """What a new chunk is for, until it is in a file: to take the place of a shared one."""

    file = optional(File)
    position = optional(Position)


class SnapshotMaster(Part):
    """What the master knows; its log has the namespace and the snapshots that are logged, and nothing else."""

    lists = per(File, per(Position, optional(Chunk)))
    references = per(Chunk, number(limit="references"))
    snapshot = per(File, record(Snapshot))
    copy = per(Chunk, record(Copy))
    copied = per(Chunk, members(Chunkserver))  # who has answered that it has made the copy
    lease = per(Chunk, lifecycle(ChunkLeaseLifecycle))


class SnapshotReplicas(Part):
    """What chunkservers have on their disks, and which leases they believe in."""

    up = members(Chunkserver, initially_all=True)
    replica = per(Chunk, per(Chunkserver, lifecycle(ChunkReplicaLifecycle)))
    content = per(Chunk, per(Chunkserver, number(limit="writes")))  # the last write that the replica has
    primary = per(Chunk, optional(Chunkserver))  # who believes that it holds an unexpired lease


class SnapshotState(SnapshotMaster, SnapshotReplicas):
    """All of this, clients, and what a configuration limits."""

    known = per(File, per(Position, optional(Chunk)))  # what a client remembers of where to write
    newest = per(Chunk, members(File))  # files of which it remembers the chunk's newest version
    written = per(File, per(Position, number(limit="writes")))  # history: the last write to the file, here
    writes = number(limit="writes")  # history
    snapshots = number(limit="snapshots")  # history
    crashes = number(limit="crashes")  # history
    master_restarts = number(limit="master_restarts")  # history

    def is_there(s, file: File) -> Bool:
        """The name is that of a file."""
        return exists(Position, lambda position: ~s.lists[file][position].is_none())

    def is_locked(s, file: File) -> Bool:
        """The name is write-locked, as a snapshot of that name, or from it, is under way (section 4.1)."""
        source = exists(
            File, lambda other: ~s.snapshot[other].stage.at(SnapshotStage.NONE) & (s.snapshot[other].source == file)
        )
        return source | ~s.snapshot[file].stage.at(SnapshotStage.NONE)

    def listed_by(s, chunk: Chunk) -> Number:
        """Number of files that list a chunk."""
        return count(File, lambda file: exists(Position, lambda position: s.lists[file][position] == chunk))

    def is_being_copied(s, chunk: Chunk) -> Bool:
        """A copy of the chunk is being made."""
        return exists(Chunk, lambda other: s.source_of(other) == chunk)

    def source_of(s, new: Chunk) -> Maybe[Chunk]:
        """The chunk of which another one is a copy; none if it is not in the making."""
        return s.lists[s.copy[new].file][s.copy[new].position]

    def is_new(s, chunk: Chunk) -> Bool:
        """There is no trace of the chunk."""
        unlisted = (s.references[chunk] == 0) & s.copy[chunk].file.is_none() & s.lease[chunk].at(*OVER)
        absent = forall(Chunkserver, lambda each: s.replica[chunk][each].at(ChunkReplicaLifecycle.absent))
        unknown = forall(File, lambda file: forall(Position, lambda position: s.known[file][position] != chunk))
        return unlisted & absent & unknown & s.primary[chunk].is_none()
