"""What there is of the replicas of one chunk, and of the file that lists it: the variables, and questions about them.

A version is not told: a replica is current or has missed one. What a mutation writes is not told either, but which
replicas have all of it.
"""

import enum
from typing import Final

from genstamp_model.language import *
from genstamp_spec.gfs.lifecycles.chunk_replica import ChunkReplicaLifecycle
from genstamp_spec.gfs.parts.lease_state import Chunkserver

WANTED: Final = 2
"""Replicas that the master wants of the chunk (three in the paper, by default)."""


class FileStage(enum.Enum):
    """What has become of the file that lists the chunk."""

    ABSENT = enum.auto()
    LISTED = enum.auto()
    HIDDEN = enum.auto()
    GONE = enum.auto()


class CloneStage(enum.Enum):
    """What a chunkserver has of a clone: nothing, or bytes of this version, of an older one, or damaged ones."""

    NONE = enum.auto()
    NEWEST = enum.auto()
    OUTDATED = enum.auto()
    DAMAGED = enum.auto()


class ReplicasState(Part):
    """One chunk; its master does not die: in gfs.chunk_lease."""

    file = enumeration(FileStage)
    locations = members(Chunkserver)  # replicas that the master names
    up = members(Chunkserver, initially_all=True)
    replica = per(Chunkserver, lifecycle(ChunkReplicaLifecycle))
    damaged = members(Chunkserver)  # a checksum does not fit, whether anybody knows or not
    clone = per(Chunkserver, enumeration(CloneStage))
    complete = members(Chunkserver)  # history: replicas with every mutation that a client was told of
    misread = flag()  # history: a client was given damaged bytes

    def is_kept(s) -> Bool:
        """A file lists the chunk, under its own name or a hidden one."""
        return s.file.at(FileStage.LISTED, FileStage.HIDDEN)

    def reachable(s) -> Members[Chunkserver]:
        """Replicas that the master names, on chunkservers that are up."""
        return s.locations & s.up

    def whole(s) -> Members[Chunkserver]:
        """Current replicas that are not damaged."""
        current = ChunkReplicaLifecycle.current
        return those(Chunkserver, lambda other: s.replica[other].at(current) & ~s.damaged.has(other))

    def others_are_reachable(s, chunkserver: Chunkserver) -> Bool:
        """Some other replica is whole, named and on a chunkserver that is up."""
        others = those(Chunkserver, lambda other: other != chunkserver)
        return ~s.is_kept() | ~(s.reachable() & s.whole() & others).is_empty()
