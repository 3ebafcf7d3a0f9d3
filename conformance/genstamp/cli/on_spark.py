"""`genstamp check --engine spark`: the same search, its states owned by Spark's executors."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from genstamp_model.explore import Progress, Result
from genstamp_model.language import Configuration


def search_on_spark(
    system: str,
    semantics: str,
    bugs: tuple[str, ...],
    configuration: Configuration,
    *,
    renumber: bool,
    symmetry: bool,
    max_states: int | None,
    max_seconds: float | None,
    master: str | None,
    directory: Path | None,
    progress: Callable[[Progress], None],
) -> Result:
    """One search on Spark.

    Args:
        system: as `genstamp.systems.found` takes it; executors load it by this name.
        master: Spark's; by default that of spark-submit, else all processors of this machine.
        directory: for the states, seen by all executors under this name; by default a temporary one, which only
            executors on this machine see.
    """
    # Here, so that a search on this machine need not wait for Spark's modules.
    from genstamp.logs.session import spark_session
    from genstamp.scaleout import explore_on_spark
    from genstamp.scaleout.work import MOST_OWNERS, Order

    with tempfile.TemporaryDirectory(prefix="genstamp-", dir=directory) as scratch, spark_session(master) as spark:
        order = Order(
            system=system,
            semantics=semantics,
            bugs=bugs,
            configuration=configuration,
            renumber=renumber,
            symmetry=symmetry,
            directory=scratch,
            owners=min(max(spark.sparkContext.defaultParallelism, os.cpu_count() or 1), MOST_OWNERS),
            check_deadlock=True,
        )
        return explore_on_spark(spark, order, max_states=max_states, max_seconds=max_seconds, progress=progress)
