"""Rows that were packed are the same rows when they are unpacked, in the order that was asked for."""

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import example, given, settings
from hypothesis import strategies as st

from genstamp.logs.exchange import EXCHANGED
from genstamp.logs.kernel import MISSING
from genstamp.logs.packed import Packer, unpacked

_NUMBERS = st.sampled_from([MISSING, 0, 5, -7, 2**31 - 1, 2**31, -(2**31), 1 - 2**31, 2**40, -(2**62)])
_SMALL = st.sampled_from([MISSING, 0, 5, -7, 2**31 - 1, 1 - 2**31])


def _column(field: Any) -> st.SearchStrategy[Any]:
    if field.name == "after":
        return st.none() | st.lists(st.integers(0, 9), max_size=2)
    if pa.types.is_boolean(field.type):
        return st.booleans()
    if pa.types.is_integer(field.type):
        return _NUMBERS if field.type == pa.int64() else st.integers(-1, 40)
    texts = st.sampled_from(["", "n1", "n2", "é"])
    return st.none() | texts if field.nullable else texts


@st.composite
def _tables(draw: st.DrawFn) -> list[Any]:
    """Tables of which some columns have the same value in all rows, or numbers that fit into 32 bits."""
    columns = {}
    for field in EXCHANGED:
        columns[field.name] = _SMALL if field.type == pa.int64() and draw(st.booleans()) else _column(field)
        if draw(st.booleans()):
            columns[field.name] = st.just(draw(columns[field.name]))
    rows = st.lists(st.fixed_dictionaries(columns), max_size=6)
    return [pa.Table.from_pylist(draw(rows), EXCHANGED) for _ in range(draw(st.integers(1, 3)))]


@settings(max_examples=300)
@given(_tables(), st.randoms(use_true_random=False))
def test_packed_rows_are_the_same_rows(tables: list[Any], choices: Any) -> None:
    rows = [row for table in tables for row in table.to_pylist()]
    packer = Packer()
    # Twice, as the memory of the first is taken again.
    for _ in range(2 if rows else 0):
        place = list(range(len(rows)))
        choices.shuffle(place)
        expected = [row for _, row in sorted(zip(place, rows, strict=True), key=lambda pair: pair[0])]
        batch = packer.pack(tables, np.array(place, np.int64)).batch
        assert unpacked([batch]).to_pylist() == expected
        cut = choices.randrange(len(rows) + 1)
        assert unpacked([batch.slice(cut)]).to_pylist() == expected[cut:]


@settings(max_examples=300)
@given(st.lists(_tables(), min_size=1, max_size=3))
def test_rows_of_several_files_come_together(files: list[list[Any]]) -> None:
    files = [tables for tables in files if any(table.num_rows for table in tables)]
    batches = [Packer().pack(tables, np.arange(sum(table.num_rows for table in tables))).batch for tables in files]
    if batches:
        rows = unpacked(batches)
        assert rows.to_pylist() == [row for tables in files for table in tables for row in table.to_pylist()]
        assert all(column.num_chunks == 1 for column in rows.columns)


@given(st.lists(_SMALL, min_size=2, unique=True))
@example([0, 2**31])
def test_numbers_take_half_where_they_fit(numbers: list[int]) -> None:
    row = {"namespace": "", "kind": 0, "at_node": False, "unit": 0, "sequence": 0, "node": "", "rule": 0,
           "generation_stamp": 0, "recovery_id": 0, "num_bytes": 0, "file": "", "line": 0}  # fmt: skip
    table = pa.Table.from_pylist([{**row, "number": number} for number in numbers], EXCHANGED)
    packed = Packer().pack([table], np.arange(len(numbers)))
    assert packed.batch.schema.names == ["number", "line"]
    assert packed.batch.column(0).type == (pa.int64() if 2**31 in numbers else pa.int32())
