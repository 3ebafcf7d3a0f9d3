"""Keys apart on the disk: whoever reads writes the concerns part by part, and whoever checks reads one part of all.

So the events of a key come together in one exchange of compact columns (`genstamp.logs.divided`), in one process as on
many machines, and memory is bounded: a part that is too large is sorted on the disk. Leaves out reading and checking
themselves.
"""

import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numba import njit

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.divided import Divided, DividedWriter, divided, rows_by_part
from genstamp.logs.exchange import EXCHANGED, NO_NUMBER, concerns_of, exchanged, moved, reordered
from genstamp.logs.long_keys import verdicts_in_order
from genstamp.logs.opening import is_remote
from genstamp.logs.opening import size as size_of_file
from genstamp.logs.packed import unpacked
from genstamp.logs.ranges import kept_shifts
from genstamp.logs.readers.log_ordered import Shift
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.sorted_rows import in_order
from genstamp.logs.streams import COMPRESSED_TO, is_compressed
from genstamp.logs.tables import CONCERNS

PART_BYTES = 64 << 20
"""Bytes of logs whose keys make one part, about: some 200 thousand events, 200 bytes each in memory."""

PARTS_MAX = 512
"""More would make files of a few rows."""

ROWS_MAX = 500_000
"""Rows of a part that are checked at once, twice as many as a part mostly has, about 100 bytes each."""

COUNTS_KEPT = "counts"
"""Directory of the counts that stand for verdicts where no tables are kept."""

_ROWS_AT_ONCE = 400_000
_ROW_BYTES = 35
_RANGE = "-range-"


def parts_for(units: Sequence[Unit]) -> int:
    """Into how many parts the keys of some units are divided."""
    size = 0
    for unit in units:
        for file in unit.files:
            if is_remote(file) or Path(file).is_file():
                size += size_of_file(file) * (COMPRESSED_TO if is_compressed(file) else 1)
    return min(PARTS_MAX, 1 + size // PART_BYTES)


class PartWriter:
    """Writes the concerns of a unit, all of a key in one part.

    Args:
        directory: of the table.
        unit: number of the unit.
        range: number of the range of the unit whose rows these are; None for the unit's own.
        parts: how many parts there are.
        keeps: whether the rows are kept for others, as a table of `tables.CONCERNS`; else they are of
        `exchange.EXCHANGED`, for the check alone.
    """

    def __init__(self, directory: Path, unit: int, range: int | None, parts: int, keeps: bool) -> None:  # noqa: A002
        self._directory, self._parts, self._keeps = directory, parts, keeps
        self._of = f"unit-{unit:06d}" + ("" if range is None else f"{_RANGE}{range:06d}")
        self._attempt = uuid.uuid4().hex
        self._writers: dict[int, Any] = {}
        self._waiting: list[Any] = []
        self._rows = 0
        self._beside = ThreadPoolExecutor(1)
        self._written: Future[None] | None = None
        self._divided = None if keeps else DividedWriter(directory.parent, self._of)

    def write(self, rows: Any) -> None:
        """Takes a table of `tables.CONCERNS` or of `exchange.EXCHANGED`."""
        is_compact = rows.schema.equals(EXCHANGED)
        if is_compact == self._keeps:
            rows = concerns_of(rows) if is_compact else exchanged(rows)
        self._waiting.append(rows)
        self._rows += rows.num_rows
        if self._rows >= _ROWS_AT_ONCE:
            self._divide()

    def close(self) -> None:
        """Puts the files in their places, each in one step and over what an earlier attempt of the same task left."""
        self._divide()
        self._await()
        self._beside.shutdown()
        if self._divided is not None:
            self._divided.close()
        for part, writer in self._writers.items():
            writer.close()
            self._waits(part).replace(self._directory / f"part-{part:06d}-{self._of}.parquet")

    def abandon(self) -> None:
        """Takes away what was written."""
        self._beside.shutdown()
        if self._divided is not None:
            self._divided.abandon()
        for part, writer in self._writers.items():
            writer.close()
            self._waits(part).unlink()

    def _waits(self, part: int) -> Path:
        return self._directory / f".{part:06d}.{self._of}.{self._attempt}"

    def _divide(self) -> None:
        if not self._waiting:
            return
        self._await()
        self._written = self._beside.submit(self._write, self._waiting)
        self._waiting, self._rows = [], 0

    def _await(self) -> None:
        """Waits for what is written: there is never more than that, and what is read meanwhile."""
        if self._written is not None:
            self._written.result()
            self._written = None

    def _write(self, waiting: list[Any]) -> None:
        """Writes tables while the next are read, as both are done by compiled code for the most part."""
        part_of = np.concatenate([_parts_of(*keys_of(rows), self._parts) for rows in waiting])
        place, ends = _places(part_of, self._parts)
        if self._divided is not None:
            if len(place):
                self._divided.write(waiting, place, ends)
            return
        order = np.empty(len(place), np.int64)
        order[place] = np.arange(len(place))
        rows = reordered(pa.concat_tables(waiting).unify_dictionaries().combine_chunks(), order)
        for part in np.flatnonzero(np.diff(ends)):
            self._put(int(part), rows.slice(ends[part], ends[part + 1] - ends[part]))

    def _put(self, part: int, rows: Any) -> None:
        if part not in self._writers:
            self._writers[part] = pyarrow.parquet.ParquetWriter(self._waits(part), CONCERNS)
        self._writers[part].write_table(rows)


def keys_of(rows: Any) -> tuple[Any, Any, Any]:
    """What of each row chooses its part: its number, and where its name stands in which text. Enough to keep a key
    together.
    """
    if rows.schema.equals(EXCHANGED):
        numbers, names = np.asarray(rows.column("number")), rows.column("name")
    else:
        numbers, names = np.full(rows.num_rows, NO_NUMBER), rows.column("entity")
    names = names.combine_chunks()
    _, ends, text = names.buffers()
    offsets = np.frombuffer(ends or b"", np.int32)[names.offset : names.offset + len(names) + 1]
    return numbers, offsets, np.frombuffer(text or b"", np.uint8)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _parts_of(numbers: Any, offsets: Any, text: Any, parts: int) -> Any:
    """The part of each row: FNV-1a, the same on every machine; of what has a number, this alone."""
    part_of = np.empty(len(numbers), np.int64)
    for row in range(len(numbers)):
        value = np.uint64(0xCBF29CE484222325)
        if numbers[row] != NO_NUMBER:
            value = (value ^ np.uint64(numbers[row])) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(32)
        else:
            for at in range(offsets[row], offsets[row + 1]):
                value = (value ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
        part_of[row] = np.int64((value >> np.uint64(20)) % np.uint64(parts))
    return part_of


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _places(part_of: Any, parts: int) -> tuple[Any, Any]:
    """Where each row goes, part by part, and where the rows of each part begin, with one more element for the end."""
    ends, places = np.zeros(parts + 1, np.int64), np.empty(len(part_of), np.int64)
    for part in part_of:
        ends[part + 1] += 1
    for part in range(parts):
        ends[part + 1] += ends[part]
    free = ends.copy()
    for row in range(len(part_of)):
        places[row] = free[part_of[row]]
        free[part_of[row]] += 1
    return places, ends


def part_sizes(built: Path, parts: int) -> list[int]:
    """How many bytes the concerns of each part have below a directory, about."""
    sizes = [_ROW_BYTES * rows for rows in rows_by_part(built, parts)]
    for file in (built / "concerns").glob("part-*.parquet"):
        sizes[int(file.name.split("-")[1])] += file.stat().st_size
    return sizes


def check_part(built: Path, part: int, terms: Terms, rows_max: int = ROWS_MAX, keeps: bool = True) -> None:
    """Checks the keys of one part of the concerns below a directory; writes their verdicts and steps beside them.

    Args:
        built: the directory.
        part: number of the part.
        terms: of the check.
        rows_max: how many rows are held in memory; a part of more is sorted on the disk, and a key of more is checked
            piece by piece.
        keeps: whether the tables are kept for others; else keys of which no more is told are only counted, and no steps
            are written.
    """
    files = sorted((built / "concerns").glob(f"part-{part:06d}-*.parquet"))
    compact = list(pieces(built, part))
    rows = sum(pyarrow.parquet.read_metadata(file).num_rows for file in files)
    rows += sum(each.num_rows() for each in compact)
    if not rows:
        return
    steps: list[Any] = []
    counts: list[Any] | None = None if keeps else []
    with _Written(built, "verdicts", part) as found:
        if rows <= rows_max:
            kept = [pyarrow.parquet.ParquetFile(file).read(use_threads=False) for file in files]
            concerns = pa.concat_tables([*kept, *_rows(compact)])
            found.write(_apart(verdicts(concerns, terms, steps if keeps else None, counts)))
        else:
            with tempfile.TemporaryDirectory(dir=built, prefix=".sorted-") as scratch:
                tables = in_order(_read(files, compact), rows, Path(scratch), rows_max)
                for each in verdicts_in_order(tables, terms, Path(scratch), rows_max, steps, counts):
                    found.write(_apart(each))
    if counts is None:
        with _Written(built, "steps", part) as taken:
            taken.write(steps)
    else:
        with _Written(built, COUNTS_KEPT, part) as counted:
            counted.write([pa.concat_tables(counts)])


def _read(files: Sequence[Path], compact: Sequence["Piece"]) -> Iterator[Any]:
    """The concerns of some files and pieces in compact columns, some rows at a time."""
    for file in files:
        with pyarrow.parquet.ParquetFile(file) as of_unit:
            # Of several groups together, what was read before would be kept.
            for group in range(of_unit.num_row_groups):
                for batch in of_unit.iter_batches(1 << 16, row_groups=[group]):
                    rows = pa.Table.from_batches([batch])
                    yield rows if rows.schema.equals(EXCHANGED) else exchanged(rows)
    for each in compact:
        whole = each.rows()
        for begins in range(0, whole.num_rows, 1 << 16):
            yield whole.slice(begins, 1 << 16)


class _Written:
    """A file of a table that is put in its place when all is written, over what an earlier attempt has left."""

    def __init__(self, built: Path, table: str, part: int) -> None:
        self._waits = built / table / f".{part:06d}.{uuid.uuid4().hex}"
        self._place = built / table / f"part-{part:06d}.parquet"
        self._writer: Any = None

    def __enter__(self) -> "_Written":
        return self

    def write(self, tables: Sequence[Any]) -> None:
        """Takes tables, each of which becomes row groups of its own."""
        for rows in tables:
            self._writer = self._writer or pyarrow.parquet.ParquetWriter(self._waits, rows.schema)
            self._writer.write_table(rows)

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        if self._writer is not None:
            self._writer.close()
            if problem is None:
                self._waits.replace(self._place)


class Piece(NamedTuple):
    """Rows of a part that hold.

    Attributes:
        found: where they are.
        shift: what is added to their numbers; None if they stand as they are.
    """

    found: Divided
    shift: Shift | None

    def num_rows(self) -> int:
        """How many there are."""
        return self.found.num_rows()

    def rows(self) -> Any:
        """The rows, with the numbers that they have in their unit."""
        rows = unpacked([self.found.rows()])
        return rows if self.shift is None else moved(rows, self.shift.line, self.shift.sequence)


def _rows(compact: Sequence[Piece]) -> Iterator[Any]:
    """The rows of pieces: of those that stand as they are together, as that is quicker."""
    as_they_are = [each.found.rows() for each in compact if each.shift is None]
    if as_they_are:
        yield unpacked(as_they_are)
    for each in compact:
        if each.shift is not None:
            yield each.rows()


def pieces(built: Path, part: int) -> Iterator[Piece]:
    """The divided rows of a part; of ranges those that hold."""
    shifts: dict[int, Mapping[int, Shift]] = {}
    for found in divided(built, part):
        of_unit, of_range, number = found.of.partition(_RANGE)
        shift = None
        if of_range:
            unit = int(of_unit.rpartition("-")[2])
            if unit not in shifts:
                shifts[unit] = kept_shifts(built, unit)
            shift = shifts[unit].get(int(number))
            if shift is None:
                continue
        yield Piece(found, shift)


def _apart(rows: Any) -> list[Any]:
    """Verdicts of which much is told apart from the others: who asks for them reads only their row groups."""
    is_told = pa.compute.or_(
        pa.compute.not_equal(rows.column("safety"), "conformant"),
        pa.compute.equal(rows.column("completion"), "unfinished"),
    )
    apart = rows.filter(is_told), rows.filter(pa.compute.invert(is_told))
    return [rows for rows in apart if rows.num_rows]
