"""Events by key as flat rows of integers, which Spark sends to whoever checks the key.

One row an event and entity that it concerns. A name is a number that its unit gave it; a row of `TOLD` tells what each
unit's numbers stand for, and what its files told of which nodes, to every part of the keys: so nobody checks anything
before all is read. Rows of other tables go in the column `rows`, as batches of Arrow. Leaves out Spark
(`genstamp.logs.job`) and checking (`genstamp.logs.judging`).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute
from numba import njit

from genstamp.logs.exchange import EXCHANGED, NO_NUMBER, exchanged
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.rows import Batch
from genstamp.logs.tables import SPANS

WORD = "word"
"""Column of what a key has beside its number: equal in all rows of a key, hardly ever in those of two."""

SORTED: Any = EXCHANGED.append(pa.field(WORD, pa.int64(), nullable=False))
"""As rows are checked, in the order of `BY_KEY`."""

BY_KEY = ("number", WORD, "unit", "sequence")
"""What the rows of a part are sorted by: those of a key stand together, and so do a block and its replicas."""

CODED = ("namespace", "node", "file")
"""Columns of names that are numbers."""

_CODE = pa.int32()

FLAT: Any = pa.schema(
    [
        pa.field("part", pa.int32(), nullable=False),
        pa.field("table", pa.string()),
        *(
            pa.field(field.name, _CODE if field.name in CODED else pa.binary(), nullable=field.name == "after")
            if field.name in (*CODED, "after")
            else field
            for field in SORTED
        ),
        pa.field("rows", pa.binary()),
    ]
)
"""`part` is the part of the keys to which a row goes. `table` is null in rows of events by key, which have the columns
of `SORTED`; else it names what is in `rows`. `after` are int64, one behind the other.
"""

TOLD = "told"

ROWS_AT_ONCE = 1 << 16

_FIRST: Mapping[str, int] = {"number": NO_NUMBER, WORD: NO_NUMBER, "unit": -1}
"""What rows have that come before all events of a part."""


class _Told(msgspec.Struct):
    """What a unit tells to every part."""

    unit: int
    names: dict[str, list[str]]
    spans: list[dict[str, Any]]


def flat_rows(unit: Unit, tables: Iterable[Batch], parts: int) -> Iterator[Any]:
    """The tables of a unit in batches of `FLAT`.

    Args:
        unit: whose they are.
        tables: as `reading.read_unit` gives them.
        parts: into how many the keys are divided.
    """
    names = {name: _Names() for name in CODED}
    spans = SPANS.empty_table()
    for table, rows in tables:
        if table == "spans":
            spans = rows
            continue
        if table == "concerns" and rows.num_rows:
            yield from _by_key(rows, names, parts)
        if table != "concerns" or not rows.schema.equals(EXCHANGED):
            yield from other_rows(table, rows, unit.number % parts)
    told = _Told(unit.number, {name: list(known.numbers) for name, known in names.items()}, spans.to_pylist())
    packed = msgspec.msgpack.encode(told)
    yield from _others([TOLD] * parts, [packed] * parts, np.arange(parts))


def other_rows(table: str, rows: Any, part: int) -> Iterator[Any]:
    """Rows of another table, which are not divided by key."""
    if rows.num_rows:
        yield from _others([table], [packed(rows)], np.array([part]))


def _others(tables: list[str], contents: list[bytes], parts: Any) -> Iterator[Any]:
    for begin in range(0, len(tables), 64):  # Few, as each may be large.
        end = min(len(tables), begin + 64)
        given = {
            "part": pa.array(parts[begin:end].astype(np.int32)),
            "table": pa.array(tables[begin:end], pa.string()),
            "rows": pa.array(contents[begin:end], pa.binary()),
        }
        yield pa.record_batch([given.get(field.name, _same(field, end - begin)) for field in FLAT], schema=FLAT)


def _same(field: Any, count: int) -> Any:
    if field.nullable:
        return pa.nulls(count, field.type)
    if field.type == pa.bool_():
        return pa.array(np.zeros(count, np.bool_))
    return pa.array(np.full(count, _FIRST.get(field.name, 0), field.type.to_pandas_dtype()))


def packed(rows: Any) -> bytes:
    """A table, as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as writer:
        writer.write_table(rows)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def unpacked(content: Any) -> Any:
    """The table that `packed` was given."""
    return pa.ipc.open_stream(content).read_all()


class _Names:
    """Numbers of names, in the order in which they are met."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def coded(self, column: Any) -> Any:
        of_code = [self.numbers.setdefault(name, len(self.numbers)) for name in column.dictionary.to_pylist()]
        return pa.array(np.array(of_code, np.int32)[np.asarray(column.indices)])


def _by_key(rows: Any, names: Mapping[str, _Names], parts: int) -> Iterator[Any]:
    rows = rows if rows.schema.equals(EXCHANGED) else exchanged(rows)
    rows = rows.unify_dictionaries().combine_chunks()
    column = {name: _one(rows.column(name)) for name in rows.column_names}
    part = part_of(column["number"], column["name"], parts).astype(np.int32)
    columns = {
        **column,
        **{name: names[name].coded(column[name]) for name in CODED},
        "part": pa.array(part),
        "table": pa.nulls(len(part), pa.string()),
        "rows": pa.nulls(len(part), pa.binary()),
        "after": _bytes(column["after"]),
        WORD: pa.array(words(column)),
    }
    yield from pa.table([columns[name] for name in FLAT.names], schema=FLAT).to_batches(max_chunksize=ROWS_AT_ONCE)


def _bytes(lists: Any) -> Any:
    if lists.null_count == len(lists):
        return pa.nulls(len(lists), pa.binary())
    found = [None if each is None else np.array(each, np.int64).tobytes() for each in lists.to_pylist()]
    return pa.array(found, pa.binary())


def _lists(column: Any) -> Any:
    type_ = EXCHANGED.field("after").type
    if column.null_count == len(column):
        return pa.nulls(len(column), type_)
    found = [None if each is None else np.frombuffer(each, np.int64).tolist() for each in column.to_pylist()]
    return pa.array(found, type_)


class Meanings:
    """What the numbers of names stand for, and what all units told.

    Attributes:
        spans: rows of `tables.SPANS`.
    """

    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        self._names: dict[str, dict[str, int]] = {name: {} for name in CODED}
        self._of_unit: dict[str, dict[int, Any]] = {name: {} for name in CODED}

    def take(self, content: bytes) -> None:
        """Takes what a row of `TOLD` has."""
        told = msgspec.msgpack.decode(content, type=_Told)
        self.spans += told.spans
        for name, known in told.names.items():
            numbers = self._names[name]
            codes = [numbers.setdefault(text, len(numbers)) for text in known]
            self._of_unit[name][told.unit] = np.array(codes, np.int32)

    def sorted_rows(self, batch: Any) -> Any:
        """Rows of events by key as a table of `SORTED`."""
        column = {name: _one(batch.column(name)) for name in batch.schema.names}
        units = np.asarray(column["unit"])
        for name in CODED:
            codes = np.empty(len(units), np.int32)
            for unit in np.unique(units).tolist():
                here = units == unit
                codes[here] = self._of_unit[name][unit][np.asarray(column[name])[here]]
            column[name] = pa.DictionaryArray.from_arrays(pa.array(codes), self._texts(name))
        column["after"] = _lists(column["after"])
        return pa.table([column[name] for name in SORTED.names], schema=SORTED)

    def _texts(self, name: str) -> Any:
        return pa.array(list(self._names[name]), pa.string())


def _one(column: Any) -> Any:
    """A column as one array."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


# -- what a row has of its key ----------------------------------------------------------------------------------------


def words(column: Mapping[str, Any]) -> Any:
    """For each row a number made of namespace, kind and what stands behind the entity's number.

    Args:
        column: of `exchange.EXCHANGED`, by name.
    """
    namespace, node = column["namespace"], column["node"]
    ends = pa.array([f"@{each}" for each in node.dictionary.to_pylist()], pa.string())
    of_namespace, of_node = _text_words(namespace.dictionary), _text_words(ends)
    given = column["name"]
    of_name = _EMPTY if given.null_count == len(given) else _text_words(given.fill_null(""))
    at_node = np.asarray(column["at_node"])
    behind = np.where(at_node, of_node[np.asarray(node.indices)], of_name) if len(of_node) else of_name
    behind = np.ascontiguousarray(np.broadcast_to(behind, len(given)))
    return _mixed(of_namespace[np.asarray(namespace.indices)], np.asarray(column["kind"]), behind)


def _text_words(texts: Any) -> Any:
    offsets, text = _buffers(texts)
    return _hashes(offsets, text, np.empty(len(texts), np.int64))


def _buffers(texts: Any) -> tuple[Any, Any]:
    _, ends, text = texts.buffers()
    offsets = np.frombuffer(ends or b"", np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return offsets, np.frombuffer(text or b"", np.uint8)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _hashes(offsets: Any, text: Any, words: Any) -> Any:
    """FNV-1a of each text."""
    for row in range(len(words)):
        value = np.uint64(0xCBF29CE484222325)
        for at in range(offsets[row], offsets[row + 1]):
            value = (value ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
        words[row] = np.int64(value)
    return words


_EMPTY = np.full(1, 0xCBF29CE484222325, np.uint64).astype(np.int64)
"""Of the empty text."""


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _mixed(namespaces: Any, kinds: Any, names: Any) -> Any:
    words = np.empty(len(kinds), np.int64)
    for row in range(len(words)):
        value = np.uint64(namespaces[row]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(kinds[row])
        value = (value ^ value >> np.uint64(32)) * np.uint64(0xC2B2AE3D27D4EB4F) + np.uint64(names[row])
        words[row] = np.int64(value ^ value >> np.uint64(29))
    return words


def part_of(numbers: Any, names: Any, parts: int) -> Any:
    """The part of each row: of what has a number this alone chooses it, so a block and its replicas are in one."""
    return _parts_of(np.asarray(numbers), *_buffers(names), parts)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _parts_of(numbers: Any, offsets: Any, text: Any, parts: int) -> Any:
    part_of = np.empty(len(numbers), np.int64)
    for row in range(len(numbers)):
        value = np.uint64(0xCBF29CE484222325)
        if numbers[row] != NO_NUMBER:
            value = (value ^ np.uint64(numbers[row])) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(32)
        else:
            for at in range(offsets[row], offsets[row + 1]):
                value = (value ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
        part_of[row] = np.int64((value >> np.uint64(20)) % np.uint64(parts))
    return part_of
