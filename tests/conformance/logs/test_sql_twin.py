"""The fast path and its twin in Spark SQL give each key the same verdict."""

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest
from benchmarks.logs.generator import write_logs
from tests.conformance.logs.sql_twin import sql_verdicts

from genstamp.logs.local import check_locally
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


def test_sql_rejects_the_keys_that_the_fast_path_rejects(spark: "SparkSession", tmp_path: Path, edits: Path) -> None:
    written = write_logs(tmp_path / "logs", 4000, seed=8, one_in=40)
    events = tmp_path / "events.jsonl"
    events.write_bytes(encode_lines(run_whole(3).events))
    checked = check_locally([*sorted((tmp_path / "logs").glob("*.log")), events, edits / "editsStored"])
    pyarrow.parquet.write_table(checked.concerns, tmp_path / "concerns.parquet")
    found = {
        (row["namespace"], row["kind"], row["entity"]): row["safety"]
        for row in sql_verdicts(spark.read.parquet(str(tmp_path / "concerns.parquet"))).collect()
    }
    expected = {}
    for row in checked.verdicts.to_pylist():
        # What the slow path looks at, the fast path has rejected.
        safety = "violated" if row["path"] == "slow" else row["safety"]
        expected[row["namespace"], row["kind"], row["entity"]] = safety
    assert found == expected
    assert sum(safety == "violated" for safety in found.values()) >= len(written.violated) > 5
