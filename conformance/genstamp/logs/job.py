"""The check of logs as two jobs on Spark: one task a source, then one shuffle by key; tables in Parquet.

The first job reads: a task a unit, inside `mapInArrow`, which writes what it finds as Parquet files of its own, so
that sources are parsed once and a task that is run again replaces its files. The second brings the events of a key
together in one shuffle and runs the automata over whole partitions. Tasks open files and write them: on more than one
machine the paths must be the same on all of them.

Leaves out what is read and what is checked (`genstamp.logs.reading`, `genstamp.logs.check`), and the session.
"""

import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from genstamp.errors import GenstampError
from genstamp.events import EVENT_SCHEMA
from genstamp.logs.check import SITUATIONS_MAX, Terms, verdicts
from genstamp.logs.html import page
from genstamp.logs.kept import MARK, read_kept, write_terms
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.reading import read_unit
from genstamp.logs.report import Report
from genstamp.logs.summary import Summary
from genstamp.logs.tables import CONCERNS, COVERAGE, REJECTS, SPANS, STEPS, VERDICTS
from genstamp.logs.units import Found, find_units

_READ: dict[str, Any] = {"events": EVENT_SCHEMA, "concerns": CONCERNS, "coverage": COVERAGE, "rejects": REJECTS}

TABLES: dict[str, Any] = {**_READ, "verdicts": VERDICTS, "steps": STEPS}
"""What is written, each a directory of Parquet files."""

EVENTS_IN_A_PARTITION = 50_000
"""Below that many, another partition costs more than it brings."""


class OutputError(GenstampError):
    """The directory for the tables cannot be replaced.

    Attributes:
        path: the directory.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} exists and is no result of this command, so it is left alone")
        self.path = path


@dataclass(frozen=True)
class Options:
    """How logs are checked.

    Attributes:
        complete: the sources are asserted to be whole; else any line may be missing.
        group: name of the cluster for sources that name no block pool.
        out: directory for the tables; None to keep none.
        html: file for a page of what was found; None for none.
        situations_max: bound of the slow path, for each key.
    """

    complete: bool = False
    group: str | None = None
    out: Path | None = None
    html: Path | None = None
    situations_max: int = SITUATIONS_MAX


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
    options = options or Options()
    began = time.monotonic()
    if options.out is not None and options.out.exists() and not (options.out / MARK).is_file():
        raise OutputError(options.out)
    found = find_units([str(path) for path in paths], options.group, options.complete)
    with tempfile.TemporaryDirectory(prefix="genstamp-logs-") as scratch:
        parent = Path(scratch) if options.out is None else options.out.parent
        parent.mkdir(parents=True, exist_ok=True)
        # Beside its final place, so that putting it there is one step.
        built = parent / f".{uuid.uuid4().hex}.tmp"
        try:
            report = _Job(spark, found, options, built).run()
            if options.html is not None:
                options.html.write_text(page(report, read_kept(built)), encoding="utf-8", errors="backslashreplace")
            if options.out is not None:
                _put(built, options.out)
        finally:
            shutil.rmtree(built, ignore_errors=True)
    out = "" if options.out is None else str(options.out)
    return replace(report, out=out, seconds=time.monotonic() - began)


class _Job:
    def __init__(self, spark: SparkSession, found: Found, options: Options, built: Path) -> None:
        self._spark = spark
        self._found = found
        self._options = options
        self._built = built

    def run(self) -> Report:
        for table in TABLES:
            (self._built / table).mkdir(parents=True, exist_ok=True)
        summary = Summary(self._found, self._read())
        self._write_rejects_before_reading()
        terms = Terms(
            self._options.complete, summary.sources_by_namespace(), summary.separated(), self._options.situations_max
        )
        write_terms(self._built, terms)
        self._check(summary, terms)
        for table, schema in TABLES.items():
            self._fill(table, schema)
        return summary.report(self._built, self._options.complete)

    def _read(self) -> Any:
        """Reads every unit; gives the spans of all, a table of `tables.SPANS`."""
        if not self._found.units:
            return SPANS.empty_table()
        shares = _shares(self._found.units, 4 * self._spark.sparkContext.defaultParallelism)
        encoded = [(msgspec.json.encode(share),) for share in shares]
        rows = self._spark.sparkContext.parallelize(encoded, len(encoded)).toDF("units: binary")
        spans = rows.mapInArrow(_reading(str(self._built)), from_arrow_schema(SPANS)).collect()
        return pa.Table.from_pylist([row.asDict() for row in spans], SPANS)

    def _write_rejects_before_reading(self) -> None:
        if self._found.rejects:
            rows = [
                {
                    "source": "none",
                    "place": {"file": r.place.file, "line": r.place.line},
                    "reason": r.reason,
                    "text": r.text,
                }
                for r in self._found.rejects
            ]
            table = pa.Table.from_pylist(rows, REJECTS)
            pyarrow.parquet.write_table(table, self._built / "rejects" / "before-reading.parquet")

    def _check(self, summary: Summary, terms: Terms) -> None:
        """Brings the rows of each key together, and checks them."""
        concerns = self._built / "concerns"
        if not any(concerns.iterdir()):
            return
        rows = self._spark.read.schema(from_arrow_schema(CONCERNS)).parquet(str(concerns))
        # Automata are built once a worker, so a partition should be worth it.
        default = int(self._spark.conf.get("spark.sql.shuffle.partitions") or 1)
        partitions = min(default, 1 + summary.events() // EVENTS_IN_A_PARTITION)
        by_key = rows.repartition(partitions, "namespace", "kind", "entity")
        by_key.mapInArrow(_checking(terms, str(self._built)), from_arrow_schema(VERDICTS)).write.mode(
            "overwrite"
        ).parquet(str(self._built / "verdicts"))

    def _fill(self, table: str, schema: Any) -> None:
        """A table without rows is a table all the same."""
        directory = self._built / table
        if not any(directory.glob("*.parquet")):
            pyarrow.parquet.write_table(schema.empty_table(), directory / "none.parquet")


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
                    yield from _read_into(Path(built), unit).to_batches()

    return read


def _read_into(built: Path, unit: Unit) -> Any:
    """Writes the tables of a unit, one file each; gives its spans."""
    attempt = uuid.uuid4().hex
    writers: dict[str, Any] = {}
    spans = SPANS.empty_table()
    for table, rows in read_unit(unit):
        if table == "spans":
            spans = rows
            continue
        if table not in writers:
            path = built / table / f".{unit.number:06d}.{attempt}"
            writers[table] = pyarrow.parquet.ParquetWriter(path, _READ[table])
        writers[table].write_table(rows)
    for table, writer in writers.items():
        writer.close()
        # In one step, and over what an earlier attempt of the same task has left.
        (built / table / f".{unit.number:06d}.{attempt}").replace(built / table / f"unit-{unit.number:06d}.parquet")
    return spans


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


def _put(built: Path, out: Path) -> None:
    """Puts a result in its place; one that was there goes."""
    aside = out.with_name(f".{out.name}.{uuid.uuid4().hex}.old")
    if out.exists():
        out.rename(aside)
    built.rename(out)
    shutil.rmtree(aside, ignore_errors=True)
