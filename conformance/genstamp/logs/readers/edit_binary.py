"""Reads Hadoop's own binary edit logs, layout versions -24 to -67.

A record is opcode (1 byte), from -56 on its length (4), from -37 on the transaction id (8), data, from -28 on the
CRC-32 of all before it (4); after the last record 0xFF. The layout version stands first (4), from -50 on followed by
flags (4).

Not here: what operations mean (`genstamp.logs.readers.edit_replay`). The first record that is damaged ends the
reading, as it does in the NameNode: nothing after it can be trusted.
"""

import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress

from genstamp.logs.readers.edit_codec import (
    OTHERS_BEFORE_CHECKSUMS,
    TELLING,
    BadDataError,
    Cursor,
    Fields,
    ShortDataError,
)
from genstamp.logs.readers.edit_ops import EditOp, opcode_name
from genstamp.logs.streams import Content, DamagedSourceError

OLDEST, NEWEST = -24, -67
"""Layout versions that are read."""

OP_LENGTH_MAX = 50 << 20
"""Bytes of an operation; Hadoop's default of dfs.namenode.max.op.size."""

SCAN_MAX = 1 << 20
"""Bytes in which the end of a record that is not decoded is looked for by its checksum."""

BRANCHED = {-31: -24, -32: -24, -33: -27, -41: -24}
"""Layout versions that were kept for Hadoop 1 (-31, -32, -41) and 0.22 (-33), and the version whose records they have:
the branches had left before checksums came (-28). Source: LayoutVersion.Feature#RESERVED_REL20_203 and those after it.
"""

_CHECKSUMS, _TXIDS, _FLAGS, _LENGTHS = -28, -37, -50, -56
_PADDING = 0xFF


def is_edit_log(head: bytes) -> bool:
    """Whether a file with this beginning is a binary edit log, of any version."""
    return len(head) >= 5 and -100 <= struct.unpack(">i", head[:4])[0] <= -1 and b"<" not in head[:1]


def operations(stream: Content) -> Iterator[EditOp]:
    """The operations of an edit log in their order.

    Raises:
        DamagedSourceError: at the first record that is damaged, or of a version that is not known.
    """
    return _Log(stream).operations()


class _Log:
    def __init__(self, stream: Content) -> None:
        self._chunks = stream.chunks()
        self._data = bytearray()
        self._position = 0
        self._record = 0
        self._stored = self._version = 0

    def operations(self) -> Iterator[EditOp]:
        self._need(4)
        self._stored = struct.unpack(">i", self._data[:4])[0]
        if not NEWEST <= self._stored <= OLDEST:
            raise DamagedSourceError(
                f"layout version {self._stored} is not supported; supported are {OLDEST} to {NEWEST}"
            )
        self._version = BRANCHED.get(self._stored, self._stored)
        self._position = 8 if self._version <= _FLAGS else 4
        self._need(0)
        if self._version <= _FLAGS and self._data[4:8] != bytes(4):
            raise DamagedSourceError(f"layout flags {self._data[4:8].hex()} are not supported; no flags are")
        while self._more():
            if self._data[self._position] == _PADDING:
                self._skip_padding()
                return
            self._record += 1
            yield self._operation()

    def _operation(self) -> EditOp:
        name = opcode_name(self._data[self._position], self._version)
        txid = None
        start = self._position
        data = start + 1
        length = None
        if self._version <= _LENGTHS:
            self._need(data + 4 - self._position)
            length = struct.unpack(">i", self._data[data : data + 4])[0]
            # It counts itself, the transaction id and the data, and neither the opcode nor the checksum.
            if not 12 <= length <= OP_LENGTH_MAX:
                raise self._damage(f"{name} has a length of {length} bytes; allowed are 12 to {OP_LENGTH_MAX}")
            data += 4
        if self._version <= _TXIDS:
            self._need(data + 8 - self._position)
            txid = struct.unpack(">q", self._data[data : data + 8])[0]
            data += 8
        fields: Fields = {}
        if length is not None:
            end = start + 1 + length
            self._need(end + 4 - self._position)
            self._verify(name, start, end)
            if name in TELLING:
                fields = self._decode_between(name, data, end)
        elif name in TELLING or self._version > _CHECKSUMS:
            fields, end = self._decode(name, data)
            if self._version <= _CHECKSUMS:
                self._need(end + 4 - self._position)
                self._verify(name, start, end)
        else:
            end = self._end_by_checksum(name, start, data)
        self._position = end + (4 if self._version <= _CHECKSUMS else 0)
        return EditOp(self._record, self._version, txid, name, **fields)

    def _decode_between(self, name: str, data: int, end: int) -> Fields:
        """The fields of a record whose end is known."""
        for decoder in TELLING[name]:
            cursor = Cursor(self._data, data, end, self._version)
            with suppress(ShortDataError, BadDataError):
                fields = decoder(cursor)
                if cursor.position == end:
                    return fields
        raise self._damage(f"{name} has {end - data} bytes of data in no known format")

    def _decode(self, name: str, data: int) -> tuple[Fields, int]:
        """The fields, and where they end; reads on while the data is short."""
        decoders = TELLING.get(name) or OTHERS_BEFORE_CHECKSUMS.get(name)
        if decoders is None:
            raise self._damage(f"{name} of layout version {self._stored} is not known, and no checksum shows its end")
        while True:
            cursor = Cursor(self._data, data, len(self._data), self._version)
            try:
                return decoders[0](cursor), cursor.position
            except ShortDataError:
                if len(self._data) - data > OP_LENGTH_MAX or not self._fill():
                    raise self._damage(f"{name} ends early") from None
            except BadDataError as error:
                raise self._damage(f"{name} has {error}") from None

    def _verify(self, name: str, start: int, end: int) -> None:
        found = zlib.crc32(self._data[start:end])
        stored = struct.unpack(">I", self._data[end : end + 4])[0]
        if found != stored:
            raise self._damage(f"the checksum of {name} is wrong: stored {stored:08x}, computed {found:08x}")

    def _end_by_checksum(self, name: str, start: int, data: int) -> int:
        """Where a record ends that is not decoded: at the first place that holds the CRC-32 of what is before it."""
        end = data
        checksum = zlib.crc32(self._data[start:end])
        while end - data < SCAN_MAX:
            if end + 4 > len(self._data) and not self._fill():
                break
            if checksum == struct.unpack(">I", self._data[end : end + 4])[0]:
                return end
            checksum = zlib.crc32(self._data[end : end + 1], checksum)
            end += 1
        raise self._damage(f"no checksum was found for {name} within {end - data} bytes")

    def _skip_padding(self) -> None:
        """Checks that nothing but padding follows, FSEditLogOp.Reader#verifyTerminator."""
        while True:
            if self._data[self._position :].strip(b"\xff\0"):
                raise self._damage("bytes other than padding follow the end of the log")
            self._position = len(self._data)
            if not self._more():
                return

    def _need(self, num_bytes: int) -> None:
        """Makes bytes from the position on available."""
        while len(self._data) < self._position + num_bytes:
            if not self._fill():
                raise self._damage(
                    "the file ends inside a record" if self._record else "the file ends inside its header"
                )

    def _more(self) -> bool:
        """Whether another byte is there; forgets what was read."""
        if self._position > 1 << 16:
            del self._data[: self._position]
            self._position = 0
        return self._position < len(self._data) or self._fill()

    def _fill(self) -> bool:
        chunk = next(self._chunks, b"")
        self._data += chunk
        return bool(chunk)

    def _damage(self, what: str) -> DamagedSourceError:
        return DamagedSourceError(f"record {self._record}: {what}; nothing after it was read")
