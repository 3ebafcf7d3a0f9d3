"""The two halves of a level, as Spark runs them on its executors inside `mapInArrow`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from genstamp.scaleout import kernel
from genstamp.scaleout.states import Directory, Known, Rows, in_order
from genstamp.systems import found
from genstamp_model.explore import Compiled
from genstamp_model.explore.driver import DONE, INVARIANT
from genstamp_model.language.model import Configuration, Instance

ROUND: Final = 1 << 16
"""Successors that are made at a time."""

PLACE_BITS: Final = 40
"""Bits of a place that say which row it is; above them stand the owner and the level."""
OWNER_BITS: Final = 10
MOST_LEVELS: Final = 1 << (63 - PLACE_BITS - OWNER_BITS)
MOST_OWNERS: Final = 1 << OWNER_BITS

ENTERED: Final = pa.schema([("owner", pa.int32()), ("new", pa.int64())])


@dataclass(frozen=True)
class Order:
    """What a task has to know; it travels to the executors.

    Attributes:
        system: as `genstamp.systems.found` takes it.
        configuration: sizes and limits.
        directory: shared by all.
        owners: how many share the states.
        check_deadlock: whether states without a step are looked at.
    """

    system: str
    semantics: str
    bugs: tuple[str, ...]
    configuration: Configuration
    renumber: bool
    symmetry: bool
    directory: str
    owners: int
    check_deadlock: bool

    def files(self) -> Directory:
        """The shared directory."""
        return Directory(Path(self.directory))


def compiled(order: Order) -> Compiled:
    """The instance, compiled once in a process."""
    key = (order.system, order.semantics, order.bugs, order.renumber, order.symmetry)
    return _compiled(
        *key, order.configuration.name, _frozen(order.configuration.sizes), _frozen(order.configuration.limits)
    )


def _frozen(numbers: object) -> tuple[tuple[str, int], ...]:
    assert isinstance(numbers, dict)
    return tuple(sorted(numbers.items()))


@lru_cache(maxsize=2)
def _compiled(
    system: str,
    semantics: str,
    bugs: tuple[str, ...],
    renumber: bool,
    symmetry: bool,
    name: str,
    sizes: tuple[tuple[str, int], ...],
    limits: tuple[tuple[str, int], ...],
) -> Compiled:
    declared, _ = found(system)
    instance = Instance(declared.model(semantics, bugs), Configuration(name, dict(sizes), dict(limits)))
    return Compiled(instance, renumber=renumber, symmetry=symmetry)


def packed_schema(words: int) -> pa.Schema:
    """Successors on their way to their owners."""
    return pa.schema([("owner", pa.int32()), *((f"word{k}", pa.int64()) for k in range(words))])


@dataclass(frozen=True)
class Expanding:
    """Expands the states that an owner found on a level; gives their successors, each once, with their owners."""

    order: Order
    level: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for owner in batch.column(0).to_pylist():
                yield from self._expanded(owner)

    def _expanded(self, owner: int) -> Iterator[pa.RecordBatch]:
        order, one = self.order, compiled(self.order)
        program, words = one.program, one.program.layout.words
        rows = order.files().states(self.level, owner, words)
        library, successors = kernel.library(words), Known(words)
        may_stop = one.native.may_stop if order.check_deadlock and one.instance.model.may_stop is not None else 0
        room = ROUND + len(program.steps)
        board = np.array([one.native.expand, may_stop, 0, DONE, len(program.steps)], np.int64)
        made = np.empty((room, words), np.int64)
        counters = np.zeros(program.counters, np.int64)
        generated = 0
        while board[2] < len(rows) and board[3] == DONE:
            count = library.run(kernel.expand_rows, board, rows, len(rows), made, room, counters)
            generated += count
            # What this owner finds twice need not be sent twice.
            yield from self._dealt(successors.add(made[:count]))
        stopped = int(board[3])
        notes = {"rows": len(rows), "generated": generated, "counters": counters.tolist()}
        notes |= {"stopped": stopped, "row": int(board[2])}
        order.files().write_notes("expanded", self.level, owner, notes)

    def _dealt(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        words = rows.shape[1]
        owners = np.empty(len(rows), np.int64)
        kernel.library(words).run(kernel.owners_of, rows, len(rows), self.order.owners, owners)
        columns = [
            pa.array(owners.astype(np.int32)),
            *(pa.array(np.ascontiguousarray(rows[:, k])) for k in range(words)),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=packed_schema(words))


@dataclass(frozen=True)
class Entering:
    """Keeps of the successors that came to an owner those that are new, and judges them; gives how many there are."""

    order: Order
    level: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        came: dict[int, list[Rows]] = {}
        for batch in batches:
            owners = batch.column(0).to_numpy()
            rows = np.column_stack([column.to_numpy() for column in batch.columns[1:]])
            for owner in np.unique(owners).tolist():
                came.setdefault(owner, []).append(rows[owners == owner])
        for owner, parts in sorted(came.items()):
            new = self._entered(owner, parts)
            yield pa.RecordBatch.from_pydict({"owner": [owner], "new": [new]}, schema=ENTERED)

    def _entered(self, owner: int, parts: Sequence[Rows]) -> int:
        order, one = self.order, compiled(self.order)
        words = one.program.layout.words
        known = _known(order, owner, self.level, words)
        rows = in_order(np.concatenate([known.add(part) for part in parts]))
        order.files().write_states(self.level, owner, rows)
        order.files().write_notes("entered", self.level, owner, judged(one, rows, place(self.level, owner, 0)))
        _kept[order.directory, owner] = (self.level + 1, known)
        return len(rows)


# What this process knows of owners, with the levels that are in it: a copy of the files, which saves reading them.
_kept: Final[dict[tuple[str, int], tuple[int, Known]]] = {}


def _known(order: Order, owner: int, levels: int, words: int) -> Known:
    """All that an owner found on so many levels; it is taken out of what is kept, for it will change."""
    had, known = _kept.pop((order.directory, owner), (0, Known(words)))
    if had > levels:
        # This task was run before, here: what it found then must be found again.
        had, known = 0, Known(words)
    for level in range(had, levels):
        known.add(order.files().states(level, owner, words))
    return known


def judged(one: Compiled, rows: Rows, first: int) -> dict[str, object]:
    """What stopped the search at some new rows, and which targets of coverage they show."""
    board = np.array([one.native.judge, one.native.cover], np.int64)
    seen = np.zeros(max(1, len(one.program.targets)), np.int64)
    at = kernel.library(rows.shape[1]).run(kernel.judge_rows, board, rows, len(rows), first, seen)
    return {"stopped": DONE if at == len(rows) else INVARIANT, "row": at, "seen": seen.tolist()}


def place(level: int, owner: int, row: int) -> int:
    """The place of a state: its level, its owner, and its row in their file."""
    return ((level << OWNER_BITS | owner) << PLACE_BITS) + row


def parts_of(found_place: int) -> tuple[int, int, int]:
    """Level, owner and row of a place."""
    above, row = found_place >> PLACE_BITS, found_place & ((1 << PLACE_BITS) - 1)
    return above >> OWNER_BITS, above & ((1 << OWNER_BITS) - 1), row
