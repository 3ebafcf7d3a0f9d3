"""One check of logs in a process of its own, with the times of its stages and all keys that it finds violated."""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet
from benchmarks.memory import peak_bytes

from genstamp.logs.alone import Alone
from genstamp.logs.check import Terms
from genstamp.logs.divided import rows_by_part
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.run import Options, Reading, Worker, check_with

_SMALL = 2000


@dataclass
class Measured:
    """What a check took.

    Attributes:
        seconds: of the whole check. read, checked: of its two stages. processor: seconds of the processor in this
        process; of Spark's own processes nothing. peak: bytes of the largest process. events: read. rows: of the
        concerns. violated: entities. counts: keys by kind and safety. sql: the same as the twin in SQL finds, if it was
        asked. sql_seconds: that it took.
    """

    seconds: float = 0.0
    read: float = 0.0
    checked: float = 0.0
    processor: float = 0.0
    peak: int = 0
    events: int = 0
    rows: int = 0
    violated: Sequence[str] = ()
    counts: dict[str, int] | None = None
    sql: dict[str, int] | None = None
    sql_seconds: float = 0.0


class _Watched:
    """A worker whose stages are timed."""

    def __init__(self, worker: Worker, measured: Measured, sql: Any = None) -> None:
        self._worker, self._measured, self._sql = worker, measured, sql

    def read(self, units: Sequence[Unit], built: Path, how: Reading) -> Any:
        began = time.perf_counter()
        spans = self._worker.read(units, built, how)
        self._measured.read = time.perf_counter() - began
        return spans

    def check(self, terms: Terms, built: Path, how: Reading) -> None:
        began = time.perf_counter()
        self._worker.check(terms, built, how)
        measured = self._measured
        measured.checked = time.perf_counter() - began
        kept = pyarrow.dataset.dataset(built / "concerns").count_rows()
        measured.rows = kept + sum(rows_by_part(built, how.parts))
        # Those of which no more is told are not among them; all are counted in the report.
        verdicts = pyarrow.dataset.dataset(built / "verdicts").to_table(columns=["entity", "safety"])
        measured.violated = sorted(
            verdicts.filter(pyarrow.compute.field("safety") == "violated").column("entity").to_pylist()
        )
        if self._sql is not None:
            began = time.perf_counter()
            measured.sql = self._sql(built / "concerns")
            measured.sql_seconds = time.perf_counter() - began


def measure(logs: Sequence[Path], small: Sequence[Path], master: str, with_sql: bool) -> Measured:
    """Checks logs in this process, or on Spark if a master is named; `small` ones before, so that all has started."""
    measured = Measured()
    with ExitStack() as stack:
        worker: Worker = Alone()
        sql = None
        if master:
            from genstamp.logs.job import OnSpark
            from genstamp.logs.session import spark_session

            spark = stack.enter_context(spark_session(master, computes=with_sql))
            worker = OnSpark(spark)
            if with_sql:
                from tests.conformance.logs.sql_twin import sql_verdicts

                def sql(concerns: Path) -> dict[str, int]:
                    counted = sql_verdicts(spark.read.parquet(str(concerns))).groupBy("kind", "safety").count()
                    return {f"{row['kind']} {row['safety']}": row["count"] for row in counted.collect()}

        check_with(worker, small)
        watched = _Watched(worker, measured, sql)
        began, processor = time.perf_counter(), time.process_time()
        # The twin reads the table of concerns, which is written only where tables are kept.
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "tables" if with_sql else None
        report = check_with(watched, logs, Options(out=kept))
        measured.seconds = time.perf_counter() - began - measured.sql_seconds
        measured.processor = time.process_time() - processor
        measured.events = report.events
        counts: Counter[str] = Counter()
        for each in report.keys:
            counts[f"{each.kind} {each.safety}"] += each.keys
        measured.counts = dict(counts)
    # A child begins with the peak of this process, which is asked too: so the greater of both is true.
    measured.peak = max(peak_bytes(), 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    return measured


def main() -> None:
    """As the benchmark calls it: directories of logs and of small logs, master or "", whether the twin is asked."""
    directory, small, master, with_sql = sys.argv[1:]
    if master == "local[1]" and hasattr(os, "sched_setaffinity"):
        # Else the JVM and what is written beside reading take a second one.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    logs, few = (sorted(Path(place).glob("*.log")) for place in (directory, small))
    print(json.dumps(asdict(measure(logs, few, master, with_sql == "sql"))))


if __name__ == "__main__":
    main()
