"""One replica on the disk: its bytes in a file, and a log beside it that says which of them count.

The log has the version, the length, and CRC32C checksums of 64 KiB blocks. Each change is one frame at its end, with
the bytes that are written; only then they are put into the file of bytes. What counts is what the frames say: a frame
that a crash tore is cut off, and the bytes of whole frames are written again when the replica is loaded. So a crash at
any moment leaves the replica as it was before a change or after it, and only the log has to be forced to the disk: for
an append at some time before it is acknowledged, for what takes the place of other bytes before they are touched, as
else a lost frame would leave new bytes under old checksums. What makes the file of bytes longer is put there first: if
the disk is full, frame and bytes are taken back, and nothing has changed. When the log has grown, the file of bytes is
forced to the disk once, and a log of one frame takes the place of the long one. The same is done before the first
change of a log that an earlier life has left: that life may have ended because a sync of it had failed, and another
sync would succeed although frames of it are in memory alone.

Bytes that were never written are zeros, and take no room at the end: a chunk that is padded is not longer on the disk.

Not here: which replicas there are (`replicas`), and when somebody is told that a change is on the disk.

Source: sections 2.5 and 5.2; form and log are ours.
"""

from typing import Final

import google_crc32c
import msgspec

from genstamp_dfs.errors import DiskFullError, StorageError
from genstamp_dfs.gfs.errors import CorruptReplica, OutOfRange
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES
from genstamp_dfs.world.disk import Disk, replace_file
from genstamp_dfs.world.frames import decode_frame, encode_frame, frames_behind

MARK: Final = b"GFSC"
LOG_BYTES: Final = 16 * 1024 * 1024
"""A log that is longer is replaced by one of one frame."""

_CHECKSUM_BYTES: Final = 4


class Base(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The first frame of a log: all that counts, the bytes of which are on the disk.

    Attributes:
        version: of the replica.
        num_bytes: its length.
        stored: so many of its bytes are in the file; the others are zeros.
        checksums: of each block of what is stored, four bytes each.
    """

    version: int
    num_bytes: int
    stored: int
    checksums: bytes


class Changed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Bytes were written, and checksums from that of `first_block` on are these."""

    offset: int
    data: bytes
    num_bytes: int
    first_block: int
    checksums: bytes


class VersionRecorded(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """The version was raised."""

    version: int


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Base | Changed | VersionRecorded)


class ChunkFile:
    """One replica.

    Args:
        disk: where it is.
        path: of the file of bytes; the log has the same name and `.log` behind it.
        chunk_bytes: no replica is longer.

    Attributes:
        version: its version.
        num_bytes: its length.
        changes: counts what is in the log; equal counts mean equal content.
        is_inherited: changes of an earlier life are in the log, and may not be on the disk.
    """

    def __init__(self, disk: Disk, path: str, chunk_bytes: int) -> None:
        self._disk = disk
        self._path = path
        self._chunk_bytes = chunk_bytes
        self._stored = 0
        self._checksums = bytearray()
        self._log_bytes = 0
        self.version = 0
        self.num_bytes = 0
        self.changes = 0
        self.is_inherited = False

    @property
    def log_path(self) -> str:
        """What has to be forced to the disk."""
        return log_of(self._path)

    @property
    def stored(self) -> int:
        """So many of its bytes are in the file; the others are zeros."""
        return self._stored

    # -- on the disk ------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Make a file without bytes; it is a replica when `finish` is called."""
        if self._disk.exists(self._path):
            self._disk.remove(self._path)
        self._disk.create(self._path)
        self._disk.sync_directory(self._path.rpartition("/")[0])

    def abandon(self) -> None:
        """Make a file that is no replica yet, and will be none, take no room."""
        self._disk.remove(self._path)

    def fill(self, data: bytes) -> None:
        """Put bytes at the end of a file that is no replica yet.

        Raises:
            DiskFullError: there is no room for them.
        """
        checksums = self._checksums_with(self._stored, data)
        first_block = self._stored // CHECKSUM_BLOCK_BYTES
        self._put(self._stored, data)
        self._take(self._stored + len(data), first_block, checksums, self._stored + len(data))

    def lengthen(self, num_bytes: int) -> None:
        """Let zeros follow up to a length, in a file that is no replica yet."""
        assert num_bytes >= self._stored, f"{self._path} has {self._stored} bytes and would have {num_bytes}"
        self.num_bytes = num_bytes

    def move(self, path: str) -> None:
        """Give a file that is no replica yet another name."""
        self._disk.rename(self._path, path)
        self._disk.sync_directory(path.rpartition("/")[0])
        self._path = path

    def sync(self) -> None:
        """Force the bytes to the disk."""
        self._disk.sync(self._path)

    def finish(self, version: int) -> None:
        """Be a replica from now on, on the disk when this returns."""
        self.version = version
        self.compact()

    def load(self) -> None:
        """Find what is on the disk.

        Raises:
            CorruptReplica: it cannot be what this chunkserver left there.
        """
        log = self._disk.read(self.log_path)
        position, frames = 0, 0
        while (found := decode_frame(MARK, log, position)) is not None:
            body, position = found
            frames += 1
            try:
                self._redo(_DECODER.decode(body), is_first=position == len(body) + 12)
            except (msgspec.MsgspecError, StorageError) as problem:
                raise CorruptReplica(f"{self.log_path} is damaged before byte {position}: {problem}") from problem
        if self.version == 0 or any(True for _ in frames_behind(MARK, log, position)):
            raise CorruptReplica(f"{self.log_path} is damaged at byte {position} of {len(log)}")
        if position < len(log):
            self._disk.truncate(self.log_path, position)
        self._log_bytes = position
        self.is_inherited = frames > 1
        self.changes = frames - 1

    def compact(self) -> None:
        """Force the bytes to the disk, and begin a new log, on the disk when this returns."""
        self.sync()
        frame = self._frame(Base(self.version, self.num_bytes, self._stored, bytes(self._checksums)))
        replace_file(self._disk, self.log_path, frame)
        self._log_bytes = len(frame)
        self.is_inherited = False

    # -- changes ----------------------------------------------------------------------------------------------------

    def record_version(self, version: int) -> None:
        """Raise the version.

        Raises:
            DiskFullError: there is no room for that; nothing has changed.
        """
        assert version > self.version, f"the version of {self._path} would fall from {self.version} to {version}"
        self._log(VersionRecorded(version))
        self.version = version

    def write(self, offset: int, data: bytes) -> None:
        """Write bytes anywhere in the chunk; what lies before them and was never written is zeros.

        Raises:
            CorruptReplica: a block of which some bytes stay does not match its checksum (section 5.2).
            OutOfRange: they do not lie in a chunk.
            DiskFullError: there is no room for them; nothing has changed.
        """
        if offset < 0 or offset + len(data) > self._chunk_bytes:
            raise OutOfRange(f"{len(data)} bytes at {offset} do not lie in a chunk of {self._chunk_bytes} bytes")
        if offset > self._stored:
            data, offset = bytes(offset - self._stored) + data, self._stored
        first_block = offset // CHECKSUM_BLOCK_BYTES
        checksums = self._checksums_with(offset, data)
        num_bytes = max(self.num_bytes, offset + len(data))
        logged = self._log(Changed(offset, data, num_bytes, first_block, checksums))
        inside = max(0, self._stored - offset)
        try:
            self._put(offset + inside, data[inside:])
        except DiskFullError:
            self._unlog(logged)
            raise
        if inside:
            self._disk.sync(self.log_path)
            self._put(offset, data[:inside])
        self._take(num_bytes, first_block, checksums, offset + len(data))

    def pad(self, num_bytes: int) -> None:
        """Fill with zeros to a length, at most that of a chunk.

        Raises:
            DiskFullError: there is no room to say so; nothing has changed.
        """
        if num_bytes > self.num_bytes:
            first_block = len(self._checksums) // _CHECKSUM_BYTES
            self._log(Changed(self._stored, b"", num_bytes, first_block, b""))
            self.num_bytes = num_bytes

    # -- reading ----------------------------------------------------------------------------------------------------

    def read(self, offset: int, num_bytes: int) -> bytes:
        """Bytes from an offset, as many as there are, verified.

        Raises:
            CorruptReplica: a block does not match its checksum.
            OutOfRange: no bytes of a chunk are asked for.
        """
        if offset < 0 or num_bytes < 0 or offset + num_bytes > self._chunk_bytes:
            raise OutOfRange(f"{num_bytes} bytes at {offset} do not lie in a chunk of {self._chunk_bytes} bytes")
        end = min(offset + num_bytes, self.num_bytes)
        if offset >= end:
            return b""
        first = offset // CHECKSUM_BLOCK_BYTES
        blocks = range(first, _blocks(min(end, self._stored)))
        data = b"".join(self._block(block) for block in blocks)
        start = offset - first * CHECKSUM_BLOCK_BYTES
        return data[start : start + end - offset].ljust(end - offset, b"\x00")

    def blocks(self, first: int, count: int) -> tuple[bytes, bytes]:
        """The stored bytes of some blocks, verified, and their checksums.

        Args:
            first, count: which blocks; those that are not there are left out.

        Raises:
            OutOfRange: one of the two is negative.
            CorruptReplica: a block does not match its checksum.
        """
        if first < 0 or count < 0:
            raise OutOfRange(f"{count} blocks from block {first} on, accepted: 0 or more of both")
        last = min(first + count, _blocks(self._stored))
        data = b"".join(self._block(block) for block in range(first, last))
        return data, bytes(self._checksums[first * _CHECKSUM_BYTES : last * _CHECKSUM_BYTES])

    def verify(self) -> None:
        """Look at all checksums.

        Raises:
            CorruptReplica: a block does not match its checksum.
        """
        for block in range(_blocks(self._stored)):
            self._block(block)

    # -- below ------------------------------------------------------------------------------------------------------

    def _redo(self, entry: Base | Changed | VersionRecorded, *, is_first: bool) -> None:
        if isinstance(entry, Base) != is_first:
            raise StorageError("the first frame, and no other, says all")
        match entry:
            case Base():
                self.version, self.num_bytes = entry.version, entry.num_bytes
                self._stored, self._checksums = entry.stored, bytearray(entry.checksums)
            case Changed():
                if entry.offset > self._stored:
                    raise StorageError(f"a change at {entry.offset} leaves a hole behind byte {self._stored}")
                if self._disk.size(self._path) < entry.offset:
                    raise StorageError(f"the file of bytes ends before byte {entry.offset}")
                self._put(entry.offset, entry.data)
                self._take(entry.num_bytes, entry.first_block, entry.checksums, entry.offset + len(entry.data))
            case VersionRecorded():
                self.version = entry.version

    def _checksums_with(self, offset: int, data: bytes) -> bytes:
        """The checksums of all blocks that bytes at an offset change."""
        checksums = bytearray()
        end = offset + len(data)
        for block in range(offset // CHECKSUM_BLOCK_BYTES, _blocks(end)):
            start = block * CHECKSUM_BLOCK_BYTES
            first, last = max(offset, start), min(end, start + CHECKSUM_BLOCK_BYTES)
            new = data[first - offset : last - offset]
            stored_end = min(self._stored, start + CHECKSUM_BLOCK_BYTES)
            if first == stored_end and first > start:
                checksum = google_crc32c.extend(self._checksum(block), new)
            elif first == start and last >= stored_end:
                checksum = google_crc32c.value(new)
            else:
                old = self._block(block)
                checksum = google_crc32c.value(old[: first - start] + new + old[last - start :])
            checksums += checksum.to_bytes(_CHECKSUM_BYTES, "big")
        return bytes(checksums)

    def _checksum(self, block: int) -> int:
        return int.from_bytes(self._checksums[block * _CHECKSUM_BYTES : (block + 1) * _CHECKSUM_BYTES], "big")

    def _block(self, block: int) -> bytes:
        """The stored bytes of a block, verified."""
        start = block * CHECKSUM_BLOCK_BYTES
        length = min(self._stored - start, CHECKSUM_BLOCK_BYTES)
        data = self._disk.read(self._path, start, length)
        if len(data) < length or google_crc32c.value(data) != self._checksum(block):
            raise CorruptReplica(f"block {block} of {self._path} does not match its checksum")
        return data

    def _put(self, offset: int, data: bytes) -> None:
        if data:
            self._disk.write(self._path, offset, data)

    def _take(self, num_bytes: int, first_block: int, checksums: bytes, end: int) -> None:
        """What a change says counts from now on."""
        self.num_bytes = num_bytes
        self._stored = max(self._stored, end)
        start = first_block * _CHECKSUM_BYTES
        self._checksums[start : start + len(checksums)] = checksums

    def _log(self, entry: Changed | VersionRecorded) -> int:
        """Add a frame to the log; gives where it begins."""
        if self._log_bytes > LOG_BYTES or self.is_inherited:
            self.compact()
        frame, start = self._frame(entry), self._log_bytes
        try:
            self._disk.write(self.log_path, start, frame)
        except DiskFullError:
            self._disk.truncate(self.log_path, start)
            raise
        self._log_bytes += len(frame)
        self.changes += 1
        return start

    def _unlog(self, start: int) -> None:
        """Take the last frame back."""
        self._disk.truncate(self.log_path, start)
        self._log_bytes = start

    def _frame(self, entry: Base | Changed | VersionRecorded) -> bytes:
        return encode_frame(MARK, _ENCODER.encode(entry))


def log_of(path: str) -> str:
    """The log beside a file of bytes."""
    return f"{path}.log"


def are_whole(data: bytes, checksums: bytes) -> bool:
    """Whether bytes from the beginning of a block on match the checksums of their blocks."""
    starts = range(0, len(data), CHECKSUM_BLOCK_BYTES)
    found = (google_crc32c.value(data[start : start + CHECKSUM_BLOCK_BYTES]) for start in starts)
    return b"".join(one.to_bytes(_CHECKSUM_BYTES, "big") for one in found) == checksums


def _blocks(num_bytes: int) -> int:
    """How many blocks so many bytes have."""
    return -(-num_bytes // CHECKSUM_BLOCK_BYTES)
