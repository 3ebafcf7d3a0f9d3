"""The code that Spark runs on its executors inside `mapInArrow`: the two halves of a level, and the way back.

A row of these tables is a block of states, so that Spark moves bytes: `states` holds this many words a state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from genstamp.scaleout import kernel
from genstamp.systems import found
from genstamp_model.explore import Compiled
from genstamp_model.explore.driver import DONE, INVARIANT
from genstamp_model.explore.table import BUCKET
from genstamp_model.language.model import Configuration, Instance

Rows = NDArray[np.int64]
Batches = Iterable[pa.RecordBatch]

ROUND: Final = 1 << 16
"""Successors that are made at a time."""
BLOCK_BYTES: Final = 1 << 20
"""Of a block of new states."""

PLACE_BITS: Final = 40
"""Bits of a place that say which row of its part it is; above them stand the part and the level."""
PART_BITS: Final = 10
MOST_LEVELS: Final = 1 << (63 - PLACE_BITS - PART_BITS)
MOST_PARTS: Final = 1 << PART_BITS

BLOCKS: Final = pa.schema(
    [
        ("part", pa.int32()),
        ("level", pa.int32()),
        ("row", pa.int64()),  # of its first state among those of the part and level
        ("states", pa.binary()),
        ("told", pa.string()),  # what a task tells the driver, in rows without states
    ]
)

_FULL: Final = 0.6
_FIRST_STATES: Final = 1024


@dataclass(frozen=True)
class Order:
    """The input of a task; it is sent to the executors.

    Attributes:
        system: as `genstamp.systems.found` takes it.
        configuration: sizes and limits.
        parts: into how many the states are divided.
        check_deadlock: whether states without a step are reported.
    """

    system: str
    semantics: str
    bugs: tuple[str, ...]
    configuration: Configuration
    renumber: bool
    symmetry: bool
    parts: int
    check_deadlock: bool


_compiled: Final[dict[str, Compiled]] = {}


def compiled(order: Order) -> Compiled:
    """The instance, compiled once in a process."""
    key = repr(order)
    if key not in _compiled:
        _compiled.clear()
        declared, _ = found(order.system)
        instance = Instance(declared.model(order.semantics, order.bugs), order.configuration)
        _compiled[key] = Compiled(instance, renumber=order.renumber, symmetry=order.symmetry)
    return _compiled[key]


class Distinct:
    """A growing set of states, in the order in which they came, of which some are struck out."""

    def __init__(self, words: int) -> None:
        self._library = kernel.library(words)
        self._struck = np.zeros(0, np.int64)
        self._empty(_FIRST_STATES, words)

    def _empty(self, room: int, words: int) -> None:
        self.count, self._store = 0, np.empty((room, words), np.int64)
        self._buckets = int(room / _FULL / BUCKET) + 1
        self._table = np.zeros((self._buckets + 1) * BUCKET, np.int64)

    def add(self, rows: Rows) -> Rows:
        """Those of some rows that are new, each once; not after some were struck out."""
        before, store = self.count, self._store
        # A row is written behind the states before it is known to be new.
        needed = before + len(rows) + 1
        if needed > len(store):
            self._empty(max(needed, 2 * len(store)), store.shape[1])
            self._enter(store[:before])
        self._enter(rows)
        return self._store[before : self.count]

    def _enter(self, rows: Rows) -> None:
        places = self._table, self._buckets, self._store, self.count
        self.count = self._library.run(kernel.enter_rows, *places, rows, len(rows))

    def strike(self, rows: Rows) -> None:
        """Strike out those of some rows that are here."""
        if len(self._struck) < self.count:
            self._struck = np.zeros(self.count, np.int64)
        self._library.run(kernel.strike_rows, self._table, self._buckets, self._store, self._struck, rows, len(rows))

    def left(self) -> Rows:
        """Those that are not struck out, sorted, so that they say nothing of how they came."""
        rows = self._store[: self.count]
        if len(self._struck) >= self.count:
            rows = rows[self._struck[: self.count] == 0]
        return rows[np.lexsort(rows.T[::-1])]


@dataclass(frozen=True)
class Expanding:
    """Expands blocks of states; gives their successors, each once in a task, as blocks of their parts."""

    order: Order

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        order, one = self.order, compiled(self.order)
        program, words = one.program, one.program.layout.words
        library, successors = kernel.library(words), Distinct(words)
        may_stop = one.native.may_stop if order.check_deadlock and one.instance.model.may_stop is not None else 0
        room = ROUND + len(program.steps)
        made = np.empty((room, words), np.int64)
        counters = np.zeros(program.counters, np.int64)
        generated, stopped, at, level = 0, DONE, 0, 0
        for part, level, first, rows in blocks_of(batches, words):
            board = np.array([one.native.expand, may_stop, 0, DONE, len(program.steps)], np.int64)
            while board[2] < len(rows) and board[3] == DONE:
                count = library.run(kernel.expand_rows, board, rows, len(rows), made, room, counters)
                generated += count
                # What is found twice here need not be sent twice.
                yield from dealt(order, level + 1, successors.add(made[:count]))
            if board[3] != DONE:
                stopped, at = int(board[3]), place(level, part, first + int(board[2]))
                break
        # It stands before the states of the next level wherever it goes.
        yield told(level + 1, generated=generated, counters=counters.tolist(), stopped=stopped, at=at)


@dataclass(frozen=True)
class Entering:
    """Keeps those successors in a part that are not known, and checks them."""

    order: Order
    level: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        one = compiled(self.order)
        words = one.program.layout.words
        new, part = Distinct(words), -1
        for batch in batches:
            passed = batch.filter(batch.column("told").is_valid())
            if len(passed):
                yield passed
            for part, level, _, rows in blocks_of([batch], words):  # noqa: B007 - the one part that all have
                if level == self.level:
                    new.add(rows)
                else:
                    new.strike(rows)
        rows, size = new.left(), max(1, BLOCK_BYTES // (8 * words))
        for first in range(0, len(rows), size):
            yield block(part, self.level, first, rows[first : first + size])
        if len(rows):
            yield self._judged(one, part, rows)

    def _judged(self, one: Compiled, part: int, rows: Rows) -> pa.RecordBatch:
        """What stopped the search at some new rows, and which targets of coverage they show."""
        board = np.array([one.native.judge, one.native.cover], np.int64)
        seen = np.zeros(max(1, len(one.program.targets)), np.int64)
        first = place(self.level, part, 0)
        at = kernel.library(rows.shape[1]).run(kernel.judge_rows, board, rows, len(rows), first, seen)
        stopped = DONE if at == len(rows) else INVARIANT
        return told(self.level, new=len(rows), seen=seen.tolist(), stopped=stopped, at=first + at)


@dataclass(frozen=True)
class Leading:
    """Finds the first state in a task that leads to a target."""

    order: Order
    target: tuple[int, ...]

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        one = compiled(self.order)
        words = one.program.layout.words
        made = np.empty((len(one.program.steps) + 1, words), np.int64)
        wanted, counters = np.array(self.target, np.int64), np.zeros(one.program.counters, np.int64)
        leading = None
        # To the end, as Spark does not use the process of a task again that has left something unread.
        for part, level, first, rows in blocks_of(batches, words):
            if leading is None:
                arguments = (one.native.expand, rows, len(rows), wanted, made, counters)
                at = kernel.library(words).run(kernel.leads_to_row, *arguments)
                leading = block(part, level, first + at, rows[at : at + 1]) if at < len(rows) else None
        if leading is not None:
            yield leading


def dealt(order: Order, level: int, rows: Rows) -> Iterator[pa.RecordBatch]:
    """Some states as blocks of their parts."""
    parts = np.empty(len(rows), np.int64)
    kernel.library(rows.shape[1]).run(kernel.parts_of_rows, rows, len(rows), order.parts, parts)
    rows = rows[np.argsort(parts.astype(np.uint16), kind="stable")]
    ends = np.cumsum(np.bincount(parts, minlength=order.parts)).tolist()
    for part, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        if start < end:
            yield block(part, level, 0, rows[start:end])


def blocks_of(batches: Batches, words: int) -> Iterator[tuple[int, int, int, Rows]]:
    """Part, level, first row and states of each block."""
    for batch in batches:
        places = zip(*(batch.column(name).to_pylist() for name in ("part", "level", "row")), strict=True)
        for at, states in zip(places, batch.column("states"), strict=True):
            if states.is_valid:
                yield *at, np.frombuffer(states.as_buffer(), np.int64).reshape(-1, words)


def block(part: int, level: int, row: int, states: Rows) -> pa.RecordBatch:
    """A block of states."""
    return _row(part, level, row, states.tobytes(), None)


def told(level: int, **notes: Any) -> pa.RecordBatch:
    """The results that a task reports to the driver."""
    return _row(0, level, 0, None, json.dumps(notes))


def _row(*values: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [pa.array([value], kind) for value, kind in zip(values, BLOCKS.types, strict=True)], schema=BLOCKS
    )


def place(level: int, part: int, row: int) -> int:
    """The place of a state: its level, its part, and its row among those of both."""
    return ((level << PART_BITS | part) << PLACE_BITS) + row


def parts_of(found_place: int) -> tuple[int, int, int]:
    """Level, part and row of a place."""
    above, row = found_place >> PLACE_BITS, found_place & ((1 << PLACE_BITS) - 1)
    return above >> PART_BITS, above & ((1 << PART_BITS) - 1), row
