"""Reads the tables of a TraceBench collection: records of events, and which of them called which.

`event.csv` holds a record a line, `edge.csv` which record was begun by which, `trace.csv` how many records each task
has. All have a head line. The last column of `event.csv` is not quoted and has commas.

Not here: what records mean (`genstamp.logs.readers.tracebench`) and their order (`genstamp.logs.readers.causes`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from genstamp.events import Place
from genstamp.logs.readers.sighting import Reject, shortened
from genstamp.logs.streams import LINE_LENGTH_MAX

EVENTS_HEAD = b"TaskID,TID,OpName,StartTime,EndTime,HostAddress,HostName,Agent,Description"
EDGES_HEAD = b"TaskID,FatherTID,FatherStartTime,ChildTID"
TASKS_HEAD = b"TaskID,Title,NumReports,NumEdges,FirstSeen,LastUpdated,StartTime,EndTime"

RECORDS_OF_TASK_MAX = 2_000
"""Records of one task; the longest of TraceBench's write tasks have some 400."""

RECORDS_HELD_MAX = 500_000
"""Records of unfinished tasks that are held at a time."""

EDGES_MAX = 2_000_000
"""Edges of one collection, which are read before its records."""

_NO_FATHER = "0000000000000000"
_NAME_LENGTH_MAX = 200


@dataclass(frozen=True, slots=True)
class Record:
    """One traced call or step.

    Attributes:
        line: where it is in its file, and `file` which.
        thread: what TraceBench calls TID: all records of a thread within one call.
        operation: its name.
        start, end: nanoseconds of the host's own clock, which says nothing on another host.
        host: its name.
        agent: which part of HDFS: "RPC Client", "Namenode", "DFSClient", "Datanode", or a user's command.
        told: how it ended.
    """

    file: str
    line: int
    thread: str
    operation: str
    start: int
    end: int
    host: str
    agent: str
    told: str


@dataclass
class Task:
    """The records of one command of a user.

    Attributes:
        name: its id.
        records: that were read, in the order of the file.
        fathers: the record that began each thread: its thread and start. expected: the number of records; None if it is
        not given.
    """

    name: str
    records: list[Record] = field(default_factory=list)
    fathers: dict[str, tuple[str, int]] = field(default_factory=dict)
    expected: int | None = None


class Tasks:
    """The tasks of a collection as they are read."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}
        self._done: set[str] = set()
        self._held = 0
        self._edges = 0

    def read_edges(self, file: str, lines: Iterator[bytes | None]) -> Iterator[Reject]:
        """Takes the edges, which have to come before the records."""
        for place, cells in _rows(file, lines, 4):
            if isinstance(cells, Reject):
                yield cells
                continue
            task, father, start, child = cells
            moment = _number(start)
            if moment is None:
                yield Reject(place, f"the start {start[:40]!r} of a father is no number of 64 bits", ",".join(cells))
            elif self._edges >= EDGES_MAX:
                yield Reject(place, f"more than {EDGES_MAX} edges; the rest of the file was not read")
                return
            elif father != _NO_FATHER:
                self._edges += 1
                self._task(task).fathers.setdefault(child, (father, moment))

    def read_sizes(self, file: str, lines: Iterator[bytes | None]) -> Iterator[Reject]:
        """Takes how many records each task has."""
        for place, cells in _rows(file, lines, 3):
            if isinstance(cells, Reject):
                yield cells
                continue
            # A title may have commas; the six columns after it have none.
            number = _number(",".join(cells).rsplit(",", 6)[-6]) if ",".join(cells).count(",") >= 7 else None
            if number is None or number < 0:
                yield Reject(place, "the number of records of a task is missing or no number", cells[0])
            else:
                self._task(cells[0]).expected = number

    def read_records(self, file: str, lines: Iterator[bytes | None]) -> Iterator[Task | Reject]:
        """Takes the records; gives each task as soon as all of it was read."""
        for place, cells in _rows(file, lines, 9):
            if isinstance(cells, Reject):
                yield cells
                continue
            record = _record(place, cells)
            if isinstance(record, Reject):
                yield record
            elif cells[0] in self._done:
                yield Reject(place, f"a further record of task {cells[0]}, of which all were read already", cells[2])
            else:
                yield from self._take(cells[0], record, place)

    def rest(self) -> Iterator[Task]:
        """The tasks with missing records, or with an unknown number of records."""
        for task in self._tasks.values():
            if task.records:
                yield task
        self._tasks = {}

    def _take(self, name: str, record: Record, place: Place) -> Iterator[Task | Reject]:
        task = self._task(name)
        if len(task.records) >= RECORDS_OF_TASK_MAX:
            yield Reject(place, f"task {name} has more than {RECORDS_OF_TASK_MAX} records", record.operation)
            return
        task.records.append(record)
        self._held += 1
        if len(task.records) == task.expected:
            yield self._finish(task)
        elif self._held > RECORDS_HELD_MAX:
            oldest = next(task for task in self._tasks.values() if task.records)
            yield self._finish(oldest)

    def _finish(self, task: Task) -> Task:
        self._held -= len(task.records)
        self._done.add(task.name)
        return self._tasks.pop(task.name)

    def _task(self, name: str) -> Task:
        return self._tasks.setdefault(name, Task(name))


def _rows(file: str, lines: Iterator[bytes | None], columns: int) -> Iterator[tuple[Place, list[str] | Reject]]:
    """The lines after the head, apart at commas, the last column with all that follows."""
    for number, line in enumerate(lines, 1):
        place = Place(file, number)
        if line is None:
            yield place, Reject(place, f"the line is longer than {LINE_LENGTH_MAX} bytes")
        elif number > 1 and line.strip():
            cells = line.decode(errors="backslashreplace").split(",", columns - 1)
            if len(cells) < columns:
                reason = f"{len(cells)} columns where {columns} should stand"
                yield place, Reject(place, reason, shortened(line))
            elif not 0 < len(cells[0]) <= _NAME_LENGTH_MAX:
                yield place, Reject(place, f"no id of a task: {cells[0][:40]!r}", shortened(line))
            else:
                yield place, cells


def _record(place: Place, cells: list[str]) -> Record | Reject:
    _, thread, operation, start, end, address, host, agent, told = cells
    first, last = _number(start), _number(end)
    if first is None or last is None or last < first:
        return Reject(
            place, f"{start[:40]!r} to {end[:40]!r} is not a time in nanoseconds", operation[:_NAME_LENGTH_MAX]
        )
    return Record(place.file, place.line, thread, operation, first, last, host or address, agent, told)


def _number(text: str) -> int | None:
    """A whole number of 64 bits, not below 0; None if it is none."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 19):
        return None
    number = int(text)
    return number if number < 2**63 else None
