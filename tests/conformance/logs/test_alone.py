"""The check in one process that writes tables: in one part and in many, as the check that keeps all in memory."""

from pathlib import Path

import pyarrow.dataset
import pytest

from genstamp.logs.alone import Alone
from genstamp.logs.local import check_locally
from genstamp.logs.run import TABLES, Options, check_with
from genstamp_dfs.events import encode_lines
from genstamp_dfs.hdfs.cluster.random_runs import simulate


@pytest.mark.parametrize("parts", [1, 7])
def test_parts_change_no_verdict(tmp_path: Path, repository: Path, parts: int) -> None:
    sources = [repository / "tests" / "data" / "edits" / "editsStored", tmp_path / "events.jsonl"]
    sources[1].write_bytes(encode_lines(simulate(3).events))
    out = tmp_path / "out"
    report = check_with(Alone(), sources, Options(out=out, parts=parts))
    expected = check_locally(sources)
    assert report.events == expected.events.num_rows
    for table in sorted(set(TABLES) - {"steps"}):
        found = pyarrow.dataset.dataset(out / table).to_table().to_pylist()
        assert sorted(found, key=repr) == sorted(getattr(expected, table).to_pylist(), key=repr), table
    assert len({path.name[:11] for path in (out / "concerns").iterdir()}) == parts
