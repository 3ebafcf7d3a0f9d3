"""The search on Spark finds what the local search finds, state for state."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from genstamp.scaleout import SparkBoard, explore_on_spark
from genstamp.scaleout.rounds import (
    Distinct,
    Entering,
    Expanding,
    Order,
    blocks_of,
    dealt,
    parts_of,
    place,
)
from genstamp.systems import found
from genstamp_model.errors import ConfigurationError
from genstamp_model.explore import INTERRUPTED, Compiled, Result, Search, Verdict, explore
from genstamp_model.language.model import Instance

TWO_PHASE = "tests.model.systems.two_phase:TWO_PHASE"
EVERY_FORM = "tests.model.systems.every_form:EVERY_FORM"
EWD840 = "tests.model.systems.ewd840:EWD840"
STUCK = "tests.conformance.scaleout.stuck:STUCK"
ENDLESS = "tests.model.systems.endless_recovery:RELATIVE"


def order(system: str, configuration: str, **changed: Any) -> Order:
    declared, _ = found(system)
    plain = Order(
        system=system,
        semantics=declared.default_semantics,
        bugs=(),
        configuration=declared.configuration(configuration),
        renumber=False,
        symmetry=False,
        parts=3,
        check_deadlock=True,
    )
    return replace(plain, **changed)


def instance(one: Order) -> Instance:
    declared, _ = found(one.system)
    return Instance(declared.model(one.semantics, one.bugs), one.configuration)


def local(one: Order) -> Result:
    return explore(instance(one), symmetry=one.symmetry, renumber=one.renumber)


def counts(result: Result) -> object:
    return (
        result.verdict,
        result.states,
        result.generated,
        result.levels,
        result.depth,
        result.cuts,
        result.taken,
        result.idle,
        result.refusals,
        result.witnesses,
        result.critical,
        result.refined,
        result.reductions,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration", "changed"),
    [
        (TWO_PHASE, "three", {"symmetry": True}),
        (ENDLESS, "two", {"parts": 1}),
        ("hdfs.durable_prefix", "three", {}),
        ("hdfs.replica_threads", "two_datanodes", {"parts": 2}),
        ("gfs.replicas", "two_chunkservers", {"parts": 7}),
        (EWD840, "n3", {}),
    ],
)
def test_counts_and_depth_are_those_of_the_local_search(
    spark: SparkSession, system: str, configuration: str, changed: dict[str, Any]
) -> None:
    one = order(system, configuration, **changed)
    assert counts(explore_on_spark(spark, one)) == counts(local(one))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "configuration", "bugs", "kind"),
    [
        (TWO_PHASE, "three", ("eager-commit",), "invariant"),
        ("hdfs.pipeline", "pair", ("HDFS-1555",), "transition"),
        (EVERY_FORM, "tiny", ("overpaid",), "error"),
        (STUCK, "two", (), "deadlock"),
    ],
)
def test_a_violation_comes_with_a_shortest_path_at_the_same_depth(
    spark: SparkSession, system: str, configuration: str, bugs: tuple[str, ...], kind: str
) -> None:
    one = order(system, configuration, bugs=bugs)
    on_spark, engine = explore_on_spark(spark, one), local(one)
    here, there = on_spark.violation, engine.violation
    assert here is not None and there is not None
    assert (here.kind, here.name, len(here.path)) == (there.kind, there.name, len(there.path))
    assert here.kind == kind
    assert on_spark.depth == engine.depth


@pytest.mark.slow
def test_too_many_states_are_undetermined(spark: SparkSession) -> None:
    result = explore_on_spark(spark, order("hdfs.durable_prefix", "three"), max_states=1000)
    assert result.verdict is Verdict.UNDETERMINED
    assert result.undetermined == "there are more than 1000 states"
    assert 1000 < result.states < 5476


@pytest.mark.slow
def test_longer_paths_than_a_place_can_tell_are_undetermined(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("genstamp.scaleout.board.MOST_LEVELS", 4)
    result = explore_on_spark(spark, order(TWO_PHASE, "three"))
    assert (result.verdict, result.levels) == (Verdict.UNDETERMINED, 4)
    assert result.undetermined == "paths are longer than 3 steps"


@pytest.mark.slow
def test_levels_that_are_put_together_are_the_same(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genstamp.scaleout.board._LEVELS_A_TABLE", 2)
    one = order(TWO_PHASE, "three", bugs=("eager-commit",))
    here, there = explore_on_spark(spark, one).violation, local(one).violation
    assert here is not None and there is not None
    assert len(here.path) == len(there.path)
    assert counts(explore_on_spark(spark, replace(one, bugs=()))) == counts(local(replace(one, bugs=())))


@pytest.mark.slow
def test_checkpoints_are_in_the_directory_until_the_end(spark: SparkSession, tmp_path: Path) -> None:
    directory, found_files = tmp_path / "checkpoints", list[Path]()
    one = order(TWO_PHASE, "three")
    result = explore_on_spark(
        spark,
        one,
        directory=directory.as_uri(),
        progress=lambda _: found_files.extend(directory.glob("*/rdd-*/part-*")),
    )
    assert counts(result) == counts(local(one))
    assert result.disk_bytes > 8 * result.states * result.words
    assert found_files
    assert list(directory.iterdir()) == []


class Endless:
    """A task that does not end by itself."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        threading.Event().wait()
        yield from batches


@pytest.mark.slow
def test_an_interrupt_ends_a_level_that_goes_on(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    # Spark has put its own handler there.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    enter, tracker = SparkBoard._enter, spark.sparkContext.statusTracker()

    def interrupted(board: SparkBoard, made: Any) -> None:
        if board.levels == 2:
            made = made.mapInArrow(Endless(), made.schema)
            threading.Thread(target=interrupt_as_soon_as_it_runs).start()
        enter(board, made)

    def interrupt_as_soon_as_it_runs() -> None:
        while not tracker.getActiveStageIds():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(SparkBoard, "_enter", interrupted)
    try:
        result = explore_on_spark(spark, order(TWO_PHASE, "three"))
    finally:
        signal.signal(signal.SIGINT, before)
    assert (result.verdict, result.undetermined, result.levels) == (Verdict.UNDETERMINED, INTERRUPTED, 2)


def test_so_many_parts_are_refused() -> None:
    spark: Any = None
    with pytest.raises(ConfigurationError, match="cannot be divided into 5000 parts"):
        explore_on_spark(spark, order(TWO_PHASE, "three", parts=5000))


def first_levels(one: Order, levels: int) -> Iterator[tuple[int, list[pa.RecordBatch]]]:
    """Blocks of what the local search finds on each level, as one part each."""
    compiled = Compiled(instance(one))
    search = Search(compiled, threads=1)
    search.run()
    depths = [len(search.way_to(int(number))) - 1 for number in search.places()]
    for level in range(levels):
        yield level, list(dealt(one, level, search.states()[[depth == level for depth in depths]]))


def test_tasks_find_a_level_from_the_one_before_however_often_and_in_whatever_order() -> None:
    one = order(TWO_PHASE, "three", parts=1)
    words, known = Compiled(instance(one)).program.layout.words, list[pa.RecordBatch]()
    levels = dict(first_levels(one, 6))
    for level in range(1, 6):
        known += levels[level - 1]
        made = list(Expanding(one)(levels[level - 1]))
        assert made == list(Expanding(one)(levels[level - 1]))
        entered = [list(Entering(one, level)([*some, *known])) for some in (made, made[::-1], [*made, *made])]
        (states,) = {tuple(map(tuple, rows.tolist())) for batches in entered for *_, rows in blocks_of(batches, words)}
        assert set(states) == {tuple(row) for *_, rows in blocks_of(levels[level], words) for row in rows.tolist()}
        assert len(states) == len(set(states)) > 2


def test_states_are_found_once_and_those_known_are_struck_out() -> None:
    draw = np.random.default_rng(1)
    distinct, seen = Distinct(2), set[tuple[int, ...]]()
    for _ in range(20):
        rows = draw.integers(0, 60, (500, 2))
        new = [tuple(row) for row in distinct.add(rows).tolist()]
        assert len(set(new)) == len(new)
        assert set(new) == {tuple(row) for row in rows.tolist()} - seen
        seen |= set(new)
    assert distinct.count == len(seen) > 3000
    for _ in range(2):
        rows = draw.integers(0, 60, (500, 2))
        distinct.strike(rows)
        seen -= {tuple(row) for row in rows.tolist()}
    assert [tuple(row) for row in distinct.left().tolist()] == sorted(seen)


def test_each_state_is_dealt_to_one_part() -> None:
    one, rows = order(TWO_PHASE, "three", parts=7), np.random.default_rng(1).integers(0, 1 << 40, (5000, 2))
    blocks = list(blocks_of(dealt(one, 3, rows), 2))
    assert [part for part, *_ in blocks] == list(range(7))
    assert sorted(np.concatenate([states for *_, states in blocks]).tolist()) == sorted(rows.tolist())
    assert list(blocks_of(dealt(one, 3, rows[:0]), 2)) == []


def test_a_place_tells_level_part_and_row() -> None:
    assert parts_of(place(40, 1023, 2**39)) == (40, 1023, 2**39)


def test_tasks_travel_to_executors() -> None:
    from pyspark import cloudpickle

    dumps: Any = cloudpickle.dumps

    one = order(TWO_PHASE, "three")
    for task in (Expanding(one), Entering(one, 3)):
        assert len(dumps(task)) < 2000
