"""Logs that are followed, as one query of Structured Streaming.

    readStream.format("hdfs-logs-followed")  an offset is how far each log was read (`genstamp.logs.follow.source`)
      -> groupBy("part")                     by the entity's number, else its name, as in `genstamp.logs.job`
      -> transformWithStateInPandas          keeps the events of keys, and judges (`genstamp.logs.follow.keeping`)
      -> foreachBatch                        writes verdicts under the number of the batch

The result is a directory with the tables of a check, which grow as the logs do (`genstamp.logs.follow.places`). Leaves
out a log that is asserted to be whole: what is followed never is.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.query import StreamingQuery

from genstamp.logs.check import Terms
from genstamp.logs.flat import unpacked
from genstamp.logs.follow.keeping import Keeping
from genstamp.logs.follow.options import FollowOptions, Limits
from genstamp.logs.follow.places import Places, TwoRunsError, own_gapless, own_names, own_sources, refuse_two_runs
from genstamp.logs.follow.source import FollowedLogs
from genstamp.logs.job import SETTINGS, settings, unpacking
from genstamp.logs.judging import JUDGED
from genstamp.logs.report import Report
from genstamp.logs.tables import VERDICTS


class Told(NamedTuple):
    """The contents of one batch.

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
        The results of this run and earlier ones, as in `options.out`.

    Raises:
        OutputError: `options.out` holds something else than an earlier result of this.
        TwoRunsError: two runs bear one name.
        PySparkException: a batch failed.
    """
    places = Places(options.out)
    places.make(Terms(situations_max=options.situations_max))
    stop = stop or threading.Event()
    began = time.monotonic()
    refused: list[TwoRunsError] = []
    with settings(spark, _settings(options.limits)):
        query = _query(spark, paths, places, options, tell, refused)
        try:
            while query.isActive and not options.once and not stop.is_set():
                stop.wait(0.1)
            if options.once or query.exception() is not None:
                query.awaitTermination()
        except PySparkException:
            if refused:
                raise refused[0] from None
            raise
        finally:
            query.stop()
    places.fold()
    return replace(places.report(), out=str(options.out), seconds=time.monotonic() - began)


def _settings(limits: Limits) -> dict[str, Any]:
    return {
        **SETTINGS,
        "spark.sql.shuffle.partitions": limits.parts,
        "spark.sql.streaming.stateStore.providerClass": (
            "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
        ),
    }


def _query(
    spark: SparkSession,
    paths: Sequence[str],
    places: Places,
    options: FollowOptions,
    tell: Callable[[Told], None],
    refused: list[TwoRunsError],
) -> StreamingQuery:
    spark.dataSource.register(FollowedLogs)

    def take(judged: DataFrame, batch: int) -> None:
        judged.persist()
        try:
            told = judged.where("table = 'spans'").select("rows").collect()
            if not told:
                return
            spans = unpacked(bytes(told[0][0]))
            try:
                refuse_two_runs(spans)
            except TwoRunsError as error:
                refused.append(error)
                raise
            places.keep(
                Terms(False, own_sources(spans), own_names(spans), options.situations_max, gapless=own_gapless(spans))
            )
            places.keep_spans(spans)
            found = judged.where("table = 'verdicts'").select("rows")
            found = found.mapInArrow(unpacking, from_arrow_schema(VERDICTS))
            found.write.mode("overwrite").parquet(places.of_batch(batch).absolute().as_uri())
        finally:
            judged.unpersist()
        brought = _told(batch, places.of_batch(batch))
        places.fold(must=False)
        tell(brought)

    reading = spark.readStream.format(FollowedLogs.name()).option("paths", msgspec.json.encode(list(paths)).decode())
    reading = reading.option("out", str(options.out.absolute())).option("parts", options.limits.parts)
    if options.group is not None:
        reading = reading.option("group", options.group)
    keeping = Keeping(options.limits, options.situations_max)
    by_part = reading.load().groupBy("part")
    judged = by_part.transformWithStateInPandas(keeping, from_arrow_schema(JUDGED), "Update", "None")
    writing = judged.writeStream.foreachBatch(take).outputMode("update")
    writing = writing.option("checkpointLocation", places.checkpoint.absolute().as_uri())
    if options.once:
        return writing.trigger(availableNow=True).start()
    return writing.trigger(processingTime=f"{options.every_s} seconds").start()


def _told(batch: int, directory: Path) -> Told:
    table = pyarrow.dataset.dataset(directory, schema=VERDICTS).to_table()
    safety = table.column("safety")
    violated = table.filter(pa.compute.equal(safety, "violated")).to_pylist()
    return Told(batch, Counter(safety.to_pylist()), violated)
