"""The operation log: a record is on disk, here and at the log replicas, before anybody is told of what it says.

A file `log/records_<first>` has the records from the first on, up to the first of the next file. It begins with 8
bytes, then comes a frame (`genstamp_dfs.world.frames`) for each flush, with the position of its first record. Records
that are flushed together are one frame, so a crash leaves all of them or none, and behind a torn frame nothing can
stand: a damaged one with a whole one behind it, or in a file that is not the last, is a lost middle, and is refused. A
master that stops in order ends its file with a frame of no records, so that the last records have one behind them.

`log/newest` has the first record of the newest file. Without it nobody would notice that this file was removed whole.

Records are flushed by one process: whatever is logged while it forces a frame to the disk waits for the next one.

Leaves out: what a record says (`operations`), and how a log is replayed (`recovery`).

Source: section 2.6.3.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import msgspec

from genstamp_dfs.errors import DiskError, DiskFullError, GenstampDfsError, StorageError
from genstamp_dfs.gfs.master.log_telling import LogTelling
from genstamp_dfs.gfs.master.operations import AnyOperation
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.disk import Disk, replace_file
from genstamp_dfs.world.frames import decode_frame, encode_frame, frames_behind

DIRECTORY: Final = "log"
RECORDS: Final = "records_"
NEWEST: Final = f"{DIRECTORY}/newest"
HEADER: Final = b"GFSLOG\x00\x01"
MARK: Final = b"FLSH"


class Batch(msgspec.Struct, frozen=True, array_like=True):
    """Records that were flushed together; `first` is the position of the first of them."""

    first: int
    operations: tuple[AnyOperation, ...]


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Batch)


def encode_batch(first: int, operations: list[AnyOperation]) -> bytes:
    """The bytes of one flush."""
    return encode_frame(MARK, _ENCODER.encode(Batch(first, tuple(operations))))


def decode_batch(frame: bytes) -> Batch:
    """The records of one flush, as they were sent.

    Raises:
        StorageError: the bytes are damaged.
    """
    found = decode_frame(MARK, frame, 0)
    if found is None:
        raise StorageError(f"{len(frame)} bytes that were sent as records are damaged")
    return _batch_of("what was sent", 0, found[0])


def log_path(first: int) -> str:
    """The file that begins with this record.

    >>> log_path(7)
    'log/records_0000000000000000007'
    """
    return f"{DIRECTORY}/{RECORDS}{first:019d}"


def log_files(disk: Disk) -> list[int]:
    """The first records of all files, in order."""
    numbers = (name.removeprefix(RECORDS) for name in disk.names(DIRECTORY) if name.startswith(RECORDS))
    return sorted(int(number) for number in numbers if number.isdecimal())


@dataclass(frozen=True, slots=True)
class LogFile:
    """What a file holds: its batches, where the last whole one ends, and how many bytes there are."""

    first: int
    batches: list[Batch]
    end: int
    size: int

    @property
    def next(self) -> int:
        """The position after its last record."""
        return self.batches[-1].first + len(self.batches[-1].operations) if self.batches else self.first


def read_log_file(disk: Disk, first: int, *, is_last: bool) -> LogFile:
    """Read a file of the log.

    Raises:
        StorageError: it is damaged before its end, or at its end where another file follows.
    """
    path = log_path(first)
    data = disk.read(path)
    if data[: len(HEADER)] != HEADER:
        is_torn = HEADER.startswith(data) or not data.strip(b"\0")
        if not (is_last and is_torn):
            raise StorageError(f"{path} does not begin like a log of this layout, {HEADER!r}")
        return LogFile(first, [], 0, len(data))
    batches: list[Batch] = []
    expected, position = first, len(HEADER)
    while (found := decode_frame(MARK, data, position)) is not None:
        batch = _batch_of(path, position, found[0])
        if batch.first != expected:
            raise StorageError(f"{path} has record {batch.first} at byte {position}, not {expected}")
        batches.append(batch)
        expected, position = batch.first + len(batch.operations), found[1]
    if position < len(data):
        if not is_last:
            raise StorageError(f"{path} is damaged at byte {position}, and another file follows")
        for later in frames_behind(MARK, data, position):
            raise StorageError(f"{path} is damaged at byte {position}, before a whole frame at byte {later}")
    return LogFile(first, batches, position, len(data))


def _batch_of(path: str, position: int, body: bytes) -> Batch:
    try:
        return _DECODER.decode(body)
    except msgspec.MsgspecError as problem:
        raise StorageError(f"{path} has records at byte {position} that this master does not know: {problem}") from None


def check_newest(disk: Disk, files: list[int]) -> None:
    """Refuse a log whose newest file is gone.

    Raises:
        StorageError: it is gone, or `newest` has no number in it.
    """
    if not disk.exists(NEWEST):
        return
    text = disk.read(NEWEST).decode("ascii", "replace").strip()
    if not text.isdecimal():
        raise StorageError(f"{NEWEST} has {text[:20]!r} in it, accepted: the position of a record")
    if int(text) not in files:
        raise StorageError(f"the records from {text} on are missing, which {NEWEST} tells of")


class OperationLog:
    """The end of the log, where records are added.

    Args:
        disk: of the master.
        runtime: its world.
        next_position: of the next record.
        replicate: gives a frame, with the positions of its first record and behind its last one, to all log replicas,
            and comes back when all have it on disk.
        telling: told of every record, and of every flush.
        on_failure: called once, when no more records can be written to the disk.

    Attributes:
        next_position: of the next record that is logged.
        flushed_position: all records before it may be told of.
        first: the first record of the file that is written.
        flushes: how many frames were written.
        failure: why no record comes to the disk any more.
    """

    def __init__(
        self,
        disk: Disk,
        runtime: Runtime,
        next_position: int,
        replicate: Callable[[int, bytes, int], Awaitable[None]],
        telling: LogTelling,
        on_failure: Callable[[GenstampDfsError], None] = lambda failure: None,
    ) -> None:
        self.next_position = next_position
        self.flushed_position = next_position
        self.first = next_position
        self.flushes = 0
        self.failure: GenstampDfsError | None = None
        self._disk = disk
        self._runtime = runtime
        self._replicate = replicate
        self._telling = telling
        self._on_failure = on_failure
        self._written_position = next_position
        self._buffer: list[AnyOperation] = []
        self._size = 0
        self._rolls = False
        self._logged = runtime.condition()
        self._flushed = runtime.condition()

    def append(self, operation: AnyOperation) -> None:
        """Take a record; it is on disk only after `flushed`."""
        self._buffer.append(operation)
        self.next_position += 1
        self._telling.appended(self.next_position, operation)
        self._logged.notify_all()

    async def flushed(self, position: int) -> None:
        """Wait until all records before the position are on disk, here and at the log replicas.

        Raises:
            DiskError, StorageError: the disk failed, or a log replica has not what it should, now or before.
        """
        while self.flushed_position < position:
            if self.failure is not None:
                raise self.failure
            await self._flushed.wait()

    def roll(self) -> None:
        """Have what is logged from the next flush on in a new file."""
        self._rolls = True

    def start_file(self) -> None:
        """Begin a new file for what comes next.

        Raises:
            DiskError: the disk failed.
        """
        first = self.flushed_position
        path = log_path(first)
        if self._disk.exists(path):
            # Begun before, without a record. Its name stays, so that `newest` is right at every moment.
            replace_file(self._disk, path, HEADER)
        else:
            self._disk.create(path)
            self._disk.write(path, 0, HEADER)
            self._disk.sync(path)
            self._disk.sync_directory(DIRECTORY)
        replace_file(self._disk, NEWEST, f"{first}\n".encode("ascii"))
        self.first, self._size = first, len(HEADER)

    def fail(self, failure: GenstampDfsError) -> None:
        """A disk does not do what it is asked for: nothing is told of any more that is not on it."""
        if self.failure is not None:
            return
        self.failure = failure
        self._logged.notify_all()
        self._flushed.notify_all()
        self._on_failure(failure)

    def close(self) -> None:
        """Force all records to the disk and end the file; no more follow. The last ones were not acknowledged.

        Raises:
            DiskError: the disk failed, now or earlier.
        """
        if self.failure is not None:
            raise self.failure
        if self._buffer:
            self._write(self._buffer)
            self._buffer = []
        self._write([])
        self._disk.sync(log_path(self.first))

    def _write(self, operations: list[AnyOperation]) -> bytes:
        """Put records behind those that are written; gives the frame.

        Raises:
            DiskError: the disk failed, or is full; then what is on it of the frame is taken back.
        """
        path, frame = log_path(self.first), encode_batch(self._written_position, operations)
        try:
            self._disk.write(path, self._size, frame)
        except DiskFullError:
            self._disk.truncate(path, self._size)
            raise
        self._size += len(frame)
        self._written_position += len(operations)
        return frame

    async def run(self) -> None:
        """Flush whatever is logged, for as long as the master lives."""
        while self.failure is None:
            if not self._buffer:
                await self._logged.wait()
                continue
            try:
                await self._flush()
            except (DiskError, StorageError) as failure:
                self.fail(failure)
            self._flushed.notify_all()

    async def _flush(self) -> None:
        if self._rolls and self.first < self.flushed_position:
            self.start_file()
        self._rolls = False
        first, operations = self.flushed_position, self._buffer
        after = first + len(operations)
        self._buffer = []
        frame = self._write(operations)
        path = log_path(self.first)
        force = partial(self._disk.sync, path)
        await self._runtime.ahead(force)
        force()
        self._telling.flushed(after)
        await self._replicate(first, frame, after)
        self.flushes += 1
        self.flushed_position = after
