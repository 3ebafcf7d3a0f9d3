"""The check in one process that writes tables: as the check that keeps all in memory."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest
from benchmarks.logs.generator import write_logs

from genstamp.logs.alone import Alone
from genstamp.logs.local import check_locally
from genstamp.logs.run import Options, check_with
from genstamp.logs.tables import TABLES
from genstamp.logs.units import Found
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole


@pytest.mark.slow
def test_tables_are_those_of_the_check_that_keeps_all_in_memory(tmp_path: Path, repository: Path) -> None:
    sources = [repository / "tests" / "data" / "edits" / "editsStored", tmp_path / "events.jsonl"]
    sources[1].write_bytes(encode_lines(run_whole(3).events))
    out = tmp_path / "out"
    report = check_with(Alone(), sources, Options(out=out))
    expected = check_locally(sources)
    assert report.events == expected.events.num_rows
    for table in sorted(set(TABLES) - {"steps"}):
        found = pyarrow.dataset.dataset(out / table).to_table().to_pylist()
        assert sorted(found, key=repr) == sorted(getattr(expected, table).to_pylist(), key=repr), table


@pytest.mark.slow
def test_report_is_the_same_whether_tables_are_kept_or_not(tmp_path: Path) -> None:
    write_logs(tmp_path / "logs", 5000, 1, one_in=20, skew=0.1)
    # Without its second half, so that some is left unfinished.
    namenode = tmp_path / "logs" / "namenode.log"
    namenode.write_bytes(namenode.read_bytes()[: namenode.stat().st_size // 2])
    kept = check_with(Alone(), [tmp_path / "logs"], Options(out=tmp_path / "out"))
    counted = check_with(Alone(), [tmp_path / "logs"])
    assert {count.safety for count in counted.keys} == {"conformant", "violated"}
    assert counted.unfinished and {count.begun for count in counted.keys} == {True, False}
    assert replace(counted, seconds=0.0) == replace(kept, out="", seconds=0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("one_in", "readings"), [(20, [False, True]), (10**9, [False])])
def test_logs_are_read_for_stories_only_where_something_is_found(
    tmp_path: Path, one_in: int, readings: list[bool]
) -> None:
    write_logs(tmp_path / "logs", 3000, 1, one_in=one_in)
    asked: list[bool] = []

    class Asked(Alone):
        def tables(self, found: Found, options: Options, built: str | Path, keeps: bool) -> Any:
            asked.append(keeps)
            return super().tables(found, options, built, keeps)

    told = check_with(Asked(), [tmp_path / "logs"], Options(stories=True))
    assert asked == readings
    kept = check_with(Alone(), [tmp_path / "logs"], Options(stories=True, out=tmp_path / "out"))
    assert replace(told, seconds=0.0) == replace(kept, out="", seconds=0.0)
    assert all(finding.told and finding.stages for finding in told.findings)
