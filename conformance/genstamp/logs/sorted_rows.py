"""Brings rows that do not fit in memory in the order of their keys: sorted runs on the disk, which are merged.

Rows of one key stand together, in the order of their units and sequences. Memory is that of one run, whatever the
number of rows and however many of them one key has. Leaves out what keys are checked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numba import njit

from genstamp.logs.exchange import EXCHANGED, reordered

WORD = "word"
"""Column of what is sorted by before the number: equal in all rows of a key, hardly ever in those of two."""

SORTED: Any = EXCHANGED.append(pa.field(WORD, pa.int64(), nullable=False))

_RUNS_MAX = 250
"""So many files are open at once; of more rows than that, runs are longer."""

_BLOCK_MIN = 256
"""Rows that are read of a run at once, at least."""


def in_order(tables: Iterable[Any], rows: int, directory: Path, rows_max: int) -> Iterator[Any]:
    """Rows in the order of their keys.

    Args:
        tables: of `exchange.EXCHANGED`, of a few rows each.
        rows: how many there are in all.
        directory: an empty one, for the runs.
        rows_max: how many are held in memory.

    Returns:
        Tables of `SORTED` of at most `rows_max` rows, or `rows` / 250 if that is more.
    """
    rows_max = max(rows_max, -(-rows // _RUNS_MAX))
    block = max(_BLOCK_MIN, rows_max // (1 + rows // rows_max))
    paths = [_write(run, directory / f"run-{number:06d}", block) for number, run in enumerate(_runs(tables, rows_max))]
    with ExitStack() as stack:
        yield from _merged([_Run(stack.enter_context(pa.OSFile(str(path))), rank) for rank, path in enumerate(paths)])


def _runs(tables: Iterable[Any], rows_max: int) -> Iterator[Any]:
    """Sorted tables of that many rows, made of others."""
    waiting: list[Any] = []
    for table in tables:
        while table.num_rows:
            room = rows_max - sum(each.num_rows for each in waiting)
            waiting.append(table.slice(0, room))
            table = table.slice(room)
            if table.num_rows:
                yield _sorted(_with_words(waiting))
                waiting = []
    if waiting:
        yield _sorted(_with_words(waiting))


def _with_words(tables: list[Any]) -> Any:
    rows = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
    return rows.append_column(SORTED.field(WORD), pa.array(_words(rows)))


def _sorted(rows: Any) -> Any:
    return reordered(rows, np.lexsort(_Keys.of(rows)[::-1]))


def _write(rows: Any, path: Path, block: int) -> Path:
    options = pa.ipc.IpcWriteOptions(compression="lz4", unify_dictionaries=True)
    with pa.ipc.new_file(str(path), SORTED, options=options) as writer:
        writer.write_table(rows, max_chunksize=block)
    return path


class _Keys(NamedTuple):
    """What rows are sorted by."""

    word: Any
    number: Any
    unit: Any
    sequence: Any

    @classmethod
    def of(cls, rows: Any) -> "_Keys":
        columns = (rows.column(name) for name in cls._fields)
        return cls(*(np.asarray(column.combine_chunks() if rows.num_rows else column) for column in columns))


class _Run:
    """One sorted run, of which one block is in memory.

    Attributes:
        rank: its place among the runs; rows that are sorted by nothing else come in this order.
        rows: what is left of the block.
        keys: of these.
    """

    def __init__(self, file: Any, rank: int) -> None:
        self._file = pa.ipc.open_file(file)
        self._next = 0
        self.rank = rank
        self.fill()

    def fill(self) -> None:
        """Takes the next block, if there is one."""
        if self.goes_on:
            self._hold(pa.Table.from_batches([self._file.get_batch(self._next)]))
            self._next += 1
        else:
            self._hold(SORTED.empty_table())

    @property
    def goes_on(self) -> bool:
        """Whether there are blocks after this one."""
        return bool(self._next < self._file.num_record_batches)

    def take(self, count: int) -> Any:
        """The first of the rows, which are gone then."""
        taken = self.rows.slice(0, count)
        if count == self.rows.num_rows:
            self.fill()
        else:
            self._hold(self.rows.slice(count))
        return taken

    def up_to(self, last: tuple[int, ...], rank: int) -> int:
        """How many of the rows come before the row with these keys in the run of some rank, that one included."""
        return int(_up_to(self.keys, last, self.rank <= rank))

    def _hold(self, rows: Any) -> None:
        self.rows, self.keys = rows, _Keys.of(rows)


def _merged(runs: Sequence[_Run]) -> Iterator[Any]:
    """All rows of some runs in order. What is in memory of a run comes before its other rows, so up to the least last
    row of any run that goes on all is known.
    """
    going = [run for run in runs if run.rows.num_rows]
    while going:
        lasts = [(*(int(column[-1]) for column in run.keys), run.rank) for run in going if run.goes_on]
        if lasts:
            *last, rank = min(lasts)
            counts = [run.up_to(tuple(last), rank) for run in going]
        else:
            counts = [run.rows.num_rows for run in going]
        taken = [run.take(count) for run, count in zip(going, counts, strict=True) if count]
        rows = pa.concat_tables(taken).unify_dictionaries().combine_chunks()
        yield rows if len(taken) == 1 else _sorted(rows)
        going = [run for run in going if run.rows.num_rows]


def _words(rows: Any) -> Any:
    """For each row a number made of namespace, kind and what stands behind the entity's number."""
    namespace, node = rows.column("namespace").chunk(0), rows.column("node").chunk(0)
    of_namespace, of_node = (_text_words(column.dictionary) for column in (namespace, _ends(node)))
    name = rows.column("name").chunk(0).fill_null("")
    words = np.where(np.asarray(rows.column("at_node").chunk(0)), of_node[np.asarray(node.indices)], _text_words(name))
    return _mixed(of_namespace[np.asarray(namespace.indices)], np.asarray(rows.column("kind").chunk(0)), words)


def _ends(node: Any) -> Any:
    """Nodes as they stand behind the numbers of replicas."""
    ends = pa.array([f"@{each}" for each in node.dictionary.to_pylist()], pa.string())
    return pa.DictionaryArray.from_arrays(node.indices, ends)


def _text_words(texts: Any) -> Any:
    _, ends, text = texts.buffers()
    offsets = np.frombuffer(ends or b"", np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return _hashes(offsets, np.frombuffer(text or b"", np.uint8), np.empty(len(texts), np.int64))


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _hashes(offsets: Any, text: Any, words: Any) -> Any:
    """FNV-1a of each text."""
    for row in range(len(words)):
        value = np.uint64(0xCBF29CE484222325)
        for at in range(offsets[row], offsets[row + 1]):
            value = (value ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
        words[row] = np.int64(value)
    return words


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _mixed(namespaces: Any, kinds: Any, names: Any) -> Any:
    words = np.empty(len(kinds), np.int64)
    for row in range(len(words)):
        value = np.uint64(namespaces[row]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(kinds[row])
        value = (value ^ value >> np.uint64(32)) * np.uint64(0xC2B2AE3D27D4EB4F) + np.uint64(names[row])
        words[row] = np.int64(value ^ value >> np.uint64(29))
    return words


def _up_to(keys: Any, last: Any, is_included: bool) -> int:
    """How many of sorted rows come before one with these keys; those with the same keys, too, where included."""
    low, high = 0, len(keys[0])
    while low < high:
        at = (low + high) // 2
        order = 0
        for column, value in zip(keys, last):  # noqa: B905 - compiled code knows no strict zip
            if order == 0 and column[at] != value:
                order = -1 if column[at] < value else 1
        if order < 0 or (is_included and order == 0):
            low = at + 1
        else:
            high = at
    return low
