"""A search on Spark as `genstamp_model.explore.Search` sees it: a turn is a level."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from genstamp.scaleout import kernel
from genstamp.scaleout.work import (
    ENTERED,
    MOST_LEVELS,
    MOST_OWNERS,
    Entering,
    Expanding,
    Order,
    compiled,
    judged,
    packed_schema,
    parts_of,
    place,
)
from genstamp_model.errors import ConfigurationError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import Progress, Result, Search, driver
from genstamp_model.explore.table import BUCKET

_ANY_NUMBER: Final = 2**62


class SparkBoard:
    """A search that has found its first state.

    Attributes:
        outcome: of the last turn.
        full: why it cannot go on, in words.
        doubt: 0; no state is missed.
    """

    full = ""
    doubt = 0.0

    def __init__(self, spark: SparkSession, order: Order, allowed: int) -> None:
        self._spark = spark
        self._order = order
        self._allowed = allowed
        self._compiled = compiled(order)
        self._program = self._compiled.program
        self._words = self._program.layout.words
        self._files = order.files()
        self._seen = np.zeros(max(1, len(self._program.targets)), np.int64)
        self.counters: NDArray[np.int64] = np.zeros(self._program.counters, np.int64)
        self.states, self.expanded, self.generated, self.levels = 0, 0, 1, 0
        self.at = -1
        self.outcome = self._begin()

    def _begin(self) -> int:
        first = np.array([self._compiled.canonical.row(Evaluator(self._compiled.instance).initial())], np.int64)
        owner = np.empty(1, np.int64)
        kernel.library(self._words).run(kernel.owners_of, first, 1, self._order.owners, owner)
        self._files.write_states(0, int(owner[0]), first)
        notes = judged(self._compiled, first, place(0, int(owner[0]), 0))
        self._files.write_notes("entered", 0, int(owner[0]), notes)
        return self._entered(1)

    def turn(self, quota: int, threads: int) -> None:  # noqa: ARG002 - a turn is a level
        """Search the next level."""
        if self.outcome != driver.PAUSED:
            return
        if self.levels == MOST_LEVELS:
            self.full, self.outcome = f"paths are longer than {MOST_LEVELS - 1} steps", driver.FULL
            return
        level, owners = self.levels - 1, self._order.owners
        tasks = self._spark.range(owners, numPartitions=owners)
        successors = tasks.mapInArrow(Expanding(self._order, level), from_arrow_schema(packed_schema(self._words)))
        dealt = successors.repartition(owners, "owner")
        entered = dealt.mapInArrow(Entering(self._order, level + 1), from_arrow_schema(ENTERED)).collect()
        waiting = self.states - self.expanded
        self.outcome = self._expanded(level)
        if self.outcome != driver.PAUSED:
            return
        self.expanded += waiting
        new = sum(row.new for row in entered)
        self.outcome = self._entered(new) if new else driver.DONE

    def _expanded(self, level: int) -> int:
        """Take over what the tasks tell of expanding a level.

        Raises:
            ConfigurationError: they have not seen all of its states, so some executor does not see the directory.
        """
        outcome: int = driver.PAUSED
        told = [self._files.notes("expanded", level, owner) for owner in range(self._order.owners)]
        rows = sum(notes["rows"] for notes in told if notes is not None)
        if None in told or rows != self.states - self.expanded:
            raise ConfigurationError(
                f"executors tell of {rows} states of level {level}, which has {self.states - self.expanded}; "
                f"{self._files.path} must be a directory that all of them see under this name"
            )
        for owner, notes in enumerate(told):
            assert notes is not None
            self.generated += notes["generated"]
            self.counters += np.array(notes["counters"], np.int64)
            if notes["stopped"] != driver.DONE and self.at < 0:
                self.at, outcome = place(level, owner, notes["row"]), notes["stopped"]
        return outcome

    def _entered(self, new: int) -> int:
        """Take over what the tasks tell of the states that are new."""
        self.states += new
        level, self.levels = self.levels, self.levels + 1
        for owner in range(self._order.owners):
            notes = self._files.notes("entered", level, owner)
            if notes is None:
                continue
            first = self._seen == 0
            self._seen[first] = np.array(notes["seen"], np.int64)[first]
            if notes["stopped"] != driver.DONE and self.at < 0:
                self.at = place(level, owner, notes["row"])
        if self.at >= 0:
            return driver.INVARIANT
        return driver.FULL if self.states > self._allowed else driver.PAUSED

    @property
    def memory_bytes(self) -> int:
        """Of all states and the tables that owners make of them; they need not be in one machine."""
        return self.states * (8 * self._words + 8 * BUCKET // 4)

    @property
    def disk_bytes(self) -> int:
        """Of the files."""
        return self._files.bytes_used()

    def seen(self, target: int) -> list[int]:
        """The place of a state that first shows what `cover` looks for, or none."""
        found = int(self._seen[target])
        return [found - 1] if found else []

    def way(self, found: int) -> list[list[int]]:
        """Words of the states on a shortest path to the one at a place, the initial one first."""
        level, owner, row = parts_of(found)
        way = [self._files.states(level, owner, self._words)[row]]
        for before in range(level - 1, -1, -1):
            way.append(self._before(before, way[-1]))
        return [words.tolist() for words in reversed(way)]

    def _before(self, level: int, target: NDArray[np.int64]) -> NDArray[np.int64]:
        """A state of a level that leads to the target: the first of the first owner that has one."""
        made = np.empty((len(self._program.steps) + 1, self._words), np.int64)
        wanted = np.ascontiguousarray(target)
        for owner in range(self._order.owners):
            rows = np.ascontiguousarray(self._files.states(level, owner, self._words))
            counters = np.zeros(self._program.counters, np.int64)
            at = kernel.library(self._words).run(
                kernel.leads_to_row, self._compiled.native.expand, rows, len(rows), wanted, made, counters
            )
            if at < len(rows):
                before: NDArray[np.int64] = rows[at]
                return before
        raise AssertionError(f"no state of level {level} leads to {target}")


def explore_on_spark(
    spark: SparkSession,
    order: Order,
    *,
    max_states: int | None = None,
    max_seconds: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Result:
    """Search as `genstamp_model.explore.explore` does, on Spark.

    Args:
        spark: a session; its executors have genstamp installed and see the order's directory.
        order: what to search, and where; its directory exists and is empty.
        max_states: give up with more distinct states than this, at the end of a level.
        max_seconds: give up after this many seconds.
        progress: called after each level.

    Raises:
        ConfigurationError: the directory is not empty, or some executor does not see it, or there are too many owners.
    """
    directory = Path(order.directory)
    if not directory.is_dir() or any(directory.iterdir()):
        raise ConfigurationError(f"{directory} is no empty directory; the states of the search are written there")
    if not 1 <= order.owners <= MOST_OWNERS:
        raise ConfigurationError(f"{order.owners} owners cannot share the states; 1 to {MOST_OWNERS} can")
    board: Any = SparkBoard(spark, order, _ANY_NUMBER if max_states is None else max_states)
    return Search(compiled(order), max_states, order.check_deadlock, board=board).run(max_seconds, progress)
