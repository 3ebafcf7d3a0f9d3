"""The check of logs on a standalone cluster of Spark: a master and two workers, all processes of their own."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pytest
from tests.conformance.standalone import SPARK_SUBMIT, Standalone, standalone

from genstamp.logs.local import check_locally
from genstamp.logs.tables import TABLES
from genstamp_dfs.events import encode_lines
from genstamp_dfs.simulation.whole import run_whole

pytestmark = pytest.mark.slow

RUNS = 6


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A master and two workers."""
    with standalone(tmp_path_factory.mktemp("spark")) as running:
        yield running


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory, repository: Path) -> list[Path]:
    """Enough for tasks on both workers: an edit log, and events of several runs."""
    place = tmp_path_factory.mktemp("sources")
    for seed in range(RUNS):
        (place / f"events-{seed}.jsonl").write_bytes(encode_lines(run_whole(seed).events))
    return [repository / "tests" / "data" / "edits" / "editsStored", place]


def _rows(table: Any) -> Counter[str]:
    return Counter(json.dumps(row, sort_keys=True, default=str) for row in table.to_pylist())


def _check(cluster: Standalone, command: list[str], sources: list[Path], out: Path) -> None:
    """Runs the check as a program, and holds its tables against those of one process."""
    before = cluster.executors()
    command = [*command, "--out", str(out), "--format", "json", *map(str, sources)]
    ran = subprocess.run(command, env=cluster.environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0 and ran.stdout.startswith("{"), (ran.stdout, ran.stderr[-3000:])
    assert json.loads(ran.stdout)["safety"] == "conformant"
    assert all(now > then for now, then in zip(cluster.executors(), before, strict=True)), "a worker had nothing to do"
    alone = check_locally(sources)
    for table in TABLES:
        found = pyarrow.dataset.dataset(out / table).to_table()
        assert _rows(found) == _rows(getattr(alone, table)), table


def test_master_of_a_cluster(cluster: Standalone, sources: list[Path], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "genstamp", "logs", "check", "--master", cluster.master]
    _check(cluster, command, sources, tmp_path / "out")


def test_spark_submit(cluster: Standalone, sources: list[Path], repository: Path, tmp_path: Path) -> None:
    program = str(repository / "conformance" / "genstamp" / "submit" / "logs.py")
    _check(cluster, [str(SPARK_SUBMIT), "--master", cluster.master, program, "check"], sources, tmp_path / "out")
