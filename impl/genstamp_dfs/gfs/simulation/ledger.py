"""What clients were promised in a run of GFS, and what of it is there in the end.

- A file that was created is there until somebody asks for another name or its end (LogBeforeVisible).
- A record that was acknowledged at an offset stands there whole, on every replica that the master names, and a reader
  of the file's records finds it (AppendAtLeastOnce). Nobody ever reads a record that nobody appended.
- What is read of a cell was written there, and not overwritten since (`cells`).
- A snapshot has what was acknowledged before it was asked for, and nothing that began after it was made
  (SnapshotIsolation).

A promise about a path ends where somebody asks for its end, or for another name, from the moment of asking, for nobody
can know when a call whose answer is lost was carried out. The records of a file that was renamed have to be somewhere.

Not here: everything that a specification would say better. This is about users' bytes alone.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from genstamp_dfs.gfs.records import Record, RecordId
from genstamp_dfs.gfs.simulation.cells import Cells, Write

_PERIOD: Final = 251


def record_data(record: RecordId, num_bytes: int) -> bytes:
    """The data of a record, which nobody else's record has."""
    first = (record.writer * 31 + record.sequence * 7) % _PERIOD
    return (bytes(range(_PERIOD)) * (num_bytes // _PERIOD + 2))[first : first + num_bytes]


@dataclass(eq=False)
class Appended:
    """A record that somebody appends: to which path, when that began, and what was acknowledged.

    Attributes:
        offset: where it stands in the file, in bytes; None before that is known.
        ended_us: when it was acknowledged; None before.
    """

    path: str
    record: Record
    begun_us: int
    offset: int | None = None
    ended_us: int | None = None


@dataclass
class Snapshot:
    """A snapshot that was made, of which path, and between which times."""

    source: str
    begun_us: int
    ended_us: int


@dataclass
class FileRead:
    """What was read of a file in the end.

    Attributes:
        records: those that a reader of its records has found.
        whole: offset -> the record that stands there whole on every replica that could be read.
    """

    records: set[RecordId] = field(default_factory=set)
    whole: dict[int, RecordId] = field(default_factory=dict)


class Ledger:
    """The promises of a run.

    Args:
        now_us: time of the run, the same for everybody, in microseconds.

    Attributes:
        broken: sentences about what was read and must not be.
        acknowledged: how many records, writes and bytes of both were acknowledged.
    """

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self.broken: list[str] = []
        self.acknowledged: Counter[str] = Counter()
        self.appended: dict[RecordId, Appended] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self._cells: dict[str, Cells] = defaultdict(Cells)
        self._created: set[str] = set()
        self._moved: set[str] = set()
        self._removed: dict[str, int] = {}
        self._writes = 0

    # -- what clients do ----------------------------------------------------------------------------------------

    def created(self, path: str) -> None:
        """A file was created, or found to be there already."""
        self._created.add(path)

    def asked_to_move(self, path: str) -> None:
        """Somebody asks for another name, or for a name that was another file's: of this path nothing is known."""
        self._moved.add(path)

    def asked_to_remove(self, path: str) -> None:
        """Somebody asks for a file to be deleted: its records may go."""
        self._moved.add(path)
        self._removed[path] = self._now_us()

    def begin_append(self, path: str, record: Record) -> Appended:
        """Somebody begins to append a record."""
        appended = self.appended[record.id] = Appended(path, record, self._now_us())
        return appended

    def end_append(self, appended: Appended, offset: int) -> None:
        """An append was acknowledged, at an offset of the file."""
        appended.offset, appended.ended_us = offset, self._now_us()
        self.acknowledged["records acknowledged"] += 1
        self.acknowledged["bytes acknowledged"] += len(appended.record.data)

    def begin_write(self, path: str, offset: int, num_bytes: int) -> Write:
        """Somebody begins to write."""
        self._writes += 1
        return self._cells[path].begin(self._writes, self._now_us(), offset, num_bytes)

    def end_write(self, write: Write, num_bytes: int) -> None:
        """A write was acknowledged."""
        write.ended_us = self._now_us()
        self.acknowledged["writes acknowledged"] += 1
        self.acknowledged["bytes acknowledged"] += num_bytes

    def made_snapshot(self, source: str, target: str, begun_us: int) -> None:
        """A snapshot was acknowledged that was asked for at a time."""
        self.snapshots[target] = Snapshot(source, begun_us, self._now_us())
        self.acknowledged["snapshots acknowledged"] += 1

    # -- what is read -------------------------------------------------------------------------------------------

    def is_certain(self, path: str) -> bool:
        """Whether everybody knows which file has this path."""
        return path in self._created and path not in self._moved

    def read_record(self, path: str, record: Record) -> None:
        """Somebody has read a record: somebody must have begun to append it."""
        appended = self.appended.get(record.id)
        if appended is None or appended.record.data != record.data:
            self.broken.append(f"{path} has a record {record.id} that nobody appended")

    def read_records(self, path: str, found: Set[RecordId], begun_us: int) -> None:
        """Somebody has read a file's records to its end, from when on: what was acknowledged before is among them."""
        if self.is_certain(path):
            self.broken += [
                f"{_named(appended)} was acknowledged and a reader of {path} has not found it"
                for appended in self.appended.values()
                if appended.path == path and _is_before(appended, begun_us) and appended.record.id not in found
            ]

    def read_cells(self, path: str, data: bytes, offset: int, end: int, begun_us: int, where: str) -> None:
        """Somebody has asked for bytes of a file, from when on, and from which replica, and got these."""
        written = self._written(path, begun_us)
        if written is not None:
            problems = self._cells[written.source].problems(data, offset, end, written.begun_us, written.ended_us)
            self.broken += [f"{path} at {where}: {problem}" for problem in problems]

    def compare_cells(self, path: str, replicas: Mapping[str, bytes], offset: int, end: int, begun_us: int) -> None:
        """Somebody has asked all replicas of a chunk for the same bytes of a file, from when on, and got these."""
        written = self._written(path, begun_us)
        if written is not None:
            problems = self._cells[written.source].differences(replicas, offset, end, written.begun_us)
            self.broken += [f"{path}: {problem}" for problem in problems]

    def _written(self, path: str, begun_us: int) -> Snapshot | None:
        """The file whose writes are seen in a path that is read from a time on, and between which times they count."""
        snapshot = self.snapshots.get(path)
        if snapshot is None:
            return Snapshot(path, begun_us, self._now_us()) if self.is_certain(path) else None
        return snapshot if self.is_certain(snapshot.source) else None

    # -- the verdict --------------------------------------------------------------------------------------------

    def missing_files(self, found: set[str]) -> list[str]:
        """Files that were created and are not there."""
        certain = {path for path in self._created if self.is_certain(path)} | set(self.snapshots)
        return [f"{path} was acknowledged and is not there" for path in sorted(certain - found)]

    def lost_records(self, read: Mapping[str, FileRead]) -> list[str]:
        """Acknowledged records that are not there, as far as they were promised."""
        anywhere = set().union(*(one.records for one in read.values()))
        problems = []
        for appended in self.appended.values():
            if appended.ended_us is None:
                continue
            # After a rename any file may be the one that somebody has asked to delete.
            if self.is_certain(appended.path):
                problems += self._lost(appended, read.get(appended.path, FileRead()), str(appended.path))
            elif not self._removed and appended.record.id not in anywhere:
                problems.append(f"{_named(appended)} was acknowledged and is in no file")
        return problems

    def wrong_snapshots(self, read: Mapping[str, FileRead]) -> list[str]:
        """What snapshots lack, or have too much."""
        problems = []
        for path, snapshot in self.snapshots.items():
            there = read.get(path, FileRead())
            for appended in self.appended.values():
                if appended.path != snapshot.source:
                    continue
                if appended.begun_us > snapshot.ended_us and appended.record.id in there.records:
                    problems.append(f"{path} has {_named(appended)}, which was appended after the snapshot")
                if _is_before(appended, snapshot.begun_us) and self.is_certain(snapshot.source):
                    problems += self._lost(appended, there, path)
        return problems

    def _lost(self, appended: Appended, there: FileRead, path: str) -> list[str]:
        assert appended.offset is not None, "it was acknowledged"
        if appended.record.id not in there.records:
            return [f"{_named(appended)} was acknowledged at {appended.offset} and no reader of {path} finds it"]
        if there.whole.get(appended.offset) != appended.record.id:
            return [f"{_named(appended)} does not stand at {appended.offset} of {path} on every replica"]
        return []


def _is_before(appended: Appended, time_us: int) -> bool:
    """Whether it was acknowledged before a time."""
    return appended.ended_us is not None and appended.ended_us < time_us


def _named(appended: Appended) -> str:
    one = appended.record.id
    return f"record {one.sequence} of writer {one.writer} for {appended.path}"
