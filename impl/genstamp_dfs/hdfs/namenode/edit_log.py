"""The edit log: every change is written down and forced to the disk before anybody is told of it.

A segment is a file `edits_<first>-<last>` of the transactions from first to last, or `edits_inprogress_<first>` while
it is written. It begins with 8 bytes, `GSEDITS` and the number of the layout. Then comes a frame
(`genstamp_dfs.world.frames`) for each sync, which has the first transaction id and the edits in order, as msgpack.

Edits that are synced together are one frame, so a crash leaves a frame whole or torn, and a torn one was not
acknowledged. Behind a torn frame nothing can stand, since the next is written only when this one is on disk: so a
damaged frame with a whole one behind it is not a torn end but a lost middle, and is refused. A namenode that stops in
order completes its segment, whose end is in its name then: there a torn end is damage too, and is refused.

`seen_txid` has the first transaction of the newest segment. Without it nobody would notice that this one was removed
whole, for what is left ends as a log ends. It is written when the segment is on disk under its name, so a crash leaves
no number whose segment was not begun. Where there is none nothing is checked, as after a format that was cut short.

Leaves out: several directories, a quorum of journals, segments that are written again after an upgrade.

Source: NN/FSEditLog, NN/EditLogFileOutputStream, NN/FileJournalManager, NN/FSEditLog#checkForGaps,
NN/NNStorage#writeTransactionIdFileToStorage, Hadoop 3.4.1; facts I.5.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec

from genstamp_dfs.errors import DiskFullError, StorageError
from genstamp_dfs.hdfs.namenode.edit_ops import AnyOp
from genstamp_dfs.world import frames
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX, Disk, replace_file

DIRECTORY: Final = "current"
FINALIZED: Final = "edits_"
IN_PROGRESS: Final = "edits_inprogress_"
SEEN: Final = f"{DIRECTORY}/seen_txid"
HEADER: Final = b"GSEDITS\x01"
FRAME: Final = b"SYNC"


class Frame(msgspec.Struct, frozen=True, array_like=True):
    """Edits that were synced together."""

    first: int
    ops: tuple[AnyOp, ...]


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Frame)


def encode_frame(first: int, ops: list[AnyOp]) -> bytes:
    """The bytes of one sync."""
    return frames.encode_frame(FRAME, _ENCODER.encode(Frame(first, tuple(ops))))


def decode_frame(data: bytes, position: int) -> tuple[Frame, int] | None:
    """The frame that begins at the position, and where it ends; None if no whole one does."""
    found = frames.decode_frame(FRAME, data, position)
    if found is None:
        return None
    try:
        return _DECODER.decode(found[0]), found[1]
    except msgspec.MsgspecError:
        return None


@dataclass(frozen=True, slots=True)
class Segment:
    """A file of the log; `last` is None while it is written."""

    name: str
    first: int
    last: int | None

    @property
    def path(self) -> str:
        return f"{DIRECTORY}/{self.name}"


def in_progress_name(first: int) -> str:
    """The name of the segment that begins with this transaction, while it is written."""
    return f"{IN_PROGRESS}{first:019d}"


def finalized_name(first: int, last: int) -> str:
    """The name of a segment that is complete.

    >>> finalized_name(1, 20)
    'edits_0000000000000000001-0000000000000000020'
    """
    return f"{FINALIZED}{first:019d}-{last:019d}"


def segments_of(names: list[str]) -> list[Segment]:
    """The segments among the names, by their first transaction."""
    found = []
    for name in names:
        if name.endswith(UNFINISHED_SUFFIX):
            continue
        if name.startswith(IN_PROGRESS):
            found.append(Segment(name, int(name.removeprefix(IN_PROGRESS)), None))
        elif name.startswith(FINALIZED):
            first, _, last = name.removeprefix(FINALIZED).partition("-")
            found.append(Segment(name, int(first), int(last)))
    return sorted(found, key=lambda segment: segment.first)


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """What a segment holds: its frames, and where the last whole one ends."""

    frames: list[Frame]
    end: int
    size: int


def read_segment(disk: Disk, segment: Segment) -> SegmentContent:
    """Read a segment.

    Raises:
        StorageError: it is damaged before its end; a complete one also where its end is missing, or where it has
            other transactions than its name says.
    """
    data = disk.read(segment.path)
    frames: list[Frame] = []
    expected, position = segment.first, len(HEADER)
    if data[: len(HEADER)] != HEADER:
        is_torn = HEADER.startswith(data) or not data.strip(b"\0")
        if segment.last is not None or not is_torn:
            raise StorageError(f"{segment.path} does not begin like an edit log of this layout, {HEADER!r}")
        return SegmentContent([], 0, len(data))
    while (decoded := decode_frame(data, position)) is not None:
        frame, end = decoded
        if frame.first != expected:
            raise StorageError(f"{segment.path} has transaction {frame.first} at byte {position}, not {expected}")
        frames.append(frame)
        expected, position = frame.first + len(frame.ops), end
    if position < len(data):
        _check_torn_end(segment, data, position)
    if segment.last is not None and expected != segment.last + 1:
        raise StorageError(f"{segment.path} ends with transaction {expected - 1}")
    return SegmentContent(frames, position, len(data))


def _check_torn_end(segment: Segment, data: bytes, position: int) -> None:
    """Refuse a segment whose damage is not a torn end."""
    if segment.last is not None:
        raise StorageError(f"{segment.path} is damaged at byte {position}")
    for later in frames.frames_behind(FRAME, data, position):
        raise StorageError(f"{segment.path} is damaged at byte {position}, before a whole frame at byte {later}")


def check_seen_transaction(disk: Disk, segments: list[Segment], in_image: int) -> None:
    """Refuse a log whose newest segment is gone.

    Args:
        disk: the storage directory.
        segments: all that it has.
        in_image: the last transaction that the image has in it.

    Raises:
        StorageError: the segment is gone, or `seen_txid` has no number in it.
    """
    if not disk.exists(SEEN):
        return
    text = disk.read(SEEN).decode("ascii", "replace").strip()
    if not text.isdecimal():
        raise StorageError(f"{SEEN} has {text[:20]!r} in it, accepted: the number of a transaction")
    seen = int(text)
    if seen > in_image and all(segment.first != seen for segment in segments):
        raise StorageError(f"the edits from {seen} on are missing, which {SEEN} tells of")


class EditLog:
    """The end of the log, where edits are added.

    Attributes:
        last_transaction: of the last edit taken.
        synced_transaction: of the last one on disk.
        segment_first: the first transaction of the segment that is written.
    """

    def __init__(self, disk: Disk, last_transaction: int) -> None:
        self._disk = disk
        self.last_transaction = last_transaction
        self.synced_transaction = last_transaction
        self.segment_first = last_transaction + 1
        self._written_transaction = last_transaction
        self._buffer: list[AnyOp] = []
        self._size = 0

    @property
    def has_unsynced(self) -> bool:
        return self.synced_transaction < self.last_transaction

    def log(self, op: AnyOp) -> None:
        """Take an edit; it is on disk only after `sync`."""
        self._buffer.append(op)
        self.last_transaction += 1

    def start_segment(self) -> None:
        """Begin a new file for what comes next (FSEditLog#startLogSegment)."""
        self.segment_first = self.last_transaction + 1
        path = f"{DIRECTORY}/{in_progress_name(self.segment_first)}"
        if self._disk.exists(path):
            # Begun before, without a transaction. Its name stays, so that seen_txid is right at every moment.
            replace_file(self._disk, path, HEADER)
        else:
            self._disk.create(path)
            self._disk.write(path, 0, HEADER)
            self._disk.sync(path)
            self._disk.sync_directory(DIRECTORY)
        replace_file(self._disk, SEEN, f"{self.segment_first}\n".encode("ascii"))
        self._size = len(HEADER)

    def sync(self) -> None:
        """Force all edits to the disk, those taken since the last sync in one frame (FSEditLog#logSync)."""
        force = self.begin_sync()
        if force is not None:
            force()
            self.end_sync()

    def begin_sync(self) -> Callable[[], None] | None:
        """Write all edits that wait into one frame; gives what forces it to the disk, None if there are none.

        What is given touches nothing but the disk, so another thread may call it while edits are taken here; `end_sync`
        follows before anything else is written.

        Raises:
            DiskError: the disk is full, or failed. The log cannot go on then; what is on disk of the frame is taken
                back as far as the disk allows, and is a torn end otherwise.
        """
        if not self._buffer:
            return None
        data = encode_frame(self.synced_transaction + 1, self._buffer)
        path = f"{DIRECTORY}/{in_progress_name(self.segment_first)}"
        try:
            self._disk.write(path, self._size, data)
        except DiskFullError:
            self._disk.truncate(path, self._size)
            raise
        self._size += len(data)
        self._buffer = []
        self._written_transaction = self.last_transaction
        return partial(self._disk.sync, path)

    def end_sync(self) -> None:
        """What `begin_sync` has written is on the disk."""
        self.synced_transaction = self._written_transaction

    def roll(self) -> int:
        """Complete the segment and begin another; gives the last transaction of the complete one.

        A segment without transactions goes on instead (FSEditLog#rollEditLog).
        """
        self.sync()
        if self.segment_first <= self.last_transaction:
            finalize_segment(self._disk, self.segment_first, self.last_transaction)
            self.start_segment()
        return self.last_transaction

    def close(self) -> None:
        """Force all edits to the disk and complete the segment, as no more come (FSEditLog#endCurrentLogSegment).

        A segment without transactions stays in progress: nothing can be missing from it.
        """
        self.sync()
        if self.segment_first <= self.last_transaction:
            finalize_segment(self._disk, self.segment_first, self.last_transaction)
            self._disk.sync_directory(DIRECTORY)


def finalize_segment(disk: Disk, first: int, last: int) -> None:
    """Give a segment the name of a complete one; the name is on disk with that of the next segment."""
    name = f"{DIRECTORY}/{in_progress_name(first)}"
    disk.rename(name, f"{DIRECTORY}/{finalized_name(first, last)}")
