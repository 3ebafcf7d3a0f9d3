"""Tables of rows of allocations, syncs and completions, without the table of events.

Not here: reading, and other events (`log_rows`).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from genstamp.events import KINDS, Kind
from genstamp.logs.exchange import EXCHANGED, NO_NUMBER, words
from genstamp.logs.kernel import MISSING
from genstamp.logs.readers.file_tree import KnownBlock, KnownFile
from genstamp.logs.readers.log_file_rows import (
    ALLOCATED,
    ALLOCATED_BLOCK,
    ALLOCATED_FILE,
    ALLOCATED_LEASE,
    ALLOCATED_PREVIOUS,
    COMPLETED,
    COMPLETED_BLOCK,
    COMPLETED_FILE,
    COMPLETED_LEASE,
    LINE,
    NAME_END,
    NUMBER,
    PART,
    PERHAPS_COMPLETED,
    ROWS,
    SEQUENCE,
    SYNCED_FILE,
    SYNCED_LEASE,
    VALUE,
    FileFound,
)
from genstamp.logs.readers.log_rows import rule_for
from genstamp.logs.readers.log_state import NAMENODE
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.rows import Tally, holder_number
from genstamp.logs.sources import NAMENODE_LOG
from genstamp.logs.tables import ROLES_MAX

_NUMBER = re.compile("0|-?[1-9][0-9]{0,17}")
"""A name that `exchange` has as a number: the id of a block, and of an inode that is the key of its file."""


class _Part(NamedTuple):
    """In which part an event of a file concerns an entity."""

    kind: Kind
    rule: int


@cache
def _parts() -> tuple[_Part, ...]:
    allocated, completed = {"file": "/f"}, {"client": "c", "file": "/f"}
    synced = {**completed, "outcome": "unknown"}  # So is a completion of one of several files.
    return (
        _Part("block", rule_for("block", "add_block", allocated)),
        _Part("file", rule_for("file", "add_block", allocated)),
        _Part("lease", rule_for("lease", "add_block", allocated)),
        _Part("block", rule_for("block", "add_block", allocated, "previous")),
        _Part("file", rule_for("file", "complete", completed, closed="true")),
        _Part("lease", rule_for("lease", "complete", completed, closed="true")),
        _Part("block", rule_for("block", "complete", completed, closed="true")),
        _Part("file", rule_for("file", "fsync", synced)),
        _Part("lease", rule_for("lease", "fsync", synced)),
        _Part("file", rule_for("file", "complete", synced, closed="true")),
    )


_Row = tuple[int, int, int]
"""Order, number among those of the NameNode, line."""


class FileRows:
    """Rows of allocations, syncs and completions, as `log_namenode` gives them, without the table of events."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._part: list[int] = []
        self._number: list[int] = []
        self._name: list[str | None] = []
        self._order: list[int] = []
        self._value: list[int | None] = []
        self._line: list[int] = []
        self._counts: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._part)

    def allocated(self, row: _Row, file: KnownFile, block_id: str, stamp: int, previous: KnownBlock | None) -> None:
        """A file gets a block."""
        order, sequence, line = row
        order *= ROLES_MAX
        self._add(ALLOCATED_BLOCK, block_id, order, stamp, line)
        self._add(ALLOCATED_FILE, file.key, order + 1, None, line)
        if file.holder:
            self._add(ALLOCATED_LEASE, file.holder, order + 2, stamp, line)
        if previous is not None and str(previous.block_id) != block_id:
            at = order + 2 + bool(file.holder)
            self._add(ALLOCATED_PREVIOUS, str(previous.block_id), at, stamp, line)
        self._count("add_block", sequence)

    def completed(self, row: _Row, file: KnownFile, holder: str, closed: Sequence[str]) -> None:
        """A file is closed, and with it its blocks."""
        order, sequence, line = row
        order *= ROLES_MAX
        self._add(COMPLETED_FILE, file.key, order, holder_number(holder), line)
        self._add(COMPLETED_LEASE, holder, order + 1, None, line)
        for number, block_id in enumerate(closed, 2):
            self._add(COMPLETED_BLOCK, block_id, order + min(number, ROLES_MAX - 1), None, line)
        self._count("complete", sequence)

    def one_completed(self, row: _Row, files: Sequence[KnownFile], holder: str) -> None:
        """One of several files is closed."""
        order, sequence, line = row
        order *= ROLES_MAX
        for number, file in enumerate(files):
            self._add(PERHAPS_COMPLETED, file.key, order + min(number, ROLES_MAX - 1), holder_number(holder), line)
        self._add(COMPLETED_LEASE, holder, order + min(len(files), ROLES_MAX - 1), None, line)
        self._count("complete", sequence)

    def synced(self, row: _Row, file: KnownFile, client: str) -> None:
        """A client asks to make durable what a file has."""
        order, sequence, line = row
        order *= ROLES_MAX
        self._add(SYNCED_FILE, file.key, order, holder_number(client), line)
        self._add(SYNCED_LEASE, client, order + 1, None, line)
        self._count("fsync", sequence)

    def _add(self, part: int, entity: str, order: int, value: int | None, line: int) -> None:
        is_number = _NUMBER.fullmatch(entity) is not None
        self._part.append(part)
        self._number.append(int(entity) if is_number else NO_NUMBER)
        self._name.append(None if is_number else entity)
        self._order.append(order)
        self._value.append(value)
        self._line.append(line)

    def _count(self, event: str, sequence: int) -> None:
        counted = self._counts.get(event)
        if counted is None:
            self._counts[event] = [sequence, sequence, 1]
        else:
            counted[1] = sequence
            counted[2] += 1

    def tallies(self, file: str, namespace: str) -> Iterator[Tally]:
        """The events counted."""
        for event, (first, last, events) in self._counts.items():
            yield Tally(NAMENODE_LOG, file, namespace, NAMENODE, event, first, last, events)

    def concerns(self, file: str, namespace: str) -> Any:
        """The rows, a table of `exchange.EXCHANGED`."""
        value = np.array([MISSING if value is None else value for value in self._value], np.int64)
        columns = self._part, self._number, self._order, value, self._line
        return _of_files(self._unit.number, file, namespace, pa.array(self._name, pa.string()), *columns)


def _of_files(
    unit: int, file: str, namespace: str, name: Any, part: Any, number: Any, sequence: Any, value: Any, line: Any
) -> Any:
    rows = len(part)
    part, always = np.array(part, np.int32), np.zeros(rows, np.int32)
    none = pa.array(np.full(rows, MISSING))
    columns = [
        words([namespace], always),
        pa.array(np.array([KINDS.index(part.kind) for part in _parts()], np.int8)[part]),
        pa.array(number, pa.int64()),
        pa.array(np.zeros(rows, np.bool_)),
        name,
        pa.array(np.full(rows, unit, np.int32)),
        pa.array(sequence, pa.int64()),
        words([NAMENODE], always),
        pa.array(np.array([part.rule for part in _parts()], np.int32)[part]),
        pa.array(value, pa.int64()),
        none,
        none,
        pa.nulls(rows, EXCHANGED.field("after").type),
        words([file], always),
        pa.array(line, pa.int64()),
    ]
    return pa.table(columns, schema=EXCHANGED)


def found_rows(found: FileFound, unit: int, file: str, namespace: str) -> tuple[Any, list[Tally]]:
    """The rows that compiled code has made, a table of `exchange.EXCHANGED`, and the events counted; room again."""
    rows = int(found.totals[ROWS])
    # Copies: Arrow would go on looking at what is written over by what is found next.
    columns = found.rows[:rows].T.copy()
    ends = np.concatenate(([0], columns[NAME_END])).astype(np.int32)
    text = found.names[: ends[-1]].tobytes()
    name = pa.StringArray.from_buffers(rows, pa.py_buffer(ends.tobytes()), pa.py_buffer(text))
    table = _of_files(unit, file, namespace, name, *columns[[PART, NUMBER, SEQUENCE, VALUE, LINE]])
    tallies = []
    for event, at in (("add_block", ALLOCATED), ("complete", COMPLETED)):
        first, last, events = found.totals[at : at + 3].tolist()
        if events:
            tallies.append(Tally(NAMENODE_LOG, file, namespace, NAMENODE, event, first, last, events))
    found.totals[:] = 0
    return table, tallies
