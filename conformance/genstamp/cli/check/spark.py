"""`genstamp check --engine spark`: the same search, its states kept by Spark's executors."""

import os
from collections.abc import Callable

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
    directory: str | None,
    progress: Callable[[Progress], None],
) -> Result:
    """One search on Spark.

    Args:
        system: as `genstamp.systems.found` takes it; executors load it by this name.
        master: Spark's; by default that of spark-submit, else all processors of this machine.
        directory: for checkpoints of the states, as a URI that Spark can write; by default executors keep them.
    """
    # Here, so that a search on this machine need not wait for Spark's modules.
    from genstamp.logs.session import spark_session
    from genstamp.scaleout import explore_on_spark
    from genstamp.scaleout.rounds import MOST_PARTS, Order

    with spark_session(master) as spark:
        order = Order(
            system=system,
            semantics=semantics,
            bugs=bugs,
            configuration=configuration,
            renumber=renumber,
            symmetry=symmetry,
            parts=min(max(spark.sparkContext.defaultParallelism, os.cpu_count() or 1), MOST_PARTS),
            check_deadlock=True,
        )
        return explore_on_spark(
            spark, order, directory=directory, max_states=max_states, max_seconds=max_seconds, progress=progress
        )
