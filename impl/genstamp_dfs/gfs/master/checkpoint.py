"""Checkpoints: from time to time all that is durable is written into one file, so that a start has few records to read.

Mutations are not held up: the log goes on in a new file, and what is written is a picture of the packed state at one
moment, whose making takes as long as copying a few columns. It is written piece by piece while others run, under a
temporary name that is changed when all of it is on disk, and the records before it too. A file is a frame
(`genstamp_dfs.world.frames`) for each piece, the last of which says how many there are: one that was cut short is known
by that, and the checkpoint before it is taken, with the log from there on. One for which the disk has no room is given
up and tried again later: the log has all, and the master goes on.

Not here: how it is loaded into a master that starts (`recovery`).

Source: section 2.6.3.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Final, TypeAlias

import msgspec

from genstamp_dfs.errors import DiskFullError, StorageError
from genstamp_dfs.gfs.master.log_telling import LogTelling
from genstamp_dfs.gfs.master.namespace import DIRECTORY as IS_DIRECTORY
from genstamp_dfs.gfs.master.namespace import Block
from genstamp_dfs.gfs.master.operation_log import DIRECTORY, OperationLog, log_files, log_path
from genstamp_dfs.gfs.master.operations import CallOfClient
from genstamp_dfs.gfs.master.state import MasterState
from genstamp_dfs.gfs.runtime import Runtime
from genstamp_dfs.world.disk import UNFINISHED_SUFFIX, Disk
from genstamp_dfs.world.frames import decode_frame, encode_frame
from genstamp_dfs.world.times import SECOND_US

CHECKPOINT: Final = "checkpoint_"
MARK: Final = b"CHKP"
BLOCKS_A_PIECE: Final = 256
COLUMN_BYTES_A_PIECE: Final = 1024 * 1024
RETRY_US: Final = 60 * SECOND_US
"""How long to wait after a disk without room."""


class Head(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """The first piece: the records before this position are in the checkpoint; `records` is how many it was made of."""

    position: int
    records: int
    next_handle: int
    chosen: dict[int, int]


class Paths(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """Blocks of the namespace, in order: their keys and values; None is a directory."""

    blocks: tuple[tuple[bytes, tuple[bytes | None, ...]], ...]


class Column(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """More bytes of a column of the table of chunks, by its number."""

    number: int
    data: bytes


class Answers(msgspec.Struct, frozen=True, array_like=True, tag=3):
    """What was answered to calls, the oldest first."""

    answers: tuple[tuple[CallOfClient, str | None], ...]


class End(msgspec.Struct, frozen=True, array_like=True, tag=4):
    """The last piece, and how many come before it."""

    pieces: int


Piece: TypeAlias = Head | Paths | Column | Answers | End

_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Piece)


def checkpoint_path(position: int) -> str:
    """The file of the checkpoint that has the records before a position in it.

    >>> checkpoint_path(7)
    'log/checkpoint_0000000000000000007'
    """
    return f"{DIRECTORY}/{CHECKPOINT}{position:019d}"


def checkpoints(disk: Disk) -> list[int]:
    """The positions of all checkpoints that have their name, the latest first."""
    numbers = (name.removeprefix(CHECKPOINT) for name in disk.names(DIRECTORY) if name.startswith(CHECKPOINT))
    return sorted((int(number) for number in numbers if number.isdecimal()), reverse=True)


def pieces_of(state: MasterState, position: int) -> Iterator[Piece]:
    """A picture of the state at the moment of this call, as pieces; the state may change while they are taken."""
    head = Head(position, state.records, state.next_handle, dict(state.chosen))
    blocks, columns, answers = state.namespace.blocks(), state.chunks.columns(), tuple(state.answers.items())
    return _pieces(head, blocks, columns, answers)


def _pieces(
    head: Head, blocks: list[Block], columns: tuple[bytes, ...], answers: tuple[tuple[CallOfClient, str | None], ...]
) -> Iterator[Piece]:
    yield head
    for start in range(0, len(blocks), BLOCKS_A_PIECE):
        yield Paths(
            tuple(
                (block.keys, tuple(None if value is IS_DIRECTORY else value for value in block.values))
                for block in blocks[start : start + BLOCKS_A_PIECE]
            )
        )
    for number, data in enumerate(columns):
        for start in range(0, len(data), COLUMN_BYTES_A_PIECE):
            yield Column(number, data[start : start + COLUMN_BYTES_A_PIECE])
    yield Answers(answers)


def read_checkpoint(disk: Disk, position: int, state: MasterState) -> None:
    """Load a checkpoint into a state that is new; one that was refused is no more to be used.

    Raises:
        StorageError: it is incomplete or damaged.
    """
    path = checkpoint_path(position)
    data = disk.read(path)
    blocks: list[Block] = []
    columns = [bytearray(), bytearray(), bytearray()]
    count, start = 0, 0
    while (found := decode_frame(MARK, data, start)) is not None:
        try:
            piece = _DECODER.decode(found[0])
        except msgspec.MsgspecError as problem:
            raise StorageError(f"{path} is damaged at byte {start}: {problem}") from problem
        start = found[1]
        match piece:
            case Head(position=at, records=records, next_handle=next_handle, chosen=chosen):
                if at != position:
                    raise StorageError(f"{path} has the records before {at}")
                state.records, state.next_handle, state.chosen = records, next_handle, chosen
            case Paths(blocks=more):
                blocks += (
                    Block(keys, tuple(IS_DIRECTORY if value is None else value for value in values))
                    for keys, values in more
                )
            case Column(number=number, data=some):
                columns[number] += some
            case Answers(answers=answers):
                state.answers = dict(answers)
            case End(pieces=pieces) if pieces == count and start == len(data) and blocks:
                state.namespace.load(blocks)
                state.chunks.load(*(bytes(column) for column in columns))
                return
        count += 1
    raise StorageError(f"{path} is incomplete: no end stands behind {count} pieces, at byte {start}")


class Checkpointer:
    """Makes checkpoints, one at a time.

    Args:
        disk: of the master.
        runtime: its world.
        state: what is durable.
        log: the log.
        records: so many records are logged from one checkpoint to the next.
        kept: how many checkpoints are kept.
        position: where the last checkpoint is; None if there is none.
        damaged: the positions of later ones that cannot be read: none of them is kept.
        telling: told of checkpoints, and of what is deleted.
        on_full: called when one is given up because the disk is full.
    """

    def __init__(
        self,
        disk: Disk,
        runtime: Runtime,
        state: MasterState,
        log: OperationLog,
        *,
        records: int,
        kept: int,
        position: int | None,
        damaged: Iterable[int],
        telling: LogTelling,
        on_full: Callable[[DiskFullError], None],
    ) -> None:
        self._disk = disk
        self._runtime = runtime
        self._state = state
        self._log = log
        self._records = records
        self._kept = kept
        self._last = position
        self._damaged = set(damaged)
        self._telling = telling
        self._on_full = on_full
        self._not_before_us = runtime.now_us()

    @property
    def is_due(self) -> bool:
        """Whether so many records were logged since the last one, and the disk was not full of late."""
        if self._runtime.now_us() < self._not_before_us:
            return False
        return self._log.next_position - (self._last or 0) >= self._records

    async def make(self) -> None:
        """Make a checkpoint of this moment; none if the disk has no room for it.

        Raises:
            DiskError: the disk failed, now or before.
        """
        self._log.roll()
        position = self._log.next_position
        self._telling.switched(position)
        pieces = pieces_of(self._state, position)
        path = checkpoint_path(position)
        unfinished = path + UNFINISHED_SUFFIX
        if self._disk.exists(unfinished):
            self._disk.remove(unfinished)
        self._disk.create(unfinished)
        try:
            await self._write_all(unfinished, pieces)
        except DiskFullError as problem:
            self._disk.remove(unfinished)
            self._not_before_us = self._runtime.now_us() + RETRY_US
            self._on_full(problem)
            return
        await self._runtime.ahead(lambda: self._disk.sync(unfinished))
        self._disk.sync(unfinished)
        await self._log.flushed(position)
        self._disk.rename(unfinished, path)
        self._disk.sync_directory(DIRECTORY)
        self._last = position
        self._damaged.discard(position)
        self._telling.completed(position, next(iter(self._whole()[1:]), None))
        self._purge()

    async def _write_all(self, path: str, pieces: Iterator[Piece]) -> None:
        """Write all pieces, and an end, while others run."""
        size, count = 0, 0
        for piece in pieces:
            size += self._write(path, size, piece)
            count += 1
            await self._runtime.sleep_us(0)
        self._write(path, size, End(count))

    def _write(self, path: str, position: int, piece: Piece) -> int:
        frame = encode_frame(MARK, _ENCODER.encode(piece))
        self._disk.write(path, position, frame)
        return len(frame)

    def _whole(self) -> list[int]:
        """The positions of all checkpoints that can be read, the latest first."""
        return [position for position in checkpoints(self._disk) if position not in self._damaged]

    def _purge(self) -> None:
        """Remove checkpoints beyond those that are kept, and files of the log that all of these have in them."""
        whole = self._whole()
        kept = whole[: self._kept]
        for position in checkpoints(self._disk):
            if position not in kept:
                self._disk.remove(checkpoint_path(position))
        files = log_files(self._disk)
        for first, following in pairwise(files):
            # While there are fewer checkpoints than are kept, the log stands from its beginning, as a fall-back too.
            if following <= kept[-1] and len(kept) >= self._kept:
                self._disk.remove(log_path(first))
        self._telling.deleted(log_files(self._disk)[0])
