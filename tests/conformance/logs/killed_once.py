"""A check on Spark of which one worker is killed, once: `python -m tests.conformance.logs.killed_once WHERE MARK PATH`.

Spark tries a task again on one machine if its master says how often. Prints what was found.
"""

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from pyspark.sql.datasource import InputPartition

from genstamp.logs import job
from genstamp.logs.run import Options
from genstamp.logs.session import spark_session


def killing(batches: Iterable[Any], mark: str) -> Iterator[Any]:
    """Batches, after the first of which the first process that comes here is killed."""
    for batch in batches:
        yield batch
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Checks logs with a worker that is killed while it reads, or while it checks."""
    where, mark, logs = sys.argv[1:]

    # What is of this module goes to Spark's workers as it stands here.
    class Reader(job._Reader):
        def read(self, partition: InputPartition) -> Iterator[Any]:
            return killing(super().read(partition), mark)

    class Logs(job.HdfsLogs):
        def reader(self, schema: Any) -> Reader:  # noqa: ARG002 - as Spark calls it
            return Reader(self.options)

    judging = job._judging
    with pytest.MonkeyPatch.context() as patch:
        if where == "reading":
            patch.setattr(job, "HdfsLogs", Logs)
        else:
            patch.setattr(job, "_judging", lambda how: lambda batches: killing(judging(how)(batches), mark))
        _check(logs)


def _check(logs: str) -> None:
    with spark_session("local[2,3]") as spark:
        print(repr(replace(job.check_paths(spark, [logs], Options(parts=3)), seconds=0.0)))


if __name__ == "__main__":
    main()
