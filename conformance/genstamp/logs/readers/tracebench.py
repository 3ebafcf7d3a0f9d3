"""Reads TraceBench collections: what clients, NameNode and datanodes did for one command each, traced by MTracer.

A task is one command of a user, so one DFSClient with one lease, which writes one file after the other. Only the client
states which block a record refers to, and only of the last try of each `nextBlockOutputStream`; the blocks of tries
that were given up are distinguished by the call that added them.

Not here: reads, and calls that change the namespace and do not name what they change: delete, rename, mkdirs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from genstamp.events import Event, Place
from genstamp.logs.readers.causes import REMOTE_CALL, Moment, Order, fathers
from genstamp.logs.readers.sighting import Concern, Counts, Reject, Sighting, Unit
from genstamp.logs.readers.trace_records import EDGES_HEAD, EVENTS_HEAD, TASKS_HEAD, Task, Tasks
from genstamp.logs.sources import TRACEBENCH

_CALLS = {"create": "create", "addBlock": "add_block", "abandonBlock": "abandon_block", "complete": "complete"}
"""Calls of the NameNode that are steps, and the events that they are."""

_TRIES = (f"{REMOTE_CALL}addBlock", "createBlockOutputStream")
"""What a client does for each try to get a pipeline for its next block."""

_NAMED = re.compile(r"for next block=blk_(-?\d{1,19})_(\d{1,19}) of (/.*)")
_SENT = re.compile(r"sent blk_(-?\d{1,19})_(\d{1,19})")
_EXCEPTION = re.compile(r"([\w$]{1,100}(?:Exception|Error))(?=[:(]|$)")
_SUCCESS = "success"
_OF_ORDER = "of the order of records"
_NAMENODE = "Namenode"
_DATANODE = "Datanode"


def is_trace(head: bytes) -> bool:
    """Whether a file that begins so is a table of a TraceBench collection."""
    return _first_line(head) in (EVENTS_HEAD, EDGES_HEAD, TASKS_HEAD)


def rank_of_table(head: bytes) -> int:
    """Which table a file that begins so is: the records come first, then the edges."""
    return (EVENTS_HEAD, EDGES_HEAD, TASKS_HEAD).index(_first_line(head))


def _first_line(head: bytes) -> bytes:
    return head[: len(EVENTS_HEAD) + 2].partition(b"\n")[0].removesuffix(b"\r")


class TraceReader:
    """Reads the tables of a unit; edges and sizes of tasks before records.

    Args:
        unit: whose files these are.
        counts: where records are counted that are no events.
    """

    def __init__(self, unit: Unit, counts: Counts) -> None:
        self._unit = unit
        self._counts = counts
        self._tasks = Tasks()
        self._order = 0

    def sightings(self, file: str, table: int, lines: Iterator[bytes | None]) -> Iterator[Sighting | Reject]:
        """The events of a table, which is known by its rank; `rest` gives those of tasks that lack records."""
        if table:
            read = self._tasks.read_edges if table == 1 else self._tasks.read_sizes
            for reject in read(file, self._counted(file, lines, _OF_ORDER)):
                self._counts.lines[file, _OF_ORDER] -= 1
                yield reject
            return
        for found in self._tasks.read_records(file, self._counted(file, lines)):
            if isinstance(found, Reject):
                yield found
            else:
                yield from self._events(found)

    def rest(self) -> Iterator[Sighting | Reject]:
        """The events of tasks that lack records, after the last file."""
        for task in self._tasks.rest():
            missing = 0 if task.expected is None else task.expected - len(task.records)
            if missing > 0:
                self._counts.remarks[task.records[0].file, "missing records"] += missing
            yield from self._events(task)

    def _counted(self, file: str, lines: Iterator[bytes | None], kind: str = "") -> Iterator[bytes | None]:
        """The lines; those that are neither records nor rejects are counted."""
        for number, line in enumerate(lines, 1):
            is_blank = line is not None and not line.strip()
            if number == 1 or is_blank or kind:
                self._counts.lines[file, "head" if number == 1 else "blank" if is_blank else kind] += 1
            yield line

    def _events(self, task: Task) -> Iterator[Sighting | Reject]:
        story = _Story(task, self._unit, self._counts, self._order)
        yield from story.tell()
        self._order = story.order


@dataclass
class _Block:
    """A block of the file that a task writes."""

    entity: str
    generation_stamp: int | None = None


@dataclass
class _File:
    """The file that a task writes."""

    key: str
    blocks: list[_Block] = field(default_factory=list)


class _Story:
    """The events of one task."""

    def __init__(self, task: Task, unit: Unit, counts: Counts, order: int) -> None:
        self.order = order
        self._task, self._unit, self._counts = task, unit, counts
        self._begun_by = fathers(task)
        self._names = _names(task)
        self._path = next((match[3] for match in self._names.values()), "")
        self._file = _File(f"{self._path}#{task.name}")
        self._files = 0
        self._block_of: dict[int, _Block] = {}
        self._calls = {
            father for index, father in enumerate(self._begun_by) if father is not None and self._is_answer(index)
        }
        self._told: dict[tuple[str, str], list[tuple[int, str, int]]] = {}
        self._bit = 0

    def tell(self) -> Iterator[Sighting | Reject]:
        """The events in an order that nothing known contradicts."""
        records = self._task.records
        order = Order(records, self._begun_by)
        if not order.moments:
            place = Place(records[0].file, records[0].line)
            reason = f"edges and clocks of task {self._task.name} contradict each other"
            yield Reject(place, f"{reason}; none of its {len(records)} records is judged")
            for record in records[1:]:
                self._counts.lines[record.file, "of a task that contradicts itself"] += 1
            return
        ancestors: dict[Moment, int] = {}
        for moment in order.moments:
            before = 0
            for each in order.predecessors(moment):
                before |= ancestors[each]
            sighting = self._at(moment, before)
            if sighting is not None:
                yield sighting
                before |= 1 << self._bit - 1
            ancestors[moment] = before

    def _is_answer(self, index: int) -> bool:
        """Whether a record is what the NameNode made of a call whose caller was traced, too."""
        record, father = self._task.records[index], self._begun_by[index]
        asked = None if father is None else self._task.records[father].operation
        return record.agent == _NAMENODE and asked == REMOTE_CALL + record.operation

    def _at(self, moment: Moment, before: int) -> Sighting | None:
        """The event of a moment, if it has one; each record is counted or gives an event."""
        record = self._task.records[moment.record]
        call = record.operation.removeprefix(REMOTE_CALL)
        if call in _CALLS and (record.agent == _NAMENODE or call != record.operation):
            return self._call(moment, call, before)
        if record.operation == "createBlockOutputStream":
            return self._set_up(moment, before)
        if record.operation == "OP: send block":
            return self._sent(moment, before)
        if record.operation in ("writeBlock", "receiveBlock") and record.agent == _DATANODE:
            return self._received(moment, before)
        if not moment.ends:
            self._counts.lines[record.file, f"{record.operation[:40]}, no step or it does not say of what"] += 1
        return None

    def _call(self, moment: Moment, call: str, before: int) -> Sighting | None:
        """A call as the NameNode carried it out; as the client saw it only where the NameNode's record is missing."""
        record = self._task.records[moment.record]
        if moment.record in self._calls:
            if not moment.ends:
                self._counts.lines[record.file, "call, told of again by the NameNode"] += 1
            return None
        if not moment.ends:
            return None
        refused = _failure(record.told)
        observed = {}
        if call == "create" and refused is None:
            self._files += 1
            key = f"{self._path}#{self._task.name}" + (f".{self._files}" if self._files > 1 else "")
            self._file = _File(key)
        concerns = [Concern("file", self._file.key), Concern("lease", self._task.name)]
        block = self._file.blocks[-1] if self._file.blocks else None
        if call == "addBlock" and refused is None:
            block = self._added(moment.record, concerns)
        elif call == "abandonBlock" and block is not None:
            concerns.append(Concern("block", block.entity))
            self._file.blocks.pop()
        elif call == "complete" and refused is None:
            closed = "value=true" in record.told
            observed["closed"] = str(closed).lower()
            shown = self._file.blocks if closed else self._file.blocks[-1:]
            concerns += [Concern("block", each.entity) for each in shown]
        of_block = block if call in ("addBlock", "abandonBlock") and refused is None else None
        return self._seen(moment, _CALLS[call], before, concerns, of_block, refused, observed)

    def _added(self, index: int, concerns: list[Concern]) -> _Block:
        """The block that a call has added, by its name if the client tells it."""
        record, father = self._task.records[index], self._begun_by[index]
        asked = index if father is None or index in self._calls or not self._is_answer(index) else father
        name = self._names.get(asked)
        block = _Block(f"unnamed/{record.thread}/{record.start}") if name is None else _Block(name[1], _number(name[2]))
        concerns.append(Concern("block", block.entity))
        if self._file.blocks:
            concerns.append(Concern("block", self._file.blocks[-1].entity, "previous"))
        self._file.blocks.append(block)
        return block

    def _set_up(self, moment: Moment, before: int) -> Sighting | None:
        """The client has tried to set up the pipeline of its newest block."""
        record = self._task.records[moment.record]
        if not moment.ends:
            name = self._names.get(moment.record)
            if name is not None:
                self._block_of[moment.record] = self._known(name)
            elif self._file.blocks:
                self._block_of[moment.record] = self._file.blocks[-1]
            return None
        block = self._block_of.get(moment.record)
        if block is None:
            self._counts.lines[record.file, "pipeline of a block that no record names"] += 1
            return None
        return self._seen(
            moment, "set_up_create", before, [Concern("block", block.entity)], block, _failure(record.told)
        )

    def _sent(self, moment: Moment, before: int) -> Sighting | None:
        """The client has sent a block and has got every acknowledgement."""
        record = self._task.records[moment.record]
        match = _SENT.search(record.told)
        if match is None:
            if not moment.ends:
                self._counts.lines[record.file, "sending of a block that is not named"] += 1
            return None
        if not moment.ends:
            self._block_of[moment.record] = self._known(match)
            return None
        block = self._block_of[moment.record]
        return self._seen(moment, "end_block", before, [Concern("block", block.entity)], block, _failure(record.told))

    def _known(self, name: re.Match[str]) -> _Block:
        """The block of this name; a further one if the call that added it was not traced."""
        for block in self._file.blocks:
            if block.entity == name[1]:
                return block
        return _Block(name[1], _number(name[2]))

    def _received(self, moment: Moment, before: int) -> Sighting | None:
        """A datanode begins to receive a block, or has it whole."""
        record, father = self._task.records[moment.record], self._begun_by[moment.record]
        if not moment.ends:
            block = self._block_around(father)
            if block is None:
                self._counts.lines[record.file, "replica of a block that no edge tells"] += 1
                return None
            self._block_of[moment.record] = block
        block = self._block_of.get(moment.record)
        begins = record.operation == "writeBlock"
        if block is None or moment.ends == begins:
            return None
        if not begins and _failure(record.told) is not None:
            self._counts.lines[record.file, "replica that was not received whole"] += 1
            return None
        concerns = [Concern("replica", f"{block.entity}@{record.host}")]
        if begins:
            concerns.append(Concern("block", block.entity))
        return self._seen(moment, "write_block" if begins else "finalize_replica", before, concerns, block)

    def _block_around(self, index: int | None) -> _Block | None:
        """The block of the next record outwards that has one."""
        steps = 0
        while index is not None and steps < len(self._task.records):
            if index in self._block_of:
                return self._block_of[index]
            index, steps = self._begun_by[index], steps + 1
        return None

    def _seen(
        self,
        moment: Moment,
        event: str,
        before: int,
        concerns: list[Concern],
        block: _Block | None = None,
        refused: str | None = None,
        observed: dict[str, str] | None = None,
    ) -> Sighting:
        record = self._task.records[moment.record]
        time = record.end if moment.ends else record.start
        self.order += 1
        arguments: dict[str, Any] = {"client": self._task.name}
        if self._path and concerns[0].kind == "file":
            arguments["file"] = self._path
        if block is not None and concerns[0].kind != "block":
            arguments["block"] = block.entity
        seen = Event(
            source=TRACEBENCH,
            node="namenode" if record.agent == _NAMENODE else record.host,
            node_sequence=time,
            time_us=time // 1000,
            kind=concerns[0].kind,
            namespace=self._unit.namespace,
            entity=concerns[0].entity,
            event=event,
            refused_with=refused,
            generation_stamp=None if block is None else block.generation_stamp,
            arguments=arguments,
            observed=observed or {},
            place=Place(record.file, record.line),
        )
        self._bit += 1
        return Sighting(self.order, seen, [self._after(each, seen.node, before) for each in concerns])

    def _after(self, concern: Concern, node: str, before: int) -> Concern:
        """The concern with the last event of the same entity on each other node that is certainly before."""
        told = self._told.setdefault((concern.kind, concern.entity), [])
        latest: dict[str, int] = {}
        for bit, other, order in told:
            if other != node and before >> bit & 1:
                latest[other] = order
        told.append((self._bit - 1, node, self.order))
        return concern._replace(after=tuple(sorted(latest.values())))


def _names(task: Task) -> dict[int, re.Match[str]]:
    """What `nextBlockOutputStream` says of the block of its last try: by the last calls within it."""
    named: dict[int, re.Match[str]] = {}
    tries = {
        operation: [
            (record.start, index)
            for index, record in enumerate(task.records)
            if record.operation == operation and (operation in _TRIES[1:] or _failure(record.told) is None)
        ]
        for operation in _TRIES
    }
    for record in task.records:
        match = _NAMED.search(record.told) if record.operation == "nextBlockOutputStream" else None
        if match is None:
            continue
        for calls in tries.values():
            within = [
                (start, index)
                for start, index in calls
                if record.start <= start <= record.end and task.records[index].host == record.host
            ]
            if within:
                named[max(within)[1]] = match
    return named


def _failure(told: str) -> str | None:
    """Simple name of the exception that a record tells of; None if it tells of success."""
    beginning = told[:400]
    if beginning[: len(_SUCCESS)].casefold() == _SUCCESS:
        return None
    names: list[str] = _EXCEPTION.findall(beginning)
    # The innermost stands last: a remote one is wrapped.
    return names[-1] if names else beginning.partition(":")[0][:40] or "Exception"


def _number(text: str) -> int | None:
    number = int(text)
    return number if number < 2**63 else None
