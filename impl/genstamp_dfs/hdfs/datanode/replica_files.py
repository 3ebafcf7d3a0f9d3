"""The two files of a replica: its bytes, and the checksums of their chunks with the generation stamp in the name.

Every change is made in an order that a crash between two effects, or in the middle of one, leaves a pair of files from
which `validated_length` finds what was there before or after the change:

- bytes are written before their checksums; cutting does it the other way round;
- of a new replica the meta file comes first, of a removed one it goes last: a block file is never without one;
- moving takes the meta file first. Where the block file lies decides what the replica is.

A chunk that was forced to the disk when it was not full is changed with care (if `synced-bytes-survive` is closed), or
a machine that loses power could keep its new checksum without its new bytes. The checksum that was forced is kept until
the next sync: in the last place of the sector of the meta file that has it, behind all others, where it is written
before the chunk gets its new one. That place is made before a sync. A sector is what disks write whole; where there is
no such place the new bytes are on the disk before the new checksum instead.

Files of an earlier life are written anew before they are forced to the disk for the first time: that life may have
ended because a sync of them had failed.

Not here: what the states mean, and which replica may be changed.

Source: FD/BlockPoolSlice, FD/FsVolumeImpl, DN/BlockMetadataHeader, DN/DatanodeUtil#idToBlockDir, Hadoop 3.4.1;
    facts W.4.7.
"""

import re
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from genstamp_dfs.errors import DiskError, DiskFullError, HdfsIOException
from genstamp_dfs.hdfs.checksums import checksums_of, chunk_count, covered_prefix, first_mismatch
from genstamp_dfs.hdfs.datanode.replicas import Replica
from genstamp_dfs.hdfs.messages.data_transfer import CHECKSUM_BYTES, CHUNK_BYTES
from genstamp_dfs.world.disk import Disk, take_place, writing_anew

META_VERSION: Final = 1
CHECKSUM_CRC32C: Final = 2
META_HEADER: Final = struct.pack(">hBi", META_VERSION, CHECKSUM_CRC32C, CHUNK_BYTES)
"""First bytes of a meta file: version, type of the checksums, bytes in a chunk."""

META_NAME: Final = re.compile(r"blk_(-?[0-9]+)_([0-9]+)\.meta")
BLOCK_NAME: Final = re.compile(r"blk_(-?[0-9]+)")
RESTART_NAME: Final = re.compile(r"blk_(-?[0-9]+)\.restart")

SECTOR_CHUNKS: Final = 512 // CHECKSUM_BYTES
"""Checksums in a sector of a meta file, which a disk writes whole or not at all."""

VALIDATED_AT_ONCE: Final = 1024 * CHUNK_BYTES
"""Bytes that are read and verified together when a replica is loaded."""


class ReplicaFiles:
    """The files of all replicas of one block pool.

    Args:
        disk: where they are.
        block_pool_id: whose they are.
        spares_synced_bytes: whether `synced-bytes-survive` is closed.
    """

    def __init__(self, disk: Disk, block_pool_id: str, *, spares_synced_bytes: bool) -> None:
        self.disk = disk
        self.spares_synced_bytes = spares_synced_bytes
        self.rbw = f"current/{block_pool_id}/current/rbw"
        self.finalized = f"current/{block_pool_id}/current/finalized"
        self.temporary = f"current/{block_pool_id}/tmp"
        self._put_off: dict[str, None] | None = None

    # -- names --------------------------------------------------------------------------------------------------

    def finalized_directory(self, block_id: int) -> str:
        """Where a finalized replica lies: two levels of 32 directories, by the block's id."""
        return f"{self.finalized}/subdir{block_id >> 16 & 0x1F}/subdir{block_id >> 8 & 0x1F}"

    def block_path(self, replica: Replica) -> str:
        """The file with the bytes."""
        return f"{replica.directory}/blk_{replica.block_id}"

    def meta_path(self, replica: Replica) -> str:
        """The file with the checksums."""
        return f"{replica.directory}/{replica.name}.meta"

    def restart_path(self, replica: Replica) -> str:
        """The file that announces a planned restart."""
        return f"{self.rbw}/blk_{replica.block_id}.restart"

    # -- making, moving, removing -------------------------------------------------------------------------------

    def create(self, replica: Replica) -> None:
        """Make the two files, without bytes; leftovers of the same names are replaced.

        Raises:
            DiskError: the disk failed, or is full; then there are no such files.
        """
        meta, block = self.meta_path(replica), self.block_path(replica)
        self._remove_if_there(block, meta)
        try:
            self.disk.create(meta)
            self.disk.write(meta, 0, META_HEADER)
            self.disk.create(block)
        except DiskFullError:
            self._remove_if_there(block, meta)
            raise

    def move(self, replica: Replica, directory: str, generation_stamp: int) -> None:
        """Bring the files to a directory under a stamp; either may be as it was.

        Raises:
            DiskError: the disk failed, or is full; then the files are where they were.
        """
        if directory == replica.directory and generation_stamp == replica.generation_stamp:
            return
        self.disk.make_directory(directory)
        replica.are_names_synced = False
        former_block, former_meta = self.block_path(replica), self.meta_path(replica)
        former = replica.directory
        meta = f"{directory}/blk_{replica.block_id}_{generation_stamp}.meta"
        self.disk.rename(former_meta, meta)
        if directory != former:
            try:
                self.disk.rename(former_block, f"{directory}/blk_{replica.block_id}")
            except DiskFullError:
                self.disk.rename(meta, former_meta)
                raise
        replica.generation_stamp, replica.directory = generation_stamp, directory

    def remove(self, replica: Replica) -> None:
        """Remove the files, those that are there."""
        self._remove_if_there(self.block_path(replica), self.meta_path(replica), self.restart_path(replica))

    def _remove_if_there(self, *paths: str) -> None:
        for path in paths:
            if self.disk.exists(path):
                self.disk.remove(path)

    def copying(self, source: Replica, copy: Replica, length: int) -> Iterator[None]:
        """Give `copy`, which has its files already, the first bytes of another replica; others may run at a yield."""
        for start in range(0, length, VALIDATED_AT_ONCE):
            if start:
                yield
            data = self.disk.read(self.block_path(source), start, min(VALIDATED_AT_ONCE, length - start))
            self.append(copy, start, data, checksums_of(data))

    def sync(self, replica: Replica) -> None:
        """Force all that is written of the replica to the disk, names included."""
        self._make_own(replica)
        self.disk.sync(self.block_path(replica))
        self.disk.sync(self.meta_path(replica))
        if not replica.are_names_synced:
            self.sync_names(replica, replica.directory)
        self._is_synced(replica)

    def _make_own(self, replica: Replica) -> None:
        """Write files anew that an earlier life has left."""
        if replica.is_inherited:
            for _ in self.writing_anew(replica):
                pass
            self.take_places(replica)
            self.sync_names(replica, replica.directory)

    def writing_anew(self, replica: Replica) -> Iterator[None]:
        """Write the bytes of both files anew, for `take_places`; others may run at a yield, but not change them."""
        for path in (self.block_path(replica), self.meta_path(replica)):
            yield from writing_anew(self.disk, path)

    def take_places(self, replica: Replica) -> None:
        """Have what was written anew in the place of the files that an earlier life has left."""
        replica.are_names_synced = False
        take_place(self.disk, self.block_path(replica))
        take_place(self.disk, self.meta_path(replica))
        replica.is_inherited = False

    def sync_names(self, replica: Replica, former: str) -> None:
        """Force to the disk where the replica's files are, and that they are no longer in the former directory."""
        for directory in dict.fromkeys((replica.directory, former)):
            if self._put_off is None:
                self.disk.sync_directory(directory)
            else:
                self._put_off[directory] = None
        replica.are_names_synced = True

    @contextmanager
    def names_later(self) -> Iterator[dict[str, None]]:
        """Have `sync_names` in the body force nothing; gives the directories, for whoever forces them afterwards."""
        self._put_off = {}
        try:
            yield self._put_off
        finally:
            self._put_off = None

    # -- writing ------------------------------------------------------------------------------------------------

    def check_place(self, replica: Replica, offset: int, length: int) -> None:
        """See whether a packet's bytes can be written where it says.

        Raises:
            HdfsIOException: they begin beyond the end of the replica, or inside a chunk and go on after it.

        Source: BlockReceiver#receivePacket, Hadoop 3.4.1; facts W.4.4, W.4.6.
        """
        if offset > replica.bytes_on_disk:
            raise HdfsIOException(
                f"received an out-of-order packet for {replica.name} at {offset}, "
                f"accepted: {replica.bytes_on_disk} or less"
            )
        if offset % CHUNK_BYTES + length > CHUNK_BYTES and offset % CHUNK_BYTES:
            raise HdfsIOException(
                f"packet for {replica.name} begins inside a chunk at {offset} and has {length} bytes, "
                f"accepted: {CHUNK_BYTES - offset % CHUNK_BYTES} or less"
            )

    def append(self, replica: Replica, offset: int, data: bytes, checksums: bytes) -> None:
        """Write those bytes of a packet that are not on disk yet, and the checksums of the chunks that change.

        Args:
            replica: its `bytes_on_disk` moves with what is written.
            offset: of the first byte in the block; must have passed `check_place`.
            data: the bytes.
            checksums: of the chunks of `data`, counted from its first byte.

        Raises:
            DiskError: the disk fails; the file may have more bytes than `bytes_on_disk` says.

        Source: BlockReceiver#receivePacket, Hadoop 3.4.1; facts W.4.6.
        """
        on_disk, end = replica.bytes_on_disk, offset + len(data)
        if end <= on_disk:
            return
        chunk = on_disk // CHUNK_BYTES
        boundary = chunk * CHUNK_BYTES
        block_path, meta_path = self.block_path(replica), self.meta_path(replica)
        if offset % CHUNK_BYTES == 0:
            changed = checksums[(boundary - offset) // CHUNK_BYTES * CHECKSUM_BYTES :]
        else:
            changed = checksums_of(self.disk.read(block_path, boundary, on_disk - boundary) + data[on_disk - offset :])
        careful = self.has_synced_part(replica)
        is_ordered = careful and not self._can_keep(replica, end)
        if is_ordered:
            self._make_own(replica)
        self.disk.write(block_path, on_disk, data if offset == on_disk else data[on_disk - offset :])
        if is_ordered:
            self.disk.sync(block_path)
        elif careful and replica.synced_bytes == on_disk:
            kept = self.disk.read(meta_path, _checksum_at(chunk), CHECKSUM_BYTES)
            self.disk.write(meta_path, _checksum_at(_kept_place(chunk)), kept)
        self.disk.write(meta_path, _checksum_at(chunk), changed)
        replica.bytes_on_disk = end
        if is_ordered:
            self.make_place(replica)
            self.disk.sync(meta_path)
            self._is_synced(replica)

    def has_synced_part(self, replica: Replica) -> bool:
        """Whether a chunk was forced to the disk when it was not full, and no sync came since it was."""
        return self.spares_synced_bytes and replica.synced_bytes % CHUNK_BYTES > 0

    def make_place(self, replica: Replica) -> None:
        """Have a place in the meta file where the checksum of the last chunk can be kept when it changes.

        There is none on a full disk, and none for the last chunks of a sector: these are changed in order.
        """
        meta_path, behind = self.meta_path(replica), chunk_count(replica.bytes_on_disk)
        start, end = _checksum_at(behind), _checksum_at(_kept_place(behind - 1) + 1)
        if not self.spares_synced_bytes or replica.bytes_on_disk % CHUNK_BYTES == 0 or start >= end:
            return
        if self.disk.size(meta_path) < end:
            try:
                self.disk.write(meta_path, start, bytes(end - start))
            except DiskFullError:
                self.disk.truncate(meta_path, start)

    def drop_place(self, replica: Replica) -> None:
        """Cut off what `make_place` has made; nothing that it was made for is not on the disk."""
        meta_path, end = self.meta_path(replica), _checksum_at(chunk_count(replica.bytes_on_disk))
        if self.spares_synced_bytes and self.disk.size(meta_path) > end:
            self.disk.truncate(meta_path, end)
        replica.has_place = False

    def _can_keep(self, replica: Replica, end: int) -> bool:
        """Whether the checksum of the chunk that was forced can be kept while there are so many bytes."""
        return replica.has_place and chunk_count(end) <= _kept_place(replica.synced_bytes // CHUNK_BYTES)

    def _is_synced(self, replica: Replica) -> None:
        """All that is written is on the disk, the length of the meta file too."""
        replica.synced_bytes = replica.bytes_on_disk
        place = _kept_place(replica.synced_bytes // CHUNK_BYTES)
        is_partial = replica.synced_bytes % CHUNK_BYTES > 0
        replica.has_place = is_partial and self.disk.size(self.meta_path(replica)) >= _checksum_at(place + 1)

    def cut(self, replica: Replica, length: int) -> None:
        """Cut bytes and checksums; `length` is at most what is on disk.

        The checksum of a new last chunk takes the place of the old one after the others are gone and before the bytes
        go, so that a crash leaves a checksum of some beginning of the last chunk.

        Source: DN/FsDatasetUtil, FsDatasetImpl#truncateBlock, Hadoop 3.4.1.
        """
        block_path, meta_path = self.block_path(replica), self.meta_path(replica)
        if replica.has_place:
            self.sync(replica)
            replica.has_place = False
        partial, meta_length = length % CHUNK_BYTES, _checksum_at(chunk_count(length))
        if self.disk.size(meta_path) > meta_length:
            self.disk.truncate(meta_path, meta_length)
        if partial and self.disk.size(block_path) > length:
            if self.spares_synced_bytes:
                self._make_own(replica)
            last = self.disk.read(block_path, length - partial, partial)
            self.disk.write(meta_path, meta_length - CHECKSUM_BYTES, checksums_of(last))
            if self.spares_synced_bytes:
                self.disk.sync(meta_path)
        if self.disk.size(block_path) > length:
            self.disk.truncate(block_path, length)

    def restore_checksums(self, replica: Replica, start: int, end: int) -> None:
        """Write the checksums of bytes that are in the file, but whose checksums a failing write has left out."""
        boundary = start - start % CHUNK_BYTES
        data = self.disk.read(self.block_path(replica), boundary, end - boundary)
        self.disk.write(self.meta_path(replica), _checksum_at(boundary // CHUNK_BYTES), checksums_of(data))

    def give_up_place(self, replica: Replica, length: int) -> None:
        """Have so many bytes on the disk, and the checksum of the last chunk where only the kept one vouches for them.

        For a replica of an earlier life whose kept checksum goes next: it is what vouches for the bytes that are on the
        disk already, as long as the others are not.
        """
        if self.disk.size(self.meta_path(replica)) <= _checksum_at(chunk_count(length)):
            return
        self._make_own(replica)
        partial = length % CHUNK_BYTES
        last = checksums_of(self.read(replica, length - partial, partial))
        if last != self.read_checksums(replica, length - partial, partial):
            self.disk.write(self.meta_path(replica), _checksum_at(length // CHUNK_BYTES), last)
            self.disk.sync(self.meta_path(replica))

    # -- reading ------------------------------------------------------------------------------------------------

    def read(self, replica: Replica, offset: int, length: int) -> bytes:
        """Bytes of the replica."""
        return self.disk.read(self.block_path(replica), offset, length)

    def read_checksums(self, replica: Replica, offset: int, length: int) -> bytes:
        """The stored checksums of the chunks of a range that begins on a chunk boundary."""
        start = _checksum_at(offset // CHUNK_BYTES)
        return self.disk.read(self.meta_path(replica), start, chunk_count(length) * CHECKSUM_BYTES)

    def is_consistent(self, replica: Replica) -> bool:
        """Whether both files are there, and the bytes as many as the replica says (FsDatasetImpl#checkReplicaFiles)."""
        block_path = self.block_path(replica)
        return (
            self.disk.exists(block_path)
            and self.disk.exists(self.meta_path(replica))
            and self.disk.size(block_path) == replica.bytes_on_disk
        )

    def validated_length(self, replica: Replica) -> int:
        """How many first bytes of the files the checksums vouch for; 0 if the files cannot be read.

        Hadoop looks at the last chunk that both files have, and drops it if its checksum does not match. Repaired, all
        chunks are looked at, and of the first one that does not match remains the beginning that its checksum covers.

        Source: BlockPoolSlice#validateIntegrityAndSetLength, Hadoop 3.4.1; facts B.8.
        """
        try:
            size, meta = self.disk.size(self.block_path(replica)), self.disk.size(self.meta_path(replica))
            if self.disk.read(self.meta_path(replica), 0, len(META_HEADER)) != META_HEADER:
                return 0
            covered = min(size, max(0, meta - len(META_HEADER)) // CHECKSUM_BYTES * CHUNK_BYTES)
            if self.spares_synced_bytes:
                return self._covered_length(replica, 0, covered)
            last = (chunk_count(covered) - 1) * CHUNK_BYTES
            if covered and self._covered_length(replica, last, covered) < covered:
                return last
            return covered
        except DiskError:
            return 0

    def covered_end(self, replica: Replica) -> int | None:
        """Where a cut of a finalized replica was interrupted: the length that its last checksum vouches for.

        None if the files are as they should be, or if nothing tells how they should be.
        """
        size, meta = self.disk.size(self.block_path(replica)), self.disk.size(self.meta_path(replica))
        chunks = max(0, meta - len(META_HEADER)) // CHECKSUM_BYTES
        covered = min(size, chunks * CHUNK_BYTES)
        if not covered or chunk_count(size) < chunks:
            return None
        last = (chunk_count(covered) - 1) * CHUNK_BYTES
        length = self._covered_length(replica, last, covered)
        return length if last < length < size else None

    def _covered_length(self, replica: Replica, start: int, end: int) -> int:
        """The end of what the checksums vouch for in a range that begins on a chunk boundary."""
        for offset in range(start, end, VALIDATED_AT_ONCE):
            length = min(VALIDATED_AT_ONCE, end - offset)
            data = self.read(replica, offset, length)
            checksums = self.read_checksums(replica, offset, length)
            bad = first_mismatch(data, checksums)
            if bad is not None:
                position = bad // CHUNK_BYTES * CHECKSUM_BYTES
                chunk, checksum = data[bad : bad + CHUNK_BYTES], checksums[position : position + CHECKSUM_BYTES]
                kept = self._kept_checksum(replica, offset + bad)
                return offset + bad + max(covered_prefix(chunk, checksum), covered_prefix(chunk, kept))
        return end

    def _kept_checksum(self, replica: Replica, offset: int) -> bytes:
        """The checksum that is kept for the chunk at an offset; it fits none if there is none."""
        if not self.spares_synced_bytes:
            return b""
        return self.disk.read(self.meta_path(replica), _checksum_at(_kept_place(offset // CHUNK_BYTES)), CHECKSUM_BYTES)


def _checksum_at(chunk: int) -> int:
    """Where the checksum of a chunk is in a meta file.

    >>> _checksum_at(0), _checksum_at(2)
    (7, 15)
    """
    return len(META_HEADER) + chunk * CHECKSUM_BYTES


def _kept_place(chunk: int) -> int:
    """The place, counted in checksums, where that of a chunk is kept: the last one that lies in its sector whole.

    >>> _kept_place(0), _kept_place(124), _checksum_at(125) + CHECKSUM_BYTES, _kept_place(127), _checksum_at(253)
    (125, 125, 511, 253, 1019)
    """
    # A header of 7 bytes has the first checksum of a sector begin in it at byte 3, and cuts the last one in two.
    return (chunk + 1) // SECTOR_CHUNKS * SECTOR_CHUNKS + SECTOR_CHUNKS - 3
