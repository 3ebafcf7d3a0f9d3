"""The check of logs as two jobs on Spark: one task a source, then one shuffle by key; tables in Parquet.

The first job reads: a task a unit, inside `mapInArrow`, which writes what it finds as Parquet files of its own, so
that sources are parsed once and a task that is run again replaces its files. The second brings the events of a key
together in one shuffle and runs the automata over whole partitions. Tasks open files and write them: on more than one
machine the paths must be the same on all of them.

Leaves out what is read and what is checked (`genstamp.logs.reading`, `genstamp.logs.check`), what is done before and
after (`genstamp.logs.run`), and the session.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from genstamp.logs.check import Terms, verdicts
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.report import Report
from genstamp.logs.run import Options, check_with, read_into
from genstamp.logs.tables import CONCERNS, SPANS, VERDICTS

EVENTS_IN_A_PARTITION = 50_000
"""Below that many, another partition costs more than it brings."""


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
    return check_with(_OnSpark(spark), paths, options)


class _OnSpark:
    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def read(self, units: Sequence[Unit], built: Path) -> Any:
        shares = _shares(units, 4 * self._spark.sparkContext.defaultParallelism)
        encoded = [(msgspec.json.encode(share),) for share in shares]
        rows = self._spark.sparkContext.parallelize(encoded, len(encoded)).toDF("units: binary")
        spans = rows.mapInArrow(_reading(str(built)), from_arrow_schema(SPANS)).collect()
        return pa.Table.from_pylist([row.asDict() for row in spans], SPANS)

    def check(self, events: int, terms: Terms, built: Path) -> None:
        rows = self._spark.read.schema(from_arrow_schema(CONCERNS)).parquet(str(built / "concerns"))
        # Automata are built once a worker, so a partition should be worth it.
        default = int(self._spark.conf.get("spark.sql.shuffle.partitions") or 1)
        by_key = rows.repartition(min(default, 1 + events // EVENTS_IN_A_PARTITION), "namespace", "kind", "entity")
        found = by_key.mapInArrow(_checking(terms, str(built)), from_arrow_schema(VERDICTS))
        found.write.mode("overwrite").parquet(str(built / "verdicts"))


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


def _reading(built: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Reads units and writes what they give; what it gives runs in Spark's workers."""

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for encoded in batch.column(0).to_pylist():
                for unit in msgspec.json.decode(encoded, type=list[Unit]):
                    yield from read_into(Path(built), unit).to_batches()

    return read


def _checking(terms: Terms, built: str) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Checks the keys of a partition, and writes the steps that it saw; what it gives runs in Spark's workers."""

    def check(batches: Iterable[Any]) -> Iterator[Any]:
        received = [pa.Table.from_batches([batch]).cast(CONCERNS) for batch in batches if batch.num_rows]
        if received:
            steps: list[Any] = []
            found = verdicts(pa.concat_tables(received), terms, steps)
            _write_steps(Path(built), steps)
            yield from found.to_batches()

    return check


def _write_steps(built: Path, steps: list[Any]) -> None:
    """Writes the steps of a partition, over what an earlier attempt of the same task has left."""
    context = TaskContext.get()
    assert context is not None, "steps are written by tasks"
    waiting = built / "steps" / f".{uuid.uuid4().hex}"
    pyarrow.parquet.write_table(pa.concat_tables(steps), waiting)
    waiting.replace(built / "steps" / f"partition-{context.partitionId():06d}.parquet")
