"""A search on Spark as `genstamp_model.explore.Search` sees it: a turn is a level."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, Final, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from genstamp.scaleout.rounds import (
    BLOCKS,
    MOST_LEVELS,
    MOST_PARTS,
    Entering,
    Expanding,
    Leading,
    Order,
    blocks_of,
    compiled,
    dealt,
    parts_of,
)
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import Progress, Result, Search, driver
from genstamp_model.explore.table import BUCKET
from genstamp_model.interrupt import interrupts

T = TypeVar("T")

_SCHEMA: Final = from_arrow_schema(BLOCKS)
_ANY_NUMBER: Final = 2**62
_LEVELS_A_TABLE: Final = 16
"""So many levels are put together, as a query over each by itself would grow with the search."""
_LOOKS_S: Final = 0.1
"""So often it is looked whether the keyboard has interrupted."""


class SparkBoard:
    """A search that has found its initial states.

    Attributes:
        outcome: of the last turn.
        full: why it cannot continue, as text.
        begun: number of initial states.
        doubt: 0; no state is missed.
    """

    full = ""
    doubt = 0.0

    def __init__(self, spark: SparkSession, order: Order, allowed: int, directory: str | None) -> None:
        self._spark = spark
        self._order = order
        self._allowed = allowed
        self._is_reliable = directory is not None
        self._words = compiled(order).program.layout.words
        self._seen = np.zeros(max(1, len(compiled(order).program.targets)), np.int64)
        self.counters: NDArray[np.int64] = np.zeros(compiled(order).program.counters, np.int64)
        self.states, self.expanded, self.levels = 0, 0, 0
        self.at = -1
        self.outcome: int = driver.PAUSED
        rows = compiled(order).first_rows()
        self.begun = self.generated = len(rows)
        blocks = dealt(order, 0, np.array(rows, np.int64))
        first = [tuple(row.values()) for batch in blocks for row in batch.to_pylist()]
        self._known = self._level = self._spark.createDataFrame([], _SCHEMA)
        self._enter(self._spark.createDataFrame(first, _SCHEMA))

    def turn(self, quota: int, threads: int) -> None:  # noqa: ARG002 - a turn is a level
        """Search the next level."""
        if self.outcome != driver.PAUSED:
            return
        if self.levels == MOST_LEVELS:
            self.full, self.outcome = f"paths are longer than {MOST_LEVELS - 1} steps", driver.FULL
            return
        self._unless_interrupted(lambda: self._enter(self._level.mapInArrow(Expanding(self._order), _SCHEMA)))

    def _unless_interrupted(self, work: Callable[[], None]) -> None:
        """Do work on Spark, or cancel it as soon as the keyboard interrupts."""
        group, context = uuid4().hex, self._spark.sparkContext

        def in_group() -> None:
            context.setJobGroup(group, f"level {self.levels} of a search")
            work()

        with interrupts() as interrupted, ThreadPoolExecutor(1) as beside:
            working = beside.submit(in_group)
            while not wait([working], _LOOKS_S).done:
                if interrupted:
                    context.cancelJobGroup(group)
            if not interrupted:
                working.result()

    def _enter(self, made: DataFrame) -> None:
        """Find out which of the states that were made are new, and take over what the tasks tell."""
        parts, waiting = self._order.parts, self.states - self.expanded
        came = self._known.coalesce(parts).union(made).repartitionById(parts, "part")
        sorted_level = came.sortWithinPartitions(col("level").desc())
        entered = self._kept(sorted_level.mapInArrow(Entering(self._order, self.levels), _SCHEMA))
        told = [json.loads(row.told) for row in entered.where("told is not null").select("told").collect()]
        self._level = entered.where("states is not null")
        self._known = self._known.union(self._level)
        if self.levels % _LEVELS_A_TABLE == _LEVELS_A_TABLE - 1:
            self._known = self._kept(self._known.coalesce(parts))
        self._take(told, waiting)

    def _kept(self, table: DataFrame) -> DataFrame:
        """The same, computed, and stored in the user's directory or by the executors."""
        return table.checkpoint() if self._is_reliable else table.localCheckpoint()

    def _take(self, told: list[dict[str, Any]], waiting: int) -> None:
        stopped = [(notes["at"], notes["stopped"]) for notes in told if notes["stopped"] != driver.DONE]
        expanded = [notes for notes in told if "generated" in notes]
        self.generated += sum(notes["generated"] for notes in expanded)
        for notes in expanded:
            self.counters += np.array(notes["counters"], np.int64)
        entered = [notes for notes in told if "new" in notes]
        if stopped:
            # A state of the level that was expanded comes before all that it leads to.
            self.at, self.outcome = min(stopped)
        if self.outcome in (driver.ALARM, driver.DEADLOCK):
            return
        self.expanded += waiting
        self.states += sum(notes["new"] for notes in entered)
        for notes in entered:
            seen = np.array(notes["seen"], np.int64)
            first = (self._seen == 0) | ((seen != 0) & (seen < self._seen))
            self._seen[first] = seen[first]
        self.levels += bool(entered)
        if not entered:
            self.outcome = driver.DONE
        elif self.outcome == driver.PAUSED and self.states > self._allowed:
            self.outcome = driver.FULL

    @property
    def memory_bytes(self) -> int:
        """Of all states and the tables that tasks make of them; they need not be in one machine."""
        return self.states * (8 * self._words + 8 * BUCKET // 4)

    @property
    def disk_bytes(self) -> int:
        """Of the checkpoints."""
        if not self._is_reliable:
            return 0
        path, files = _checkpoints(self._spark)
        size: int = files.getContentSummary(path).getLength()
        return size

    def seen(self, target: int) -> list[int]:
        """The place of a state that first shows what `cover` looks for, or none."""
        found = int(self._seen[target])
        return [found - 1] if found else []

    def depth(self, found: int) -> int:
        """Steps of a shortest path to the state at a place."""
        return parts_of(found)[0]

    def way(self, found: int) -> list[list[int]]:
        """Words of the states on a shortest path to the one at a place, the initial one first."""
        level, part, row = parts_of(found)
        at_part = self._known.where((col("level") == level) & (col("part") == part))
        blocks = blocks_of(at_part.toArrow().to_batches(), self._words)
        way = [next(rows[row - first].tolist() for *_, first, rows in blocks if 0 <= row - first < len(rows))]
        for before in range(level - 1, -1, -1):
            leading = Leading(self._order, tuple(way[-1]))
            leads = self._known.where(col("level") == before).mapInArrow(leading, _SCHEMA).toArrow().to_batches()
            # The first, so that the same path is found again.
            *_, rows = min(blocks_of(leads, self._words), key=lambda found: found[:3])
            way.append(rows[0].tolist())
        return way[::-1]


def _checkpoints(spark: SparkSession) -> tuple[Any, Any]:
    """The directory of a session's checkpoints as Hadoop's path, and its file system."""
    context: Any = spark.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(context.getCheckpointDir())
    return path, path.getFileSystem(context._jsc.hadoopConfiguration())


def explore_on_spark(
    spark: SparkSession,
    order: Order,
    *,
    directory: str | None = None,
    max_states: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Result:
    """Search as `genstamp_model.explore.explore` does, on Spark.

    Args:
        spark: a session; its executors have genstamp installed.
        order: what to search.
        directory: where checkpoints of the states go until the search ends, as a URI that Spark can write; by default
            executors keep them, and one that is lost ends the search.
        max_states: give up with more distinct states than this, at the end of a level.
        max_seconds: give up after this many seconds, at the end of a level.
        progress: called after each level.

    Raises:
        ConfigurationError: there are too many parts.
    """
    if not 1 <= order.parts <= MOST_PARTS:
        raise ConfigurationError(f"states cannot be divided into {order.parts} parts; 1 to {MOST_PARTS} are possible")
    if directory is not None:
        spark.sparkContext.setCheckpointDir(directory)
    try:
        allowed = _ANY_NUMBER if max_states is None else max_states
        board: Any = SparkBoard(spark, order, allowed, directory)
        return Search(compiled(order), max_states, order.check_deadlock, board=board).run(max_seconds, progress)
    finally:
        if directory is not None:
            path, files = _checkpoints(spark)
            files.delete(path, True)
