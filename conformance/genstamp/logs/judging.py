"""Checks a part of the keys as its rows come: sorted batches in, verdicts out.

No more rows are held than are checked at once, whatever the part has; a key of more is checked piece by piece
(`genstamp.logs.long_keys`). Leaves out Spark, which sorts and calls this.
"""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute

from genstamp.logs.flat import TABLES_SENT, TOLD, Meanings, number_of_table, packed
from genstamp.logs.long_keys import verdicts_in_order
from genstamp.logs.summary import Summary
from genstamp.logs.tables import SPANS
from genstamp.logs.units import Found

ROWS_MAX = 500_000
"""Rows that are held in memory, of some 100 bytes each."""

JUDGED: Any = pa.schema([pa.field("table", pa.string(), nullable=False), pa.field("rows", pa.binary(), nullable=False)])
"""What comes of a part: names of tables, and batches of their rows."""


class Judging(NamedTuple):
    """How parts are checked.

    Attributes:
        found: what was read.
        complete: whether nothing is missing from it.
        situations_max: bound of the slow path.
        keeps: whether all verdicts are wanted, and steps; else keys of which no more is told are only counted.
        rows_max: how many rows are held in memory.
    """

    found: Found
    complete: bool
    situations_max: int
    keeps: bool
    rows_max: int = ROWS_MAX


def judge(how: Judging, batches: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """The tables of a part, in pieces; the spans are given by each part, all other rows by one.

    Args:
        how: see there.
        batches: the rows of the part, of `flat.FLAT`, sorted by `flat.KEY`.
    """
    meanings = Meanings()
    first: Any = None
    batches = iter(batches)
    for batch in batches:
        others = batch.filter(pa.compute.less(batch.column("common"), 0))
        for number, content in zip(others.column("common").to_pylist(), others.column("rest").to_pylist(), strict=True):
            if number == number_of_table(TOLD):
                meanings.take(content)
            else:
                yield TABLES_SENT[-1 - number], content
        if others.num_rows < batch.num_rows:
            first = batch.slice(others.num_rows)
            break
    spans = pa.Table.from_pylist(meanings.spans, SPANS)
    yield "spans", packed(spans)
    if first is None:
        return
    terms = Summary(how.found, spans).terms(how.complete, how.situations_max)
    steps: list[Any] = []
    counts: list[Any] | None = None if how.keeps else []

    def rows() -> Iterator[Any]:
        yield meanings.sorted_rows(first)
        for batch in batches:
            yield meanings.sorted_rows(batch)

    with tempfile.TemporaryDirectory(prefix="genstamp-") as scratch:
        for found in verdicts_in_order(rows(), terms, Path(scratch), how.rows_max, steps, counts):
            if found.num_rows:
                yield "verdicts", packed(found)
    for table, made in (("steps", steps if how.keeps else []), ("counts", counts or [])):
        if made:
            yield table, packed(pa.concat_tables(made))
