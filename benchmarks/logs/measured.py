"""One check of logs in a process of its own, with what it takes and the keys that it finds violated."""

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

from benchmarks.memory import peak_bytes

from genstamp.logs.alone import Alone
from genstamp.logs.run import Options, Worker, check_with


@dataclass
class Measured:
    """What a check took.

    Attributes:
        seconds: of the whole check. processor: seconds of the processor, in all processes. peak: bytes of the largest
        process. events: read. violated: entities, as many as a report tells. counts: keys by kind and safety. sql: the
        same as the twin in SQL finds, if it was asked. sql_seconds: that it took.
    """

    seconds: float = 0.0
    processor: float = 0.0
    peak: int = 0
    events: int = 0
    violated: Sequence[str] = ()
    counts: dict[str, int] | None = None
    sql: dict[str, int] | None = None
    sql_seconds: float = 0.0


def measure(logs: Sequence[Path], small: Sequence[Path], master: str, with_sql: bool) -> Measured:
    """Checks logs in this process, or on Spark if a master is named; `small` ones before, so that all has started."""
    measured = Measured()
    with ExitStack() as stack:
        worker: Worker = Alone()
        spark: Any = None
        if master:
            from genstamp.logs.job import OnSpark
            from genstamp.logs.session import spark_session

            spark = stack.enter_context(spark_session(master, computes=with_sql))
            worker = OnSpark(spark)
        check_with(worker, small)
        # The twin reads the table of concerns, which is written only where tables are kept.
        kept = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "tables" if with_sql else None
        began, processor = time.perf_counter(), processor_seconds()
        report = check_with(worker, logs, Options(out=kept))
        measured.seconds = time.perf_counter() - began
        measured.processor = processor_seconds() - processor
        measured.events = report.events
        measured.violated = sorted({finding.entity for finding in report.findings if finding.safety == "violated"})
        counts: Counter[str] = Counter()
        for each in report.keys:
            counts[f"{each.kind} {each.safety}"] += each.keys
        measured.counts = dict(counts)
        if kept is not None:
            from tests.conformance.logs.sql_twin import sql_verdicts

            began = time.perf_counter()
            counted = sql_verdicts(spark.read.parquet(str(kept / "concerns"))).groupBy("kind", "safety").count()
            measured.sql = {f"{row['kind']} {row['safety']}": row["count"] for row in counted.collect()}
            measured.sql_seconds = time.perf_counter() - began
    # A child begins with the peak of this process, which is asked too: so the greater of both is true.
    measured.peak = max(peak_bytes(), 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    return measured


def processor_seconds() -> float:
    """Seconds of the processor that this process and all below it have used, Spark's too."""
    children: dict[int, list[int]] = {}
    used: dict[int, int] = {}
    for process in Path("/proc").iterdir():
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split() if process.name.isdigit() else []
        except OSError:  # It has ended meanwhile.
            continue
        if fields:
            children.setdefault(int(fields[1]), []).append(int(process.name))
            # Those that have ended and were waited for are in the last two.
            used[int(process.name)] = sum(map(int, fields[11:15]))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process_id = waiting.pop()
        total += used.get(process_id, 0)
        waiting += children.get(process_id, [])
    return total / os.sysconf("SC_CLK_TCK")


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
