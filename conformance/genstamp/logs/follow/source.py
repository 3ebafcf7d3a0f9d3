"""Logs that are written as a streaming source of Spark: an offset is how far each of them was read.

A task reads the new content of one log since the last batch, with the reader of the log saved as it was then: so what
the log has told is known, whichever process reads on. The tables that no key needs are written at once, under names
that follow from the position, so that a batch that is run again writes the same files. Not here: how far can be read
(`genstamp.logs.follow.positions`) and the keys (`genstamp.logs.follow.keeping`).
"""

import errno
import uuid
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow

from genstamp.events import Place
from genstamp.logs.exchange import EXCHANGED, concerns_of, exchanged
from genstamp.logs.flat import FLAT, flat_rows
from genstamp.logs.follow.packing import packed, unpacked
from genstamp.logs.follow.places import READ, Places
from genstamp.logs.follow.positions import FOLLOWED, Looking, Part, Position, decoded, encoded, file_id, is_packed
from genstamp.logs.readers.log_fast import FastReading
from genstamp.logs.readers.native import NativeReader
from genstamp.logs.readers.sighting import Counts, Reject, Sighting
from genstamp.logs.reading import read_unit
from genstamp.logs.rows import Batch, batches
from genstamp.logs.streams import DamagedSourceError, Stream, head, lines
from genstamp.logs.units import HEAD, NATIVE, log_name

_OFFSET = "positions"
_CHUNK = 1 << 18


class FollowedLogs(DataSource):
    """The lines appended to logs, as rows of `flat.FLAT`.

    Options: `paths` in JSON, `out` for the tables, `group` if there is one, `parts` into which keys are divided.
    """

    @classmethod
    def name(cls) -> str:
        """As it is asked for."""
        return "hdfs-logs-followed"

    def schema(self) -> Any:
        """Of the rows."""
        return from_arrow_schema(FLAT)

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: ARG002 - as Spark calls it
        """Reads them."""
        return _StreamReader(self.options)


class Range(msgspec.Struct):
    """What is read of a part of a log: from a place to where the part ends now."""

    part: Part
    begin: int


class _StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, options: Mapping[str, str]) -> None:
        self._looking = Looking(msgspec.json.decode(options["paths"], type=list[str]), options.get("group"))
        self._places, self._parts = Places(Path(options["out"])), int(options["parts"])

    def initialOffset(self) -> dict[str, str]:
        """Nothing was read."""
        return {_OFFSET: encoded({})}

    def latestOffset(self, start: dict[str, str], limit: ReadLimit) -> dict[str, str]:  # noqa: ARG002
        """The position up to which one batch can read now."""
        return {_OFFSET: encoded(self._looking.look(decoded(start[_OFFSET])))}

    def prepareForTriggerAvailableNow(self) -> None:
        """Nothing that comes later is read."""
        self._looking.end_here()

    def partitions(self, start: dict[str, str], end: dict[str, str]) -> Sequence[InputPartition]:
        """One for each log with new content."""
        before = decoded(start[_OFFSET])
        found = []
        for name, position in decoded(end[_OFFSET]).items():
            known = before.get(name) or Position(position.unit)
            if position.reads != known.reads:
                begins = {part.number: part.end for part in known.parts}
                ranges = [Range(part, begins.get(part.number, 0)) for part in position.parts]
                found.append(InputPartition((position, [each for each in ranges if each.begin < each.part.end])))
        return found

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of new content of a log."""
        position, ranges = partition.value
        unit = position.unit
        tables = _appended(self._places, position, ranges) if unit.reader in FOLLOWED else read_unit(unit)
        yield from flat_rows(unit, _kept(tables, self._places, position), self._parts)


def _appended(places: Places, position: Position, ranges: Sequence[Range]) -> Iterator[Batch]:
    before, now = (places.reader(position.unit.number, reads) for reads in (position.reads - 1, position.reads))
    reading = _Reading(position) if position.reads == 1 else unpacked(before.read_bytes(), _Reading)
    yield from reading.tables(ranges, position.is_told)
    put(now, packed(reading))
    # The one before is for a batch that is run again.
    places.reader(position.unit.number, position.reads - 2).unlink(missing_ok=True)


def _kept(tables: Iterator[Batch], places: Places, position: Position) -> Iterator[Batch]:
    """Writes tables, and gives what has to be known for keys."""
    writers: dict[str, Any] = {}
    files = {table: places.tables[table] / f"{position.unit.number}-{position.reads}.parquet" for table in READ}
    attempts = {table: file.with_name(f".{uuid.uuid4().hex}") for table, file in files.items()}
    for table, rows in tables:
        if table in READ and rows.num_rows:
            told = concerns_of(rows) if table == "concerns" and rows.schema.equals(EXCHANGED) else rows
            if table not in writers:
                writers[table] = pyarrow.parquet.ParquetWriter(attempts[table], READ[table])
            writers[table].write_table(told)
        if table in ("concerns", "spans"):
            yield table, exchanged(rows) if table == "concerns" and not rows.schema.equals(EXCHANGED) else rows
    for table, writer in writers.items():
        writer.close()
        attempts[table].replace(files[table])


class _Reading:
    """The reader of a log, and how many lines of each part it has read."""

    def __init__(self, position: Position) -> None:
        self._unit, self._counts = position.unit, Counts()
        self._lines: dict[int, int] = {}
        if self._unit.reader == NATIVE:
            self._reader: NativeReader | FastReading = NativeReader(self._unit, self._counts)
        else:
            beginning = _beginning(position.parts[0])
            self._reader = FastReading(self._unit, self._counts, beginning, keeps_events=True)

    def tables(self, ranges: Sequence[Range], is_told: bool) -> Iterator[Batch]:
        """The tables of some ranges; an event that waits for a line is reported if none comes."""
        reader = self._reader
        if isinstance(reader, NativeReader):
            yield from batches(self._unit, NATIVE, self._events(reader, ranges), self._counts)
        else:
            for each in ranges:
                before = self._lines.get(each.part.number, 0)
                yield from reader.more(each.part.file, before, partial(Content, each))
                self._lines[each.part.number] = reader.lines()
            yield from reader.rest() if is_told else reader.told()
        self._counts.lines.clear()
        self._counts.remarks.clear()

    def _events(self, reader: NativeReader, ranges: Sequence[Range]) -> Iterator[Sighting | Reject]:
        for each in ranges:
            number, file = self._lines.get(each.part.number, 0), each.part.file
            counted = count(number)
            try:
                with Content(each) as content:
                    given = (line for line, _ in zip(lines(content), counted, strict=False))
                    yield from reader.sightings(file, given, number)
            except DamagedSourceError as error:
                yield Reject(Place(file, number), error.reason)
            except OSError as error:
                yield Reject(Place(file, number), f"cannot be read: {error.strerror}")
            self._lines[each.part.number] = next(counted)


class Content:
    """What is read of a part of a log: wherever it is, as it may have been renamed or compressed.

    Args:
        wanted: see there.

    Raises:
        OSError: it is not there any more.
    """

    def __init__(self, wanted: Range) -> None:
        self._path = _where(wanted.part)
        self._begin, self._size = wanted.begin, wanted.part.end - wanted.begin
        self._content, self._left = self.chunks(), b""

    def __enter__(self) -> "Content":
        return self

    def __exit__(self, *_: object) -> None:
        self._content.close()

    def chunks(self) -> Generator[bytes]:
        """The content in pieces of no particular length.

        Raises:
            DamagedSourceError: it has become shorter.
        """
        left = self._size
        with closing(
            _packed(self._path, self._begin) if is_packed(self._path) else _plain(self._path, self._begin)
        ) as chunks:
            for chunk in chunks:
                yield chunk[:left]
                left -= min(left, len(chunk))
                if not left:
                    return
        raise DamagedSourceError(f"the file has become {left} bytes shorter")

    def read_into(self, room: memoryview) -> int:
        """Puts content into some memory; gives how much, 0 at the end."""
        self._left = self._left or next(self._content, b"")
        given, self._left = self._left[: len(room)], self._left[len(room) :]
        room[: len(given)] = given
        return len(given)


def _beginning(part: Part) -> bytes:
    """What was at the beginning of a part when it was read first; nothing if it is gone."""
    try:
        return head(_where(part), min(HEAD, part.end))
    except OSError:
        return b""


def _where(part: Part) -> Path:
    here = Path(part.path)
    alike = [path for path in here.parent.iterdir() if log_name(path) == log_name(here)]
    # Itself first; else a copy of it.
    for path in sorted(alike, key=lambda path: (file_id(path) != part.id, path)):
        if part.begins(path) and (is_packed(path) or path.stat().st_size >= part.end):
            return path
    raise FileNotFoundError(errno.ENOENT, "it was removed before it was read", part.path)


def _plain(path: Path, begin: int) -> Generator[bytes]:
    with path.open("rb") as file:
        file.seek(begin)
        while chunk := file.read(_CHUNK):
            yield chunk


def _packed(path: Path, begin: int) -> Generator[bytes]:
    with Stream(path) as stream:
        for chunk in stream.chunks():
            rest, begin = chunk[begin:], max(0, begin - len(chunk))
            if rest:
                yield rest


def put(place: Path, content: bytes) -> None:
    """Writes a file in one step."""
    attempt = place.with_name(f".{uuid.uuid4().hex}")
    attempt.write_bytes(content)
    attempt.replace(place)
