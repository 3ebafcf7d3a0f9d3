"""One replica on a disk: a file with its bytes, and one with what is known of them.

    chunks/HANDLE        the bytes
    chunks/HANDLE.meta   frames: the version, the length, and checksums of blocks of 64 KiB, as they change

What was appended counts when its frame is written, after the bytes: a crash between the two leaves the replica as it
was. What overwrites bytes is written into the frame too, before they are changed, and is done again after a crash. So
at any moment the bytes match their checksums, or are made to when the replica is opened.

Leaves out: forcing mutations to the disk. They outlive the process, not the machine, which is what replicas are for; a
version is forced.

Source: sections 4.5 and 5.2.
"""

from typing import Final

import google_crc32c
import msgspec

from genstamp_dfs.errors import StorageError
from genstamp_dfs.gfs.errors import CorruptReplica
from genstamp_dfs.gfs.protocol import CHECKSUM_BLOCK_BYTES
from genstamp_dfs.world.disk import Disk, replace_file
from genstamp_dfs.world.frames import decode_frame, encode_frame

DIRECTORY: Final = "chunks"
META: Final = ".meta"
MARK: Final = b"GFSm"

COMPACT_BYTES: Final = 256 * 1024
"""A file of frames that has got longer than this, and than twice what it has to be, is written anew."""

_ZEROS: Final = bytes(CHECKSUM_BLOCK_BYTES)


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """What has changed.

    Attributes:
        version: of the replica.
        length: in bytes.
        first_block: number of the first block whose checksum is given.
        checksums: of blocks from there on.
        offset: where bytes are overwritten; -1 if none are.
        data: with which.
    """

    version: int
    length: int
    first_block: int
    checksums: tuple[int, ...]
    offset: int = -1
    data: bytes = b""


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Frame)


def data_path(handle: int) -> str:
    """Of a replica's bytes."""
    return f"{DIRECTORY}/{handle:016x}"


class ReplicaFile:
    """A replica.

    Attributes:
        handle: of the chunk.
        version: of the replica.
        length: in bytes.
        is_corrupt: bytes were found that do not match their checksum; nothing is read or changed any more.
    """

    def __init__(self, disk: Disk, handle: int, version: int, length: int, checksums: list[int]) -> None:
        self.handle = handle
        self.version = version
        self.length = length
        self.is_corrupt = False
        self._disk = disk
        self._checksums = checksums
        self._data = data_path(handle)
        self._meta = self._data + META
        self._meta_bytes = 0

    # -- beginning and end ------------------------------------------------------------------------------------------

    @staticmethod
    def create(disk: Disk, handle: int, version: int) -> "ReplicaFile":
        """Make an empty replica, on disk when this returns; there is none of this handle."""
        replica = ReplicaFile(disk, handle, version, 0, [])
        if disk.exists(replica._data):
            disk.remove(replica._data)
        disk.create(replica._data)
        replica._write_anew()
        return replica

    @staticmethod
    def open(disk: Disk, handle: int) -> "ReplicaFile":
        """A replica as it was left; what was not finished is finished, or cut off.

        Raises:
            StorageError: nothing is known of the bytes.
        """
        replica = ReplicaFile(disk, handle, 0, 0, [])
        frames, end = _frames(disk.read(replica._meta))
        if not frames:
            raise StorageError(f"{replica._meta} has no whole frame")
        if end < disk.size(replica._meta):
            disk.truncate(replica._meta, end)
        replica._meta_bytes = end
        for frame in frames:
            replica._take(frame)
        last = frames[-1]
        size = disk.size(replica._data) if disk.exists(replica._data) else -1
        if last.offset >= 0 and size >= last.offset:
            disk.write(replica._data, last.offset, last.data)
            size = max(size, last.offset + len(last.data))
        if size > replica.length:
            disk.truncate(replica._data, replica.length)
        replica.is_corrupt = size < replica.length
        return replica

    def delete(self) -> None:
        """Remove it; without its frames the bytes are nothing."""
        self._disk.remove(self._meta)
        self._disk.sync_directory(DIRECTORY)
        if self._disk.exists(self._data):
            self._disk.remove(self._data)

    def record_version(self, version: int) -> None:
        """Give it a version; on disk when this returns."""
        self.version = version
        self._append(Frame(version, self.length, 0, ()))
        self._disk.sync(self._meta)

    # -- bytes --------------------------------------------------------------------------------------------------------

    def read(self, offset: int, num_bytes: int) -> bytes:
        """Verified bytes, fewer than asked for at the end.

        Raises:
            CorruptReplica: they do not match their checksums.
        """
        end = min(offset + num_bytes, self.length)
        if end <= offset:
            self._check_whole()
            return b""
        first, last = offset // CHECKSUM_BLOCK_BYTES, (end - 1) // CHECKSUM_BLOCK_BYTES
        start = first * CHECKSUM_BLOCK_BYTES
        blocks = self._blocks(first, last)
        return blocks[offset - start : end - start]

    def write(self, offset: int, data: bytes) -> None:
        """Put bytes anywhere; between the replica's end and them are zeros.

        Raises:
            CorruptReplica: what stands around them does not match its checksums; nothing has changed.
        """
        self._check_whole()
        while self.length < offset:
            self._extend(_ZEROS[: offset - self.length])
        inside = min(len(data), self.length - offset)
        if inside:
            self._overwrite(offset, data[:inside])
        if inside < len(data):
            self._extend(data[inside:])

    def write_zeros(self, offset: int, end: int) -> None:
        """Zeros from an offset to an end, whatever stands there."""
        for start in range(offset, end, CHECKSUM_BLOCK_BYTES):
            self.write(start, _ZEROS[: end - start])

    def _extend(self, data: bytes) -> None:
        """Append: first the bytes, which count when the frame is there."""
        first, taken = divmod(self.length, CHECKSUM_BLOCK_BYTES)
        checksums = []
        room = CHECKSUM_BLOCK_BYTES - taken
        if taken:
            checksums.append(google_crc32c.extend(self._checksums[first], data[:room]))
        start = room if taken else 0
        blocks = (data[at : at + CHECKSUM_BLOCK_BYTES] for at in range(start, len(data), CHECKSUM_BLOCK_BYTES))
        checksums += [google_crc32c.value(block) for block in blocks]
        self._disk.write(self._data, self.length, data)
        self._change(Frame(self.version, self.length + len(data), first, tuple(checksums)))

    def _overwrite(self, offset: int, data: bytes) -> None:
        """Change bytes: first the frame, with which they can be changed again."""
        end = offset + len(data)
        first, last = offset // CHECKSUM_BLOCK_BYTES, (end - 1) // CHECKSUM_BLOCK_BYTES
        # The first and the last block are verified before they are changed (section 5.2).
        start = first * CHECKSUM_BLOCK_BYTES
        blocks = bytearray(self._blocks(first, last))
        blocks[offset - start : end - start] = data
        checksums = tuple(
            google_crc32c.value(bytes(blocks[at : at + CHECKSUM_BLOCK_BYTES]))
            for at in range(0, len(blocks), CHECKSUM_BLOCK_BYTES)
        )
        self._append(Frame(self.version, self.length, first, checksums, offset, data))
        self._disk.write(self._data, offset, data)
        self._take(Frame(self.version, self.length, first, checksums))
        # Else an opening would change the bytes back to these after others have been appended in another way.
        self._change(Frame(self.version, self.length, 0, ()))

    def _blocks(self, first: int, last: int) -> bytes:
        """Whole blocks, verified."""
        self._check_whole()
        start = first * CHECKSUM_BLOCK_BYTES
        data = self._disk.read(self._data, start, min((last + 1) * CHECKSUM_BLOCK_BYTES, self.length) - start)
        for number in range(first, last + 1):
            block = data[number * CHECKSUM_BLOCK_BYTES - start : (number + 1) * CHECKSUM_BLOCK_BYTES - start]
            if google_crc32c.value(block) != self._checksums[number]:
                self.is_corrupt = True
                raise CorruptReplica(f"block {number} of chunk {self.handle} does not match its checksum")
        return data

    def _check_whole(self) -> None:
        if self.is_corrupt:
            raise CorruptReplica(f"the replica of chunk {self.handle} does not match its checksums")

    # -- frames -------------------------------------------------------------------------------------------------------

    def _take(self, frame: Frame) -> None:
        """What a frame says is so from now on."""
        self.version = frame.version
        self.length = frame.length
        self._checksums[frame.first_block : frame.first_block + len(frame.checksums)] = frame.checksums

    def _change(self, frame: Frame) -> None:
        self._append(frame)
        self._take(frame)
        if self._meta_bytes > COMPACT_BYTES and self._meta_bytes > 16 * len(self._checksums):
            self._write_anew()

    def _append(self, frame: Frame) -> None:
        encoded = encode_frame(MARK, _ENCODER.encode(frame))
        self._disk.write(self._meta, self._meta_bytes, encoded)
        self._meta_bytes += len(encoded)

    def _write_anew(self) -> None:
        """All that is known in one frame, in one step."""
        encoded = encode_frame(MARK, _ENCODER.encode(Frame(self.version, self.length, 0, tuple(self._checksums))))
        replace_file(self._disk, self._meta, encoded)
        self._meta_bytes = len(encoded)


def _frames(data: bytes) -> tuple[list[Frame], int]:
    """The whole frames of a file, and where the last of them ends."""
    frames: list[Frame] = []
    position = 0
    while (found := decode_frame(MARK, data, position)) is not None:
        body, position = found
        frames.append(_DECODER.decode(body))
    return frames, position
