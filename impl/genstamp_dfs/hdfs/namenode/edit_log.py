"""The edit log: every change is written down and forced to the disk before anybody is told of it.

A segment is a file `edits_<first>-<last>` of the transactions from first to last, or `edits_inprogress_<first>` while
it is written; what is in it, and what `seen_txid` is for, says `genstamp_dfs.world.wal`. A namenode that stops in order
completes its segment, whose end is in its name then: there a torn end is damage, and is refused.

Not here: several directories, a quorum of journals, segments that are written again after an upgrade.

Source: NN/FSEditLog, NN/EditLogFileOutputStream, NN/FileJournalManager, NN/FSEditLog#checkForGaps,
NN/NNStorage#writeTransactionIdFileToStorage, Hadoop 3.4.1; facts I.5.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec

from genstamp_dfs.errors import StorageError
from genstamp_dfs.hdfs.namenode.edit_ops import AnyOp
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX, Disk
from genstamp_dfs.world.wal import Batch, LogEnd, LogFile, LogFormat

DIRECTORY: Final = "current"
FINALIZED: Final = "edits_"
IN_PROGRESS: Final = "edits_inprogress_"
SEEN: Final = f"{DIRECTORY}/seen_txid"
FORMAT: Final[LogFormat[AnyOp]] = LogFormat(
    b"GSEDITS\x01", b"SYNC", SEEN, "edits", msgspec.msgpack.Decoder(Batch[AnyOp])
)


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


def read_segment(disk: Disk, segment: Segment) -> LogFile[AnyOp]:
    """Read a segment.

    Raises:
        StorageError: it is damaged before its end; a complete one also where its end is missing, or where it has
            other transactions than its name says.
    """
    content = FORMAT.read(disk, segment.path, segment.first, is_complete=segment.last is not None)
    if segment.last is not None and content.next != segment.last + 1:
        raise StorageError(f"{segment.path} ends with transaction {content.next - 1}")
    return content


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
        self._end = LogEnd(disk, FORMAT, last_transaction + 1)
        self._buffer: list[AnyOp] = []

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
        self._end.start_file(f"{DIRECTORY}/{in_progress_name(self.segment_first)}")

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
            DiskError: the disk is full, or failed. The log cannot go on then.
        """
        if not self._buffer:
            return None
        self._end.write(self._buffer)
        self._buffer = []
        return partial(self._disk.sync, self._end.path)

    def end_sync(self) -> None:
        """What `begin_sync` has written is on the disk."""
        self.synced_transaction = self._end.next - 1

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
