"""Rows that go to Spark come back as they were."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.logs.generator import write_logs

from genstamp.logs import flat
from genstamp.logs.exchange import EXCHANGED, concerns_of
from genstamp.logs.local import check_locally
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.tables import CONCERNS
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole


@pytest.mark.slow
@pytest.mark.parametrize("dense", [0, 1 << 20], ids=["sparse", "dense"])
def test_rows_come_back_as_they_were(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch, dense: int
) -> None:
    """Of a log, an edit log and a run: with names, recovery ids and what is before."""
    monkeypatch.setattr(flat, "_DENSE", dense)
    write_logs(tmp_path / "logs", 600, seed=8, one_in=10)
    (tmp_path / "events.jsonl").write_bytes(encode_lines(run_whole(3).events))
    edits = repository / "tests" / "data" / "edits" / "editsStored"
    paths = [edits, tmp_path / "events.jsonl", *sorted((tmp_path / "logs").glob("*.log"))]
    concerns = check_locally(paths).concerns
    assert concerns.column("recovery_id").null_count < concerns.num_rows
    after = pa.array([[row, -1] if row % 3 == 0 else None for row in range(concerns.num_rows)], pa.list_(pa.int64()))
    concerns = concerns.set_column(concerns.schema.get_field_index("after"), CONCERNS.field("after"), after)
    meanings, batches = flat.Meanings(), []
    for number in np.unique(concerns.column("unit").to_numpy()).tolist():
        of_unit = concerns.filter(pa.compute.equal(concerns.column("unit"), number))
        pieces = [("concerns", of_unit.slice(begin, 1000)) for begin in range(0, of_unit.num_rows, 1000)]
        for batch in flat.flat_rows(Unit(number, "", (), ""), pieces, parts=2):
            is_event = pa.compute.greater_equal(batch.column("common"), 0)
            batches.append(batch.filter(is_event))
            for row in batch.filter(pa.compute.invert(is_event)).to_pylist()[:1]:
                if row["common"] == flat.number_of_table(flat.TOLD):
                    meanings.take(row["rest"])
    tables = [meanings.sorted_rows(batch) for batch in batches if batch.num_rows]
    found = concerns_of(pa.concat_tables(tables).unify_dictionaries().select(EXCHANGED.names))
    assert found.to_pylist() == concerns.to_pylist()
    assert set(np.concatenate([each.column("part").to_numpy() for each in batches])) == {0, 1}
