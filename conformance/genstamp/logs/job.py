"""The check of logs as two jobs on Spark: one task a source, one exchange by key.

The first job reads: a task a unit, inside `mapInArrow`, which writes what it finds as Parquet files of its own, so
that sources are parsed once and a task that is run again replaces its files. What concerns the keys of one part goes to
files of that part (`genstamp.logs.parts`): the exchange of events by key is of columns in Parquet, not of rows of the
JVM. In the second job each task takes some parts, one after another, and runs the automata over all events of each.
Tasks open files and write them: on more than one machine the paths must be the same on all of them.

Leaves out what is read and what is checked (`genstamp.logs.reading`, `genstamp.logs.check`), what is done before and
after (`genstamp.logs.run`), and the session.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from genstamp.logs.check import Terms
from genstamp.logs.parts import check_part
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.report import Report
from genstamp.logs.run import Options, Reading, check_with, read_into
from genstamp.logs.tables import SPANS

TASKS_A_CORE = 4
"""So many tasks for each core, to even out."""


def check_paths(spark: SparkSession, paths: Sequence[str | Path], options: Options | None = None) -> Report:
    """Checks what is at some paths.

    Args:
        spark: a session.
        paths: files, and directories that are read with everything below them.
        options: see there.

    Returns:
        What was found; the tables are in `options.out`.

    Raises:
        NoSuchPathError: a path is not there.
        OutputError: `options.out` holds something else than an earlier result.
    """
    return check_with(OnSpark(spark), paths, options)


class OnSpark:
    """Does the work of a check on Spark.

    Args:
        spark: a session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def read(self, units: Sequence[Unit], built: Path, how: Reading) -> Any:
        """As `run.Worker` says."""
        shares = _shares(units, TASKS_A_CORE * self._spark.sparkContext.defaultParallelism)
        encoded = self._spark.sparkContext.broadcast([msgspec.json.encode(share) for share in shares])
        spans = self._tasks(len(shares)).mapInArrow(_reading(str(built), how, encoded), from_arrow_schema(SPANS))
        return pa.Table.from_pylist([row.asDict() for row in spans.collect()], SPANS)

    def check(self, parts: int, terms: Terms, built: Path) -> None:
        """As `run.Worker` says."""
        # A task takes longer to start than a part to check.
        tasks = min(parts, TASKS_A_CORE * self._spark.sparkContext.defaultParallelism)
        self._tasks(tasks).mapInArrow(_checking(terms, str(built), parts, tasks), "id long").collect()

    def _tasks(self, number: int) -> Any:
        """Numbers, one a task."""
        return self._spark.range(0, number, 1, number)


def _shares(units: Sequence[Unit], number: int) -> list[list[Unit]]:
    """Units for that many tasks at most, about as many bytes for each: the largest first, each to who has least."""
    shares: list[list[Unit]] = [[] for _ in range(min(number, len(units)))]
    loads = [0] * len(shares)
    sizes = {unit.number: sum(Path(file).stat().st_size for file in unit.files) for unit in units}
    for unit in sorted(units, key=lambda unit: -sizes[unit.number]):
        least = loads.index(min(loads))
        shares[least].append(unit)
        loads[least] += sizes[unit.number] + 1
    return shares


def _reading(built: str, how: Reading, shares: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Reads units and writes what they give; what it gives runs in Spark's workers."""

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for unit in msgspec.json.decode(shares.value[task], type=list[Unit]):
                    yield from read_into(Path(built), unit, how).to_batches()

    return read


def _checking(terms: Terms, built: str, parts: int, tasks: int) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Checks parts of the keys, and writes what it finds; what it gives runs in Spark's workers."""

    def check(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for part in range(task, parts, tasks):
                    check_part(Path(built), part, terms)
            yield batch

    return check
