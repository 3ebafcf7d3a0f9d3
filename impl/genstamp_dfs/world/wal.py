"""A log on a disk: records that are synced together are one frame, so that a crash leaves all of them or none.

A file begins with 8 bytes that name its layout. Then comes a frame (`genstamp_dfs.world.frames`) for each sync, which
has the position of its first record, and the records, as msgpack. Behind a torn frame nothing can stand, since the next
is written only when this one is on disk: so a damaged frame with a whole one behind it is not a torn end but a lost
middle, and is refused. So is a torn end of a file that is known to be complete.

The number of the first record of the newest file stands in a file of its own. Without it nobody would notice that the
newest one was removed whole, for what is left ends as a log ends. It is written when the file is on disk under its
name, so a crash leaves no number whose file was not begun. Where there is none nothing is checked, as after a format
that was cut short.

Not here: what files are called, what records say, and who waits for a sync.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from genstamp_dfs.errors import DiskFullError, StorageError
from genstamp_dfs.world import frames
from genstamp_dfs.world.disk import Disk, replace_file

Record = TypeVar("Record")

_ENCODER = msgspec.msgpack.Encoder()


class Batch(msgspec.Struct, Generic[Record], frozen=True, array_like=True):
    """Records that were synced together; `first` is the position of the first of them."""

    first: int
    records: tuple[Record, ...]

    @property
    def next(self) -> int:
        """The position behind the last of them."""
        return self.first + len(self.records)


@dataclass(frozen=True, slots=True)
class LogFile(Generic[Record]):
    """What a file holds: its batches, where the last whole one ends, and how many bytes there are."""

    first: int
    batches: list[Batch[Record]]
    end: int
    size: int

    @property
    def next(self) -> int:
        """The position behind its last record."""
        return self.batches[-1].next if self.batches else self.first


class LogFormat(Generic[Record]):
    """How the files of one kind of log look.

    Args:
        header: their first 8 bytes.
        mark: of their frames, 4 bytes.
        newest: the path of the file that has the number of the newest one.
        records: what the log calls its records, for errors.
        decoder: of the body of a frame.
    """

    def __init__(
        self, header: bytes, mark: bytes, newest: str, records: str, decoder: "msgspec.msgpack.Decoder[Any]"
    ) -> None:
        self.header = header
        self.newest = newest
        self._mark = mark
        self._records = records
        self._decoder = decoder

    def encode(self, first: int, records: Sequence[Record]) -> bytes:
        """The frame of records that are synced together."""
        return frames.encode_frame(self._mark, _ENCODER.encode(Batch(first, tuple(records))))

    def decode(self, source: str, data: bytes, position: int) -> tuple[Batch[Record], int] | None:
        """The records of the frame that begins at the position, and where it ends; None if no whole one does.

        Raises:
            StorageError: it is whole, and its records are not known here; `source` says where it is from.
        """
        found = frames.decode_frame(self._mark, data, position)
        if found is None:
            return None
        try:
            return self._decoder.decode(found[0]), found[1]
        except msgspec.MsgspecError as problem:
            raise StorageError(f"{source} has {self._records} at byte {position} not known here: {problem}") from None

    def read(self, disk: Disk, path: str, first: int, *, is_complete: bool) -> LogFile[Record]:
        """Read a file.

        Args:
            disk: where it is.
            path: its path.
            first: the position of its first record.
            is_complete: whether nothing is missing from its end.

        Raises:
            StorageError: it is damaged before its end, or at its end although it is complete.
        """
        data = disk.read(path)
        if data[: len(self.header)] != self.header:
            is_torn = self.header.startswith(data) or not data.strip(b"\0")
            if is_complete or not is_torn:
                raise StorageError(f"{path} does not begin like a log of this layout, {self.header!r}")
            return LogFile(first, [], 0, len(data))
        batches: list[Batch[Record]] = []
        expected, position = first, len(self.header)
        while (found := self.decode(path, data, position)) is not None:
            batch, end = found
            if batch.first != expected:
                raise StorageError(f"{path} has number {batch.first} at byte {position}, not {expected}")
            batches.append(batch)
            expected, position = batch.next, end
        if position < len(data):
            if is_complete:
                raise StorageError(f"{path} is damaged at byte {position}, and should be complete")
            for later in frames.frames_behind(self._mark, data, position):
                raise StorageError(f"{path} is damaged at byte {position}, before a whole frame at byte {later}")
        return LogFile(first, batches, position, len(data))

    def check_newest(self, disk: Disk, files: Collection[int], needed_after: int = 0) -> None:
        """Refuse a log whose newest file is gone.

        Args:
            disk: where the log is.
            files: the positions of the first records of all files.
            needed_after: records up to this one are known from elsewhere.

        Raises:
            StorageError: it is gone, or what tells of it has no number in it.
        """
        if not disk.exists(self.newest):
            return
        text = disk.read(self.newest).decode("ascii", "replace").strip()
        if not text.isdecimal():
            accepted = f"the number of one of the {self._records}"
            raise StorageError(f"{self.newest} has {text[:20]!r} in it, accepted: {accepted}")
        if int(text) > needed_after and int(text) not in files:
            raise StorageError(f"the {self._records} from {text} on are missing, which {self.newest} tells of")


class LogEnd(Generic[Record]):
    """The end of a log, where records are written; whoever writes forces them to the disk before he writes the next.

    Attributes:
        path: the file that is written.
        next: the position of the next record.
    """

    def __init__(self, disk: Disk, form: LogFormat[Record], next_position: int) -> None:
        self.path = ""
        self.next = next_position
        self._disk = disk
        self._form = form
        self._size = 0

    def start_file(self, path: str) -> None:
        """Begin a new file for what comes next; all before is on the disk.

        Raises:
            DiskError: the disk failed, or is full.
        """
        disk, header = self._disk, self._form.header
        if disk.exists(path):
            # Begun before, without a record. Its name stays, so that the newest number is right at every moment.
            replace_file(disk, path, header)
        else:
            disk.create(path)
            disk.write(path, 0, header)
            disk.sync(path)
            disk.sync_directory(path.rpartition("/")[0])
        replace_file(disk, self._form.newest, f"{self.next}\n".encode("ascii"))
        self.path, self._size = path, len(header)

    def write(self, records: Sequence[Record]) -> bytes:
        """Write records that are going to be synced together; gives their frame.

        Raises:
            DiskError: the disk is full, or failed. What is on it of the frame is taken back as far as it allows, and
                is a torn end otherwise.
        """
        frame = self._form.encode(self.next, records)
        try:
            self._disk.write(self.path, self._size, frame)
        except DiskFullError:
            self._disk.truncate(self.path, self._size)
            raise
        self._size += len(frame)
        self.next += len(records)
        return frame
