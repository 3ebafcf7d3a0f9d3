"""Logs that are followed, as a query of Structured Streaming: spooled rounds in, verdicts of the keys they concern out.

The result is a directory with the tables of a check (`genstamp.logs.job.TABLES`), which grow as the logs do;
`_follow` in it holds what the next start goes on with: the rounds, Spark's checkpoint, the store, and the verdicts of
each batch. Leaves out a log that is asserted to be whole: what is followed never is.
"""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery

from genstamp.logs.check import SITUATIONS_MAX, Terms
from genstamp.logs.follow.spool import Spool
from genstamp.logs.follow.store import KEY, Limits, Share
from genstamp.logs.job import OutputError
from genstamp.logs.tables import CONCERNS, VERDICTS

_SHARED: Any = pa.schema([*CONCERNS, pa.field("share", pa.int64(), nullable=False)])

ROUNDS_IN_A_BATCH = 16


@dataclass(frozen=True)
class FollowOptions:
    """How logs are followed.

    Attributes:
        out: directory for the tables; one that an earlier run has left is gone on with.
        every_s: seconds between two looks at the logs.
        once: to check what is there, and end.
        group: name of the cluster for sources that name no block pool.
        limits: of what is kept.
        situations_max: bound of the slow path, for each key.
    """

    out: Path
    every_s: float = 10.0
    once: bool = False
    group: str | None = None
    limits: Limits = field(default_factory=Limits)
    situations_max: int = SITUATIONS_MAX


class Told(NamedTuple):
    """What one batch has brought.

    Attributes:
        batch: its number.
        keys: how many keys it has judged, by their safety.
        violated: those that are violated, as rows of `tables.VERDICTS`.
    """

    batch: int
    keys: Counter[str]
    violated: list[dict[str, Any]]


def follow(
    spark: SparkSession,
    paths: Sequence[str],
    options: FollowOptions,
    tell: Callable[[Told], None],
    stop: threading.Event | None = None,
) -> None:
    """Checks logs as they are written.

    Args:
        spark: a session.
        paths: files and directories, which need not be there yet.
        options: see there.
        tell: called after every batch.
        stop: set to end; unless `options.once`, it does not end by itself.

    Raises:
        OutputError: `options.out` holds something else than an earlier result of this.
        PySparkException: a batch failed.
    """
    places = _Places(options.out)
    places.make()
    spool = Spool(paths, places.rounds, options.out, options.group)
    stop = stop or threading.Event()
    try:
        if options.once:
            spool.round(is_last=True)
        query = _query(spark, places, options, tell)
        try:
            while query.isActive and not options.once and not stop.is_set():
                spool.round()
                stop.wait(options.every_s)
            if options.once or query.exception() is not None:
                query.awaitTermination()
        finally:
            query.stop()
    finally:
        spool.close()
    places.sum_up()


def _query(
    spark: SparkSession, places: _Places, options: FollowOptions, tell: Callable[[Told], None]
) -> StreamingQuery:
    limits, terms = options.limits, Terms(situations_max=options.situations_max)
    shares = [Share(str(places.store), number, limits.rows // limits.shares) for number in range(limits.shares)]

    def judge(rows: DataFrame, batch: int) -> None:
        by_share = rows.withColumn("share", expr(f"pmod(xxhash64({', '.join(KEY)}), {limits.shares})"))
        by_share = by_share.repartition(limits.shares, "share")
        found = by_share.mapInArrow(_judging(shares, batch, terms), from_arrow_schema(VERDICTS))
        directory = places.verdicts / f"batch={batch}"
        found.write.mode("overwrite").parquet(str(directory))
        tell(_told(batch, directory))

    stream = spark.readStream.schema(from_arrow_schema(CONCERNS)).option("maxFilesPerTrigger", ROUNDS_IN_A_BATCH)
    writing = stream.parquet(str(places.rounds)).writeStream.foreachBatch(judge)
    writing = writing.option("checkpointLocation", str(places.checkpoint))
    if options.once:
        return writing.trigger(availableNow=True).start()
    return writing.trigger(processingTime=f"{options.every_s} seconds").start()


def _judging(shares: Sequence[Share], batch: int, terms: Terms) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Judges the keys of some shares; what it gives runs in Spark's workers."""

    def judge(batches: Iterable[Any]) -> Iterator[Any]:
        received = [each for each in batches if each.num_rows]
        if not received:
            return
        rows = pa.Table.from_batches(received).cast(_SHARED)
        numbers = rows.column("share")
        for number in pa.compute.unique(numbers).to_pylist():
            of_share = rows.filter(pa.compute.equal(numbers, number)).drop_columns("share")
            yield from shares[number].checked(of_share, batch, terms).to_batches()

    return judge


def _told(batch: int, directory: Path) -> Told:
    table = pyarrow.dataset.dataset(directory, schema=VERDICTS).to_table()
    safety = table.column("safety")
    violated = table.filter(pa.compute.equal(safety, "violated")).to_pylist()
    return Told(batch, Counter(safety.to_pylist()), violated)


class _Places:
    """Where a followed log is kept."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._kept = out / "_follow"
        self.rounds, self.checkpoint, self.store, self.verdicts = (
            self._kept / name for name in ("rounds", "checkpoint", "store", "verdicts")
        )

    def make(self) -> None:
        if self._out.exists() and any(self._out.iterdir()) and not self._kept.is_dir():
            raise OutputError(self._out)
        for place in (self.rounds, self.store, self.verdicts):
            place.mkdir(parents=True, exist_ok=True)

    def sum_up(self) -> None:
        """Puts the newest verdict of each key into the table of verdicts."""
        batches = sorted(self.verdicts.glob("batch=*"), key=lambda place: int(place.name.removeprefix("batch=")))
        newest: dict[tuple[str, ...], dict[str, Any]] = {}
        for place in batches:
            for row in pyarrow.dataset.dataset(place, schema=VERDICTS).to_table().to_pylist():
                key = tuple(row[name] for name in KEY)
                # What was violated stays so, whatever comes: there is no explanation for its beginning.
                if newest.get(key, row)["safety"] != "violated":
                    newest[key] = row
        table = self._out / "verdicts"
        shutil.rmtree(table, ignore_errors=True)
        table.mkdir()
        pyarrow.parquet.write_table(pa.Table.from_pylist(list(newest.values()), VERDICTS), table / "newest.parquet")
