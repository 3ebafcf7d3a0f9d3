"""Records that a reader finds again between padding, fragments and duplicates.

Record append puts a record into a chunk at least once. What else stands there is the application's to skip: padding
at a chunk's end, parts of records whose append failed, and whole records that were appended again. So a record carries
a checksum and an id (sections 2.7.2 and 3.3 of the paper, which leaves the form open; this one is ours):

    mark, 4 bytes | length, 4 | checksum, 4 | stuffed(writer, 8 | sequence, 8 | data)

The checksum is CRC32C of what follows it, over as many bytes as the length says. Stuffing keeps the mark out of a
record's own bytes: else a record that holds a copy of another one, and of which only a part stands in the chunk, would
give the copy for a record of this file.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

import google_crc32c

# The first byte of the prefix does not come again in it, so no two occurrences overlap.
PREFIX = b"\x8fGR"
STUFFED = PREFIX + b"\x00"
MARK = PREFIX + b"\x01"

_HEADER = struct.Struct(">4sII")
_ID = struct.Struct(">QQ")
_ID_LIMIT = 2**64


@dataclass(frozen=True)
class RecordId:
    """Who wrote a record, and which of that writer's records it is; the same in every retry of its append."""

    writer: int
    sequence: int

    def __post_init__(self) -> None:
        for name, value in (("writer", self.writer), ("sequence", self.sequence)):
            if not 0 <= value < _ID_LIMIT:
                raise ValueError(f"the {name} of a record is {value}, a number of 0 to {_ID_LIMIT - 1} is accepted")


@dataclass(frozen=True)
class Record:
    """What an application appended."""

    id: RecordId
    data: bytes


@dataclass
class Skipped:
    """What a reader has passed over so far."""

    duplicates: int = 0
    num_bytes: int = 0


def encode_record(record: Record) -> bytes:
    """The bytes that the client appends for a record.

    They hold the mark once, at their beginning, unless it arises by chance across the fields of the header; what is
    then found there fails its checksum.
    """
    body = (_ID.pack(record.id.writer, record.id.sequence) + record.data).replace(PREFIX, STUFFED)
    return _HEADER.pack(MARK, len(body), _checksum(body)) + body


def decode_record(chunk: bytes, offset: int) -> tuple[Record, int] | None:
    """The record that begins at an offset of a chunk.

    Args:
        chunk: bytes of one chunk from its beginning; a record never crosses the end of a chunk.
        offset: where to look, in bytes.

    Returns:
        The record and the offset of its end, or None where no whole record begins.
    """
    if len(chunk) - offset < _HEADER.size:
        return None
    mark, length, checksum = _HEADER.unpack_from(chunk, offset)
    start, end = offset + _HEADER.size, offset + _HEADER.size + length
    if mark != MARK or length < _ID.size or end > len(chunk):
        return None
    stuffed = chunk[start:end]
    if _checksum(stuffed) != checksum:
        return None
    body = stuffed.replace(STUFFED, PREFIX)
    return Record(RecordId(*_ID.unpack_from(body)), body[_ID.size :]), end


class RecordReader:
    """Reads the records of one file, chunk by chunk in order: each once, and nothing that is not whole.

    It remembers the ids of all that it has given, since an append that a client gave up waiting for may be applied
    late.
    """

    def __init__(self) -> None:
        self.skipped = Skipped()
        self._seen: set[RecordId] = set()

    def read_chunk(self, chunk: bytes) -> Iterator[Record]:
        """The records of a chunk that were not given before, in the order in which they stand there."""
        offset = 0
        while (found := chunk.find(MARK, offset)) >= 0:
            self.skipped.num_bytes += found - offset
            decoded = decode_record(chunk, found)
            if decoded is None:
                # Only the first byte is passed over: what the length says may be cut short by a later record.
                self.skipped.num_bytes += 1
                offset = found + 1
                continue
            record, offset = decoded
            if record.id in self._seen:
                self.skipped.duplicates += 1
                continue
            self._seen.add(record.id)
            yield record
        self.skipped.num_bytes += len(chunk) - offset


def _checksum(body: bytes) -> int:
    checksum: int = google_crc32c.value(body)
    return checksum
