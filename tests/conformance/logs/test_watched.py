"""What a check on Spark shows of how far it is."""

import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.logs.generator import write_logs

from genstamp.logs.job import check_paths
from genstamp.logs.run import Options
from genstamp.logs.watched import watched

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

_LINE = re.compile(r"(checking 5 sources): (\d+) of (\d+) tasks are done")


def test_a_check_shows_its_stages_from_their_beginning_to_their_end(spark: "SparkSession", tmp_path: Path) -> None:
    write_logs(tmp_path / "logs", 60_000, seed=1)
    logs = sorted((tmp_path / "logs").glob("*.log"))
    lines: list[str] = []
    check_paths(spark, logs, Options(parts=3), lines.append)
    found = [match.groups() for match in map(_LINE.fullmatch, lines) if match is not None]
    assert len(found) == len(lines)
    for stage in dict.fromkeys(does for does, _, _ in found):
        done = [(int(some), int(tasks)) for does, some, tasks in found if does == stage]
        assert done[0][0] == 0
        assert done[-1][0] == done[-1][1] > 0
        assert [some for some, _ in done] == sorted(some for some, _ in done)
    assert found


def test_tasks_are_counted_while_they_are_done(spark: "SparkSession") -> None:
    lines: list[str] = []
    is_told = threading.Event()

    def show(line: str) -> None:
        lines.append(line)
        if line == "counting: 3 of 4 tasks are done":
            is_told.set()

    with watched(spark, "counting", 4, show, every_s=0.01):
        assert spark.sparkContext.parallelize(range(3), 3).count() == 3
        assert is_told.wait(60)
        assert spark.sparkContext.parallelize(range(1), 1).count() == 1
    assert (lines[0], lines[-1]) == ("counting: 0 of 4 tasks are done", "counting: 4 of 4 tasks are done")


def test_nothing_is_looked_at_if_nobody_wants_to_see_it(spark: "SparkSession") -> None:
    with watched(spark, "counting", 3, None):
        assert spark.sparkContext.parallelize(range(3), 3).count() == 3
