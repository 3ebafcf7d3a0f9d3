"""What is said on a connection that pushes data along a chain of chunkservers (section 3.2).

The data has no place yet: it waits in a buffer of each chunkserver, under an id, until a mutation uses it.
"""

import msgspec


class PushData(msgspec.Struct, frozen=True, tag=True):
    """Opens the connection: data comes, for this chunkserver and those after it.

    Attributes:
        data_id: 16 bytes that the client has chosen by chance; the same in each attempt to push the same data.
        num_bytes: length of the data.
        checksum: CRC32C of all of it.
        targets: the chunkservers after this one, the nearest first.
    """

    data_id: bytes
    num_bytes: int
    checksum: int
    targets: tuple[str, ...]


class DataPiece(msgspec.Struct, frozen=True, tag=True):
    """The next bytes, at most PIECE_BYTES; each chunkserver passes them on at once."""

    data: bytes


class Pushed(msgspec.Struct, frozen=True, tag=True):
    """The end: which chunkservers of the chain, from this one on, did not get the data; empty if all have it."""

    failed: tuple[str, ...]


Operation = PushData
Message = DataPiece | Pushed
