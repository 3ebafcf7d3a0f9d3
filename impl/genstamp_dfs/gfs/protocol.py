"""The words that master, chunkservers and clients share: names, limits, and the records that cross the wire.

Not here: racks by network distance (a chunkserver says its rack), and per-region settings of replication.

Source: Ghemawat, Gobioff, Leung, "The Google File System", SOSP 2003; sections are named where they apply.
"""

from dataclasses import dataclass
from typing import Final

import msgspec

from genstamp_dfs.errors import ConfigurationError

MASTER: Final = "master"
"""Name of the master as a node."""

CHECKSUM_BLOCK_BYTES: Final = 64 * 1024
"""Bytes of a chunk that have one checksum (section 5.2)."""

PIECE_BYTES: Final = 1024 * 1024
"""Most bytes of a chunk in one message, of a read or of pushed data."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What all nodes of a cluster agree on.

    Attributes:
        chunk_bytes: size of a chunk (section 2.5).
        replicas: how many replicas a chunk shall have (section 2.3).
        lease_us: how long a lease lasts, in microseconds (section 3.1).
        lease_margin: the master waits longer than the lease by this part of it, for clocks that run slower.
    """

    chunk_bytes: int = 64 * 1024 * 1024
    replicas: int = 3
    lease_us: int = 60_000_000
    lease_margin: float = 0.1

    def __post_init__(self) -> None:
        if self.chunk_bytes < 4 or self.chunk_bytes > 2**40:
            raise ConfigurationError(f"a chunk has {self.chunk_bytes} bytes, 4 to {2**40} are accepted")
        if not 1 <= self.replicas <= 16:
            raise ConfigurationError(f"a chunk has {self.replicas} replicas, 1 to 16 are accepted")
        if not 1_000 <= self.lease_us <= 3_600_000_000:
            raise ConfigurationError(f"a lease lasts {self.lease_us} microseconds, 1000 to 3600000000 are accepted")
        if not 0 <= self.lease_margin <= 10:
            raise ConfigurationError(f"the margin of a lease is {self.lease_margin}, 0 to 10 are accepted")

    @property
    def record_bytes(self) -> int:
        """Most bytes of a record append: a quarter of a chunk (section 3.3)."""
        return self.chunk_bytes // 4

    @property
    def master_waits_us(self) -> int:
        """When a lease is over for the master, in microseconds of its clock after it was granted or extended."""
        return int(self.lease_us * (1 + self.lease_margin))


class ReplicaReport(msgspec.Struct, frozen=True, array_like=True):
    """What a chunkserver says of a replica that it has: handle, version, and length in bytes (section 2.6.2)."""

    handle: int
    version: int
    num_bytes: int


class ChunkLocations(msgspec.Struct, frozen=True):
    """Where a chunk may be read: on chunkservers that have its current version."""

    handle: int
    version: int
    chunkservers: tuple[str, ...]


class FoundChunk(ChunkLocations, frozen=True):
    """Where a chunk of a file may be read, and what the client is going to ask for next (section 2.7.1).

    Attributes:
        chunks: how many chunks the file has.
        following: where the chunks after this one may be read, as many as were asked for and are there.
    """

    chunks: int
    following: tuple[ChunkLocations, ...] = ()


class ChunkLease(msgspec.Struct, frozen=True):
    """Who orders the mutations of a chunk, and who else has a current replica (section 3.1, step 2)."""

    handle: int
    version: int
    primary: str
    secondaries: tuple[str, ...]

    @property
    def chunkservers(self) -> tuple[str, ...]:
        """All replicas, the primary first."""
        return (self.primary, *self.secondaries)


class FileInfo(msgspec.Struct, frozen=True):
    """What the master knows of a path.

    Attributes:
        path: the path.
        is_directory: whether it is one; then all other fields are 0.
        chunks: how many chunks the file has.
        deleted_ms: when it was deleted, by the master's wall clock in milliseconds; 0 if it was not.
    """

    path: str
    is_directory: bool
    chunks: int = 0
    deleted_ms: int = 0


class Mutation(msgspec.Struct, frozen=True):
    """What the primary has ordered, for all replicas to do.

    Attributes:
        serial: its place in the primary's order of this lease, from 1.
        offset: where its bytes go in the chunk; what lies between the replica's end and here is filled with zeros.
        data_id: the pushed data; empty for padding.
        num_bytes: length of the data, or of the padding.
    """

    serial: int
    offset: int
    data_id: bytes
    num_bytes: int

    @property
    def is_padding(self) -> bool:
        """Whether zeros are written up to the end of the chunk (section 3.3)."""
        return not self.data_id
