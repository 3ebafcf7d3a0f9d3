"""The check of logs as jobs on Spark: tasks that read sources, one exchange by key, tasks that check.

First tasks read, inside `mapInArrow`: a task some units, or a range of a large log, and then one task a divided log
what its ranges have set aside. Each writes what it finds to files of its own, so that sources are parsed once and a
task that is run again replaces its files. What concerns the keys of one part stands together in them
(`genstamp.logs.parts`): the exchange of events by key is of columns of Arrow, not of rows of the JVM. In the last job
each task takes some parts, one after another, and runs the automata over all events of each.
Tasks open files and write them: on more than one machine the paths must be the same on all of them.

Leaves out what is read and what is checked (`genstamp.logs.reading`, `genstamp.logs.check`), what is done before and
after (`genstamp.logs.run`), and the session.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from genstamp.logs.check import Terms
from genstamp.logs.parts import check_part, part_sizes
from genstamp.logs.ranges import divide, size_of
from genstamp.logs.readers.log_ranges import Range
from genstamp.logs.readers.sighting import Unit
from genstamp.logs.report import Report
from genstamp.logs.run import Options, Reading, check_with, read_into, read_range_into, read_rest_into
from genstamp.logs.tables import SPANS
from genstamp.logs.watched import Show, watched

TASKS_A_CORE = 4
"""So many tasks for each core, to even out."""

JOBS_AT_ONCE = 16
"""Logs of which ranges are read at the same time, or wait for cores."""


def check_paths(
    spark: SparkSession, paths: Sequence[str | Path], options: Options | None = None, show: Show | None = None
) -> Report:
    """Checks what is at some paths.

    Args:
        spark: a session.
        paths: files, and directories that are read with everything below them.
        options: see there.
        show: shows how far it is; None to show nothing.

    Returns:
        What was found; the tables are in `options.out`.

    Raises:
        NoSuchPathError: a path is not there.
        OutputError: `options.out` holds something else than an earlier result.
    """
    return check_with(OnSpark(spark, show), paths, options)


class OnSpark:
    """Does the work of a check on Spark.

    Args:
        spark: a session.
        show: shows how far it is; None to show nothing.
    """

    def __init__(self, spark: SparkSession, show: Show | None = None) -> None:
        self._spark = spark
        self._show = show

    def read(self, units: Sequence[Unit], built: Path, how: Reading) -> Any:
        """As `run.Worker` says."""
        cores = self._spark.sparkContext.defaultParallelism
        divided = {} if how.keeps_events else divide(units, how.range_bytes, cores)
        spans = [SPANS.empty_table()]
        whole = _shares([unit for unit in units if not divided.get(unit.number)], TASKS_A_CORE * cores)
        tasks = len(whole) + sum(len(ranges) + 1 for ranges in divided.values() if ranges)
        with (
            watched(self._spark, f"reading {len(units)} sources", tasks, self._show),
            ThreadPoolExecutor(JOBS_AT_ONCE) as jobs,
        ):
            # The largest first: what its ranges set aside is taken up while others are read.
            parted = sorted((unit for unit in units if divided.get(unit.number)), key=lambda unit: -size_of(unit))
            running = [jobs.submit(self._in_ranges, unit, divided[unit.number], built, how) for unit in parted]
            running.append(jobs.submit(self._whole, whole, built, how))
            spans += [one.result() for one in running]
        return pa.concat_tables(spans)

    def _whole(self, shares: Sequence[Sequence[Unit]], built: Path, how: Reading) -> Any:
        if not shares:
            return SPANS.empty_table()
        return self._spans(_reading(str(built), how, self._sent(shares)), len(shares))

    def _in_ranges(self, unit: Unit, ranges: Sequence[Range], built: Path, how: Reading) -> Any:
        sent = self._sent((unit, ranges))
        self._tasks(len(ranges)).mapInArrow(_reading_ranges(str(built), how, sent), "id long").collect()
        return self._spans(_reading_rest(str(built), how, sent), 1)

    def _sent(self, what: Any) -> Any:
        """What tasks are told, as bytes."""
        return self._spark.sparkContext.broadcast(msgspec.json.encode(what))

    def _spans(self, read: Callable[[Iterable[Any]], Iterator[Any]], tasks: int) -> Any:
        spans = self._tasks(tasks).mapInArrow(read, from_arrow_schema(SPANS))
        return pa.Table.from_pylist([row.asDict() for row in spans.collect()], SPANS)

    def check(self, terms: Terms, built: Path, how: Reading) -> None:
        """As `run.Worker` says."""
        sizes = dict(enumerate(part_sizes(built, how.parts)))
        # A task takes longer to start than a part to check.
        shares = shared_out(sizes, min(how.parts, TASKS_A_CORE * self._spark.sparkContext.defaultParallelism))
        check = _checking(terms, str(built), shares, how.keeps_events)
        with watched(self._spark, f"checking {how.parts} parts of the keys", len(shares), self._show):
            self._tasks(len(shares)).mapInArrow(check, "id long").collect()

    def _tasks(self, number: int) -> Any:
        """Numbers, one a task."""
        return self._spark.range(0, number, 1, number)


def _shares(units: Sequence[Unit], number: int) -> list[list[Unit]]:
    """Units for that many tasks at most, about as many bytes for each."""
    sizes = {place: size_of(unit) for place, unit in enumerate(units)}
    return [[units[place] for place in share] for share in shared_out(sizes, min(number, len(units)))]


def shared_out(sizes: Mapping[int, int], number: int) -> list[list[int]]:
    """Numbers of work for that many tasks, about as much for each: the largest first, each to who has least. So a part
    with a key of very many events is begun at once, and what has few waits for it in no task.
    """
    shares: list[list[int]] = [[] for _ in range(number)]
    loads = [0] * number
    for one in sorted(sizes, key=lambda one: -sizes[one]):
        least = loads.index(min(loads))
        shares[least].append(one)
        loads[least] += sizes[one] + 1
    return shares


def _begin_task() -> None:
    """Keeps Spark's worker, which collects garbage after each task, from looking at all that was imported: that takes a
    tenth of a second.
    """
    gc.freeze()


def _reading(built: str, how: Reading, shares: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Reads units and writes what they give; what it gives runs in Spark's workers."""

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        _begin_task()
        for batch in batches:
            units = msgspec.json.decode(shares.value, type=list[list[Unit]])
            for task in batch.column(0).to_pylist():
                for unit in units[task]:
                    yield from read_into(Path(built), unit, how).to_batches()

    return read


def _reading_ranges(built: str, how: Reading, sent: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Reads ranges of a unit and writes what they give; what it gives runs in Spark's workers."""

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        _begin_task()
        for batch in batches:
            unit, ranges = msgspec.json.decode(sent.value, type=tuple[Unit, list[Range]])
            for task in batch.column(0).to_pylist():
                read_range_into(Path(built), unit, ranges, task, how)
            yield batch

    return read


def _reading_rest(built: str, how: Reading, sent: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Takes up what ranges of a unit have set aside; what it gives runs in Spark's workers."""

    def read(batches: Iterable[Any]) -> Iterator[Any]:
        _begin_task()
        for _ in batches:
            unit, ranges = msgspec.json.decode(sent.value, type=tuple[Unit, list[Range]])
            yield from read_rest_into(Path(built), unit, ranges, how).to_batches()

    return read


def _checking(
    terms: Terms, built: str, shares: Sequence[Sequence[int]], keeps: bool
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Checks parts of the keys, and writes what it finds; what it gives runs in Spark's workers."""

    def check(batches: Iterable[Any]) -> Iterator[Any]:
        _begin_task()
        for batch in batches:
            for task in batch.column(0).to_pylist():
                for part in shares[task]:
                    check_part(Path(built), part, terms, keeps=keeps)
            yield batch

    return check
