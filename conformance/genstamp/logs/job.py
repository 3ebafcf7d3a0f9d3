"""The check of logs as one query of Spark.

    spark.read.format("hdfs-logs")     a partition is one log with its rotated parts, or other files that are one story
      -> rows of events by key (`genstamp.logs.flat`)
      -> repartitionById, sortWithinPartitions    brings each key together
      -> mapInArrow                    runs the automata over whole keys (`genstamp.logs.judging`)
      -> write.parquet, or to the driver what the report tells

The exchange, its spill and its retries are Spark's. Facts that all readers need from each other go to every part of the
keys. Not here: what is read and what is checked, what is done before and after (`genstamp.logs.run`), and the session.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession, functions
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema

from genstamp.logs.alone import Alone
from genstamp.logs.flat import FLAT, KEY, ROWS_AT_ONCE, TOLD, flat_rows, number_of_table, unpacked
from genstamp.logs.judging import JUDGED, Judging, judge
from genstamp.logs.opening import below, is_remote, size
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.reading import read_unit
from genstamp.logs.report import Report
from genstamp.logs.rows import Batch, rejects_table
from genstamp.logs.run import Options, check_with, write_tables
from genstamp.logs.streams import COMPRESSED_TO, is_compressed
from genstamp.logs.tables import SPANS, TABLES
from genstamp.logs.units import Found, find_units
from genstamp.logs.watched import Show, watched

PART_BYTES = 64 << 20
"""Bytes of logs whose keys make one part, about: some 200 thousand events."""

PARTS_MAX = 512

SETTINGS: Mapping[str, Any] = {
    "spark.sql.adaptive.enabled": False,
    "spark.sql.execution.arrow.maxRecordsPerBatch": ROWS_AT_ONCE,
    # With any other limit the virtual machine adds up the sizes of all columns after each row.
    "spark.sql.execution.arrow.maxBytesPerBatch": (1 << 31) - 1,
    "spark.sql.execution.pyspark.binaryAsBytes": True,
}
"""Of a session while it checks."""


def check_paths(
    spark: SparkSession, paths: Sequence[str | Path], options: Options | None = None, show: Show | None = None
) -> Report:
    """Checks the files at some paths on Spark, as `run.check_with` says; for the others see `OnSpark`."""
    return check_with(OnSpark(spark, show), paths, options)


class HdfsLogs(DataSource):
    """Logs, edit logs and recorded events as rows of `flat.FLAT`: `spark.read.format("hdfs-logs").load(path)`.

    Options: `parts`, into how many the keys are divided; `events`, whether rows of all tables are wanted; `units`,
    what was found, for who has looked already.
    """

    @classmethod
    def name(cls) -> str:
        """As it is asked for."""
        return "hdfs-logs"

    def schema(self) -> Any:
        """Of the rows."""
        return from_arrow_schema(FLAT)

    def reader(self, schema: Any) -> DataSourceReader:  # noqa: ARG002 - as Spark calls it
        """Reads them."""
        return _Reader(self.options)


class _Reader(DataSourceReader):
    def __init__(self, options: Mapping[str, str]) -> None:
        self._parts, self._keeps = int(options.get("parts", 1)), options.get("events", "false") == "true"
        if "units" in options:
            self._units = msgspec.json.decode(options["units"], type=list[Unit])
        else:
            self._units = find_units([options["path"]]).units

    def partitions(self) -> Sequence[InputPartition]:
        """The largest first, as a log is read by one task."""
        return [InputPartition(unit) for unit in sorted(self._units, key=lambda unit: -_size(unit))]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of a unit."""
        _begin_task()
        unit = partition.value
        yield from flat_rows(unit, read_unit(unit, self._keeps), self._parts)


def _size(unit: Unit) -> int:
    """Bytes of the content of a unit, about; of what lies in a directory none."""
    files = (file for file in unit.files if is_remote(file) or Path(file).is_file())
    return sum(size(file) * (COMPRESSED_TO if is_compressed(file) else 1) for file in files)


def parts_for(units: Sequence[Unit], cores: int) -> int:
    """Into how many parts the keys of some units are divided."""
    parts = sum(map(_size, units)) // PART_BYTES
    return min(PARTS_MAX, max(1 + parts, cores if parts else 1))


def _begin_task() -> None:
    """Keeps Spark's worker, which collects garbage after each task, from looking at all that was imported: that takes a
    tenth of a second.
    """
    gc.freeze()


def judged(rows: DataFrame, parts: int, how: Judging) -> DataFrame:
    """The tables made from the rows of all units, of `judging.JUDGED`.

    Args:
        rows: of `flat.FLAT`.
        parts: into how many the keys are divided.
        how: see there.
    """
    told = rows.repartitionById(parts, "part").drop("part").sortWithinPartitions(KEY)
    return told.mapInArrow(_judging(how), from_arrow_schema(JUDGED))


def _judging(how: Judging) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """What it gives runs in Spark's workers."""

    def check(batches: Iterable[Any]) -> Iterator[Any]:
        _begin_task()
        for table, content in judge(how, batches):
            columns = [pa.array([table], pa.string()), pa.array([content], pa.binary())]
            yield pa.record_batch(columns, schema=JUDGED)

    return check


@contextmanager
def settings(spark: SparkSession, wanted: Mapping[str, Any] = SETTINGS) -> Iterator[None]:
    """A session with some settings; what it had set comes back at the end."""
    before = {name: spark.conf.get(name, None) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)


class OnSpark:
    """Does the work of a check on Spark.

    Args:
        spark: a session.
        show: shows how far it is; None to show nothing.
    """

    def __init__(self, spark: SparkSession, show: Show | None = None) -> None:
        self._spark = spark
        self._show = show
        self.is_local = str(spark.sparkContext.master).startswith("local")

    def tables(self, found: Found, options: Options, built: str | Path, keeps: bool) -> Any:
        """As `run.Worker` says."""
        if not found.units:
            return Alone().tables(found, options, built, keeps)
        units, cores = found.units, self._spark.sparkContext.defaultParallelism
        parts = options.parts or parts_for(units, cores)
        how = Judging(found, options.complete, options.situations_max, keeps)
        self._spark.dataSource.register(HdfsLogs)
        with (
            settings(self._spark),
            watched(self._spark, f"checking {len(units)} sources", len(units) + parts, self._show),
        ):
            read = self._spark.read.format("hdfs-logs").option("parts", parts).option("events", str(keeps).lower())
            rows = read.option("units", msgspec.json.encode(units).decode()).load()
            return (self._kept if keeps else self._told)(rows, parts, how, built)

    def _told(self, rows: DataFrame, parts: int, how: Judging, built: str | Path) -> Any:
        """Brings the contents of the report to the driver."""
        found = judged(rows, parts, how).toArrow()
        spans = SPANS.empty_table()

        def tables() -> Iterator[Batch]:
            nonlocal spans
            yield "rejects", rejects_table("none", how.found.rejects)
            for table, content in zip(found.column("table").to_pylist(), found.column("rows").to_pylist(), strict=True):
                if table == "spans":
                    spans = unpacked(content)
                else:
                    yield table, unpacked(content)

        write_tables(Path(built), tables(), how.keeps, "all")
        return spans

    def _kept(self, rows: DataFrame, parts: int, how: Judging, built: str | Path) -> Any:
        """Makes Spark write all tables; the input and the findings are cached meanwhile."""
        rows = rows.persist(StorageLevel.DISK_ONLY)
        number = functions.col("common")
        by_key = rows.where((number >= 0) | (number == number_of_table(TOLD)))
        found = judged(by_key, parts, how).persist(StorageLevel.DISK_ONLY)
        try:
            for table in TABLES:
                if table in ("verdicts", "steps"):
                    of = found.where(functions.col("table") == table).select("rows")
                else:
                    of = rows.where(number == number_of_table(table)).select("rest")
                self._write(of.mapInArrow(unpacking, from_arrow_schema(TABLES[table])), built, table)
            before = rejects_table("none", how.found.rejects)
            if before.num_rows:
                self._write(self._spark.createDataFrame(before), built, "rejects")
            spans = found.where(functions.col("table") == "spans").select("rows").first()
            return SPANS.empty_table() if spans is None else unpacked(bytes(spans[0]))
        finally:
            found.unpersist()
            rows.unpersist()

    def _write(self, rows: DataFrame, built: str | Path, table: str) -> None:
        place = below(built, table)
        uri = place if isinstance(place, str) else place.absolute().as_uri()
        rows.write.mode("append").parquet(uri)


def unpacking(batches: Iterable[Any]) -> Iterator[Any]:
    """Rows of a table; runs in Spark's workers."""
    for batch in batches:
        for content in batch.column(0).to_pylist():
            yield from unpacked(content).to_batches()
