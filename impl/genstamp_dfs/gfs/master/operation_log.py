"""The operation log: a record is on disk, here and at the log replicas, before anybody is told of what it says.

A file `log/records_<first>` has the records from the first on, up to the first of the next file; what is in it, and
what `log/newest` is for, says `genstamp_dfs.world.wal`. A file that is not the last is complete. A master that stops in
order ends its file with a frame of no records, so that the last records have one behind them.

Records are flushed by one process: whatever is logged while it forces a frame to the disk waits for the next one.

Not here: what a record says (`operations`), and how a log is replayed (`recovery`).

Source: section 2.6.3.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import msgspec

from genstamp_dfs.errors import DiskError, GenstampDfsError, StorageError
from genstamp_dfs.gfs.master.log_telling import LogTelling
from genstamp_dfs.gfs.master.operations import AnyOperation
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world import wal
from genstamp_dfs.world.disk import Disk

DIRECTORY: Final = "log"
RECORDS: Final = "records_"
NEWEST: Final = f"{DIRECTORY}/newest"
FORMAT: Final[wal.LogFormat[AnyOperation]] = wal.LogFormat(
    b"GFSLOG\x00\x01", b"FLSH", NEWEST, "records", msgspec.msgpack.Decoder(wal.Batch[AnyOperation])
)

Batch: TypeAlias = wal.Batch[AnyOperation]
LogFile: TypeAlias = wal.LogFile[AnyOperation]


def encode_batch(first: int, operations: Sequence[AnyOperation]) -> bytes:
    """The bytes of one flush."""
    return FORMAT.encode(first, operations)


def decode_batch(frame: bytes) -> Batch:
    """The records of one flush, as they were sent.

    Raises:
        StorageError: the bytes are damaged.
    """
    found = FORMAT.decode("what was sent", frame, 0)
    if found is None:
        raise StorageError(f"{len(frame)} bytes that were sent as records are damaged")
    return found[0]


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


def read_log_file(disk: Disk, first: int, *, is_last: bool) -> LogFile:
    """Read a file of the log.

    Raises:
        StorageError: it is damaged before its end, or at its end where another file follows.
    """
    return FORMAT.read(disk, log_path(first), first, is_complete=not is_last)


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
        self._end = wal.LogEnd(disk, FORMAT, next_position)
        self._buffer: list[AnyOperation] = []
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
        self.first = self.flushed_position
        self._end.start_file(log_path(self.first))

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
            self._end.write(self._buffer)
            self._buffer = []
        self._end.write([])
        self._disk.sync(self._end.path)

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
        frame = self._end.write(operations)
        force = partial(self._disk.sync, self._end.path)
        await self._runtime.ahead(force)
        force()
        self._telling.flushed(after)
        await self._replicate(first, frame, after)
        self.flushes += 1
        self.flushed_position = after
