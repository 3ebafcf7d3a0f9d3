"""Rows of `exchange.EXCHANGED` as they stand on the disk between who reads and who checks: as small as is cheap.

A column that has the same value in all rows of a file stands in the file's metadata, and a number of 64 bits that fits
into 32 takes no more. Leaves out files and parts (`genstamp.logs.divided`).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.types

from genstamp.logs.compiled import compiled
from genstamp.logs.exchange import EXCHANGED, words
from genstamp.logs.kernel import MISSING

_LOWEST = -(2**31)
"""Stands for `MISSING` in 32 bits."""

_COUNTED = "line"
"""A column that always stands there: a batch without any would have no rows."""

_SAME = b"the same in all rows"


class Packed(NamedTuple):
    """Rows that were packed.

    Attributes:
        batch: of the columns that differ from row to row.
        schema: its own, with the values of the others.
    """

    batch: Any
    schema: Any


class Packer:
    """Packs one table after another, all of them in the same memory: what was given last is overwritten."""

    def __init__(self) -> None:
        self._rooms: dict[tuple[str, str], Any] = {}

    def pack(self, tables: Sequence[Any], place: Any) -> Packed:
        """The rows of some tables in another order.

        Args:
            tables: of `EXCHANGED`.
            place: int64; for each row of all where it goes.
        """
        arrays, fields = [], []
        same: dict[str, int | str | None] = {}
        for field in EXCHANGED:
            chunks = [chunk for table in tables for chunk in table.column(field.name).chunks if len(chunk)]
            is_same, value = _same(chunks)
            if is_same and field.name != _COUNTED:
                same[field.name] = value
                continue
            array = self._moved(field, chunks, place)
            arrays.append(array)
            fields.append(pa.field(field.name, array.type))
        schema = pa.schema(fields, {_SAME: msgspec.json.encode(same)})
        return Packed(pa.record_batch(arrays, schema=schema), schema)

    def _moved(self, field: Any, chunks: Sequence[Any], place: Any) -> Any:
        if field.type == pa.int64():
            narrow = self._room(field.name, np.dtype(np.int32), len(place))
            if _narrow_all(chunks, place, narrow):
                return pa.array(narrow)
        if pa.types.is_integer(field.type):
            room = self._room(field.name, field.type.to_pandas_dtype(), len(place))
            at = 0
            for chunk in chunks:
                room[place[at : at + len(chunk)]] = np.asarray(chunk)
                at += len(chunk)
            return pa.array(room)
        order = np.empty(len(place), np.int64)
        order[place] = np.arange(len(place))
        return _one(chunks, field.type).take(pa.array(order))

    def _room(self, name: str, of: Any, size: int) -> Any:
        key = name, np.dtype(of).str
        if key not in self._rooms or len(self._rooms[key]) < size:
            self._rooms[key] = np.empty(size, of)
        return self._rooms[key][:size]


def _same(chunks: Sequence[Any]) -> tuple[bool, Any]:
    """Whether all rows of a column have the same value, and which."""
    if all(chunk.null_count == len(chunk) for chunk in chunks):
        return True, None
    type_ = chunks[0].type
    if pa.types.is_dictionary(type_):
        values = {value for chunk in chunks for value in _words_of(chunk)}
        return len(values) == 1, next(iter(values))
    if pa.types.is_boolean(type_):
        true, rows = sum(chunk.true_count for chunk in chunks), sum(map(len, chunks))
        return true in (0, rows), true > 0
    if not pa.types.is_integer(type_):
        return False, None
    value = chunks[0][0].as_py()
    # Mostly the last tells already that it is not so.
    if chunks[0][len(chunks[0]) - 1].as_py() != value:
        return False, value
    return all(bool((np.asarray(chunk) == value).all()) for chunk in chunks), value


def _words_of(chunk: Any) -> Sequence[str]:
    """The words of a column; of several only the one that stands there, if no other does."""
    if len(chunk.dictionary) > 1:
        numbers = np.asarray(chunk.indices)
        if (numbers == numbers[0]).all():
            return [chunk.dictionary[int(numbers[0])].as_py()]
    found: Sequence[str] = chunk.dictionary.to_pylist()
    return found


def _narrow_all(chunks: Sequence[Any], place: Any, found: Any) -> bool:
    at = 0
    for chunk in chunks:
        if not _narrow(np.asarray(chunk), place[at : at + len(chunk)], found):
            return False
        at += len(chunk)
    return True


@compiled()  # type: ignore[untyped-decorator, unused-ignore]
def _narrow(values: Any, place: Any, found: Any) -> bool:
    """Puts numbers of 64 bits in their places as numbers of 32, if all of them fit."""
    for row in range(len(values)):
        value = values[row]
        if value == MISSING:
            value = _LOWEST
        elif value <= _LOWEST or value >= -_LOWEST:
            return False
        found[place[row]] = value
    return True


def unpacked(batches: Sequence[Any]) -> Any:
    """A table of `EXCHANGED` of batches, or slices of them, that were packed; each of its columns is one array."""
    same = [_same_values(batch.schema.metadata[_SAME]) for batch in batches]
    sizes = [batch.num_rows for batch in batches]
    columns = []
    for field in EXCHANGED:
        if all(field.name in values for values in same):
            columns.append(_constants(field, [values[field.name] for values in same], sizes))
            continue
        pieces = [
            _constants(field, [values[field.name]], [size]) if field.name in values else batch.column(field.name)
            for batch, values, size in zip(batches, same, sizes, strict=True)
        ]
        columns.append(_widened(pieces) if field.type == pa.int64() else _one(pieces, field.type))
    return pa.table(columns, schema=EXCHANGED)


@lru_cache(maxsize=256)
def _same_values(text: bytes) -> Mapping[str, Any]:
    found: Mapping[str, Any] = msgspec.json.decode(text)
    return found


def _constants(field: Any, values: Sequence[Any], sizes: Sequence[int]) -> Any:
    """A column of values each of which stands in so many rows."""
    if values[0] is None:
        assert set(values) == {None}, f"only a column of nulls has no value, and {field.name} has {values}"
        return pa.nulls(sum(sizes), field.type)
    if pa.types.is_dictionary(field.type):
        known = list(dict.fromkeys(values))
        return words(known, np.repeat([known.index(value) for value in values], sizes))
    return pa.array(np.repeat(np.array(values, field.type.to_pandas_dtype()), sizes))


def _widened(pieces: Sequence[Any]) -> Any:
    wide, at = np.empty(sum(map(len, pieces)), np.int64), 0
    for piece in pieces:
        column, room = np.asarray(piece), wide[at : at + len(piece)]
        room[:] = column
        if piece.type != pa.int64():
            room[column == _LOWEST] = MISSING
        at += len(piece)
    return pa.array(wide)


def _one(pieces: Sequence[Any], type_: Any) -> Any:
    """Columns one after another, as one array."""
    whole = pa.chunked_array(pieces, type_).unify_dictionaries().combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
