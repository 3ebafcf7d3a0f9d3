"""Holds events by key as flat rows of integers, which Spark sends to the task that checks the key.

One row an event and entity that it concerns. A value that many rows share is a number that their unit gave it; a row of
`TOLD` tells what each unit's numbers stand for, and what its files told of which nodes, to every part of the keys: so
no check begins before all is read. Rows of other tables go in the column `rest`, as batches of Arrow. Not here: Spark
(`genstamp.logs.job`) and checking (`genstamp.logs.judging`).
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute
from numba import njit

from genstamp.logs.compiled import KEEPS
from genstamp.logs.exchange import EXCHANGED, NO_NUMBER, apart, exchanged, one_array
from genstamp.logs.kernel import MISSING
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.rows import Batch
from genstamp.logs.tables import SPANS

KEY = "key"
"""Column that brings together what is checked together: the number of an entity, which a block and its replicas have in
common, else a hash of its name. Two entities of one key are distinguished by who checks them.
"""

SORTED: Any = EXCHANGED.append(pa.field(KEY, pa.int64(), nullable=False))
"""As rows are checked: those of a key stand together."""

COMMON = ("namespace", "kind", "at_node", "node", "rule", "file", "numbered")
"""Columns with few distinct rows, to which their unit gives numbers: columns, and whether the entity has a number."""

NAMED = ("namespace", "node", "file")
"""Those that are texts."""

FLAT: Any = pa.schema(
    [
        pa.field("part", pa.int32(), nullable=False),
        *(
            pa.field(name, pa.int64(), nullable=False)
            for name in (KEY, "common", "sequence", "generation_stamp", "num_bytes", "line")
        ),
        pa.field("name", pa.string()),
        pa.field("rest", pa.binary()),
    ]
)
"""`part` is the part of the keys to which a row goes. `common` is the number of the unit times 2 to the 32nd, and the
number of what is in the columns of `COMMON`; or below zero that of a table (`TABLES_SENT`), whose rows are in `rest`.
What few events have, a recovery id or others before them, is in `rest` too. All numbers are of one width, as the
virtual machine takes longer for columns of several.
"""

TOLD = "told"

TABLES_SENT = (TOLD, "events", "concerns", "coverage", "rejects", "verdicts", "steps", "counts")
"""The contents of rows that belong to no key: that with place `n` has the number `-1 - n`."""

ROWS_AT_ONCE = 1 << 16

_UNIT = 32
"""Bits of `common` that are not the unit's number."""

_FIRST: Mapping[str, int] = {KEY: MISSING}
"""The value of rows that come before all events of a part."""


def number_of_table(table: str) -> int:
    """The value of `common` in rows that hold a table."""
    return -1 - TABLES_SENT.index(table)


class _Told(msgspec.Struct):
    """What a unit reports to every part: by number what is common, with places in `names` for texts."""

    unit: int
    names: dict[str, list[str]]
    common: list[tuple[int, ...]]
    spans: list[dict[str, Any]]


class _Rest(msgspec.Struct, array_like=True):
    """Columns that few events have."""

    recovery_id: int
    after: list[int] | None


def flat_rows(unit: Unit, tables: Iterable[Batch], parts: int) -> Iterator[Any]:
    """The tables of a unit in batches of `FLAT`.

    Args:
        unit: whose they are.
        tables: as `reading.read_unit` gives them.
        parts: into how many the keys are divided.
    """
    common = _Common()
    spans = SPANS.empty_table()
    for table, rows in tables:
        if table == "spans":
            spans = rows
            continue
        if table == "concerns" and rows.num_rows:
            yield from _by_key(rows, unit.number, common, parts)
        if table != "concerns" or not rows.schema.equals(EXCHANGED):
            yield from other_rows(table, rows, unit.number % parts)
    names = {name: list(numbers) for name, numbers in common.names.items()}
    packed = msgspec.msgpack.encode(_Told(unit.number, names, list(common.numbers), spans.to_pylist()))
    yield from _others(TOLD, packed, np.arange(parts))


def other_rows(table: str, rows: Any, part: int) -> Iterator[Any]:
    """Rows of another table, which are not divided by key."""
    if rows.num_rows:
        yield from _others(table, packed(rows), np.array([part]))


def _others(table: str, content: bytes, parts: Any) -> Iterator[Any]:
    for begin in range(0, len(parts), 64):  # Few, as each may be large.
        count = min(64, len(parts) - begin)
        given = {
            "part": pa.array(parts[begin : begin + count].astype(np.int32)),
            "common": pa.array(np.full(count, number_of_table(table))),
            "rest": pa.array([content] * count, pa.binary()),
        }
        yield pa.record_batch([given.get(field.name, _same(field, count)) for field in FLAT], schema=FLAT)


def _same(field: Any, count: int) -> Any:
    if field.nullable:
        return pa.nulls(count, field.type)
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


_DENSE = 1 << 20
"""Up to so many possible rows a table of all is quicker than sorting."""


class _Common:
    """Numbers of what a unit's rows have in common, in the order in which they are met.

    Attributes:
        names: numbers of texts, by column.
        numbers: of the columns of `COMMON`.
    """

    def __init__(self) -> None:
        self.names: dict[str, dict[str, int]] = {name: {} for name in NAMED}
        self.numbers: dict[tuple[int, ...], int] = {}

    def coded(self, column: Mapping[str, Any]) -> Any:
        """The number of each row.

        Args:
            column: of `exchange.EXCHANGED`, by name.
        """
        numbered = np.asarray(column["number"]) != NO_NUMBER
        columns = [numbered if name == "numbered" else self._plain(name, column[name]) for name in COMMON]
        sizes = [int(each.max()) + 1 for each in columns]
        if math.prod(sizes) > _DENSE:
            distinct, of_row = np.unique(np.stack(columns), axis=1, return_inverse=True)
            return self._numbered(distinct.T)[of_row.ravel()]
        of_row = columns[0].astype(np.int64)
        for each, size in zip(columns[1:], sizes[1:], strict=True):
            of_row = of_row * size + each
        met = np.flatnonzero(_met(of_row, np.zeros(math.prod(sizes), np.bool_)))
        numbers = np.empty(math.prod(sizes), np.int64)
        numbers[met] = self._numbered(np.stack(np.unravel_index(met, sizes), axis=1))
        return numbers[of_row]

    def _numbered(self, distinct: Any) -> Any:
        rows = map(tuple, distinct.tolist())
        return np.array([self.numbers.setdefault(row, len(self.numbers)) for row in rows], np.int64)

    def _plain(self, name: str, column: Any) -> Any:
        if name not in NAMED:
            return np.asarray(column)
        numbers = self.names[name]
        of_code = [numbers.setdefault(text, len(numbers)) for text in column.dictionary.to_pylist()]
        return np.array(of_code, np.int32)[np.asarray(column.indices)]


def _by_key(rows: Any, unit: int, common: _Common, parts: int) -> Iterator[Any]:
    rows = rows if rows.schema.equals(EXCHANGED) else exchanged(rows)
    rows = rows.unify_dictionaries().combine_chunks()
    column = {name: one_array(rows.column(name)) for name in rows.column_names}
    keys = keys_of(column)
    columns = {
        **column,
        "part": pa.array(_parts_of(keys, parts, np.empty(len(keys), np.int32))),
        KEY: pa.array(keys),
        "common": pa.array(common.coded(column) + (unit << _UNIT)),
        "rest": _rest(np.asarray(column["recovery_id"]), column["after"]),
    }
    yield from pa.table([columns[name] for name in FLAT.names], schema=FLAT).to_batches(max_chunksize=ROWS_AT_ONCE)


def _rest(ids: Any, after: Any) -> Any:
    has = ids != MISSING
    if after.null_count < len(after):
        has |= np.asarray(after.is_valid())
    if not has.any():
        return pa.nulls(len(ids), pa.binary())
    found: list[bytes | None] = [None] * len(ids)
    for row in np.flatnonzero(has).tolist():
        found[row] = msgspec.msgpack.encode(_Rest(int(ids[row]), after[row].as_py()))
    return pa.array(found, pa.binary())


class Meanings:
    """The meaning of the numbers of `common`, and the facts from all units.

    Attributes:
        spans: rows of `tables.SPANS`.
    """

    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        self._names: dict[str, dict[str, int]] = {name: {} for name in NAMED}
        self._of_unit: dict[int, Any] = {}

    def take(self, content: bytes) -> None:
        """Takes what a row of `TOLD` has."""
        told = msgspec.msgpack.decode(content, type=_Told)
        self.spans += told.spans
        common = np.array(told.common, np.int32).reshape(-1, len(COMMON))
        for name, known in told.names.items():
            numbers = self._names[name]
            codes = np.array([numbers.setdefault(text, len(numbers)) for text in known], np.int32)
            common[:, COMMON.index(name)] = codes[common[:, COMMON.index(name)]]
        self._of_unit[told.unit] = common

    @cached_property
    def _known(self) -> tuple[Any, Any, dict[str, Any]]:
        """Where the numbers of each unit begin, what they stand for, by column, and all texts; asked for at the end."""
        begins, at = np.zeros(max(self._of_unit) + 1, np.int64), 0
        for unit, common in self._of_unit.items():
            begins[unit] = at
            at += len(common)
        texts = {name: pa.array(list(numbers), pa.string()) for name, numbers in self._names.items()}
        return begins, np.concatenate(list(self._of_unit.values())).T.copy(), texts

    def sorted_rows(self, batch: Any) -> Any:
        """Rows of events by key as a table of `SORTED`; after all was told."""
        begins, common, texts = self._known
        column = {name: one_array(batch.column(name)) for name in batch.schema.names}
        given = np.asarray(column["common"])
        units = given >> _UNIT
        rows = begins[units] + (given & ((1 << _UNIT) - 1))
        found = {name: values[rows] for name, values in zip(COMMON, common, strict=True)}
        for name in NAMED:
            column[name] = pa.DictionaryArray.from_arrays(pa.array(found[name]), texts[name])
        for name in ("kind", "at_node", "rule"):
            column[name] = pa.array(found[name].astype(SORTED.field(name).type.to_pandas_dtype()))
        column["unit"] = pa.array(units.astype(np.int32))
        column["number"] = pa.array(np.where(found["numbered"], np.asarray(column[KEY]), NO_NUMBER))
        column["recovery_id"], column["after"] = _of_rest(column["rest"])
        return pa.table([column[name] for name in SORTED.names], schema=SORTED)


def _of_rest(column: Any) -> tuple[Any, Any]:
    """Recovery ids, and what is before."""
    type_ = EXCHANGED.field("after").type
    ids = np.full(len(column), MISSING)
    if column.null_count == len(column):
        return pa.array(ids), pa.nulls(len(column), type_)
    after: list[list[int] | None] = [None] * len(column)
    for row in np.flatnonzero(np.asarray(column.is_valid())).tolist():
        rest = msgspec.msgpack.decode(column[row].as_py(), type=_Rest)
        ids[row], after[row] = rest.recovery_id, rest.after
    return pa.array(ids), pa.array(after, type_)


# -- keys and parts ----------------------------------------------------------------------------------------------------


def keys_of(column: Mapping[str, Any]) -> Any:
    """The key of each row.

    Args:
        column: of `exchange.EXCHANGED`, by name.
    """
    numbers, names = np.asarray(column["number"]), column["name"]
    if names.null_count == len(names):
        return numbers
    _, ends, text = names.buffers()
    offsets = np.frombuffer(ends, np.int32)[names.offset : names.offset + len(names) + 1]
    return _keys_of(numbers, offsets, np.frombuffer(text or b"", np.uint8), np.empty(len(numbers), np.int64))


def keys_of_entities(entities: Any) -> Any:
    """The key of each entity, given as texts."""
    number, name = apart(entities.combine_chunks())
    return keys_of({"number": number, "name": name})


@njit(cache=KEEPS, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _keys_of(numbers: Any, offsets: Any, text: Any, keys: Any) -> Any:
    """Numbers, and where there is none FNV-1a of the name, without a sign."""
    for row in range(len(numbers)):
        keys[row] = numbers[row]
        if numbers[row] == NO_NUMBER:
            value = np.uint64(0xCBF29CE484222325)
            for at in range(offsets[row], offsets[row + 1]):
                value = (value ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
            keys[row] = np.int64(value >> np.uint64(1))
    return keys


@njit(cache=KEEPS, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _parts_of(keys: Any, parts: Any, part_of: Any) -> Any:
    for row in range(len(keys)):
        value = np.uint64(keys[row]) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(32)
        part_of[row] = np.int32((value >> np.uint64(20)) % np.uint64(parts))
    return part_of


@njit(cache=KEEPS, nogil=True)  # type: ignore[untyped-decorator, unused-ignore]
def _met(keys: Any, met: Any) -> Any:
    """Marks all keys that are met."""
    for row in range(len(keys)):
        met[keys[row]] = True
    return met
