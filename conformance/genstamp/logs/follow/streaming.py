"""Logs that are followed, as a query of Structured Streaming: spooled rounds in, verdicts of the keys they concern out.

The result is a directory with the tables of a check, which grow as the logs do (`genstamp.logs.follow.places`). Leaves
out a log that is asserted to be whole: what is followed never is.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery

from genstamp.logs.check import Terms, with_own_names
from genstamp.logs.follow.options import FollowOptions
from genstamp.logs.follow.places import Places, own_gapless, own_names, own_sources, refuse_two_runs
from genstamp.logs.follow.spool import Spool
from genstamp.logs.follow.store import KEY, Share
from genstamp.logs.report import Report
from genstamp.logs.tables import CONCERNS, VERDICTS

_SHARED: Any = pa.schema([*CONCERNS, pa.field("share", pa.int64(), nullable=False)])

ROUNDS_IN_A_BATCH = 16


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
) -> Report:
    """Checks logs as they are written.

    Args:
        spark: a session.
        paths: files and directories, which need not be there yet.
        options: see there.
        tell: called after every batch.
        stop: set to end; unless `options.once`, it does not end by itself.

    Returns:
        What was found by this run and those before it, as in `options.out`.

    Raises:
        OutputError: `options.out` holds something else than an earlier result of this.
        TwoRunsError: two runs bear one name.
        PySparkException: a batch failed.
    """
    places = Places(options.out)
    places.make(Terms(situations_max=options.situations_max))
    spool = Spool(paths, places, options.group)
    stop = stop or threading.Event()
    began = time.monotonic()
    try:
        if options.once:
            spool.round(is_last=True)
            refuse_two_runs(spool.units(), spool.spans)
        query = _query(spark, spool, places, options, tell)
        try:
            while query.isActive and not options.once and not stop.is_set():
                if spool.round() is not None:
                    refuse_two_runs(spool.units(), spool.spans)
                stop.wait(options.every_s)
            if options.once or query.exception() is not None:
                query.awaitTermination()
        finally:
            query.stop()
        places.fold()
        return replace(
            places.report(spool.units(), spool.spans), out=str(options.out), seconds=time.monotonic() - began
        )
    finally:
        spool.close()


def _query(
    spark: SparkSession, spool: Spool, places: Places, options: FollowOptions, tell: Callable[[Told], None]
) -> StreamingQuery:
    limits = options.limits
    shares = [Share(str(places.store), number, limits.rows // limits.shares) for number in range(limits.shares)]

    def judge(rows: DataFrame, batch: int) -> None:
        # What a round has told is known before Spark can see it.
        spans = spool.spans
        terms = Terms(False, own_sources(spans), own_names(spans), options.situations_max, gapless=own_gapless(spans))
        places.keep(terms)
        by_share = rows.withColumn("share", expr(f"pmod(xxhash64({', '.join(KEY)}), {limits.shares})"))
        by_share = by_share.repartition(limits.shares, "share")
        found = by_share.mapInArrow(_judging(shares, batch, terms), from_arrow_schema(VERDICTS))
        found.write.mode("overwrite").parquet(str(places.of_batch(batch)))
        told = _told(batch, places.of_batch(batch))
        places.fold(must=False)
        tell(told)

    stream = spark.readStream.schema(from_arrow_schema(CONCERNS)).option("maxFilesPerTrigger", ROUNDS_IN_A_BATCH)
    writing = stream.parquet(str(places.tables["concerns"])).writeStream.foreachBatch(judge)
    writing = writing.option("checkpointLocation", str(places.checkpoint))
    if options.once:
        return writing.trigger(availableNow=True).start()
    return writing.trigger(processingTime=f"{options.every_s} seconds").start()


def _judging(shares: Sequence[Share], batch: int, terms: Terms) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Judges the keys of some shares; what it gives runs in Spark's workers."""

    # What the store keeps bears its names already.
    named = replace(terms, separated={})

    def judge(batches: Iterable[Any]) -> Iterator[Any]:
        received = [each for each in batches if each.num_rows]
        if not received:
            return
        rows = with_own_names(pa.Table.from_batches(received).cast(_SHARED), terms)
        numbers = rows.column("share")
        for number in pa.compute.unique(numbers).to_pylist():
            of_share = rows.filter(pa.compute.equal(numbers, number)).drop_columns("share")
            yield from shares[number].checked(of_share, batch, named).to_batches()

    return judge


def _told(batch: int, directory: Path) -> Told:
    table = pyarrow.dataset.dataset(directory, schema=VERDICTS).to_table()
    safety = table.column("safety")
    violated = table.filter(pa.compute.equal(safety, "violated")).to_pylist()
    return Told(batch, Counter(safety.to_pylist()), violated)
