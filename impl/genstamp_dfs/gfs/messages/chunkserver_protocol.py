"""What the master, clients and other chunkservers ask a chunkserver by a call."""

import msgspec

from genstamp_dfs.gfs.protocol import Mutation
from genstamp_dfs.world.request import Request

# -- from the master ------------------------------------------------------------------------------------------------


class CreateChunk(Request[None], frozen=True):
    """Make an empty replica with this version; one that exists and is empty takes the version."""

    handle: int
    version: int


class RecordVersion(Request[int], frozen=True):
    """Record a higher version of a replica on disk; whatever lease it believed in is over (section 4.5).

    From now on it counts the time of a lease that GrantLease may give it. The same version once more changes nothing,
    neither that time nor the lease. The answer is the replica's length in bytes. Refused with ChunkNotFound,
    StaleVersion (it has a higher one), CorruptReplica.
    """

    handle: int
    version: int


class GrantLease(Request[None], frozen=True):
    """Be the primary, for a lease time counted from RecordVersion of the same version (section 3.1).

    Refused with StaleVersion: the replica has another version, or the version was recorded by an earlier life.
    """

    handle: int
    version: int
    secondaries: tuple[str, ...]


class RevokeLease(Request[None], frozen=True):
    """Be primary no more under any version up to this, also if its grant is still under way (section 3.1).

    The answer leaves when no mutation is half done any more.
    """

    handle: int
    version: int


class CopyChunk(Request[None], frozen=True):
    """Make a replica of a chunk that this chunkserver has, under a new handle, on the same disk (section 3.4).

    Refused with ChunkNotFound, StaleVersion, CorruptReplica.
    """

    source: int
    source_version: int
    handle: int
    version: int


class CloneChunk(Request[None], frozen=True):
    """Make a replica from those of other chunkservers, which must have this version (sections 4.3 and 4.5).

    Refused with NoReplica: none of the sources could give it whole.
    """

    handle: int
    version: int
    sources: tuple[str, ...]


# -- from clients ---------------------------------------------------------------------------------------------------


class Write(Request[None], frozen=True):
    """To the primary: write data that every replica has, at this offset (section 3.1, step 4).

    Refused with NotPrimary, DataNotFound, OutOfRange, MutationFailed.
    """

    handle: int
    version: int
    offset: int
    data_id: bytes


class Append(Request[int | None], frozen=True):
    """To the primary: append data that every replica has, at least once, and as a whole (section 3.3).

    The answer is its offset in the chunk; None if the chunk was padded to its end, and the next one is to be tried.
    Refused with NotPrimary, DataNotFound, RecordTooLarge, MutationFailed.
    """

    handle: int
    version: int
    data_id: bytes


class Read(Request[bytes], frozen=True):
    """Bytes of a replica, verified; fewer than asked for where it ends. At most PIECE_BYTES in one call.

    Refused with ChunkNotFound, StaleVersion (the replica's is lower), OutOfRange, CorruptReplica.
    """

    handle: int
    version: int
    offset: int
    num_bytes: int


# -- from other chunkservers ----------------------------------------------------------------------------------------


class Apply(Request[None], frozen=True):
    """From the primary: do the next mutation of its order (section 3.1, step 5).

    Refused with StaleVersion (another lease), OutOfOrder, DataNotFound, CorruptReplica.
    """

    handle: int
    version: int
    mutation: Mutation


class Blocks(msgspec.Struct, frozen=True):
    """A part of a replica, as it is on the disk.

    Attributes:
        num_bytes: length of the whole replica.
        stored: so many of its bytes are on the disk; the others are zeros.
        changes: another number means that the replica has changed.
        data: the stored bytes of some blocks.
        checksums: CRC32C of each of these blocks, four bytes each, as they were computed when it was written.
    """

    num_bytes: int
    stored: int
    changes: int
    data: bytes
    checksums: bytes


class ReadBlocks(Request[Blocks], frozen=True):
    """Blocks of CHECKSUM_BLOCK_BYTES of a replica of this version, verified, for whoever clones it (section 5.2).

    Attributes:
        handle, version: of which replica.
        first, count: which blocks, the first one being 0; those behind the last one are left out.

    Refused with ChunkNotFound, StaleVersion, CorruptReplica, OutOfRange (more than PIECE_BYTES at once).
    """

    handle: int
    version: int
    first: int
    count: int
