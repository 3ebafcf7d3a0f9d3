"""Rows of concerns as Spark hands them to who checks a part: sorted, a few at a time."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from genstamp.logs import flat
from genstamp.logs.exchange import EXCHANGED, exchanged


def in_order(concerns: Any, size: int) -> Iterator[Any]:
    """Tables of `flat.SORTED` of some rows each.

    Args:
        concerns: a table of `tables.CONCERNS` or `exchange.EXCHANGED`.
        size: how many rows each has.
    """
    rows = concerns if concerns.schema.equals(EXCHANGED) else exchanged(concerns)
    rows = rows.unify_dictionaries().combine_chunks()
    column = {name: rows.column(name).chunk(0) for name in rows.column_names} if rows.num_rows else {}
    keys = flat.keys_of(column) if column else np.zeros(0, np.int64)
    rows = rows.append_column(flat.SORTED.field(flat.KEY), pa.array(keys))
    rows = rows.take(pa.array(np.argsort(keys, kind="stable"))).combine_chunks()
    yield from (rows.slice(at, size) for at in range(0, rows.num_rows, size))
