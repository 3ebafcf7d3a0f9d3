"""Reads what is appended to logs, and spools the events and the entities that they concern for Spark.

Text logs and events in JSON are followed line by line, through their readers; what they have learnt of the cluster
stays with them. Everything else is read once, as a whole, when it has stood unchanged for a round. Leaves out edit
logs in progress, which NameNodes roll, and copies that `gzip` makes of logs that were followed before.

Each round that finds something makes one file, which says as well how far every log was read: a follower that is
started again goes on there. It reads its logs from their beginning to learn what they say, and gives only what is new.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet

from genstamp.logs.copies import beginning_of, file_chunks, is_beginning
from genstamp.logs.follow.places import READ, Places, spans_together
from genstamp.logs.follow.tail import FileId, Tail, file_id
from genstamp.logs.readers.log_text import LogReader
from genstamp.logs.readers.native import NativeReader
from genstamp.logs.readers.sighting import Counts, Reject, Sighting, Unit
from genstamp.logs.reading import read_unit
from genstamp.logs.rows import Batch, batches
from genstamp.logs.streams import head
from genstamp.logs.tables import CONCERNS, SPANS
from genstamp.logs.units import HEAD, LOG, NATIVE, TOLD_ONCE, find_units, log_name

FOLLOWED = frozenset({LOG, NATIVE})
"""Readers of text that grows by lines."""

ROUND_BYTES = 64 << 20
"""About as much is read of one log in one round."""

_IN_PROGRESS = re.compile(r"edits_inprogress_\d+")
COMPRESSED = (".gz", ".zst")
_POSITIONS = b"genstamp.positions"


class _Read(msgspec.Struct):
    """How far a file was read: its identity, how it begins (so many bytes, and their hash), and its lines."""

    device: int
    inode: int
    beginning: tuple[int, str]
    lines: int


class _Position(msgspec.Struct):
    """How far a log was read, by which reader, and the last order of its events."""

    unit: int
    reader: str
    file: str
    last_order: int
    files: list[_Read]


class Round(NamedTuple):
    """What a round has found.

    Attributes:
        number: of the round, from 1; no other has it.
        events: how many.
        rejects: how much could not be read.
    """

    number: int
    events: int
    rejects: int


@dataclass
class _Part:
    """One file of a log.

    Attributes:
        file: the name that it had when it was found.
        id, beginning: what it is known by later.
        lines: that are spooled.
        tail: through which it is read; None for what is read as a whole, or has been read to its end.
    """

    file: str
    id: FileId
    beginning: tuple[int, str]
    lines: int = 0
    tail: Tail | None = None

    def is_emptied(self) -> bool:
        """Whether its file was emptied while it was followed."""
        return self.tail is not None and self.tail.is_emptied()

    def go_on_in(self, copy: Path, identity: FileId) -> None:
        """Goes on in a copy of its file.

        Raises:
            OSError: it cannot be opened.
        """
        assert self.tail is not None, "the part is followed"
        tail = self.tail.going_on_in(copy)
        self.end()
        self.file, self.id, self.tail = str(copy), identity, tail

    def end(self) -> None:
        """Is followed no more."""
        if self.tail is not None:
            self.tail.close()
            self.tail = None

    def is_beginning_of(self, path: Path) -> bool:
        """Whether a file begins as this one did when it was found."""
        return _beginning(path, self.beginning[0]) == self.beginning


@dataclass
class _Log:
    """A log with its older parts, or a file that is read as a whole.

    Attributes:
        unit: as the readers take it.
        parts: in the order in which they were written.
        whole: whether it is read as a whole.
        spooled: how far an earlier process has read it.
        base: order of the last event before this process began.
        last_order: of the last event that is spooled.
    """

    unit: Unit
    whole: bool
    spooled: list[_Read]
    base: int = 0
    last_order: int = 0
    parts: list[_Part] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    reader: LogReader | NativeReader | None = None


class Spool:
    """Follows what is at some paths.

    Args:
        paths: files and directories, which need not be there yet.
        places: where rounds are kept: a file of each table, of which that of concerns is for Spark.
        group: name of the cluster for sources that name no block pool.

    Attributes:
        spans: what each file has told, a table of `tables.SPANS`.
    """

    def __init__(self, paths: Sequence[str], places: Places, group: str | None = None) -> None:
        self._paths = list(paths)
        self._places = places
        self._group = group
        self._logs: dict[str, _Log] = {}
        self._sizes: dict[str, int] = {}
        self._read: dict[tuple[str, bytes], list[str]] = {}
        self._copies: set[str] = set()
        rounds = sorted(places.tables["concerns"].glob("[0-9]*.parquet"))
        self._number = int(rounds[-1].stem) if rounds else 0
        self._positions = _positions(rounds[-1]) if rounds else {}
        self.spans = pyarrow.parquet.read_table(self._place("spans")) if rounds else SPANS.empty_table()
        self._next_unit = 1 + max((each.unit for each in self._positions.values()), default=-1)

    def units(self) -> list[Unit]:
        """What was read by this process and those before it."""
        before = {each.unit: Unit(each.unit, each.reader, (each.file,), each.file) for each in self._positions.values()}
        now = {log.unit.number: log.unit for log in self._logs.values()}
        return list({**before, **now}.values())

    def close(self) -> None:
        """Lets the files go."""
        for part in self._parts():
            part.end()

    def round(self, *, is_last: bool = False) -> Round | None:
        """Reads what has come since the last round, and spools it; None if nothing has.

        Args:
            is_last: nothing more is appended, so that events that wait for a line are told without it, and files that
                are read as a whole need not be seen twice.
        """
        self._look(is_last)
        found: dict[str, list[Any]] = {table: [] for table in (*READ, "spans")}
        for log in self._logs.values():
            for table, rows in self._told(log, is_last):
                if rows.num_rows:
                    found[table].append(rows)
        if not any(found[table] for table in READ):
            return None
        return self._write({table: pa.concat_tables(rows) for table, rows in found.items() if rows})

    def _parts(self) -> Iterator[_Part]:
        for log in self._logs.values():
            yield from log.parts

    def _look(self, is_last: bool) -> None:
        """Takes up files that are new, and forgets those that were read and are gone."""
        there = [path for path in self._paths if Path(path).exists()]
        seen: set[FileId] = set()
        # Units hold the parts of one log in their order; what `find_units` does not put together goes by its age.
        for unit in sorted(find_units(there, self._group, with_copies=True).units, key=_last_written):
            try:
                identities = [file_id(Path(file)) for file in unit.files]
                seen.update(identities)
                if unit.reader in FOLLOWED and not any(file.endswith(COMPRESSED) for file in unit.files):
                    self._take_parts(unit, identities)
                else:
                    self._take_whole(unit, identities, is_last)
            except OSError:
                # Renamed or removed since it was found: the next round finds it under its new name.
                continue
        for log in self._logs.values():
            # Its number may be given to another file.
            log.parts = [part for part in log.parts if part.tail is not None or part.id in seen]

    def _take_parts(self, unit: Unit, identities: Sequence[FileId]) -> None:
        """Takes up the parts of a log that are new."""
        files = list(zip(map(Path, unit.files), identities, strict=True))
        for path, identity in files:
            former = next((part for part in self._parts() if part.id == identity), None)
            if former is not None and not former.is_emptied():
                continue
            log = self._log(f"{unit.reader} {path.parent / log_name(path)}", unit, is_whole=False)
            others = (part for part in log.parts if part.tail is not None and part is not former)
            original = next((part for part in others if part.is_beginning_of(path)), None)
            if original is not None and original.is_emptied():
                # As if it had been renamed: the copy is the former part, and what was emptied a new one.
                original.go_on_in(path, identity)
            elif original is None and not _is_being_copied(log, path, identity, files):
                if former is not None:
                    former.end()
                    log.parts = [part for part in log.parts if part is not former]
                part = self._part(log, path, identity)
                part.tail = Tail(path)

    def _take_whole(self, unit: Unit, identities: Sequence[FileId], is_last: bool) -> None:
        """Takes up what is read as a whole, if it is new and nobody writes it any more."""
        path = Path(unit.files[0])
        # A copy of what was followed before it was compressed has nothing new.
        is_copy = f"{unit.reader} {path.parent / log_name(path)}" in self._logs
        name = f"{unit.reader} as a whole {path}"
        if is_copy or {name} & (self._logs.keys() | self._copies) or not self._are_at_rest(unit.files, is_last):
            return
        fresh = [file for file in unit.files if not self._was_read(unit.reader, file)]
        if not fresh:
            self._copies.add(name)
            return
        log = self._log(name, replace(unit, files=tuple(fresh)), is_whole=True)
        for file, identity in zip(unit.files, identities, strict=True):
            if file in fresh:
                self._part(log, Path(file), identity)

    def _was_read(self, reader: str, file: str) -> bool:
        """Whether all of a file is what another one holds that is read; if not, it is one that is read from now on."""
        sort = TOLD_ONCE.get(reader)
        if sort is None:
            return False
        others = self._read.setdefault((reader, beginning_of(head(Path(file), HEAD), sort, 1)), [])
        there = (other for other in others if other != file and Path(other).exists())
        if any(is_beginning(file_chunks(file), file_chunks(other), sort) for other in there):
            return True
        others.append(file)
        return False

    def _part(self, log: _Log, path: Path, identity: FileId) -> _Part:
        """A new part of a log, and how much of it an earlier process has spooled."""
        part = _Part(str(path), identity, _beginning(path))
        for read in log.spooled:
            is_it = (read.device, read.inode) == identity or not log.whole
            if is_it and _beginning(path, read.beginning[0]) == read.beginning:
                part.lines = read.lines
        log.parts.append(part)
        return part

    def _are_at_rest(self, files: Sequence[str], is_last: bool) -> bool:
        """Whether files are as large as they were in the last round."""
        sizes = {file: _size(Path(file)) for file in files}
        before = {file: self._sizes.get(file) for file in files}
        self._sizes.update(sizes)
        return (is_last or before == sizes) and not any(_IN_PROGRESS.match(Path(file).name) for file in files)

    def _log(self, name: str, unit: Unit, is_whole: bool) -> _Log:
        """The log of a name, begun if it is new."""
        if name not in self._logs:
            position = self._positions.get(name)
            if position is None:
                position = _Position(self._next_unit, unit.reader, unit.files[0], 0, [])
                self._next_unit += 1
            unit = replace(unit, number=position.unit)
            self._logs[name] = _Log(unit, is_whole, position.files, position.last_order, position.last_order)
        return self._logs[name]

    def _told(self, log: _Log, is_last: bool) -> Iterator[Batch]:
        """What a log tells that was not spooled before."""
        if not log.whole:
            yield from batches(log.unit, log.unit.reader, self._appended(log, is_last), log.counts)
            log.counts.lines.clear()
            log.counts.remarks.clear()
        elif any(not part.lines for part in log.parts):
            for part in log.parts:
                part.lines = 1
            yield from read_unit(log.unit)

    def _appended(self, log: _Log, is_last: bool) -> Iterator[Sighting | Reject]:
        if log.reader is None:
            log.reader = _reader(log.unit, log.counts)
        for number, part in enumerate(log.parts):
            if part.tail is None or part.is_emptied():
                continue
            is_over = number + 1 < len(log.parts)
            before = part.tail.number
            for one in log.reader.sightings(part.file, _new_lines(log, part, is_over=is_over), before):
                place = one.place if isinstance(one, Reject) else one.event.place
                if place is None or place.file != part.file or place.line > part.lines:
                    yield self._renumbered(log, one)
            part.lines = max(part.lines, part.tail.number)
            if is_over and part.tail.number == before:
                # A newer part follows, and nothing more has come: space of a file that is removed is free again.
                part.end()
        if is_last and isinstance(log.reader, LogReader):
            for one in log.reader.rest():
                yield self._renumbered(log, one)

    def _renumbered(self, log: _Log, one: Sighting | Reject) -> Sighting | Reject:
        """Events of this process come after those of the one before."""
        if isinstance(one, Reject):
            return one
        order = log.base + one.order
        log.last_order = max(log.last_order, order)
        return one._replace(order=order)

    def _write(self, found: dict[str, Any]) -> Round:
        before = self._place("spans")
        self._number += 1
        self.spans = spans_together(pa.concat_tables([self.spans, *([found["spans"]] if "spans" in found else [])]))
        for table, rows in {**found, "spans": self.spans}.items():
            if table != "concerns":
                _put(rows, self._place(table))
        told = {**self._positions, **{name: _position(log) for name, log in self._logs.items()}}
        self._positions = told
        concerns = found.get("concerns", CONCERNS.empty_table())
        # Last, and in one step: until then the round has not been.
        _put(concerns.replace_schema_metadata({_POSITIONS: msgspec.json.encode(told)}), self._place("concerns"))
        before.unlink(missing_ok=True)
        return Round(self._number, *(found[table].num_rows if table in found else 0 for table in ("events", "rejects")))

    def _place(self, table: str) -> Path:
        directory = self._places.spans if table == "spans" else self._places.tables[table]
        return directory / f"{self._number:012d}.parquet"


def _new_lines(log: _Log, part: _Part, *, is_over: bool) -> Iterator[bytes | None]:
    """What has come since, of which those are not counted again that an earlier process has counted."""
    assert part.tail is not None, "the part is followed"
    is_known = part.tail.number < part.lines
    for line in part.tail.lines(ROUND_BYTES, is_over=is_over):
        if is_known and part.tail.number > part.lines:
            is_known = False
            _forget(log, part)
        yield line
    if is_known:
        _forget(log, part)


def _forget(log: _Log, part: _Part) -> None:
    for counted in (log.counts.lines, log.counts.remarks):
        for key in [key for key in counted if key[0] == part.file]:
            del counted[key]


def _last_written(unit: Unit) -> int:
    try:
        return max(Path(file).stat().st_mtime_ns for file in unit.files)
    except OSError:
        return 0


def _position(log: _Log) -> _Position:
    return _Position(
        log.unit.number,
        log.unit.reader,
        log.unit.files[0],
        log.last_order,
        [_Read(*part.id, part.beginning, part.lines) for part in log.parts],
    )


def _is_being_copied(log: _Log, path: Path, identity: FileId, files: Sequence[tuple[Path, FileId]]) -> bool:
    """Whether a file is the copy of one that an earlier process has read and that is not emptied yet."""
    for read in log.spooled:
        original = FileId(read.device, read.inode)
        there = [each for each, its in files if its == original != identity]
        if there and all(_beginning(each, read.beginning[0]) == read.beginning for each in (path, *there)):
            return True
    return False


def _size(path: Path) -> int:
    """Of a file, or of all in a storage directory."""
    return sum(each.stat().st_size for each in (path, *path.rglob("*")))


def _beginning(path: Path, num_bytes: int = 256) -> tuple[int, str]:
    if path.is_dir():
        return 0, ""
    with path.open("rb") as file:
        found = file.read(num_bytes)
    return len(found), blake2b(found, digest_size=16).hexdigest()


def _reader(unit: Unit, counts: Counts) -> LogReader | NativeReader:
    if unit.reader == NATIVE:
        return NativeReader(unit, counts)
    return LogReader(unit, counts, head(Path(unit.files[0]), HEAD))


def _put(table: Any, place: Path) -> None:
    attempt = place.with_name(f".{uuid.uuid4().hex}")
    pyarrow.parquet.write_table(table, attempt)
    attempt.replace(place)


def _positions(spooled: Path) -> dict[str, _Position]:
    metadata = pyarrow.parquet.read_schema(spooled).metadata
    return msgspec.json.decode(metadata[_POSITIONS], type=dict[str, _Position])
