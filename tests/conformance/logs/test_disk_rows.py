"""Rows on the disk come out in order, however they were put in, a part of them at a time."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.logs.generator import write_logs

from genstamp.logs import disk_rows
from genstamp.logs.exchange import exchanged
from genstamp.logs.local import check_locally


@pytest.mark.slow
@pytest.mark.parametrize("order", ["as it is", "backwards", "any"])
def test_rows_come_out_by_unit_and_sequence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    """Logs of a NameNode and of datanodes; no more than about a tenth of the rows is sorted at once."""
    monkeypatch.setattr(disk_rows, "_STRIDE_MIN", 8)
    write_logs(tmp_path / "logs", 3000, seed=5)
    rows = exchanged(check_locally(sorted((tmp_path / "logs").glob("*.log"))).concerns).combine_chunks()
    expected = _by_order(rows)
    places = list(range(rows.num_rows))
    if order == "backwards":
        places.reverse()
    elif order == "any":
        random.Random(7).shuffle(places)
    given = rows.take(pa.array(places))
    kept = disk_rows.DiskRows(tmp_path / "rows", rows.num_rows // 10)
    for begin in range(0, rows.num_rows, 41):
        kept.add(given.slice(begin, 41))
    sizes: list[int] = []
    lexsort = np.lexsort

    def seen(keys: Any) -> Any:
        sizes.append(len(keys[0]))
        return lexsort(keys)

    monkeypatch.setattr(np, "lexsort", seen)
    kept.end()
    found = pa.concat_tables(kept.pieces())
    assert found.to_pylist() == expected.to_pylist()
    assert max(sizes) < rows.num_rows / 4
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["rows"]


def _by_order(rows: Any) -> Any:
    return rows.take(pa.array(np.lexsort([rows.column(name).to_numpy() for name in ("sequence", "unit")])))
