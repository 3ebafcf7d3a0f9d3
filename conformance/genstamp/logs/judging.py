"""Checks one partition of the keys: sorted batches of rows in, verdicts out.

Only as many rows are kept in memory as are checked at once; a key with more rows is checked in pieces
(`genstamp.logs.long_keys`). Not here: Spark, which sorts the rows and calls this.
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
"""How many rows are kept in memory; a row takes about 100 bytes."""

JUDGED: Any = pa.schema([pa.field("table", pa.string(), nullable=False), pa.field("rows", pa.binary(), nullable=False)])
"""The schema of the result of a partition: names of tables, and batches of their rows."""


class Judging(NamedTuple):
    """How partitions are checked.

    Attributes:
        found: the files that were read.
        complete: whether the user asserts that nothing is missing from them.
        situations_max: the bound of the slow path.
        keeps: whether to return all verdicts and steps; otherwise conformant and complete keys are only counted.
        rows_max: how many rows are kept in memory.
    """

    found: Found
    complete: bool
    situations_max: int
    keeps: bool
    rows_max: int = ROWS_MAX


def judge(how: Judging, batches: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """The result tables of a partition, in pieces. Every partition returns the spans; every other row comes only once.

    Args:
        how: how to check.
        batches: the rows of the partition, with the schema `flat.FLAT`, sorted by `flat.KEY`.
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
