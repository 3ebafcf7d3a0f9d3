"""The progress of a stage of a check on Spark: each of its tasks reads some logs or a range of one, or checks some
keys.

Not here: showing it (`genstamp.progress`), and what a task does.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Show = Callable[[str], None]
"""Shows a line as the present one."""

EVERY_S: Final = 0.5
"""Seconds between two looks at Spark's tasks."""


@contextmanager
def watched(
    spark: "SparkSession", does: str, tasks: int, show: Show | None, every_s: float = EVERY_S
) -> Iterator[None]:
    """Shows how many tasks of a stage are done, from when it begins until it ends.

    Args:
        spark: a session that does nothing else meanwhile.
        does: what the stage does, as the line begins.
        tasks: the number of its tasks, in all jobs.
        show: shows a line; None to show none.
        every_s: seconds between two lines.
    """
    if show is None:
        yield
        return
    before = frozenset(spark.sparkContext.statusTracker().getJobIdsForGroup(None))
    is_over = threading.Event()

    def look() -> None:
        while not is_over.wait(every_s):
            # Stages that only write come in addition.
            show(f"{does}: {min(tasks, _done(spark, before))} of {tasks} tasks are done")

    show(f"{does}: 0 of {tasks} tasks are done")
    looking = threading.Thread(target=look, name=f"progress of {does}", daemon=True)
    looking.start()
    try:
        yield
    finally:
        is_over.set()
        looking.join()
    show(f"{does}: {tasks} of {tasks} tasks are done")


def _done(spark: "SparkSession", before: frozenset[int]) -> int:
    """Tasks that are done of the jobs that were begun since."""
    tracker = spark.sparkContext.statusTracker()
    jobs = (tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(None) if job not in before)
    stages = {stage for job in jobs if job is not None for stage in job.stageIds}
    found = (tracker.getStageInfo(stage) for stage in stages)
    return sum(stage.numCompletedTasks for stage in found if stage is not None)
