"""The positions up to which growing logs were read, and up to which they can be read now.

Text logs and events in JSON are followed line by line, through rotation by renaming, by emptying, and by compressing.
Everything else is read once, as a whole, when it has stood unchanged for a look. Not here: reading
(`genstamp.logs.follow.source`), and edit logs in progress, which NameNodes roll.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

from genstamp.logs.copies import beginning_of, file_chunks, is_beginning
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.streams import DamagedSourceError, Stream, head
from genstamp.logs.units import HEAD, LOG, NATIVE, TOLD_ONCE, find_units, log_name

FOLLOWED = frozenset({LOG, NATIVE})
"""Readers of text that grows by lines."""

BYTES_AT_ONCE = 64 << 20
"""About as much is read of one file in one batch."""

PARTS_KEPT = 100
"""Parts of a log that are known although they are gone: they may come back compressed."""

_BEGINNING = 256
_BLOCK = 1 << 16
_IN_PROGRESS = re.compile(r"edits_inprogress_\d+")


class FileId(NamedTuple):
    """What stays the same when a file is renamed: its device, and its number there."""

    device: int
    inode: int


class Part(msgspec.Struct):
    """One file of a log.

    Attributes:
        number: among the parts of the log.
        file: the name under which its lines are told: the one that it had when it was found.
        path: where it is now.
        id, beginning: what it is known by later; of its beginning this many bytes, and their hash.
        end: bytes of its content that are read.
    """

    number: int
    file: str
    path: str
    id: FileId
    beginning: tuple[int, str]
    end: int = 0

    def begins(self, path: Path) -> bool:
        """Whether a file begins as this one did when it was found."""
        return beginning(path, self.beginning[0]) == self.beginning


class Position(msgspec.Struct):
    """The position up to which a log was read, or a file that is read as a whole.

    Attributes:
        unit: as readers take it.
        parts: in the order in which they were written; none of what is read as a whole.
        reads: how often it was read.
        found: how many parts it ever had.
        is_told: whether what waited for a line that never came is told.
    """

    unit: Unit
    parts: list[Part] = []
    reads: int = 0
    found: int = 0
    is_told: bool = False


Positions = dict[str, Position]
"""By the name of the log."""


def encoded(positions: Positions) -> str:
    """As a text; the same for the same positions."""
    return msgspec.json.encode(positions).decode()


def decoded(text: str) -> Positions:
    """What `encoded` was given."""
    return msgspec.json.decode(text, type=Positions)


class Looking:
    """Looks how far logs can be read.

    Args:
        paths: files and directories, which need not be there yet.
        group: name of the cluster for sources that name no block pool.
    """

    def __init__(self, paths: Sequence[str], group: str | None = None) -> None:
        self._paths, self._group = list(paths), group
        self._sizes: dict[str, int] = {}
        self._contents: dict[tuple[str, int, int], int] = {}
        self._begun: dict[str, bytes] = {}
        self._copies: set[str] = set()
        self._until: dict[FileId, int] | None = None

    def end_here(self) -> None:
        """Takes what is there now for all that will ever come: what is read as a whole need not be seen twice, and
        what waits for a line is told without it.
        """
        there = [Path(path) for path in self._paths if Path(path).exists()]
        files = [file for path in there for file in (path, *path.rglob("*"))]
        self._until = {file_id(file): _size(file) for file in files if file.exists()}

    def look(self, positions: Positions) -> Positions:
        """The position up to which the content read so far can be read."""
        now = decoded(encoded(positions))
        there = [path for path in self._paths if Path(path).exists()]
        seen: set[FileId] = set()
        # Units hold the parts of one log in their order; what `find_units` does not put together goes by its age.
        for unit in sorted(find_units(there, self._group, with_copies=True).units, key=_last_written):
            try:
                files = [(Path(file), file_id(Path(file))) for file in unit.files]
                files = [each for each in files if self._until is None or each[1] in self._until]
                seen.update(identity for _, identity in files)
                if unit.reader not in FOLLOWED:
                    self._take_whole(now, unit, [str(path) for path, _ in files])
                    continue
                for path, identity in files:
                    self._take_part(now, unit, path, identity)
            except (OSError, DamagedSourceError):
                # Renamed, removed or still being written since it was found: the next look finds what has become of it.
                continue
        for position in now.values():
            self._go_on(position, seen)
        return now

    # -- logs ------------------------------------------------------------------------------------------------------

    def _take_part(self, now: Positions, unit: Unit, path: Path, identity: FileId) -> None:
        """Takes up a file of a log, if it is new."""
        former = next((part for each in now.values() for part in each.parts if part.id == identity), None)
        if former is not None and not self._is_emptied(former, path):
            former.path = str(path)
            if former.beginning[0] < _BEGINNING:
                former.beginning = beginning(path)
            return
        name = f"{unit.reader} {path.parent / log_name(path)}"
        if name not in now:
            now[name] = Position(replace(unit, number=_next_unit(now), files=(str(path),)))
        position = now[name]
        original = next((part for part in position.parts if part is not former and part.begins(path)), None)
        if original is not None and self._is_there(original):
            return
        if original is not None and self._content_size(path) >= original.end:
            # As if it had been renamed: what was emptied, or is gone, is a new part if it comes again.
            original.file = original.path = str(path)
            original.id = identity
            return
        position.parts = [part for part in position.parts if part is not former]
        position.parts.append(Part(position.found, str(path), str(path), identity, beginning(path)))
        position.found += 1

    def _is_there(self, part: Part) -> bool:
        """Whether a part is where it was last seen."""
        try:
            return file_id(Path(part.path)) == part.id and not self._is_emptied(part, Path(part.path))
        except OSError:
            return False

    def _is_emptied(self, part: Part, path: Path) -> bool:
        """Whether a file was emptied where it stands, as `copytruncate` of logrotate does."""
        return self._content_size(path) < part.end or not part.begins(path)

    def _go_on(self, position: Position, seen: Set[FileId]) -> None:
        """Goes on to where the parts of a log can be read."""
        gone = [part for part in position.parts if part.id not in seen]
        position.parts = [part for part in position.parts if part not in gone[:-PARTS_KEPT]]
        before = [part.end for part in position.parts]
        is_more = self._move(position, seen)
        has_come = before != [part.end for part in position.parts]
        position.is_told = position.is_told and not has_come
        tells = bool(position.parts) and self._until is not None and not position.is_told and not is_more
        position.is_told = position.is_told or tells
        position.reads += has_come or tells

    def _move(self, position: Position, seen: Set[FileId]) -> bool:
        """Moves the ends of parts; gives whether more can be read of one."""
        is_more = False
        for part in position.parts:
            if part.id in seen and self._is_there(part):
                is_over = part is not position.parts[-1]
                part.end = self._end(part, is_over=is_over)
                is_more = is_more or self._end(part, is_over=is_over) > part.end
        return is_more

    def _end(self, part: Part, *, is_over: bool) -> int:
        """How far a part can be read: so many whole lines as are there, and all if nothing more is appended."""
        path = Path(part.path)
        size = self._content_size(path)
        if is_packed(path):
            return size
        if self._until is not None:
            size = min(size, max(part.end, self._until.get(part.id, 0)))
        stop = part.end
        while stop < size:
            stop = min(size, stop + BYTES_AT_ONCE)
            end = size if is_over and stop == size else last_line_end(path, part.end, stop)
            if end:
                return end
        return part.end

    def _content_size(self, path: Path) -> int:
        if not is_packed(path):
            return path.stat().st_size
        status = path.stat()
        key = str(path), status.st_size, status.st_mtime_ns
        if key not in self._contents:
            with Stream(path) as stream:
                self._contents[key] = sum(map(len, stream.chunks()))
        return self._contents[key]

    # -- what is read as a whole ---------------------------------------------------------------------------------------

    def _take_whole(self, now: Positions, unit: Unit, files: Sequence[str]) -> None:
        """Adds files that are read as a whole, if they are new and no longer written."""
        name = f"{unit.reader} as a whole {unit.files[0]}"
        if not files or name in now or name in self._copies or not self._are_at_rest(files):
            return
        read = [file for each in now.values() if each.unit.reader == unit.reader for file in each.unit.files]
        fresh: list[str] = []
        for file in files:
            if not self._is_copy(unit.reader, file, [*read, *fresh]):
                fresh.append(file)
        if fresh:
            now[name] = Position(replace(unit, number=_next_unit(now), files=tuple(fresh)), reads=1)
        else:
            self._copies.add(name)

    def _are_at_rest(self, files: Sequence[str]) -> bool:
        """Whether files are as large as they were in the last look."""
        sizes = {file: _size_below(Path(file)) for file in files}
        before = {file: self._sizes.get(file) for file in files}
        self._sizes.update(sizes)
        is_at_rest = self._until is not None or before == sizes
        return is_at_rest and not any(_IN_PROGRESS.match(Path(file).name) for file in files)

    def _is_copy(self, reader: str, file: str, others: Sequence[str]) -> bool:
        """Whether all of a file is what another one holds that is read."""
        sort = TOLD_ONCE.get(reader)
        if sort is None:
            return False
        for each in (file, *others):
            if each not in self._begun and Path(each).exists():
                self._begun[each] = beginning_of(head(Path(each), HEAD), sort, 1)
        alike = [other for other in others if other != file and self._begun.get(other) == self._begun[file]]
        return any(is_beginning(file_chunks(file), file_chunks(other), sort) for other in alike if Path(other).exists())


def file_id(path: Path) -> FileId:
    """The identity of the file that has a name now.

    Raises:
        OSError: there is none.
    """
    status = path.stat()
    return FileId(status.st_dev, status.st_ino)


def is_packed(path: Path) -> bool:
    """Whether a part of a log was compressed, so that nothing is appended to it."""
    return path.name.endswith((".gz", ".bz2", ".xz", ".zst"))


def beginning(path: Path, num_bytes: int = _BEGINNING) -> tuple[int, str]:
    """How the content of a file begins: this many bytes, and their hash."""
    found = head(path, num_bytes)
    return len(found), blake2b(found, digest_size=16).hexdigest()


def last_line_end(path: Path, begin: int, stop: int) -> int:
    """Where the last whole line ends between two places of a file; 0 if there is none."""
    with path.open("rb") as file:
        while stop > begin:
            at = max(begin, stop - _BLOCK)
            file.seek(at)
            found = file.read(stop - at).rfind(b"\n")
            if found >= 0:
                return at + found + 1
            stop = at
    return 0


def _next_unit(now: Positions) -> int:
    return 1 + max((each.unit.number for each in now.values()), default=-1)


def _last_written(unit: Unit) -> int:
    try:
        return max(Path(file).stat().st_mtime_ns for file in unit.files)
    except OSError:
        return 0


def _size(path: Path) -> int:
    return path.stat().st_size


def _size_below(path: Path) -> int:
    """Of a file, or of all in a storage directory."""
    return sum(map(_size, (path, *path.rglob("*"))))
