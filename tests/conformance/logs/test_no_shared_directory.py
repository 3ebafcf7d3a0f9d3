"""A master and two workers that share no directory: from HDFS to HDFS, on a cluster of the reference implementation.

The check is submitted with spark-submit; its tables are those of one process.
"""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest
from benchmarks.logs.generator import write_logs
from tests.conformance.logs.remote_files import hdfs, put
from tests.conformance.standalone import SPARK_SUBMIT, standalone

from genstamp.logs.kept import read_kept
from genstamp.logs.local import check_locally
from genstamp.logs.opening import below, dataset
from genstamp.logs.tables import TABLES
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


def _rows(table: Any, at: str) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True, default=str).replace(at, "LOGS") for row in table.to_pylist())


def test_tables_from_hdfs_to_hdfs_are_those_of_one_process(repository: Path, tmp_path: Path) -> None:
    written = write_logs(tmp_path / "logs", 3000, seed=6, one_in=100)
    shutil.copy(repository / "tests" / "data" / "edits" / "editsStored", tmp_path / "logs")
    (tmp_path / "logs" / "events.jsonl").write_bytes(encode_lines(run_whole(0).events))
    (tmp_path / "spark").mkdir()
    with hdfs(tmp_path / "hdfs") as root, standalone(tmp_path / "spark") as cluster:
        logs, out = put(root, "/logs", tmp_path / "logs"), f"{root}/tables"
        program = str(repository / "conformance" / "genstamp" / "submit" / "logs.py")
        command = [str(SPARK_SUBMIT), "--master", cluster.master, program, "check", "--out", out, logs]
        ran = subprocess.run(command, env=cluster.environment, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 12, ran.stderr[-3000:]
        assert all(executors > 0 for executors in cluster.executors()), "a worker had nothing to do"
        alone = check_locally([tmp_path / "logs"])
        for table in sorted(set(TABLES) - {"steps"}):
            found = _rows(dataset(below(out, table)).to_table(), logs)
            assert found == _rows(getattr(alone, table), str(tmp_path / "logs")), table
        violated = pyarrow.dataset.field("safety") == "violated"
        blocks = read_kept(out).tables["verdicts"].to_table(filter=violated).column("entity").to_pylist()
        assert sorted(blocks) == sorted(written.violated) != []
